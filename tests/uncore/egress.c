/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What slices and cores put onto the rings, step by step and by sender: requests on AD, data on BL, answers without
 * data on AK, snoops of cores on IV; and snoops of another socket that try again until their line is there.
 */
#include "rig.h"
#include "uncore/cbo/llc.h"

enum { CLOCK = 500, RETRY = 20, PATIENT = 4 };
enum { AD_CACHE, AK_CACHE, BL_CACHE, IV_CACHE, AD_CORE, AK_CORE, BL_CORE, SENDERS };

static const uint64_t senders[SENDERS] = {
	CBO_TXR_INSERT_AD_CACHE, CBO_TXR_INSERT_AK_CACHE, CBO_TXR_INSERT_BL_CACHE, CBO_TXR_INSERT_IV_CACHE,
	CBO_TXR_INSERT_AD_CORE, CBO_TXR_INSERT_AK_CORE, CBO_TXR_INSERT_BL_CORE,
};

#define A 0x1000
#define DO(s, c, k, a) LINE, s, c, LEAVE_##k, a

static const struct step {
	int line;
	uint8_t socket, core, kind;
	uint64_t at;
	uint8_t sent[2][SENDERS];	/* by socket */
} alone[] = {
	/* Request to the slice, on to the home agent; its data goes straight to the core, so the slice has nothing to send. */
	{ DO(0, 0, DRD, A), { { [AD_CORE] = 1, [AD_CACHE] = 1 } } },
	{ DO(0, 0, DRD, A), { { [AD_CORE] = 1, [AK_CACHE] = 1, [BL_CACHE] = 1 } } },
	/* A store to a line that is the core's own is no message. */
	{ DO(0, 0, DIRTY, A), { { 0 } } },
	/* The slice asks core 0, which answers and sends what it has written. */
	{ DO(0, 5, DRD, A), { { [AD_CORE] = 1, [IV_CACHE] = 1, [AK_CORE] = 1, [BL_CORE] = 1, [AK_CACHE] = 1, [BL_CACHE] = 1 } } },
	{ DO(0, 12, DRD, A), { { [AD_CORE] = 1, [AK_CACHE] = 1, [BL_CACHE] = 1 } } },
	/* Two cores lose clean copies. */
	{ DO(0, 5, RFO, A), { { [AD_CORE] = 1, [IV_CACHE] = 2, [AK_CORE] = 2, [AK_CACHE] = 1, [BL_CACHE] = 1 } } },
	{ DO(0, 5, DIRTY, A), { { 0 } } },
	/* A write-back is a request and a line; the core gets its go-ahead. */
	{ DO(0, 5, WB_M, A), { { [AD_CORE] = 1, [BL_CORE] = 1, [AK_CACHE] = 1 } } },
	/* A silent drop is no message; a prefetch into the slice has no answer. */
	{ DO(0, 5, WB_E, A), { { 0 } } },
	{ DO(0, 0, PF_LLC_DRD, A), { { [AD_CORE] = 1 } } },
}, pair[] = {
	/* The other slice is snooped, and answers on AD; the line comes from here. */
	{ DO(0, 0, DRD, A), { { [AD_CORE] = 1, [AD_CACHE] = 2 }, { [AD_CACHE] = 1 } } },
	/* From there it is asked of socket 0's slice and core, which has it clean: the slice answers home and sends the line,
	 * which goes straight to the other core. */
	{ DO(1, 0, DRD, A), { { [IV_CACHE] = 1, [AK_CORE] = 1, [AD_CACHE] = 1, [BL_CACHE] = 1 },
			      { [AD_CORE] = 1, [AD_CACHE] = 2 } } },
	{ DO(1, 1, DRD, A), { { 0 }, { [AD_CORE] = 1, [AK_CACHE] = 1, [BL_CACHE] = 1 } } },
};

static struct rig r;

