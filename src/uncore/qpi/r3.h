/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credits of R3QPI for messages of the links to the stops of its ring: to a slice's queue of snoops, to the buffer for data of
 * a home agent, to R2PCIe.  Told: when none of a kind is left.  They keep no message back, for who waits for one waits before the
 * same queue as he would in it.
 */
#ifndef BXS_UNCORE_QPI_R3_H
#define BXS_UNCORE_QPI_R3_H

#include "uncore/depth.h"
#include "uncore/ring/ring.h"

/* In the order of the flags of r3qpi.no_credit. */
enum r3_credit { R3_CBO, R3_HA = RING_CBOS, R3_R2_NCB = R3_HA + RING_HAS, R3_R2_NCS, R3_CREDITS };

enum { R3_FOR_CBO = 2, R3_FOR_OTHERS = 4 };	/* of each; ours */

struct r3 {
	struct depth used[R3_CREDITS];
	uint64_t back[R3_CREDITS - R3_R2_NCB][R3_FOR_OTHERS];	/* those for R2PCIe: when each is there again */
};

void r3_init(struct r3 *r);
void r3_free(struct r3 *r);
/* Tell p everything before `when`. */
void r3_advance(struct r3 *r, struct signal_port *p, uint64_t when);

/* A credit is in use. */
static inline void r3_use(struct r3 *r, struct signal_port *p, unsigned credit, uint64_t from, uint64_t to)
{
	depth_stay(&r->used[credit], p, from, to);
}

/* One for R2PCIe; was there none at first? */
bool r3_use_for_io(struct r3 *r, struct signal_port *p, unsigned credit, uint64_t from, uint64_t to);

#endif
