/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as other tools spell them: each row says the same in our notation, which event_test.c holds to the
 * registers.  What the tools themselves put in the registers is compared by
 * tests/clients/test_names.py.
 */
#include <string.h>

#include "base/error.h"
#include "catalog/find.h"
#include "check.h"
#include "measure/spelling.h"

static struct names *names;

static const struct same {
	int line;
	const char *family, *other, *ours, *shown;	/* shown NULL: as it was written */
} sames[] = {
	/* Intel's event files: a prefix for the box; what follows may be ours. */
	{ LINE, "hsx", "UNC_M_CAS_COUNT.RD", "imc.CAS_COUNT.RD", NULL },
	{ LINE, "hsx", "unc_m_cas_count.rd", "imc.CAS_COUNT.RD", NULL },
	{ LINE, "hsx", "UNC_R2_RING_IV_USED.CW", "r2pcie.RING_IV_USED.CW", NULL },
	{ LINE, "hsx", "UNC_R3_TxR_NACK.DN_AD", "r3qpi.TxR_NACK.DN_AD", NULL },
	{ LINE, "hsx", "UNC_C_LLC_VICTIMS.S_STATE", "cbo.LLC_VICTIMS.I_STATE", NULL },
	{ LINE, "hsx", "UNC_C_LLC_VICTIMS.M_STATE+E_STATE", "cbo.LLC_VICTIMS.M_STATE+E_STATE", NULL },
	{ LINE, "hsx", "UNC_C_TOR_INSERTS.OPCODE:opc=DRd:thresh=2", "cbo.TOR_INSERTS.OPCODE:opc=0x182,thresh=2",
	  "UNC_C_TOR_INSERTS.OPCODE" },
	{ LINE, "hsx", "UNC_U_CLOCKTICKS", "ubox.CLOCKTICKS", NULL },
	{ LINE, "snbep", "UNC_Q_TxL_FLITS_G1.DRS", "qpi.TxL_FLITS_G1.DRS", NULL },
	/* libpfm4: subevents, values of filters that look like them, modifiers. */
	{ LINE, "hsx", "hswep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY", "cbo0.LLC_LOOKUP.ANY", NULL },
	{ LINE, "hsx", "hswep_unc_cbo17::UNC_C_LLC_LOOKUP:ANY:STATE_M:STATE_MP", "cbo17.LLC_LOOKUP.ANY:state=M|M'", NULL },
	{ LINE, "hsx", "hswep_unc_cbo::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_PF_DATA:t=3:e:i",
	  "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x192,thresh=3,edge,inv", NULL },
	{ LINE, "hsx", "hswep_unc_cbo2::UNC_C_TOR_INSERTS:NID_ALL:nf=1", "cbo2.TOR_INSERTS.NID_ALL:nid=1", NULL },
	{ LINE, "hsx", "UNC_C_LLC_VICTIMS:STATE_M:STATE_E", "cbo.LLC_VICTIMS.M_STATE+E_STATE", NULL },
	{ LINE, "hsx", "hswep_unc_ha1::UNC_H_SNOOP_RESP_RECV_LOCAL:RSP_WB", "ha1.SNP_RESP_RECV_LOCAL.RSPxWB", NULL },
	{ LINE, "hsx", "hswep_unc_imc0::UNC_M_CLOCKTICKS", "imc0.MC_CHy_PCI_PMON_FIXED_CTR", NULL },
	{ LINE, "hsx", "hswep_unc_pcu::UNC_P_FREQ_BAND2_CYCLES:ff=12", "pcu.FREQ_BAND2_CYCLES:filt23_16=12", NULL },
	{ LINE, "snbep", "snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD", "cbo0.TOR_INSERTS.MISS_OPCODE+OPC_DRD", NULL },
	/* LIKWID: the counter says which box. */
	{ LINE, "hsx", "CAS_COUNT_RD:MBOX0C0", "imc0.CAS_COUNT.RD", NULL },
	{ LINE, "hsx", "CAS_COUNT_RD:MBOX7C3:THRESHOLD=2:EDGEDETECT", "imc7.CAS_COUNT.RD:thresh=2,edge", NULL },
	{ LINE, "hsx", "TOR_INSERTS_MISS_LOCAL_OPCODE:CBOX3C1:OPCODE=0x182", "cbo3.TOR_INSERTS.MISS_LOCAL_OPCODE:opc=DRd", NULL },
	{ LINE, "hsx", "LLC_LOOKUP_ANY:CBOX0C0:STATE=0x1", "cbo0.LLC_LOOKUP.ANY:state=I", NULL },
	{ LINE, "hsx", "UNCORE_CLOCK:UBOXFIX", "ubox.U_MSR_PMON_UCLK_FIXED_CTR", NULL },
	{ LINE, "hsx", "CORE_PKG_C3_RESIDENCY:WBOX3FIX", "pcu.PCU_MSR_CORE_PC3_CTR", NULL },
	{ LINE, "hsx", "WBOX_CLOCKTICKS:WBOX1", "pcu.CLOCKTICKS", NULL },
	{ LINE, "hsx", "R2PCIE_RING_AD_USED_ANY:PBOX2", "r2pcie.RING_AD_USED.0xf", NULL },
	{ LINE, "hsx", "R3QPI_RING_BL_USED_CCW:RBOX1C0", "r3qpi1.RING_BL_USED.CCW", NULL },
	{ LINE, "hsx", "RXL_FLITS_G1_DRS_DATA:QBOX1C2", "qpi1.RxL_FLITS_G1.DRS_DATA", NULL },
	{ LINE, "snbep", "RXL_FLITS_G1_DRS_DATA:SBOX1C2", "qpi1.RxL_FLITS_G1.DRS_DATA", NULL },
	{ LINE, "snbep", "TAD_REQUESTS_G1_REGION_11:BBOX0C0", "ha0.TAD_REQUESTS_G1.REGION11", NULL },
	/* Port 5 is port 1 of the second router; which of its two selections counts it is ours to choose. */
	{ LINE, "nhmex", "FLITS_SENT_PORT5_IPERF1:RBOX1C0", "rbox1.FLITS_SENT:port=1", NULL },
	{ LINE, "nhmex", "QUE_ARB_BID_PORT0_QLX0_HOM:RBOX0C2", "rbox0.QUE_ARB_BID.HOM:port=0", NULL },
	/* perf: one box with a number, all without. */
	{ LINE, "hsx", "uncore_imc_0/cas_count_read/", "imc0.CAS_COUNT.RD", NULL },
	{ LINE, "hsx", "uncore_imc/cas_count_write/", "imc.CAS_COUNT.WR", NULL },
	{ LINE, "hsx", "uncore_imc_*/clockticks/", "imc.DCLOCKTICKS", NULL },
	{ LINE, "snbep", "uncore_imc/clockticks/", "imc.MC_CHy_PCI_PMON_FIXED_CTR", NULL },
	{ LINE, "hsx", "uncore_imc_3/event=0xff/", "imc3.MC_CHy_PCI_PMON_FIXED_CTR", NULL },
	{ LINE, "hsx", "uncore_imc_3/unc_m_cas_count.rd,name=reads/", "imc3.CAS_COUNT.RD", "reads" },
	{ LINE, "hsx", "uncore_cbox_0/event=0x34,umask=0x11,filter_state=0x7f/", "cbo0.LLC_LOOKUP.ANY:state=0x7f", NULL },
	{ LINE, "hsx", "uncore_cbox/event=0x35,umask=0x3,filter_opc=0x182,thresh=1,edge=1/",
	  "cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd,thresh=1,edge", NULL },
	{ LINE, "hsx", "uncore_cbox/event=0x13,umask=0x1,tid_en=1,filter_tid=0x3e/", "cbo.RxR_INSERTS.IRQ:tid=0x3e", NULL },
	{ LINE, "hsx", "uncore_cbox_1/r335,config1=0x1820000000000000/", "cbo1.TOR_INSERTS.MISS_OPCODE:opc=DRd", NULL },
	{ LINE, "hsx", "uncore_qpi_1/event=0x102,umask=0x8/", "qpi1.RxL_FLITS_G1.DRS_DATA", NULL },
	{ LINE, "hsx", "uncore_qpi/drs_data/", "qpi.RxL_FLITS_G1.DRS_DATA", NULL },
	{ LINE, "hsx", "uncore_pcu/event=0x80,occ_sel=2,thresh=3/", "pcu.POWER_STATE_OCCUPANCY.CORES_C3:thresh=3", NULL },
	{ LINE, "hsx", "uncore_pcu/event=0xb,filter_band0=12/", "pcu.FREQ_BAND0_CYCLES:filt7_0=12", NULL },
	{ LINE, "nhmex", "uncore_bbox_0/event=0x1,counter=2/", "bbox0.MSGS_IN_NON_SNP", NULL },
	{ LINE, "nhmex", "uncore_mbox_1/bbox_cmds_read/", "mbox1.FVC_EV0.BBOX_CMDS_READS", NULL },
	{ LINE, "nhmex", "uncore_wbox/clockticks/", "wbox.W_MSR_PMON_FIXED_CTR", NULL },
	{ LINE, "poulson", "instructions", "core.IA64_INST_RETIRED", NULL },
	{ LINE, "hsx", "cache-misses", "core.LONGEST_LAT_CACHE.MISS", NULL },
	{ LINE, "snbep", "branches", "core.BR_INST_RETIRED.ALL_BRANCHES", NULL },
	{ LINE, "nhmex", "ref-cycles", "core.CPU_CLK_UNHALTED.REF", NULL },
	{ LINE, "hsx", "LLC_MISSES.MEM_READ", "imc.CAS_COUNT.RD", NULL },
	/* pcm-raw: the control itself, enabled or not, with or without the last slash. */
	{ LINE, "hsx", "imc/config=0x304,name=READS", "imc.CAS_COUNT.RD", "READS" },
	{ LINE, "hsx", "imc/config=0x400304/", "imc.CAS_COUNT.RD", NULL },
	{ LINE, "hsx", "cha/config=0x2441134", "cbo.LLC_LOOKUP.ANY:thresh=2,edge", NULL },
	{ LINE, "hsx", "imc/fixed,name=DRAM_CLOCKS", "imc.MC_CHy_PCI_PMON_FIXED_CTR", "DRAM_CLOCKS" },
	{ LINE, "hsx", "qpi/config=0x200802", "qpi.RxL_FLITS_G1.DRS_DATA", NULL },
	{ LINE, "hsx", "pcu/config=0xb,config1=0xc", "pcu.FREQ_BAND0_CYCLES:filt7_0=12", NULL },
	/* Fields of our notation by the names of perf, LIKWID and libpfm4. */
	{ LINE, "hsx", "cbo.TOR_INSERTS.OPCODE:filter_opc=DRd", "cbo.TOR_INSERTS.OPCODE:opc=DRd", "cbo.TOR_INSERTS.OPCODE:filter_opc=DRd" },
	{ LINE, "hsx", "cbo.TOR_INSERTS.OPCODE:OPCODE=0x182,THRESHOLD=2", "cbo.TOR_INSERTS.OPCODE:opc=DRd,thresh=2",
	  "cbo.TOR_INSERTS.OPCODE:OPCODE=0x182,THRESHOLD=2" },
	{ LINE, "hsx", "cbo.TOR_INSERTS.OPCODE with:{filter_opc=0x182}", "cbo.TOR_INSERTS.OPCODE:opc=DRd",
	  "cbo.TOR_INSERTS.OPCODE with:{filter_opc=0x182}" },
	{ LINE, "hsx", "pcu.FREQ_BAND0_CYCLES:filter_band0=12", "pcu.FREQ_BAND0_CYCLES:filt7_0=12", "pcu.FREQ_BAND0_CYCLES:filter_band0=12" },
	{ LINE, "hsx", "qpi.CTO_COUNT:match_opc=3,mask_opc=0xf", "qpi.CTO_COUNT with:{Q_Py_PCI_PMON_PKT_Rx_MATCH0[8:5]=3,"
	  "Q_Py_PCI_PMON_PKT_Rx_MASK0[8:5]=0xf}", "qpi.CTO_COUNT:match_opc=3,mask_opc=0xf" },
	/* Raw, as perf writes it. */
	{ LINE, "hsx", "cbo.r1134", "cbo.LLC_LOOKUP.ANY", NULL },
	{ LINE, "hsx", "r412e", "core.LONGEST_LAT_CACHE.MISS", NULL },
	{ LINE, "nhmex", "cpu/event=0x2e,umask=0x41/", "core.LONGEST_LAT_CACHE.MISS", NULL },
	{ LINE, "snbep", "cpu/cpu-cycles/", "core.CPU_CLK_UNHALTED.THREAD_P", NULL },
	{ LINE, "bdx", "cpu/config=0xc0/", "core.INST_RETIRED.ANY_P", NULL },
	{ LINE, "ivbep", "core/config=0x13c,name=bus/", "core.CPU_CLK_UNHALTED.REF_XCLK", "bus" },
	{ LINE, "hsx", "cbo12.r1134:state=M", "cbo12.LLC_LOOKUP.ANY:state=M", "cbo12.r1134" },
};

