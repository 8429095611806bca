/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent with two channels: what each kind of request makes it do and tell. */
#include "ha_rig.h"

static unsigned snoop(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
		      uint64_t when, struct ha_response *out)
{
	struct rig *r = ctx;

	(void)ha;
	(void)rq;
	r->asked |= sockets;
	out[0] = r->answer;
	out[0].when += when;
	return r->answer.kind != NONE;
}

/* What a row may expect to have happened; the order of struct row's want[]. */
static const struct {
	unsigned sig;
	uint64_t flags;
} meters[] = {
	{ SIG_HA_REQUEST, HA_REQUEST_READ_LOCAL }, { SIG_HA_REQUEST, HA_REQUEST_READ_REMOTE },
	{ SIG_HA_REQUEST, HA_REQUEST_WRITE_LOCAL }, { SIG_HA_REQUEST, HA_REQUEST_WRITE_REMOTE },
	{ SIG_HA_REQUEST, HA_REQUEST_INVITOE_LOCAL }, { SIG_HA_REQUEST, HA_REQUEST_INVITOE_REMOTE },
	{ SIG_HA_BYPASS, 0 }, { SIG_HA_IMC_WRITE, HA_IMC_WRITE_FULL },
	{ SIG_HA_IMC_WRITE, HA_IMC_WRITE_PARTIAL },
	{ SIG_HA_TX_BL, HA_TX_BL_DRS_CACHE }, { SIG_HA_TX_BL, HA_TX_BL_DRS_CORE },
	{ SIG_HA_TX_BL, HA_TX_BL_DRS_QPI }, { SIG_HA_TX_AK, HA_TX_AK_NDR }, { SIG_HA_TX_AD, HA_TX_AD_SNP },
	{ SIG_HA_RESPONSE, HA_RESPONSE_RSPI }, { SIG_HA_RESPONSE, HA_RESPONSE_RSPS },
	{ SIG_HA_RESPONSE, HA_RESPONSE_RSPIFWD }, { SIG_HA_RESPONSE, HA_RESPONSE_RSPSFWD },
	{ SIG_HA_RESPONSE, HA_RESPONSE_RSP_WB }, { SIG_HA_RESPONSE, HA_RESPONSE_LOCAL },
	{ SIG_HA_SNOOP_LATE, 0 }, { SIG_HA_DIRECT_OVERRIDE, 0 },
	{ SIG_HA_DIR_LOOKUP, HA_DIR_LOOKUP_SNP }, { SIG_HA_DIR_LOOKUP, HA_DIR_LOOKUP_NO_SNP },
	{ SIG_HA_DIR_UPDATE, HA_DIR_UPDATE_SET }, { SIG_HA_DIR_UPDATE, HA_DIR_UPDATE_CLEAR },
	{ SIG_HA_DIR_LAT_OPT, 0 }, { SIG_HA_TX_AD, HA_TX_AD_NDR },
};

enum {
	RL = 1 << 0, RR = 1 << 1, WL = 1 << 2, WR = 1 << 3, IL = 1 << 4, IR = 1 << 5,
	MEM = 1 << 6, FULL = 1 << 7, PART = 1 << 8,
	CACHE = 1 << 9, CORE = 1 << 10, QPI = 1 << 11, AK = 1 << 12, AD = 1 << 13,
	RSPI = 1 << 14, RSPS = 1 << 15, IFWD = 1 << 16, SFWD = 1 << 17, RSPWB = 1 << 18,
	RLOCAL = 1 << 19, LATE = 1 << 20, OVERRIDE = 1 << 21,
	SNP = 1 << 22, NOSNP = 1 << 23, SET = 1 << 24, CLEAR = 1 << 25, LATOPT = 1 << 26, NDR = 1 << 27,
};

struct ask {
	uint8_t opcode, socket;
	uint8_t answer;		/* of the peer, if asked */
	bool direct, partial, slow;	/* slow: the answer comes after the data */
	uint32_t want;		/* each of these once, all others never */
	bool shared, peer;
};

