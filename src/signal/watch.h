/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listening to a port: what a counter hangs on a signal.
 *
 * A watch accepts an occurrence when one of its alternatives does: the flags fit and
 * all tests of the tag hold.  What it accepts it keeps as runs, "n in each clock from..to",
 * until the clocks are closed; then the runs are swept through the chain.  A watch with
 * a chain that only adds counts what ends before the port's horizon at once and keeps nothing.
 *
 * Any other chain keeps the port's late clocks when they are closed.  Each close takes it
 * through them again with what has been told since; the counter adds the difference.  It never
 * goes back: a difference below 0 is owed.
 */
#ifndef BXS_SIGNAL_WATCH_H
#define BXS_SIGNAL_WATCH_H

#include "signal/chain.h"
#include "signal/signal.h"

/* The members of struct signal_tag that a test can look at. */
enum signal_tag_id {
	SIGNAL_TAG_ADDR, SIGNAL_TAG_OPC, SIGNAL_TAG_NID, SIGNAL_TAG_TID, SIGNAL_TAG_STATE,
	SIGNAL_TAG_LINK, SIGNAL_TAG_NC, SIGNAL_TAG_ISOC, SIGNAL_TAG_C6, SIGNAL_TAG_FREQ,
	SIGNAL_TAGS,
};

enum signal_test_kind {
	SIGNAL_TEST_EQ,		/* (tag & mask) == value */
	SIGNAL_TEST_BIT,	/* bit number `tag` is set in value */
	SIGNAL_TEST_ANY,	/* tag & value */
	SIGNAL_TEST_GE,		/* tag >= latch->value >> shift & mask */
	SIGNAL_TEST_PACKET,	/* (packet & mask) == value, for each slot */
	SIGNAL_TEST_PACKET_BIT,	/* bit number (first packet >> shift & mask) is set in value */
};

/*
 * A register that takes effect only when the frequency changes: value is what it
 * held at the last change.
 */
struct signal_latch {
	struct signal_latch *next;	/* of the same port */
	const uint64_t *live;
	uint64_t value;
	uint8_t freq;		/* the frequency told last, 0: none yet */
};

struct signal_test {
	uint64_t mask, value;
	const struct signal_latch *latch;
	uint8_t kind, tag, shift;
};

/* (flags & care) == want, a bit of `any` unless that is 0, and all tests. */
struct signal_alt {
	uint64_t care, want, any;
	const struct signal_test *test;
	unsigned tests;
};

/* n in each clock from .. to - 1; to is SIGNAL_EVER for a level that stands. */
struct signal_run {
	uint64_t from, to;
	int64_t n;
};

#define SIGNAL_EVER UINT64_MAX

/* Where the sum of the runs changes, for sweeping them in order. */
struct signal_edge {
	uint64_t at;
	int64_t n;
};

struct signal_watch {
	struct signal_watch *next;
	int64_t sum;			/* told, below the horizon, by a chain that only adds */
	/* Set while it hangs: a chain that only adds; with one alternative, whose flags are
	 * copied here; which has no tests. */
	bool adds, single, plain;
	uint64_t care, want, any;
	const struct signal_alt *alt;	/* the owner's, as long as the watch hangs */
	unsigned alts;
	uint32_t event;			/* what the console may address; 0: nothing */
	bool latched;			/* has a test with a latch */
	bool once;			/* things that hold together add no more than one of them */
	struct chain chain;
	uint64_t past;			/* clocks below this are done with: closed, and not late */
	int64_t counted;		/* what was made of the closed clocks from past on, and is owed */
	int64_t level;			/* stands at clock past */
	int64_t told;			/* level with what is told of the future */
	struct signal_run *run;
	struct signal_edge *edge;
	unsigned runs, room, edge_room;
};

/* Does w add what it accepts as it is, whatever the order of the clocks? */
static inline bool signal_watch_adds(const struct signal_watch *w)
{
	return w->chain.threshold == 0 && !w->once;
}

/* How often w accepts an occurrence; tag may be NULL. */
unsigned signal_hits(const struct signal_watch *w, uint64_t flags, const struct signal_tag *tag);

/*
 * Hang w, its chain and alternatives set and the rest zero, on signal sig; it starts
 * with the levels that stand.
 */
void signal_watch_hang(struct signal_port *p, unsigned sig, struct signal_watch *w);
/* w, which hangs nowhere, starts at the first open clock: for what happens in every clock. */
void signal_watch_start(const struct signal_port *p, struct signal_watch *w);
/* What stands at clock `at`, not before w->past. */
int64_t signal_watch_level(const struct signal_watch *w, uint64_t at);
/* Take w off and forget what it has not counted. */
void signal_watch_unhang(struct signal_port *p, unsigned sig, struct signal_watch *w);

/* End what an unhung watch owns. */
void signal_watch_free(struct signal_watch *w);

/*
 * What w adds in the clocks p->closed .. to - 1, with what was told late of those before.
 * Call once for these clocks, then signal_port_close().
 */
int64_t signal_watch_close(struct signal_port *p, struct signal_watch *w, uint64_t to);

/*
 * The first clock count k, p->closed < k <= to, such that w adds `room` or more in the clocks
 * p->closed .. k - 1; SIGNAL_EVER when there is none.  Changes nothing.
 */
uint64_t signal_watch_reach(struct signal_port *p, struct signal_watch *w, uint64_t to,
			    uint64_t room);

/* All watches have been closed up to clock `to`. */
void signal_port_close(struct signal_port *p, uint64_t to);

/*
 * An occurrence from the console: only watches of this event see it.  every: it has
 * all flags that any selection could ask for.
 */
struct signal_console {
	uint32_t event;
	bool every;
};

void signal_console_pulse(struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
			  uint64_t flags, const struct signal_tag *tag, struct signal_console who);
/* The level stands at n from `when` on, whatever was said before with equal who, flags and tag. */
void signal_console_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t n,
			  uint64_t flags, const struct signal_tag *tag, struct signal_console who);

/* One more latch that levels and the console bring new frequencies; and one less. */
void signal_port_latch(struct signal_port *p, struct signal_latch *latch);
void signal_port_unlatch(struct signal_port *p, const struct signal_latch *latch);

#endif
