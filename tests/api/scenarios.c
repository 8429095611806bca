/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Over every scenario that is shipped: laws that hold whatever runs (what one box sends another receives, what
 * one counts in parts it counts in the whole, states of the cores sum to time); and all scenarios together
 * make every event happen that the machine drives.  From what the machine knows, so that all of it is of one run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "check.h"
#include "scenario_devices.h"

/* When a law is one: always; if every miss asks all other sockets; if there are two; if what goes past the caches is
 * nothing (streaming stores, device registers, bus locks). */
enum { ALWAYS, EARLY = 1, PAIR = 2, CACHED = 4, LEAST = 8 };

#define PAST "cbo.TOR_INSERTS.OPCODE{opc=WCiLF} + cbo.TOR_INSERTS.OPCODE{opc=WCiL} + " \
	     "cbo.TOR_INSERTS.OPCODE{opc=PRd} + cbo.TOR_INSERTS.OPCODE{opc=WiL} + ubox.PHOLD_CYCLES.ASSERT_TO_ACK"
#define ASKED "(ha.REQUESTS.READS + ha.REQUESTS.INVITOE_LOCAL + ha.REQUESTS.INVITOE_REMOTE)"
#define RESIDENT "pcu.PKG_RESIDENCY_C0_CYCLES + pcu.PKG_RESIDENCY_C1E_CYCLES + pcu.PKG_RESIDENCY_C2E_CYCLES + " \
	"pcu.PKG_RESIDENCY_C3_CYCLES + pcu.PKG_RESIDENCY_C6_CYCLES"
#define RANKS(cas) "imc." cas "_RANK0.ALLBANKS + imc." cas "_RANK1.ALLBANKS + imc." cas "_RANK2.ALLBANKS + imc." cas \
	"_RANK3.ALLBANKS + imc." cas "_RANK4.ALLBANKS + imc." cas "_RANK5.ALLBANKS + imc." cas "_RANK6.ALLBANKS + imc." \
	cas "_RANK7.ALLBANKS"
#define CREDITS(ring) "cbo.SBO_CREDITS_ACQUIRED." ring " + ha.SBO0_CREDITS_ACQUIRED." ring " + ha.SBO1_CREDITS_ACQUIRED." ring \
	" + r3qpi.SBO0_CREDITS_ACQUIRED." ring " + r3qpi.SBO1_CREDITS_ACQUIRED." ring " + r2pcie.SBO0_CREDITS_ACQUIRED." ring
#define SNOOPS "ha.SNOOP_RESP.RSPI + ha.SNOOP_RESP.RSPS + ha.SNOOP_RESP.RSPIFWD + ha.SNOOP_RESP.RSPSFWD + ha.SNOOP_RESP.RSP_WB"
#define TRACKED "ha.TRACKER_OCCUPANCY.READS_LOCAL + ha.TRACKER_OCCUPANCY.READS_REMOTE + " \
	"ha.TRACKER_OCCUPANCY.INVITOE_LOCAL + ha.TRACKER_OCCUPANCY.INVITOE_REMOTE"
#define GROUPS(cas) "imc." cas "_RANK0.BANKG0 + imc." cas "_RANK0.BANKG1 + imc." cas "_RANK0.BANKG2 + imc." cas \
	"_RANK0.BANKG3"
/* NCS is class 4, in bits 9 to 12 of a packet; a message's size bit, 8, says that its header has three flits. */
#define LONG_NCS "(qpi.CTO_COUNT with:{Q_Py_PCI_PMON_PKT_Rx_MATCH0[31:0]=0x900,Q_Py_PCI_PMON_PKT_Rx_MASK0[31:0]=0x1f00})"
#define PER_CLASS(event) event "_DRS + " event "_NCB + " event "_NCS + " event "_HOM + " event "_SNP + " event "_NDR"
#define CORE(n, what) "pcu.CORE" #n #what
#define CORES(what) CORE(0, what) " + " CORE(1, what) " + " CORE(2, what) " + " CORE(3, what) " + " CORE(4, what) " + " \
	CORE(5, what) " + " CORE(6, what) " + " CORE(7, what) " + " CORE(8, what) " + " CORE(9, what) " + " CORE(10, what) " + " \
	CORE(11, what) " + " CORE(12, what) " + " CORE(13, what) " + " CORE(14, what) " + " CORE(15, what) " + " CORE(16, what) \
	" + " CORE(17, what)

