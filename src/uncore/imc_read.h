/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of a memory channel, and what happens by itself while time passes. */
#include "uncore/imc/inside.h"

/* When a read that comes at `came` gets an entry of the read queue, free from then on.  Who comes late does not wait:
 * the entries were given to others of the future. */
IMC_HOT uint64_t enter(const struct imc *c, uint64_t came, uint64_t free)
{
	return free <= came || came + IMC_LATE < c->newest ? came : free;
}

/* A read's stay in the read queue, in an entry that was free from `free` on. */
IMC_HOT void stay(struct imc *c, uint64_t free, uint64_t from, uint64_t to)
{
	c->rpq[c->reads++ % IMC_MAX_RPQ] = imc_max(free, to + c->cfg.credit);
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
IMC_HOT void tell_order(struct imc *c, uint64_t came, uint64_t cas)
{
	if (!IMC_TOLD)
		return;
	if (cas < c->last_read && came >= c->last_came) {
		imc_pulse(c, SIG_IMC_PREEMPTION, cas, IMC_PREEMPTION_RD_PREEMPT_RD);
	} else if (cas > c->last_read) {
		c->last_read = cas;
		c->last_came = came;
	}
}

/* The line of a read is back at `when`: was it right? */
static __attribute__((noinline)) void check_line(struct imc *c, uint64_t when)
{
	if (!chance_hits(&c->ecc))
		return;
	if (IMC_TOLD)
		signal_pulse(c->port, SIG_IMC_ECC, when, 1, 0, NULL);
	if (c->ecc_told)
		c->ecc_told(c->ecc_ctx, c->ecc_socket, when);
}

/* The read finds its line among the posted writes. */
static __attribute__((noinline)) struct imc_read read_posted(struct imc *c, uint64_t line, uint64_t free, uint64_t got)
{
	uint64_t at = got + c->cfg.front;

	imc_pulse(c, SIG_IMC_WPQ_READ_HIT, got, 0);
	stay(c, free, got, at);
	imc_tell_request(c, at + c->cfg.back, IMC_REQUEST_ACK, line);
	return (struct imc_read){ .issued = imc_time(c, got), .cas = imc_time(c, at),
				  .credit = imc_time(c, at + c->cfg.credit),
				  .data = imc_time(c, at + c->cfg.back), .wpq = true };
}

IMC_HOT struct imc_read imc_way_read(struct imc *c, uint64_t line, uint64_t when)
{
	struct dram_place p = imc_place(c, line);
	uint64_t came = imc_clock(c, when), prio = IMC_CAS_MED;
	uint64_t free = c->rpq[(c->reads - c->cfg.rpq) % IMC_MAX_RPQ], got = enter(c, came, free);
	uint64_t at = got + c->cfg.front, ready, cas, data;
	struct imc_found found = { 0 };
	bool bypass, starved = false, calm = at <= c->write_calm;

	c->newest = imc_max(c->newest, came);
	imc_tell_full(c, came, got, false);
	imc_tell_request(c, got, IMC_REQUEST_READ, line);
	if (!calm)
		imc_prepare(c, got);
	if (imc_posted(c, p, line))
		return read_posted(c, line, free, got);
	bypass = (got == came) & (got >= c->busy) & !c->wmm;
	at -= c->cfg.bypass & -(uint64_t)bypass;
	ready = __builtin_expect(calm, 1) ? at : imc_read_mode(c, at, &starved);
	if (ready > at)
		prio = starved ? IMC_CAS_PANIC : IMC_CAS_HIGH;
	bypass = IMC_TOLD && bypass && c->cfg.bypass && ready == at;	/* from here on for flags only */
	cas = imc_row_open(c, p, ready, bypass ? IMC_WHO_BYP : IMC_WHO_RD, &found);
	cas = imc_cas_read(c, p, cas, 0, IMC_LUMP_RD, IMC_CAS_RD_REG | IMC_CAS_RMM | prio);
	bypass = bypass && !found.woken;
	if (bypass)
		tell_bypass(c, found.first, at);
	tell_order(c, came, cas);
	imc_tell_page(c, cas, found.first);
	data = cas + c->cfg.dram.t.cl + DRAM_BURST + c->cfg.back;
	imc_tell_request(c, data, IMC_REQUEST_ACK, line);
	stay(c, free, got, cas);
	data = imc_time(c, data);
	if (__builtin_expect(c->ecc.below != 0, 0))
		check_line(c, data);
	if (!IMC_TOLD)	/* brief */
		return (struct imc_read){ .data = data };
	return (struct imc_read){
		.issued = imc_time(c, got), .cas = imc_time(c, cas), .credit = imc_time(c, cas + c->cfg.credit),
		.data = data, .bypass = bypass,
	};
}

static void imc_way_advance(struct imc *c, uint64_t when)
{
	uint64_t now = imc_clock(c, when) - 1;

	c->advanced = imc_max(c->advanced, now);
	imc_write_advance(c, now);
	imc_self_until(c, now);
	imc_rank_advance(c, now);
	tell_throttling(c, now);
	tell_self(c, now);
	if (IMC_TOLD && depth_listen(&c->rpq_depth, c->port, now, 0))
		depth_sweep(&c->rpq_depth, c->port, now);
	if (IMC_TOLD && depth_listen(&c->wpq_depth, c->port, now, (int)c->posted_count))
		depth_sweep(&c->wpq_depth, c->port, now);
}
