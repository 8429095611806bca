/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps the depth of a queue: spans in which it is not empty, or full. */
#include "uncore/depth.h"

#include <stdlib.h>
#include <string.h>

void depth_free(struct depth *d)
{
	free(d->window);
	d->window = NULL;
}

bool depth_start(struct depth *d, struct signal_port *p, uint64_t clock, int level)
{
	if (!d->window)
		d->window = malloc(sizeof *d->window);
	if (!d->window) {
		p->broken = true;
		return false;
	}
	memset(d->window, 0, sizeof *d->window);
	d->base = d->since[0] = d->since[1] = clock;
	d->level = level;
	return true;
}

static bool is(const struct depth *d, unsigned what)
{
	return what ? d->level >= d->full : d->level > 0;
}

static void tell(struct depth *d, struct signal_port *p, unsigned what, uint64_t clock)
{
	uint64_t from = d->since[what];

	if (d->signal[what] == DEPTH_NONE || from >= clock)
		return;
	signal_state(p, d->signal[what], signal_clock_time(p->clock, from),
		     signal_clock_time(p->clock, clock), d->flags[what], d->tag);
}

static void step(struct depth *d, struct signal_port *p, uint64_t clock, int n)
{
	bool was[2] = { is(d, 0), is(d, 1) };

	d->level += n;
	for (unsigned what = 0; what < 2; what++) {
		if (was[what] && !is(d, what))
			tell(d, p, what, clock);
		if (!was[what])
			d->since[what] = clock;
	}
}

void depth_sweep(struct depth *d, struct signal_port *p, uint64_t clock)
{
	uint64_t end = d->base + DEPTH_WINDOW < clock ? d->base + DEPTH_WINDOW : clock;

	for (uint64_t at = d->base; at < end; at = (at / 64 + 1) * 64) {
		unsigned word = at / 64 % (DEPTH_WINDOW / 64);
		uint64_t past = at / 64 * 64 + 64 > end ? ~bits_low(end % 64) : 0;
		uint64_t due = d->window->dirty[word] & ~past & ~bits_low(at % 64);

		d->window->dirty[word] &= ~due;
		for (; due; due &= due - 1) {
			uint64_t k = at / 64 * 64 + (unsigned)__builtin_ctzll(due);

			step(d, p, k, d->window->delta[k % DEPTH_WINDOW]);
			d->window->delta[k % DEPTH_WINDOW] = 0;
		}
	}
	if (clock <= d->base)
		return;
	d->base = clock;
	for (unsigned what = 0; what < 2; what++) {
		if (!is(d, what))
			continue;
		tell(d, p, what, clock);
		d->since[what] = clock;
	}
}

void depth_change(struct depth *d, struct signal_port *p, uint64_t clock, int n)
{
	/* Half a window back stays open for who comes late. */
	if (clock >= d->base + DEPTH_WINDOW)
		depth_sweep(d, p, clock - DEPTH_WINDOW / 2);
	if (clock < d->base)
		clock = d->base;
	int16_t *delta = &d->window->delta[clock % DEPTH_WINDOW];

	*delta = (int16_t)(*delta + n);
	d->window->dirty[clock / 64 % (DEPTH_WINDOW / 64)] |= UINT64_C(1) << clock % 64;
}

void depth_tell_stay(struct depth *d, struct signal_port *p, uint64_t from, uint64_t to)
{
	uint64_t clock = signal_clocks(p->clock, from);

	if (from >= to || !depth_listen(d, p, clock, 0))
		return;
	depth_change(d, p, clock, 1);
	depth_change(d, p, signal_clocks(p->clock, to), -1);
}