/* left == right, or if LEAST left >= right, at the end of a run in which everything has come to rest. */
static const struct law {
	int line;
	const char *left, *right;
	unsigned when;
	double near;		/* permille by which they may differ while devices are at work: what is under way */
} laws[] = {
	/* Flits of every class arrive at the other end. */
	{ LINE, "qpi.TxL_FLITS_G0.DATA", "qpi.RxL_FLITS_G0.DATA", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G1.DRS_DATA", "qpi.RxL_FLITS_G1.DRS_DATA", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G1.DRS_NONDATA", "qpi.RxL_FLITS_G1.DRS_NONDATA", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G1.HOM_REQ", "qpi.RxL_FLITS_G1.HOM_REQ", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G1.HOM_NONREQ", "qpi.RxL_FLITS_G1.HOM_NONREQ", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G1.SNP", "qpi.RxL_FLITS_G1.SNP", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NDR_AD", "qpi.RxL_FLITS_G2.NDR_AD", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NCB_DATA", "qpi.RxL_FLITS_G2.NCB_DATA", ALWAYS, 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NCS", "qpi.RxL_FLITS_G2.NCS", ALWAYS, 1 },
	/* A credit of a class is used at one end and consumed at the other; what is routed through goes on on VN1. */
	{ LINE, "r3qpi.VN0_CREDITS_USED.DRS", "qpi.RxL_CREDITS_CONSUMED_VN0.DRS", ALWAYS, 0 },
	{ LINE, "r3qpi.VN0_CREDITS_USED.SNP", "qpi.RxL_CREDITS_CONSUMED_VN0.SNP", ALWAYS, 0 },
	{ LINE, "r3qpi.VN1_CREDITS_USED.DRS", "qpi.RxL_CREDITS_CONSUMED_VN1.DRS", ALWAYS, 0 },
	{ LINE, "r3qpi.VN1_CREDITS_USED.HOM", "qpi.RxL_CREDITS_CONSUMED_VN1.HOM", ALWAYS, 0 },
	{ LINE, "r3qpi.VN1_CREDITS_USED.SNP", "qpi.RxL_CREDITS_CONSUMED_VN1.SNP", ALWAYS, 0 },
	{ LINE, "r3qpi.RxR_INSERTS_VN1.NDR", "qpi.TxR_AD_NDR_CREDIT_ACQUIRED.VN0 + qpi.TxR_AD_NDR_CREDIT_ACQUIRED.VN1", ALWAYS, 0 },
	/* A packet takes one credit of its class on its way out of the link layer: header flits count packets, of lines data does. */
	{ LINE, "8 * (qpi.TxR_BL_DRS_CREDIT_ACQUIRED.VN0 + qpi.TxR_BL_DRS_CREDIT_ACQUIRED.VN1)", "qpi.RxL_FLITS_G1.DRS_DATA", ALWAYS, 1 },
	{ LINE, "8 * (qpi.TxR_BL_NCB_CREDIT_ACQUIRED.VN0 + qpi.TxR_BL_NCB_CREDIT_ACQUIRED.VN1)", "qpi.RxL_FLITS_G2.NCB_DATA", ALWAYS, 1 },
	{ LINE, "qpi.TxR_BL_NCS_CREDIT_ACQUIRED.VN0 + qpi.TxR_BL_NCS_CREDIT_ACQUIRED.VN1", "qpi.RxL_FLITS_G2.NCS - 2 * " LONG_NCS, ALWAYS, 1 },
	{ LINE, "qpi.TxR_AD_HOM_CREDIT_ACQUIRED.VN0 + qpi.TxR_AD_HOM_CREDIT_ACQUIRED.VN1", "qpi.RxL_FLITS_G1.HOM", ALWAYS, 1 },
	{ LINE, "qpi.TxR_AD_SNP_CREDIT_ACQUIRED.VN0 + qpi.TxR_AD_SNP_CREDIT_ACQUIRED.VN1", "qpi.RxL_FLITS_G1.SNP", ALWAYS, 1 },
	{ LINE, "qpi.TxR_AK_NDR_CREDIT_ACQUIRED.VN0 + qpi.TxR_AK_NDR_CREDIT_ACQUIRED.VN1", "qpi.RxL_FLITS_G2.NDR_AK", ALWAYS, 1 },
	/* Flits go through the buffers of a link or past them; a class at a time they are what the receive buffer has. */
	{ LINE, "qpi.TxL_INSERTS + qpi.TxL_BYPASSED", "qpi.TxL_FLITS_G0.DATA + qpi.TxL_FLITS_G0.NON_DATA", ALWAYS, 1 },
	{ LINE, "qpi.RxL_INSERTS + qpi.RxL_BYPASSED", "qpi.RxL_FLITS_G0.DATA + qpi.RxL_FLITS_G0.NON_DATA", ALWAYS, 1 },
	/* In each clock a flit goes, be it an idle one; at half width in every second clock, and none while the link is shut down. */
	{ LINE, "qpi.TxL_FLITS_G0.IDLE + qpi.TxL_FLITS_G0.DATA + qpi.TxL_FLITS_G0.NON_DATA + qpi.TxL0P_POWER_CYCLES / 2",
	  "qpi.CLOCKTICKS - qpi.L1_POWER_CYCLES", ALWAYS, 5 },
	{ LINE, "qpi.RxL_FLITS_G0.IDLE + qpi.RxL_FLITS_G0.DATA + qpi.RxL_FLITS_G0.NON_DATA + qpi.RxL0P_POWER_CYCLES / 2",
	  "qpi.CLOCKTICKS - qpi.L1_POWER_CYCLES", ALWAYS, 5 },
	{ LINE, PER_CLASS("qpi.RxL_INSERTS"), "qpi.RxL_INSERTS", ALWAYS, 1 },
	{ LINE, PER_CLASS("qpi.RxL_OCCUPANCY"), "qpi.RxL_OCCUPANCY", ALWAYS, 1 },
	{ LINE, "qpi.VNA_CREDIT_RETURNS", "qpi.RxL_CREDITS_CONSUMED_VNA", ALWAYS, 1 },
	/* Commands of a channel. */
	{ LINE, "imc.CAS_COUNT.RD + imc.CAS_COUNT.WR", "imc.CAS_COUNT.ALL", ALWAYS, 0 },
	{ LINE, "imc.RPQ_INSERTS", "imc.CAS_COUNT.RD_REG + imc.WPQ_READ_HIT", ALWAYS, 1 },
	{ LINE, "imc.WPQ_INSERTS", "imc.CAS_COUNT.WR", ALWAYS, 1 },
	/* What the home agents ask of memory is read there, or found in the write queue. */
	{ LINE, "ha.REQUESTS.READS_LOCAL + ha.REQUESTS.READS_REMOTE", "ha.REQUESTS.READS", ALWAYS, 0 },
	{ LINE, "ha.REQUESTS.WRITES_LOCAL + ha.REQUESTS.WRITES_REMOTE", "ha.REQUESTS.WRITES", ALWAYS, 0 },
	{ LINE, "ha.IMC_READS.NORMAL + ha.BYPASS_IMC.TAKEN", "imc.CAS_COUNT.RD_REG + imc.WPQ_READ_HIT", ALWAYS, 1 },
	{ LINE, "imc.CAS_COUNT.RD_REG + imc.CAS_COUNT.RD_UNDERFILL", "imc.CAS_COUNT.RD", ALWAYS, 0 },
	{ LINE, "ha.IMC_WRITES.ALL", "imc.CAS_COUNT.WR + imc.WPQ_WRITE_HIT", ALWAYS, 1 },
	/* What comes off the ring for devices is theirs; what leaves for a core is data sent past the CBo. */
	{ LINE, "irp.RxR_BL_NCB_INSERTS", "r2pcie.RxR_INSERTS.NCB", ALWAYS, 1 },
	{ LINE, "irp.RxR_BL_NCS_INSERTS", "r2pcie.RxR_INSERTS.NCS", ALWAYS, 1 },
	{ LINE, "irp.RxR_BL_DRS_INSERTS", "r2pcie.IIO_CREDITS_ACQUIRED.DRS", ALWAYS, 1 },
	{ LINE, "ha.DIRECT2CORE_COUNT", "ha.TxR_BL.DRS_CORE", ALWAYS, 0 },
	/* The cores' changes of state are the socket's. */
	{ LINE, CORES(_TRANSITION_CYCLES), "pcu.TOTAL_TRANSITION_CYCLES", ALWAYS, 0 },
	/* Every core is in some state all the time; the package too, or a core of it changes its own. */
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C0 + pcu.POWER_STATE_OCCUPANCY.CORES_C3 + "
		"pcu.POWER_STATE_OCCUPANCY.CORES_C6", "cores * pcu.CLOCKTICKS", ALWAYS, 1 },
	{ LINE, "pcu.CLOCKTICKS", RESIDENT, LEAST, 1 },
	{ LINE, RESIDENT " + pcu.TOTAL_TRANSITION_CYCLES", "pcu.CLOCKTICKS", LEAST, 1 },
	/* What misses the slices is what the home agents are asked for, and every other socket's slices about; a
	 * core's write-back whose line has been pushed out goes home as well. */
	{ LINE, "cbo.TOR_INSERTS.MISS_LOCAL + cbo.TOR_INSERTS.MISS_REMOTE", ASKED " + cbo.LLC_LOOKUP.WRITE{state=I}",
	  CACHED, 1 },
	{ LINE, "cbo.LLC_LOOKUP.REMOTE_SNOOP", "(sockets - 1) * " ASKED, EARLY, 1 },
	/* Everything in the table of requests looks up the slice, or is pushed out of it; its home is near or far. */
	{ LINE, "cbo.TOR_INSERTS.ALL", "cbo.LLC_LOOKUP.ANY + cbo.TOR_INSERTS.EVICTION", CACHED, 1 },
	{ LINE, "cbo.TOR_INSERTS.ALL", "cbo.TOR_INSERTS.LOCAL + cbo.TOR_INSERTS.REMOTE", ALWAYS, 0 },
	{ LINE, "cbo.TOR_INSERTS.EVICTION", "cbo.LLC_VICTIMS.M_STATE + cbo.LLC_VICTIMS.E_STATE + "
		"cbo.LLC_VICTIMS.I_STATE + cbo.LLC_VICTIMS.F_STATE", ALWAYS, 0 },
	/* What one socket sends the other receives. */
	{ LINE, "s0.qpi.TxL_FLITS_G1.DRS_DATA", "s1.qpi.RxL_FLITS_G1.DRS_DATA", PAIR, 1 },
	{ LINE, "s1.qpi.TxL_FLITS_G1.SNP", "s0.qpi.RxL_FLITS_G1.SNP", PAIR, 1 },
	{ LINE, "s0.qpi.TxL_FLITS_G1.HOM_REQ", "s1.qpi.RxL_FLITS_G1.HOM_REQ", PAIR, 1 },
	/* What an SBo takes off one ring it puts onto the other: it went past its queue, or through it; with a credit
	 * that its stop took, or as one that may bounce. */
	{ LINE, "sbo.RxR_BYPASS.AD_CRD", "sbo.TxR_INSERTS.AD_CRD", ALWAYS, 0 },
	{ LINE, "sbo.RxR_BYPASS.AD_BNC", "sbo.TxR_INSERTS.AD_BNC", ALWAYS, 0 },
	{ LINE, "sbo.RxR_BYPASS.AK", "sbo.TxR_INSERTS.AK", ALWAYS, 0 },
	{ LINE, "sbo.RxR_BYPASS.IV", "sbo.TxR_INSERTS.IV", ALWAYS, 0 },
	{ LINE, "sbo.RxR_BYPASS.BL_CRD + sbo.RxR_INSERTS.BL_CRD", "sbo.TxR_INSERTS.BL_CRD", ALWAYS, 0 },
	{ LINE, "sbo.RxR_BYPASS.BL_BNC + sbo.RxR_INSERTS.BL_BNC", "sbo.TxR_INSERTS.BL_BNC", ALWAYS, 0 },
	{ LINE, CREDITS("AD"), "sbo.TxR_INSERTS.AD_CRD", ALWAYS, 1 },
	{ LINE, CREDITS("BL"), "sbo.TxR_INSERTS.BL_CRD", ALWAYS, 1 },
	/* What a core puts onto the AD ring goes into a slice's queue.  A snoop goes into the one beside it, looks up the slice
	 * and is answered to the home agent; those of links come off a ring in the other socket. */
	{ LINE, "cbo.TxR_INSERTS.AD_CORE", "cbo.RxR_INSERTS.IRQ", ALWAYS, 1 },
	{ LINE, "cbo.RxR_INSERTS.IPQ", "cbo.LLC_LOOKUP.REMOTE_SNOOP", ALWAYS, 1 },
	{ LINE, "cbo.RxR_INSERTS.IPQ", SNOOPS, ALWAYS, 1 },
	/* What is sent back to the queue of the cores' requests has a cause. */
	{ LINE, "cbo.RxR_INSERTS.IRQ_REJ", "cbo.RxR_IRQ_RETRY.ANY + cbo.RxR_IRQ_RETRY2.BL_SBO", ALWAYS, 0 },
	{ LINE, "r3qpi.RxR_INSERTS.SNP + r3qpi.RxR_INSERTS_VN1.SNP", "qpi.TxL_FLITS_G1.SNP", ALWAYS, 1 },
	{ LINE, "ha.TxR_BL.DRS_CACHE + ha.TxR_BL.DRS_CORE + ha.TxR_BL.DRS_QPI", "ha.TxR_BL_INSERTS.ALL", ALWAYS, 0 },
	/* Little's law: how long requests stay, together.  All of them are for a home near or far; who misses is in the table
	 * while the home agent's tracker has it, and for tags, egress, ingress, egress and fill around that. */
	{ LINE, "cbo.TOR_OCCUPANCY.LOCAL + cbo.TOR_OCCUPANCY.REMOTE", "cbo.TOR_OCCUPANCY.ALL", ALWAYS, 1 },
	{ LINE, "cbo.TOR_OCCUPANCY.MISS_LOCAL + cbo.TOR_OCCUPANCY.MISS_REMOTE", TRACKED " + (9 + 16 + 10 + 8 + 4) * " ASKED, LEAST, 0 },
	/* Ranks and groups of banks are parts of the channel. */
	{ LINE, RANKS("RD_CAS"), "imc.CAS_COUNT.RD", ALWAYS, 0 },
	{ LINE, RANKS("WR_CAS"), "imc.CAS_COUNT.WR", ALWAYS, 0 },
	{ LINE, GROUPS("RD_CAS"), "imc.RD_CAS_RANK0.ALLBANKS", ALWAYS, 0 },
};

