/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500: telling the counters of both threads what happened on one of them.  The
 * circumstances travel as flags; each counter's control asks for the flags it wants.
 */
#include <string.h>

#include "pmu/poulson_core.h"

static uint64_t flags_of(const struct core_thread *t)
{
	const uint64_t *psr = t->psr;

	return UINT64_C(1) << psr[DOOR_CPL_] | (psr[DOOR_VM_] ? FLAG_VM : 0) |
	       (psr[DOOR_UP_] ? FLAG_UP : 0) | (psr[DOOR_PP_] ? FLAG_PP : 0) |
	       (psr[DOOR_HALTED_] ? FLAG_HALTED : 0);
}

static unsigned signal_of(const struct core_thread *t, const struct core_event *e)
{
	return cat_events[t->box->type->cat->event0 + e->index - 1u].signal;
}

/* 4.1.2: what nobody owns is charged to the thread that has the pipeline; that of the back end. */
static struct core_thread *charged(struct core_thread *t, const struct core_event *e)
{
	bool active = t->psr[DOOR_FG_] & 2;

	return e->mt == 'C' && !active && t->other && (t->other->psr[DOOR_FG_] & 2) ? t->other : t;
}

/*
 * 4.1.2: what only the thread in front can do, of the front end for codes that the front end
 * collects (4.1.3).  The state of the thread in the background is of type A as well.
 */
static bool can(const struct core_thread *t, uint32_t code, const struct core_event *e)
{
	uint64_t need = code >> 10 == 2 ? 1 : 2;

	return e->mt != 'A' || (t->psr[DOOR_FG_] & need) || (code >= EV_BGND && code < EV_BGND + 6);
}

static bool passes(const struct core_event *e, const struct core_tags *tags)
{
	if (!tags)
		return true;
	if (e->some && tags->free)
		return tags->range[0];
	switch (e->narrow) {
	case NARROW_RANGE:
		return tags->range[e->prefetch ? 1 : 0];
	case NARROW_TAG:
		return tags->tag[0];
	case NARROW_DATA:
		return e->ring ? tags->ring : tags->data;
	default:
		return true;
	}
}

/*
 * When the counters see it: in IP-EAR mode as late as the hardware (3.3.12.3).  What is told retires P cycles after
 * the event; L cycles after the event the counter has it: that is the end of the clock before.
 */
static uint64_t seen(const struct core_thread *t, const struct core_event *e)
{
	uint64_t now = core_now(t), clock = core_clock(t);

	if (!core_ipear_on(t) || e->late <= 1)
		return now;
	return signal_clock_time(t->box->port.clock, clock + (uint64_t)e->late - 1);
}

static void tell(struct core_thread *t, uint32_t code, uint64_t n, uint64_t clocks,
		 const struct core_tags *tags);

/*
 * 4.2.21: switches of a thread out of the pipeline are its own reasons and those for which the other came in.
 */
static void tell_sum(struct core_thread *t, const struct core_event *e, uint64_t n, uint64_t clocks)
{
	t = e->sum_other ? t->other : t;
	if (e->sum && t)
		tell(t, e->sum, n, clocks, NULL);
}

static void tell(struct core_thread *t, uint32_t code, uint64_t n, uint64_t clocks,
		 const struct core_tags *tags)
{
	const struct core_event *e = &t->event[code % EV_CODES];
	uint64_t when, end, flags;
	unsigned sig;

	if (!e->index || n == 0 || !passes(e, tags) || !can(t, code, e))
		return;
	tell_sum(t, e, n, clocks);
	t = charged(t, e);
	when = seen(t, e);
	end = signal_clock_time(t->box->port.clock,
				signal_clocks(t->box->port.clock, when) + clocks);
	flags = flags_of(t);
	sig = signal_of(t, e);
	signal_span(&t->box->port, sig, when, end, n, flags, NULL);
	if (t->other)
		signal_span(&t->other->box->port, sig, when, end, n, flags | FLAG_OTHER, NULL);
}

