/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random accesses of all spaces and widths, random occurrences, random time: every access has a
 * defined outcome, counters stay within their width, and what must be conserved is.
 */
#include "pmu/door.h"
#include "rig.h"

enum { STEPS = 500000 };

/* Some type with registers. */
static const struct cat_type *random_type(struct rig_random *r, const struct cat_family *f)
{
	const struct cat_type *t;

	do
		t = &cat_types[f->type0 + rig_below(r, f->types)];
	while (!t->regs);
	return t;
}

/* An address that mostly hits something. */
static struct pmu_address random_address(struct rig_random *r, const struct cat_family *f)
{
	static const uint8_t widths[] = { 8, 16, 32, 64, 32, 32, 24, 0 };
	const struct cat_type *t = random_type(r, f);
	const struct cat_reg *reg = &cat_regs[t->reg0 + rig_below(r, t->regs)];
	struct pmu_address at = rig_address(reg, (unsigned)rig_below(r, 3),
					    (unsigned)rig_below(r, t->boxes),
					    (unsigned)rig_below(r, reg->count));

	switch (rig_below(r, 8)) {
	case 0:
		at.offset += (uint32_t)rig_below(r, 16);
		break;
	case 1:
		at.offset = (uint32_t)rig_below(r, 8192);
		break;
	case 2:
		at.base = (uint32_t)rig_below(r, 300);
		break;
	case 3:
		at.space = (enum cat_space)rig_below(r, CAT_PMD + 1);
		break;
	default:
		break;
	}
	if (rig_below(r, 4) == 0)
		at.width = widths[rig_below(r, LEN(widths))];
	return at;
}

static uint64_t random_value(struct rig_random *r)
{
	switch (rig_below(r, 5)) {
	case 0: return rig_draw(r);
	case 1: return UINT64_MAX;
	case 2: return UINT64_C(0x1000000000000) - rig_below(r, 50);
	/* a control: enabled, some event, sometimes a chain */
	case 3: return 0x500000 | rig_below(r, 0x10000) | rig_below(r, 8) << 24;
	default: return rig_below(r, 256);
	}
}

static void random_occurrence(struct rig_random *r, struct pmu *p)
{
	const struct cat_family *f = pmu_family(p);
	struct pmu_box box = { (unsigned)rig_below(r, 2), (unsigned)rig_below(r, f->types), 0 };
	const struct cat_type *t = &cat_types[f->type0 + box.type];
	const struct cat_event *e;
	struct signal_tag tag = {
		.addr = rig_draw(r), .packet = { rig_draw(r), rig_draw(r) },
		.opc = (uint32_t)rig_below(r, 512), .nid = (uint16_t)rig_below(r, 70),
		.tid = (uint8_t)rig_below(r, 64), .state = (uint8_t)rig_below(r, 8),
		.nc = (uint8_t)rig_below(r, 2), .freq = (uint8_t)rig_below(r, 40),
	};
	const struct cat_umask *u = NULL;
	int err;

	if (!t->events)
		return;
	box.box = (unsigned)rig_below(r, t->boxes);
	e = &cat_events[t->event0 + rig_below(r, t->events)];
	if (e->umasks && rig_below(r, 3))
		u = &cat_umasks[e->umask0 + rig_below(r, e->umasks)];
	err = pmu_raise(p, &box, e, u, NULL, rig_below(r, 2), rig_below(r, 5), &tag);
	/* A thread of an Itanium holds a number of levels at once. */
	CHECK(err == 0 || err == BXS_ENOTSUP || err == BXS_ENOMEM);
}

/* What a core may do, with any attributes; other families have no such door. */
static void random_tell(struct rig_random *r, struct pmu *p)
{
#define X(id, name) name,
	static const char *const kinds[] = { DOOR_KINDS(X) };
#undef X
#define X(id, name, def, most, words) most,
	static const uint64_t mosts[] = { DOOR_ATTRIBUTES(X) };
#undef X
	struct door d;
	char why[256];
	int err;

	CHECK(door_start(&d, kinds[rig_below(r, LEN(kinds))]));
	d.socket = (unsigned)rig_below(r, 3);
	d.thread = (unsigned)rig_below(r, 6);
	for (uint64_t n = rig_below(r, 7); n; n--) {
		unsigned a = (unsigned)rig_below(r, LEN(mosts));
		uint64_t value = rig_below(r, 3) ? rig_below(r, 9) : rig_draw(r);

		door_put(&d, (enum door_attribute)a, mosts[a] == UINT64_MAX ? value : value % (mosts[a] + 1));
	}
	for (uint64_t n = rig_below(r, 4); n; n--)
		d.event[d.events++] = (uint32_t)rig_below(r, 0x1000);
	err = pmu_tell(p, &d, why, sizeof why);
	CHECK(err == 0 || err == BXS_ENOENT || err == BXS_EINVAL || err == BXS_ENOTSUP);
}

static void check_widths(struct pmu *p)
{
	const struct cat_family *f = pmu_family(p);

	for (unsigned n = 0; n < f->types; n++) {
		const struct cat_type *t = &cat_types[f->type0 + n];

		for (unsigned i = 0; i < t->regs; i++) {
			const struct cat_reg *r = &cat_regs[t->reg0 + i];
			struct pmu_address at = rig_address(r, 1, 0, 0);

			CHECK((rig_read(p, &at) & ~r->read) == 0);
		}
	}
}