/* Devices go on when the last program has ended: what may wait in the write queues of a socket's channels. */
#define UNDER_WAY 150

/* All else comes to rest in so many uncore clocks. */
#define REST 100000

enum { SIDES = 2 * LEN(laws) + 1 };	/* the last: what goes past the caches */

/* What no pattern asks for: filters have to be given, or two selections together. */
static const char selections[] =
	"irp.SNOOP_RESP.HIT_ES+SNPINV,cbo.TOR_OCCUPANCY.ALL,cbo.COUNTER0_OCCUPANCY,"
	"pcu.FREQ_BAND0_CYCLES:filt7_0=12,pcu.FREQ_BAND1_CYCLES:filt15_8=12,"
	"pcu.FREQ_BAND2_CYCLES:filt23_16=12,pcu.FREQ_BAND3_CYCLES:filt31_24=12";

struct values {
	double side[SIDES];
	bool known[SIDES];
	unsigned at;
};

/* An event that the machine drives, and whether some scenario has made it happen. */
static struct driven {
	char name[64];
	bool happened;
} driven[512];
static unsigned events;

static int note_driven(void *ctx, const struct bxs_event *e)
{
	(void)ctx;
	if (e->live && events < LEN(driven))
		snprintf(driven[events++].name, sizeof driven->name, "%s.%s", e->box, e->name);
	return 0;
}

