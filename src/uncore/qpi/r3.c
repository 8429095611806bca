/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits of R3QPI for the stops of its ring. */
#include <string.h>

#include "signal_ids.h"
#include "uncore/qpi/r3.h"

_Static_assert(R3QPI_NO_CREDIT_CBO0 == 1 && R3QPI_NO_CREDIT_HA0 == 1 << R3_HA && R3QPI_NO_CREDIT_R2_NCS == 1 << R3_R2_NCS,
	       "flags stand in the order of enum r3_credit");

void r3_init(struct r3 *r)
{
	memset(r->back, 0, sizeof r->back);
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

bool r3_use_for_io(struct r3 *r, struct signal_port *p, unsigned credit, uint64_t from, uint64_t to)
{
	uint64_t *back = r->back[credit - R3_R2_NCB], *first = back;
	bool none;

	for (unsigned i = 1; i < R3_FOR_OTHERS; i++)
		if (back[i] < *first)
			first = back + i;
	none = *first > from;
	*first = to;
	r3_use(r, p, credit, from, to);
	return none;
}

void r3_advance(struct r3 *r, struct signal_port *p, uint64_t when)
{
	for (unsigned i = 0; i < R3_CREDITS; i++)
		if (r->used[i].on)
			depth_sweep(&r->used[i], p, signal_clocks(p->clock, when));
}
