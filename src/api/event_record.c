/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing event files: all that a machine is told, with its time. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/event_file.h"
#include "pmu/pmu.h"

struct event_record {
	FILE *out;
	const struct signal_clock *clock;
	uint64_t start, first, last;	/* picoseconds, cycles, picoseconds of the last line */
	bool some;
	char path[256];
};

/* The time of a line, unless it is that of the line before. */
static void put_time(struct event_record *r, uint64_t now)
{
	uint64_t cycle = signal_clocks(r->clock, now) - r->first;
	bool whole = cycle ? signal_clock_time(r->clock, r->first + cycle) == now : now == r->start;

	if (r->some && now == r->last)
		return;
	if (whole)
		fprintf(r->out, "@%" PRIu64 " ", cycle);
	else
		fprintf(r->out, "@%" PRIu64 "ps ", now - r->start);
	r->some = true;
	r->last = now;
}

void event_file_put(bxs_machine *m, const char *format, ...)
{
	struct event_record *r = m->record;
	va_list args;

	if (!r)
		return;
	put_time(r, machine_time(m->machine));
	va_start(args, format);
	vfprintf(r->out, format, args);
	va_end(args);
	fputc('\n', r->out);
}

int bxs_record_end(bxs_machine *m)
{
	struct event_record *r = m->record;
	int err = 0;

	if (!r)
		return 0;
	event_file_put(m, "end");
	m->record = NULL;
	if (ferror(r->out))
		err = BXS_EIO;
	if (fclose(r->out) != 0)
		err = BXS_EIO;
	if (err < 0)
		api_fail(m, err, "%s cannot be written: %s", r->path, strerror(errno));
	free(r);
	return err;
}

int bxs_record(bxs_machine *m, const char *path, const char *spec)
{
	struct event_record *r;
	int err = bxs_record_end(m);

	if (err == 0)
		err = api_simulated(m);
	if (err < 0)
		return err;
	r = calloc(1, sizeof *r);
	if (!r)
		return BXS_ENOMEM;
	r->clock = pmu_clock(machine_pmu(m->machine), 0, "core");
	if (!r->clock) {
		free(r);
		return api_fail(m, BXS_ENOTSUP, "this family has no clock of cores");
	}
	r->out = fopen(path, "w");
	if (!r->out) {
		free(r);
		return api_fail(m, BXS_EIO, "%s cannot be written: %s", path, strerror(errno));
	}
	snprintf(r->path, sizeof r->path, "%s", path);
	r->start = machine_time(m->machine);
	r->first = signal_clocks(r->clock, r->start);
	fprintf(r->out, "boxscore-events 1\nmachine %s\n", spec);
	m->record = r;
	return 0;
}
