/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits of R3QPI for the stops of its ring. */
#include "uncore/r3.h"

#include "signal_ids.h"

_Static_assert(R3QPI_NO_CREDIT_CBO0 == 1 && R3QPI_NO_CREDIT_HA0 == 1 << R3_HA && R3QPI_NO_CREDIT_R2_NCS == 1 << R3_R2_NCS,
	       "flags stand in the order of enum r3_credit");

void r3_init(struct r3 *r)
{
	for (unsigned i = 0; i < R3_CREDITS; i++)
		r->used[i] = (struct depth){
			.signal = { DEPTH_NONE, SIG_R3QPI_NO_CREDIT }, .full = i < R3_HA ? R3_FOR_CBO : R3_FOR_OTHERS,
			.flags = { 0, UINT64_C(1) << i },
		};
}

void r3_free(struct r3 *r)
{
	for (unsigned i = 0; i < R3_CREDITS; i++)
		depth_free(&r->used[i]);
}

void r3_advance(struct r3 *r, struct signal_port *p, uint64_t when)
{
	for (unsigned i = 0; i < R3_CREDITS; i++)
		if (r->used[i].on)
			depth_sweep(&r->used[i], p, signal_clocks(p->clock, when));
}