static const struct mistake {
	int line;
	const char *family, *text, *want;
	unsigned at;
} mistakes[] = {
	{ LINE, "hsx", "UNC_M_CAS_COUNT.RDX", "imc.CAS_COUNT: no subevent RDX; did you mean RD?", 0 },
	{ LINE, "hsx", "UNC_M_CAS_CONT.RD", "imc: no event CAS_CONT; did you mean CAS_COUNT?", 0 },
	{ LINE, "hsx", "cbo.CLOCKTICKS,UNC_X_FOO", "hsx: no event UNC_X_FOO; its events begin with UNC_U, UNC_C, ", 15 },
	{ LINE, "nhmex", "UNC_M_CAS_COUNT.RD", "nhmex: no event UNC_M_CAS_COUNT; Intel's event files do not have this", 0 },
	{ LINE, "hsx", "snbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY", "snbep_unc_cbo0 is of snbep, and this machine is a hsx", 0 },
	{ LINE, "hsx", "hswep_unc_cb0::UNC_C_LLC_LOOKUP:ANY", "hsx: libpfm4 has no hswep_unc_cb0 there; did you mean hswep_unc_cbo?", 0 },
	{ LINE, "hsx", "hswep_unc_cbo18::UNC_C_LLC_LOOKUP:ANY", "cbo: no box 18; there are 18, from 0", 0 },
	{ LINE, "hsx", "hswep_unc_cbo0::UNC_M_CAS_COUNT:RD", "hswep_unc_cbo0 has no event UNC_M_CAS_COUNT; its events begin with UNC_C_", 16 },
	{ LINE, "hsx", "hswep_unc_cbo0::UNC_C_LLC_LOOKUP:", "a unit mask or a modifier is missing here", 33 },
	{ LINE, "hsx", "hswep_unc_cbo0::UNC_C_LLC_LOOKUP:ANYY", "cbo.LLC_LOOKUP: no subevent ANYY; did you mean ANY?", 0 },
	{ LINE, "hsx", "CAS_COUNT_RDX:MBOX0C0", "imc: no event CAS_COUNT_RDX; did you mean CAS_COUNT?", 0 },
	{ LINE, "hsx", "CAS_COUNT_RD:MBOX0C4", "MBOX0C4: imc has 4 counters, from 0", 13 },
	{ LINE, "hsx", "CAS_COUNT_RD:MBOX8C0", "imc: no box 8; there are 8, from 0", 0 },
	{ LINE, "hsx", "CAS_COUNT_RD:MBOX0C0:NOTHING", "imc: no field NOTHING", 0 },
	{ LINE, "hsx", "INSTR_RETIRED_ANY:FIXC0", "hsx: no event FIXC0: a counter of the cores", 18 },
	{ LINE, "hsx", "QPI_RATE:QBOX0FIX0", "hsx: no event QPI_RATE: the rate of the link is no count", 0 },
	{ LINE, "nhmex", "FLITS_SENT_PORT8_IPERF0:RBOX1C0", "rbox has no port 8; there are 8, from 0", 0 },
	{ LINE, "nhmex", "FLITS_SENT_PORT5_IPERF0:RBOX0C0", "port 5 is not of RBOX0C0", 0 },
	{ LINE, "hsx", "uncore_foo/event=1/", "hsx: no PMU uncore_foo; there are (behind uncore_) ubox, cbox, ", 0 },
	{ LINE, "hsx", "uncore_cbx/event=1/", "hsx: no PMU uncore_cbx; did you mean cbox?", 0 },
	{ LINE, "poulson", "uncore_cbox/event=1/", "poulson: no PMU uncore_cbox; perf has none of this family", 0 },
	{ LINE, "hsx", "uncore_imc/cas_count_reads/", "uncore_imc: no event or flag cas_count_reads; did you mean cas_count_read?", 11 },
	{ LINE, "hsx", "uncore_imc/event=4,umask=many/", "umask needs a number, as 0x34 or 52", 25 },
	{ LINE, "hsx", "uncore_imc/event=4,event=5/", "event is given twice", 19 },
	{ LINE, "hsx", "uncore_imc/event=4,config=5/", "uncore_imc: the event is given twice", 0 },
	{ LINE, "hsx", "uncore_imc/thresh=1/", "uncore_imc: which event? write event=, config= or its name", 0 },
	{ LINE, "hsx", "uncore_imc/event=4,umask=3,filter_opc=1/", "imc: no field opc", 0 },
	{ LINE, "hsx", "uncore_imc/config=0x200304/", "imc: bits 21:21 of a control are no field", 0 },
	{ LINE, "hsx", "uncore_imc/config=0x100000304/", "imc: a control has 32 bits", 0 },
	{ LINE, "hsx", "uncore_imc/config=0x304,config1=1/", "imc has no config1", 24 },
	{ LINE, "hsx", "uncore_imc_8/cas_count_read/", "imc: no box 8; there are 8, from 0", 0 },
	{ LINE, "hsx", "uncore_imc_0/cas_count_read/u", "'u' is not expected here", 28 },
	{ LINE, "hsx", "uncore_imc/event=4,umask=3/:thres=1", "imc: no field thres; did you mean thresh?", 0 },
	{ LINE, "hsx", "uncore_cpu/event=1/", "hsx: no PMU uncore_cpu; there are (behind uncore_) ubox, cbox, ", 0 },
	{ LINE, "hsx", "cpuu/event=1/", "hsx: no PMU cpuu; did you mean cpu?", 0 },
	{ LINE, "hsx", "cpu/mem-loads/", "cpu: no event or flag mem-loads; named events are cpu-cycles, ", 4 },
	{ LINE, "hsx", "LLC-loads", "hsx: no event LLC-loads: the cores count it; the last-level cache itself ", 0 },
	{ LINE, "hsx", "page-faults", "hsx: no event page-faults: the operating system counts it", 0 },
	{ LINE, "hsx", "cycles:u", "cycles counts user and kernel together; write it without a modifier", 6 },
	{ LINE, "poulson", "r1134", "poulson: no event r1134; a raw event needs its box: BOX.r1134, or BOX.0x34.0x11", 0 },
	{ LINE, "hsx", "cbo.r100001134", "cbo: a control has 32 bits", 4 },
	/* What is nothing of anybody's keeps the error that it had. */
	{ LINE, "hsx", "nothing", "hsx: no event nothing; boxes are ", 0 },
	{ LINE, "hsx", "cbo.TOR_INSERTS.OPCODE:opc=XYZ", "cbo: XYZ is no value for opc; write a number or RFO, CRd, DRd, ", 27 },
};

