/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: the core's registers, what their controls select and when they may be read. */
#include <stdlib.h>
#include <string.h>

#include "pmu/poulson.h"
#include "pmu/poulson_core.h"

/* 3.3.2 and 4.1.5: a code is es << 4 | umask, and a count must exceed the threshold. */
void core_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s)
{
	(void)t;
	(void)ctl;
	s->code = s->code << 4 | s->umask;
	s->umask = 0;
	if (s->threshold)
		s->threshold++;
}

/*
 * 3.3.1: the monitor's enable, as what the flags of an occurrence must be.  No privilege level
 * at all means off.
 */
void core_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t ctl = b->socket->value[c->ctl], vm = bits_get(ctl, 34, 33);
	struct signal_alt *a = &c->alt[0];

	(void)e;
	*a = (struct signal_alt){ .any = bits_get(ctl, 3, 0) };
	a->care = a->want = bits_get(ctl, 6, 6) ? FLAG_PP : FLAG_UP;
	if (vm == 1 || vm == 2) {
		a->care |= FLAG_VM;
		a->want |= vm == 2 ? FLAG_VM : 0;
	}
	if (!bits_get(ctl, 32, 32))
		a->care |= FLAG_HALTED;
	if (!bits_get(ctl, 35, 35))
		a->care |= FLAG_OTHER;
	c->watch.alts = a->any ? 1 : 0;
}

bool core_allows(const struct core_thread *t, uint64_t cfg)
{
	const uint64_t *psr = t->psr;
	uint64_t vm = bits_get(cfg, 34, 33);

	return cfg >> psr[DOOR_CPL_] & 1 && (vm == 0 || vm >> psr[DOOR_VM_] & 1) &&
	       psr[bits_get(cfg, 6, 6) ? DOOR_PP_ : DOOR_UP_];
}

static uint8_t narrowing_of(uint8_t looks, uint8_t some)
{
	if (looks & CAT_SCOPE_DAR)
		return NARROW_DATA;
	if (!(looks & ~some & CAT_SCOPE_IAR))
		return NARROW_NONE;
	return looks & ~some & CAT_SCOPE_OPC ? NARROW_TAG : NARROW_RANGE;
}

static struct core_event *events_new(const struct cat_type *type)
{
	struct core_event *list = calloc(EV_CODES, sizeof *list);

	for (unsigned i = 0; list && i < type->events; i++) {
		const struct cat_event *e = &cat_events[type->event0 + i];
		struct core_event *one = &list[e->code % EV_CODES];

		if (one->index)
			continue;	/* a second name for the same code */
		*one = (struct core_event){
			.sum = e->within == CAT_NONE ? 0 : (uint16_t)cat_events[e->within].code,
			.sum_other = e->within_other, .index = (uint16_t)(i + 1),
			.narrow = narrowing_of(e->looks, e->looks_some), .mt = e->mt,
			.prefetch = e->by & CAT_BY_PREFETCH, .some = e->looks_some != 0,
			.ring = e->by & CAT_BY_RING, .late = e->late,
		};
	}
	return list;
}

/* Where the values of the registers lie, by their numbers. */
static void find_registers(struct core_thread *t)
{
	const struct pmu *p = t->box->socket->pmu;

	for (uint32_t s = t->box->slot0; s < t->box->slot0 + t->box->type->slots; s++) {
		uint64_t key = p->by_slot[s].key;
		uint32_t number = (uint32_t)key;
		uint64_t *value = &t->box->socket->value[s];

		if (key >> 60 == CAT_PMC && number < PMC_COUNT)
			t->pmc[number] = value;
		else if (key >> 60 == CAT_PMD && number < PMD_COUNT)
			t->pmd[number] = value;
	}
}

int core_init(struct box *b)
{
	struct core_thread *t = calloc(1, sizeof *t);

	b->own = t;
	if (!t)
		return BXS_ENOMEM;
	t->box = b;
	t->event = b->index ? core_of(b - b->index)->event : events_new(b->type->cat);
	if (!t->event)
		return BXS_ENOMEM;
	find_registers(t);
	if (b->index % 2) {
		t->other = core_of(b - 1);
		t->other->other = t;
	}
	return 0;
}

void core_release(struct box *b)
{
	struct core_thread *t = core_of(b);

	if (b->index == 0)
		free(t->event);
	free(t);
	b->own = NULL;
}

