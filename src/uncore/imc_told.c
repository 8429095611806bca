/* SPDX-License-Identifier: BSD-2-Clause */
/* A memory channel that raises every signal. */
#define IMC_TOLD 1

#include "uncore/imc_way.h"

struct imc_read imc_read_told(struct imc *c, uint64_t line, uint64_t when)
{
	return imc_way_read(c, line, when);
}

struct imc_write imc_write_told(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	return imc_way_write(c, line, when, partial);
}

void imc_advance_told(struct imc *c, uint64_t when)
{
	imc_way_advance(c, when);
}

void imc_power_told(struct imc *c, uint64_t at, enum imc_power depth)
{
	imc_way_power(c, at, depth);
}