struct taken {
	struct event_spec spec;
	char name[128], equation[64];
	unsigned count;
};

static int keep(void *ctx, const struct event_spec *spec, struct span name)
{
	struct taken *t = ctx;

	t->spec = *spec;
	t->count++;
	snprintf(t->name, sizeof t->name, "%.*s", (int)name.n, name.s);
	return 0;
}

static int keep_equation(void *ctx, struct span name, const char *equation)
{
	struct taken *t = ctx;

	snprintf(t->name, sizeof t->name, "%.*s", (int)name.n, name.s);
	snprintf(t->equation, sizeof t->equation, "%s", equation);
	return 0;
}

static void use(const char *family)
{
	names_free(names);
	names = NULL;
	CHECK_EQ(__LINE__, names_new((unsigned)(cat_find_family(family, strlen(family)) - cat_families), &names), 0);
}

static void settings_of(const struct event_spec *spec, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *s = spec->setting + i;

		used += (size_t)snprintf(out + used, size - used, "%u.%u[%u:%u]=%#" PRIx64 " ", s->reg, s->element, s->hi, s->lo, s->value);
	}
}

static void check_same(int line, const struct event_spec *a, const struct event_spec *b)
{
	char left[600], right[600];

	CHECK_EQ(line, a->control, b->control);
	CHECK_EQ(line, a->counters, b->counters);
	CHECK_EQ(line, a->type, b->type);
	CHECK_EQ(line, a->kind, b->kind);
	CHECK_EQ(line, a->socket, b->socket);
	CHECK_EQ(line, a->box, b->box);
	CHECK_EQ(line, a->event, b->event);
	CHECK_EQ(line, a->reg, b->reg);
	settings_of(a, left, sizeof left);
	settings_of(b, right, sizeof right);
	CHECK_STR(line, left, right);
}

