/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single transactions on the idle sockets of an Itanium 9500: what each box tells, worked out by hand from the protocol
 * (docs/reference/model-poulson-uncore.md), and the latency of a hit.
 */
#include "base/error.h"
#include "poulson_rig.h"


static const struct prig_row rows[] = {
	{ "cbox", SIG_CBOX_REQUEST, 0 }, { "cbox", SIG_CBOX_LLC, CBOX_LLC_MISS | CBOX_LLC_I },
	{ "cbox", SIG_CBOX_LLC, CBOX_LLC_HIT }, { "cbox", SIG_CBOX_LLC, CBOX_LLC_FILL | CBOX_LLC_E },
	{ "cbox", SIG_CBOX_LLC, CBOX_LLC_FILL | CBOX_LLC_S }, { "cbox", SIG_CBOX_LLC, CBOX_LLC_VICTIM | CBOX_LLC_I },
	{ "cbox", SIG_CBOX_SINK, CBOX_SINK_P2C | CBOX_SINK_AD }, { "cbox", SIG_CBOX_SINK, CBOX_SINK_C2P | CBOX_SINK_AK },
	{ "cbox", SIG_CBOX_SINK, CBOX_SINK_C2P | CBOX_SINK_BL }, { "cbox", SIG_CBOX_SINK, CBOX_SINK_S2C | CBOX_SINK_BL },
	{ "cbox", SIG_CBOX_SINK, CBOX_SINK_S2P | CBOX_SINK_BL }, { "cbox", SIG_CBOX_SINK, CBOX_SINK_C2P | CBOX_SINK_IV },
	{ "cbox", SIG_CBOX_SNOOP, 0 }, { "cbox", SIG_CBOX_SNOOP, CBOX_SNOOP_HIT | CBOX_SNOOP_M },
	{ "sbox", SIG_BRIDGE_SENT, BRIDGE_SENT_HOM }, { "sbox", SIG_BRIDGE_SENT, BRIDGE_SENT_DRS },
	{ "sbox", SIG_BRIDGE_RECEIVED, BRIDGE_RECEIVED_DRS }, { "sbox", SIG_BRIDGE_RECEIVED, BRIDGE_RECEIVED_NDR },
	{ "sbox", SIG_BRIDGE_RECEIVED, BRIDGE_RECEIVED_SNP }, { "sbox", SIG_BRIDGE_CREDIT, BRIDGE_CREDIT_TO_R },
	{ "bbox", SIG_BBOX_IN, 0 }, { "bbox", SIG_BBOX_OUT, 0 }, { "bbox", SIG_BBOX_IMT, BBOX_IMT_ALLOC },
	{ "bbox", SIG_BBOX_COMMAND, 0 }, { "bbox", SIG_BBOX_Z_ACK, BBOX_Z_ACK_ALL },
	{ "bbox", SIG_BBOX_SNOOP, BBOX_SNOOP_LOCAL }, { "bbox", SIG_BBOX_SNOOP, BBOX_SNOOP_REMOTE },
	{ "bbox", SIG_BBOX_FORWARD, BBOX_FORWARD_LOC_REM }, { "bbox", SIG_BBOX_FORWARD, BBOX_FORWARD_REM_LOC },
	{ "zbox", SIG_IMC_FVC, IMC_FVC_READS }, { "zbox", SIG_IMC_FVC, IMC_FVC_F2B }, { "zbox", SIG_IMC_FVC, IMC_FVC_WRITES },
	{ "zbox", SIG_IMC_FVC, IMC_FVC_MEGAOP1 }, { "zbox", SIG_IMC_FVC, IMC_FVC_MEGAOP2 },
	{ "zbox", SIG_IMC_COMMAND, IMC_COMMAND_CAS_RD }, { "zbox", SIG_IMC_FRAME, IMC_FRAME_WDAT },
	{ "rbox", SIG_ROUTER_PORT, ROUTER_PORT_PLAIN_IN }, { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_PLAIN_OUT },
	{ "bbox", SIG_BBOX_DC, BBOX_DC_ALLOC }, { "bbox", SIG_BBOX_DC, BBOX_DC_NEED_SNOOPS },
};

