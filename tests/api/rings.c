/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Over every scenario that is shipped: what comes into a ring stop goes out of it.  With slots that go clockwise as F and the other way
 * as G, for a stop between two others
 *
 *	F in + G in + put onto the ring = F out + G out + taken off it
 *
 * on each ring, to the slot.  What is on the wires between two stops is what the next stop says of its ring; an SBo says it of those
 * that go out, so what goes into an SBo follows from the stop before it, and the SBo has to do with it.  What stops put and take is
 * told by their queues: by events where the part has some, else by what the boxes of the machine tell.  A message from a stop to itself
 * (a core and the slice beside it) is put and taken there, and on no wire.
 *
 * Of two clusters on a die each has a ring.  The boxes of links and devices are told of the first's wires and of all that either ring
 * gets from them, so the law holds for both together: R3QPI and R2PCIe are taken for one stop, which follows from its neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "api/machine.h"
#include "check.h"
#include "machine/private.h"
#include "pmu/pmu.h"
#include "scenario_devices.h"
#include "signal/watch.h"
#include "signal_ids.h"
#include "uncore/ring/ring.h"

enum side { CW, CCW, PUT, TAKEN, SIDES };

/* What an event, or a signal of the machine, says of a ring at its box's stop, in slots: a line is two of BL, IV has two halves. */
struct term {
	const char *event;
	uint8_t ring, side;
	int8_t slots;
};