void core_count(struct core_thread *t, uint32_t code, uint64_t n, const struct core_tags *tags)
{
	tell(t, code, n, 1, tags);
}

void core_count_span(struct core_thread *t, uint32_t code, uint64_t n, uint64_t clocks,
		     const struct core_tags *tags)
{
	tell(t, code, n, clocks, tags);
}

/* A level in the ports of both threads. */
static void stand(struct core_thread *t, const struct core_level *l, int64_t sign)
{
	const struct core_event *e = &t->event[l->code];
	uint64_t now = core_now(t);
	unsigned sig = signal_of(t, e);

	signal_level(&t->box->port, sig, now, sign * l->n, t->told_flags, NULL);
	if (t->other)
		signal_level(&t->other->box->port, sig, now, sign * l->n,
			     t->told_flags | FLAG_OTHER, NULL);
}

void core_levels_down(struct core_thread *t)
{
	for (unsigned i = 0; i < t->tolds; i++)
		stand(t, &t->told[i], -1);
	t->tolds = 0;
}

static void add(struct core_thread *t, uint32_t code, int64_t n)
{
	const struct core_event *e = &t->event[code];

	if (n && t->tolds < LEVELS + OWN_LEVELS && e->index && can(t, code, e))
		t->told[t->tolds++] = (struct core_level){ (uint16_t)code, n };
}

/*
 * 3.3.13: the state of the thread in the background, while the one in front is in a state that
 * the control selects.
 */
static uint32_t background_code(const struct core_thread *t)
{
	const uint64_t *front = t->other ? t->other->psr : NULL;
	uint64_t ctl = *t->pmc[PMC_BEMT_CTL];

	if (!front || t->psr[DOOR_FG_] & 2 || !(front[DOOR_FG_] & 2) ||
	    !(ctl >> front[DOOR_PRIO_] & 1) || !(ctl >> (3 + front[DOOR_EXEC_]) & 1))
		return 0;
	return (uint32_t)(EV_BGND + 2 * (2 - t->psr[DOOR_PRIO_]) + (t->psr[DOOR_EXEC_] != 2));
}

void core_levels_up(struct core_thread *t)
{
	bool back = t->psr[DOOR_FG_] & 2, front = t->psr[DOOR_FG_] & 1;

	for (unsigned i = 0; i < t->levels; i++)
		add(t, t->level[i].code, t->level[i].n);
	add(t, EV_CPU_OP_CYCLES, back);
	add(t, EV_CYCLES_HALTED, t->psr[DOOR_HALTED_] != 0);
	add(t, EV_CYCLES_TAGGED, back && t->tagging);
	add(t, EV_FE_CYCLES, front);
	add(t, EV_SAME_THREAD, back && front);
	if (background_code(t))
		add(t, background_code(t), 1);
	t->told_flags = flags_of(t);
	for (unsigned i = 0; i < t->tolds; i++)
		stand(t, &t->told[i], 1);
}

/* 3.3.15: PMV lets it through, the thread takes interrupts, and TPR does not hold it back. */
void core_interrupt(struct core_thread *t)
{
	const uint64_t *psr = t->psr;
	uint64_t vector = bits_get(psr[DOOR_PMV_], 7, 0);
	bool masked = bits_get(psr[DOOR_PMV_], 16, 16) || bits_get(psr[DOOR_TPR_], 16, 16) ||
		      vector >> 4 <= bits_get(psr[DOOR_TPR_], 7, 4);
	struct pmu_interrupt one = { .socket = t->box->socket->number, .thread = t->box->index,
				     .vector = (uint8_t)vector, .when = t->box->socket->pmu->now };

	if (!t->line || masked || vector < 16 || !psr[DOOR_I_] || !psr[DOOR_IC_])
		return;
	t->line = false;
	pmu_interrupt_push(t->box->socket->pmu, &one);
}
