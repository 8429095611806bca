/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent: its making, its clock, its passing of time. */
#include "uncore/ha/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void ha_config_default(struct ha_config *config)
{
	*config = (struct ha_config){
		.front = 8, .back = 8, .starved = 64,
		.trackers = 128, .reserved = 8, .egress = 10, .hitme = 4096,
		.link_credits = 16, .direct = true,
	};
}

static bool valid(const struct ha_config *g)
{
	if (!g->map.agents || !g->map.channels || g->map.channels > HA_CHANNELS ||
	    g->agent >= g->map.agents || g->peers > HA_PEERS || !g->uclk_khz || !g->tads ||
	    g->tads > HA_TADS || !g->trackers || g->trackers > ENTRIES_MOST || g->reserved >= g->trackers ||
	    !g->egress || !g->link_credits)
		return false;
	for (unsigned i = 0; i < g->map.channels; i++)
		if (!g->imc[i])
			return false;
	return true;
}

static void init_depths(struct ha *ha)
{
	static const struct {
		uint8_t which;
		uint16_t ne, full;
		uint64_t ne_flags, full_flags;
	} rows[] = {
		{ HA_Q_TRACKER_LOCAL, SIG_HA_TRACKER_NE, DEPTH_NONE, HA_TRACKER_NE_LOCAL, 0 },
		{ HA_Q_TRACKER_REMOTE, SIG_HA_TRACKER_NE, DEPTH_NONE, HA_TRACKER_NE_REMOTE, 0 },
		{ HA_Q_TRACKER_ALL, SIG_HA_TRACKER_NE, SIG_HA_TRACKER_FULL, HA_TRACKER_NE_ALL,
		  HA_TRACKER_FULL_ALL },
		{ HA_Q_TRACKER_GP, DEPTH_NONE, SIG_HA_TRACKER_FULL, 0, HA_TRACKER_FULL_GP },
		{ HA_Q_BT_LOCAL, SIG_HA_BT_NE, DEPTH_NONE, HA_BT_NE_LOCAL, 0 },
		{ HA_Q_BT_REMOTE, SIG_HA_BT_NE, DEPTH_NONE, HA_BT_NE_REMOTE, 0 },
		{ HA_Q_BT_ALL, SIG_HA_BT_NE, DEPTH_NONE, HA_BT_NE_ALL, 0 },
		{ HA_Q_SNOOP_LOCAL, SIG_HA_SNOOP_NE, DEPTH_NONE, HA_SNOOP_NE_LOCAL, 0 },
		{ HA_Q_SNOOP_REMOTE, SIG_HA_SNOOP_NE, DEPTH_NONE, HA_SNOOP_NE_REMOTE, 0 },
		{ HA_Q_SNOOP_ALL, SIG_HA_SNOOP_NE, DEPTH_NONE, HA_SNOOP_NE_ALL, 0 },
		{ HA_Q_AD, SIG_HA_TX_AD_NE, SIG_HA_TX_AD_FULL, HA_TX_AD_NE_SCHED0,
		  HA_TX_AD_FULL_SCHED0 },
		{ HA_Q_AD + 1, SIG_HA_TX_AD_NE, SIG_HA_TX_AD_FULL, HA_TX_AD_NE_SCHED1,
		  HA_TX_AD_FULL_SCHED1 },
		{ HA_Q_AK, SIG_HA_TX_AK_NE, SIG_HA_TX_AK_FULL, HA_TX_AK_NE_SCHED0,
		  HA_TX_AK_FULL_SCHED0 },
		{ HA_Q_AK + 1, SIG_HA_TX_AK_NE, SIG_HA_TX_AK_FULL, HA_TX_AK_NE_SCHED1,
		  HA_TX_AK_FULL_SCHED1 },
		{ HA_Q_BL, SIG_HA_TX_BL_NE, SIG_HA_TX_BL_FULL, HA_TX_BL_NE_SCHED0,
		  HA_TX_BL_FULL_SCHED0 },
		{ HA_Q_BL + 1, SIG_HA_TX_BL_NE, SIG_HA_TX_BL_FULL, HA_TX_BL_NE_SCHED1,
		  HA_TX_BL_FULL_SCHED1 },
	};

	for (unsigned i = 0; i < LEN(rows); i++)
		ha->depth[rows[i].which] = (struct depth){
			.signal = { rows[i].ne, rows[i].full },
			.flags = { rows[i].ne_flags, rows[i].full_flags },
			.full = ha->cfg.egress,
		};
	ha->depth[HA_Q_TRACKER_ALL].full = ha->cfg.trackers;
	ha->depth[HA_Q_TRACKER_GP].full = ha->cfg.trackers - ha->cfg.reserved;
	for (unsigned i = 0; i < HA_CHANNELS; i++) {
		struct depth *rpq = &ha->depth[HA_Q_RPQ_CREDIT + i];
		struct depth *wpq = &ha->depth[HA_Q_WPQ_CREDIT + i];

		rpq->signal[0] = wpq->signal[0] = DEPTH_NONE;
		rpq->signal[1] = SIG_HA_RPQ_NO_CREDIT;
		wpq->signal[1] = SIG_HA_WPQ_NO_CREDIT;
		rpq->flags[1] = HA_RPQ_NO_CREDIT_CHN0 << i;
		wpq->flags[1] = HA_WPQ_NO_CREDIT_CHN0 << i;
		rpq->full = i < ha->cfg.map.channels ? (int)imc_entries(ha->cfg.imc[i], false) : 1;
		wpq->full = i < ha->cfg.map.channels ? (int)imc_entries(ha->cfg.imc[i], true) : 1;
	}
}

