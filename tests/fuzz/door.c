/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing register accesses at LIKWID's door, with the checks that explain them: lines "OPERATION CPU REGISTER DATA DEVICE" of
 * decimal or 0x numbers, where 0 reads, 1 writes and 2 asks.
 */
#include <stdlib.h>
#include <string.h>

#include "api/machine.h"
#include "virtual/check.h"
#include "virtual/likwid_door.h"

#include "fuzz.h"

enum { FIELDS = 5 };

static void hear(void *ctx, const char *line)
{
	(void)ctx;
	fuzz_expect(*line != '\0', "a finding has a sentence");
}

static void access_line(struct virtual *v, char *line)
{
	uint64_t field[FIELDS] = { 0 };
	struct likwid_record r;
	char *end = line;

	for (unsigned i = 0; i < FIELDS; i++)
		field[i] = strtoull(end, &end, 0);
	r = (struct likwid_record){ .kind = (uint32_t)field[0], .cpu = (uint32_t)field[1], .reg = (uint32_t)field[2],
				    .data = field[3], .device = (uint32_t)field[4] };
	if (r.kind == LIKWID_EXIT)
		return;
	likwid_answer(v, 1, &r);
	fuzz_expect(r.error <= LIKWID_NO_DEVICE, "the answer is one of LIKWID's");
}

static void run(const char *spec, const uint8_t *data, size_t size)
{
	const struct virtual_config config = { .load_output = -1 };
	char *text = fuzz_text(data, size), *save = NULL, why[256] = "";
	bxs_machine *m = fuzz_machine(spec, 0);
	struct virtual *v = NULL;
	struct check *c = NULL;

	fuzz_expect(virtual_new(m->machine, &config, &v, why, sizeof why) == 0, "the machine lives");
	fuzz_expect(check_open(v, hear, NULL, &c) == 0, "there are checks");
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		access_line(v, line);
	virtual_free(v);
	check_close(c);
	bxs_machine_free(m);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run("hsx,sockets=1,cores=1,llc_ways=1", data, size);
	run("snbep,sockets=1,cores=1,llc_ways=1", data, size);
	return 0;
}
