/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every register instance of every socket: its value out of reset, and what is left of all
 * ones, worked out from the attributes of its fields.
 */
#include "rig.h"

/* What a register reads after all ones were written to it out of reset. */
static uint64_t after_ones(const struct cat_reg *r)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = &cat_fields[r->field0 + i];
		uint64_t ones = bits_low(f->hi - f->lo + 1u), v = 0;

		switch (f->attr) {
		case CAT_RW: case CAT_RWV: v = ones; break;
		case CAT_RO: case CAT_ROV: v = f->reset; break;
		default: v = f->keep ? ones : 0; break;	/* RW1C: nothing was set */
		}
		value |= v << f->lo;
	}
	return value;
}

static uint64_t out_of_reset(const struct cat_reg *r)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = &cat_fields[r->field0 + i];

		if (f->attr != CAT_WO && f->attr != CAT_RV)
			value |= f->reset << f->lo;
	}
	return value;
}

/* All ones that do not fault. */
static uint64_t ones(const struct cat_reg *r)
{
	return (UINT64_MAX & ~r->gp & ~r->same) | (r->reset & r->same);
}

static void check_value(const struct cat_reg *r, unsigned box, unsigned i, const char *when,
			uint64_t got, uint64_t want)
{
	char name[128];

	check_count++;
	if (got == want)
		return;
	cat_reg_instance(r, box, i, name, sizeof name);
	printf("%s %s reads %#" PRIx64 ", want %#" PRIx64 "\n", name, when, got, want);
	check_failures++;
}

/* Registers that tell a socket which one it is have no value of their own. */
static bool names_socket(const struct cat_reg *r)
{
	return strcmp(cat_str(r->name), "CPUNODEID") == 0 ||
	       strcmp(cat_str(r->name), "GIDNIDMAP") == 0;
}

static void each(struct pmu *p, const char *when, uint64_t (*want)(const struct cat_reg *),
		 bool write)
{
	const struct cat_family *f = pmu_family(p);

	for (unsigned s = 0; s < pmu_sockets(p); s++)
		for (unsigned t = 0; t < f->types; t++) {
			const struct cat_type *type = &cat_types[f->type0 + t];

			for (unsigned n = 0; n < type->regs * (unsigned)type->boxes; n++) {
				const struct cat_reg *r = &cat_regs[type->reg0 + n % type->regs];
				unsigned box = n / type->regs;

				for (unsigned i = 0; i < r->count && !names_socket(r); i++) {
					struct pmu_address at = rig_address(r, s, box, i);

					if (write && r->read_only)
						CHECK(pmu_write(p, &at, r->reset) == OUTCOME_GP);
					else if (write)
						rig_write(p, &at, ones(r));
					check_value(r, box, i, when, rig_read(p, &at), want(r));
					/* Undo what stops others: a freeze, a held counter. */
					if (write && !r->read_only)
						rig_write(p, &at, 0);
				}
			}
		}
}

/* A register that is 64 bits wide is two dwords in configuration space. */
static void halves(struct pmu *p)
{
	struct pmu_address at = rig_named(p, "ha0", "CTR0"), low = at, high = at;

	low.width = high.width = 32;
	high.offset += 4;
	rig_write(p, &at, UINT64_C(0x123456789abc));
	CHECK_EQ(__LINE__, rig_read(p, &low), 0x56789abc);
	CHECK_EQ(__LINE__, rig_read(p, &high), 0x1234);
	rig_write(p, &high, 0xffffabcd);
	CHECK_EQ(__LINE__, rig_read(p, &at), UINT64_C(0xabcd56789abc));
	rig_write(p, &at, 0);
}

static void absent(void)
{
	struct pmu_config config = { .family = cat_find_family("hsx", 3), .sockets = 1,
				     .cores = 4 };
	struct pmu_address at = { .space = CAT_PCI, .base = 10 << 3 | 2, .offset = 0xf4,
				  .width = 32 };
	const struct cat_type *qpi = cat_find_type(config.family, "qpi", 3);
	unsigned type = (unsigned)(qpi - &cat_types[config.family->type0]);
	struct pmu_box box;
	struct pmu *p;
	uint64_t value = 0;

	config.boxes[type] = 2;
	CHECK(pmu_new(&config, &p) == 0);
	CHECK_EQ(__LINE__, pmu_boxes(p, type), 2);
	CHECK(pmu_read(p, &at, &value) == OUTCOME_NONE && value == UINT32_MAX);
	CHECK(pmu_write(p, &at, 0) == OUTCOME_NONE);
	CHECK(pmu_port(p, 0, "qpi", 2) == NULL && pmu_port(p, 0, "qpi", 1) != NULL);
	CHECK(pmu_port(p, 1, "qpi", 0) == NULL && pmu_port(p, 0, "nobox", 0) == NULL);
	CHECK(pmu_find_box(p, "qpi2", 4, &box) == BXS_ENOENT);
	/* Another socket, an impossible width. */
	at.socket = 1;
	CHECK(pmu_read(p, &at, &value) == OUTCOME_NONE);
	at.socket = 0;
	at.width = 24;
	CHECK(pmu_read(p, &at, &value) == OUTCOME_NONE);
	pmu_free(p);
	config.sockets = 0;
	CHECK(pmu_new(&config, &p) == BXS_EINVAL);
	config.sockets = 9;
	CHECK(pmu_new(&config, &p) == BXS_EINVAL);
	pmu_free(NULL);
}

static void check_family(const char *name)
{
	struct pmu *p = rig_new(name, 2);

	each(p, "out of reset", out_of_reset, false);
	each(p, "after ones", after_ones, true);
	halves(p);
	pmu_reset(p);
	each(p, "after reset", out_of_reset, false);
	pmu_free(p);
}

int main(void)
{
	check_family("hsx");
	check_family("snbep");
	absent();
	return check_done();
}
