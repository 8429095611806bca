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

void imc_settle(struct imc *c)
{
	tell_ranks(c, c->advanced);
	tell_mode(c, c->advanced);
	for (unsigned i = 0; i < LEN(c->posted); i++)
		c->posted[i].told = imc_max(c->posted[i].told, c->advanced);
}
