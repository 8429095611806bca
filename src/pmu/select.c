/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a control to what its counter accepts: event, the subevents its mask selects, the
 * conditions of the binding, the filters of the box.
 *
 * How a mask selects subevents:
 *   - an exact encoding that is listed selects that subevent;
 *   - else every OR-able bit in it selects its subevent, and each is an alternative;
 *   - exact encodings that are a mask after all may be ORed as well: when, but for bits that all
 *     rows share, each bit that a row uses is a row of its own (HA requests, CAS counts, cache
 *     look-ups, which all share bit 0);
 *   - what selects nothing counts nothing.
 * An event without subevents ignores the mask; so do picks that stand beside masks, which only name
 * values for filters.  What is special stands in struct pmu_masks.
 */
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"

static const struct pmu_masks plain = { .code = CAT_ABSENT };

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
	if (t->hooks->decode)
		t->hooks->decode(t, ctl, &s);
	return s;
}

static const struct pmu_masks *masks_of(const struct pmu_type *t, const struct cat_event *e)
{
	for (const struct pmu_masks *m = t->hooks->masks; m && m->code != CAT_ABSENT; m++)
		if (m->code == e->code && m->ext == e->ext)
			return m;
	return &plain;
}

bool pmu_once(const struct pmu_type *t, const struct cat_event *e)
{
	return masks_of(t, e)->once;
}

static const struct cat_umask *row(const struct cat_event *e, unsigned i)
{
	return &cat_umasks[e->umask0 + i];
}

/* Is the rest of some row exactly `bit`? */
static bool row_is(const struct cat_event *e, uint32_t shared, uint32_t bit)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if ((row(e, i)->umask & ~shared) == bit)
			return true;
	return false;
}

/*
 * The bits that all rows of an event share, when its exact encodings are a mask after all;
 * otherwise CAT_ABSENT.
 */
static uint32_t shared_bits(const struct cat_event *e)
{
	uint32_t shared = UINT32_MAX, all = 0;

	for (unsigned i = 0; i < e->umasks; i++) {
		shared &= row(e, i)->umask;
		all |= row(e, i)->umask;
		if (row(e, i)->kind != CAT_UMASK_EXACT)
			return CAT_ABSENT;
	}
	if (e->umasks < 2 || row_is(e, shared, 0))
		return CAT_ABSENT;
	for (uint32_t left = all & ~shared; left; left &= left - 1)
		if (!row_is(e, shared, left & -left))
			return CAT_ABSENT;
	return shared;
}

/* Rows that say that a selection counts nothing. */
static bool is_nothing(const struct cat_umask *u)
{
	return strncmp(cat_str(u->name), "NONE", 4) == 0 ||
	       strncmp(cat_str(u->name), "ILLEGAL", 7) == 0;
}

/* The rows that mask `umask` selects, as bits. */
static uint64_t selected_rows(const struct cat_event *e, const struct pmu_masks *m, uint32_t umask)
{
	uint32_t shared = shared_bits(e);
	uint64_t rows = 0;

	if (strstr(cat_str(e->keys), "mask=ignored"))
		return bits_low(e->umasks);
	for (unsigned i = 0; i < e->umasks; i++)
		if (row(e, i)->kind == CAT_UMASK_EXACT && row(e, i)->umask == umask)
			return is_nothing(row(e, i)) ? 0 : UINT64_C(1) << i;
	if ((umask & m->alone) && umask != m->alone)
		return 0;
	if (shared != CAT_ABSENT && (umask & shared) != shared)
		return 0;
	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = row(e, i);
		uint32_t rest = shared == CAT_ABSENT ? u->umask : u->umask & ~shared;
		bool single = (rest & (rest - 1)) == 0;

		if ((umask & u->umask) != u->umask || u->kind == CAT_UMASK_PICK)
			continue;
		if (u->kind == CAT_UMASK_EXACT ? shared != CAT_ABSENT && single :
						 !(umask & u->zero))
			rows |= UINT64_C(1) << i;
	}
	return rows;
}