static void run_steps(const struct step *steps, size_t n, unsigned sockets)
{
	uint64_t before[2][SENDERS] = { { 0 } };

	rig_open(&r, sockets, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned s = 0; s < sockets; s++)
		for (unsigned i = 0; i < SENDERS; i++)
			rig_watch(&r, s, "cbo", SIG_CBO_TXR_INSERT, senders[i], senders[i]);
	for (const struct step *p = steps; p < steps + n; p++) {
		rig_do(&r, p->socket, p->core, (enum leave_kind)p->kind, p->at);
		for (unsigned s = 0; s < sockets; s++)
			for (unsigned i = 0; i < SENDERS; i++) {
				uint64_t now = rig_sum(&r, s, "cbo", SIG_CBO_TXR_INSERT, senders[i], senders[i]);

				if (now - before[s][i] != p->sent[s][i])
					printf("socket %u, sender %u:\n", s, i);
				CHECK_EQ(p->line, now - before[s][i], p->sent[s][i]);
				before[s][i] = now;
			}
	}
	rig_close(&r);
}

static uint64_t send(unsigned socket, unsigned core, enum leave_kind kind, uint64_t line, uint64_t when)
{
	struct fabric_request rq = {
		.line = line, .when = when, .socket = (uint8_t)socket, .core = (uint8_t)core, .kind = (uint8_t)kind,
	};

	return fabric_request(r.f, &rq).when;
}

/* The n-th line of a slice, from a line on. */
static uint64_t line_of(uint64_t base, unsigned slice, unsigned n)
{
	static struct llc hash;
	uint64_t line = base;

	if (!hash.slices)
		CHECK_EQ(__LINE__, llc_init(&hash, RIG_CORES, 20), 0);
	for (;; line++)
		if (llc_slice(&hash, line) == slice && n-- == 0)
			return line;
}

/*
 * Socket 1 asks for a line that is on its way into socket 0's slice: the snoop tries there every 20 clocks until the line
 * has come, and starves from the fourth try on.
 */
static void check_snoop_tries(void)
{
	uint64_t before = line_of(RIG_REMOTE, 3, 0), line = line_of(RIG_REMOTE, 3, 1), starved, tries, late;

	rig_open(&r, 2, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	rig_watch(&r, 0, "cbo", SIG_CBO_IPQ_RETRY, 0, 0);
	rig_watch(&r, 0, "cbo", SIG_CBO_IPQ_RETRY, CBO_IPQ_RETRY_ADDR_CONFLICT, CBO_IPQ_RETRY_ADDR_CONFLICT);
	rig_watch(&r, 0, "cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_IPQ, CBO_INT_STARVED_IPQ);
	/* One after the other nothing is tried twice. */
	send(0, 0, LEAVE_DRD, before, 1000000);
	late = send(1, 0, LEAVE_DRD, before, 2000000) - 2000000;
	fabric_advance(r.f, 3000000);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "cbo", SIG_CBO_IPQ_RETRY, 0, 0), 0);
	send(0, 0, LEAVE_DRD, line, 4000000);
	late = send(1, 0, LEAVE_DRD, line, 4000000) - 4000000 - late;
	fabric_advance(r.f, 1000000000);
	starved = rig_sum(&r, 0, "cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_IPQ, CBO_INT_STARVED_IPQ);
	tries = rig_sum(&r, 0, "cbo", SIG_CBO_IPQ_RETRY, CBO_IPQ_RETRY_ADDR_CONFLICT, CBO_IPQ_RETRY_ADDR_CONFLICT);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "cbo", SIG_CBO_IPQ_RETRY, 0, 0), tries);
	CHECK(starved > 0);
	CHECK_EQ(__LINE__, tries, (starved + PATIENT * RETRY + RETRY - 1) / RETRY);
	/* So much later is the answer. */
	CHECK(late / CLOCK >= starved + PATIENT * RETRY && late / CLOCK <= starved + PATIENT * RETRY + RETRY);
	rig_close(&r);
}

int main(void)
{
	run_steps(alone, LEN(alone), 1);
	run_steps(pair, LEN(pair), 2);
	check_snoop_tries();
	return check_done();
}
