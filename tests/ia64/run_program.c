// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a program: run_program [-i|-e] PROGRAM ARGUMENTS...  With -e it has our environment.  Its output is on standard output; on standard error the instructions
 * retired, or with -i a line for each: its number, address (slot * 4 in the low bits), sp and r8 after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ia64/ia64.h"
#include "ia64/op.h"

static uint8_t elf[16 << 20];

static void trace(void *context, struct ia64 *m, const struct ia64_op *op, uint64_t ip, bool on)
{
	uint64_t *count = context;

	(void)on;
	if (*count)
		fprintf(stderr, "%" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", *count, ip + op->slot * 4, ia64_gr(m, 12), ia64_gr(m, 8));
	++*count;
}

int main(int argc, char *argv[])
{
	bool traced = argc > 1 && !strcmp(argv[1], "-i"), environment = argc > 1 && !strcmp(argv[1], "-e");
	int options = traced || environment;
	FILE *file = argc > 1 + options ? fopen(argv[1 + options], "rb") : NULL;
	size_t length = file ? fread(elf, 1, sizeof elf, file) : 0;
	const struct ia64_config config = { .instructions = UINT64_C(60000000000), .itc_khz = 1000000,
					    .argv = argv + 1 + options, .env = environment ? environ : NULL };
	uint64_t count = 0;
	const struct ia64_observer observer = { &count, trace };
	const struct ia64_stop *stop;
	char why[128];
	struct ia64 *m = ia64_load(elf, length, &config, why, sizeof why);
	int status;

	if (file)
		fclose(file);
	if (!m) {
		fprintf(stderr, "%s\n", why);
		return 69;
	}
	stop = ia64_run(m, traced ? &observer : NULL);
	if (stop->why != IA64_EXITED)
		fprintf(stderr, "%s\n", stop->reason);
	if (*ia64_note(m))
		fprintf(stderr, "%s\n", ia64_note(m));
	fprintf(stderr, "retired %" PRIu64 "\n", ia64_retired(m));
	status = stop->why == IA64_EXITED ? stop->status : 70;
	ia64_free(m);
	return status;
}