static const struct term terms[] = {
	/* Cores and slices: the queues of a slice take requests, snoops and devices' requests off AD.  A core answers each
	 * message of IV on AK. */
	{ "cbo.TxR_INSERTS.AD_CORE", RING_AD, PUT, 1 }, { "cbo.TxR_INSERTS.AD_CACHE", RING_AD, PUT, 1 },
	{ "cbo.RxR_INSERTS.IRQ", RING_AD, TAKEN, 1 }, { "cbo.RxR_INSERTS.IPQ", RING_AD, TAKEN, 1 },
	{ "cbo.RxR_INSERTS.PRQ", RING_AD, TAKEN, 1 },
	{ "cbo.TxR_INSERTS.AK_CORE", RING_AK, PUT, 1 }, { "cbo.TxR_INSERTS.AK_CACHE", RING_AK, PUT, 1 },
	{ "cbo.TxR_INSERTS.BL_CORE", RING_BL, PUT, 2 }, { "cbo.TxR_INSERTS.BL_CACHE", RING_BL, PUT, 2 },
	{ "cbo.TxR_INSERTS.IV_CACHE", RING_IV, PUT, 2 }, { "cbo.TxR_INSERTS.AK_CORE", RING_IV, TAKEN, 2 },
	/* A home agent sends a core's line twice: to the core, and to the slice. */
	{ "ha.TxR_AD_INSERTS.ALL", RING_AD, PUT, 1 }, { "ha.TxR_AK_INSERTS.ALL", RING_AK, PUT, 1 },
	{ "ha.TxR_BL_INSERTS.ALL", RING_BL, PUT, 2 }, { "ha.TxR_BL.DRS_CORE", RING_BL, PUT, 2 },
	{ "ha.REQUESTS.READS", RING_AD, TAKEN, 1 }, { "ha.REQUESTS.WRITES", RING_AD, TAKEN, 1 },
	{ "ha.REQUESTS.INVITOE_LOCAL", RING_AD, TAKEN, 1 }, { "ha.REQUESTS.INVITOE_REMOTE", RING_AD, TAKEN, 1 },
	{ "ha.REQUESTS.WRITES", RING_BL, TAKEN, 2 }, { "ha.SNOOP_RESP.RSP_WB", RING_BL, TAKEN, 2 },
	/* Here all links share a stop.  What comes over one takes a credit for its egress, unless it is only routed through; completions
	 * leave on AD and come on AK.  A core's line is sent twice here as well. */
	{ "r3qpi.RxR_INSERTS.HOM", RING_AD, TAKEN, 1 }, { "r3qpi.RxR_INSERTS.SNP", RING_AD, TAKEN, 1 },
	{ "r3qpi.RxR_INSERTS.NDR", RING_AD, TAKEN, 1 }, { "r3qpi.RxR_INSERTS.DRS", RING_BL, TAKEN, 2 },
	{ "r3qpi.RxR_INSERTS.NCB", RING_BL, TAKEN, 2 }, { "r3qpi.RxR_INSERTS.NCS", RING_BL, TAKEN, 2 },
#define CREDITS(class, ring, slots) \
	{ "qpi.TxR_" class "_CREDIT_ACQUIRED.VN0", ring, PUT, slots }, { "qpi.TxR_" class "_CREDIT_ACQUIRED.VN1", ring, PUT, slots }
	CREDITS("AD_HOM", RING_AD, 1), CREDITS("AD_SNP", RING_AD, 1), CREDITS("AK_NDR", RING_AK, 1),
	CREDITS("BL_DRS", RING_BL, 2), CREDITS("BL_NCB", RING_BL, 2), CREDITS("BL_NCS", RING_BL, 2),
#undef CREDITS
	{ "r3qpi.RxR_INSERTS_VN1.HOM", RING_AD, PUT, -1 }, { "r3qpi.RxR_INSERTS_VN1.SNP", RING_AD, PUT, -1 },
	{ "r3qpi.RxR_INSERTS_VN1.DRS", RING_BL, PUT, -2 }, { "r3qpi.RxR_INSERTS_VN1.NCB", RING_BL, PUT, -2 },
	{ "r3qpi.RxR_INSERTS_VN1.NCS", RING_BL, PUT, -2 }, { "qpi.DIRECT2CORE.SUCCESS_RBT_HIT", RING_BL, PUT, 2 },
	/* What a slice reads of another socket's device comes with an answer to the slice. */
	{ "cbo.TOR_INSERTS.MISS_REMOTE_OPCODE{opc=PRd}", RING_AK, PUT, 1 },
	/* What goes to devices. */
	{ "r2pcie.RxR_INSERTS.NCB", RING_BL, TAKEN, 2 }, { "r2pcie.RxR_INSERTS.NCS", RING_BL, TAKEN, 2 },
	{ "r2pcie.IIO_CREDITS_ACQUIRED.DRS", RING_BL, TAKEN, 2 }, { "irp.RxR_AK_INSERTS", RING_AK, TAKEN, 1 },
	/* An SBo's egress is on the ring that it leads to. */
#define QUEUES(kind, ring, slots) \
	{ "sbo.TxR_INSERTS." kind, ring, PUT, slots }, { "sbo.RxR_BYPASS." kind, ring, TAKEN, slots }
	QUEUES("AD_CRD", RING_AD, 1), QUEUES("AD_BNC", RING_AD, 1), QUEUES("AK", RING_AK, 1), QUEUES("IV", RING_IV, 2),
	QUEUES("BL_CRD", RING_BL, 2), QUEUES("BL_BNC", RING_BL, 2),
#undef QUEUES
	{ "sbo.RxR_INSERTS.BL_CRD", RING_BL, TAKEN, 2 }, { "sbo.RxR_INSERTS.BL_BNC", RING_BL, TAKEN, 2 },
	/* The rings themselves. */
#define USED(box, ring, up, down) \
	{ box ".RING_" #ring "_USED." up, RING_##ring, CW, 1 }, { box ".RING_" #ring "_USED." down, RING_##ring, CCW, 1 }
#define USED_DATA(box, up, down) USED(box, AD, up, down), USED(box, AK, up, down), USED(box, BL, up, down)
	USED_DATA("cbo", "UP", "DOWN"), USED_DATA("sbo", "UP", "DOWN"), USED_DATA("ha", "CW", "CCW"),
	USED_DATA("r3qpi", "CW", "CCW"), USED_DATA("r2pcie", "CW", "CCW"), USED("cbo", IV, "UP", "DN"), USED("sbo", IV, "UP", "DN"),
	USED("r2pcie", IV, "CW", "CCW"), USED("r3qpi", IV, "CW", "ANY"), { "r3qpi.RING_IV_USED.CW", RING_IV, CCW, -1 },
};

#define ON(kind, way, n) { .ring = kind, .side = way, .slots = n }
/* What no event tells: what slices and cores take off AK and BL, what R2PCIe and the UBox put, the UBox takes. */
static const struct told {
	const char *box;
	uint16_t sig;
	uint64_t flags;
	struct term term;
} signals[] = {
	{ "cbo", SIG_CBO_SINK, CBO_SINK_P2C_AK, ON(RING_AK, TAKEN, 1) }, { "cbo", SIG_CBO_SINK, CBO_SINK_C2P_AK, ON(RING_AK, TAKEN, 1) },
	{ "cbo", SIG_CBO_SINK, CBO_SINK_S2C_AK, ON(RING_AK, TAKEN, 1) }, { "cbo", SIG_CBO_SINK, CBO_SINK_P2C_BL, ON(RING_BL, TAKEN, 1) },
	{ "cbo", SIG_CBO_SINK, CBO_SINK_C2P_BL, ON(RING_BL, TAKEN, 1) }, { "cbo", SIG_CBO_SINK, CBO_SINK_S2C_BL, ON(RING_BL, TAKEN, 1) },
	{ "cbo", SIG_CBO_SINK, CBO_SINK_S2P_BL, ON(RING_BL, TAKEN, 1) },
	{ "r2pcie", SIG_R2PCIE_TXR_INSERT, R2PCIE_TXR_INSERT_AD, ON(RING_AD, PUT, 1) },
	{ "r2pcie", SIG_R2PCIE_TXR_INSERT, R2PCIE_TXR_INSERT_AK, ON(RING_AK, PUT, 1) },
	{ "r2pcie", SIG_R2PCIE_TXR_INSERT, R2PCIE_TXR_INSERT_BL, ON(RING_BL, PUT, 2) },
	{ "cbo", SIG_CBO_SINK, CBO_SINK_S2P_AK, ON(RING_AK, TAKEN, 1) },
	{ "ubox", SIG_UBOX_RING, UBOX_RING_IN_AK, ON(RING_AK, TAKEN, 1) }, { "ubox", SIG_UBOX_RING, UBOX_RING_IN_BL, ON(RING_BL, TAKEN, 2) },
	{ "ubox", SIG_UBOX_RING, UBOX_RING_OUT_AD, ON(RING_AD, PUT, 1) }, { "ubox", SIG_UBOX_RING, UBOX_RING_OUT_AK, ON(RING_AK, PUT, 1) },
	{ "ubox", SIG_UBOX_RING, UBOX_RING_OUT_BL, ON(RING_BL, PUT, 2) },
	{ "ha", SIG_HA_RESPONSE, 0, ON(RING_AD, TAKEN, 1) },
};
#undef ON

/* A signal of one box. */
struct ear {
	struct signal_port *port;
	const struct told *told;
	unsigned socket, cluster, stop;
	struct signal_alt alt;
	struct signal_watch watch;
};

/* Uncore clocks in which all comes to rest. */
#define REST 100000

enum { SMALL_DIE = 12, SOCKETS = 4, CLUSTERS = 2, EARS = SOCKETS * RING_STOPS * LEN(signals) };

struct play {
	const char *scenario;
	unsigned sockets, clusters;
	struct ring ring[CLUSTERS];
	int64_t slots[SOCKETS][CLUSTERS][RING_STOPS][RING_KINDS][SIDES];
	struct ear ear[EARS];
	unsigned ears;
};

static const struct { const char *type; uint8_t stop; } stops[] = {
	{ "cbo", RING_CBO }, { "r3qpi", RING_R3QPI }, { "qpi", RING_R3QPI }, { "r2pcie", RING_R2PCIE }, { "irp", RING_R2PCIE },
	{ "ubox", RING_R2PCIE }, { "ha", RING_HA }, { "sbo", RING_SBO },
};

/* Laws that held with something on the ring, by kind of stop and ring. */
static unsigned held[5][RING_KINDS];

/* Where the box of that name and number is, "cbo", 3; *cluster has its ring. */
static unsigned stop_of(const struct play *p, const char *type, size_t n, unsigned box, unsigned *cluster)
{
	const struct ring_config *c = &p->ring[0].config;

	*cluster = 0;
	for (unsigned i = 0; i < LEN(stops); i++) {
		unsigned stop = stops[i].stop, each = stop == RING_CBO ? c->cores : stop == RING_HA ? c->has : c->pairs;

		if (strlen(stops[i].type) != n || strncmp(stops[i].type, type, n) != 0)
			continue;
		if (stop == RING_R3QPI)
			return stop;
		if (p->clusters > 1 && stop != RING_R2PCIE && box >= each) {
			*cluster = 1;
			box -= stop == RING_SBO ? 0 : each;
		}
		return stop + box;
	}
	abort();
}

static void add(struct play *p, unsigned socket, unsigned cluster, unsigned stop, const struct term *t, int64_t n)
{
	/* "Up" is clockwise on the left. */
	unsigned side = t->side <= CCW && p->ring[cluster].right[stop] ? t->side ^ CW ^ CCW : t->side;

	p->slots[socket][cluster][stop][t->ring][side] += t->slots * n;
}

static int note(void *ctx, const struct bxs_reading *r)
{
	struct play *p = ctx;
	size_t n = strcspn(r->name, ".");
	unsigned box = (unsigned)strtoul(r->box + n, NULL, 10);
	unsigned cluster, stop = stop_of(p, r->name, n, box, &cluster);

	/* A machine without SBos. */
	if (r->socket < 0)
		return 0;
	CHECK(r->has_truth);
	if (strstr(r->name, "REMOTE_OPCODE"))
		stop = RING_R3QPI;
	for (const struct term *t = terms; t < terms + LEN(terms); t++)
		if (strcmp(t->event, r->name) == 0)
			add(p, (unsigned)r->socket, cluster, stop, t, (int64_t)r->truth);
	return 0;
}

/* Hang on all boxes what no event tells. */
static void listen(struct play *p, struct machine *m)
{
	for (const struct told *t = signals; t < signals + LEN(signals); t++)
		for (unsigned s = 0; s < p->sockets; s++)
			for (unsigned box = 0; pmu_port(machine_pmu(m), s, t->box, box); box++) {
				struct ear *e = &p->ear[p->ears++];

				*e = (struct ear){
					.port = pmu_port(machine_pmu(m), s, t->box, box), .told = t, .socket = s,
					.alt = { .care = t->flags, .want = t->flags },
				};
				e->stop = stop_of(p, t->box, strlen(t->box), box, &e->cluster);
				e->watch.alt = &e->alt;
				e->watch.alts = 1;
				signal_watch_hang(e->port, t->sig, &e->watch);
			}
	fabric_rewatch(m->fabric);
}

/* All that was heard; of what was told of the future nobody has closed the clocks for these ears. */
static void gather(struct play *p)
{
	for (struct ear *e = p->ear; e < p->ear + p->ears; e++) {
		int64_t sum = e->watch.sum;

		for (unsigned i = 0; i < e->watch.runs; i++)
			sum += e->watch.run[i].n * (int64_t)(e->watch.run[i].to - e->watch.run[i].from);
		add(p, e->socket, e->cluster, e->stop, &e->told->term, sum);
		signal_watch_unhang(e->port, e->told->sig, &e->watch);
		signal_watch_free(&e->watch);
	}
}

/* One ring of a socket as a chain that is closed: stops, and the slots between each and the next one clockwise. */
struct chain_of {
	unsigned socket, cluster, kind;
	unsigned n;
	uint8_t stop[RING_STOPS];
	int64_t out[RING_STOPS], back[RING_STOPS];
};

static bool is_sbo(const struct chain_of *c, unsigned i)
{
	return c->stop[i % c->n] >= RING_SBO;
}

/* The stop of links and devices, of which a cluster tells too little: what it lets out and gets follows from its neighbours. */
static bool is_shared(const struct play *p, const struct chain_of *c, unsigned i)
{
	return p->clusters > 1 && c->stop[i % c->n] == RING_R3QPI;
}

/* Home agents hear nothing of IV, and have nothing to do with it. */
static void make_chain(const struct play *p, unsigned which, struct chain_of *c)
{
	const struct ring *r = &p->ring[c->cluster];

	for (unsigned i = 0; i < r->length[which]; i++) {
		unsigned stop = r->order[which][i];

		if ((c->kind != RING_IV || stop < RING_HA || stop >= RING_SBO) && (p->clusters == 1 || stop != RING_R2PCIE))
			c->stop[c->n++] = (uint8_t)stop;
	}
}

static void complain(const struct play *p, const struct chain_of *c, unsigned stop, const char *what, int64_t in, int64_t out)
{
	static const char *const names[] = { "AD", "AK", "BL", "IV" };

	check_count++;
	if (in == out)
		return;
	printf("%s: socket %u, cluster %u, %s ring, stop %u: %s %lld, %lld\n", p->scenario, c->socket, c->cluster, names[c->kind], stop,
	       what, (long long)in, (long long)out);
	check_failures++;
}

#define AT(i) p->slots[c->socket][c->cluster][c->stop[(i) % c->n]][c->kind]

/* What is told of wires. */
static void read_wires(const struct play *p, struct chain_of *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		c->out[i] = is_sbo(c, i) ? AT(i)[CW] : AT(i + 1)[CW];
		c->back[i] = is_sbo(c, i + 1) ? AT(i + 1)[CCW] : AT(i)[CCW];
		/* Both ends of a wire that leaves an SBo tell of it. */
		if (is_sbo(c, i))
			complain(p, c, c->stop[i], "it sends clockwise, the next one gets", AT(i)[CW], AT(i + 1)[CW]);
		if (is_sbo(c, i + 1) && !is_shared(p, c, i))
			complain(p, c, c->stop[(i + 1) % c->n], "it sends counter-clockwise, the next one gets", AT(i + 1)[CCW],
				 AT(i)[CCW]);
	}
}

