/* SPDX-License-Identifier: BSD-2-Clause */
/* How a watch keeps what it accepted; inside the signal layer. */
#ifndef BXS_SIGNAL_RUN_H
#define BXS_SIGNAL_RUN_H

#include "signal/watch.h"

/* The same of what may come from the console, which speaks to one event and may leave its flags open. */
unsigned signal_console_hits(const struct signal_watch *w, uint64_t flags, const struct signal_tag *tag,
			     struct signal_console who);

/* w, which starts at clock w->past, begins with the levels of signal sig that stand, and those told of later. */
void signal_levels_hang(struct signal_port *p, unsigned sig, struct signal_watch *w);
/* Merge levels that are past and equal, drop what has come to nothing. */
void signal_levels_compact(struct signal_port *p);

/* w, new on signal sig, starts with the levels that stand, at the late clocks if it looks at clocks. */
void signal_watch_hung(struct signal_port *p, unsigned sig, struct signal_watch *w);

/* Make room for one more run; false: out of memory. */
bool signal_run_grow(struct signal_watch *w);

static inline bool signal_run_add(struct signal_watch *w, uint64_t from, uint64_t to, int64_t n)
{
	if (w->runs) {
		struct signal_run *last = &w->run[w->runs - 1];

		if (last->from == from && last->to == to && !w->once) {
			last->n += n;
			return true;
		}
	}
	if (w->runs == w->room && !signal_run_grow(w))
		return false;
	w->run[w->runs++] = (struct signal_run){ from, to, n };
	return true;
}

/* The clock that something told at `when` falls into: what is closed is past. */
static inline uint64_t signal_open_clock(const struct signal_port *p, uint64_t when)
{
	uint64_t k = signal_clocks(p->clock, when);

	return k < p->closed ? p->closed : k;
}

/* w has accepted n in each of the clocks from .. to - 1. */
static inline void signal_take(struct signal_port *p, struct signal_watch *w, uint64_t from, uint64_t to,
			int64_t n)
{
	if (signal_watch_adds(w) && to <= p->horizon)
		w->sum += n * (int64_t)(to - from);
	else if (!signal_run_add(w, from, to, n))
		p->broken = true;
}

#endif
