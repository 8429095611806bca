/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws that hold between the boxes of Itanium 9500 sockets whatever goes on: random requests of all cores of one, two, four
 * and eight sockets, on lines that few and that many use.
 */
#include "poulson_rig.h"

enum { REQUESTS = 6000, SHARED = 64, WIDE = 1 << 16 };

enum {
	REQUEST, HIT, MISS, READ_MISS, WRITE_MISS, VICTIM_M, VICTIM, FREE, FILL, ENTRY, PROBE, SNOOPED, SNOOP_HIT, SINK, WIN, ACK,
	SENT, SENT_HOM, SENT_NC, SENT_BL, FLITS, RECEIVED, RECEIVED_SNP, EGRESS_WIN, EGRESS_BYPASS, TABLE, QEAR, TO_R, FROM_R,
	IMT, IN, OUT, SNOOP, RESPONSE, FORWARD, COMMAND, ACKS, ENTER, LEAVE, ENTRIES, INSERT, REMOVE, DC_IN, DC_OUT,
	READS, WRITES, MEGA1, MEGA2, F2B, CAS_RD, WPQ_HIT, REQUEST_RD, REQUEST_WR,
	PLAIN_IN, PLAIN_OUT, PACKET, WON, ALLOC, LOCAL, GLOBAL, CROSSED,
};

static const struct prig_row rows[] = {
	[REQUEST] = { "cbox", SIG_CBOX_REQUEST, 0 }, [HIT] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_HIT },
	[MISS] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_MISS },
	[READ_MISS] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_MISS | CBOX_LLC_I },
	[WRITE_MISS] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_MISS | CBOX_LLC_WRITE },
	[VICTIM_M] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_VICTIM | CBOX_LLC_M }, [VICTIM] = { "cbox", SIG_CBOX_VICTIM, 0 },
	[FREE] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_VICTIM | CBOX_LLC_I }, [FILL] = { "cbox", SIG_CBOX_LLC, CBOX_LLC_FILL },
	[ENTRY] = { "cbox", SIG_CBOX_ENTRY, 0 }, [PROBE] = { "cbox", SIG_CBOX_PROBE, 0 },
	[SNOOPED] = { "cbox", SIG_CBOX_SNOOP, 0 }, [SNOOP_HIT] = { "cbox", SIG_CBOX_SNOOP, CBOX_SNOOP_HIT },
	[SINK] = { "cbox", SIG_CBOX_SINK, 0 }, [WIN] = { "cbox", SIG_CBOX_EGRESS, CBOX_EGRESS_WIN },
	[ACK] = { "cbox", SIG_CBOX_ACK, 0 },
	[SENT] = { "sbox", SIG_BRIDGE_SENT, 0 }, [SENT_HOM] = { "sbox", SIG_BRIDGE_SENT, BRIDGE_SENT_HOM },
	[SENT_NC] = { "sbox", SIG_BRIDGE_SENT, BRIDGE_SENT_NCS }, [SENT_BL] = { "sbox", SIG_BRIDGE_SENT, BRIDGE_SENT_NCB },
	[FLITS] = { "sbox", SIG_BRIDGE_FLITS, 0 }, [RECEIVED] = { "sbox", SIG_BRIDGE_RECEIVED, 0 },
	[RECEIVED_SNP] = { "sbox", SIG_BRIDGE_RECEIVED, BRIDGE_RECEIVED_SNP }, [EGRESS_WIN] = { "sbox", SIG_BRIDGE_EGRESS, BRIDGE_EGRESS_WIN },
	[EGRESS_BYPASS] = { "sbox", SIG_BRIDGE_EGRESS, BRIDGE_EGRESS_BYPASS },
	[TABLE] = { "sbox", SIG_BRIDGE_TABLE, 0 }, [QEAR] = { "sbox", SIG_BRIDGE_QEAR, 0 },
	[TO_R] = { "sbox", SIG_BRIDGE_CREDIT, BRIDGE_CREDIT_TO_R }, [FROM_R] = { "sbox", SIG_BRIDGE_CREDIT, BRIDGE_CREDIT_FROM_R },
	[IMT] = { "bbox", SIG_BBOX_IMT, 0 }, [IN] = { "bbox", SIG_BBOX_IN, 0 }, [OUT] = { "bbox", SIG_BBOX_OUT, 0 },
	[SNOOP] = { "bbox", SIG_BBOX_SNOOP, 0 }, [RESPONSE] = { "bbox", SIG_BBOX_RESPONSE, 0 },
	[FORWARD] = { "bbox", SIG_BBOX_FORWARD, 0 }, [COMMAND] = { "bbox", SIG_BBOX_COMMAND, 0 },
	[ACKS] = { "bbox", SIG_BBOX_Z_ACK, BBOX_Z_ACK_FIRST }, [ENTER] = { "bbox", SIG_BBOX_ENTER, 0 },
	[LEAVE] = { "bbox", SIG_BBOX_LEAVE, 0 }, [ENTRIES] = { "bbox", SIG_BBOX_ENTRIES, 0 },
	[INSERT] = { "bbox", SIG_BBOX_INSERT, 0 }, [REMOVE] = { "bbox", SIG_BBOX_REMOVE, 0 },
	[DC_IN] = { "bbox", SIG_BBOX_DC, BBOX_DC_INSERT }, [DC_OUT] = { "bbox", SIG_BBOX_DC, BBOX_DC_REMOVE },
	[READS] = { "zbox", SIG_IMC_FVC, IMC_FVC_READS }, [WRITES] = { "zbox", SIG_IMC_FVC, IMC_FVC_WRITES },
	[MEGA1] = { "zbox", SIG_IMC_FVC, IMC_FVC_MEGAOP1 }, [MEGA2] = { "zbox", SIG_IMC_FVC, IMC_FVC_MEGAOP2 },
	[F2B] = { "zbox", SIG_IMC_FVC, IMC_FVC_F2B }, [CAS_RD] = { "zbox", SIG_IMC_COMMAND, IMC_COMMAND_CAS_RD },
	[WPQ_HIT] = { "zbox", SIG_IMC_WPQ_READ_HIT, 0 }, [REQUEST_RD] = { "zbox", SIG_IMC_REQUEST, IMC_REQUEST_READ },
	[REQUEST_WR] = { "zbox", SIG_IMC_REQUEST, IMC_REQUEST_WRITE },
	[PLAIN_IN] = { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_PLAIN_IN }, [PLAIN_OUT] = { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_PLAIN_OUT },
	[PACKET] = { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_PACKET }, [WON] = { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_READ_WIN },
	[ALLOC] = { "rbox", SIG_ROUTER_PORT, ROUTER_PORT_ALLOC }, [LOCAL] = { "rbox", SIG_ROUTER_BID, ROUTER_BID_LOCAL },
	[GLOBAL] = { "rbox", SIG_ROUTER_BID, ROUTER_BID_GLOBAL }, [CROSSED] = { "rbox", SIG_ROUTER_PACKET, 0 },
};