/*
 * Nobody tells what goes into an SBo: the stop before it must have let it out.  What a shared stop lets out is what the SBo that
 * follows it clockwise gets; what it gets is told for the first cluster, and for the second by the stop before it.
 */
static void fill_in(const struct play *p, struct chain_of *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		unsigned before = (i + c->n - 1) % c->n;

		if (is_shared(p, c, i))
			continue;
		if (is_sbo(c, i + 1) || (is_shared(p, c, i + 1) && c->cluster > 0))
			c->out[i] = c->out[before] + c->back[i] + AT(i)[PUT] - c->back[before] - AT(i)[TAKEN];
		if (is_sbo(c, before))
			c->back[before] = c->out[before] + c->back[i] + AT(i)[PUT] - c->out[i] - AT(i)[TAKEN];
	}
	for (unsigned i = 0; i < c->n; i++)
		if (is_shared(p, c, i))
			c->out[i] = c->out[(i + 1) % c->n] + c->back[i] + AT(i + 1)[TAKEN] - c->back[(i + 1) % c->n] - AT(i + 1)[PUT];
}

/* The law at each stop; returns what a shared one lets out beyond what it gets. */
static int64_t check_chain(const struct play *p, struct chain_of *c)
{
	int64_t more = 0;

	read_wires(p, c);
	fill_in(p, c);
	for (unsigned i = 0; i < c->n; i++) {
		unsigned before = (i + c->n - 1) % c->n;
		int64_t in = c->out[before] + c->back[i], out = c->out[i] + c->back[before];

		CHECK(c->out[i] >= 0 && c->back[i] >= 0);
		if (is_shared(p, c, i)) {
			more = out - in;
			continue;
		}
		complain(p, c, c->stop[i], "comes in, goes out", in + AT(i)[PUT], out + AT(i)[TAKEN]);
		held[ring_class(c->stop[i])][c->kind] += in + AT(i)[PUT] == out + AT(i)[TAKEN] && AT(i)[PUT] + AT(i)[TAKEN] > 0;
	}
	return more;
}
#undef AT