/* What a socket did last, and what all boxes of the machine then have told since before: columns as the rows. */
static const struct step {
	int line;
	unsigned socket, core, kind;
	bool second;			/* the line is of socket 1's memory, else of socket 0's */
	unsigned grant, source;
	uint8_t want[LEN(rows)];
} steps[] = {
	/* A read of local memory: request, data with completion.  The line comes to slice and core, two halves each. */
	{ LINE, 0, 0, LEAVE_DRD, false, FABRIC_EXCLUSIVE, FABRIC_FROM_LOCAL,
	  { 1, 1, 0, 1, 0, 1, 1, 1, 0, 2, 2, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 10, 10,
	    0, 0 } },
	/* Again: a hit, two halves from the slice. */
	{ LINE, 0, 0, LEAVE_DRD, false, FABRIC_EXCLUSIVE, FABRIC_FROM_LLC,
	  { 1, 0, 1, 0, 0, 0, 1, 1, 2 } },
	/* Another core reads: the owner is asked over IV, answers over AK, shares. */
	{ LINE, 0, 1, LEAVE_DRD, false, FABRIC_SHARED, FABRIC_FROM_CORE,
	  { 1, 0, 1, 0, 0, 0, 1, 1, 2, 0, 0, 1 } },
	/*
	 * The other socket wants to own the line: the home asks its own socket's slice, whose cores forget the line, and which
	 * sends it on as its own (RspFwdI); memory gets the new directory word with the line it has (F2V, write).  Flits
	 * through routers: request and completion twice one, snoop and response one, the line twice nine.
	 */
	{ LINE, 1, 0, LEAVE_RFO, false, FABRIC_MODIFIED, FABRIC_FROM_PEER,
	  { 1, 1, 0, 1, 0, 1, 1, 1, 0, 2, 2, 2, 1, 0, 2, 1, 1, 1, 1, 3, 2, 2, 1, 2, 2, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 4, 24, 24,
	    1, 1 } },
	/*
	 * The home's socket reads it back: the directory cache says where it is; the owner sends it to the requester and home,
	 * which writes it.  The requester gets line and completion.  Flits: snoop, response and two lines twice, 1 + 1 + 9 + 9,
	 * request and completion once.
	 */
	{ LINE, 0, 0, LEAVE_DRD, false, FABRIC_SHARED, FABRIC_FROM_PEER,
	  { 1, 1, 0, 0, 1, 1, 1, 1, 0, 2, 2, 1, 1, 1, 2, 2, 1, 1, 1, 3, 3, 2, 1, 2, 2, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 4, 42, 42,
	    0, 1 } },
};

static void one(struct prig *r, const struct step *s, uint64_t line, uint64_t *now, int64_t *before)
{
	struct p9500_request rq = { .line = line, .when = *now, .socket = (uint8_t)s->socket, .core = (uint8_t)s->core,
				    .kind = (uint8_t)s->kind };
	struct p9500_reply reply = p9500_request(r->p, &rq);

	CHECK_EQ(s->line, reply.grant, s->grant);
	CHECK_EQ(s->line, reply.source, s->source);
	*now += 10000000;
	prig_settle(r, *now);
	for (unsigned i = 0; i < LEN(rows); i++) {
		int64_t sum = prig_sum(r, i);

		if (sum - before[i] != s->want[i])
			printf("column %u (%s, signal %u, flags %#" PRIx64 "):\n", i, rows[i].type, rows[i].sig, rows[i].flags);
		CHECK_EQ(s->line, sum - before[i], s->want[i]);
		before[i] = sum;
	}
}

static void protocol(void)
{
	static struct prig r;
	int64_t before[LEN(rows)] = { 0 };
	uint64_t now = 10000000;

	prig_open(&r, 2, rows, LEN(rows));
	for (const struct step *s = steps; s < steps + LEN(steps); s++)
		one(&r, s, 1000 + (s->second ? PRIG_MEMORY >> 6 : 0), &now, before);
	prig_close(&r);
}

/* A hit: 5 clocks to the stop, the ring, 3 through the queue, 8 for the tags, 8 for the line, the ring, a clock more for its
 * second half, 5 into the core.  To its own stop a message takes a clock. */
static void hit_latency(void)
{
	static struct prig r;
	uint64_t now = 10000000;

	prig_open(&r, 1, rows, 1);
	for (unsigned core = 0; core < 8; core++) {
		unsigned slice = tags_slice(&r.p->socket[0].tags, 77), hops = pring_hops(pring_stop_of_core(core),
											pring_stop_of_core(slice));
		struct p9500_request rq = { .line = 77, .core = (uint8_t)core, .kind = LEAVE_CRD };
		struct p9500_reply reply;

		for (unsigned n = 0; n < 2; n++) {
			rq.when = now += 10000000;
			reply = p9500_request(r.p, &rq);
		}
		hops = hops ? hops : 1;
		CHECK_EQ(__LINE__, reply.when - rq.when, (5 + hops + 3 + 8 + 8 + hops + 1 + 5) * PRIG_PS);
	}
	prig_close(&r);
}

/* The ring of ten stops: 0-1 S0 2-3 4-5 S1 6-7. */
static void ring_distances(void)
{
	static const struct { int line; unsigned from, to, hops; } pairs[] = {
		{ LINE, 0, 0, 0 }, { LINE, 0, 1, 1 }, { LINE, 0, 2, 3 }, { LINE, 0, 3, 4 }, { LINE, 0, 4, 5 }, { LINE, 0, 5, 4 },
		{ LINE, 0, 6, 2 }, { LINE, 0, 7, 1 }, { LINE, 3, 4, 1 }, { LINE, 5, 6, 2 },
	};

	for (size_t i = 0; i < LEN(pairs); i++)
		CHECK_EQ(pairs[i].line, pring_hops(pring_stop_of_core(pairs[i].from), pring_stop_of_core(pairs[i].to)),
			 pairs[i].hops);
	CHECK_EQ(__LINE__, pring_hops(pring_stop_of_core(1), pring_stop_of_sbox(0)), 1);
	CHECK_EQ(__LINE__, pring_hops(pring_stop_of_core(7), pring_stop_of_sbox(1)), 2);
}

