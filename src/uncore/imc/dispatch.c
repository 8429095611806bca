/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells of commands at the dispatch queue. */
#include "uncore/imc/dispatch.h"

#include "uncore/imc/signals.h"

/* Rank and bank as Z_CSR_DSP_PMU.pgtAddr has them: bus, rank (3), bank (3). */
static unsigned address_of(const struct imc *c, unsigned bank)
{
	unsigned rank = dram_rank_number(&c->cfg.dram, bank / DRAM_BANKS);

	return (unsigned)c->cfg.bus << 6 | rank << 3 | bank % DRAM_BANKS % 8;
}

void imc_tell_insert(struct imc *c, uint64_t k, unsigned bank)
{
	bool conflict = c->bank[bank].posted != IMC_NIL || c->dispatch.until[bank] > k;
	struct signal_tag tag = { .opc = address_of(c, bank) };

	signal_pulse(c->port, SIG_IMC_DISPATCH, imc_time(c, k), 1, conflict ? IMC_DISPATCH_CONFLICT : 0, &tag);
}

void imc_tell_retry(struct imc *c, uint64_t from, uint64_t to)
{
	struct signal_tag tag = { .nid = c->dispatch.buffer };
	uint64_t when = imc_time(c, from), flags = c->dispatch.put_off ? 0 : IMC_RETRY_FIRST;
	uint64_t since = c->dispatch.put_off ? c->dispatch.put_off_since : from;

	/* The command itself is one of those that the controller has. */
	if (c->dispatch.live && entries_taken(c->dispatch.live, when) + 1 >= c->dispatch.live_most)
		flags |= IMC_RETRY_ZFULL;
	signal_pulse(c->port, SIG_IMC_RETRY, when, 1, flags, &tag);
	imc_span(c, SIG_IMC_STARVED, imc_max(from, since + c->cfg.starve), to, IMC_STARVED_LONG, true);
	imc_span(c, SIG_IMC_STARVED, imc_max(from, since + 2u * c->cfg.starve), to, IMC_STARVED_BADLY, true);
	c->dispatch.put_off = true;
	c->dispatch.put_off_since = since;
}

void imc_tell_hot(struct imc *c, uint64_t k, unsigned slot)
{
	struct signal_tag tag = { .nid = (uint16_t)(c->cfg.bus * 8u + dram_rank_number(&c->cfg.dram, slot)) };

	signal_pulse(c->port, SIG_IMC_CONFLICT, imc_time(c, k), 1, 0, &tag);
}
