/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a counter without limits counts, beside counters that have them: short, frozen, disabled,
 * or with filters of their own.  Signals are raised by hand, so every count is known.
 */
#include "rig.h"
#include "signal_ids.h"

enum { EN = 22, INVERT = 23, THRESH = 24, EDGE = 18, MASK = 8 };

static struct pmu *p;

static const struct cat_type *type_of(const struct pmu_box *box)
{
	return &cat_types[pmu_family(p)->type0 + box->type];
}

static uint32_t reg_named(const struct cat_type *t, const char *name)
{
	for (uint32_t r = t->reg0; r < t->reg0 + (uint32_t)t->regs; r++)
		if (strncmp(cat_str(cat_regs[r].name), name, strlen(name)) == 0)
			return r;
	return CAT_ABSENT;
}

static uint64_t control_of(const struct cat_type *t, const char *event, uint32_t mask)
{
	const struct cat_event *e = cat_find_event(t, event, strlen(event));

	CHECK(e != NULL);
	return e ? e->code | (uint64_t)e->ext << 21 | (uint64_t)mask << MASK : 0;
}

static struct pmu_truth *ask(const char *box, const char *reg, unsigned element, uint64_t control,
			     uint64_t counter0, const struct pmu_truth_bits *bits, unsigned n)
{
	struct pmu_truth_config config = {
		.box = rig_box(p, box), .element = element, .control = control, .counter0 = counter0,
		.bits = bits, .bits_count = n,
	};
	struct pmu_truth *t = NULL;

	config.reg = reg_named(type_of(&config.box), reg);
	CHECK(pmu_truth_new(p, &config, &t) == 0);
	return t;
}

/* n occurrences in each of `clocks` clocks of the uncore. */
static void happen(unsigned sig, unsigned clocks, uint64_t n, const struct signal_tag *tag)
{
	struct signal_port *port = pmu_port(p, 0, "cbo", 0);

	for (unsigned i = 0; i < clocks; i++) {
		signal_pulse(port, sig, pmu_now(p), n, ~UINT64_C(0), tag);
		rig_advance(p, "uclk", 1);
	}
}

/* The chain of a control, with nothing on any counter. */
static const struct chain_row {
	int line;
	uint64_t chain;
	uint64_t want;		/* of 5 clocks with 2 each, 3 without, 4 with 1 each, and 1 without */
} chains[] = {
	{ LINE, 0, 14 },
	{ LINE, UINT64_C(1) << THRESH, 9 },
	{ LINE, UINT64_C(2) << THRESH, 5 },
	{ LINE, UINT64_C(1) << THRESH | 1 << EDGE, 2 },
	{ LINE, UINT64_C(2) << THRESH | UINT64_C(1) << INVERT, 8 },
	{ LINE, UINT64_C(2) << THRESH | UINT64_C(1) << INVERT | 1 << EDGE, 1 },
};

static void check_chains(void)
{
	static const struct signal_tag tag;
	struct pmu_truth *t[LEN(chains)];

	p = rig_new("hsx", 1);

	const struct pmu_box box = rig_box(p, "cbo0");
	uint64_t control = control_of(type_of(&box), "TOR_INSERTS", 0x08);

	for (unsigned i = 0; i < LEN(chains); i++)
		t[i] = ask("cbo0", "Cn_MSR_PMON_CTR", 0, control | chains[i].chain, 0, NULL, 0);
	happen(SIG_CBO_TOR_INSERT, 5, 2, &tag);
	rig_advance(p, "uclk", 3);
	happen(SIG_CBO_TOR_INSERT, 4, 1, &tag);
	rig_advance(p, "uclk", 1);
	for (unsigned i = 0; i < LEN(chains); i++)
		CHECK_EQ(chains[i].line, pmu_truth_count(t[i]), chains[i].want);
	pmu_free(p);
}