/* The subevents that need no mask but what the registers of the box now hold, as bits. */
static uint64_t picked_rows(const struct box *b, const struct counter *c, const struct cat_event *e)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < e->umasks; i++)
		if (row(e, i)->kind == CAT_UMASK_PICK && !is_nothing(row(e, i)) &&
		    pmu_needs_hold(b, c, row(e, i)->need0, row(e, i)->needs))
			rows |= UINT64_C(1) << i;
	return rows;
}

/* The alternatives under construction. */
struct build {
	struct box *box;
	struct counter *c;
	const struct cat_event *e;
	const struct pmu_masks *masks;
	uint64_t rows;			/* selected */
	unsigned alts, tests;
	unsigned flag0;			/* the flag of row 0 */
	unsigned test0, test_end;	/* of the alternatives that are being added */
	bool full;
};

static bool add_test(struct build *b, const struct signal_test *t)
{
	if (b->tests == PMU_TESTS) {
		b->full = true;
		return false;
	}
	b->c->test[b->tests++] = *t;
	return true;
}

static unsigned tag_id(const char *name)
{
	static const char *const names[SIGNAL_TAGS] = {
		[SIGNAL_TAG_ADDR] = "addr", [SIGNAL_TAG_OPC] = "opc", [SIGNAL_TAG_NID] = "nid",
		[SIGNAL_TAG_TID] = "tid", [SIGNAL_TAG_STATE] = "state", [SIGNAL_TAG_LINK] = "link",
		[SIGNAL_TAG_NC] = "nc", [SIGNAL_TAG_ISOC] = "isoc", [SIGNAL_TAG_C6] = "c6",
		[SIGNAL_TAG_FREQ] = "freq",
	};
	unsigned i = 0;

	while (i < SIGNAL_TAGS && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* The slot in the box of element 0 of a register of its type. */
static uint32_t slot_of(const struct box *b, uint32_t reg)
{
	return b->slot0 + b->type->reg_slot[reg - b->type->cat->reg0];
}

/* The test that a filter field makes with the value it holds now. */
static void add_filter(struct build *b, uint32_t reg, uint32_t field)
{
	const struct cat_field *f = &cat_fields[field];
	uint64_t value = bits_get(b->box->socket->value[slot_of(b->box, reg)], f->hi, f->lo);
	unsigned tag = tag_id(cat_str(f->tag));
	struct signal_test t = { .tag = (uint8_t)tag, .value = value, .mask = UINT64_MAX };

	if (f->match == CAT_MATCH_NONE) {
		if (b->box->type->hooks->filter && b->box->type->hooks->filter(f, value, &t))
			add_test(b, &t);
		return;
	}
	if (tag == SIGNAL_TAGS)
		return;
	switch (f->match) {
	case CAT_MATCH_EQ:
		t.kind = SIGNAL_TEST_EQ;
		break;
	case CAT_MATCH_BITS:
		t.kind = SIGNAL_TEST_BIT;
		break;
	case CAT_MATCH_ANY:
		t.kind = SIGNAL_TEST_ANY;
		break;
	case CAT_MATCH_FLAG:
		if (!value)
			return;
		t.kind = SIGNAL_TEST_ANY;
		t.value = UINT64_MAX;
		break;
	default:
		t = (struct signal_test){
			.kind = SIGNAL_TEST_GE, .tag = (uint8_t)tag, .shift = f->lo,
			.mask = bits_low(f->hi - f->lo + 1u), .latch = &b->box->latch,
		};
		b->c->watch.latched = true;
		break;
	}
	add_test(b, &t);
}

static void add_filters(struct build *b, unsigned filter0, unsigned filters)
{
	for (unsigned i = filter0; i < filter0 + filters; i++)
		add_filter(b, cat_filters[i].reg, cat_filters[i].field);
}

/* Both conditions, or false: they exclude each other. */
static bool both(const struct cat_cond *a, const struct cat_cond *b, struct cat_cond *out)
{
	if ((a->want ^ b->want) & a->care & b->care)
		return false;
	*out = (struct cat_cond){ a->care | b->care, a->want | b->want };
	return true;
}

/* One more alternative; single flags with the same tests share one. */
static void add_alt(struct build *b, const struct cat_cond *cond)
{
	struct signal_alt alt = { .care = cond->care, .want = cond->want,
				  .test = &b->c->test[b->test0], .tests = b->test_end - b->test0 };
	struct signal_alt *last = b->alts ? &b->c->alt[b->alts - 1] : NULL;
	bool single = cond->care == cond->want && cond->care && !(cond->care & (cond->care - 1));

	if (single) {
		alt.any = alt.care;
		alt.care = alt.want = 0;
	}
	if (single && last && last->any && last->test == alt.test && last->tests == alt.tests) {
		last->any |= alt.any;
		return;
	}
	if (b->alts == PMU_ALTS) {
		b->full = true;
		return;
	}
	b->c->alt[b->alts++] = alt;
}

/*
 * The conditions of one row: those of the binding, or for an event that no signal
 * drives the flag that stands for the row in the console (pmu_raise_flags).
 */
static unsigned row_conds(const struct build *b, unsigned i, const struct cat_cond **out,
			  struct cat_cond *own)
{
	static const struct cat_cond always;
	const struct cat_umask *u = row(b->e, i);

	if (b->e->binding == CAT_BIND_SIGNAL && u->conds) {
		*out = &cat_conds[u->cond0];
		return u->conds;
	}
	if (b->e->binding == CAT_BIND_SIGNAL) {
		*out = &always;
	} else {
		uint64_t flag = UINT64_C(1) << (b->flag0 + i);

		*own = (struct cat_cond){ flag, flag };
		*out = own;
	}
	return 1;
}

/*
 * Rows that must all hold, one of each set: walk all choices.  set[depth] are the rows of
 * one set; cond is what the sets before it asked for.
 */
static void choose(struct build *b, const uint64_t *set, unsigned sets, const struct cat_cond *cond)
{
	if (sets == 0) {
		add_alt(b, cond);
		return;
	}
	for (unsigned i = 0; i < b->e->umasks; i++) {
		const struct cat_cond *c;
		struct cat_cond own, next;
		unsigned conds;

		if (!(set[0] >> i & 1))
			continue;
		conds = row_conds(b, i, &c, &own);
		for (unsigned k = 0; k < conds; k++)
			if (both(cond, &c[k], &next))
				choose(b, set + 1, sets - 1, &next);
	}
}

static uint64_t rows_of_mask(const struct cat_event *e, uint64_t rows, uint32_t mask)
{
	uint64_t got = 0;

	for (unsigned i = 0; i < e->umasks; i++)
		if ((rows >> i & 1) && (row(e, i)->umask & mask) == row(e, i)->umask)
			got |= UINT64_C(1) << i;
	return got;
}

/* The tests of all alternatives to come: event, thread filter, qualifiers, one row. */
static void start_tests(struct build *b, const struct pmu_selection *s, uint64_t qualifiers,
			const struct cat_umask *u)
{
	const struct pmu_type *t = b->box->type;

	b->test0 = b->tests;
	add_filters(b, b->e->filter0, b->e->filters);
	if (s->tid && t->tid_reg != CAT_ABSENT)
		add_filter(b, t->tid_reg, t->tid_field);
	for (unsigned i = 0; i < b->e->umasks; i++)
		if (qualifiers >> i & 1)
			add_filters(b, row(b->e, i)->filter0, row(b->e, i)->filters);
	if (u)
		add_filters(b, u->filter0, u->filters);
	b->test_end = b->tests;
}

/* Each row of `rows` is an alternative; those without filters share their tests. */
static void expand_rows(struct build *b, const struct pmu_selection *s, const struct cat_cond *cond,
			uint64_t rows, uint64_t qualifiers, uint64_t *set, unsigned sets)
{
	for (unsigned filtered = 0; filtered < 2; filtered++) {
		bool started = false;

		for (unsigned i = 0; i < b->e->umasks; i++) {
			const struct cat_umask *u = row(b->e, i);

			if (!(rows >> i & 1) || (u->filters != 0) != filtered)
				continue;
			if (!started || filtered)
				start_tests(b, s, qualifiers, u);
			started = true;
			set[sets] = UINT64_C(1) << i;
			choose(b, set, sets + 1, cond);
		}
	}
}

/* All alternatives that start with event condition `cond`. */
static void expand(struct build *b, const struct pmu_selection *s, const struct cat_cond *cond)
{
	const struct pmu_masks *m = b->masks;
	uint64_t qualifiers = 0, set[64 + LEN(m->groups)];
	unsigned sets = 0;

	for (unsigned i = 0; i < b->e->umasks; i++) {
		if (!(b->rows >> i & 1) || !(row(b->e, i)->umask & m->qualifiers))
			continue;
		qualifiers |= UINT64_C(1) << i;
		if (b->e->binding == CAT_BIND_SIGNAL)
			set[sets++] = UINT64_C(1) << i;
	}
	if (!m->groups[0] && (b->rows & ~qualifiers)) {
		expand_rows(b, s, cond, b->rows & ~qualifiers, qualifiers, set, sets);
		return;
	}
	start_tests(b, s, qualifiers, NULL);
	for (unsigned g = 0; g < LEN(m->groups) && m->groups[g]; g++)
		set[sets++] = rows_of_mask(b->e, b->rows, m->groups[g]);
	choose(b, set, sets, cond);
}

/* Rows whose console occurrences a selection with this mask takes as well: parts of it. */
static uint64_t parts(const struct cat_event *e, const struct pmu_masks *m, uint64_t rows,
		      uint32_t umask)
{
	bool orable = shared_bits(e) != CAT_ABSENT;

	for (unsigned i = 0; i < e->umasks; i++)
		orable |= row(e, i)->kind == CAT_UMASK_BIT;
	if (!orable || m->groups[0] || m->alone)
		return rows;
	for (unsigned i = 0; i < e->umasks; i++)
		if (!(row(e, i)->umask & ~umask) && !(row(e, i)->umask & m->qualifiers) &&
		    (row(e, i)->kind == CAT_UMASK_BIT || row(e, i)->kind == CAT_UMASK_EXACT))
			rows |= UINT64_C(1) << i;
	return rows;
}

/* What the picks of different fields say must hold together: one set of rows for each field. */
static unsigned pick_sets(const struct cat_event *e, uint64_t rows, uint64_t *set)
{
	uint16_t field[2] = { 0 };
	unsigned sets = 0;

	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = row(e, i);
		unsigned s = 0;

		if (u->kind != CAT_UMASK_PICK || u->needs == 0)
			continue;
		while (s < sets && field[s] != cat_needs[u->need0].field)
			s++;
		if (s == LEN(field))
			continue;
		if (s == sets) {
			field[sets] = cat_needs[u->need0].field;
			set[sets++] = 0;
		}
		if (rows >> i & 1)
			set[s] |= UINT64_C(1) << i;
	}
	return sets;
}

/* One event of several that share a code: its flags follow those of the events before it. */
static void add_member(struct build *b, const struct pmu_selection *s)
{
	static const struct cat_cond always;
	const struct cat_event *e = b->e;
	uint64_t set[2];

	if (!(e->counters >> b->c->bit & 1) ||
	    !pmu_needs_hold(b->box, b->c, e->need0, e->needs))
		return;
	start_tests(b, s, 0, NULL);
	if (e->umasks == 0) {
		const struct cat_cond own = { UINT64_C(1) << b->flag0, UINT64_C(1) << b->flag0 };

		add_alt(b, &own);
		return;
	}
	set[0] = picked_rows(b->box, b->c, e);
	if (strstr(cat_str(e->keys), "choose=both"))
		choose(b, set, pick_sets(e, set[0], set), &always);
	else
		choose(b, set, 1, &always);
}

static unsigned flags_of(const struct cat_event *e)
{
	return e->umasks ? e->umasks : 1;
}

/* All events that share a code with `first`, or up to `last` if that is one of them. */
static unsigned each_member(struct build *b, const struct pmu_selection *s,
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
static void add_view(struct build *b, const struct pmu_selection *s)
{
	static const struct cat_cond always;
	const struct cat_event *e = b->e;
	uint64_t rows = picked_rows(b->box, b->c, e);
	unsigned i = 0;

	if (!(e->counters >> b->c->bit & 1) || !pmu_needs_hold(b->box, b->c, e->need0, e->needs))
		return;
	start_tests(b, s, 0, NULL);
	do {
		const struct cat_cond *cond = e->conds ? &cat_conds[e->cond0 + i] : &always;

		if (e->umasks)
			choose(b, &rows, 1, cond);
		else
			add_alt(b, cond);
	} while (++i < e->conds);
}

/* All events with needs on the signal of e. */
static void each_view(struct build *b, const struct pmu_selection *s, const struct cat_event *e)
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
	struct build b = { .box = box, .c = c, .e = e, .masks = masks_of(box->type, e) };
	bool picks = e->umasks && row(e, 0)->kind == CAT_UMASK_PICK;

	c->watch.alts = 0;
	c->watch.latched = false;
	if (e->umasks && !first) {
		b.rows = picks ? picked_rows(box, c, e) : selected_rows(e, b.masks, s->umask);
		if (!b.rows)
			return false;
		if (!picks && e->binding != CAT_BIND_SIGNAL)
			b.rows = parts(e, b.masks, b.rows, s->umask);
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
	if (box->type->hooks->narrow && b.alts)
		box->type->hooks->narrow(box, c, e);
	return c->watch.alts != 0;
}

uint64_t pmu_raise_flags(const struct pmu_type *t, const struct cat_event *e,
			 const struct cat_umask *u)
{
	const struct pmu_masks *m = masks_of(t, e);
	const struct cat_event *first = pmu_group(t, e);
	bool bound = e->binding == CAT_BIND_SIGNAL;
	unsigned flag0 = first ? each_member(NULL, NULL, first, e) : 0;
	uint64_t flags = 0, set[2];

	if (first && !u)
		return bits_low(flags_of(e)) << flag0;
	/* What u says nothing of is left open: any pick of another field would do. */
	if (first && strstr(cat_str(e->keys), "choose=both")) {
		unsigned sets = pick_sets(e, UINT64_MAX, set);

		for (unsigned k = 0; k < sets; k++)
			if (!(set[k] >> (u - row(e, 0)) & 1))
				flags |= set[k] << flag0;
	}

	if (bound && e->conds)
		flags |= cat_conds[e->cond0].want;
	for (unsigned i = 0; i < e->umasks; i++) {
		bool open = row(e, i) == u ||
			    (t->hooks->widens && t->hooks->widens(e, u, row(e, i)));

		/* A group that u says nothing of is left open: any of its bits would do. */
		for (unsigned g = 0; g < LEN(m->groups); g++)
			open |= (row(e, i)->umask & m->groups[g]) && !(u->umask & m->groups[g]);
		if (open && !bound)
			flags |= UINT64_C(1) << (flag0 + i);
		else if (open && row(e, i)->conds)
			flags |= cat_conds[row(e, i)->cond0].want;
	}
	return flags;
}
