/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Little's law: entries times clocks of a table are what its entries stay together.  The test keeps its own account of
 * when each request went out and was answered; what lies between, and outside of queue and table, are a few clocks that do not
 * depend on the load.  Each core asks only for lines of the slice that it stands at, so that no ring lies between.
 */
#include "uncore/fabric_core.h"
#include "whole.h"

enum {
	REQUESTS = 20000, BURST = 360, CORES = 10, WAYS = 20, PERIOD = 500,
	/* Clocks, as in FABRIC_LATENCIES. */
	OUT = 5, IN = 6, TAG = 9, GO = 2, FILL = 4,
	/* And of a miss: tags, egress, home agent's ingress; on its way back that one's egress. The rings between are not
	 * longer than RINGS there and back, with a change from one to the other. */
	BESIDE = TAG + 16 + 10 + 8 + FILL, RINGS = 40,
};

enum { QUEUE, QUEUED, TABLE, ENTRIES, MISSES, MISSED, TRACKER, SUMS };

static const struct { const char *type; unsigned sig; uint64_t flags; } sums[SUMS] = {
	[QUEUE] = { "cbo", SIG_CBO_RXR, CBO_RXR_IRQ },
	[QUEUED] = { "cbo", SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_IRQ },
	[TABLE] = { "cbo", SIG_CBO_TOR, CBO_TOR_IRQ },
	[ENTRIES] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_IRQ },
	[MISSES] = { "cbo", SIG_CBO_TOR, CBO_TOR_IRQ | CBO_TOR_MISS },
	[MISSED] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_IRQ | CBO_TOR_INSERT_MISS },
	[TRACKER] = { "ha", SIG_HA_TRACKER, 0 },
};

/* What `requests` requests for lines first, first + 1 and so on of a socket's memory come to, `gap` clocks apart. */
struct crowd {
	int line;
	enum leave_kind kind;
	uint64_t first;
	unsigned requests, gap, outside;	/* outside: clocks of an answer that are in neither queue nor table */
	bool misses;
};

static uint64_t waited;		/* in queues, of all crowds */

static void run(struct whole *w, const unsigned *n, const struct crowd *c, uint64_t *now)
{
	uint64_t before[SUMS], v[SUMS], stay = 0;

	for (unsigned i = 0; i < SUMS; i++)
		before[i] = whole_read(w, n[i]);
	for (unsigned i = 0; i < c->requests; i++) {
		struct fabric_request rq = { .line = c->first + i, .when = *now, .kind = (uint8_t)c->kind };

		rq.core = (uint8_t)llc_slice(&w->f->socket[0].llc, rq.line);
		stay += (fabric_request(w->f, &rq).when - rq.when) / PERIOD;
		*now += c->gap * PERIOD;
	}
	*now += UINT64_C(1000000000);
	for (unsigned i = 0; i < w->sockets * WHOLE_HAS; i++)
		ha_advance(w->ha[i], *now);
	for (unsigned i = 0; i < SUMS; i++)
		v[i] = whole_read(w, n[i]) - before[i];
	CHECK_EQ(c->line, v[QUEUED], c->requests);
	CHECK_EQ(c->line, v[ENTRIES], c->requests);
	CHECK_EQ(c->line, v[QUEUE] + v[TABLE], stay - c->outside * c->requests);
	waited += v[QUEUE];
	CHECK_EQ(c->line, v[MISSED], c->misses ? c->requests : 0);
	CHECK_EQ(c->line, v[MISSES], c->misses ? v[TABLE] : 0);
	/* A miss is in its home agent's tracker while it is in the table, but for the way there and back. */
	if (c->misses && c->first < WHOLE_REMOTE) {
		CHECK(v[MISSES] >= v[TRACKER] + BESIDE * c->requests);
		CHECK(v[MISSES] <= v[TRACKER] + (BESIDE + RINGS) * c->requests);
	}
}

static void check(enum fabric_snoop snoop, uint64_t node)
{
	const struct crowd crowds[] = {
		/* Into the slice only: over when the table is. */
		{ LINE, LEAVE_PF_LLC_DRD, node, REQUESTS, node ? 4 : 3, OUT, true },
		{ LINE, LEAVE_PF_LLC_RFO, node + REQUESTS, REQUESTS, 40, OUT, true },
		/* There already: over when the tags are read. */
		{ LINE, LEAVE_PF_LLC_DRD, node, REQUESTS, 1, OUT - GO, false },
		/* On to the core. */
		{ LINE, LEAVE_DRD, node, REQUESTS, 200, OUT + IN, false },
		{ LINE, LEAVE_RFO, node + REQUESTS, REQUESTS, 200, OUT + IN, false },
		/* More than memory can bear, for a while: some wait until the table has room. */
		{ LINE, LEAVE_PF_LLC_DRD, node + 3 * REQUESTS, BURST, 1, OUT, true },
		{ LINE, LEAVE_ITOM, node + 2 * REQUESTS, REQUESTS, 3, OUT + IN + GO - FILL, true },
	};
	struct whole *w = malloc(sizeof *w);
	uint64_t now = 1000000;
	unsigned n[SUMS];

	whole_open(w, 2, CORES, WAYS, snoop, 2000000);
	for (unsigned i = 0; i < SUMS; i++)
		n[i] = whole_sum(w, sums[i].type, sums[i].sig, sums[i].flags);
	for (unsigned i = 0; i < LEN(crowds); i++)
		run(w, n, &crowds[i], &now);
	whole_close(w);
	free(w);
}

int main(void)
{
	check(FABRIC_SNOOP_SOURCE, 0);
	check(FABRIC_SNOOP_SOURCE, WHOLE_REMOTE);
	check(FABRIC_SNOOP_HOME, 0);
	check(FABRIC_SNOOP_DIRECTORY, 0);
	CHECK(waited > 100);
	return check_done();
}
