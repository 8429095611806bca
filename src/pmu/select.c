/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a control to what its counter accepts: event, the subevents it selects (select_rows.c), the
 * conditions of the binding and the filters of the box (select_alts.c).
 */
#include "pmu/select_private.h"

struct pmu_selection pmu_decode(const struct pmu_type *t, uint64_t ctl)
{
	const struct pmu_ctl_layout *l = &t->ctl;
	struct pmu_selection s = {
		.code = (uint32_t)pmu_bits_get(ctl, l->ev_sel),
		.ext = (uint32_t)pmu_bits_get(ctl, l->ev_sel_ext),
		.umask = (uint32_t)pmu_bits_get(ctl, l->umask),
		.threshold = (uint16_t)pmu_bits_get(ctl, l->thresh),
		.invert = pmu_bits_get(ctl, l->invert),
		.edge = pmu_bits_get(ctl, l->edge_det),
		.tid = pmu_bits_get(ctl, l->tid_en),
	};

	if (s.ext && l->ev_sel_alt.width)
		s.code = (uint32_t)pmu_bits_get(ctl, l->ev_sel_alt);
	/* Where there is no threshold to set, an edge is that of being there at all. */
	if (s.edge && l->thresh.width == 0)
		s.threshold = 1;
	if (t->select->decode)
		t->select->decode(t, ctl, &s);
	return s;
}

/* Each row of `rows` is an alternative; those without filters share their tests. */
static void expand_rows(struct select_alts *b, const struct pmu_selection *s,
			const struct cat_cond *cond, uint64_t rows, uint64_t qualifiers,
			uint64_t *set, unsigned sets)
{
	for (unsigned filtered = 0; filtered < 2; filtered++) {
		bool started = false;

		for (unsigned i = 0; i < b->e->umasks; i++) {
			const struct cat_umask *u = select_row(b->e, i);

			if (!(rows >> i & 1) || (u->filters != 0) != filtered)
				continue;
			if (!started || filtered)
				select_start_tests(b, s, qualifiers, u);
			started = true;
			set[sets] = UINT64_C(1) << i;
			select_choose(b, set, sets + 1, cond);
		}
	}
}

/* All alternatives that start with event condition `cond`. */
static void expand(struct select_alts *b, const struct pmu_selection *s, const struct cat_cond *cond)
{
	const uint32_t *groups = b->e->groups;
	uint64_t qualifiers = 0, set[64 + LEN(b->e->groups)];
	unsigned sets = 0;

	for (unsigned i = 0; i < b->e->umasks; i++) {
		if (!(b->rows >> i & 1) || !select_row(b->e, i)->qualifies)
			continue;
		qualifiers |= UINT64_C(1) << i;
		if (b->e->binding == CAT_BIND_SIGNAL)
			set[sets++] = UINT64_C(1) << i;
	}
	if (!groups[0] && (b->rows & ~qualifiers)) {
		expand_rows(b, s, cond, b->rows & ~qualifiers, qualifiers, set, sets);
		return;
	}
	select_start_tests(b, s, qualifiers, NULL);
	for (unsigned g = 0; g < LEN(b->e->groups) && groups[g]; g++)
		set[sets++] = select_rows_within(b->e, b->rows, groups[g]);
	select_choose(b, set, sets, cond);
}

/* One event of several that share a code: its flags follow those of the events before it. */
static void add_member(struct select_alts *b, const struct pmu_selection *s)
{
	static const struct cat_cond always;
	const struct cat_event *e = b->e;
	const struct cat_cond own = { UINT64_C(1) << b->flag0, UINT64_C(1) << b->flag0 };
	bool bound = e->binding == CAT_BIND_SIGNAL;
	uint64_t set[2] = { 0 };
	unsigned sets = e->umasks != 0, i = 0;

	if (!(e->counters >> b->c->bit & 1) ||
	    !pmu_needs_hold(b->box, b->c, e->need0, e->needs))
		return;
	select_start_tests(b, s, 0, NULL);
	if (sets)
		set[0] = select_rows_held(b->box, b->c, e);
	if (sets && e->choose == CAT_CHOOSE_BOTH)
		sets = select_pick_sets(e, set[0], set);
	do {
		const struct cat_cond *cond = bound ? (e->conds ? &cat_conds[e->cond0 + i] : &always) :
					      e->umasks ? &always : &own;

		select_choose(b, set, sets, cond);
	} while (++i < (bound ? e->conds : 0));
}

static unsigned flags_of(const struct cat_event *e)
{
	return e->umasks ? e->umasks : 1;
}

/* All events that share a code with `first`, or up to `last` if that is one of them. */
static unsigned each_member(struct select_alts *b, const struct pmu_selection *s,
			    const struct cat_event *first, const struct cat_event *last)
{
	const struct cat_type *t = &cat_types[first->type];
	const struct cat_event *e = first;
	unsigned flag0 = 0;

	for (; e < &cat_events[t->event0 + t->events] && e != last; e++) {
		if (e->code != first->code || e->ext != first->ext)
			continue;
		if (b) {
			b->e = e;
			b->flag0 = flag0;
			add_member(b, s);
		}
		flag0 += flags_of(e);
	}
	return flag0;
}

