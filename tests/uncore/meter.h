/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters on the signals of one box, for tests and benchmarks: no PMU, only watches. */
#ifndef BXS_TESTS_METER_H
#define BXS_TESTS_METER_H

#include <stdlib.h>

#include "signal/watch.h"

enum { METER_MAX = 64 };

struct meter {
	struct signal_clock clock;
	struct signal_port port;
	struct signal_watch watch[METER_MAX];
	struct signal_alt alt[METER_MAX];
	unsigned sig[METER_MAX], n;
	int64_t sum[METER_MAX];
};

static inline void meter_init(struct meter *m, uint32_t khz, unsigned signals)
{
	memset(m, 0, sizeof *m);
	signal_clock_init(&m->clock, khz);
	if (signal_port_init(&m->port, signals, &m->clock) < 0)
		abort();
}

/* Count the occurrences of sig that have all of `flags`.  Returns the counter's number. */
static inline unsigned meter_add(struct meter *m, unsigned sig, uint64_t flags)
{
	unsigned i = m->n++;

	m->alt[i] = (struct signal_alt){ .care = flags, .want = flags };
	m->watch[i].alt = &m->alt[i];
	m->watch[i].alts = 1;
	m->sig[i] = sig;
	signal_watch_hang(&m->port, sig, &m->watch[i]);
	return i;
}

/* Close all clocks that are complete at `when`. */
static inline void meter_close(struct meter *m, uint64_t when)
{
	uint64_t clock = signal_clocks(&m->clock, when);

	for (unsigned i = 0; i < m->n; i++)
		m->sum[i] += signal_watch_close(&m->port, &m->watch[i], clock);
	signal_port_close(&m->port, clock);
}

static inline void meter_free(struct meter *m)
{
	for (unsigned i = 0; i < m->n; i++)
		signal_watch_free(&m->watch[i]);
	signal_port_free(&m->port);
}

#endif
