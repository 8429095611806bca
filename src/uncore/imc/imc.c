/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory channel: its making, who listens to it. */
#include "uncore/imc/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "signal/lump.h"

static const struct imc_config xeon = {
	.rpq = 48, .wpq = 64, .wmm_high = 48, .wmm_low = 16, .starve = 384, .starve_low = 192,
	.front = 8, .back = 8, .bypass = 2, .credit = 6,
	.idle_write = 128, .idle_close = 1024, .idle_cke = 2048, .idle_self = 16384,
};

void imc_config_ddr4(struct imc_config *config, unsigned mts, unsigned ranks)
{
	*config = xeon;
	dram_config_ddr4(&config->dram, mts, ranks);
}

/* Events count at most 22 reads and 32 writes in the queues. */
void imc_config_ddr3(struct imc_config *config, unsigned mts, unsigned ranks)
{
	*config = xeon;
	config->rpq = 22;
	config->wpq = 32;
	config->wmm_high = 24;
	config->wmm_low = 8;
	dram_config_ddr3(&config->dram, mts, ranks);
}

/* The buffer holds 32 writes, the greatest number that an event of it adds. */
void imc_config_buffered(struct imc_config *config)
{
	config->link = 8;
	config->retry = 64;
	config->front += config->link;
	config->back += config->link;
	config->wpq = 32;
	config->wmm_high = 24;
	config->wmm_low = 8;
}

static bool valid(const struct imc_config *g)
{
	const struct dram_config *d = &g->dram;

	return d->dclk_khz && d->ranks && d->ranks <= DRAM_MAX_RANKS &&
	       d->t.faw && d->t.faw <= 32 && d->t.rrd_s && d->t.rrd_s <= 8 && d->t.rrd_s <= d->t.faw && d->t.refi &&
	       d->panic && d->defer && g->rpq && g->rpq <= IMC_MAX_RPQ && g->wpq &&
	       g->wpq <= IMC_MAX_WPQ && g->wmm_low < g->wmm_high && g->wmm_high <= g->wpq &&
	       g->bypass <= g->front;
}

static void write_init(struct imc *c)
{
	for (unsigned i = 0; i < IMC_BANKS; i++) {
		c->bank[i].posted = IMC_NIL;
		c->bank[i].posted_last = IMC_NOBODY;
		c->bank[i].row = IMC_CLOSED;
	}
	c->write.free = UINT64_MAX;
}

/* The tables of imc_place(). */
static void map_banks(struct imc *c)
{
	const struct dram_config *d = &c->cfg.dram;

	c->mapped = d->ranks == 1u << d->rank_bits;
	c->row_shift = (uint8_t)(DRAM_COLUMNS + d->rank_bits + (d->banks == DRAM_BANKS ? 4 : 3));
	c->pair = dram_place(d, 1).bank;
	for (unsigned i = 0; i < LEN(c->bank_of) * IMC_MAP_BITS; i++) {
		uint8_t *map = c->bank_of[i / IMC_MAP_BITS], bank = dram_place(d, UINT64_C(1) << (DRAM_COLUMNS + i)).bank;
		unsigned bit = 1u << i % IMC_MAP_BITS;

		for (unsigned part = 0; part < bit; part++)
			map[part + bit] = map[part] ^ bank;
	}
}

int imc_new(const struct imc_config *config, struct imc **out)
{
	struct imc *c;

	if (!valid(config))
		return BXS_EINVAL;
	c = aligned_alloc(_Alignof(struct imc), sizeof *c);
	if (!c)
		return BXS_ENOMEM;
	memset(c, 0, sizeof *c);
	c->cfg = *config;
	if (config->slow_exit)
		c->cfg.dram.t.xp = config->dram.t.xp_slow;
	c->mult = (uint64_t)(((bits_u128)config->dram.dclk_khz << 64) / 1000000000u) + 1;
	c->period = (uint64_t)(((bits_u128)1000000000u << 40) / config->dram.dclk_khz) + 1;
	/* Four times tRRD_S is enough for tFAW, or it is not. */
	c->bus.faw = config->dram.t.faw > 4 * config->dram.t.rrd_s;
	for (unsigned i = 0, done = 1, all = 2 * config->dram.t.rrd_s - 1u; i < LEN(c->bus.spread) && done < all; i++) {
		c->bus.spread[i] = (uint8_t)(done < all - done ? done : all - done);
		done += c->bus.spread[i];
	}
	c->bus.near = (unsigned)imc_max(config->dram.t.ccd_l, DRAM_BURST + (uint64_t)config->dram.t.rank) - 1;
	for (unsigned i = 0; i < LEN(c->bus.apart); i++)
		c->bus.apart[i] = (uint8_t)(i == 0 ? config->dram.t.ccd_l : i >= 4 && i < IMC_GROUPS ?
					DRAM_BURST + config->dram.t.rank : DRAM_BURST);
	map_banks(c);
	c->silent.watch = c->nobody;
	c->port = &c->silent;
	c->rpq_depth = (struct depth){ .full = config->rpq,
				       .signal = { SIG_IMC_RPQ_NE, SIG_IMC_RPQ_FULL } };
	c->wpq_depth = (struct depth){ .full = config->wpq,
				       .signal = { SIG_IMC_WPQ_NE, SIG_IMC_WPQ_FULL } };
	/* The ranks take turns with their refreshes. */
	for (unsigned i = 0; i < config->dram.ranks; i++)
		c->rank[i].due = config->dram.t.refi * (i + 1u) / config->dram.ranks;
	c->write.calm = IMC_NEVER;
	write_init(c);
	*out = c;
	return 0;
}