static void init_links(struct ha *ha)
{
	static const uint64_t flags[2][HA_LINKS] = {
		{ HA_IGR_NO_CREDIT_AD_QPI0, HA_IGR_NO_CREDIT_AD_QPI1, HA_IGR_NO_CREDIT_AD_QPI2 },
		{ HA_IGR_NO_CREDIT_BL_QPI0, HA_IGR_NO_CREDIT_BL_QPI1, HA_IGR_NO_CREDIT_BL_QPI2 },
	};

	for (unsigned data = 0; data < 2; data++)
		for (unsigned i = 0; i < HA_LINKS; i++)
			ha->depth[HA_Q_LINK + data * HA_LINKS + i] = (struct depth){
				.signal = { DEPTH_NONE, SIG_HA_IGR_NO_CREDIT }, .flags = { 0, flags[data][i] },
				.full = ha->cfg.link_credits,
			};
}

void ha_link_credit(struct ha *ha, bool data, unsigned link, uint64_t from, uint64_t to)
{
	depth_stay(&ha->depth[HA_Q_LINK + data * HA_LINKS + link], ha->port, from, to);
}

void ha_errors(struct ha *ha, struct chance chance)
{
	ha->error = chance;
}

static void write_credit(void *ctx, unsigned channel, uint64_t when)
{
	struct ha *ha = ctx;
	struct depth *credits = &ha->depth[HA_Q_WPQ_CREDIT + channel];

	uint64_t clock = ha->port->any ? signal_clocks(ha->port->clock, when) : 0;

	if (clock && depth_listen(credits, ha->port, clock,
				  (int)imc_pending_writes(ha->cfg.imc[channel])))
		depth_change(credits, ha->port, clock, -1);
}

void ha_uclk(struct ha *ha, uint32_t khz)
{
	ha->period = (UINT64_C(1000000000) << 16) / khz;
	ha->uclk = calendar_rate(khz);
	memset(ha->ring, 0, sizeof ha->ring);
	ha->front = ha->cfg.front * ha->period >> 16;
	ha->back = ha->cfg.back * ha->period >> 16;
	ha->starved = ha->cfg.starved * ha->period >> 16;
	for (unsigned i = 0; i < HA_RINGS; i++)
		ha->slots[i] = (uint32_t)(ha_slots((enum ha_ring)i) * ha->period >> 16);
}

/* Powers of two are quicker. */
static void find_ways(struct ha *ha)
{
	unsigned agents = ha->cfg.map.agents, ways = agents * ha->cfg.map.channels;

	if (ways & (ways - 1))
		return;
	ha->way_bits = (uint8_t)__builtin_ctz(ways);
	ha->way_mask = ways - 1;
	ha->agent_bits = (uint8_t)__builtin_ctz(agents);
}

int ha_new(const struct ha_config *config, struct ha **out)
{
	struct ha *ha;

	if (!valid(config))
		return BXS_EINVAL;
	ha = aligned_alloc(_Alignof(struct ha), sizeof *ha);
	if (!ha)
		return BXS_ENOMEM;
	memset(ha, 0, sizeof *ha);
	ha->cfg = *config;
	ha->cfg.near |= (uint8_t)(1u << config->socket);
	ha->silent.watch = ha->nobody;
	ha->port = &ha->silent;
	entries_init(&ha->tracker, config->trackers);
	if (!ha_dir_init(ha) ||
	    !hitme_init(&ha->hitme, config->snoop == HA_SNOOP_DIRECTORY ? config->hitme : 0)) {
		ha_free(ha);
		return BXS_ENOMEM;
	}
	ha->room.shift = 15;
	find_ways(ha);
	init_depths(ha);
	init_links(ha);
	ha_uclk(ha, config->uclk_khz);
	for (unsigned i = 0; i < config->map.channels; i++)
		imc_on_credit(config->imc[i], write_credit, ha, i);
	*out = ha;
	return 0;
}

void ha_free(struct ha *ha)
{
	if (!ha)
		return;
	for (unsigned i = 0; i < HA_DEPTHS; i++)
		depth_free(&ha->depth[i]);
	ha_dir_free(ha);
	hitme_free(&ha->hitme);
	free(ha);
}

void ha_world(struct ha *ha, const struct ha_world *world)
{
	ha->world = *world;
}

void ha_port(struct ha *ha, struct signal_port *port)
{
	ha->port = port ? port : &ha->silent;
	ha->plain = false;
	if (port && !ha->cfg.direct)
		signal_level(port, SIG_HA_DIRECT_OFF, 0, 1, 0, NULL);
}

struct ha_reply ha_request(struct ha *ha, const struct ha_request *rq)
{
	return ha->plain ? ha_request_batched(ha, rq) : ha_request_observed(ha, rq);
}

void ha_rewatch(struct ha *ha)
{
	ha->plain = !ha->port->any;
	for (unsigned i = 0; i < HA_DEPTHS && ha->plain; i++)
		ha->depth[i].on = false;
	for (unsigned i = 0; i < ha->cfg.map.channels; i++) {
		imc_on_credit(ha->cfg.imc[i], ha->plain ? NULL : write_credit, ha, i);
		imc_rewatch(ha->cfg.imc[i], ha->plain);
	}
}

void ha_tell(struct ha *ha)
{
	for (unsigned i = 0; i < ha->cfg.map.channels; i++)
		imc_tell(ha->cfg.imc[i]);
}

void ha_advance(struct ha *ha, uint64_t now)
{
	for (unsigned i = 0; i < ha->cfg.map.channels; i++)
		imc_advance(ha->cfg.imc[i], now);
	for (unsigned i = 0; i < HA_DEPTHS; i++)
		if (ha->depth[i].on)
			depth_sweep(&ha->depth[i], ha->port,
				    signal_clocks(ha->port->clock, now));
}

void ha_stays(struct ha *ha, struct stays *stays)
{
	ha->stays = stays;
}
