/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc/stat: how long each CPU has run and slept since the machine began, in hundredths of a second.  What is not about
 * CPUs is this computer's, as it was when the machine began.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "base/memory_file.h"
#include "virtual/files.h"

enum { TSC = 0x10, MPERF = 0xe7, CLOCKS_OF_10_MS = 10000 };	/* of each MHz */

struct times {
	uint64_t run, idle;
};

static uint64_t msr(struct virtual *v, unsigned cpu, uint32_t number)
{
	struct access_address at;
	uint64_t value = 0;

	if (virtual_msr(v, cpu, number, &at) == 0 && virtual_peek(v, &at, &value) < 0)
		value = 0;
	return value;
}

/* MPERF counts at the pace of the time stamp counter, while the CPU does not sleep. */
static struct times times_of(struct virtual *v, unsigned cpu, unsigned mhz)
{
	uint64_t run = msr(v, cpu, MPERF), all = msr(v, cpu, TSC), hundredth = (uint64_t)CLOCKS_OF_10_MS * mhz;

	return (struct times){ run / hundredth, run < all ? (all - run) / hundredth : 0 };
}

/* Numbers of a fixed length, so that a text of later is as long. */
static void line(FILE *out, const char *name, const struct times *t)
{
	fprintf(out, "%-6s %12" PRIu64 " 0 0 %12" PRIu64 " 0 0 0 0 0 0\n", name, t->run, t->idle);
}

static void lines(FILE *out, struct virtual *v)
{
	struct times each[FILES_SET], sum = { 0, 0 };
	unsigned n = virtual_cpus(v);
	struct identity id;
	char name[16];

	if (!identity_of(virtual_machine(v), &id))
		return;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		each[cpu] = times_of(v, cpu, id.base_mhz);
		sum.run += each[cpu].run;
		sum.idle += each[cpu].idle;
	}
	line(out, "cpu", &sum);
	for (unsigned cpu = 0; cpu < n; cpu++) {
		snprintf(name, sizeof name, "cpu%u", cpu);
		line(out, name, &each[cpu]);
	}
}

/* What the system's file has below its CPUs. */
static void rest(FILE *out)
{
	FILE *f = fopen("/proc/stat", "re");
	char *text = NULL;
	size_t size = 0;

	while (f && getline(&text, &size, f) > 0)
		if (strncmp(text, "cpu", 3) != 0)
			fputs(text, out);
	free(text);
	if (f)
		fclose(f);
}

void files_stat(struct tree *t, struct virtual *v)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	uint32_t n;

	if (!out) {
		t->failed = true;
		return;
	}
	lines(out, v);
	rest(out);
	if (memory_file_close(out, &text) < 0) {
		t->failed = true;
		return;
	}
	n = tree_bytes(t, tree_path(t, TREE_ROOT, "proc"), "stat", text, size);
	t->node[n].kind = TREE_STAT;
	t->node[n].size = 0;
}

char *files_stat_now(struct virtual *v, const struct tree_node *first, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	lines(out, v);
	if (fflush(out) == 0 && *size < first->length)
		fwrite(first->text + *size, 1, first->length - *size, out);
	memory_file_close(out, &text);
	return text;
}
