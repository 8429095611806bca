/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What leaves one box arrives at the next.  A random mix of all kinds of requests of both
 * sockets, densely packed in time, over a small cache that keeps evicting; then sums of
 * different boxes that must agree to the last one.
 */
#include "whole.h"

enum { REQUESTS = 60000, CORES = 10, WAYS = 1, LINES = 30000, SHARED = 64 };

static const enum leave_kind kinds[] = {
	LEAVE_DRD, LEAVE_DRD, LEAVE_DRD, LEAVE_RFO, LEAVE_RFO, LEAVE_CRD, LEAVE_PF_DRD, LEAVE_PF_RFO, LEAVE_PF_CRD,
	LEAVE_PF_LLC_DRD, LEAVE_PF_LLC_RFO, LEAVE_PF_LLC_CRD, LEAVE_ITOM, LEAVE_WB_M, LEAVE_WB_E, LEAVE_DIRTY,
	LEAVE_WCIL, LEAVE_WCILF, LEAVE_CLFLUSH, LEAVE_AHEAD,
};

/* Sums, by number. */
enum {
	LOOK_ANY, LOOK_WRITE, LOOK_SNOOP, TOR, TOR_IRQ, TOR_IRQ_MISS, TOR_EVICT, TOR_LEVEL, VICTIM, IRQ, IPQ,
	HA_READ, HA_INVITOE, HA_WRITE, HA_RSP, IMC_BY, IMC_RD, IMC_WR, TX, RX, TX_DATA, RX_DATA, TX_SNP, RX_SNP,
	TX_HOM_REQ, RX_HOM_REQ, TX_HOM_NON, RX_HOM_NON, TX_NDR, RX_NDR, TX_DRS, RX_DRS, VNA_TAKEN, VNA_USED,
	VNA_BACK, TX_IN, TX_BY, RX_IN, RX_BY, SBO_IN, SBO_BY, SBO_OUT, D2C, R3_RX, R3_TX,
	HITME_LOOK, HITME_HIT, HITME_RSP, DIR_LOOK, SUMS,
};

static const struct { const char *type; unsigned sig; uint64_t flags; } sums[SUMS] = {
	[LOOK_ANY] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_ANY },
	[LOOK_WRITE] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_WRITE },
	[LOOK_SNOOP] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_REMOTE_SNOOP },
	[TOR] = { "cbo", SIG_CBO_TOR_INSERT, 0 },
	[TOR_IRQ] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_IRQ },
	[TOR_IRQ_MISS] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_IRQ | CBO_TOR_INSERT_MISS },
	[TOR_EVICT] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_EVICT },
	[TOR_LEVEL] = { "cbo", SIG_CBO_TOR, 0 },
	[VICTIM] = { "cbo", SIG_CBO_VICTIM, 0 },
	[IRQ] = { "cbo", SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_IRQ },
	[IPQ] = { "cbo", SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_IPQ },
	[HA_READ] = { "ha", SIG_HA_REQUEST, HA_REQUEST_READ_LOCAL },
	[HA_INVITOE] = { "ha", SIG_HA_REQUEST, HA_REQUEST_INVITOE_LOCAL },
	[HA_WRITE] = { "ha", SIG_HA_REQUEST, HA_REQUEST_WRITE_LOCAL },
	[HA_RSP] = { "ha", SIG_HA_RESPONSE, 0 },
	[IMC_BY] = { "ha", SIG_HA_BYPASS, HA_BYPASS_TAKEN },
	[IMC_RD] = { "ha", SIG_HA_IMC_READ, 0 },
	[IMC_WR] = { "ha", SIG_HA_IMC_WRITE, 0 },
	[TX] = { "qpi", SIG_QPI_TX_FLIT, 0 }, [RX] = { "qpi", SIG_QPI_RX_FLIT, 0 },
	[TX_DATA] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_DATA }, [RX_DATA] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_DATA },
	[TX_SNP] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_SNP }, [RX_SNP] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_SNP },
	[TX_HOM_REQ] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_HOM_REQ },
	[RX_HOM_REQ] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_HOM_REQ },
	[TX_HOM_NON] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_HOM_NONREQ },
	[RX_HOM_NON] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_HOM_NONREQ },
	[TX_NDR] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_NDR_AK }, [RX_NDR] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_NDR_AK },
	[TX_DRS] = { "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_DRS_NONDATA },
	[RX_DRS] = { "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_DRS_NONDATA },
	[VNA_TAKEN] = { "r3qpi", SIG_R3QPI_VNA_ACQUIRE, 0 }, [VNA_USED] = { "qpi", SIG_QPI_VNA_USED, 0 },
	[VNA_BACK] = { "qpi", SIG_QPI_VNA_RETURN, 0 },
	[TX_IN] = { "qpi", SIG_QPI_TX_INSERT, 0 }, [TX_BY] = { "qpi", SIG_QPI_TX_BYPASS, 0 },
	[RX_IN] = { "qpi", SIG_QPI_RX_INSERT, 0 }, [RX_BY] = { "qpi", SIG_QPI_RX_BYPASS, 0 },
	[SBO_IN] = { "sbo", SIG_SBO_RXR_INSERT, 0 }, [SBO_BY] = { "sbo", SIG_SBO_RXR_BYPASS, 0 },
	[SBO_OUT] = { "sbo", SIG_SBO_TXR_INSERT, 0 }, [D2C] = { "qpi", SIG_QPI_DIRECT2CORE, 0 },
	[HITME_LOOK] = { "ha", SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_READ_OR_INVITOE },
	[HITME_HIT] = { "ha", SIG_HA_HITME_HIT, HA_HITME_HIT_READ_OR_INVITOE },
	[HITME_RSP] = { "ha", SIG_HA_HITME_LOOKUP, 0 }, [DIR_LOOK] = { "ha", SIG_HA_DIR_LOOKUP, 0 },
	[R3_RX] = { "r3qpi", SIG_R3QPI_RXR_INSERT, 0 }, [R3_TX] = { "r3qpi", SIG_R3QPI_TXR_INSERT, 0 },
};

struct sent {
	unsigned notes, writes;	/* records without a message; WbM, WCiL, WCiLF */
};

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % n);
}

