/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who listens must not change what happens: machines that get the same requests, one that tells its
 * signals in lumps, one that has to tell them all, one that changes between the two, answer at the
 * same times and come to the same sums.
 */
#include "whole.h"

enum { REQUESTS = 40000, CORES = 10, WAYS = 1, LINES = 30000, SHARED = 64, TURN = 3000, SPARSE = 8000, DENSE = 500 };
enum { LUMPS, TOLD, BOTH, MACHINES };

static const enum leave_kind kinds[] = {
	LEAVE_DRD, LEAVE_DRD, LEAVE_DRD, LEAVE_RFO, LEAVE_RFO, LEAVE_CRD, LEAVE_PF_DRD, LEAVE_PF_LLC_DRD,
	LEAVE_PF_LLC_RFO, LEAVE_ITOM, LEAVE_WB_M, LEAVE_WB_M, LEAVE_WB_E, LEAVE_DIRTY, LEAVE_WCIL, LEAVE_WCILF,
	LEAVE_CLFLUSH, LEAVE_UC_READ, LEAVE_UC_WRITE, LEAVE_AHEAD,
};

/* What can be told in lumps. */
static const struct { int line; const char *type; unsigned sig; uint64_t flags; } sums[] = {
	{ __LINE__, "cbo", SIG_CBO_LOOKUP, 0 }, { __LINE__, "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_ANY | CBO_LOOKUP_WRITE },
	{ __LINE__, "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_REMOTE_SNOOP },
	{ __LINE__, "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_MISS | CBO_TOR_INSERT_LOCAL },
	{ __LINE__, "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_EVICT }, { __LINE__, "cbo", SIG_CBO_TOR_INSERT, 0 },
	{ __LINE__, "cbo", SIG_CBO_VICTIM, CBO_VICTIM_M }, { __LINE__, "cbo", SIG_CBO_VICTIM, CBO_VICTIM_E },
	{ __LINE__, "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_DATA }, { __LINE__, "qpi", SIG_QPI_TX_FLIT, 0 },
	{ __LINE__, "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_DATA }, { __LINE__, "qpi", SIG_QPI_RX_FLIT, 0 },
	{ __LINE__, "imc", SIG_IMC_CAS, IMC_CAS_RD_REG }, { __LINE__, "imc", SIG_IMC_CAS, IMC_CAS_WR },
	{ __LINE__, "imc", SIG_IMC_CAS, IMC_CAS_RD_UNDERFILL },
};

static struct whole machine[MACHINES];
static uint64_t seed = 88172645463325252;

static uint64_t draw(uint64_t below)
{
	return check_random(&seed) % below;
}

/* Another watch, of something that has a length, makes a machine tell everything. */
static struct signal_watch longer;

static void lengthen(struct whole *w, bool on)
{
	static const struct signal_alt everything;
	struct signal_port *p = &w->box[0][0].port;

	if (on) {
		longer = (struct signal_watch){ .alt = &everything, .alts = 1 };
		signal_watch_hang(p, SIG_CBO_TOR, &longer);
	} else {
		signal_watch_unhang(p, SIG_CBO_TOR, &longer);
		signal_watch_free(&longer);
	}
	fabric_rewatch(w->f);
}

/* A request follows the one before within `apart` picoseconds. */
static void one_request(unsigned i, unsigned apart, uint64_t *now)
{
	struct fabric_request rq = {
		.line = draw(3) ? draw(LINES) : draw(SHARED), .when = *now, .socket = (uint8_t)draw(2),
		.core = (uint8_t)draw(CORES), .kind = kinds[draw(LEN(kinds))],
	};
	struct fabric_reply first = { 0 };

	if (draw(2))
		rq.line += WHOLE_REMOTE;
	*now += draw(apart);
	for (unsigned m = 0; m < MACHINES; m++) {
		struct fabric_reply reply = fabric_request(machine[m].f, &rq);

		if (m == 0)
			first = reply;
		CHECK_EQ(__LINE__, reply.when, first.when);
		CHECK_EQ(__LINE__, reply.grant, first.grant);
		CHECK_EQ(__LINE__, reply.source, first.source);
	}
	if (i % TURN == 0) {
		fabric_tell(machine[BOTH].f);
		lengthen(&machine[BOTH], i / TURN % 2 == 0);
	}
}

static void compare(enum fabric_snoop snoop, unsigned apart)
{
	unsigned bounces;
	uint64_t now = 1000000;

	for (unsigned m = 0; m < MACHINES; m++) {
		whole_open(&machine[m], 2, CORES, WAYS, snoop, 2300000);
		for (unsigned i = 0; i < LEN(sums); i++)
			whole_sum(&machine[m], sums[i].type, sums[i].sig, sums[i].flags);
	}
	whole_sum(&machine[TOLD], "cbo", SIG_CBO_TOR, 0);
	bounces = whole_sum(&machine[TOLD], "cbo", SIG_CBO_BOUNCE, 0);
	lengthen(&machine[BOTH], true);
	for (unsigned i = 1; i <= REQUESTS; i++)
		one_request(i, apart, &now);
	for (unsigned i = 0; i < LEN(sums); i++) {
		CHECK(whole_read(&machine[TOLD], i) > 0);
		CHECK_EQ(sums[i].line, whole_read(&machine[LUMPS], i), whole_read(&machine[TOLD], i));
		CHECK_EQ(sums[i].line, whole_read(&machine[BOTH], i), whole_read(&machine[TOLD], i));
	}
	CHECK_EQ(__LINE__, whole_read(&machine[TOLD], bounces) > 0, apart < SPARSE);
	if (REQUESTS / TURN % 2 == 0)
		lengthen(&machine[BOTH], false);
	for (unsigned m = 0; m < MACHINES; m++)
		whole_close(&machine[m]);
}

int main(void)
{
	compare(FABRIC_SNOOP_SOURCE, SPARSE);
	compare(FABRIC_SNOOP_HOME, SPARSE);
	compare(FABRIC_SNOOP_DIRECTORY, SPARSE);
	/* More than the slices can take: messages bounce, sources hold back. */
	compare(FABRIC_SNOOP_SOURCE, DENSE);
	return check_done();
}
