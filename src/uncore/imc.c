/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory channel: its making, its reads, its passing of time. */
#include "uncore/imc_core.h"

#include <stdlib.h>

#include "base/error.h"

static const struct imc_config xeon = {
	.rpq = 48, .wpq = 64, .wmm_high = 48, .wmm_low = 16, .starve = 384,
	.front = 8, .back = 8, .bypass = 2, .credit = 6,
	.idle_write = 128, .idle_close = 1024, .idle_cke = 2048,
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

static bool valid(const struct imc_config *g)
{
	const struct dram_config *d = &g->dram;

	return d->dclk_khz && d->ranks && d->ranks <= DRAM_MAX_RANKS && d->columns <= 10 &&
	       d->t.faw && d->t.faw <= 32 && d->t.rrd_s && d->t.rrd_s <= d->t.faw && d->t.refi &&
	       d->panic && d->defer && g->rpq && g->rpq <= IMC_MAX_RPQ && g->wpq &&
	       g->wpq <= IMC_MAX_WPQ && g->wmm_low < g->wmm_high && g->wmm_high <= g->wpq &&
	       g->bypass <= g->front;
}

int imc_new(const struct imc_config *config, struct imc **out)
{
	struct imc *c;

	if (!valid(config))
		return BXS_EINVAL;
	c = calloc(1, sizeof *c);
	if (!c)
		return BXS_ENOMEM;
	c->cfg = *config;
	c->mult = (uint64_t)(((bits_u128)config->dram.dclk_khz << 64) / 1000000000u) + 1;
	c->period = (uint64_t)(((bits_u128)1000000000u << 40) / config->dram.dclk_khz) + 1;
	c->silent.watch = c->nobody;
	c->port = &c->silent;
	c->rpq_depth = (struct depth){ .full = config->rpq,
				       .signal = { SIG_IMC_RPQ_NE, SIG_IMC_RPQ_FULL } };
	c->wpq_depth = (struct depth){ .full = config->wpq,
				       .signal = { SIG_IMC_WPQ_NE, SIG_IMC_WPQ_FULL } };
	/* The ranks take turns with their refreshes. */
	for (unsigned i = 0; i < config->dram.ranks; i++)
		c->rank[i].due = config->dram.t.refi * (i + 1u) / config->dram.ranks;
	c->rpq_room.shift = 5;
	imc_write_init(c);
	if (!pool_init(&c->rpq, config->rpq) || !pool_init(&c->wpq, config->wpq)) {
		imc_free(c);
		return BXS_ENOMEM;
	}
	*out = c;
	return 0;
}

void imc_free(struct imc *c)
{
	if (!c)
		return;
	depth_free(&c->rpq_depth);
	depth_free(&c->wpq_depth);
	pool_free(&c->rpq);
	pool_free(&c->wpq);
	free(c);
}

uint64_t imc_bursts(const struct imc *c)
{
	return c->bursts;
}

void imc_port(struct imc *c, struct signal_port *port)
{
	static const struct signal_tag no_tag;

	c->port = port ? port : &c->silent;
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

/* When a read that comes at `came` gets an entry of the read queue, which *free tells to be
 * free from then on. */
static uint64_t enter(struct imc *c, uint64_t came, uint64_t *free)
{
	bool late = came + IMC_LATE < c->newest;

	c->newest = imc_max(c->newest, came);
	*free = pool_take(&c->rpq);
	if (*free <= came)
		return came;
	return late ? room_find(&c->rpq_room, came, c->cfg.rpq) : *free;
}

/* A read's stay in the read queue, in an entry that was free from `free` on. */
static void stay(struct imc *c, uint64_t free, uint64_t from, uint64_t to)
{
	pool_give(&c->rpq, imc_max(free, to + c->cfg.credit));
	room_stay(&c->rpq_room, from, to + c->cfg.credit);
	if (!c->port->any)
		return;
	imc_pulse(c, SIG_IMC_RPQ_INSERT, from, 0);
	imc_span(c, SIG_IMC_RPQ, from, to, 0);
	imc_span(c, SIG_IMC_QUEUE, from, to, IMC_QUEUE_READ);
	imc_depth(c, &c->rpq_depth, from, 0, 1);
	imc_depth(c, &c->rpq_depth, to, 1, -1);
}

static void tell_bypass(struct imc *c, enum imc_first first, uint64_t at)
{
	static const uint64_t flag[] = {
		[IMC_HIT] = IMC_BYP_CAS, [IMC_EMPTY] = IMC_BYP_ACT, [IMC_MISS] = IMC_BYP_PRE,
	};

	imc_pulse(c, SIG_IMC_BYP, at, flag[first]);
}

/* Was the youngest of the reads that have their CAS latest older than this one?  Then this
 * one went first. */
static void tell_order(struct imc *c, uint64_t came, uint64_t cas)
{
	if (cas < c->last_read && came >= c->last_came) {
		imc_pulse(c, SIG_IMC_PREEMPTION, cas, IMC_PREEMPTION_RD_PREEMPT_RD);
	} else if (cas > c->last_read) {
		c->last_read = cas;
		c->last_came = came;
	}
}

struct imc_read imc_read(struct imc *c, uint64_t line, uint64_t when)
{
	struct dram_place p = dram_place(&c->cfg.dram, line);
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t came = imc_clock(c, when), prio = IMC_CAS_MED;
	uint64_t got, free, at, cas, ready;
	enum imc_first first;
	bool bypass, starved;

	got = enter(c, came, &free);
	imc_tell_full(c, came, got, false);
	imc_tell_request(c, got, IMC_REQUEST_READ, line);
	imc_writes_until(c, got);
	if (imc_posted(c, &p, line)) {
		at = got + c->cfg.front;
		imc_pulse(c, SIG_IMC_WPQ_READ_HIT, got, 0);
		stay(c, free, got, at);
		imc_tell_request(c, at + c->cfg.back, IMC_REQUEST_ACK, line);
		return (struct imc_read){ .issued = imc_time(c, got), .cas = imc_time(c, at),
					  .credit = imc_time(c, at + c->cfg.credit),
					  .data = imc_time(c, at + c->cfg.back), .wpq = true };
	}
	bypass = c->cfg.bypass && got == came && got >= c->busy && !c->wmm;
	at = got + c->cfg.front - (bypass ? c->cfg.bypass : 0);
	ready = imc_read_mode(c, at, &starved);
	if (ready > at)
		prio = starved ? IMC_CAS_PANIC : IMC_CAS_HIGH;
	ready = imc_rank_ready(c, p.slot, ready);
	bypass = bypass && ready == at;
	cas = imc_row_open(c, &p, ready, bypass ? IMC_WHO_BYP : IMC_WHO_RD, &first);
	cas = imc_cas_read(c, &p, cas, 0, IMC_CAS_RD_REG | IMC_CAS_RMM | prio);
	if (bypass)
		tell_bypass(c, first, at);
	tell_order(c, came, cas);
	imc_tell_page(c, cas, first);
	imc_tell_request(c, cas + t->cl + DRAM_BURST + c->cfg.back, IMC_REQUEST_ACK, line);
	stay(c, free, got, cas);
	return (struct imc_read){
		.issued = imc_time(c, got), .cas = imc_time(c, cas),
		.credit = imc_time(c, cas + c->cfg.credit),
		.data = imc_time(c, cas + t->cl + DRAM_BURST + c->cfg.back), .bypass = bypass,
	};
}

void imc_advance(struct imc *c, uint64_t when)
{
	uint64_t now = imc_clock(c, when) - 1;

	imc_write_advance(c, now);
	imc_rank_advance(c, now);
	if (depth_listen(&c->rpq_depth, c->port, now, 0))
		depth_sweep(&c->rpq_depth, c->port, now);
	if (depth_listen(&c->wpq_depth, c->port, now, (int)c->posted_count))
		depth_sweep(&c->wpq_depth, c->port, now);
}

void imc_prefetch(const struct imc *c, uint64_t line)
{
	struct dram_place p = dram_place(&c->cfg.dram, line);

	__builtin_prefetch(&c->bank[p.slot * DRAM_BANKS + p.bank], 1);
}

unsigned imc_entries(const struct imc *c, bool writes)
{
	return writes ? c->cfg.wpq : c->cfg.rpq;
}

unsigned imc_pending_writes(const struct imc *c)
{
	return c->posted_count;
}

unsigned imc_open_rows(const struct imc *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->cfg.dram.ranks; i++)
		n += c->rank[i].open;
	return n;
}