static struct sent drive(struct whole *w)
{
	struct sent sent = { 0 };
	uint64_t random = 7, now = 1000000;

	for (unsigned i = 0; i < REQUESTS; i++) {
		struct fabric_request rq = {
			.when = now, .socket = (uint8_t)random_below(&random, w->sockets),
			.core = (uint8_t)random_below(&random, CORES),
			.kind = (uint8_t)kinds[random_below(&random, LEN(kinds))],
			.line = random_below(&random, random_below(&random, 3) ? LINES : SHARED),
		};

		if (w->sockets > 1 && random_below(&random, 2))
			rq.line |= WHOLE_REMOTE;
		sent.notes += rq.kind == LEAVE_WB_E || rq.kind == LEAVE_DIRTY;
		sent.writes += rq.kind == LEAVE_WB_M || rq.kind == LEAVE_WCIL || rq.kind == LEAVE_WCILF;
		CHECK_EQ(__LINE__, fabric_request(w->f, &rq).when >= now, 1);
		now += 2000 + random_below(&random, 9000);
	}
	for (unsigned i = 0; i < w->sockets * WHOLE_HAS; i++)
		ha_advance(w->ha[i], now + 10000000);
	return sent;
}

static void check_between(const struct whole *w, const unsigned *n)
{
	static const struct { int line; unsigned tx, rx; } pairs[] = {
		{ LINE, TX, RX }, { LINE, TX_DATA, RX_DATA }, { LINE, TX_SNP, RX_SNP },
		{ LINE, TX_HOM_REQ, RX_HOM_REQ }, { LINE, TX_HOM_NON, RX_HOM_NON }, { LINE, TX_NDR, RX_NDR },
		{ LINE, TX_DRS, RX_DRS },
		/* A credit for each flit: taken by the sender, used and given back by the receiver. */
		{ LINE, VNA_TAKEN, VNA_USED }, { LINE, TX, VNA_BACK },
		/* What one stop takes from its ring the other puts onto its own, message by message. */
		{ LINE, R3_RX, R3_TX },
	};

	for (unsigned i = 0; i < LEN(pairs); i++)
		for (unsigned s = 0; s < 2; s++)
			CHECK_EQ(pairs[i].line, whole_socket(w, !s, n[pairs[i].rx]), whole_socket(w, s, n[pairs[i].tx]));
}

/* The HitME cache is asked of everything; the directory of what it does not know. */
static void check_directory(const uint64_t *v, uint64_t reads, uint64_t owns, uint64_t writes)
{
	CHECK_EQ(__LINE__, v[HITME_LOOK], reads + owns);
	CHECK_EQ(__LINE__, v[DIR_LOOK] + v[HITME_HIT], reads + owns);
	CHECK_EQ(__LINE__, v[HITME_HIT] > 100, 1);
	CHECK_EQ(__LINE__, v[HITME_RSP], reads + owns + writes + v[HA_RSP]);
	CHECK_EQ(__LINE__, v[IMC_BY] + v[IMC_RD] >= reads && v[IMC_BY] + v[IMC_RD] >= v[DIR_LOOK], 1);
	CHECK_EQ(__LINE__, v[IMC_BY] + v[IMC_RD] < reads + owns, 1);
}

