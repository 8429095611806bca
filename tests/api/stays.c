/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Little's law over every scenario that is shipped: what an occupancy event adds up, of all boxes, is the sum of all stays
 * in the machine's own record (src/uncore/stays.h), clock for clock, and what its event of inserts counts is the number of
 * who came.  So occupancy / inserts is the mean latency of that record.
 *
 * The two are not one number read twice.  Counters hear of an entry from the box that has it, as one span from a clock to
 * a clock, with flags and tags; that goes through the watches of each box, filters, masks and what is closed meanwhile.  The record knows
 * neither spans nor entries: it adds up clocks of coming and clocks of leaving apart, where places are given out and
 * taken back and by whoever hands on and gets: the home agent's by the slice that asks, memory's by the command on
 * the bus, the table's by what makes the next one wait.  A stay that is told twice, not at all, to the wrong box, or
 * of clocks that are closed, shows; so does a place that is held longer than it is told.
 *
 * All is read once everything has come to rest, devices too, so that no bound is needed: both sides are whole numbers, and equal.
 */
#include <stdlib.h>
#include <string.h>

#include "api/machine.h"
#include "boxscore.h"
#include "check.h"
#include "machine/private.h"
#include "scenario_devices.h"
#include "uncore/stays.h"

#define HAS(event) "ha." event ".READS_LOCAL + ha." event ".READS_REMOTE + ha." event ".WRITES_LOCAL + ha." event \
	".WRITES_REMOTE + ha." event ".INVITOE_LOCAL + ha." event ".INVITOE_REMOTE"
#define SIX(event) event ".HOM + " event ".SNP + " event ".NDR + " event ".DRS + " event ".NCB + " event ".NCS"
#define CREDITS(what) "cbo.SBO_CREDIT" what ".AD + cbo.SBO_CREDIT" what ".BL + " EACH("ha", what) " + " EACH("r3qpi", what) \
	" + r2pcie.SBO0_CREDIT" what ".AD + r2pcie.SBO0_CREDIT" what ".BL"
#define EACH(box, what) box ".SBO0_CREDIT" what ".AD + " box ".SBO0_CREDIT" what ".BL + " box ".SBO1_CREDIT" what ".AD + " box \
	".SBO1_CREDIT" what ".BL"

enum { TERMS = 4 };

static const char HSX[] = "hsx", SNBEP[] = "snbep", NHMEX[] = "nhmex";