static const struct row {
	int line;
	enum ha_snoop mode;
	struct ask ask[4];	/* of one line, one after the other; want 0: no more */
} rows[] = {
#define SOURCE LINE, HA_SNOOP_SOURCE
#define HOMES LINE, HA_SNOOP_HOME
#define DIRECTORY LINE, HA_SNOOP_DIRECTORY
	/* Source snoop: responses come along. */
	{ SOURCE, { { HA_RD_DATA, HOME, NONE, .want = RL | MEM | CACHE } } },
	{ SOURCE, { { HA_RD_DATA, HOME, NONE, .direct = true, .want = RL | MEM | CORE } } },
	{ SOURCE, { { HA_RD_DATA, HOME, HA_RSP_I, .direct = true,
		      .want = RL | MEM | CORE | RSPI | RLOCAL } } },
	{ SOURCE, { { HA_RD_CODE, OTHER, HA_RSP_I, .slow = true,
		      .want = RR | MEM | QPI | RSPI | LATE } } },
	{ SOURCE, { { HA_RD_DATA, HOME, HA_RSP_S, .direct = true, .shared = true,
		      .want = RL | MEM | CACHE | RSPS | RLOCAL | OVERRIDE } } },
	{ SOURCE, { { HA_RD_DATA, HOME, HA_RSP_FWD_S, .shared = true, .peer = true,
		      .want = RL | MEM | AK | SFWD | RLOCAL } } },
	{ SOURCE, { { HA_RD_INV_OWN, OTHER, HA_RSP_FWD_I, .peer = true,
		      .want = RR | MEM | NDR | IFWD } } },
	{ SOURCE, { { HA_RD_DATA, OTHER, HA_RSP_S_WB, .shared = true,
		      .want = RR | MEM | QPI | RSPWB | FULL } } },
	{ SOURCE, { { HA_INV_ITOE, HOME, HA_RSP_I, .want = IL | AK | RSPI | RLOCAL } } },
	{ SOURCE, { { HA_INV_ITOE, OTHER, HA_RSP_I_WB, .want = IR | NDR | RSPWB | FULL } } },
	{ SOURCE, { { HA_WB_MTOI, HOME, NONE, .want = WL | AK | FULL } } },
	{ SOURCE, { { HA_WB_MTOE, OTHER, NONE, .want = WR | NDR | FULL } } },
	{ SOURCE, { { HA_NON_SNP_WR, HOME, NONE, .partial = true, .want = WL | AK | PART } } },
	/* Home snoop: the home agent asks, but not for write-backs and reads without snoops. */
	{ HOMES, { { HA_RD_DATA, HOME, HA_RSP_I,
		     .want = RL | MEM | CACHE | AD | RSPI | RLOCAL } } },
	{ HOMES, { { HA_INV_ITOE, OTHER, HA_RSP_I, .want = IR | NDR | AD | RSPI } } },
	{ HOMES, { { HA_NON_SNP_RD, HOME, HA_RSP_I, .want = RL | MEM | CACHE } } },
	{ HOMES, { { HA_WB_MTOI, HOME, HA_RSP_I, .want = WL | AK | FULL } } },
	/* Directory: nobody has the line; no snoop, no change. */
	{ DIRECTORY, { { HA_RD_DATA, HOME, HA_RSP_I, .want = RL | MEM | CACHE | NOSNP | LATOPT },
		       { HA_RD_INV_OWN, HOME, HA_RSP_I,
			 .want = RL | MEM | CACHE | NOSNP | LATOPT } } },
	/* The other socket takes it (the caches here are asked all the same); that costs a
	 * write.  Reading it here costs a snoop; nothing found, another write clears it. */
	{ DIRECTORY, { { HA_RD_DATA, OTHER, HA_RSP_I,
			 .want = RR | MEM | QPI | NOSNP | AD | RSPI | SET | FULL },
		       { HA_RD_DATA, HOME, HA_RSP_I,
			 .want = RL | MEM | CACHE | SNP | AD | RSPI | RLOCAL | LATE | CLEAR | FULL },
		       { HA_RD_DATA, HOME, HA_RSP_I,
			 .want = RL | MEM | CACHE | NOSNP | LATOPT } } },
	/* Shared by the other: a read here needs no snoop, a claim does. */
	{ DIRECTORY, { { HA_RD_CODE, OTHER, HA_RSP_I,
			 .want = RR | MEM | QPI | NOSNP | AD | RSPI | SET | FULL },
		       { HA_RD_DATA, HOME, HA_RSP_S, .shared = true, .want = RL | MEM | CACHE | NOSNP },
		       { HA_RD_INV_OWN, HOME, HA_RSP_I,
			 .want = RL | MEM | CACHE | SNP | AD | RSPI | RLOCAL | LATE | CLEAR | FULL } } },
	/* Its write-back carries the directory bits along: one write for both. */
	{ DIRECTORY, { { HA_RD_INV_OWN, OTHER, HA_RSP_I,
			 .want = RR | MEM | QPI | NOSNP | AD | RSPI | SET | FULL },
		       { HA_WB_MTOI, OTHER, NONE, .want = WR | NDR | CLEAR | FULL },
		       { HA_INV_ITOE, HOME, HA_RSP_I, .want = IL | MEM | AK | NOSNP } } },
#undef SOURCE
#undef HOMES
#undef DIRECTORY
};

