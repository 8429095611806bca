/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to a memory channel by itself while time passes, and when the package sleeps. */
#include "uncore/imc/hold.h"
#include "uncore/imc/rest.h"
#include "uncore/imc/write.h"

static void advance(struct imc *c, uint64_t when, const bool observed)
{
	uint64_t now = imc_clock(c, when) - 1;

	c->advanced = imc_max(c->advanced, now);
	imc_write_advance(c, now, observed);
	imc_self_until(c, now, observed);
	imc_rank_advance(c, now, observed);
	imc_tell_throttling(c, now, observed);
	imc_tell_self(c, now, observed);
	if (observed && depth_listen(&c->rpq_depth, c->port, now, 0))
		depth_sweep(&c->rpq_depth, c->port, now);
	if (observed && depth_listen(&c->wpq_depth, c->port, now, (int)c->write.count))
		depth_sweep(&c->wpq_depth, c->port, now);
}

/* How deep the package sleeps changes at `at`. */
static void power(struct imc *c, uint64_t at, enum imc_power depth, const bool observed)
{
	imc_writes_until(c, at, observed);
	imc_self_until(c, at, observed);
	if (c->rest.self.in && depth == IMC_AWAKE)
		imc_leave_self(c, at, observed);
	else
		imc_tell_self(c, at, observed);
	c->rest.self.rest = depth;
	c->rest.self.from = imc_max(c->rest.self.from, at);
	imc_find_calm(c);
}

void imc_advance(struct imc *c, uint64_t when)
{
	advance(c, when, !c->plain);
}

void imc_power(struct imc *c, uint64_t when, enum imc_power depth)
{
	power(c, imc_clock(c, when), depth, !c->plain);
}

void imc_settle(struct imc *c)
{
	if (!c->rest.self.in)
		imc_tell_ranks(c, c->advanced, false);
	c->rest.at = imc_max(c->rest.at, c->advanced);
	imc_tell_throttling(c, c->advanced, false);
	imc_tell_self(c, c->advanced, false);
	imc_tell_mode(c, c->advanced, false);
	imc_posted_told_until(c, c->advanced);
}
