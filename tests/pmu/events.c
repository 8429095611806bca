/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every event and subevent of the catalogue: selected on a counter that can count it, told
 * three times, it counts three; told of on a counter that cannot, it counts nothing.
 */
#include "rig.h"

enum { TIMES = 3, EN = 22, EXT = 21, MASK = 8 };

static const struct cat_reg *reg_of_role(const struct cat_type *t, enum cat_role role)
{
	for (unsigned i = 0; i < t->regs; i++)
		if (cat_regs[t->reg0 + i].role == role)
			return &cat_regs[t->reg0 + i];
	return NULL;
}

/* Filters that let everything pass which has an all-zero tag. */
static void open_filters(struct pmu *p, const struct cat_type *t)
{
	for (unsigned i = 0; i < t->regs; i++) {
		const struct cat_reg *r = &cat_regs[t->reg0 + i];
		uint64_t value = 0;

		for (unsigned f = 0; f < r->fields; f++) {
			const struct cat_field *field = &cat_fields[r->field0 + f];

			if (field->match == CAT_MATCH_BITS || field->match == CAT_MATCH_ANY)
				value |= bits_mask(field->hi, field->lo);
		}
		if (value) {
			struct pmu_address at = rig_address(r, 0, 0, 0);

			rig_write(p, &at, value);
		}
	}
}

/* What else must be selected, or be left out, for a mask to count: see the rules on each event. */
static const struct partner {
	const char *type, *event;
	uint32_t mask, with;
	bool nothing;
} partners[] = {
	{ "irp", "SNOOP_RESP", 0x0f, 0x10, false },
	{ "irp", "SNOOP_RESP", 0x70, 0x01, false },
	{ "irp", "TRANSACTIONS", 0x40, 0x00, true },
};

static const struct partner *partner_of(const struct cat_type *t, const struct cat_event *e,
					uint32_t mask)
{
	for (const struct partner *r = partners; r < partners + LEN(partners); r++)
		if (strcmp(r->type, cat_str(t->name)) == 0 &&
		    strcmp(r->event, cat_str(e->name)) == 0 && (mask & r->mask))
			return r;
	return NULL;
}

/* One selection on counter i of box 0; returns what it counted of TIMES occurrences. */
static uint64_t counted(struct pmu *p, const struct pmu_box *box, const struct cat_event *e,
			const struct cat_umask *u, unsigned i, bool every)
{
	static const struct signal_tag tag;
	const struct cat_type *t = &cat_types[e->type];
	const struct cat_reg *ctl = reg_of_role(t, CAT_CTL), *ctr = reg_of_role(t, CAT_CTR);
	struct pmu_address control = rig_address(ctl, 0, 0, i), counter = rig_address(ctr, 0, 0, i);
	const struct partner *with = u ? partner_of(t, e, u->umask) : NULL;
	uint32_t mask = u ? u->umask | (with ? with->with : 0) : 0;
	uint64_t value;

	rig_write(p, &control, e->code | (uint64_t)mask << MASK | (uint64_t)e->ext << EXT |
			       UINT64_C(1) << EN);
	if (e->binding == CAT_BIND_NONE || e->binding == CAT_BIND_SIGNAL)
		CHECK(pmu_raise(p, box, e, every ? NULL : u, NULL, false, TIMES, &tag) == 0);
	else
		CHECK(pmu_raise(p, box, e, u, NULL, false, TIMES, &tag) == BXS_ENOTSUP);
	rig_advance(p, cat_str(cat_clocks[t->clock].name), TIMES);
	value = rig_read(p, &counter);
	rig_write(p, &control, 0);
	rig_write(p, &counter, 0);
	return value;
}

static void check_event(struct pmu *p, const struct pmu_box *box, const struct cat_event *e)
{
	const struct cat_type *t = &cat_types[e->type];
	char what[256];

	/* Nothing can select what is no counter's, or has a second page where controls have none. */
	if (!reg_of_role(t, CAT_CTL) || !e->counters ||
	    (e->ext && !cat_reg_field(reg_of_role(t, CAT_CTL), "ev_sel_ext")))
		return;
	for (unsigned n = 0; n < (e->umasks ? e->umasks : 1u); n++) {
		const struct cat_umask *u = e->umasks ? &cat_umasks[e->umask0 + n] : NULL;

		/* A name for the value of a filter selects nothing. */
		if (u && u->kind == CAT_UMASK_PICK)
			continue;

		const struct partner *with = u ? partner_of(t, e, u->umask) : NULL;

		for (unsigned i = 0; i < t->counters; i++) {
			bool can = e->counters >> i & 1;
			uint64_t want = can && !(with && with->nothing) ? TIMES : 0;

			if (e->binding == CAT_BIND_COUNTER0)
				want = 0;
			for (unsigned every = 0; every < 2; every++) {
				uint64_t got = counted(p, box, e, u, i, every);

				check_count++;
				if (got == want)
					continue;
				snprintf(what, sizeof what, "%s.%s.%s on counter %u",
					 cat_str(t->name), cat_str(e->name),
					 u ? cat_str(u->name) : "-", i);
				printf("%s: counts %" PRIu64 ", want %" PRIu64 "\n", what, got,
				       want);
				check_failures++;
			}
		}
	}
	/* Flags of rows are bits of a word. */
	CHECK(e->umasks <= 64);
}

static void check_family(const char *name)
{
	struct pmu *p = rig_new(name, 1);
	const struct cat_family *f = pmu_family(p);

	for (unsigned i = 0; i < f->types; i++) {
		const struct cat_type *t = &cat_types[f->type0 + i];
		struct pmu_box box = { 0, i, 0 };

		open_filters(p, t);
		for (unsigned e = 0; e < t->events; e++)
			check_event(p, &box, &cat_events[t->event0 + e]);
	}
	pmu_free(p);
}

int main(void)
{
	check_family("hsx");
	check_family("snbep");
	return check_done();
}
