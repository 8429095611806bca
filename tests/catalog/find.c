/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding in the catalogue: names, instances, addresses, the nearest name. */
#include "catalog/find.h"
#include "check.h"

static const struct cat_type *hsx_type(const char *name)
{
	return cat_find_type(cat_find_family("hsx", 3), name, strlen(name));
}

static const struct cat_reg *find_reg(const struct cat_type *t, const char *name)
{
	for (unsigned i = 0; i < t->regs; i++)
		if (strcmp(cat_str(cat_regs[t->reg0 + i].name), name) == 0)
			return &cat_regs[t->reg0 + i];
	return NULL;
}

static const struct instance_row {
	int line;
	const char *type, *reg;
	unsigned box, i;
	const char *name;
	struct cat_where where;
} instances[] = {
	{ LINE, "cbo", "Cn_MSR_PMON_CTL{3-0}", 0, 0, "C0_MSR_PMON_CTL0", { .offset = 0xe01 } },
	{ LINE, "cbo", "Cn_MSR_PMON_CTR{3-0}", 17, 3, "C17_MSR_PMON_CTR3", { .offset = 0xf1b } },
	{ LINE, "sbo", "Sn_MSR_PMON_BOX_CTL", 2, 0, "S2_MSR_PMON_BOX_CTL", { .offset = 0x734 } },
	{ LINE, "ha", "HAn_PCI_PMON_BOX_CTL", 1, 0, "HA1_PCI_PMON_BOX_CTL",
	  { .space = CAT_PCI, .base = 18 << 3 | 5, .offset = 0xf4 } },
	{ LINE, "irp", "IRP_PCI_PMON_BOX_CTL", 0, 0, "IRP_PCI_PMON_BOX_CTL",
	  { .space = CAT_PCI, .bus = CAT_BUS_IIO, .base = 5 << 3 | 6, .offset = 0xf4 } },
};

static void test_instances(void)
{
	for (const struct instance_row *r = instances; r < instances + LEN(instances); r++) {
		const struct cat_reg *reg = find_reg(hsx_type(r->type), r->reg);
		char name[64] = "";

		CHECK_EQ(r->line, reg != NULL, 1);
		if (!reg)
			continue;
		CHECK_EQ(r->line, cat_reg_instance(reg, r->box, r->i, name, sizeof name),
			 strlen(r->name));
		CHECK_STR(r->line, name, r->name);
		struct cat_where at = cat_reg_where(reg, r->box, r->i);

		CHECK_EQ(r->line, at.space, r->where.space);
		CHECK_EQ(r->line, at.bus, r->where.bus);
		CHECK_EQ(r->line, at.base, r->where.base);
		CHECK_EQ(r->line, at.offset, r->where.offset);
		CHECK_EQ(r->line, cat_reg_instance(reg, r->box, r->i, name, 4), strlen(r->name));
		CHECK_EQ(r->line, strlen(name), 3);
	}
}

static void test_names(void)
{
	const struct cat_type *cbo = hsx_type("CBO");
	const struct cat_event *e;

	CHECK(cbo != NULL);
	CHECK(hsx_type("cb") == NULL);
	CHECK(hsx_type("cboo") == NULL);
	CHECK(cat_find_family("hs", 2) == NULL);
	e = cat_find_event(cbo, "llc_lookup", 10);
	CHECK(e && e->code == 0x34);
	CHECK(cat_find_event(cbo, "LLC_LOOKUP", 9) == NULL);
	CHECK(e && cat_find_umask(e, "any", 3)->umask == 0x11);
	CHECK(cat_event_of_code(cbo, 0x34, 0, UINT32_MAX) == e);
	CHECK(cat_event_of_code(cbo, 0x34, 1, UINT32_MAX) == NULL);
	CHECK(cat_event_of_code(hsx_type("qpi"), 0x38, 1, UINT32_MAX) != NULL);
}

static const char *const fruit[] = { "TOR_INSERTS", "TOR_OCCUPANCY", "MISC" };

static const char *fruit_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return fruit[i];
}

static const struct near_row {
	int line;
	const char *typed;
	int want;
} near_rows[] = {
	{ LINE, "TOR_INSERT", 0 }, { LINE, "tor_inserts", 0 }, { LINE, "TOR_OCUPANCY", 1 },
	{ LINE, "MSC", 2 },	   { LINE, "XYZ", -1 },	       { LINE, "", -1 },
	{ LINE, "TOR_INSERTS_AND_A_LONG_TAIL", -1 },
};

int main(void)
{
	uint64_t value = 99;
	const struct cat_part *part = cat_default_part(cat_find_family("hsx", 3));

	test_instances();
	test_names();
	for (const struct near_row *r = near_rows; r < near_rows + LEN(near_rows); r++)
		CHECK_EQ(r->line, cat_nearest(r->typed, strlen(r->typed), 3, fruit_name, NULL),
			 r->want);
	CHECK(part && cat_param(part, "cores", &value));
	CHECK_EQ(__LINE__, value, 18);
	CHECK(part && !cat_param(part, "core", &value));
	CHECK_EQ(__LINE__, value, 18);
	return check_done();
}