static void run_ask(struct rig *r, const struct row *row, const struct ask *a, uint64_t when)
{
	struct ha_request rq = {
		.line = LINES + 77, .when = when, .opcode = a->opcode, .socket = a->socket,
		.direct = a->direct, .partial = a->partial,
	};
	struct ha_response answer = {
		.when = a->slow ? 200000 : 1000, .kind = a->answer, .socket = !a->socket,
	};
	struct ha_reply reply;
	int64_t before[LEN(meters)];
	bool data = a->want & (CACHE | CORE | QPI);

	memcpy(before, r->m.sum, sizeof before);
	r->answer = answer;
	r->asked = 0;
	if (row->mode == HA_SNOOP_SOURCE && a->answer != NONE) {
		rq.responses = 1;
		rq.response[0] = answer;
		rq.response[0].when += when;
	}
	reply = ha_request(r->ha, &rq);
	rig_until(r, when + 1000000);
	for (unsigned i = 0; i < LEN(meters); i++)
		if (r->m.sum[i] - before[i] != (a->want >> i & 1)) {
			printf("request %u, meter %u:\n", (unsigned)(a - row->ask), i);
			CHECK_EQ(row->line, r->m.sum[i] - before[i], a->want >> i & 1);
		}
	CHECK_EQ(row->line, reply.data != 0, data);
	CHECK_EQ(row->line, reply.data, data ? reply.done : 0);
	CHECK_EQ(row->line, reply.done > when, 1);
	CHECK_EQ(row->line, r->asked, a->want & AD ? 1u << !a->socket : 0);
	CHECK_EQ(row->line, reply.shared, a->shared);
	CHECK_EQ(row->line, reply.peer, a->peer);
	CHECK_EQ(row->line, reply.direct, (a->want & CORE) != 0);
}

static void run(const struct row *row)
{
	struct rig r;

	rig_init(&r, row->mode);
	rig_start(&r, snoop);
	for (unsigned i = 0; i < LEN(meters); i++)
		meter_add(&r.m, meters[i].sig, meters[i].flags);
	for (unsigned i = 0; i < 4 && row->ask[i].want; i++)
		run_ask(&r, row, &row->ask[i], 1000000 + i * 2000000);
	rig_free(&r);
}

/* The way of one read, to the picosecond. */
static void check_latency(void)
{
	struct rig r;
	struct ha_request rq = { .line = LINES, .when = 1000000, .opcode = HA_RD_DATA,
				 .socket = HOME };

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, snoop);
	/* 8 uclk make 1003200 ps, the channel's edge 1071; past the scheduler 6, tRCD 15, tCL 15,
	 * burst 4, back 8: dclk 1119, at 1049062.2 ps, told 1 ps late; 8 uclk, two slots of BL. */
	CHECK_EQ(__LINE__, ha_request(r.ha, &rq).data, 1049063 + 8 * PERIOD + 2 * PERIOD);
	rig_free(&r);
}

/* Two clusters of one die: the other one's requests are remote, but their answers stay on the rings. */
static void check_near(void)
{
	struct rig r;
	unsigned remote, cache, core, qpi, ak, ad;

	rig_init(&r, HA_SNOOP_DIRECTORY);
	r.hc.near = 1 << OTHER;
	rig_start(&r, snoop);
	remote = meter_add(&r.m, SIG_HA_REQUEST, HA_REQUEST_READ_REMOTE);
	cache = meter_add(&r.m, SIG_HA_TX_BL, HA_TX_BL_DRS_CACHE);
	core = meter_add(&r.m, SIG_HA_TX_BL, HA_TX_BL_DRS_CORE);
	qpi = meter_add(&r.m, SIG_HA_TX_BL, HA_TX_BL_DRS_QPI);
	ak = meter_add(&r.m, SIG_HA_TX_AK, HA_TX_AK_NDR);
	ad = meter_add(&r.m, SIG_HA_TX_AD, HA_TX_AD_NDR);
	r.answer = (struct ha_response){ .when = 1000, .kind = HA_RSP_I, .socket = HOME };
	rig_ask(&r, 0, HA_RD_DATA, OTHER, 1000000);
	CHECK_EQ(__LINE__, r.asked, 1 << HOME);
	r.asked = 0;
	rig_ask(&r, 0, HA_WB_MTOI, OTHER, 2000000);
	rig_ask(&r, 1, HA_RD_DATA, OTHER, 3000000);
	/* The directory remembers the other cluster. */
	r.asked = 0;
	r.answer.socket = OTHER;
	rig_ask(&r, 1, HA_RD_DATA, HOME, 4000000);
	CHECK_EQ(__LINE__, r.asked, 1 << OTHER);
	rig_until(&r, 5000000);
	CHECK_EQ(__LINE__, r.m.sum[remote], 2);
	CHECK_EQ(__LINE__, r.m.sum[cache] + r.m.sum[core], 3);
	CHECK_EQ(__LINE__, r.m.sum[qpi] + r.m.sum[ad], 0);
	CHECK_EQ(__LINE__, r.m.sum[ak], 1);
	rig_free(&r);
}

