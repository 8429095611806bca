/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of a memory channel. */
#include "uncore/imc/dispatch.h"
#include "uncore/imc/row.h"
#include "uncore/imc/write.h"

/* When a read that comes at `came` gets an entry of the read queue, free from then on.  Who comes late does not wait:
 * the entries were given to others of the future. */
UNCORE_INLINE uint64_t enter(const struct imc *c, uint64_t came, uint64_t free)
{
	return free <= came || came + IMC_LATE < c->read.newest ? came : free;
}

/* A read's stay in the read queue, in an entry that was free from `free` on. */
UNCORE_INLINE void stay(struct imc *c, uint64_t free, uint64_t from, uint64_t to, const bool observed)
{
	c->read.rpq[c->read.count++ % IMC_MAX_RPQ] = imc_max(free, to + c->cfg.credit);
	if (!observed)
		return;
	imc_pulse(c, SIG_IMC_RPQ_INSERT, from, 0, observed);
	imc_span(c, SIG_IMC_RPQ, from, to, 0, observed);
	imc_span(c, SIG_IMC_QUEUE, from, to, IMC_QUEUE_READ, observed);
	imc_depth(c, &c->rpq_depth, from, 0, 1, observed);
	imc_depth(c, &c->rpq_depth, to, 1, -1, observed);
}

static void tell_bypass(struct imc *c, enum imc_first first, uint64_t at, const bool observed)
{
	static const uint64_t flag[] = {
		[IMC_HIT] = IMC_BYP_CAS,
		[IMC_EMPTY] = IMC_BYP_ACT,
		[IMC_MISS] = IMC_BYP_PRE,
	};

	imc_pulse(c, SIG_IMC_BYP, at, flag[first], observed);
}

/* Was the youngest of the reads that have their CAS latest older than this one?  Then this
 * one went first. */
UNCORE_INLINE void tell_order(struct imc *c, uint64_t came, uint64_t cas, const bool observed)
{
	if (!observed)
		return;
	if (cas < c->read.last && came >= c->read.last_came) {
		imc_pulse(c, SIG_IMC_PREEMPTION, cas, IMC_PREEMPTION_RD_PREEMPT_RD, observed);
	} else if (cas > c->read.last) {
		c->read.last = cas;
		c->read.last_came = came;
	}
}

/* The line of a read is back at `when`: was it right? */
static UNCORE_COLD void check_line(struct imc *c, uint64_t when, const bool observed)
{
	if (!chance_hits(&c->ecc.chance))
		return;
	if (observed)
		signal_pulse(c->port, SIG_IMC_ECC, when, 1, 0, NULL);
	if (c->ecc.told)
		c->ecc.told(c->ecc.ctx, c->ecc.socket, when);
}

/* The read finds its line among the posted writes. */
static UNCORE_COLD struct imc_read read_posted(struct imc *c, uint64_t line, uint64_t free, uint64_t got,
					       const bool observed)
{
	uint64_t at = got + c->cfg.front;

	imc_pulse(c, SIG_IMC_WPQ_READ_HIT, got, 0, observed);
	stay(c, free, got, at, observed);
	imc_tell_request(c, at + c->cfg.back, IMC_REQUEST_ACK, line, observed);
	return (struct imc_read){ .issued = imc_time(c, got),
				  .cas = imc_time(c, at),
				  .credit = imc_time(c, at + c->cfg.credit),
				  .data = imc_time(c, at + c->cfg.back),
				  .wpq = true };
}

/* Writes that went out meanwhile are done with. */
UNCORE_INLINE void walk_command(struct imc *c, uint8_t buffer, const bool observed)
{
	if (!observed)
		return;
	c->dispatch.buffer = buffer;
	c->dispatch.put_off = false;
}

UNCORE_INLINE struct imc_read read(struct imc *c, uint64_t line, uint64_t when, const bool observed)
{
	struct dram_place p = imc_place(c, line);
	uint64_t came = imc_clock(c, when), prio = IMC_CAS_MED;
	uint64_t free = c->read.rpq[(c->read.count - c->cfg.rpq) % IMC_MAX_RPQ], got = enter(c, came, free);
	uint64_t at = got + c->cfg.front, ready, cas, data;
	struct imc_found found = { 0 };
	bool bypass, starved = false, calm = at <= c->write.calm;
	uint8_t buffer = c->dispatch.buffer;

	c->read.newest = imc_max(c->read.newest, came);
	imc_tell_full(c, came, got, false, observed);
	imc_tell_request(c, got, IMC_REQUEST_READ, line, observed);
	if (!calm)
		imc_prepare(c, got, observed);
	imc_insert(c, got, p.bank, observed);
	if (imc_posted(c, p, line))
		return read_posted(c, line, free, got, observed);
	bypass = (got == came) & (got >= c->bus.busy) & !c->write.major;
	at -= c->cfg.bypass & -(uint64_t)bypass;
	ready = __builtin_expect(calm, 1) ? at : imc_read_mode(c, at, &starved, observed);
	walk_command(c, buffer, observed);
	imc_retry(c, came, got, observed);
	if (ready > at)
		prio = starved ? IMC_CAS_PANIC : IMC_CAS_HIGH;
	bypass = observed && bypass && c->cfg.bypass && ready == at; /* from here on for flags only */
	cas = imc_row_open(c, p, ready, bypass ? IMC_WHO_BYP : IMC_WHO_RD, &found, observed);
	cas = imc_cas_read(c, p, cas, 0, IMC_LUMP_RD, IMC_CAS_RD_REG | IMC_CAS_RMM | prio, observed);
	bypass = bypass && !found.woken;
	if (bypass)
		tell_bypass(c, found.first, at, observed);
	tell_order(c, came, cas, observed);
	imc_tell_page(c, cas, found.first, observed);
	data = cas + c->cfg.dram.t.cl + DRAM_BURST + c->cfg.back;
	imc_tell_request(c, data, IMC_REQUEST_ACK, line, observed);
	stay(c, free, got, cas, observed);
	imc_inserted_until(c, cas, p.bank, observed);
	data = imc_time(c, data);
	if (__builtin_expect(c->ecc.chance.below != 0, 0))
		check_line(c, data, observed);
	if (!observed) /* brief */
		return (struct imc_read){ .data = data };
	return (struct imc_read){
		.issued = imc_time(c, got),
		.cas = imc_time(c, cas),
		.credit = imc_time(c, cas + c->cfg.credit),
		.data = data,
		.bypass = bypass,
	};
}

uint64_t imc_read_batched(struct imc *c, uint64_t line, uint64_t when)
{
	return read(c, line, when, false).data;
}

struct imc_read imc_read_observed(struct imc *c, uint64_t line, uint64_t when)
{
	struct imc_read r = read(c, line, when, true);

	stays_come(c->stays, STAYS_READS, c->port, r.issued, 1);
	if (r.wpq)
		stays_leave(c->stays, STAYS_READS, c->port, r.cas, 1);
	return r;
}