static const struct law {
	int line;
	const char *family;
	const char *occupancy, *inserts;	/* inserts NULL: no event counts them */
	struct { int sign; enum stays_where at; } term[TERMS];	/* of the stays; inserts are those of the plus terms */
} laws[] = {
	{ LINE, HSX, "cbo.RxR_OCCUPANCY.IRQ", "cbo.RxR_INSERTS.IRQ", { { 1, STAYS_IRQ } } },
	{ LINE, HSX, "cbo.RxR_OCCUPANCY.PRQ", "cbo.RxR_INSERTS.PRQ", { { 1, STAYS_PRQ } } },
	{ LINE, HSX, "cbo.RxR_OCCUPANCY.IPQ", "cbo.RxR_INSERTS.IPQ", { { 1, STAYS_IPQ } } },
	{ LINE, HSX, "cbo.RxR_OCCUPANCY.IRQ + cbo.RxR_OCCUPANCY.IRQ_REJ + cbo.RxR_OCCUPANCY.PRQ + cbo.RxR_OCCUPANCY.PRQ_REJ", NULL,
	  { { 1, STAYS_PLACES }, { 1, STAYS_BACK } } },
	{ LINE, HSX, "cbo.TOR_OCCUPANCY.ALL", "cbo.TOR_INSERTS.ALL",
	  { { 1, STAYS_TABLE }, { 1, STAYS_SNOOPED }, { 1, STAYS_EVICTED }, { -1, STAYS_CONFLICT } } },
	{ LINE, HSX, "cbo.TOR_OCCUPANCY.EVICTION", "cbo.TOR_INSERTS.EVICTION", { { 1, STAYS_EVICTED } } },
	{ LINE, HSX, HAS("TRACKER_OCCUPANCY"), HAS("REQUESTS"), { { 1, STAYS_HOME }, { -1, STAYS_HOME_WAIT } } },
	{ LINE, HSX, "ha.TRACKER_PENDING_OCCUPANCY.LOCAL + ha.TRACKER_PENDING_OCCUPANCY.REMOTE", "ha.REQUESTS.READS",
	  { { 1, STAYS_ANSWERED } } },
	{ LINE, HSX, "ha.SNOOP_OCCUPANCY.LOCAL + ha.SNOOP_OCCUPANCY.REMOTE", NULL, { { 1, STAYS_ASKED } } },
	{ LINE, HSX, "ha.TxR_BL_OCCUPANCY.SCHED0 + ha.TxR_BL_OCCUPANCY.SCHED1", "ha.TxR_BL_INSERTS.ALL", { { 1, STAYS_HOME_BL } } },
	{ LINE, HSX, "qpi.TxL_OCCUPANCY", "qpi.TxL_INSERTS + qpi.TxL_BYPASSED", { { 1, STAYS_TX } } },
	{ LINE, HSX, "qpi.RxL_OCCUPANCY", "qpi.RxL_INSERTS + qpi.RxL_BYPASSED", { { 1, STAYS_RX } } },
	{ LINE, HSX, SIX("r3qpi.RxR_OCCUPANCY_VN1"), SIX("r3qpi.RxR_INSERTS_VN1"), { { 1, STAYS_VN1 } } },
	{ LINE, HSX, "qpi.VNA_CREDIT_RETURN_OCCUPANCY", "qpi.VNA_CREDIT_RETURNS", { { 1, STAYS_VNA } } },
	{ LINE, HSX, "r2pcie.RxR_OCCUPANCY.DRS", "irp.RxR_BL_DRS_INSERTS", { { 1, STAYS_R2PCIE } } },
	{ LINE, HSX, "irp.RxR_BL_DRS_OCCUPANCY + irp.RxR_BL_NCB_OCCUPANCY + irp.RxR_BL_NCS_OCCUPANCY",
	  "irp.RxR_BL_DRS_INSERTS + irp.RxR_BL_NCB_INSERTS + irp.RxR_BL_NCS_INSERTS", { { 1, STAYS_IRP } } },
	{ LINE, HSX, "irp.TxR_REQUEST_OCCUPANCY", "irp.TxR_DATA_INSERTS_NCB + irp.TxR_DATA_INSERTS_NCS", { { 1, STAYS_OUTBOUND } } },
	{ LINE, HSX, "irp.CACHE_TOTAL_OCCUPANCY", NULL, { { 1, STAYS_LINES } } },
	{ LINE, HSX, "sbo.RxR_OCCUPANCY.BL_CRD + sbo.RxR_OCCUPANCY.BL_BNC + sbo.TxR_OCCUPANCY.AD_CRD + sbo.TxR_OCCUPANCY.AD_BNC + "
		"sbo.TxR_OCCUPANCY.BL_CRD + sbo.TxR_OCCUPANCY.BL_BNC + sbo.TxR_OCCUPANCY.AK + sbo.TxR_OCCUPANCY.IV",
	  "sbo.TxR_INSERTS.AD_CRD + sbo.TxR_INSERTS.AD_BNC + sbo.TxR_INSERTS.BL_CRD + sbo.TxR_INSERTS.BL_BNC + "
		"sbo.TxR_INSERTS.AK + sbo.TxR_INSERTS.IV", { { 1, STAYS_SWITCH }, { -1, STAYS_KEPT } } },
	{ LINE, HSX, "imc.VMSE_MXB_WR_OCCUPANCY + 8 * imc.WPQ_INSERTS", "imc.WPQ_INSERTS", { { 1, STAYS_WRITES } } },
	{ LINE, HSX, CREDITS("_OCCUPANCY"), CREDITS("S_ACQUIRED"), { { 1, STAYS_CREDITS } } },
	{ LINE, SNBEP, "cbo.RxR_OCCUPANCY.IRQ", "cbo.RxR_INSERTS.IRQ", { { 1, STAYS_IRQ } } },
	{ LINE, SNBEP, "cbo.RxR_OCCUPANCY.IPQ", "cbo.RxR_INSERTS.IPQ", { { 1, STAYS_IPQ } } },
	{ LINE, SNBEP, "cbo.RxR_OCCUPANCY.IRQ + cbo.RxR_OCCUPANCY.IRQ_REJECTED", NULL, { { 1, STAYS_PLACES } } },
	{ LINE, SNBEP, "cbo.TOR_OCCUPANCY.EVICTION", "cbo.TOR_INSERTS.EVICTION", { { 1, STAYS_EVICTED } } },
	{ LINE, SNBEP, "ha.TxR_AD_OCCUPANCY.ALL", "ha.TxR_AD_INSERTS.ALL", { { 1, STAYS_HOME_AD } } },
	{ LINE, SNBEP, "ha.TxR_AK_OCCUPANCY.ALL", "ha.TxR_AK_INSERTS.ALL", { { 1, STAYS_HOME_AK } } },
	{ LINE, SNBEP, "ha.TxR_BL_OCCUPANCY.ALL", "ha.TxR_BL_INSERTS.ALL", { { 1, STAYS_HOME_BL } } },
	{ LINE, SNBEP, "imc.RPQ_OCCUPANCY", "imc.RPQ_INSERTS", { { 1, STAYS_READS } } },
	{ LINE, SNBEP, "imc.WPQ_OCCUPANCY", "imc.WPQ_INSERTS", { { 1, STAYS_WRITES } } },
	{ LINE, SNBEP, SIX("r3qpi.RxR_OCCUPANCY"), SIX("r3qpi.RxR_INSERTS"), { { 1, STAYS_VN0 } } },
	{ LINE, SNBEP, "qpi.TxL_OCCUPANCY", "qpi.TxL_INSERTS + qpi.TxL_BYPASSED", { { 1, STAYS_TX } } },
	{ LINE, SNBEP, "qpi.RxL_OCCUPANCY", "qpi.RxL_INSERTS + qpi.RxL_BYPASSED", { { 1, STAYS_RX } } },
	{ LINE, SNBEP, "qpi.VNA_CREDIT_RETURN_OCCUPANCY", "qpi.VNA_CREDIT_RETURNS", { { 1, STAYS_VNA } } },
	{ LINE, NHMEX, "cbox.OCCUPANCY_IRQ", NULL, { { 1, STAYS_IRQ } } },
	{ LINE, NHMEX, "cbox.OCCUPANCY_IPQ", NULL, { { 1, STAYS_IPQ } } },
	{ LINE, NHMEX, "cbox.OCCUPANCY_VIQ", NULL, { { 1, STAYS_EVICTED } } },
	{ LINE, NHMEX, "bbox.IMT_VALID_OCCUPANCY", "bbox.IMT_INSERTS_ALL", { { 1, STAYS_HOME }, { -1, STAYS_HOME_WAIT } } },
	{ LINE, NHMEX, "bbox.DRSQ_OCCUPANCY", "bbox.DRSQ_INSERTS", { { 1, STAYS_HOME_BL } } },
};

