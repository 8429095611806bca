/* SPDX-License-Identifier: BSD-2-Clause */
/* The alternatives of a selection: the conditions of the binding, and the tests of the box's filters. */
#include "pmu/select_private.h"

static bool add_test(struct select_alts *b, const struct signal_test *t)
{
	if (b->tests == PMU_TESTS) {
		b->full = true;
		return false;
	}
	b->c->test[b->tests++] = *t;
	return true;
}

_Static_assert(CAT_TAG_FREQ - CAT_TAG_ADDR == SIGNAL_TAG_FREQ && SIGNAL_TAG_ADDR == 0 && SIGNAL_TAG_FREQ == SIGNAL_TAGS - 1,
	       "the catalogue counts tags as signals do, from 1 on");

/* The slot in the box of element 0 of a register of its type. */
static uint32_t slot_of(const struct box *b, uint32_t reg)
{
	return b->slot0 + b->type->reg_slot[reg - b->type->cat->reg0];
}

/* The test that a filter field makes with the value it holds now. */
static void add_filter(struct select_alts *b, uint32_t reg, uint32_t field)
{
	const struct cat_field *f = &cat_fields[field];
	uint64_t value = bits_get(b->box->socket->value[slot_of(b->box, reg)], f->hi, f->lo);
	struct signal_test t = { .tag = (uint8_t)(f->tag - CAT_TAG_ADDR), .value = value, .mask = UINT64_MAX };

	switch (f->match) {
	case CAT_MATCH_NONE:	/* what the box uses compares it */
		return;
	case CAT_MATCH_PART:
		t.kind = SIGNAL_TEST_EQ;
		t.mask = bits_low(f->hi - f->lo + 1u) << f->part;
		t.value = value << f->part;
		break;
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
			.kind = SIGNAL_TEST_GE, .tag = t.tag, .shift = f->lo,
			.mask = bits_low(f->hi - f->lo + 1u), .latch = &b->box->latch,
		};
		b->c->watch.latched = true;
		break;
	}
	add_test(b, &t);
}

static void add_filters(struct select_alts *b, unsigned filter0, unsigned filters)
{
	for (unsigned i = filter0; i < filter0 + filters; i++)
		add_filter(b, cat_filters[i].reg, cat_filters[i].field);
}

void select_start_tests(struct select_alts *b, const struct pmu_selection *s, uint64_t qualifiers,
			const struct cat_umask *u)
{
	const struct pmu_type *t = b->box->type;

	b->test0 = b->tests;
	add_filters(b, b->e->filter0, b->e->filters);
	if (s->tid && t->tid_reg != CAT_ABSENT)
		add_filter(b, t->tid_reg, t->tid_field);
	for (unsigned i = 0; i < b->e->umasks; i++)
		if (qualifiers >> i & 1)
			add_filters(b, select_row(b->e, i)->filter0, select_row(b->e, i)->filters);
	if (u)
		add_filters(b, u->filter0, u->filters);
	b->test_end = b->tests;
}

/* Both conditions, or false: they exclude each other. */
static bool both(const struct cat_cond *a, const struct cat_cond *b, struct cat_cond *out)
{
	if ((a->want ^ b->want) & a->care & b->care)
		return false;
	*out = (struct cat_cond){ a->care | b->care, a->want | b->want };
	return true;
}

/* Single flags with the same tests share one alternative. */
void select_add(struct select_alts *b, const struct cat_cond *cond)
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
static unsigned row_conds(const struct select_alts *b, unsigned i, const struct cat_cond **out,
			  struct cat_cond *own)
{
	static const struct cat_cond always;
	const struct cat_umask *u = select_row(b->e, i);

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

/* Takes a row of the first set and leaves the other sets to the next call. */
void select_choose(struct select_alts *b, const uint64_t *set, unsigned sets,
		   const struct cat_cond *cond)
{
	if (sets == 0) {
		select_add(b, cond);
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
				select_choose(b, set + 1, sets - 1, &next);
	}
}
