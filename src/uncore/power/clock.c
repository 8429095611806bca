/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power control: frequencies of cores.  Every tick the limits are looked at anew:
 *
 *	operating system	what it asks for
 *	current			the turbo table, by how many cores are not deeper than C1
 *	power			the highest step that keeps to the budget, if cores are as busy as they
 *				were in the tick before
 *	heat			the least frequency while a sensor says so; acts at once
 *
 * The least of them is the limit; of equals the first here.  A change to a higher frequency
 * waits for its voltage, one to a lower frequency is followed by it.  While a clock locks, the cores stand
 * still.  A ring with a clock of its own goes through each change with them, and ends at the frequency it had.
 */
#include "uncore/power/inside.h"

#include "base/bits.h"

static const uint64_t limit_flag[PCU_LIMITS] = {
	[PCU_BY_OS] = PCU_LIMIT_OS, [PCU_BY_CURRENT] = PCU_LIMIT_CURRENT, [PCU_BY_POWER] = PCU_LIMIT_POWER,
	[PCU_BY_HEAT] = PCU_LIMIT_THERMAL,
};

static const struct { unsigned sig; uint64_t flag; } words[PCU_CONDITIONS] = {
	[PCU_HOT] = { SIG_PCU_PROCHOT, PCU_PROCHOT_INTERNAL },
	[PCU_OUTSIDE_HOT] = { SIG_PCU_PROCHOT, PCU_PROCHOT_EXTERNAL },
	[PCU_REGULATOR_HOT] = { SIG_PCU_VR_HOT, 0 },
};

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void pcu_clock_init(struct pcu *p)
{
	p->khz = p->config.rest_khz;
	p->tick = p->config.turbo ? PCU_TICK : UINT64_MAX;
	for (unsigned i = 0; i < PCU_CONDITIONS; i++)
		p->spell[i].edge = UINT64_MAX;
	for (unsigned i = 0; i < p->sockets; i++) {
		struct pcu_socket *s = &p->socket[i];

		s->khz = s->next_khz = p->config.core_khz;
		for (unsigned t = 0; t < PCU_TIMERS; t++)
			s->timer[t] = UINT64_MAX;
	}
}

void pcu_clock_port(struct pcu *p, struct pcu_socket *s)
{
	pcu_level(s, SIG_PCU_LIMIT, 0, 1, limit_flag[s->limit]);
	pcu_uncore_port(p, s);
}

void pcu_clock_before(struct pcu_socket *s, uint64_t when)
{
	if (when <= s->busy_since)
		return;
	s->busy += s->at[PCU_RUNNING] * (when - s->busy_since);
	s->busy_since = when;
}

/* The highest step at which the budget lasts, with `busy` core-picoseconds in a tick. */
static uint32_t affordable(const struct pcu_config *c, uint64_t busy)
{
	uint32_t khz = c->most_khz[0];

	for (; khz > c->least_khz; khz -= PCU_STEP_KHZ) {
		bits_u128 cube = (bits_u128)khz * khz / c->base_khz * khz / c->base_khz;
		uint64_t cores = (uint64_t)(cube * c->each / c->base_khz * busy / PCU_TICK);

		if (c->fixed + cores <= PCU_BUDGET)
			return khz;
	}
	return c->least_khz;
}

static bool hot(const struct pcu *p)
{
	for (unsigned i = 0; i < PCU_CONDITIONS; i++)
		if (p->spell[i].on)
			return p->config.least_khz != 0;
	return false;
}

