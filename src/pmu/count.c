/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes counters count: binding controls to signals, closing time, overflow, freeze. */
#include <stdlib.h>
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"

/* With less than this to go, a counter that may freeze its socket is followed clock by clock. */
#define PMU_NEAR (UINT64_C(1) << 40)

/* Far enough from a clock's origin to move the origin, in picoseconds. */
#define PMU_SETTLE UINT64_C(4000000000)

static void unbind(struct box *b, struct counter *c)
{
	if (c->hung)
		signal_watch_unhang(b->outlet, c->sig, &c->watch);
	if (c->live)
		b->lives--;
	c->hung = c->live = false;
	c->watch.level = 0;
	c->watch.event = 0;
	c->watch.once = false;
	c->watch.chain = (struct chain){ 0 };
	c->sum = (struct pmu_sum){ 0 };
}

static void make_live(struct box *b, struct counter *c)
{
	c->live = true;
	b->lives++;
}

/* Every clock of the box counts one, through the chain. */
static void bind_clock(struct box *b, struct counter *c)
{
	c->watch.level = 1;
	make_live(b, c);
}

static void bind_event(struct box *b, struct counter *c, const struct pmu_selection *s,
		       const struct cat_event *e)
{
	const struct cat_event *first = pmu_group(b->type, e);

	if (!pmu_select(b, c, s, e))
		return;
	c->sig = first ? first->signal : e->signal;
	c->rest = 0;
	if (b->type->hooks->sum && b->type->hooks->sum(b, c, e, &c->sum) &&
	    c->sum.slot != PMU_NO_SLOT)
		c->rest = pmu_bits_get(b->socket->value[c->sum.slot], c->sum.rest);
	signal_watch_hang(b->outlet, c->sig, &c->watch);
	c->hung = true;
	make_live(b, c);
}

static bool enabled(const struct box *b, const struct counter *c)
{
	const struct pmu_ctl_layout *l =
		c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;

	/* What is known beside the counters does not depend on whether they run. */
	if (b->outlet == &b->port && b->type->hooks->runs && !b->type->hooks->runs(b, c))
		return false;
	/* A control without the bit is always on. */
	return l->en.width == 0 || pmu_bits_get(b->socket->value[c->ctl], l->en);
}

static const struct cat_event *selected(const struct box *b, const struct counter *c,
					const struct pmu_selection *s)
{
	return cat_event_of_code(b->type->cat, s->code, s->ext, UINT32_C(1) << c->bit);
}

/* Events that share a code have each their own needs; see pmu_group(). */
static bool unmet(const struct box *b, const struct counter *c, const struct cat_event *e)
{
	return pmu_group(b->type, e) == NULL && !pmu_needs_hold(b, c, e->need0, e->needs);
}

/* COUNTER0_OCCUPANCY: what the box's counter 0 counts, before its chain. */
static void bind_counter0(struct box *b, struct counter *c)
{
	const struct counter *first = b->counter;
	struct pmu_selection s;
	const struct cat_event *e;

	while (first->kind != COUNTER_PROGRAMMED || first->number != 0)
		first++;
	if (!enabled(b, first))
		return;
	s = pmu_decode(b->type, b->socket->value[first->ctl]);
	e = selected(b, first, &s);
	if (e && e->binding == CAT_BIND_CLOCK)
		bind_clock(b, c);
	else if (e && e->binding != CAT_BIND_COUNTER0)
		bind_event(b, c, &s, e);
}

static void bind_programmed(struct box *b, struct counter *c)
{
	struct pmu_selection s = pmu_decode(b->type, b->socket->value[c->ctl]);
	const struct cat_event *e = selected(b, c, &s);

	if (!e)
		return;
	c->watch.chain = (struct chain){ .threshold = s.threshold, .invert = s.invert,
					 .edge = s.edge };
	c->watch.once = pmu_once(b->type, e);
	if (unmet(b, c, e)) {
		if (b->type->hooks->clocks_unmet)
			bind_clock(b, c);
	} else if (e->binding == CAT_BIND_CLOCK)
		bind_clock(b, c);
	else if (e->binding == CAT_BIND_COUNTER0)
		bind_counter0(b, c);
	else
		bind_event(b, c, &s, e);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static void bind_free(struct box *b, struct counter *c)
{
	const struct cat_reg *r = &cat_regs[b->socket->pmu->by_slot[c->ctr].reg];

	for (const struct pmu_free *f = b->type->hooks->free; f && f->reg; f++) {
		const struct cat_event *e;
		struct pmu_selection s;

		if (!ends_with(cat_str(r->name), f->reg))
			continue;
		e = cat_find_event(b->type->cat, f->event, strlen(f->event));
		if (!e)
			return;
		s = (struct pmu_selection){ .code = e->code, .ext = e->ext, .umask = f->umask };
		c->watch.chain = (struct chain){ .threshold = f->threshold };
		if (e->binding == CAT_BIND_CLOCK)
			bind_clock(b, c);
		else
			bind_event(b, c, &s, e);
		return;
	}
}

void pmu_bind(struct box *b, struct counter *c)
{
	const uint64_t *value = b->socket->value;

	unbind(b, c);
	if (c->kind == COUNTER_FREE) {
		c->enabled = true;
		bind_free(b, c);
		return;
	}

	const struct pmu_ctl_layout *l =
		c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;

	c->enabled = enabled(b, c);
	c->held = pmu_bits_get(value[c->ctl], l->rst);
	c->ov_en = pmu_bits_get(value[c->ctl], l->ov_en);
	if (!c->enabled)
		return;
	if (c->kind == COUNTER_FIXED)
		bind_clock(b, c);
	else
		bind_programmed(b, c);
}

void pmu_bind_all(struct box *b)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		pmu_bind(b, &b->counter[i]);
}

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
	bool told = b->type->hooks->overflowed || (c->ov_en && c->message_bit != PMU_NO_BIT);

	return told && c->kind != COUNTER_FREE && counting(c, frozen || b->frozen) && room(c) <= PMU_NEAR;
}

void pmu_arm(struct socket *s)
{
	const struct pmu *p = s->pmu;
	bool armed = false;

	for (unsigned i = 0; i < p->boxes && !armed; i++) {
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

	for (unsigned i = 0; i < p->boxes; i++) {
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

void pmu_interrupt_push(struct pmu *p, const struct pmu_interrupt *one)
{
	if (p->interrupts == p->interrupt_room) {
		unsigned more = p->interrupt_room ? 2 * p->interrupt_room : 8;
		struct pmu_interrupt *grown = realloc(p->interrupt, more * sizeof *grown);

		if (!grown) {
			p->broken = true;
			return;
		}
		p->interrupt = grown;
		p->interrupt_room = more;
	}
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

	if (b->type->hooks->overflowed) {
		b->type->hooks->overflowed(b, c, when);
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

static void show_live(struct box *b, const struct counter *c)
{
	uint64_t *shown = &b->socket->value[c->sum.slot], mask = pmu_bits_mask(c->sum.live);

	*shown = (*shown & ~mask) | ((uint64_t)c->watch.level << c->sum.live.lo & mask);
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
			show_live(b, c);
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
	for (unsigned i = 0; i < s->pmu->boxes; i++) {
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

		for (unsigned i = 0; i < s->pmu->boxes; i++)
			s->box[i].stood = s->box[i].frozen;
		to = s->armed ? next_freeze(s, when) : when;
		for (unsigned i = 0; i < s->pmu->boxes; i++)
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