/* A counter at its limit goes round, a frozen or disabled one stands; the truth goes on. */
static void check_limits(void)
{
	static const struct signal_tag tag;

	p = rig_new("hsx", 1);

	const struct pmu_box box = rig_box(p, "cbo0");
	uint64_t control = control_of(type_of(&box), "TOR_INSERTS", 0x08);
	struct pmu_address ctl = rig_named(p, "cbo0", "CTL0"), ctr = rig_named(p, "cbo0", "CTR0");
	struct pmu_address box_ctl = rig_named(p, "cbo0", "BOX_CTL");
	struct pmu_truth *t = ask("cbo0", "Cn_MSR_PMON_CTR", 0, control, 0, NULL, 0);

	rig_write(p, &ctl, control | 1 << EN);
	rig_write(p, &ctr, bits_low(48) - 2);
	happen(SIG_CBO_TOR_INSERT, 1, 5, &tag);
	CHECK_EQ(__LINE__, rig_read(p, &ctr), 2);
	CHECK_EQ(__LINE__, pmu_truth_count(t), 5);
	rig_write(p, &box_ctl, 0x30100);
	happen(SIG_CBO_TOR_INSERT, 2, 1, &tag);
	CHECK_EQ(__LINE__, rig_read(p, &ctr), 2);
	CHECK_EQ(__LINE__, pmu_truth_count(t), 7);
	rig_write(p, &box_ctl, 0x30000);
	rig_write(p, &ctl, control);
	happen(SIG_CBO_TOR_INSERT, 1, 1, &tag);
	CHECK_EQ(__LINE__, rig_read(p, &ctr), 2);
	CHECK_EQ(__LINE__, pmu_truth_count(t), 8);
	/* What is no longer asked for is forgotten, and the counters do not mind. */
	pmu_truth_free(t);
	rig_write(p, &ctl, control | 1 << EN);
	happen(SIG_CBO_TOR_INSERT, 1, 1, &tag);
	CHECK_EQ(__LINE__, rig_read(p, &ctr), 3);
	pmu_free(p);
}

/* Different filters at once in one box; the registers' own values do not matter. */
static void check_filters(void)
{
	p = rig_new("hsx", 1);

	const struct pmu_box box = rig_box(p, "cbo0");
	const struct cat_type *type = type_of(&box);
	uint64_t control = control_of(type, "TOR_INSERTS", 0x01);
	struct pmu_address filter = rig_named(p, "cbo0", "FILTER1");
	struct pmu_truth_bits rfo = { .value = 0x180, .reg = reg_named(type, "Cn_MSR_PMON_BOX_FILTER1"),
				      .hi = 28, .lo = 20 };
	struct pmu_truth_bits drd = rfo;
	struct pmu_truth *a, *b;

	drd.value = 0x182;
	a = ask("cbo0", "Cn_MSR_PMON_CTR", 0, control, 0, &rfo, 1);
	b = ask("cbo0", "Cn_MSR_PMON_CTR", 0, control, 0, &drd, 1);
	rig_write(p, &filter, UINT64_C(0x19e) << 20);
	happen(SIG_CBO_TOR_INSERT, 3, 1, &(struct signal_tag){ .opc = 0x180 });
	happen(SIG_CBO_TOR_INSERT, 4, 1, &(struct signal_tag){ .opc = 0x182 });
	happen(SIG_CBO_TOR_INSERT, 5, 1, &(struct signal_tag){ .opc = 0x19e });
	CHECK_EQ(__LINE__, pmu_truth_count(a), 3);
	CHECK_EQ(__LINE__, pmu_truth_count(b), 4);
	pmu_free(p);
}