static void run(unsigned sockets, enum fabric_snoop snoop)
{
	static const uint64_t remote[] = { HA_REQUEST_READ_REMOTE, HA_REQUEST_INVITOE_REMOTE, HA_REQUEST_WRITE_REMOTE };
	struct whole *w = malloc(sizeof *w);
	unsigned n[SUMS], far[3];
	uint64_t v[SUMS], reads, owns, writes, transactions;
	struct sent sent;

	whole_open(w, sockets, CORES, WAYS, snoop, 2000000);
	for (unsigned i = 0; i < SUMS; i++)
		n[i] = whole_sum(w, sums[i].type, sums[i].sig, sums[i].flags);
	for (unsigned i = 0; i < 3; i++)
		far[i] = whole_sum(w, "ha", SIG_HA_REQUEST, remote[i]);
	sent = drive(w);
	for (unsigned i = 0; i < SUMS; i++)
		v[i] = whole_read(w, n[i]);
	reads = v[HA_READ] + whole_read(w, far[0]);
	owns = v[HA_INVITOE] + whole_read(w, far[1]);
	writes = v[HA_WRITE] + whole_read(w, far[2]);
	transactions = REQUESTS - sent.notes;

	/* Each transaction takes a place in the queue, in the TOR, and looks up once. */
	CHECK_EQ(__LINE__, v[IRQ], transactions);
	CHECK_EQ(__LINE__, v[TOR_IRQ], transactions);
	CHECK_EQ(__LINE__, v[LOOK_ANY] - v[LOOK_SNOOP], transactions);
	CHECK_EQ(__LINE__, v[LOOK_WRITE], sent.writes);
	/* So does each snoop of another socket, which the home agents see answered. */
	CHECK_EQ(__LINE__, v[IPQ], v[LOOK_SNOOP]);
	CHECK_EQ(__LINE__, v[HA_RSP], v[LOOK_SNOOP]);
	CHECK_EQ(__LINE__, v[TOR], v[TOR_IRQ] + v[IPQ] + v[TOR_EVICT]);
	CHECK_EQ(__LINE__, v[VICTIM], v[TOR_EVICT]);
	CHECK_EQ(__LINE__, v[VICTIM] > 1000, 1);
	/* Reads that miss are reads of a home agent, and each of those reads its channel; with a
	 * directory, which lies in memory, so do requests for ownership that the HitME cache does not know. */
	if (snoop != FABRIC_SNOOP_DIRECTORY)
		CHECK_EQ(__LINE__, v[IMC_BY] + v[IMC_RD], reads);
	else
		check_directory(v, reads, owns, writes);
	CHECK_EQ(__LINE__, reads + owns <= v[TOR_IRQ_MISS], 1);
	CHECK_EQ(__LINE__, v[IMC_WR] >= writes, 1);
	if (snoop == FABRIC_SNOOP_SOURCE && sockets > 1)
		CHECK_EQ(__LINE__, v[LOOK_SNOOP], reads + owns);
	/* Every flit bypasses a buffer or goes through it. */
	CHECK_EQ(__LINE__, v[TX_IN] + v[TX_BY], v[TX]);
	CHECK_EQ(__LINE__, v[RX_IN] + v[RX_BY], v[RX]);
	/* So does every message that changes rings. */
	CHECK_EQ(__LINE__, v[SBO_IN] + v[SBO_BY], v[SBO_OUT]);
	CHECK_EQ(__LINE__, v[SBO_OUT] > 0, 1);
	/* 8 flits of data to a header, in whole lines; partial ones have two headers more. */
	CHECK_EQ(__LINE__, v[TX_DATA] % 8, 0);
	CHECK_EQ(__LINE__, v[TX_DRS] >= v[TX_DATA] / 8, 1);
	CHECK_EQ(__LINE__, v[D2C] <= v[RX_DATA] / 8, 1);
	CHECK_EQ(__LINE__, (v[D2C] > 0) == (sockets > 1), 1);
	if (sockets > 1)
		check_between(w, n);
	whole_close(w);
	free(w);
}

/* The same requests give the same counts and times. */
static void check_same(void)
{
	struct whole *w = malloc(sizeof *w);
	uint64_t level[2];

	for (unsigned i = 0; i < 2; i++) {
		unsigned n;

		whole_open(w, 2, CORES, WAYS, FABRIC_SNOOP_SOURCE, 2300000);
		n = whole_sum(w, "cbo", SIG_CBO_TOR, 0);
		drive(w);
		level[i] = whole_read(w, n);
		whole_close(w);
	}
	CHECK_EQ(__LINE__, level[0], level[1]);
	free(w);
}

int main(void)
{
	run(1, FABRIC_SNOOP_SOURCE);
	run(2, FABRIC_SNOOP_SOURCE);
	run(2, FABRIC_SNOOP_HOME);
	run(2, FABRIC_SNOOP_DIRECTORY);
	check_same();
	return check_done();
}
