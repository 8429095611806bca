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

/* left == right, at the end of a run in which everything has come to rest. */
static const struct law {
	int line;
	const char *left, *right;
	double near;		/* permille by which they may differ while devices are at work: what is under way */
} laws[] = {
	/* Flits of every class arrive at the other end. */
	{ LINE, "qpi.TxL_FLITS_G0.DATA", "qpi.RxL_FLITS_G0.DATA", 1 },
	{ LINE, "qpi.TxL_FLITS_G1.DRS_DATA", "qpi.RxL_FLITS_G1.DRS_DATA", 1 },
	{ LINE, "qpi.TxL_FLITS_G1.DRS_NONDATA", "qpi.RxL_FLITS_G1.DRS_NONDATA", 1 },
	{ LINE, "qpi.TxL_FLITS_G1.HOM_REQ", "qpi.RxL_FLITS_G1.HOM_REQ", 1 },
	{ LINE, "qpi.TxL_FLITS_G1.HOM_NONREQ", "qpi.RxL_FLITS_G1.HOM_NONREQ", 1 },
	{ LINE, "qpi.TxL_FLITS_G1.SNP", "qpi.RxL_FLITS_G1.SNP", 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NDR_AD", "qpi.RxL_FLITS_G2.NDR_AD", 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NCB_DATA", "qpi.RxL_FLITS_G2.NCB_DATA", 1 },
	{ LINE, "qpi.TxL_FLITS_G2.NCS", "qpi.RxL_FLITS_G2.NCS", 1 },
	/* Commands of a channel. */
	{ LINE, "imc.CAS_COUNT.RD + imc.CAS_COUNT.WR", "imc.CAS_COUNT.ALL", 0 },
	{ LINE, "imc.RPQ_INSERTS", "imc.CAS_COUNT.RD_REG + imc.WPQ_READ_HIT", 1 },
	{ LINE, "imc.WPQ_INSERTS", "imc.CAS_COUNT.WR", 1 },
	/* What the home agents ask of memory is read there, or found in the write queue. */
	{ LINE, "ha.REQUESTS.READS_LOCAL + ha.REQUESTS.READS_REMOTE", "ha.REQUESTS.READS", 0 },
	{ LINE, "ha.REQUESTS.WRITES_LOCAL + ha.REQUESTS.WRITES_REMOTE", "ha.REQUESTS.WRITES", 0 },
	{ LINE, "ha.IMC_READS.NORMAL + ha.BYPASS_IMC.TAKEN", "imc.CAS_COUNT.RD_REG + imc.WPQ_READ_HIT", 1 },
	{ LINE, "imc.CAS_COUNT.RD_REG + imc.CAS_COUNT.RD_UNDERFILL", "imc.CAS_COUNT.RD", 0 },
	{ LINE, "ha.IMC_WRITES.ALL", "imc.CAS_COUNT.WR + imc.WPQ_WRITE_HIT", 1 },
	/* Every core is in some state all the time; the package too. */
	{ LINE, "pcu.POWER_STATE_OCCUPANCY.CORES_C0 + pcu.POWER_STATE_OCCUPANCY.CORES_C3 + "
		"pcu.POWER_STATE_OCCUPANCY.CORES_C6", "cores * pcu.CLOCKTICKS", 1 },
};

/* Devices go on when the last program has ended: what may wait in the write queues of a socket's channels. */
#define UNDER_WAY 150

/* All else comes to rest in so many uncore clocks. */
#define REST 100000

enum { SIDES = 2 * LEN(laws) };

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

/* The equation with the number of cores of a socket in place of its name. */
static void add_side(bxs_session *s, const char *text, unsigned cores)
{
	const char *name = strstr(text, "cores *");
	char equation[300];

	if (name)
		snprintf(equation, sizeof equation, "%.*s%u%s", (int)(name - text), text, cores, name + 5);
	else
		snprintf(equation, sizeof equation, "%s", text);
	if (bxs_session_add_equation(s, "side", equation, "events", "") < 0) {
		printf("%s\n", equation);
		CHECK(!"the equation is understood");
	}
}

static void check_laws(const bxs_scenario *sc, const struct values *v, unsigned sockets)
{
	bool devices = bxs_scenario_text(sc, BXS_SCENARIO_DMA, 0) != NULL;

	for (unsigned i = 0; i < LEN(laws); i++) {
		double left = v->side[2 * i], right = v->side[2 * i + 1];
		double most = left > right ? left : right;
		double near = devices && laws[i].near > 0 ? laws[i].near * most / 1000 + UNDER_WAY * sockets : 0;
		bool holds = fabs(left - right) <= near;

		check_count++;
		if (!v->known[2 * i] || !v->known[2 * i + 1] || holds)
			continue;
		printf("%s:%d: %s: %s is %.0f, %s is %.0f\n", __FILE__, laws[i].line, bxs_scenario_name(sc),
		       laws[i].left, left, laws[i].right, right);
		check_failures++;
	}
}

static unsigned played;

static int play(void *ctx, const bxs_scenario *sc)
{
	const char *spec = bxs_scenario_machine(sc), *text;
	struct values v = { .at = 0 };
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[300] = "";

	(void)ctx;
	CHECK_EQ(__LINE__, bxs_machine_new(spec ? spec : "hsx", 0, &m, why, sizeof why), 0);
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_DMA, i)); i++)
		CHECK_EQ(__LINE__, bxs_dma(m, text), 0);
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_FAULT, i)); i++)
		CHECK_EQ(__LINE__, bxs_fault(m, text), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 100000);
	for (unsigned i = 0; i < LEN(laws); i++) {
		add_side(s, laws[i].left, bxs_cores(m));
		add_side(s, laws[i].right, bxs_cores(m));
	}
	/* What the scenario itself is about is understood as well. */
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_EVENTS, i)); i++)
		CHECK_EQ(__LINE__, bxs_session_add(s, text), 0);
	for (unsigned i = 0; (text = bxs_scenario_text(sc, BXS_SCENARIO_METRICS, i)); i++)
		CHECK_EQ(__LINE__, bxs_session_add_metrics(s, text), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "*"), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, selections), 0);
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
	check_driven();
	return check_done();
}
