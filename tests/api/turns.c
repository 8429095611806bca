/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the stated error of a scaled reading is worth.  Programs that go on in one way are measured in
 * four turns a box, and every reading of every box and interval is held against the truth: it has
 * to lie within the stated error 95 times in 100.  A program that does one thing after another gets a
 * larger error than one of the same length that does not.  So does what is rare and comes in clusters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "check.h"

/* More events than a box has counters: four turns or more in each type. */
#define CBO "cbo.LLC_LOOKUP.*,cbo.TOR_INSERTS.ALL,cbo.TOR_INSERTS.MISS_LOCAL,cbo.LLC_VICTIMS.*,cbo.RING_BL_USED.*," \
	    "cbo.RxR_INSERTS.IRQ,cbo.TOR_OCCUPANCY.ALL"
#define IMC "imc.CAS_COUNT.*,imc.PRE_COUNT.*,imc.ACT_COUNT.*,imc.RPQ_INSERTS,imc.RPQ_CYCLES_NE,imc.MAJOR_MODES.*"
#define HA "ha.REQUESTS.*,ha.IMC_READS.*,ha.TRACKER_CYCLES_NE.*,ha.SNOOP_RESP.*,ha.RING_BL_USED.*"
#define LINK "qpi.RxL_FLITS_G0.*,qpi.RxL_FLITS_G1.*,qpi.TxL_FLITS_G0.*,qpi.TxL_FLITS_G1.*,qpi.RxL_OCCUPANCY"

struct tally {
	const char *box;		/* whose readings, "cbo."; all others are left out */
	unsigned scaled, held;
	double error, value;		/* of the event that `phases` compares */
	const char *event;
	unsigned boxes, right;		/* of that event: scaled readings, and those within their error */
};

/* The tallies of one run, up to the one without a box. */
static int judge(void *ctx, const struct bxs_reading *r)
{
	bool right = fabs(r->value - r->truth) <= r->error;
	/* Where nothing happens there is nothing to estimate. */
	bool counts = r->validity == BXS_SCALED && (r->truth != 0 || r->value != 0);

	for (struct tally *t = ctx; t->box; t++) {
		if (strncmp(t->box, r->name, strlen(t->box)) != 0)
			continue;
		if (t->event && strcmp(r->name, t->event) == 0) {
			t->error = r->error;
			t->value += r->value;
			t->boxes += counts;
			t->right += counts && right;
		}
		t->scaled += counts;
		t->held += counts && right;
	}
	return 0;
}

/* One run; interval 0: a single reading at the end. */
static void measure(const char *events, const char *kernel, uint64_t interval_ns, enum bxs_by by,
		    struct tally *t)
{
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[200];
	int more = 1;

	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=6", 0, &m, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, events), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, kernel), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	for (uint64_t at = interval_ns; more; at += interval_ns) {
		more = bxs_session_run(s, interval_ns ? at : UINT64_MAX);
		CHECK_EQ(__LINE__, more ? bxs_session_read(s) : bxs_session_stop(s), 0);
		bxs_session_each(s, by, judge, t);
		bxs_session_next(s);
	}
	bxs_session_free(s);
	bxs_machine_free(m);
}

