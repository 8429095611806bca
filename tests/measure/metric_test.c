/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics by hand: the counters of box 0 of one socket hold given numbers after 1 ms, in which
 * the uncore clock ran 2,300,000 times and so did the time stamp counter; core 0 retired
 * 1,000,000 instructions in 2,000,000 clocks.
 */
#include <math.h>

#include "check.h"
#include "fake.h"
#include "measure/metric.h"

#define MS UINT64_C(1000000000)

static struct names *names;
static struct fake fake;

/* A control, with its enable bit, and what its counter shall show. */
struct count {
	uint32_t control;
	uint64_t value;
};

static const struct row {
	int line;
	const char *type, *equation;
	struct count count[4];
	double want;
	const char *why;	/* no value: the reason */
} rows[] = {
	{ LINE, NULL, "1 + 2 * 3", {{ 0 }}, 7, NULL },
	{ LINE, NULL, "(1 + 2) * 3 - -4", {{ 0 }}, 13, NULL },
	{ LINE, NULL, "8 / 4 / 2", {{ 0 }}, 1, NULL },
	{ LINE, NULL, "1 - 2 - 3", {{ 0 }}, -4, NULL },
	{ LINE, NULL, "0.5 * 1e3", {{ 0 }}, 500, NULL },
	{ LINE, NULL, "ROUND(2.6, 0) + ROUND(1.24, 1)", {{ 0 }}, 4.2, NULL },
	{ LINE, NULL, "SECONDS * 1000", {{ 0 }}, 1, NULL },
	{ LINE, NULL, "TOTAL_INTERVAL / (TSC_SPEED * 1000000)", {{ 0 }}, 0.001, NULL },
	{ LINE, NULL, "UNCORE_FREQUENCY", {{ 0 }}, 2300, NULL },
	{ LINE, NULL, "GB_CONVERSION", {{ 0 }}, 1073741824, NULL },
	{ LINE, NULL, "INST_RETIRED.ALL / CORE_CYCLES", {{ 0 }}, 0.5, NULL },
	{ LINE, NULL, "1 / (2 - 2)", {{ 0 }}, 0, "nothing to divide by: the divisor is 0" },
	/* LLC_LOOKUP.ANY is 0x1134; two values of its state filter are two turns. */
	{ LINE, "cbo", "LLC_LOOKUP.ANY with:Cn_MSR_PMON_BOX_FILTER0.state=0x1 / INST_RETIRED.ALL",
	  {{ 0x401134, 5000 }}, 0.005, NULL },
	{ LINE, "cbo", "RxR_OCCUPANCY.IRQ / RxR_INSERTS.IRQ", {{ 0x400111, 900 }, { 0x400113, 300 }}, 3,
	  NULL },
	{ LINE, "cbo", "RxR_OCCUPANCY.IRQ / SAMPLE_INTERVAL", {{ 0x400111, 4600000 }}, 2, NULL },
	{ LINE, "cbo", "RxR_OCCUPANCY.IRQ / COUNTER0_OCCUPANCY{edge_det,thresh=0x1}",
	  {{ 0x400111, 100 }, { 0x144001f, 25 }}, 4, NULL },
	/* A node given with a subevent that does not look at it means the one that does. */
	{ LINE, "cbo", "(TOR_OCCUPANCY.MISS_OPCODE / TOR_INSERTS.MISS_OPCODE) "
		       "with:Cn_MSR_PMON_BOX_FILTER1.{opc,nid}={0x182,my_node}",
	  {{ 0x404336, 1000 }, { 0x404335, 8 }}, 125, NULL },
	/* The fields of the bracket are not for COUNTER0_OCCUPANCY. */
	{ LINE, "cbo", "(TOR_OCCUPANCY.OPCODE / COUNTER0_OCCUPANCY{edge_det,thresh=0x1}) "
		       "with:Cn_MSR_PMON_BOX_FILTER1.opc=0x182",
	  {{ 0x400136, 300 }, { 0x144001f, 30 }}, 10, NULL },
	{ LINE, "imc", "MEM_BW_READS + MEM_BW_WRITES", {{ 0x400304, 10 }, { 0x400c04, 5 }}, 960, NULL },
	/* ACT_COUNT stands for all its kinds, RD 1 + WR 2 + BYP 8. */
	{ LINE, "imc", "(ACT_COUNT - PRE_COUNT.PAGE_MISS) / (CAS_COUNT.RD + CAS_COUNT.WR)",
	  {{ 0x400b01, 70 }, { 0x400102, 20 }, { 0x400304, 80 }, { 0x400c04, 20 }}, 0.5, NULL },
	/* QPI: 2400 MHz in 1 ms. */
	/* Names of Intel's event files, with a field of ours: (3 + 5) reads over 2. */
	{ LINE, NULL, "(UNC_M_CAS_COUNT.RD + 5) / UNC_C_TOR_INSERTS.MISS_OPCODE{opc=0x182}",
	  {{ 0x400304, 3 }, { 0x400335, 2 }}, 4, NULL },
	/* Other tools' notations, each taken for one factor. */
	{ LINE, NULL, "uncore_imc_0/cas_count_read/*64/2", {{ 0x400304, 3 }}, 96, NULL },
	{ LINE, NULL, "2*uncore_imc_*/event=4,umask=3/", {{ 0x400304, 3 }}, 6, NULL },
	{ LINE, NULL, "imc/config=0x304,name=READS/ - 1", {{ 0x400304, 3 }}, 2, NULL },
	{ LINE, NULL, "CAS_COUNT_RD:MBOX0C0*64", {{ 0x400304, 3 }}, 192, NULL },
	{ LINE, NULL, "hswep_unc_imc0::UNC_M_CAS_COUNT:RD+hswep_unc_imc0::UNC_M_CAS_COUNT:WR",
	  {{ 0x400304, 3 }, { 0x400c04, 5 }}, 8, NULL },
	/* M_STATE and E_STATE are one event with both bits, not a sum. */
	{ LINE, NULL, "UNC_C_LLC_VICTIMS:STATE_M:STATE_E / 2", {{ 0x400337, 10 }}, 5, NULL },
	{ LINE, NULL, "instructions / cpu-cycles", {{ 0 }}, 0.5, NULL },
	{ LINE, NULL, "cycles-instructions", {{ 0 }}, 1000000, NULL },
	{ LINE, NULL, "(LLC_MISSES.MEM_READ + 1) * 1", {{ 0x400304, 3 }}, 4, NULL },
	/* Fields by perf's and LIKWID's names. */
	{ LINE, NULL, "UNC_C_TOR_INSERTS.MISS_OPCODE:filter_opc=0x182", {{ 0x400335, 2 }}, 2, NULL },
	{ LINE, "cbo", "TOR_INSERTS.MISS_OPCODE with:OPCODE=DRd", {{ 0x400335, 2 }}, 2, NULL },
	{ LINE, "qpi", "ROUND((CLOCKTICKS / TSC) * TSC_SPEED, 0)", {{ 0x400014, 2400000 }}, 2400, NULL },
	{ LINE, NULL, "imc.CAS_COUNT.RD * 64 / cbo.LLC_LOOKUP.READ", {{ 0x400304, 3 }, { 0x402134, 6 }}, 32,
	  NULL },
};