/* Clocks of a box, of its fixed counter, and what watches counter 0. */
static void check_kinds(void)
{
	static const struct signal_tag tag;

	p = rig_new("hsx", 1);

	const struct pmu_box box = rig_box(p, "cbo0");
	const struct cat_type *type = type_of(&box);
	uint64_t occupancy = control_of(type, "TOR_OCCUPANCY", 0x08);
	uint64_t watcher = control_of(type, "COUNTER0_OCCUPANCY", 0) | 1 << EDGE | UINT64_C(1) << THRESH;
	struct pmu_truth *clocks = ask("cbo0", "Cn_MSR_PMON_CTR", 2, 0, 0, NULL, 0);
	struct pmu_truth *fixed = ask("ubox0", "U_MSR_PMON_UCLK_FIXED_CTR", 0, 0, 0, NULL, 0);
	struct pmu_truth *rises = ask("cbo0", "Cn_MSR_PMON_CTR", 1, watcher, occupancy, NULL, 0);
	struct pmu_truth *held = ask("cbo0", "Cn_MSR_PMON_CTR", 0, occupancy, 0, NULL, 0);
	struct signal_port *port = pmu_port(p, 0, "cbo", 0);
	const struct signal_clock *uclk = pmu_clock(p, 0, "uclk");
	uint64_t now = signal_clocks(uclk, pmu_now(p));

	/* Twice in the queue, for 10 clocks and for 5. */
	signal_span(port, SIG_CBO_TOR, signal_clock_time(uclk, now + 10),
		    signal_clock_time(uclk, now + 20), 1, ~UINT64_C(0), &tag);
	signal_span(port, SIG_CBO_TOR, signal_clock_time(uclk, now + 30),
		    signal_clock_time(uclk, now + 35), 1, ~UINT64_C(0), &tag);
	rig_advance(p, "uclk", 100);
	CHECK_EQ(__LINE__, pmu_truth_count(clocks), 100);
	CHECK_EQ(__LINE__, pmu_truth_count(fixed), 100);
	CHECK_EQ(__LINE__, pmu_truth_count(rises), 2);
	CHECK_EQ(__LINE__, pmu_truth_count(held), 15);
	pmu_free(p);
}

/* A frequency band takes effect with the next change, as the register does. */
static void check_latched(void)
{
	p = rig_new("hsx", 1);

	const struct pmu_box box = rig_box(p, "pcu0");
	const struct cat_type *type = type_of(&box);
	struct signal_port *port = pmu_port(p, 0, "pcu", 0);
	uint32_t filter = reg_named(type, "PCU_MSR_PMON_BOX_FILTER");
	struct pmu_truth_bits slow = { .value = 12, .reg = filter, .hi = 7, .lo = 0 };
	struct pmu_truth_bits fast = { .value = 30, .reg = filter, .hi = 7, .lo = 0 };
	uint64_t band0 = control_of(type, "FREQ_BAND0_CYCLES", 0);
	struct pmu_truth *a = ask("pcu0", "PCU_MSR_PMON_CTR", 0, band0, 0, &slow, 1);
	struct pmu_truth *b = ask("pcu0", "PCU_MSR_PMON_CTR", 0, band0, 0, &fast, 1);

	signal_level(port, SIG_PCU_FREQUENCY, pmu_now(p), 1, 0, &(struct signal_tag){ .freq = 20 });
	rig_advance(p, "pclk", 50);
	CHECK_EQ(__LINE__, pmu_truth_count(a), 50);
	CHECK_EQ(__LINE__, pmu_truth_count(b), 0);
	pmu_truth_free(a);
	signal_level(port, SIG_PCU_FREQUENCY, pmu_now(p), -1, 0, &(struct signal_tag){ .freq = 20 });
	signal_level(port, SIG_PCU_FREQUENCY, pmu_now(p), 1, 0, &(struct signal_tag){ .freq = 31 });
	rig_advance(p, "pclk", 7);
	CHECK_EQ(__LINE__, pmu_truth_count(b), 7);
	pmu_free(p);
}

static void check_refusals(void)
{
	struct pmu_truth_config config = { .box = { .socket = 0 } };
	struct pmu_truth *t = NULL;

	p = rig_new("hsx", 1);
	config.box = rig_box(p, "cbo0");
	config.reg = reg_named(type_of(&config.box), "Cn_MSR_PMON_CTR");
	config.element = 4;
	CHECK_EQ(__LINE__, pmu_truth_new(p, &config, &t), BXS_ENOENT);
	config.element = 0;
	config.box.box = 18;
	CHECK_EQ(__LINE__, pmu_truth_new(p, &config, &t), BXS_ENOENT);
	config.box.box = 0;
	config.box.socket = 1;
	CHECK_EQ(__LINE__, pmu_truth_new(p, &config, &t), BXS_ENOENT);
	config.box.socket = 0;
	config.reg = reg_named(type_of(&config.box), "Cn_MSR_PMON_CTL");
	CHECK_EQ(__LINE__, pmu_truth_new(p, &config, &t), BXS_ENOENT);
	CHECK(t == NULL);
	pmu_truth_free(NULL);
	pmu_free(p);
}

int main(void)
{
	check_chains();
	check_limits();
	check_filters();
	check_kinds();
	check_latched();
	check_refusals();
	return check_done();
}
