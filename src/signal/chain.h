/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conditioning chain of a counter's control, clock by clock but for a whole run of
 * equal clocks at once.
 *
 *	raw --> threshold --> invert --> edge --> increment
 *
 * raw is how often the event happened in a clock; an occupancy event may report more
 * than one.  Threshold 0 takes the whole chain out: the counter adds raw, and invert
 * and edge do nothing (HSX uncore manual, section 1.4: both follow the comparison and
 * need a threshold that is not zero).
 */
#ifndef BXS_SIGNAL_CHAIN_H
#define BXS_SIGNAL_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

struct chain {
	uint16_t threshold;
	bool invert, edge;
	bool high;		/* the condition held in the last clock */
};

/* What a counter adds in `clocks` clocks that each have the raw increment `raw`. */
static inline int64_t chain_run(struct chain *c, int64_t raw, uint64_t clocks)
{
	if (clocks == 0)
		return 0;
	if (c->threshold == 0)
		return raw * (int64_t)clocks;

	bool high = (raw >= c->threshold) != c->invert;
	bool rose = high && !c->high;

	c->high = high;
	if (c->edge)
		return rose;
	return high ? (int64_t)clocks : 0;
}

/* One clock. */
static inline int64_t chain_step(struct chain *c, int64_t raw)
{
	return chain_run(c, raw, 1);
}

#endif