/* Steady programs. */
static const struct steady {
	int line;
	const char *events, *boxes[2], *kernel;
	uint64_t interval_ns;
} steady[] = {
	{ LINE, CBO, { "cbo." }, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", 200000 },
	{ LINE, CBO, { "cbo." }, "random:size=4M,count=100000,threads=6,step=2,seed=%u", 200000 },
	{ LINE, IMC, { "imc." }, "chase:size=8M,threads=3,seed=%u", 1000000 },
	{ LINE, HA, { "ha." }, "random:size=24M,count=30000,threads=4,writes=25,seed=%u", 0 },
	{ LINE, HA "," LINK, { "ha.", "qpi." }, "random:size=32M,count=30000,threads=4,writes=10,node=1,seed=%u", 300000 },
	{ LINE, LINK, { "qpi." }, "random:size=32M,count=30000,threads=4,writes=10,node=1,seed=%u", 0 },
};

static void check_tally(int line, const struct tally *t, const char *kernel)
{
	printf("%s*, %s: %u of %u within the stated error\n", t->box, kernel, t->held, t->scaled);
	CHECK_EQ(line, t->scaled >= 100, 1);
	CHECK_EQ(line, t->held * 100 >= t->scaled * 95, 1);
}

static void check_steady(const struct steady *row)
{
	struct tally t[3] = { { .box = row->boxes[0] }, { .box = row->boxes[1] } };

	for (unsigned seed = 1; seed <= 4; seed++) {
		char kernel[100];

		snprintf(kernel, sizeof kernel, row->kernel, seed);
		measure(row->events, kernel, row->interval_ns, BXS_BY_BOX, t);
	}
	for (unsigned i = 0; t[i].box; i++)
		check_tally(row->line, &t[i], row->kernel);
}

/*
 * Each box sees a few of them in its turns, or none; those of a run in which some box has seen any are to hold as well.
 * The other readings of these runs, which go on in one way, are judged as those above.
 */
static const struct bursty {
	int line;
	const char *events, *box, *event[2];
} bursts[] = {
	{ LINE, CBO ",cbo.RxR_INSERTS.IRQ_REJ", "cbo.", { "cbo.RxR_INSERTS.IRQ_REJ" } },
	{ LINE, IMC, "imc.", { "imc.CAS_COUNT.WR_RMM", "imc.MAJOR_MODES.WRITE" } },
};

static void check_bursts(const struct bursty *row)
{
	struct tally all[3] = { 0 };

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct tally t[3] = { 0 };
		char kernel[100];

		for (unsigned i = 0; i < 2 && row->event[i]; i++)
			t[i] = (struct tally){ .box = row->box, .event = row->event[i] };
		snprintf(kernel, sizeof kernel, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", seed);
		measure(row->events, kernel, 0, BXS_BY_BOX, t);
		for (unsigned i = 0; t[i].box; i++) {
			all[i].box = t[i].box;
			all[i].scaled += t[i].scaled;
			all[i].held += t[i].held;
			all[i].boxes += t[i].value > 0 ? t[i].boxes : 0;
			all[i].right += t[i].value > 0 ? t[i].right : 0;
		}
	}
	check_tally(row->line, &all[0], "in runs with bursts");
	for (unsigned i = 0; all[i].box; i++) {
		printf("%s: %u of %u within the stated error\n", row->event[i], all[i].right, all[i].boxes);
		CHECK_EQ(row->line, all[i].boxes >= 60, 1);
		CHECK_EQ(row->line, all[i].right * 100 >= all[i].boxes * 95, 1);
	}
}

/*
 * Four passes over 2 MB: the first reads memory, the others the cache, so that what the memory does is
 * over after a part of the time; four passes over 32 MB read memory all the time.
 */
static void check_phases(void)
{
	struct tally phased[2] = { { .box = "imc.", .event = "imc.CAS_COUNT.RD" } }, even[2] = { phased[0] };

	measure(IMC, "chase:size=2M,passes=4", 0, BXS_BY_SUM, phased);
	measure(IMC, "chase:size=32M", 0, BXS_BY_SUM, even);
	CHECK(phased->value > 0 && even->value > 0);
	printf("stated error: %.1f%% phased, %.1f%% steady\n", 100 * phased->error / phased->value,
	       100 * even->error / even->value);
	CHECK(phased->error / phased->value > 3 * even->error / even->value);
}

int main(void)
{
	for (const struct steady *row = steady; row < steady + LEN(steady); row++)
		check_steady(row);
	for (const struct bursty *row = bursts; row < bursts + LEN(bursts); row++)
		check_bursts(row);
	check_phases();
	return check_done();
}
