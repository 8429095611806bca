/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading counters while a program runs takes nothing from them and gives them nothing: what a read closes ahead of
 * the cores is made up for when they get there.
 *
 * A queue that holds d entries in a clock passes the thresholds 1 to d in it.  So over a run the clocks at or over each
 * threshold, of all thresholds together, are the occupancy, and those at or over 1 are the clocks in which the queue is
 * not empty.  Occupancies are sums, to which order means nothing, and are held to the machine's own record by `stays`;
 * thresholds look at clocks in their order; "not empty" comes from the sweep of src/uncore/depth.h.  However often
 * the run is read, the three agree to the clock.
 */
#include <string.h>

#include "boxscore.h"
#include "check.h"

enum {
	MOST = 160,		/* no queue here is deeper */
	REST = 100000,		/* uncore clocks in which all that is under way gets to its end */
};

static const struct row {
	int line;
	const char *machine, *kernel, *occupancy, *not_empty;
	uint64_t interval_ns;
	unsigned depth;			/* more than it ever holds */
} rows[] = {
#define FAR_OFF "random:size=1M,count=6000,writes=40,threads=4,node=1"
#define TRIAD "stream:size=2M,op=triad,threads=4"
#define WRITES "stream:size=4M,op=triad,threads=4"	/* too much for the caches */
	{ LINE, "hsx,cores=4", FAR_OFF, "qpi.TxL_OCCUPANCY", "qpi.TxL_CYCLES_NE", UINT64_MAX, 160 },
	{ LINE, "hsx,cores=4", FAR_OFF, "qpi.TxL_OCCUPANCY", "qpi.TxL_CYCLES_NE", 5000, 160 },
	{ LINE, "hsx,cores=4", FAR_OFF, "qpi.RxL_OCCUPANCY", "qpi.RxL_CYCLES_NE", 1700, 160 },
	{ LINE, "hsx,cores=4", FAR_OFF, "cbo.TOR_OCCUPANCY.ALL", NULL, 3000, 48 },
	{ LINE, "hsx,cores=4", FAR_OFF, "cbo.RxR_OCCUPANCY.IRQ", NULL, 3000, 48 },
	{ LINE, "hsx:e7-8890v3,cores=4", WRITES, "imc.VMSE_MXB_WR_OCCUPANCY", NULL, 2000, 64 },
	{ LINE, "snbep,cores=4", TRIAD, "imc.RPQ_OCCUPANCY", "imc.RPQ_CYCLES_NE", UINT64_MAX, 48 },
	{ LINE, "snbep,cores=4", TRIAD, "imc.RPQ_OCCUPANCY", "imc.RPQ_CYCLES_NE", 5000, 48 },
	{ LINE, "snbep,cores=4", WRITES, "imc.WPQ_OCCUPANCY", "imc.WPQ_CYCLES_NE", UINT64_MAX, 48 },
	{ LINE, "snbep,cores=4", WRITES, "imc.WPQ_OCCUPANCY", "imc.WPQ_CYCLES_NE", 2000, 48 },
	{ LINE, "snbep,cores=4", FAR_OFF, "qpi.RxL_OCCUPANCY", "qpi.RxL_CYCLES_NE", 4000, 160 },
};

struct sums {
	double occupancy, not_empty, at[MOST + 1];
	const struct row *row;
};

static int note(void *ctx, const struct bxs_reading *r)
{
	struct sums *s = ctx;
	const char *threshold = strstr(r->name, "thresh=");
	unsigned k;

	CHECK(r->has_truth);
	if (threshold && sscanf(threshold, "thresh=%u", &k) == 1 && k <= MOST)
		s->at[k] += r->truth;
	else if (strcmp(r->name, s->row->occupancy) == 0)
		s->occupancy += r->truth;
	else
		s->not_empty += r->truth;
	return 0;
}

static void add(bxs_session *s, const struct row *row)
{
	char event[100];

	CHECK_EQ(row->line, bxs_session_add(s, row->occupancy), 0);
	if (row->not_empty)
		CHECK_EQ(row->line, bxs_session_add(s, row->not_empty), 0);
	for (unsigned k = 1; k <= row->depth; k++) {
		snprintf(event, sizeof event, "%s:thresh=%u", row->occupancy, k);
		CHECK_EQ(row->line, bxs_session_add(s, event), 0);
	}
}

/* Every event is counted beside the counters; those go to none but the first few. */
static void run(struct sums *sums, const struct row *row)
{
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[200];
	int more = 1;

	CHECK_EQ(row->line, bxs_machine_new(row->machine, 0, &m, why, sizeof why), 0);
	CHECK_EQ(row->line, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, UINT64_MAX / 2);
	add(s, row);
	CHECK_EQ(row->line, bxs_session_kernel(s, row->kernel), 0);
	CHECK_EQ(row->line, bxs_session_start(s), 0);
	for (uint64_t at = row->interval_ns; more; at += row->interval_ns) {
		more = bxs_session_run(s, at);
		if (!more)
			CHECK_EQ(row->line, bxs_advance(m, "uclk", REST), 0);
		CHECK_EQ(row->line, more ? bxs_session_read(s) : bxs_session_stop(s), 0);
		bxs_session_each(s, BXS_BY_SUM, note, sums);
		bxs_session_next(s);
	}
	bxs_session_free(s);
	bxs_machine_free(m);
}

static void check_row(const struct row *row)
{
	struct sums s = { .row = row };
	double all = 0;

	run(&s, row);
	for (unsigned k = 1; k <= row->depth; k++)
		all += s.at[k];
	CHECK(s.occupancy > 0);
	CHECK_EQ(row->line, (uint64_t)s.at[row->depth], 0);
	CHECK_EQ(row->line, (uint64_t)all, (uint64_t)s.occupancy);
	if (row->not_empty)
		CHECK_EQ(row->line, (uint64_t)s.at[1], (uint64_t)s.not_empty);
}

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++)
		check_row(row);
	return check_done();
}