/* "cbo.LLC_LOOKUP.ANY:state=M" is of the event "cbo.LLC_LOOKUP". */
static void note_happened(const char *reading)
{
	for (struct driven *d = driven; d < driven + events; d++) {
		size_t len = strlen(d->name);

		if (strncmp(reading, d->name, len) == 0 && (!reading[len] || strchr(".:", reading[len])))
			d->happened = true;
	}
}

/* Ask for what no scenario before has made happen. */
static void look_for(bxs_session *s)
{
	for (const struct driven *d = driven; d < driven + events; d++) {
		char pattern[sizeof d->name + 8];

		snprintf(pattern, sizeof pattern, "%.*s*", (int)sizeof d->name, d->name);
		/* Refused: it is one of the selections. */
		if (!d->happened)
			bxs_session_add(s, pattern);
	}
	CHECK_EQ(__LINE__, bxs_session_add(s, selections), 0);
}

static int note(void *ctx, const struct bxs_reading *r)
{
	struct values *v = ctx;

	if (v->at < SIDES) {
		v->known[v->at] = r->has_truth;
		v->side[v->at] = r->truth;
	} else if (!r->metric && r->has_truth && r->truth > 0) {
		note_happened(r->name);
	}
	v->at++;
	return 0;
}

/* The equation with the numbers of cores of a socket and of sockets in place of their names. */
static void add_side(bxs_session *s, const bxs_machine *m, const char *text)
{
	const char *cores = strstr(text, "cores *"), *sockets = strstr(text, "sockets -");
	const char *name = cores ? cores : sockets;
	char equation[700];

	if (name)
		snprintf(equation, sizeof equation, "%.*s%u%s", (int)(name - text), text,
			 cores ? bxs_cores(m) : bxs_sockets(m), name + (cores ? 5 : 7));
	else
		snprintf(equation, sizeof equation, "%s", text);
	if (bxs_session_add_equation(s, "side", equation, "events", "") < 0) {
		printf("%s\n", equation);
		CHECK(!"the equation is understood");
	}
}

