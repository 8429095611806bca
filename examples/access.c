/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses of one's own, as a simulator or a tracer would make them: two cores read and write the same thousand lines, and
 * the counters of the cache slices and of memory tell what came of it, step by step.
 */
#include <inttypes.h>
#include <stdio.h>

#include "boxscore.h"

enum { LINES = 1000, LINE = 64 };

static const uint64_t array = 0x10000000;

static int print(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	printf("  %-26s %6.0f %s\n", r->name, r->value, bxs_validity_name(r->validity));
	return 0;
}

/* One step: a core goes over all lines, four instructions a line.  Then all counters are read. */
static int go_over(bxs_machine *m, bxs_session *s, const char *what, unsigned core, enum bxs_access_kind kind)
{
	for (unsigned i = 0; i < LINES; i++)
		if (bxs_access(m, core, array + i * LINE, kind, 4) < 0)
			return -1;
	/* What the core still holds back leaves, and it sleeps. */
	if (bxs_idle(m, core, UINT64_MAX) < 0 || bxs_session_read(s) < 0)
		return -1;
	printf("%s\n", what);
	bxs_session_each(s, BXS_BY_SUM, print, NULL);
	bxs_session_next(s);
	return 0;
}

static int measure(bxs_machine *m, bxs_session *s)
{
	if (bxs_prefetchers(m, false) < 0 || bxs_session_own(s) < 0 ||
	    bxs_session_add(s, "cbo.LLC_LOOKUP.ANY,cbo.TOR_INSERTS.MISS_LOCAL,imc.CAS_COUNT.RD") < 0 ||
	    bxs_session_start(s) < 0)
		return -1;
	if (go_over(m, s, "core 0 loads", 0, BXS_LOAD) < 0 ||
	    go_over(m, s, "core 0 loads again", 0, BXS_LOAD) < 0 ||
	    go_over(m, s, "core 1 loads", 1, BXS_LOAD) < 0 ||
	    go_over(m, s, "core 0 stores", 0, BXS_STORE) < 0)
		return -1;
	return bxs_session_stop(s);
}

int main(void)
{
	bxs_machine *m;
	bxs_session *s = NULL;
	char why[200];
	int err;

	if (bxs_machine_new("hsx,sockets=1", 0, &m, why, sizeof why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	err = bxs_session_new(m, &s);
	if (err == 0)
		err = measure(m, s);
	if (err < 0)
		fprintf(stderr, "%s\n", bxs_why(m));
	bxs_session_free(s);
	bxs_machine_free(m);
	return err < 0;
}
