/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of a memory channel, and what happens by itself while time passes. */
#include "uncore/imc_core.h"

/* When a read that comes at `came` gets an entry of the read queue, which *free tells to be
 * free from then on. */
static inline uint64_t enter(struct imc *c, uint64_t came, uint64_t *free)
{
	bool late = came + IMC_LATE < c->newest;

	c->newest = imc_max(c->newest, came);
	*free = pool_take(&c->rpq);
	if (*free <= came)
		return came;
	return late ? room_find(&c->rpq_room, came, c->cfg.rpq) : *free;
}

/* A read's stay in the read queue, in an entry that was free from `free` on. */
static inline void stay(struct imc *c, uint64_t free, uint64_t from, uint64_t to)
{
	pool_give(&c->rpq, imc_max(free, to + c->cfg.credit));
	if (free + IMC_SCARCE > from)
		room_stay(&c->rpq_room, from, to + c->cfg.credit);
	if (!IMC_TOLD)
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
static inline void tell_order(struct imc *c, uint64_t came, uint64_t cas)
{
	if (cas < c->last_read && came >= c->last_came) {
		imc_pulse(c, SIG_IMC_PREEMPTION, cas, IMC_PREEMPTION_RD_PREEMPT_RD);
	} else if (cas > c->last_read) {
		c->last_read = cas;
		c->last_came = came;
	}
}

static inline struct imc_read imc_way_read(struct imc *c, uint64_t line, uint64_t when)
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
	if (!IMC_TOLD)	/* brief */
		return (struct imc_read){ .data = imc_time(c, cas + t->cl + DRAM_BURST + c->cfg.back), .bypass = bypass };
	return (struct imc_read){
		.issued = imc_time(c, got), .cas = imc_time(c, cas),
		.credit = imc_time(c, cas + c->cfg.credit),
		.data = imc_time(c, cas + t->cl + DRAM_BURST + c->cfg.back), .bypass = bypass,
	};
}

static void imc_way_advance(struct imc *c, uint64_t when)
{
	uint64_t now = imc_clock(c, when) - 1;

	c->advanced = imc_max(c->advanced, now);
	imc_write_advance(c, now);
	imc_rank_advance(c, now);
	if (IMC_TOLD && depth_listen(&c->rpq_depth, c->port, now, 0))
		depth_sweep(&c->rpq_depth, c->port, now);
	if (IMC_TOLD && depth_listen(&c->wpq_depth, c->port, now, (int)c->posted_count))
		depth_sweep(&c->wpq_depth, c->port, now);
}
