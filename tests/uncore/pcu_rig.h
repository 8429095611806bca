/* SPDX-License-Identifier: BSD-2-Clause */
/* Power control, seen through its signals on a clock of 1 GHz: clocks are nanoseconds. */
#ifndef BXS_TESTS_UNCORE_PCU_RIG_H
#define BXS_TESTS_UNCORE_PCU_RIG_H

#include <stdlib.h>

#include "check.h"
#include "signal/watch.h"
#include "signal_ids.h"
#include "uncore/power/pcu.h"

#define US UINT64_C(1000000)

/* Counts the clocks in which a signal stands with some flags. */
struct counter {
	struct signal_alt alt;
	struct signal_watch watch;
};

static inline void count(struct counter *c, struct signal_port *port, unsigned sig, uint64_t flags)
{
	*c = (struct counter){ .alt = { .care = flags, .want = flags } };
	c->watch.alt = &c->alt;
	c->watch.alts = 1;
	signal_watch_hang(port, sig, &c->watch);
}

static inline void drop(struct counter *c, struct signal_port *port, unsigned sig)
{
	signal_watch_unhang(port, sig, &c->watch);
	free(c->watch.run);
}

/* Microseconds that c counted since the last close. */
static inline uint64_t counted(struct counter *c, struct signal_port *port, uint64_t when)
{
	return (uint64_t)signal_watch_close(port, &c->watch, signal_clocks(port->clock, when)) /
	       1000;
}

#endif