static void hammer(const char *family, unsigned steps)
{
	struct rig_random r = { 20150601 };
	struct pmu *p = rig_new(family, 2);
	struct pmu_interrupt one;

	for (unsigned step = 0; step < steps; step++) {
		struct pmu_address at = random_address(&r, pmu_family(p));
		uint64_t value = 0;

		switch (rig_below(&r, 8)) {
		case 0: case 1: case 2:
			CHECK(pmu_write(p, &at, random_value(&r)) <= OUTCOME_NONE);
			break;
		case 3: case 4:
			CHECK(pmu_read(p, &at, &value) <= OUTCOME_NONE);
			break;
		case 5: case 6:
			if (rig_below(&r, 3))
				random_occurrence(&r, p);
			else
				random_tell(&r, p);
			break;
		default:
			if (rig_below(&r, 10) == 0)
				pmu_horizon(p, pmu_now(p) + rig_below(&r, 100000));
			CHECK(pmu_close(p, pmu_now(p) + rig_below(&r, 20000)) == 0);
			break;
		}
		if (step % 20000 == 0)
			check_widths(p);
		while (pmu_take(p, &one))
			CHECK(one.socket < 2 && (one.cores != 0 || one.vector != 0));
		if (step % 100000 == 99999)
			pmu_reset(p);
	}
	pmu_free(p);
}

/* What the parts count together, the whole counts. */
static const struct whole {
	int line;
	const char *box, *clock;
	uint32_t whole, parts[3];		/* controls without the enable bit */
} wholes[] = {
	{ LINE, "ha0", "uclk", 0x0301, { 0x0101, 0x0201, 0 } },	/* REQUESTS: reads */
	{ LINE, "ha1", "uclk", 0x0c01, { 0x0401, 0x0801, 0 } },	/* REQUESTS: writes */
	{ LINE, "imc0", "dclk", 0x0304, { 0x0104, 0x0204, 0 } },	/* CAS_COUNT: reads */
	{ LINE, "imc1", "dclk", 0x0f04, { 0x0304, 0x0c04, 0 } },	/* CAS_COUNT */
	{ LINE, "cbo0", "uclk", 0x0f1b, { 0x031b, 0x041b, 0x081b } },	/* RING_AD_USED */
	{ LINE, "cbo1", "uclk", 0x0f37, { 0x0337, 0x0437, 0x0837 } },	/* LLC_VICTIMS by state */
	{ LINE, "qpi0", "qclk", 0x201800, { 0x200800, 0x201000, 0 } },	/* TxL_FLITS_G1: DRS */
};

static void conserve(const struct whole *w)
{
	struct rig_random r = { 7 };
	struct pmu *p = rig_new("hsx", 1);
	struct pmu_box box = rig_box(p, w->box);
	const struct cat_type *t = &cat_types[pmu_family(p)->type0 + box.type];
	const struct cat_event *e = cat_event_of_code(t, w->whole & 0xff, w->whole >> 21 & 1, UINT32_MAX);
	static const char *const ctl[] = { "CTL0", "CTL1", "CTL2", "CTL3" };
	static const char *const ctr[] = { "CTR0", "CTR1", "CTR2", "CTR3" };
	uint64_t sum = 0, all;
	struct pmu_address at = rig_named(p, w->box, ctl[0]);

	rig_write(p, &at, w->whole | 1u << 22);
	for (unsigned i = 0; i < LEN(w->parts) && w->parts[i]; i++) {
		at = rig_named(p, w->box, ctl[i + 1]);
		rig_write(p, &at, w->parts[i] | 1u << 22);
	}
	for (unsigned step = 0; step < 500; step++) {
		const struct cat_umask *u = &cat_umasks[e->umask0 + rig_below(&r, e->umasks)];
		static const struct signal_tag tag;

		/* Only what is one thing and part of the whole: a single bit of its mask. */
		if ((u->umask & (u->umask - 1)) == 0 && (u->umask & w->whole >> 8))
			CHECK(pmu_raise(p, &box, e, u, NULL, false, rig_below(&r, 9), &tag) == 0);
		if (rig_below(&r, 3) == 0)
			rig_advance(p, w->clock, rig_below(&r, 4));
	}
	rig_advance(p, w->clock, 1);
	at = rig_named(p, w->box, ctr[0]);
	all = rig_read(p, &at);
	for (unsigned i = 0; i < LEN(w->parts) && w->parts[i]; i++) {
		at = rig_named(p, w->box, ctr[i + 1]);
		sum += rig_read(p, &at);
	}
	CHECK_EQ(w->line, sum, all);
	CHECK_EQ(w->line, all > 100, 1);
	pmu_free(p);
}

int main(void)
{
	hammer("hsx", STEPS);
	hammer("poulson", STEPS / 5);
	hammer("nhmex", STEPS / 5);
	hammer("snbep", STEPS / 5);
	for (const struct whole *w = wholes; w < wholes + LEN(wholes); w++)
		conserve(w);
	return check_done();
}
