/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that wait for others, and flushes of lines (2.2.6, 2.3.5.4). */
#include "icore/private.h"

/* A serialization waits for what is under way; a fence for all accesses. */
void icore_serialize(struct icore *c, const struct kind *k)
{
	uint64_t last = 0, wait;

	tell(c, POULSON_CORE_SERIALIZATION_EVENT, 1);
	if (k->run == RUN_MOV_TO_UM || k->run == RUN_USER_MASK) {
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_MOV_PSR_UM, REPLAY_WB2);
		return;
	}
	for (unsigned i = 0; i < c->fab.size; i++)
		last = c->fab.until[i] > last ? c->fab.until[i] : last;
	wait = last > c->cycle ? last - c->cycle : 0;
	if (!wait)
		return;
	icore_lose(c, POULSON_CORE_CYC_BE_EXE_REPLAY_ANY, POULSON_CORE_CYC_BE_EXE_REPLAY_SRLZ, REPLAY_EXE);
	if (wait > REPLAY_EXE)
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_SRLZ, wait - REPLAY_EXE);
}

void icore_flush_line(struct icore *c, struct ia64 *m, const struct ia64_op *op)
{
	uint64_t address = gr(m, op->r3);

	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, op->x[0] ? POULSON_CORE_RIL_REQ_OTHER_FCI : POULSON_CORE_RIL_REQ_OTHER_FC, 1);
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRQ_FC_FCI, 1);
	icore_drop(c, address);
}

void icore_fence(struct icore *c)
{
	uint64_t last = c->cycle;

	tell(c, POULSON_CORE_RETIRED_INST_M_ACQ, 1);
	tell(c, POULSON_CORE_RETIRED_INST_M_REL, 1);
	for (unsigned i = 0; i < c->ozq.size; i++)
		last = c->ozq.until[i] > last ? c->ozq.until[i] : last;
	c->acquired = c->cycle;
	c->acquire_until = last;
}
