/* SPDX-License-Identifier: BSD-2-Clause */
/* Clock domains: time to clocks and back, exact through changes of frequency. */
#include "signal/signal.h"

/* Picoseconds of 1 / kHz: khz clocks take exactly this long. */
#define PS_PER_MS UINT64_C(1000000000)

static uint64_t mult_of(uint32_t khz)
{
	return (uint64_t)((((bits_u128)khz << 64) + PS_PER_MS - 1) / PS_PER_MS);
}

void signal_clock_init(struct signal_clock *c, uint32_t khz)
{
	*c = (struct signal_clock){ .mult = mult_of(khz), .khz = khz };
}

/*
 * The clock under way goes on at the new frequency: the part of it that is over
 * stays over, so the new origin lies that much of a new clock before `when`.
 */
void signal_clock_change(struct signal_clock *c, uint64_t when, uint32_t khz)
{
	uint64_t passed = when > c->t0 ? when - c->t0 : 0;
	bits_u128 clocks = (bits_u128)passed * c->mult;
	uint64_t part = (uint64_t)clocks;
	uint64_t back = (uint64_t)(((bits_u128)part * PS_PER_MS / khz) >> 64);

	c->k0 += (uint64_t)(clocks >> 64);
	c->t0 = when > back ? when - back : 0;
	c->mult = mult_of(khz);
	c->khz = khz;
}

void signal_clock_settle(struct signal_clock *c, uint64_t when)
{
	uint64_t ms = when > c->t0 ? (when - c->t0) / PS_PER_MS : 0;

	c->t0 += ms * PS_PER_MS;
	c->k0 += ms * c->khz;
}

uint64_t signal_clock_time(const struct signal_clock *c, uint64_t clocks)
{
	if (clocks <= c->k0)
		return c->t0;

	uint64_t k = clocks - c->k0;
	uint64_t when = c->t0 + (uint64_t)(((bits_u128)k * PS_PER_MS + c->khz - 1) / c->khz);

	/* mult is rounded up, so that far from the origin the clock may end a moment earlier. */
	while (when > c->t0 && signal_clocks(c, when - 1) >= clocks)
		when--;
	return when;
}
