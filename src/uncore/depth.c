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

/* Clock `open`, but none behind `clock`, and none for which the window has no room. */
static uint64_t within_window(uint64_t open, uint64_t clock)
{
	uint64_t least = clock > DEPTH_WINDOW / 2 ? clock - DEPTH_WINDOW / 2 : 0;

	if (open >= clock)
		return clock;
	return open > least ? open : least;
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
	/* What comes next may have been there before, in whatever is still open. */
	if (level == 0)
		clock = within_window(signal_past(p), clock);
	d->base = d->ahead = d->since[0] = d->since[1] = clock;
	d->level = level;
	return true;
}

static bool is(const struct depth *d, unsigned what)
{
	return what ? d->level >= d->full : d->level > 0;
}

/* Of the clocks from .. to - 1: it was told so, or that is forgotten. */
static void mark(uint64_t *told, uint64_t from, uint64_t to, bool so)
{
	for (uint64_t at = from; at < to; at = (at / 64 + 1) * 64) {
		uint64_t *word = &told[at / 64 % (DEPTH_WINDOW / 64)];
		uint64_t past = at / 64 * 64 + 64 > to ? ~bits_low(to % 64) : 0;
		uint64_t here = ~bits_low(at % 64) & ~past;

		*word = so ? *word | here : *word & ~here;
	}
}

static void tell_clocks(const struct depth *d, struct signal_port *p, unsigned what, uint64_t from, uint64_t to)
{
	signal_span(p, d->signal[what], signal_clock_time(p->clock, from), signal_clock_time(p->clock, to), 1,
		    d->flags[what], d->tag);
}

/* The first clock from `at` on, below `end`, that is marked as told (or is not), or end. */
static uint64_t next_marked(const uint64_t *told, uint64_t at, uint64_t end, bool marked)
{
	while (at < end) {
		uint64_t word = told[at / 64 % (DEPTH_WINDOW / 64)] ^ (marked ? 0 : UINT64_MAX);

		word &= ~bits_low(at % 64);
		if (word) {
			at = at / 64 * 64 + (unsigned)__builtin_ctzll(word);
			return at < end ? at : end;
		}
		at = (at / 64 + 1) * 64;
	}
	return end;
}

/* In the clocks from .. to - 1 it is so; a trial told of some of them before. */
static void tell_new(const struct depth *d, struct signal_port *p, unsigned what, uint64_t from, uint64_t to)
{
	const uint64_t *told = d->window->told[what];
	uint64_t tried = d->ahead < to ? d->ahead : to;

	while (from < to) {
		uint64_t first = next_marked(told, from, tried, false);
		uint64_t end = next_marked(told, first, tried, true);

		if (end == tried)
			end = to;
		if (first < end)
			tell_clocks(d, p, what, first, end);
		from = end;
	}
}

/* A sweep for good, or a trial. */
struct sweep {
	struct depth *d;
	struct signal_port *p;
	bool trial;
};

static void tell(const struct sweep *s, unsigned what, uint64_t clock)
{
	struct depth *d = s->d;
	uint64_t from = d->since[what];

	if (d->signal[what] == DEPTH_NONE || from >= clock)
		return;
	if (from < d->ahead)
		tell_new(d, s->p, what, from, clock);
	else
		tell_clocks(d, s->p, what, from, clock);
	if (s->trial)
		mark(d->window->told[what], from, clock, true);
}

static void step(const struct sweep *s, uint64_t clock, int n)
{
	struct depth *d = s->d;
	bool was[2] = { is(d, 0), is(d, 1) };

	d->level += n;
	for (unsigned what = 0; what < 2; what++) {
		if (was[what] && !is(d, what))
			tell(s, what, clock);
		if (!was[what])
			d->since[what] = clock;
	}
}

/* The changes of a word of clocks, of those in `due`. */
static void step_word(const struct sweep *s, uint64_t clock, uint64_t due)
{
	struct depth_window *w = s->d->window;

	for (; due; due &= due - 1) {
		uint64_t k = clock + (unsigned)__builtin_ctzll(due);

		step(s, k, w->delta[k % DEPTH_WINDOW]);
		if (!s->trial)
			w->delta[k % DEPTH_WINDOW] = 0;
	}
}

static void run(const struct sweep *s, uint64_t clock)
{
	struct depth *d = s->d;
	uint64_t end = d->base + DEPTH_WINDOW < clock ? d->base + DEPTH_WINDOW : clock;

	for (uint64_t at = d->base; at < end; at = (at / 64 + 1) * 64) {
		uint64_t *dirty = &d->window->dirty[at / 64 % (DEPTH_WINDOW / 64)];
		uint64_t past = at / 64 * 64 + 64 > end ? ~bits_low(end % 64) : 0;
		uint64_t due = *dirty & ~past & ~bits_low(at % 64);

		if (!s->trial)
			*dirty &= ~due;
		step_word(s, at / 64 * 64, due);
	}
	for (unsigned what = 0; what < 2; what++) {
		if (!is(d, what))
			continue;
		tell(s, what, clock);
		d->since[what] = clock;
	}
}

/* Nothing more comes below this clock. */
static void settle(struct depth *d, struct signal_port *p, uint64_t clock)
{
	const struct sweep s = { .d = d, .p = p };

	if (clock <= d->base)
		return;
	run(&s, clock);
	for (unsigned what = 0; what < 2; what++)
		mark(d->window->told[what], d->base, clock < d->ahead ? clock : d->ahead, false);
	d->base = clock;
}

void depth_sweep(struct depth *d, struct signal_port *p, uint64_t clock)
{
	settle(d, p, within_window(p->late, clock));
	if (clock <= d->base)
		return;

	struct depth trial = *d;
	const struct sweep s = { .d = &trial, .p = p, .trial = true };

	run(&s, clock);
	if (clock > d->ahead)
		d->ahead = clock;
}

void depth_change(struct depth *d, struct signal_port *p, uint64_t clock, int n)
{
	/* Half a window back stays open for who comes late. */
	if (clock >= d->base + DEPTH_WINDOW)
		settle(d, p, clock - DEPTH_WINDOW / 2);
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