static enum pcu_limit find_limit(const struct pcu *p, const struct pcu_socket *s, uint32_t *khz)
{
	const struct pcu_config *c = &p->config;
	uint32_t most[PCU_LIMITS] = { c->core_khz, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	unsigned awake = s->at[PCU_RUNNING] + s->at[PCU_C1];
	enum pcu_limit limit = PCU_BY_OS;

	if (c->turbo) {
		most[PCU_BY_CURRENT] = c->most_khz[awake ? awake - 1 : 0];
		most[PCU_BY_POWER] = affordable(c, s->busy);
	}
	if (hot(p))
		most[PCU_BY_HEAT] = c->least_khz;
	for (unsigned i = 0; i < PCU_LIMITS; i++)
		if (most[i] < most[limit])
			limit = (enum pcu_limit)i;
	*khz = most[limit];
	return limit;
}

static void tell_ramp(struct pcu_socket *s, uint64_t when, int delta)
{
	pcu_level(s, SIG_PCU_VOLT_CHANGE, when, delta,
		  s->rising ? PCU_VOLT_CHANGE_UP : PCU_VOLT_CHANGE_DOWN);
}

static void ramp(struct pcu_socket *s, uint64_t when, bool up)
{
	bool under_way = s->timer[PCU_AT_VOLTAGE] != UINT64_MAX;

	if (under_way && s->rising != up)
		tell_ramp(s, when, -1);
	if (!under_way || s->rising != up) {
		s->rising = up;
		tell_ramp(s, when, 1);
	}
	s->timer[PCU_AT_VOLTAGE] = when + PCU_RAMP;
}

/* The clock of the cores changes now. */
static void switch_cores(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	static const struct signal_tag no_tag;
	bool falls = s->next_khz < s->khz;

	s->timer[PCU_AT_SWITCH] = UINT64_MAX;
	pcu_lock(p, s, when);
	s->khz = s->next_khz;
	if (s->port)
		signal_pulse(s->port, SIG_PCU_PSTATE, when, 1, 0, &no_tag);
	if (falls)
		ramp(s, when + PCU_RELOCK, false);
	pcu_uncore_follow(p, when);
	if (s->port && !p->config.uncore_with_cores)
		signal_pulse(s->port, SIG_PCU_RING_SAME, when, 1, 0, &no_tag);
	if (p->config.core)
		p->config.core(p->config.ctx, (unsigned)(s - p->socket), when, s->khz);
}

void pcu_clock_core(struct pcu *p, unsigned core, uint64_t when)
{
	static const uint64_t flag[] = { PCU_CORE_CLOCK_TURBO, PCU_CORE_CLOCK_HOT, PCU_CORE_CLOCK_OUTSIDE };
	struct pcu_socket *s = &p->socket[core / p->cores];
	struct pcu_cpu *c = &p->core[core];
	bool runs = c->depth == PCU_RUNNING, hot = s->limit == PCU_BY_HEAT;
	unsigned is = (runs && s->khz > p->config.base_khz) | (runs && hot && p->spell[PCU_HOT].on) << 1 |
		      (runs && hot && p->spell[PCU_OUTSIDE_HOT].on) << 2;

	for (unsigned i = 0; i < LEN(flag); i++)
		if ((is ^ c->clock) >> i & 1)
			pcu_level(s, SIG_PCU_CORE_CLOCK, when, is >> i & 1 ? 1 : -1,
				  flag[i] | PCU_CORE_CLOCK_CORE0 << core % p->cores);
	c->clock = (uint8_t)is;
}

void pcu_clock_socket(const struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	static const struct { unsigned sig; uint64_t flag; } told[] = {
		{ SIG_PCU_SLOWED, PCU_SLOWED_HOT }, { SIG_PCU_SLOWED, PCU_SLOWED_OUTSIDE },
		{ SIG_PCU_BEST, PCU_BEST_ASKED }, { SIG_PCU_BEST, PCU_BEST_IS },
	};
	const struct pcu_config *c = &p->config;
	bool hot = s->limit == PCU_BY_HEAT, runs = s->at[PCU_RUNNING] > 0, fast = c->core_khz >= c->base_khz;
	unsigned is = (hot && p->spell[PCU_HOT].on) | (hot && p->spell[PCU_OUTSIDE_HOT].on) << 1 | (runs && fast) << 2 |
		      (runs && fast && s->khz == c->core_khz) << 3;

	for (unsigned i = 0; i < LEN(told); i++)
		if ((is ^ s->clock) >> i & 1)
			pcu_level(s, told[i].sig, when, is >> i & 1 ? 1 : -1, told[i].flag);
	s->clock = (uint8_t)is;
}

static void tell_cores(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	unsigned first = (unsigned)(s - p->socket) * p->cores;

	pcu_clock_socket(p, s, when);

	for (unsigned i = 0; i < p->cores; i++)
		pcu_clock_core(p, first + i, when);
}

/* The clock that a change waits to switch to is not wanted any more. */
static void give_up(struct pcu_socket *s, uint64_t when)
{
	static const struct signal_tag no_tag;

	if (s->port && s->timer[PCU_AT_SWITCH] != UINT64_MAX)
		signal_pulse(s->port, SIG_PCU_ABORT, when, 1, 0, &no_tag);
	s->timer[PCU_AT_SWITCH] = UINT64_MAX;
}

static void govern(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	uint32_t khz;
	enum pcu_limit limit = find_limit(p, s, &khz);

	if (limit != s->limit) {
		pcu_level(s, SIG_PCU_LIMIT, when, -1, limit_flag[s->limit]);
		pcu_level(s, SIG_PCU_LIMIT, when, 1, limit_flag[limit]);
		s->limit = limit;
		s->limited[limit]++;
	}
	if (khz == s->next_khz)
		return;
	s->next_khz = khz;
	give_up(s, when);
	if (khz == s->khz)
		return;
	if (khz < s->khz) {
		switch_cores(p, s, when);
		return;
	}
	ramp(s, when, true);
	s->timer[PCU_AT_SWITCH] = when + PCU_RAMP;
}

static void tick(struct pcu *p)
{
	uint64_t when = p->tick;

	for (unsigned i = 0; i < p->sockets; i++) {
		pcu_clock_before(&p->socket[i], when);
		govern(p, &p->socket[i], when);
		tell_cores(p, &p->socket[i], when);
		p->socket[i].busy = 0;
	}
	p->tick += PCU_TICK;
}

void pcu_expect(struct pcu *p, enum pcu_condition condition, uint64_t from, uint64_t length, uint64_t period)
{
	struct pcu_spell *w = &p->spell[condition], before = *w;

	*w = (struct pcu_spell){ .edge = from, .length = length, .period = period, .on = before.on, .begun = before.begun };
	if (before.on && from <= before.edge) {
		w->edge = from + length;
	} else if (before.on) {
		w->edge = before.edge;
		w->then = from;
	}
}

struct pcu_cause pcu_cause(const struct pcu *p, unsigned socket, unsigned cause)
{
	const struct pcu_socket *s = &p->socket[socket];
	enum pcu_limit limit = cause == PCU_SLOW_POWER ? PCU_BY_POWER : PCU_BY_CURRENT;