/* Twelve regions of 100 lines each: i + 1 requests for region i, the first and last line of it among them. */
static void check_regions(void)
{
	unsigned region[HA_TADS], any;
	struct rig r;

	rig_init(&r, HA_SNOOP_SOURCE);
	r.hc.tads = HA_TADS;
	for (unsigned i = 0; i < HA_TADS; i++)
		r.hc.tad[i] = LINES + 100 * (i + 1);
	rig_start(&r, snoop);
	for (unsigned i = 0; i < HA_TADS; i++)
		region[i] = meter_add(&r.m, SIG_HA_TAD, HA_TAD_REGION0 << i);
	any = meter_add(&r.m, SIG_HA_TAD, 0);
	for (unsigned i = 0; i < HA_TADS; i++)
		for (unsigned k = 0; k <= i; k++)
			rig_ask(&r, 100 * i + (k % 2 ? 99 : 0), k % 3 ? HA_WB_MTOI : HA_RD_DATA, HOME, 1000000 * (12 * i + k + 1));
	rig_until(&r, 200000000);
	for (unsigned i = 0; i < HA_TADS; i++)
		CHECK_EQ(__LINE__, r.m.sum[region[i]], i + 1);
	CHECK_EQ(__LINE__, r.m.sum[any], HA_TADS * (HA_TADS + 1) / 2);
	rig_free(&r);
}

static void check_refused(void)
{
	struct rig r;
	struct ha *ha = NULL;
	struct ha_config bad;

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, snoop);
#define REFUSED(change) do { bad = r.hc; bad.change; CHECK(ha_new(&bad, &ha) < 0); } while (0)
	REFUSED(map.agents = 0);
	REFUSED(map.channels = 0);
	REFUSED(map.channels = HA_CHANNELS + 1);
	REFUSED(agent = 1);
	REFUSED(peers = HA_PEERS + 1);
	REFUSED(uclk_khz = 0);
	REFUSED(tads = 0);
	REFUSED(tads = HA_TADS + 1);
	REFUSED(trackers = 0);
	REFUSED(trackers = 129);
	REFUSED(reserved = r.hc.trackers);
	REFUSED(egress = 0);
	REFUSED(link_credits = 0);
	REFUSED(imc[1] = NULL);
#undef REFUSED
	CHECK(!ha);
	ha_free(NULL);
	rig_free(&r);
}

/* Every line of a socket has one place, and consecutive lines visit the channels in turn. */
static void check_route(void)
{
	static const struct ha_map maps[] = {
		{ 4096, 4096, 2, 2 }, { 0, 4096, 1, 4 }, { 4096, 4096, 1, 3 }, { 0, 4096, 2, 4 },
	};
	static uint8_t seen[8][4096];

	for (unsigned i = 0; i < LEN(maps); i++) {
		unsigned ways = maps[i].agents * maps[i].channels, turn = 0, twice = 0;

		memset(seen, 0, sizeof seen);
		for (unsigned l = 0; l < 4096; l++) {
			struct ha_place p = ha_route(&maps[i], maps[i].base + l);
			unsigned way = p.channel * maps[i].agents + p.agent;

			CHECK_EQ(__LINE__, way < ways && p.line < 4096, 1);
			twice += seen[way][p.line]++;
			turn |= 1u << way;
			if (l % ways == ways - 1) {
				CHECK_EQ(__LINE__, turn, (1u << ways) - 1);
				turn = 0;
			}
		}
		CHECK_EQ(__LINE__, twice, 0);
	}
}

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++)
		run(row);
	check_latency();
	check_near();
	check_regions();
	check_refused();
	check_route();
	return check_done();
}