/* One event on the signal of a box whose registers say which of them are counted. */
static void add_view(struct select_alts *b, const struct pmu_selection *s)
{
	static const struct cat_cond always;
	const struct cat_event *e = b->e;
	uint64_t rows = select_rows_held(b->box, b->c, e);
	unsigned i = 0;

	if (!(e->counters >> b->c->bit & 1) || !pmu_needs_hold(b->box, b->c, e->need0, e->needs))
		return;
	select_start_tests(b, s, 0, NULL);
	do {
		const struct cat_cond *cond = e->conds ? &cat_conds[e->cond0 + i] : &always;

		if (e->umasks)
			select_choose(b, &rows, 1, cond);
		else
			select_add(b, cond);
	} while (++i < e->conds);
}

/* All events with needs on the signal of e. */
static void each_view(struct select_alts *b, const struct pmu_selection *s, const struct cat_event *e)
{
	const struct cat_type *t = &cat_types[e->type];

	for (b->e = &cat_events[t->event0]; b->e < &cat_events[t->event0 + t->events]; b->e++)
		if (b->e->binding == CAT_BIND_SIGNAL && b->e->signal == e->signal &&
		    (b->e->needs || b->e->umasks))
			add_view(b, s);
}

bool pmu_select(struct box *box, struct counter *c, const struct pmu_selection *s,
		const struct cat_event *e)
{
	static const struct cat_cond always;
	const struct cat_event *first = pmu_group(box->type, e);
	const struct cat_event *head = pmu_signal_head(box->type, e);
	struct select_alts b = { .box = box, .c = c, .e = e };
	bool picks = e->umasks && select_row(e, 0)->kind == CAT_UMASK_PICK;
	uint32_t umask = select_implied(e, s->umask);

	c->watch.alts = 0;
	c->watch.latched = false;
	if (e->umasks && !first) {
		b.rows = picks ? select_rows_held(box, c, e) : select_rows_of_mask(e, umask);
		if (!b.rows)
			return false;
		if (!picks && e->binding != CAT_BIND_SIGNAL)
			b.rows = select_rows_parts(e, b.rows, umask);
	}
	if (first)
		each_member(&b, s, first, NULL);
	else if (head && e->umasks == 0 && e->needs == 0)
		each_view(&b, s, e);
	else if (e->binding == CAT_BIND_SIGNAL && e->conds)
		for (unsigned i = 0; i < e->conds; i++)
			expand(&b, s, &cat_conds[e->cond0 + i]);
	else
		expand(&b, s, &always);
	if (b.full)
		box->socket->pmu->broken = true;
	c->watch.alt = c->alt;
	c->watch.alts = b.alts;
	first = head ? head : first;
	c->watch.event = (uint32_t)((first ? first : e) - cat_events) + 1;
	if (box->type->select->narrow && b.alts)
		box->type->select->narrow(box, c, e);
	return c->watch.alts != 0;
}

bool pmu_mask_selects(const struct cat_event *e, uint32_t umask)
{
	if (e->umasks == 0 || select_row(e, 0)->kind == CAT_UMASK_PICK)
		return true;
	for (unsigned i = 0; i < LEN(e->groups) && e->groups[i]; i++)
		if (!(umask & e->groups[i]))
			return false;
	return select_rows_of_mask(e, select_implied(e, umask)) != 0;
}

/* Does an occurrence with these flags count for the row, as its binding has it? */
static bool row_takes(const struct cat_umask *u, uint64_t flags)
{
	for (unsigned i = 0; i < u->conds; i++)
		if ((flags & cat_conds[u->cond0 + i].care) == cat_conds[u->cond0 + i].want)
			return true;
	return u->conds == 0;
}

/* Flags that make an occurrence count for row i of an event; flag0: the event's own first one, where no signal drives it. */
static uint64_t row_flags(const struct cat_event *e, unsigned i, unsigned flag0, uint64_t flags)
{
	const struct cat_umask *u = select_row(e, i);

	if (e->binding != CAT_BIND_SIGNAL)
		return UINT64_C(1) << (flag0 + i);
	return row_takes(u, flags) ? 0 : cat_conds[u->cond0].want;
}

uint64_t pmu_raise_flags(const struct pmu_type *t, const struct cat_event *e,
			 const struct cat_umask *u)
{
	const struct cat_event *first = pmu_group(t, e);
	bool bound = e->binding == CAT_BIND_SIGNAL;
	unsigned flag0 = first ? each_member(NULL, NULL, first, e) : 0;
	uint64_t flags = bound && e->conds ? cat_conds[e->cond0].want : 0, set[2], open = 0;

	if (first && !u && !bound)
		return bits_low(flags_of(e)) << flag0;
	/* What u says nothing of is left open: any pick of another field would do. */
	if (first && u && e->choose == CAT_CHOOSE_BOTH) {
		unsigned sets = select_pick_sets(e, UINT64_MAX, set);

		for (unsigned k = 0; k < sets; k++)
			if (!(set[k] >> (u - select_row(e, 0)) & 1))
				open |= set[k];
	}
	if (u)
		flags |= row_flags(e, (unsigned)(u - select_row(e, 0)), flag0, flags);
	for (unsigned i = 0; i < e->umasks; i++) {
		open |= (uint64_t)(first && !u) << i;
		if (u && (u->within >> i & 1))
			open |= UINT64_C(1) << i;
		/* A group that u says nothing of is left open: any of its bits would do. */
		for (unsigned g = 0; u && g < LEN(e->groups); g++)
			if ((select_row(e, i)->umask & e->groups[g]) && !(u->umask & e->groups[g]))
				open |= UINT64_C(1) << i;
		if (open >> i & 1)
			flags |= row_flags(e, i, flag0, flags);
	}
	return flags;
}