/* All rings of a kind of a socket. */
static void check_socket(const struct play *p, unsigned socket, unsigned kind)
{
	int64_t more = 0, put = 0;
	struct chain_of c;

	for (unsigned cluster = 0; cluster < p->clusters; cluster++)
		for (unsigned which = 0; which < 2; which++) {
			c = (struct chain_of){ .socket = socket, .cluster = cluster, .kind = kind };
			make_chain(p, which, &c);
			if (c.n)
				more += check_chain(p, &c);
		}
	if (p->clusters == 1)
		return;
	for (unsigned cluster = 0; cluster < p->clusters; cluster++)
		for (unsigned stop = RING_R3QPI; stop <= RING_R2PCIE; stop++)
			put += p->slots[socket][cluster][stop][kind][PUT] - p->slots[socket][cluster][stop][kind][TAKEN];
	complain(p, &c, RING_R3QPI, "both clusters get, links and devices put", more, put);
}

static void lay_out(struct play *p, const struct machine *m)
{
	struct ring_config config = {
		.cores = m->together, .has = (unsigned)m->spec.value[SPEC_HAS], .uclk = calendar_rate(2000000), .hop = 1, .cross = 4,
	};

	p->clusters = m->nodes / p->sockets;
	if (p->clusters > 1) {
		config.has /= p->clusters;
		config.pairs = p->clusters * m->together > SMALL_DIE ? 2 : 1;
	}
	for (unsigned i = 0; i < p->clusters; i++) {
		config.side = (uint8_t)i;
		ring_init(&p->ring[i], &config, NULL);
	}
}