	if (cause < PCU_CONDITIONS)
		return (struct pcu_cause){ p->spell[cause].on, p->spell[cause].begun };
	return (struct pcu_cause){ s->limit == limit, s->limited[limit] };
}

/* A sensor speaks, or is silent again. */
static void turn(struct pcu *p, unsigned condition)
{
	struct pcu_spell *w = &p->spell[condition];
	uint64_t when = w->edge;

	w->on = !w->on;
	w->begun += w->on;
	if (w->on)
		w->edge = when + w->length;
	else
		w->edge = w->then ? w->then : w->period ? when + w->period - w->length : UINT64_MAX;
	w->then = 0;
	for (unsigned i = 0; i < p->sockets; i++) {
		pcu_level(&p->socket[i], words[condition].sig, when, w->on ? 1 : -1, words[condition].flag);
		pcu_clock_before(&p->socket[i], when);
		govern(p, &p->socket[i], when);
		tell_cores(p, &p->socket[i], when);
	}
}

uint64_t pcu_clock_next(const struct pcu *p)
{
	uint64_t next = earlier(p->tick, p->io_until ? p->io_until : UINT64_MAX);

	for (unsigned i = 0; i < PCU_CONDITIONS; i++)
		next = earlier(next, p->spell[i].edge);
	for (unsigned i = 0; i < p->sockets; i++)
		for (unsigned t = 0; t < PCU_TIMERS; t++)
			next = earlier(next, p->socket[i].timer[t]);
	return next;
}

static bool step_socket(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	if (s->timer[PCU_AT_LOCKED] == when) {
		pcu_locked(p, s, when);
	} else if (s->timer[PCU_AT_VOLTAGE] == when) {
		s->timer[PCU_AT_VOLTAGE] = UINT64_MAX;
		tell_ramp(s, when, -1);
	} else if (s->timer[PCU_AT_SWITCH] == when) {
		switch_cores(p, s, when);
		tell_cores(p, s, when);
	} else {
		return false;
	}
	return true;
}

void pcu_clock_step(struct pcu *p)
{
	uint64_t when = pcu_clock_next(p);

	for (unsigned i = 0; i < p->sockets; i++)
		if (step_socket(p, &p->socket[i], when))
			return;
	for (unsigned i = 0; i < PCU_CONDITIONS; i++)
		if (p->spell[i].edge == when) {
			turn(p, i);
			return;
		}
	if (p->io_until == when)
		pcu_io_ends(p);
	else
		tick(p);
}
