/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory channel that raises every signal. */
#define IMC_TOLD 1

#include "uncore/imc_way.h"

struct imc_read imc_read_told(struct imc *c, uint64_t line, uint64_t when)
{
	struct imc_read r = imc_way_read(c, line, when);

	stays_come(c->stays, STAYS_READS, c->port, r.issued, 1);
	if (r.wpq)
		stays_leave(c->stays, STAYS_READS, c->port, r.cas, 1);
	return r;
}

struct imc_write imc_write_told(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	struct imc_write r = imc_way_write(c, line, when, partial);

	if (!r.merged)
		stays_come(c->stays, STAYS_WRITES, c->port, r.issued, 1);
	return r;
}

void imc_advance_told(struct imc *c, uint64_t when)
{
	imc_way_advance(c, when);
}

void imc_power_told(struct imc *c, uint64_t at, enum imc_power depth)
{
	imc_way_power(c, at, depth);
}