static unsigned held[LEN(laws)];		/* in so many scenarios, with more than nothing on both sides */

static void check_laws(const bxs_scenario *sc, const struct values *v, unsigned sockets)
{
	bool devices = bxs_scenario_text(sc, BXS_SCENARIO_DMA, 0) != NULL;
	const char *spec = bxs_scenario_machine(sc);
	unsigned is = (strstr(spec ? spec : "", "snoop=") ? 0 : EARLY) | (sockets == 2 ? PAIR : 0) |
		      (v->side[SIDES - 1] > 0 ? 0 : CACHED) | LEAST;

	for (unsigned i = 0; i < LEN(laws); i++) {
		double left = v->side[2 * i], right = v->side[2 * i + 1];
		double most = left > right ? left : right;
		double near = devices && laws[i].near > 0 ? laws[i].near * most / 1000 + UNDER_WAY * sockets : 0;
		bool least = laws[i].when & LEAST, holds = right - left <= near && (least || left - right <= near);

		if (!v->known[2 * i] || !v->known[2 * i + 1] || (laws[i].when & ~is))
			continue;
		check_count++;
		held[i] += holds && right > 0;
		if (holds)
			continue;
		printf("%s:%d: %s: %s is %.0f, %s is %.0f\n", __FILE__, laws[i].line, bxs_scenario_name(sc),
		       laws[i].left, left, laws[i].right, right);
		check_failures++;
	}
}