/* Put a value into whichever counter was given this control. */
static bool set_count(const struct count *c)
{
	bool found = false;

	for (unsigned i = 0; i < 4; i++) {
		struct {
			struct fake_reg *ctl, *ctr;
		} boxes[] = {
			{ fake_msr(&fake, 0, 0xe01 + i), fake_msr(&fake, 0, 0xe08 + i) },
			{ fake_pci(&fake, 0, 20, 0, 0xd8 + 4 * i), fake_pci(&fake, 0, 20, 0, 0xa0 + 8 * i) },
			{ fake_pci(&fake, 0, 8, 2, 0xd8 + 4 * i), fake_pci(&fake, 0, 8, 2, 0xa0 + 8 * i) },
		};

		for (unsigned b = 0; b < LEN(boxes); b++)
			if (boxes[b].ctl->value == c->control) {
				boxes[b].ctr->value = c->value;
				found = true;
			}
	}
	return found;
}

static struct session *new_session(void)
{
	struct session_config config = { .access = &fake.access, .names = names, .sockets = 1,
					 .cores = 1 };
	struct session *s;

	fake_reset(&fake);
	fake_msr(&fake, 0, 0xce)->value = 23 << 8;
	if (session_new(&config, &s) < 0)
		return NULL;
	return s;
}

static int type_of(const char *name)
{
	return name ? (int)names_find_type(names, (struct span){ name, strlen(name) }) : -1;
}

static void check_row(const struct row *r)
{
	struct session *s = new_session();
	struct event_error error = { .text = "" };
	struct session_value v;
	struct metric *m = NULL;
	char why[200] = "";

	metric_new(s, names, r->equation, type_of(r->type), -1, 1, &m, &error);
	CHECK_STR(r->line, error.text, "");
	if (!m)
		return;
	CHECK_EQ(r->line, session_start(s, 0, why, sizeof why), 0);
	fake_msr(&fake, 0, 0x704)->value = 2300000;
	fake_msr(&fake, 0, 0x10)->value = 2300000;
	fake_msr(&fake, 0, 0x309)->value = 1000000;
	fake_msr(&fake, 0, 0x30a)->value = 2000000;
	for (unsigned i = 0; i < LEN(r->count) && r->count[i].control; i++)
		CHECK_EQ(r->line, set_count(r->count + i), 1);
	session_stop(s, MS);
	/* Box 0 alone: the fake lets all boxes be there. */
	metric_value(m, s, 0, r->type ? 0 : -1, &v, why, sizeof why);
	CHECK_STR(r->line, why, r->why ? r->why : "");
	CHECK_EQ(r->line, v.validity, r->why ? BXS_NOT_THERE : BXS_EXACT);
	if (!r->why)
		CHECK_EQ(r->line, llround(v.value * 1e6), llround(r->want * 1e6));
	metric_free(m);
	session_free(s);
}