static void check_sames(void)
{
	for (const struct same *r = sames; r < sames + LEN(sames); r++) {
		struct event_error error = { .text = "" };
		struct taken other = { .count = 0 }, ours = { .count = 0 };

		use(r->family);
		if (event_list(names, r->other, keep, &other, &error) < 0)
			CHECK_STR(r->line, error.text, "");
		CHECK_EQ(r->line, event_list(names, r->ours, keep, &ours, &error), 0);
		CHECK_EQ(r->line, other.count, 1);
		CHECK_STR(r->line, other.name, r->shown ? r->shown : r->other);
		check_same(r->line, &other.spec, &ours.spec);
	}
}

static void check_mistakes(void)
{
	for (const struct mistake *r = mistakes; r < mistakes + LEN(mistakes); r++) {
		struct event_error error = { .text = "" };
		struct taken t = { .count = 0 };
		int err;

		use(r->family);
		err = event_list_all(names, r->text, keep, keep_equation, &t, &error);
		CHECK_EQ(r->line, err == BXS_EINVAL || err == BXS_ENOENT, 1);
		if (strncmp(error.text, r->want, strlen(r->want)) != 0)
			CHECK_STR(r->line, error.text, r->want);
		CHECK_EQ(r->line, error.at, r->at);
	}
}