static unsigned played;

/* What scenarios of other families say of themselves, where each counts. */
static const struct other {
	int line;
	const char *scenario, *event;
	double count;
} others[] = {
	{ LINE, "sandy-bridge-remote", "imc.CAS_COUNT.RD", 16384 },
	{ LINE, "sandy-bridge-remote", "qpi.TxL_FLITS_G1.DRS_DATA", 8 * 16384 },
	{ LINE, "sandy-bridge-remote", "qpi.RxL_FLITS_G1.DRS_DATA", 8 * 16384 },
	{ LINE, "nehalem-remote", "cbox.LLC_MISSES.ALL", 16384 },
	{ LINE, "nehalem-remote", "bbox.IMT_INSERTS_RD", 16384 },
	{ LINE, "nehalem-remote", "mbox.DRAM_CMD.CAS_RD_OPN", 16384 },
};

static unsigned compared;

static int compare(void *ctx, const struct bxs_reading *r)
{
	for (const struct other *o = others; o < others + LEN(others); o++)
		if (strcmp(o->scenario, ctx) == 0 && strcmp(o->event, r->name) == 0) {
			CHECK_EQ(o->line, (uint64_t)r->value, (uint64_t)o->count);
			CHECK_EQ(o->line, (uint64_t)r->truth, (uint64_t)o->count);
			compared++;
		}
	return 0;
}

