/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace files of one's own: write what missed the private caches of two cores, read it back, and measure it.
 *
 * usage: trace FILE
 */
#include <inttypes.h>
#include <stdio.h>

#include "boxscore.h"

enum { LINES = 1000 };

static char why[200];

/* Core 0 reads a thousand lines, core 1 the same ones after it has slept for a millisecond. */
static int write_trace(const char *path)
{
	struct bxs_trace_record r = { .kind = BXS_TRACE_DRD, .instructions = 4, .l1_misses = 1 };
	bxs_trace_writer *w;
	int err = bxs_trace_create(path, "hsx,sockets=1", &w, why, sizeof why), ended;

	if (err < 0)
		return err;
	for (; r.core < 2 && err == 0; r.core++) {
		const struct bxs_trace_record end = { .kind = BXS_TRACE_HALT, .core = r.core };

		for (unsigned i = 0; i < LINES && err == 0; i++) {
			r.line = 0x400000 + i;
			err = bxs_trace_write(w, &r);
		}
		if (err == 0)
			err = bxs_trace_write(w, &end);
		if (err == 0 && r.core == 0)
			err = bxs_trace_write(w, &(struct bxs_trace_record){ .kind = BXS_TRACE_SLEEP, .core = 1, .sleep = 1000000000 });
	}
	if (err < 0)
		snprintf(why, sizeof why, "%s", bxs_trace_write_why(w));
	ended = bxs_trace_finish(w);
	if (ended < 0)
		snprintf(why, sizeof why, "%s cannot be written", path);
	return err < 0 ? err : ended;
}

static int read_trace(const char *path)
{
	uint64_t records = 0, reads[2] = { 0 };
	struct bxs_trace_record r;
	bxs_trace_reader *t;
	int more = bxs_trace_open(path, &t, why, sizeof why);

	if (more < 0)
		return more;
	while ((more = bxs_trace_next(t, &r)) > 0) {
		records++;
		reads[r.core] += r.kind == BXS_TRACE_DRD;
	}
	printf("%s of %u cores: %" PRIu64 " records, %" PRIu64 " and %" PRIu64 " reads\n", bxs_trace_spec(t),
	       bxs_trace_cores(t), records, reads[0], reads[1]);
	if (more < 0)
		snprintf(why, sizeof why, "%s", bxs_trace_why(t));
	bxs_trace_close(t);
	return more;
}

static int print(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	printf("  %-26s %6.0f %s\n", r->name, r->value, bxs_validity_name(r->validity));
	return 0;
}

static int measure(bxs_session *s, const char *path)
{
	int err = bxs_session_add(s, "cbo.LLC_LOOKUP.ANY,cbo.TOR_INSERTS.MISS_LOCAL,imc.CAS_COUNT.RD");

	if (err == 0)
		err = bxs_session_trace(s, path);
	if (err == 0)
		err = bxs_session_start(s);
	if (err == 0)
		err = bxs_session_run(s, UINT64_MAX);
	if (err == 0)
		err = bxs_session_stop(s);
	return err == 0 ? bxs_session_each(s, BXS_BY_SUM, print, NULL) : err;
}

static int replay(const char *path)
{
	bxs_machine *m;
	bxs_session *s = NULL;
	char spec[512];
	int err = bxs_trace_machine(path, spec, sizeof spec, why, sizeof why);

	if (err == 0)
		err = bxs_machine_new(spec, 0, &m, why, sizeof why);
	if (err < 0)
		return err;
	err = bxs_session_new(m, &s);
	if (err == 0)
		err = measure(s, path);
	if (err < 0)
		snprintf(why, sizeof why, "%s", bxs_why(m));
	bxs_session_free(s);
	bxs_machine_free(m);
	return err;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: trace FILE\n");
		return 2;
	}
	if (write_trace(argv[1]) < 0 || read_trace(argv[1]) < 0 || replay(argv[1]) < 0) {
		fprintf(stderr, "trace: %s\n", why);
		return 1;
	}
	return 0;
}