/* Lists, patterns and groups of all styles. */
static void check_lists(void)
{
	struct event_error error = { .text = "" };
	struct taken t = { .count = 0 };

	use("hsx");
	/* CAS_COUNT has nine subevents in this family: RD_REG RD_UNDERFILL RD WR_WMM WR_RMM WR ALL RD_WMM RD_RMM. */
	CHECK_EQ(__LINE__, event_list(names, "UNC_M_CAS_COUNT.*", keep, &t, &error), 0);
	CHECK_EQ(__LINE__, t.count, 9);
	t.count = 0;
	CHECK_EQ(__LINE__, event_list(names, "{uncore_cbox_0/event=0x34,umask=0x11/,LLC_LOOKUP_ANY:CBOX0C1},"
				      "hswep_unc_imc0::UNC_M_CAS_COUNT:RD , imc.CAS_COUNT.WR", keep, &t, &error), 0);
	CHECK_EQ(__LINE__, t.count, 4);
	/* What the cores count is an equation, or refused where there can be none. */
	CHECK_EQ(__LINE__, event_list_all(names, "instructions", keep, keep_equation, &t, &error), 0);
	CHECK_STR(__LINE__, t.equation, "(INST_RETIRED.ALL)");
	CHECK_STR(__LINE__, t.name, "instructions");
	CHECK_EQ(__LINE__, event_list(names, "cycles", keep, &t, &error), BXS_EINVAL);
	CHECK_STR(__LINE__, error.text, "cycles is no event of a box; as a metric it is cycles=(CORE_CYCLES)");
}