/* Which port leads where: two sockets take turns by line, of eight only 5 and 6 apart need a third. */
static void routes(void)
{
	static const struct { int line; unsigned sockets, from, to, port, next; } rows_[] = {
		{ LINE, 2, 0, 1, RBOX_QPI0, 1 }, { LINE, 4, 0, 1, RBOX_QPI0, 1 }, { LINE, 4, 1, 3, RBOX_QPI1, 3 },
		{ LINE, 4, 0, 3, RBOX_QPI2, 3 }, { LINE, 8, 0, 4, RBOX_QPI2, 4 }, { LINE, 8, 1, 2, RBOX_QPIH4, 2 },
		{ LINE, 8, 0, 7, RBOX_QPIH5, 7 }, { LINE, 8, 0, 5, RBOX_QPI2, 4 }, { LINE, 8, 2, 4, RBOX_QPI2, 6 },
	};

	for (size_t i = 0; i < LEN(rows_); i++) {
		struct rbox_config config = { .sockets = rows_[i].sockets, .links = 2 };
		unsigned next;

		CHECK_EQ(rows_[i].line, rbox_route(&config, rows_[i].from, rows_[i].to, 0, &next), rows_[i].port);
		CHECK_EQ(rows_[i].line, next, rows_[i].next);
	}
}

/*
 * Memory that nobody uses for 12 us, 6400 of its clocks: a rank powers down 2048 after it did something, and wakes for a
 * refresh every 4160, which takes it 4 + 139.  Rank 0 sleeps from 2048 to 2080 and from 4271 to 6240, rank 1 from 2048 to
 * 4160 and from 6351 on.  A clock of memory is 3.75 of the box.
 */
static void power_down(void)
{
	static const struct prig_row quiet[] = {
		{ "zbox", SIG_IMC_CKE_LOW, IMC_CKE_LOW_RANK0 }, { "zbox", SIG_IMC_CKE_LOW, IMC_CKE_LOW_RANK1 },
		{ "zbox", SIG_IMC_CKE_ENTER, IMC_CKE_ENTER_RANK0 }, { "zbox", SIG_IMC_CKE_ENTER, IMC_CKE_ENTER_RANK1 },
		{ "zbox", SIG_IMC_CKE_LOW, IMC_CKE_LOW_RANK4 }, { "zbox", SIG_IMC_CKE_LOW, IMC_CKE_LOW_RANK2 },
		{ "zbox", SIG_IMC_REFRESH, 0 },
	};
	/* Ranks 0 and 1 of the first bus, rank 0 of the second; two refreshes of rank 0 and one of rank 1 on both. */
	static const int64_t want[LEN(quiet)] = { 7504, 7920 + 184, 2, 2, 7504, 0, 6 };
	static struct prig r;

	prig_open(&r, 1, quiet, LEN(quiet));
	prig_settle(&r, 12001000);	/* the last of them is over */
	for (unsigned i = 0; i < LEN(quiet); i++)
		CHECK_EQ(__LINE__ + (int)i, prig_of(&r, i, 0, 1), want[i]);
	prig_close(&r);
}

static void refusals(void)
{
	struct prig r;
	struct p9500_config good = prig_config(&r, 2), bad;
	struct p9500 *p = NULL;

#define REFUSED(member, value) \
	(bad = good, bad.member = (value), CHECK_EQ(__LINE__, p9500_new(&bad, &p), BXS_EINVAL))
	REFUSED(sockets, 0);
	REFUSED(sockets, 3);
	REFUSED(sockets, 16);
	REFUSED(cores, 9);
	REFUSED(slices, 0);
	REFUSED(links, 3);
	REFUSED(uclk_khz, 0);
	REFUSED(memory, 100);
	REFUSED(dimms, 3);
	REFUSED(snoop_core, NULL);
	CHECK(p == NULL);
	CHECK_EQ(__LINE__, p9500_new(&good, &p), 0);
	CHECK(!p9500_port(p, 2, "cbox", 0, NULL));
	CHECK(!p9500_port(p, 0, "cbox", 8, NULL));
	CHECK(!p9500_port(p, 0, "wbox", 0, NULL));
	CHECK(p9500_port(p, 1, "zbox", 1, NULL));
	p9500_free(p);
	p9500_free(NULL);
}

int main(void)
{
	protocol();
	hit_latency();
	ring_distances();
	routes();
	power_down();
	refusals();
	return check_done();
}
