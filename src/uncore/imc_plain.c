/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory channel to which nobody listens but for how many lines are read and written. */
#define IMC_TOLD 0

#include "uncore/imc_way.h"

uint64_t imc_read_plain(struct imc *c, uint64_t line, uint64_t when)
{
	return imc_way_read(c, line, when).data;
}

struct imc_write imc_write_plain(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	return imc_way_write(c, line, when, partial);
}

void imc_advance_plain(struct imc *c, uint64_t when)
{
	imc_way_advance(c, when);
}

void imc_power_plain(struct imc *c, uint64_t at, enum imc_power depth)
{
	imc_way_power(c, at, depth);
}

void imc_settle(struct imc *c)
{
	if (!c->self.in)
		tell_ranks(c, c->advanced);
	c->ranks_at = imc_max(c->ranks_at, c->advanced);
	tell_throttling(c, c->advanced);
	tell_self(c, c->advanced);
	tell_mode(c, c->advanced);
	posted_told_until(c, c->advanced);
}