struct round {
	const struct event_spec *ours;
	const char *name;
	unsigned shown;
};

/* Every spelling that is shown of an event is read as that event; perf and PCM leave its filters out. */
static void read_back(void *ctx, const char *tool, const char *text)
{
	struct round *r = ctx;
	struct event_error error = { .text = "" };
	struct taken t = { .count = 0 };
	char given[400];
	int err;

	r->shown++;
	snprintf(given, sizeof given, "%s%s", text, strchr(r->name, ':') ? strchr(r->name, ':') : "");
	err = event_list(names, given, keep, &t, &error);
	if (err < 0 || t.spec.control != r->ours->control || t.spec.type != r->ours->type || t.spec.kind != r->ours->kind)
		CHECK_STR(__LINE__, error.text[0] ? error.text : given, r->name);
	CHECK_EQ(__LINE__, tool[0] != '\0', 1);
}

static int each(void *ctx, const struct event_spec *spec, struct span name)
{
	unsigned *shown = ctx;
	char text[256], *dot;
	struct round r = { .ours = spec, .name = text };
	uint32_t umask = NAMES_NONE;
	const struct cat_event *e = cat_events + spec->event;

	snprintf(text, sizeof text, "%.*s", (int)name.n, name.s);
	if (spec->event == NAMES_NONE)
		return 0;
	dot = strchr(text, '.') + 1 + strlen(cat_str(e->name));
	if (*dot == '.')
		umask = names_find_umask(names, spec->event, (struct span){ dot + 1, strcspn(dot + 1, ":") });
	spelling_each(names, spec->event, umask, read_back, &r);
	*shown += r.shown;
	return 0;
}

int main(void)
{
	static const struct { const char *family, *events; unsigned least; } all[] = {
		{ "hsx", "*.*", 4000 }, { "snbep", "*.*", 1500 }, { "nhmex", "*.*", 300 }, { "poulson", "*.*", 0 },
	};

	check_sames();
	check_mistakes();
	check_lists();
	for (unsigned i = 0; i < LEN(all); i++) {
		struct event_error error = { .text = "" };
		unsigned shown = 0;

		use(all[i].family);
		CHECK_EQ(__LINE__, event_list(names, all[i].events, each, &shown, &error), 0);
		CHECK_EQ(__LINE__, shown >= all[i].least, 1);
		printf("%s: %u spellings\n", all[i].family, shown);
	}
	names_free(names);
	return check_done();
}