static const uint8_t kinds[] = {
	LEAVE_DRD, LEAVE_DRD, LEAVE_DRD, LEAVE_RFO, LEAVE_RFO, LEAVE_CRD, LEAVE_ITOM, LEAVE_WB_M, LEAVE_PF_LLC_DRD, LEAVE_WCILF,
	LEAVE_UC_READ, LEAVE_UC_WRITE, LEAVE_LOCK,
};

/* What was asked for, as the law of sinks wants to know. */
struct asked {
	uint64_t requests, noncoherent, qpi;
};

static struct p9500_request draw(uint64_t *random, unsigned sockets)
{
	uint64_t r = check_random(random), home = r >> 20 & (sockets - 1);
	uint64_t line = r >> 40 & 1 ? (r >> 24) % SHARED : (r >> 24) % WIDE * 8 + 100000;

	return (struct p9500_request){
		.line = line + home * (PRIG_MEMORY >> 6), .socket = (uint8_t)(r & (sockets - 1)), .core = r >> 4 & 7,
		/* Few of the last kinds. */
		.kind = kinds[(r >> 8) % (LEN(kinds) - ((r >> 48) % 8 ? 3 : 0))],
	};
}

static uint64_t run(struct prig *r, unsigned sockets, struct asked *asked)
{
	uint64_t random = 4711 + sockets, core[8][8] = { { 0 } }, last = 0;

	for (unsigned n = 0; n < REQUESTS; n++) {
		struct p9500_request rq = draw(&random, sockets);
		struct p9500_reply reply;
		bool nc = rq.kind >= LEAVE_LOCK && rq.kind <= LEAVE_UC_WRITE;

		rq.when = core[rq.socket][rq.core] + 20000 + n * 100;
		reply = p9500_request(r->p, &rq);
		CHECK(reply.when > rq.when);
		core[rq.socket][rq.core] = reply.when > rq.when + 400000 ? rq.when : reply.when - n * 100;
		last = reply.when > last ? reply.when : last;
		asked->requests += !nc;
		asked->noncoherent += nc;
		asked->qpi += rq.kind == LEAVE_LOCK ? 2 * sockets : nc;
	}
	return last;
}

#define SAME(a, b) CHECK_EQ(__LINE__, a, b)
#define OF(row) prig_sum(r, row)

static void caches(const struct prig *r, const struct asked *asked)
{
	SAME(OF(REQUEST), asked->requests);
	SAME(OF(REQUEST), OF(HIT) + OF(MISS));
	SAME(OF(REQUEST), OF(ENTRY));
	SAME(OF(ACK), OF(REQUEST) + OF(PROBE));
	/* Each fill drives a line out, or finds a free way. */
	SAME(OF(FILL), OF(VICTIM) + OF(FREE));
	/* To the homes: reads and ownership that missed, lines that were modified. */
	SAME(OF(IMT), OF(MISS) + OF(VICTIM_M));
	SAME(OF(PROBE), OF(SNOOPED));
	SAME(OF(PROBE), OF(RECEIVED_SNP));
	CHECK(r->sockets == 1 ? OF(SNOOPED) == 0 : OF(SNOOP_HIT) > 0 && OF(SNOOP_HIT) < OF(SNOOPED));
}

