/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent with two channels and a meter on each of its boxes, for tests of it alone. */
#ifndef BXS_TESTS_UNCORE_HA_RIG_H
#define BXS_TESTS_UNCORE_HA_RIG_H

#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/ha/ha.h"

enum { UCLK = 2500000, PERIOD = 400, LINES = 1 << 24, HOME = 1, OTHER = 0, NONE = 0 };

struct rig {
	struct imc_config ic;
	struct ha_config hc;
	struct imc *imc[2];
	struct ha *ha;
	struct meter m, d;		/* of the home agent, of both channels */
	struct ha_response answer;	/* of the peer: kind 0 for nobody, when counts from asking */
	unsigned asked;			/* sockets, a bit each */
};

typedef unsigned rig_snoop(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets, uint64_t when,
			   struct ha_response *out);

static inline void rig_init(struct rig *r, enum ha_snoop mode)
{
	memset(r, 0, sizeof *r);
	imc_config_ddr4(&r->ic, 2133, 2);
	ha_config_default(&r->hc);
	r->hc.map = (struct ha_map){ .base = LINES, .lines = LINES, .agents = 1, .channels = 2 };
	r->hc.socket = HOME;
	r->hc.peers = 1;
	r->hc.snoop = mode;
	r->hc.uclk_khz = UCLK;
	r->hc.tad[0] = LINES + LINES / 4;
	r->hc.tad[1] = 2 * LINES;
	r->hc.tads = 2;
}

static inline void rig_start(struct rig *r, rig_snoop *snoop)
{
	struct ha_world world = { .ctx = r, .snoop = snoop };

	meter_init(&r->m, UCLK, SIG_HA_COUNT);
	meter_init(&r->d, r->ic.dram.dclk_khz, SIG_IMC_COUNT);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(__LINE__, imc_new(&r->ic, &r->imc[i]), 0);
		imc_port(r->imc[i], &r->d.port);
		r->hc.imc[i] = r->imc[i];
	}
	CHECK_EQ(__LINE__, ha_new(&r->hc, &r->ha), 0);
	ha_port(r->ha, &r->m.port);
	ha_world(r->ha, &world);
}

/* The home agent is asked for the line with this number of its own. */
static inline struct ha_reply rig_ask(struct rig *r, uint64_t line, unsigned opcode, unsigned socket, uint64_t when)
{
	struct ha_request rq = { .line = LINES + line, .when = when, .opcode = (uint8_t)opcode,
				 .socket = (uint8_t)socket };

	return ha_request(r->ha, &rq);
}

static inline void rig_until(struct rig *r, uint64_t when)
{
	ha_advance(r->ha, when);
	meter_close(&r->m, when);
	meter_close(&r->d, when);
}

static inline void rig_free(struct rig *r)
{
	CHECK(!r->m.port.broken && !r->d.port.broken);
	ha_free(r->ha);
	imc_free(r->imc[0]);
	imc_free(r->imc[1]);
	meter_free(&r->m);
	meter_free(&r->d);
}

#endif
