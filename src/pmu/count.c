/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters as time passes: what they add, overflow, freeze, interrupts; the clocks. */
#include <string.h>

#include "base/array.h"
#include "catalog/find.h"
#include "pmu/engine.h"

/* With no more than this to go, a counter that may freeze its socket is followed clock by clock. */
#define PMU_NEAR (UINT64_C(1) << 40)

/* Far enough from a clock's origin to move the origin, in picoseconds. */
#define PMU_SETTLE UINT64_C(4000000000)

/* Does what the counter sees change its value?  frozen: its box, or everything. */
static bool counting(const struct counter *c, bool frozen)
{
	if (c->kind == COUNTER_FREE)
		return true;
	return c->live && !c->held && !frozen;
}

static uint64_t room(const struct counter *c)
{
	return bits_low(c->width) - c->value + 1;
}

/* The same in occurrences. */
static uint64_t room_raw(const struct counter *c)
{
	return (room(c) << c->sum.bits) - c->rest;
}

/* Nobody is told of what runs free. */
static bool may_freeze(const struct box *b, const struct counter *c, bool frozen)
{
	bool told = b->type->count->overflowed || (c->ov_en && c->message_bit != PMU_NO_BIT);

	return told && c->kind != COUNTER_FREE && counting(c, frozen || b->frozen) && room(c) <= PMU_NEAR;
}

void pmu_arm(struct socket *s)
{
	const struct pmu *p = s->pmu;
	bool armed = false;

	for (unsigned i = 0; i < p->told && !armed; i++) {
		const struct box *b = &s->box[i];

		for (unsigned c = 0; b->lives && c < b->type->counters && !armed; c++)
			armed = may_freeze(b, &b->counter[c], s->frozen);
	}
	if (armed != s->armed) {
		s->armed = armed;
		pmu_set_horizon(s);
	}
}

void pmu_set_horizon(struct socket *s)
{
	const struct pmu *p = s->pmu;

	for (unsigned i = 0; i < p->told; i++) {
		s->box[i].port.exact = s->armed;
		signal_port_horizon(&s->box[i].port, s->armed ? 0 : p->horizon);
	}
}

bool pmu_exact(const struct pmu *p)
{
	for (unsigned i = 0; i < p->sockets; i++)
		if (p->socket[i].armed)
			return true;
	return false;
}

void pmu_horizon(struct pmu *p, uint64_t when)
{
	p->horizon = when;
	for (unsigned i = 0; i < p->sockets; i++)
		pmu_set_horizon(&p->socket[i]);
}

void pmu_late(struct pmu *p, uint64_t when)
{
	for (unsigned i = 0; i < p->sockets; i++)
		for (unsigned b = 0; b < p->told; b++)
			signal_port_late(&p->socket[i].box[b].port, when);
}

void pmu_interrupt_push(struct pmu *p, const struct pmu_interrupt *one)
{
	struct pmu_interrupt *more = array_grow(p->interrupt, p->interrupts, &p->interrupt_room, sizeof *more);

	if (!more) {
		p->broken = true;
		return;
	}
	p->interrupt = more;
	p->interrupt[p->interrupts++] = *one;
}

static void interrupt(struct socket *s, uint64_t when)
{
	struct pmu *p = s->pmu;
	const struct cat_reg *r = &cat_regs[p->by_slot[p->global_ctl].reg];
	const struct cat_field *cores = cat_reg_field(r, "pmi_core_sel");
	const struct cat_field *wake = cat_reg_field(r, "wk_on_pmi");
	uint64_t ctl = s->value[p->global_ctl];
	struct pmu_interrupt one = {
		.when = when, .socket = s->number,
		.cores = cores ? bits_get(ctl, cores->hi, cores->lo) : 0,
		.wake = wake && bits_get(ctl, wake->hi, wake->lo),
	};

	if (one.cores)
		pmu_interrupt_push(p, &one);
}

/*
 * A box tells of an overflow.  Only what was not yet recorded, in the box and here, freezes
 * and interrupts: both bits must have been cleared since the last time.
 */
static void message(struct socket *s, const struct counter *c, bool recorded, uint64_t when)
{
	uint32_t status = s->pmu->global_status;
	uint64_t bit = UINT64_C(1) << c->message_bit;

	if (status == PMU_NO_SLOT)
		return;
	recorded |= (s->value[status] & bit) != 0;
	s->value[status] |= bit;
	if (recorded || s->frozen)
		return;
	s->frozen = true;
	interrupt(s, when);
}

static void overflow(struct box *b, struct counter *c, uint64_t when)
{
	struct socket *s = b->socket;
	bool recorded = false;

	if (b->type->count->overflowed) {
		b->type->count->overflowed(b, c, when);
		return;
	}
	if (c->status_bit != PMU_NO_BIT && b->type->status_slot != PMU_NO_SLOT) {
		uint64_t *status = &s->value[b->slot0 + b->type->status_slot];
		uint64_t bit = UINT64_C(1) << c->status_bit;

		recorded = (*status & bit) != 0;
		*status |= bit;
	}
	if (c->ov_en && c->message_bit != PMU_NO_BIT)
		message(s, c, recorded, when);
}