static void homes(const struct prig *r, const struct asked *asked)
{
	SAME(OF(SNOOP), OF(RESPONSE));
	SAME(OF(SNOOP), OF(PROBE));
	SAME(OF(ENTER), OF(LEAVE));
	SAME(OF(ENTER), OF(IMT) + OF(SNOOP));
	SAME(OF(INSERT), OF(REMOVE));
	SAME(OF(DC_IN), OF(DC_OUT));
	/* What homes take and send is what caching agents send and take, but for devices and lines from cache to cache. */
	SAME(OF(IN), OF(SENT) - OF(SENT_NC) - OF(SENT_BL) - OF(FORWARD));
	SAME(OF(OUT), OF(RECEIVED) - (int64_t)asked->qpi - OF(FORWARD));
	SAME(OF(SENT_NC) + OF(SENT_BL), asked->qpi);
	SAME(OF(COMMAND), OF(ACKS));
	SAME(OF(COMMAND), OF(READS) + OF(WRITES) + OF(MEGA1) + OF(MEGA2) + OF(F2B));
}

/* By controller: the home's own record, the commands, what its channels do. */
static void memory(const struct prig *r)
{
	for (unsigned s = 0; s < r->sockets; s++)
		for (unsigned b = 0; b < P9500_HOMES; b++) {
			const struct bbox *home = &r->p->socket[s].bbox[b];

			SAME(prig_of(r, READS, s, b), home->reads);
			SAME(prig_of(r, WRITES, s, b) + prig_of(r, MEGA1, s, b) + prig_of(r, MEGA2, s, b), home->writes);
			SAME(prig_of(r, REQUEST_RD, s, b), home->reads);
			SAME(prig_of(r, REQUEST_WR, s, b), home->writes);
			SAME(prig_of(r, CAS_RD, s, b) + prig_of(r, WPQ_HIT, s, b), home->reads);
			CHECK(home->reads > 0);
		}
}

static void router(const struct prig *r)
{
	int64_t in = 0;

	for (unsigned s = 0; s < r->sockets; s++) {
		const struct rbox *x = &r->p->router[s];

		/* What comes into a socket's router goes out of it. */
		SAME(prig_of(r, PLAIN_IN, s, 0), prig_of(r, PLAIN_OUT, s, 0));
		for (unsigned port = 0; port < RBOX_PORTS; port++) {
			unsigned differ = port == RBOX_QPI0 ? 1 : port == RBOX_QPIH4 ? 3 : port == RBOX_QPIH5 ? 7 :
					  port == RBOX_QPI1 ? (r->sockets == 2 ? 1 : 2) : r->sockets == 4 ? 3 : 4;

			/* And what goes onto a link comes in at its other end. */
			if (x->port[port].external && x->port[port].wired)
				SAME(x->port[port].sent, r->p->router[s ^ differ].port[port].received);
			if (!x->port[port].wired)
				SAME(x->port[port].sent + x->port[port].received, 0);
		}
		in += x->port[RBOX_S0].received + x->port[RBOX_S1].received;
	}
	SAME(OF(FLITS), in);
	SAME(OF(PACKET), OF(WON));
	SAME(OF(PACKET), OF(ALLOC));
	SAME(OF(PACKET), OF(LOCAL));
	SAME(OF(PACKET), OF(GLOBAL));
	SAME(OF(PACKET), OF(CROSSED));
	SAME(OF(TO_R), OF(RECEIVED));
	SAME(OF(FROM_R), OF(SENT));
}

/* All that gets onto the rings leaves them: at stops of cores, which tell, or of Sboxes, of whose messages lines are two. */
static void rings(const struct prig *r)
{
	int64_t to_sbox = OF(SENT_HOM) + OF(SENT_NC) + 2 * (OF(SENT) - OF(SENT_HOM) - OF(SENT_NC)), sent = 0;

	for (unsigned s = 0; s < r->sockets; s++)
		sent += (int64_t)r->p->socket[s].ring.sent;
	SAME(OF(WIN) + OF(EGRESS_WIN) + OF(EGRESS_BYPASS), sent);
	SAME(OF(SINK) + to_sbox, sent);
}

/* Occupancy is the sum of latencies: to the clock that each begins and ends in. */
static void little(const struct prig *r)
{
	int64_t requests = OF(SENT) + OF(IMT), apart = OF(TABLE) - OF(QEAR);

	CHECK(apart <= requests && -apart <= requests);
	CHECK(OF(QEAR) > 0 && OF(ENTRIES) > OF(IMT));
}

static void laws(unsigned sockets)
{
	static struct prig r;
	struct asked asked = { 0 };
	uint64_t last;

	prig_open(&r, sockets, rows, LEN(rows));
	last = run(&r, sockets, &asked);
	prig_settle(&r, last + 100000000);
	caches(&r, &asked);
	homes(&r, &asked);
	memory(&r);
	router(&r);
	rings(&r);
	little(&r);
	prig_close(&r);
}

int main(void)
{
	for (unsigned sockets = 1; sockets <= 8; sockets *= 2)
		laws(sockets);
	return check_done();
}