static const struct mistake {
	int line;
	const char *equation, *want;
	unsigned at;
} mistakes[] = {
	{ LINE, "1 +", "an event is missing here", 3 },
	{ LINE, "(1 + 2", "')' is missing here", 6 },
	{ LINE, "1 2", "'2' is not expected here", 2 },
	{ LINE, "cbo.CLOCKTICK * 2", "cbo: no event CLOCKTICK; did you mean CLOCKTICKS?", 4 },
	{ LINE, "UNC_M_CAS_COUNT.RDX * 2", "imc.CAS_COUNT: no subevent RDX; did you mean RD?", 14 },
	{ LINE, "1 + uncore_foo/event=1/", "hsx: no PMU uncore_foo; there are (behind uncore_) ubox, cbox, sbox, ha, imc, irp, pcu, "
	  "qpi, r2pcie, r3qpi", 4 },
	{ LINE, "2 * CAS_COUNT_RD:MBOX0C4", "MBOX0C4: imc has 4 counters, from 0", 17 },
	{ LINE, "LLC-loads / 2", "hsx: no event LLC-loads: the cores count it; the last-level cache itself is measured by "
	  "-m llc_lookups,llc_misses", 0 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE:filter_opd=1", "cbo: no field opd; did you mean opc?", 23 },
	{ LINE, "ROUND(1)", "',' is missing here", 7 },
	{ LINE, "cbo.CLOCKTICKS{thresh=1", "this brace is never closed", 14 },
	{ LINE, "cbo.TOR_INSERTS.OPCODE", "cbo.TOR_INSERTS.OPCODE: needs a value for opc: add :opc=...", 0 },
};

static void check_mistakes(void)
{
	for (const struct mistake *r = mistakes; r < mistakes + LEN(mistakes); r++) {
		struct session *s = new_session();
		struct event_error error = { .text = "" };
		struct metric *m = NULL;

		CHECK_EQ(r->line, metric_new(s, names, r->equation, -1, -1, 1, &m, &error) < 0, 1);
		CHECK_STR(r->line, error.text, r->want);
		CHECK_EQ(r->line, error.at, r->at);
		session_free(s);
	}
}

/* All 93 of the manual's compile, and the names of public metric files. */
static void check_catalogue(void)
{
	const struct cat_family *f = cat_families;

	CHECK_EQ(__LINE__, f->metrics, 93 + 12);
	for (unsigned i = 0; i < f->metrics; i++) {
		const struct cat_metric *c = cat_metrics + f->metric0 + i;
		const char *equation = cat_str(c->equation);
		struct session *s = new_session();
		struct event_error error = { .text = "" };
		struct metric *m = NULL;

		metric_new(s, names, equation, c->type, metric_has_x(equation) ? 1 : -1, 1, &m, &error);
		if (!m) {
			printf("%s: %s\n", cat_str(c->name), equation);
			CHECK_STR(__LINE__, error.text, "");
		}
		metric_free(m);
		session_free(s);
	}
}

static const struct lookup {
	int line;
	const char *type, *name, *want;
	int x;
	unsigned matches;
} lookups[] = {
	{ LINE, "imc", "mem_bw_reads", "MEM_BW_READS", -1, 1 },
	{ LINE, NULL, "MEM_BW_READS", "MEM_BW_READS", -1, 1 },
	{ LINE, NULL, "PCT_CYCLES_DRAM_RANK3_IN_CKE", "PCT_CYCLES_DRAM_RANKx_IN_CKE", 3, 1 },
	{ LINE, NULL, "pct_cycles_dram_rank3_in_cke", "PCT_CYCLES_DRAM_RANKx_IN_CKE", 3, 1 },
	{ LINE, NULL, "PCT_CYCLES_DRAM_RANKx_IN_CKE", "PCT_CYCLES_DRAM_RANKx_IN_CKE", -1, 1 },
	{ LINE, NULL, "DATA_FROM_QPI_TO_NODE1", "DATA_FROM_QPI_TO_NODEx", 1, 1 },
	{ LINE, NULL, "RING_THRU_DN_BYTES", NULL, -1, 2 },
	{ LINE, NULL, "NO_SUCH", NULL, -1, 0 },
};

static void check_lookups(void)
{
	for (const struct lookup *r = lookups; r < lookups + LEN(lookups); r++) {
		unsigned matches;
		int x;
		uint32_t got = metric_find(names, type_of(r->type),
					   (struct span){ r->name, strlen(r->name) }, &x, &matches);

		CHECK_EQ(r->line, matches, r->matches);
		CHECK_EQ(r->line, x, r->x);
		if (r->want)
			CHECK_STR(r->line, got == NAMES_NONE ? NULL : cat_str(cat_metrics[got].name), r->want);
	}
}

int main(void)
{
	if (names_new(0, &names) < 0)
		return 1;
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		check_row(r);
	check_mistakes();
	check_catalogue();
	check_lookups();
	names_free(names);
	return check_done();
}