/* Occurrences go into the sum; its overflows are what is counted. */
static int64_t through_sum(struct box *b, struct counter *c, int64_t more)
{
	uint64_t total = c->rest + (uint64_t)more;

	c->rest = total & bits_low(c->sum.bits);
	if (c->sum.slot != PMU_NO_SLOT) {
		uint64_t *shown = &b->socket->value[c->sum.slot];

		*shown = (*shown & ~pmu_bits_mask(c->sum.rest)) | c->rest << c->sum.rest.lo;
	}
	return (int64_t)(total >> c->sum.bits);
}

static void show_live(struct box *b, const struct counter *c, uint64_t at)
{
	uint64_t *shown = &b->socket->value[c->sum.slot], mask = pmu_bits_mask(c->sum.live);

	*shown = (*shown & ~mask) | ((uint64_t)signal_watch_level(&c->watch, at) << c->sum.live.lo & mask);
}

static void count(struct box *b, struct counter *c, int64_t more, uint64_t when)
{
	if (c->sum.bits)
		more = through_sum(b, c, more);

	bool carry = more > 0 && c->width < 64 && (uint64_t)more >= room(c);

	c->value = (c->value + (uint64_t)more) & bits_low(c->width);
	if (carry)
		overflow(b, c, when);
}

/* Count all clocks that are over at `when`; frozen: the global freeze until then.  A box that
 * an overflow stops stands from the end of the last of them on. */
static void box_close(struct box *b, uint64_t when, bool frozen)
{
	uint64_t to = signal_clocks(b->port.clock, when);

	frozen |= b->stood;
	if (to <= b->port.closed)
		return;
	for (unsigned i = 0; b->lives && i < b->type->counters; i++) {
		struct counter *c = &b->counter[i];
		int64_t more;

		if (!c->live)
			continue;
		more = signal_watch_close(&b->port, &c->watch, to);
		if (c->sum.bits && c->sum.slot != PMU_NO_SLOT)
			show_live(b, c, to);
		if (more && counting(c, frozen))
			count(b, c, more, when);
	}
	if (b->truth)
		pmu_truth_close_clocks(b, to);
	signal_port_close(&b->port, to);
	if (b->port.broken) {
		b->port.broken = false;
		b->socket->pmu->broken = true;
	}
}

/* The first moment, not after `when`, at which a clock with a freezing overflow is over. */
static uint64_t next_freeze(struct socket *s, uint64_t when)
{
	for (unsigned i = 0; i < s->pmu->told; i++) {
		struct box *b = &s->box[i];

		for (unsigned n = 0; b->lives && n < b->type->counters; n++) {
			struct counter *c = &b->counter[n];
			uint64_t k, t;

			if (!may_freeze(b, c, s->frozen))
				continue;
			k = signal_watch_reach(&b->port, &c->watch,
					       signal_clocks(b->port.clock, when), room_raw(c));
			t = k == SIGNAL_EVER ? when : signal_clock_time(b->port.clock, k);
			if (t < when)
				when = t;
		}
	}
	return when;
}

static void socket_close(struct socket *s, uint64_t when)
{
	uint64_t to;

	do {
		bool frozen = s->frozen;

		for (unsigned i = 0; i < s->pmu->told; i++)
			s->box[i].stood = s->box[i].frozen;
		to = s->armed ? next_freeze(s, when) : when;
		for (unsigned i = 0; i < s->pmu->told; i++)
			box_close(&s->box[i], to, frozen);
		pmu_arm(s);
	} while (to < when);
	for (unsigned i = 0; i < s->pmu->family->clocks; i++)
		if (when - s->clock[i].t0 > PMU_SETTLE)
			signal_clock_settle(&s->clock[i], when);
}

int pmu_close(struct pmu *p, uint64_t when)
{
	if (when > p->now) {
		for (unsigned i = 0; i < p->sockets; i++)
			socket_close(&p->socket[i], when);
		p->now = when;
	}
	if (!p->broken)
		return 0;
	p->broken = false;
	return BXS_ENOMEM;
}

uint64_t pmu_now(const struct pmu *p)
{
	return p->now;
}

unsigned pmu_pending(const struct pmu *p)
{
	return p->interrupts;
}

bool pmu_take(struct pmu *p, struct pmu_interrupt *out)
{
	if (p->interrupts == 0)
		return false;
	*out = p->interrupt[0];
	p->interrupts--;
	memmove(p->interrupt, p->interrupt + 1, p->interrupts * sizeof *p->interrupt);
	return true;
}

static struct signal_clock *find_clock(const struct pmu *p, unsigned socket, const char *name)
{
	if (socket >= p->sockets)
		return NULL;
	for (unsigned i = 0; i < p->family->clocks; i++)
		if (strcmp(cat_str(cat_clocks[p->family->clock0 + i].name), name) == 0)
			return &p->socket[socket].clock[i];
	return NULL;
}

const struct signal_clock *pmu_clock(const struct pmu *p, unsigned socket, const char *name)
{
	return find_clock(p, socket, name);
}

int pmu_clock_change(struct pmu *p, unsigned socket, const char *name, uint64_t when, uint32_t khz)
{
	struct signal_clock *c = find_clock(p, socket, name);

	if (!c)
		return BXS_ENOENT;
	if (khz == 0 || when < p->now)
		return BXS_EINVAL;
	signal_clock_change(c, when, khz);
	pmu_set_horizon(&p->socket[socket]);
	return 0;
}