/* Devices stop, and what they have under way ends; so all that has been told is over. */
static void come_to_rest(bxs_machine *m)
{
	m->machine->devices.engines = 0;
	fabric_io_advance(m->machine->fabric, UINT64_MAX - 1);
	CHECK_EQ(__LINE__, bxs_advance(m, "uclk", REST), 0);
}

static int play(void *ctx, const bxs_scenario *sc)
{
	const char *spec = bxs_scenario_machine(sc);
	struct play *p;
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[300] = "";

	if ((ctx && strcmp(ctx, bxs_scenario_name(sc)) != 0) || (spec && strncmp(spec, "hsx", 3) != 0))
		return 0;
	p = calloc(1, sizeof *p);
	CHECK_EQ(__LINE__, bxs_machine_new(spec ? spec : "hsx", 0, &m, why, sizeof why), 0);
	p->scenario = bxs_scenario_name(sc);
	p->sockets = bxs_sockets(m);
	lay_out(p, m->machine);
	attach(m, sc);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 100000);
	/* An event that is in two terms is asked for once. */
	for (unsigned i = 0; i < LEN(terms); i++) {
		unsigned same = 0;

		while (strcmp(terms[same].event, terms[i].event) != 0)
			same++;
		if (same == i)
			CHECK_EQ(__LINE__, bxs_session_add(s, terms[i].event), 0);
	}
	listen(p, m->machine);
	CHECK_EQ(__LINE__, bxs_session_scenario(s, sc), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
	come_to_rest(m);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	bxs_session_each(s, BXS_BY_BOX, note, p);
	gather(p);
	for (unsigned socket = 0; socket < p->sockets; socket++)
		for (unsigned kind = 0; kind < RING_KINDS; kind++)
			check_socket(p, socket, kind);
	bxs_session_free(s);
	bxs_machine_free(m);
	free(p);
	return 0;
}

/* Each kind of stop has put something onto each ring, or taken it off; but links and devices have no snoops of cores, and home
 * agents do not hear of them. */
static void check_held(void)
{
	for (unsigned stop = 0; stop < LEN(held); stop++)
		for (unsigned kind = 0; kind < RING_KINDS; kind++)
			if (kind != RING_IV || stop == ring_class(RING_CBO) || stop == ring_class(RING_SBO))
				CHECK(held[stop][kind] > 0);
}

/* An argument names the one scenario to play. */
int main(int argc, char **argv)
{
	char why[400] = "";

	CHECK_EQ(__LINE__, bxs_each_scenario(play, argc > 1 ? argv[1] : NULL, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
	if (argc == 1)
		check_held();
	return check_done();
}
