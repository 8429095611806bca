/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signal that is listened to alone tells what it tells beside others: what the fabric need not walk or tell for who
 * listens is found out from its watches, and a signal left out there would stay silent.  Two machines get the same
 * requests, more than their slices can take: one with a watch on the one signal, one with others beside it that make it
 * tell everything.
 */
#include "whole.h"

enum { REQUESTS = 2000, CORES = 10, WAYS = 1, LINES = 3000, SHARED = 64, APART = 500 };

static const enum leave_kind kinds[] = {
	LEAVE_DRD, LEAVE_DRD, LEAVE_RFO, LEAVE_CRD, LEAVE_PF_LLC_DRD, LEAVE_ITOM, LEAVE_WB_M, LEAVE_WCIL, LEAVE_WCILF, LEAVE_UC_READ,
	LEAVE_UC_WRITE,
};

/* Those beside it: for the walk, for each ring, for the switches, for links. */
static const struct { const char *type; unsigned sig; } beside[] = {
	{ "cbo", SIG_CBO_TOR }, { "cbo", SIG_CBO_RING_AD }, { "cbo", SIG_CBO_RING_AK }, { "cbo", SIG_CBO_RING_BL },
	{ "cbo", SIG_CBO_RING_IV }, { "sbo", SIG_SBO_TXR }, { "qpi", SIG_QPI_RXQ }, { "r3qpi", SIG_R3QPI_RXR },
	{ "ha", SIG_HA_TRACKER }, { "imc", SIG_IMC_RPQ },
};

static struct whole machine[2];

static void requests(void)
{
	uint64_t seed = 88172645463325252, now = 1000000;

	for (unsigned i = 0; i < REQUESTS; i++) {
		struct fabric_request rq = {
			.line = check_random(&seed) % (check_random(&seed) % 3 ? LINES : SHARED), .when = now,
			.socket = (uint8_t)(check_random(&seed) % 2), .core = (uint8_t)(check_random(&seed) % CORES),
			.kind = kinds[check_random(&seed) % LEN(kinds)],
		};

		if (check_random(&seed) % 2)
			rq.line += WHOLE_REMOTE;
		now += check_random(&seed) % APART;
		fabric_request(machine[0].f, &rq);
		fabric_request(machine[1].f, &rq);
	}
	now += UINT64_C(100000000);
	for (unsigned m = 0; m < 2; m++) {
		for (unsigned i = 0; i < machine[m].sockets * WHOLE_HAS; i++)
			ha_advance(machine[m].ha[i], now);
		fabric_advance(machine[m].f, now);
	}
}

/* Did anything happen? */
static bool check_signal(const char *type, unsigned sig)
{
	uint64_t alone, among;

	for (unsigned m = 0; m < 2; m++) {
		whole_open(&machine[m], 2, CORES, WAYS, FABRIC_SNOOP_SOURCE, 2300000);
		whole_sum(&machine[m], type, sig, 0);
	}
	for (unsigned i = 0; i < LEN(beside); i++)
		whole_sum(&machine[1], beside[i].type, beside[i].sig, 0);
	requests();
	alone = whole_read(&machine[0], 0);
	among = whole_read(&machine[1], 0);
	if (alone != among)
		printf("signal %u of %s\n", sig, type);
	CHECK_EQ(__LINE__, alone, among);
	whole_close(&machine[0]);
	whole_close(&machine[1]);
	return among > 0;
}

int main(void)
{
	static const struct { const char *type; unsigned signals, live; } types[] = {
		{ "cbo", SIG_CBO_COUNT, 30 }, { "sbo", SIG_SBO_COUNT, 7 }, { "qpi", SIG_QPI_COUNT, 15 },
		{ "r3qpi", SIG_R3QPI_COUNT, 12 }, { "r2pcie", SIG_R2PCIE_COUNT, 8 }, { "ha", SIG_HA_COUNT, 25 },
		{ "imc", SIG_IMC_COUNT, 15 },
	};

	for (unsigned t = 0; t < LEN(types); t++) {
		unsigned live = 0;

		for (unsigned sig = 0; sig < types[t].signals; sig++)
			live += check_signal(types[t].type, sig);
		printf("%s: %u of %u signals happened\n", types[t].type, live, types[t].signals);
		CHECK(live >= types[t].live);
	}
	return check_done();
}
