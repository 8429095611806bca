/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Four sockets' caches of the test's own around a home agent that asks them: whoever reads gets what was written last,
 * and no two think that they have a line to themselves, or are the one that forwards it, whatever the home agent remembers or
 * forgets.
 */
#include <stdlib.h>

#include "ha_rig.h"

enum { NODES = 4, LINES_USED = 40, STEPS = 40000 };
enum state { I, S, F, E, M };

struct world {
	struct rig r;
	struct { enum state state; unsigned version; } cache[NODES][LINES_USED];
	unsigned memory[LINES_USED], latest[LINES_USED];
	unsigned forwarded;		/* the version that a cache has sent to who asks */
	unsigned asked;			/* how many were asked in all */
	uint64_t times;			/* all of them in one number */
};

static bool owns(unsigned opcode)
{
	return opcode == HA_RD_INV_OWN || opcode == HA_INV_ITOE;
}

/* What this socket answers, and what becomes of its copy; see tables 2-264 and 2-265 of the manual. */
static unsigned answer(struct world *w, unsigned node, unsigned line, unsigned opcode)
{
	enum state was = w->cache[node][line].state;
	unsigned version = w->cache[node][line].version;

	if (was == I)
		return HA_RSP_I;
	if (opcode == HA_RD_CUR) {
		if (was == S)
			return HA_RSP_S;
		w->forwarded = version;
		return HA_RSP_FWD;
	}
	w->cache[node][line].state = owns(opcode) ? I : S;
	if (was == M && opcode != HA_RD_INV_OWN) {
		w->memory[line] = version;
		return owns(opcode) ? HA_RSP_I_WB : HA_RSP_S_WB;
	}
	if (owns(opcode) && (was == S || opcode == HA_INV_ITOE))
		return HA_RSP_I;
	if (was == S)
		return HA_RSP_S;
	w->forwarded = version;
	return owns(opcode) ? HA_RSP_FWD_I : HA_RSP_FWD_S;
}

static unsigned answers(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets, uint64_t when,
			struct ha_response *out)
{
	struct world *w = ctx;
	unsigned n = 0;

	(void)ha;
	CHECK_EQ(__LINE__, sockets >> rq->socket & 1, 0);
	for (unsigned i = 0; i < NODES; i++)
		if (sockets >> i & 1)
			out[n++] = (struct ha_response){
				.when = when + 1000 * i, .socket = (uint8_t)i,
				.kind = (uint8_t)answer(w, i, (unsigned)(rq->line - LINES), rq->opcode),
			};
	w->asked += n;
	return n;
}

static struct ha_reply ask(struct world *w, unsigned node, unsigned line, unsigned opcode, uint64_t when)
{
	struct ha_request rq = {
		.line = LINES + line, .when = when, .opcode = (uint8_t)opcode, .socket = (uint8_t)node,
	};

	struct ha_reply reply = ha_request(w->r.ha, &rq);

	w->times = (w->times ^ reply.data ^ reply.done << 1 ^ reply.direct) * UINT64_C(0x100000001b3);
	return reply;
}

/* Has some other socket the line in this state or a stronger one? */
static bool others_have(const struct world *w, unsigned node, unsigned line, enum state least)
{
	bool have = false;

	for (unsigned i = 0; i < NODES; i++)
		have |= i != node && w->cache[i][line].state >= least;
	return have;
}

static void read_line(struct world *w, unsigned node, unsigned line, unsigned opcode, uint64_t when)
{
	struct ha_reply reply = ask(w, node, line, opcode, when);
	unsigned version = reply.peer ? w->forwarded : w->memory[line];

	CHECK_EQ(__LINE__, version, w->latest[line]);
	if (opcode == HA_RD_CUR)
		return;
	w->cache[node][line].version = version;
	w->cache[node][line].state = owns(opcode) ? M : reply.unasked ? S : reply.shared || reply.peer || opcode == HA_RD_CODE ? F : E;
	if (w->cache[node][line].state != S)
		CHECK_EQ(__LINE__, others_have(w, node, line, w->cache[node][line].state == F ? F : S), 0);
	if (owns(opcode))
		w->cache[node][line].version = ++w->latest[line];
}

/* A socket does something with a line, as far as it has to tell anybody. */
static void act(struct world *w, unsigned node, unsigned line, unsigned what, uint64_t when)
{
	static const uint8_t reads[] = { HA_RD_DATA, HA_RD_CODE, HA_RD_CUR, HA_RD_DATA };
	enum state *state = &w->cache[node][line].state;

	if (what < 4 && *state == I) {
		read_line(w, node, line, reads[what], when);
	} else if (what < 6 && *state == I) {
		read_line(w, node, line, HA_RD_INV_OWN, when);
	} else if (what < 6 && *state <= F) {
		ask(w, node, line, HA_INV_ITOE, when);
		CHECK_EQ(__LINE__, others_have(w, node, line, S), 0);
		*state = M;
		w->cache[node][line].version = ++w->latest[line];
	} else if (what < 6) {
		*state = M;
		w->cache[node][line].version = ++w->latest[line];
	} else if (*state == M) {
		w->memory[line] = w->cache[node][line].version;
		ask(w, node, line, HA_WB_MTOI, when);
		*state = I;
	} else {
		*state = I;
	}
}

static struct world *play(enum ha_snoop mode, unsigned hitme, unsigned osb, bool plain)
{
	struct world *w = calloc(1, sizeof *w);
	uint64_t random = 88172645463325252, when = 1000000;

	rig_init(&w->r, mode);
	w->r.hc.peers = NODES - 1;
	w->r.hc.hitme = (uint16_t)hitme;
	w->r.hc.osb = (uint16_t)osb;
	rig_start(&w->r, answers);
	ha_world(w->r.ha, &(struct ha_world){ .ctx = w, .snoop = answers });
	ha_errors(w->r.ha, chance_start(UINT64_MAX / 8, 1, 0));
	if (plain)
		ha_rewatch(w->r.ha);
	for (unsigned i = 0; i < STEPS; i++) {
		check_random(&random);
		when += random >> 40 & 0x1ffff;
		act(w, random % NODES, (random >> 8) % LINES_USED, (random >> 20) % 7, when);
	}
	rig_until(&w->r, when + 10000000);
	rig_free(&w->r);
	return w;
}

/* Whether somebody may listen or nobody does, it is the same machine.  Returns how many were asked. */
static unsigned run(enum ha_snoop mode, unsigned hitme, unsigned osb)
{
	struct world *told = play(mode, hitme, osb, false), *plain = play(mode, hitme, osb, true);
	unsigned asked = told->asked;

	CHECK_EQ(__LINE__, plain->times, told->times);
	CHECK_EQ(__LINE__, plain->asked, asked);
	free(told);
	free(plain);
	return asked;
}

int main(void)
{
	unsigned home = run(HA_SNOOP_HOME, 0, 0), bits = run(HA_SNOOP_DIRECTORY, 0, 0);
	unsigned all = run(HA_SNOOP_DIRECTORY, 4096, 0);

	/* The more it remembers, the fewer it asks; with a cache of a few lines something in between. */
	CHECK_EQ(__LINE__, all < bits && bits < home, 1);
	run(HA_SNOOP_DIRECTORY, 16, 0);
	run(HA_SNOOP_DIRECTORY, 0, 8);
	run(HA_SNOOP_DIRECTORY, 16, 128);
	run(HA_SNOOP_DIRECTORY, 4096, 3);
	return check_done();
}