/* A scenario of another family: its events, counted and as they were. */
static int play_other(const bxs_scenario *sc)
{
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[300] = "", name[64];

	snprintf(name, sizeof name, "%s", bxs_scenario_name(sc));
	CHECK_EQ(__LINE__, bxs_machine_new(bxs_scenario_machine(sc), 0, &m, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	CHECK_EQ(__LINE__, bxs_session_add(s, bxs_scenario_text(sc, BXS_SCENARIO_EVENTS, 0)), 0);
	CHECK_EQ(__LINE__, bxs_session_scenario(s, sc), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	bxs_session_each(s, BXS_BY_SUM, compare, name);
	bxs_session_free(s);
	bxs_machine_free(m);
	return 0;
}

static int play(void *ctx, const bxs_scenario *sc)
{
	const char *spec = bxs_scenario_machine(sc), *text;
	struct values v = { .at = 0 };
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[300] = "";

	(void)ctx;
	/* Nothing is said here of an Itanium: tests/cli/test_poulson_live.py plays its scenarios. */
	if (spec && strncmp(spec, "poulson", 7) == 0)
		return 0;
	if (spec && strncmp(spec, "hsx", 3) != 0)
		return play_other(sc);
	CHECK_EQ(__LINE__, bxs_machine_new(spec ? spec : "hsx", 0, &m, why, sizeof why), 0);
	attach(m, sc);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 100000);
	for (unsigned i = 0; i < LEN(laws); i++) {
		/* A law of two sockets cannot even be written of one; something keeps its place. */
		bool idle = (laws[i].when & PAIR) && bxs_sockets(m) != 2;

		add_side(s, m, idle ? "ubox.CLOCKTICKS" : laws[i].left);
		add_side(s, m, idle ? "ubox.CLOCKTICKS" : laws[i].right);
	}
	add_side(s, m, PAST);
	/* What the scenario itself is about is understood as well. */
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_EVENTS, i)); i++)
		CHECK_EQ(__LINE__, bxs_session_add(s, text), 0);
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_METRICS, i)); i++)
		CHECK_EQ(__LINE__, bxs_session_add_metrics(s, text), 0);
	look_for(s);
	CHECK_EQ(__LINE__, bxs_session_scenario(s, sc), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_advance(m, "uclk", REST), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	bxs_session_each(s, BXS_BY_SUM, note, &v);
	check_laws(sc, &v, bxs_sockets(m));
	bxs_session_free(s);
	bxs_machine_free(m);
	played++;
	return 0;
}

/* An event that none of them makes happen needs a line in some scenario (share/scenarios), or is not driven. */
static void check_driven(void)
{
	CHECK(events > 280 && events < LEN(driven));
	for (const struct driven *d = driven; d < driven + events; d++) {
		check_count++;
		if (d->happened)
			continue;
		printf("%s: happens in no scenario of share/scenarios\n", d->name);
		check_failures++;
	}
}

int main(void)
{
	char why[400] = "";

	CHECK_EQ(__LINE__, bxs_each_event("hsx", note_driven, NULL), 0);
	CHECK_EQ(__LINE__, bxs_each_scenario(play, NULL, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
	CHECK(played >= 20);
	CHECK_EQ(__LINE__, compared, LEN(others));
	/* Completions that are routed through a third socket have none here. */
	for (unsigned i = 0; i < LEN(laws); i++)
		if (!strstr(laws[i].left, "NDR_AD"))
			CHECK_EQ(laws[i].line, held[i] > 0, 1);
	check_driven();
	return check_done();
}