/* Everything comes to rest in so many uncore clocks. */
#define REST 100000

struct values {
	double side[2 * LEN(laws)];
	bool known[2 * LEN(laws)];
	unsigned at;
};

static int note(void *ctx, const struct bxs_reading *r)
{
	struct values *v = ctx;

	if (v->at < LEN(v->side)) {
		v->known[v->at] = r->has_truth;
		v->side[v->at] = r->truth;
	}
	v->at++;
	return 0;
}

static unsigned held[LEN(laws)];	/* in so many scenarios, with more than nothing */

static void check_law(const char *what, const struct law *l, const double *told, const struct stays *s)
{
	double stays = 0, came = 0, left = 0;

	for (unsigned i = 0; i < TERMS && l->term[i].sign; i++) {
		stays += l->term[i].sign * (double)(int64_t)(s->at[l->term[i].at].to - s->at[l->term[i].at].from);
		came += l->term[i].sign > 0 ? (double)s->at[l->term[i].at].came : 0;
		left += l->term[i].sign > 0 ? (double)s->at[l->term[i].at].left : 0;
	}
	check_count++;
	held[l - laws] += told[0] > 0;
	if (told[0] == stays && came == left && (!l->inserts || told[1] == came))
		return;
	printf("%s:%d: %s: %.40s: told %.0f of %.0f, stays %.0f of %.0f (%.0f left)\n", __FILE__, l->line, what, l->occupancy,
	       told[0], told[1], stays, came, left);
	check_failures++;
}