/* Out of reset: a thread of an operating system that lets itself be watched, thread 0 in front. */
void core_restart(struct box *b)
{
	struct core_thread *t = core_of(b);
	struct door d;

	core_levels_down(t);
	door_start(&d, "thread");
	memcpy(t->psr, d.v, sizeof t->psr);
	t->psr[DOOR_FG_] = b->index % 2 ? 0 : 3;
	t->line = t->tagging = false;
	t->busy = t->reasons_until = t->stops_until = 0;
	t->bundle = (struct core_bundle){ .some = false };
	t->skip = 0;
	t->random = 1;
	t->etb = (struct etb){ .pending = false };
	t->levels = 0;
	core_levels_up(t);
}

static bool is_pmd(const struct box *b, uint32_t slot, uint32_t first, uint32_t last)
{
	uint64_t key = b->socket->pmu->by_slot[slot].key;

	return key >> 60 == CAT_PMD && (uint32_t)key >= first && (uint32_t)key <= last;
}

/*
 * Table 3-6: a privileged monitor reads 0 for a thread without privilege.  So do all while PSR.sp
 * is set (Itanium Architecture manual, volume 2, 7.2).
 */
uint64_t core_shown(struct box *b, uint32_t slot, uint64_t value)
{
	struct core_thread *t = core_of(b);
	uint32_t number = (uint32_t)b->socket->pmu->by_slot[slot].key;

	if (!is_pmd(b, slot, 0, PMD_COUNT))
		return value;
	if (number >= PMD_ETB_BUFIDX) {
		core_etb_settle(t);
		core_ipear_settle(t);
		value = b->socket->value[slot];
	}
	if (t->psr[DOOR_CPL_] == 0)
		return value;
	if (t->psr[DOOR_SP_] || (number < PMC_IEAR_CFG && bits_get(*t->pmc[number], 6, 6)))
		return 0;
	return value;
}

/* 3.3.9, 3.3.12.1: captures are good only while the monitors are frozen, IP-EAR's once it is over. */
bool core_undefined(const struct box *b, uint32_t slot)
{
	struct core_thread *t = core_of(b);

	if (is_pmd(b, slot, PMD_IEAR_STAT, PMD_DEAR_IADDR))
		return !core_frozen(t);
	if (!is_pmd(b, slot, PMD_ETB_BUFIDX, PMD_COUNT))
		return false;
	core_ipear_settle(t);
	return !core_frozen(t) || (core_ipear_on(t) && !t->etb.stopped);
}

/*
 * 3.3.4: the bit of the counter, and with oi the freeze.  Further counters may overflow at the
 * end of the same clock: one freeze, one interrupt.
 */
void core_overflowed(struct box *b, struct counter *c, uint64_t when)
{
	struct core_thread *t = core_of(b);

	*t->pmc[PMC_STATUS] |= UINT64_C(1) << c->status_bit;
	if (!c->ov_en || b->frozen)
		return;
	*t->pmc[PMC_STATUS] |= 1;
	b->frozen = true;
	core_etb_settle(t);
	core_ipear_freeze(t, signal_clocks(b->port.clock, when));
	t->line = true;
	core_interrupt(t);
	poulson_thread_overflow(b->socket, b->index / 2, b->index % 2, when);
}

void core_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	struct core_thread *t = core_of(b);
	const uint64_t *value = &b->socket->value[slot];

	(void)old;
	(void)written;
	if (value == t->pmc[PMC_STATUS]) {
		core_ipear_settle(t);
		b->frozen = *value & 1;
		if (!core_frozen(t))
			t->etb.stopping = t->etb.stopped = false;
		else if (!t->etb.stopping)
			core_ipear_freeze(t, core_clock(t));
	} else if (value == t->pmc[PMC_BEMT_CTL]) {
		core_levels_down(t);
		core_levels_up(t);
	}
}

void core_uncore_froze(struct box *b)
{
	core_count(core_of(b), EV_UNCORE_FREEZE, 1, NULL);
}

/* The console: what an event without circumstances would be, on the thread as it is. */
int core_raise(struct box *b, const struct cat_event *e, const struct cat_umask *u, bool level, uint64_t n)
{
	(void)u;
	struct core_thread *t = core_of(b);
	unsigned i = 0;

	if (!level) {
		core_count(t, e->code, n, NULL);
		return 0;
	}
	while (i < t->levels && t->level[i].code != e->code)
		i++;
	if (i == LEVELS)
		return BXS_ENOMEM;
	core_levels_down(t);
	t->level[i] = (struct core_level){ (uint16_t)e->code, (int64_t)n };
	if (i == t->levels)
		t->levels++;
	if (n == 0)
		t->level[i] = t->level[--t->levels];
	core_levels_up(t);
	return 0;
}