void imc_free(struct imc *c)
{
	if (!c)
		return;
	depth_free(&c->rpq_depth);
	depth_free(&c->wpq_depth);
	for (unsigned i = 0; i < IMC_SLEEPS; i++)
		free(c->rest.sleep[i].edge);
	free(c);
}

uint64_t imc_bursts(const struct imc *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < IMC_LUMPS; i++)
		sum += c->lumps[i];
	return sum;
}

void imc_port(struct imc *c, struct signal_port *port)
{
	static const struct signal_tag no_tag;

	c->port = port ? port : &c->silent;
	c->plain = false;
	/* Pages stay open until their timer runs out. */
	if (port)
		signal_level(port, SIG_IMC_POLICY, 0, 1, IMC_POLICY_OPEN, &no_tag);
}

void imc_on_credit(struct imc *c, void (*told)(void *ctx, unsigned channel, uint64_t when),
		   void *ctx, unsigned channel)
{
	c->told = told;
	c->told_ctx = ctx;
	c->channel = channel;
}

void imc_errors(struct imc *c, struct chance chance, void (*told)(void *ctx, unsigned socket, uint64_t when),
		void *ctx, unsigned socket)
{
	c->ecc.chance = chance;
	c->ecc.told = told;
	c->ecc.ctx = ctx;
	c->ecc.socket = socket;
}

struct imc_read imc_read(struct imc *c, uint64_t line, uint64_t when)
{
	if (c->plain)
		return (struct imc_read){ .data = imc_read_batched(c, line, when) };
	return imc_read_observed(c, line, when);
}

uint64_t imc_read_data(struct imc *c, uint64_t line, uint64_t when)
{
	return c->plain ? imc_read_batched(c, line, when) : imc_read_observed(c, line, when).data;
}

struct imc_write imc_write(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	return c->plain ? imc_write_batched(c, line, when, partial) : imc_write_observed(c, line, when, partial);
}

void imc_share(struct imc *c, const struct entries *live, unsigned most)
{
	c->dispatch.live = live;
	c->dispatch.live_most = most;
}

void imc_buffer(struct imc *c, unsigned buffer)
{
	c->dispatch.buffer = (uint8_t)buffer;
}

void imc_link_errors(struct imc *c, struct chance chance)
{
	c->frames = chance;
}

static uint64_t clocks_of(const struct imc *c, uint64_t time)
{
	return time ? imc_clock(c, time) - 1 : 0;
}

void imc_throttle(struct imc *c, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period)
{
	c->rest.spell[cause] = (struct imc_spell){ imc_clock(c, from), clocks_of(c, length), clocks_of(c, period) };
	c->rest.spells = true;
	if (cause == IMC_TOO_HOT)
		c->rest.hot_ranks = ranks;
	/* Nothing is taken for granted that was found out without it. */
	for (unsigned i = 0; i < DRAM_MAX_RANKS; i++)
		c->rank[i].calm = 0;
}

void imc_rewatch(struct imc *c, bool brief)
{
	static const uint16_t cas[] = { SIG_IMC_CAS };
	static const uint16_t rest[] = { SIG_IMC_REFRESH, SIG_IMC_COMMAND, SIG_IMC_CKE, SIG_IMC_PPD, SIG_IMC_DLL_OFF,
					 SIG_IMC_CKE_LOW, SIG_IMC_CKE_ENTER };
	bool plain = c->plain;

	c->plain = brief && signal_quiet(c->port, cas, LEN(cas)) &&
		   signal_lumps(c->port, SIG_IMC_CAS, IMC_CAS_RD_REG | IMC_CAS_RD_UNDERFILL | IMC_CAS_WR, 0);
	if (c->plain)
		c->rpq_depth.on = c->wpq_depth.on = false;
	else if (plain)
		imc_settle(c);
	if (!plain)
		memcpy(c->lumps_told, c->lumps, sizeof c->lumps_told);
	c->rest.lumps = true;
	for (unsigned i = 0; i < LEN(rest); i++)
		c->rest.lumps = c->rest.lumps && signal_lumps(c->port, rest[i], UINT64_MAX, 0);
}

void imc_tell(struct imc *c)
{
	static const uint64_t flag[IMC_LUMPS] = {
		[IMC_LUMP_RD] = IMC_CAS_RD_REG, [IMC_LUMP_UNDERFILL] = IMC_CAS_RD_UNDERFILL,
		[IMC_LUMP_WR] = IMC_CAS_WR,
	};

	for (unsigned i = 0; i < IMC_LUMPS; i++) {
		if (c->plain && c->lumps[i] > c->lumps_told[i])
			signal_lump(c->port, SIG_IMC_CAS, c->lumps[i] - c->lumps_told[i], flag[i], NULL);
		c->lumps_told[i] = c->lumps[i];
	}
}

unsigned imc_entries(const struct imc *c, bool writes)
{
	return writes ? c->cfg.wpq : c->cfg.rpq;
}

unsigned imc_pending_writes(const struct imc *c)
{
	return c->write.count;
}

unsigned imc_open_rows(const struct imc *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->cfg.dram.ranks; i++)
		n += (unsigned)__builtin_popcount(c->rank[i].open);
	return n;
}

void imc_stays(struct imc *c, struct stays *stays)
{
	c->stays = stays;
}