/* Devices end their transfers in the midst, so that all that is under way gets to its end. */
static void unplug(struct devices *d)
{
	for (unsigned e = 0; e < d->engines; e++)
		for (unsigned s = 0; s < DEVICES_STREAMS; s++)
			d->engine[e].stream[s].next = UINT64_MAX;
}

static void add_side(bxs_session *s, const char *text)
{
	if (bxs_session_add_equation(s, "side", text, "events", "") < 0) {
		printf("%s\n", text);
		CHECK(!"the equation is understood");
	}
}

/* A machine of a family, and what runs on it: a scenario or a kernel. */
struct run {
	const char *what, *spec, *kernel;
	const bxs_scenario *scenario;
};

static bool of(const struct law *l, const struct run *r)
{
	return strncmp(r->spec, l->family, strlen(l->family)) == 0;
}

static void check_run(const struct run *r)
{
	struct values v = { .at = 0 };
	struct stays stays = { 0 };
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[300] = "";
	unsigned n = 0;

	CHECK_EQ(__LINE__, bxs_machine_new(r->spec, 0, &m, why, sizeof why), 0);
	if (r->scenario)
		attach(m, r->scenario);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, UINT64_MAX / 2);
	for (const struct law *l = laws; l < laws + LEN(laws); l++)
		if (of(l, r)) {
			add_side(s, l->occupancy);
			add_side(s, l->inserts ? l->inserts : l->occupancy);
		}
	if (r->scenario)
		CHECK_EQ(__LINE__, bxs_session_scenario(s, r->scenario), 0);
	else
		CHECK_EQ(__LINE__, bxs_session_kernel(s, r->kernel), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	machine_stays(m->machine, &stays);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	unplug(&m->machine->devices);
	CHECK_EQ(__LINE__, bxs_advance(m, "uclk", REST), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	bxs_session_each(s, BXS_BY_SUM, note, &v);
	for (const struct law *l = laws; l < laws + LEN(laws); l++)
		if (of(l, r)) {
			/* What a part has not has no reading. */
			if (v.known[n] && v.known[n + 1])
				check_law(r->what, l, &v.side[n], &stays);
			n += 2;
		}
	bxs_session_free(s);
	bxs_machine_free(m);
}

static int play(void *ctx, const bxs_scenario *sc)
{
	const char *spec = bxs_scenario_machine(sc);

	(void)ctx;
	/* No law here is of an Itanium. */
	if (!spec || strncmp(spec, "poulson", 7) != 0)
		check_run(&(struct run){ .what = bxs_scenario_name(sc), .spec = spec ? spec : "hsx", .scenario = sc });
	return 0;
}

/* Few scenarios are of other families: kernels that fill their queues, in memory near and far. */
static const struct run others[] = {
	{ "local", "snbep,cores=4", .kernel = "random:size=4M,count=40000,writes=40,threads=4" },
	{ "remote", "snbep,cores=4", .kernel = "random:size=4M,count=40000,writes=40,threads=4,node=1" },
	{ "home snoop", "snbep,cores=4,snoop=home", .kernel = "stream:size=4M,op=triad,threads=4" },
	{ "local", "nhmex,cores=4", .kernel = "random:size=4M,count=40000,writes=40,threads=4" },
	{ "remote", "nhmex,cores=1", .kernel = "random:size=6M,count=100000,writes=40,node=1" },
};

int main(void)
{
	char why[400] = "";

	CHECK_EQ(__LINE__, bxs_each_scenario(play, NULL, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
	for (unsigned i = 0; i < LEN(others); i++)
		check_run(&others[i]);
	for (unsigned i = 0; i < LEN(laws); i++)
		CHECK_EQ(laws[i].line, held[i] > 0, 1);
	return check_done();
}
