/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of data (2.9): FLD, data TLBs, the MLD's queue; mld.c has what is behind it.
 *
 *	FLDTLB hit --> FLD hit: 1 cycle
 *	            \-> OZQ --> DTB --> MLD hit: 8 cycles, floating point 9
 *	                                 \-> FAB --> ring: LLC, memory
 */
#include "icore/private.h"

/* The walk of the page table: a load that goes the way of all others. */
uint64_t icore_walk(struct icore *c, uint64_t page)
{
	/* A table of 32 bytes a page, where no program has its data. */
	struct access entry = { .address = UINT64_C(0xffff) << 44 | (page & ((UINT64_C(1) << 30) - 1)) << 5, .size = 8,
				.type = LOAD_HPW };

	tell(c, POULSON_CORE_DATA_REF_LOAD_HPW, 1);
	tell(c, POULSON_CORE_DATA_REF_ANY, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 2);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_HPW_LOAD, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_HPW_TLBINSERT, 1);
	return icore_issue(c, &entry) + LAT_MLD + LAT_WALK;
}

bool icore_translated(struct icore *c, uint64_t address)
{
	uint64_t page = address >> PAGE_LOG;

	return icore_tlb_find(&c->fldtlb, page, c->cycle + 1) && (c->transfer_until <= c->cycle || c->transfer_page != page);
}

void icore_transferred(struct icore *c)
{
	if (c->transfer)
		tell_free(c, POULSON_CORE_FLDTLB_INS_REQ_COMPLETE, 1);
	c->transfer = false;
}

/* An entry that is replaced ends a transfer that is under way (2.2.5.1.2). */
void icore_dtb_put(struct icore *c, uint64_t page)
{
	bool replaces = icore_tlb_put(&c->dtb, page, c->cycle + 1);

	if (!replaces || !c->transfer || c->transfer_until <= c->cycle)
		return;
	tell_free(c, POULSON_CORE_FLDTLB_INS_REQ_CANCEL, 1);
	c->transfer = false;
	c->transfer_until = c->cycle;
	icore_tlb_drop(&c->fldtlb, c->transfer_page);
}

/* 2.3: through FLDTLB and DTB; false: the FLD cannot have the line now. */
bool icore_translate(struct icore *c, const struct access *a)
{
	uint64_t page = a->address >> PAGE_LOG, stamp = c->cycle + 1, there;

	c->now.tlb = 1;
	if (icore_tlb_find(&c->fldtlb, page, stamp))
		return c->transfer_until <= c->cycle || c->transfer_page != page;
	c->now.tlb = 2;
	if (!c->detached)
		tell(c, POULSON_CORE_DTLB_REF_ANY, 1);
	if (!a->prefetch)
		tell(c, POULSON_CORE_DTLB_REF_NONSPEC, 1);
	if (!icore_tlb_find(&c->dtb, page, stamp)) {
		c->now.tlb = 3;
		if (a->prefetch)
			return false;
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		tell(c, POULSON_CORE_DTLB_HPWREQ_BLK_MISS_SUCCEED, 1);
		there = icore_walk(c, page);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_BLK_HPW, REPLAY_WB2);
		if (there > c->cycle)
			icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_HPW, there - c->cycle);
		icore_dtb_put(c, page);
	}
	if (c->transfer_until > c->cycle)
		return false;
	icore_transferred(c);
	icore_tlb_put(&c->fldtlb, page, stamp);
	c->transfer_page = page;
	c->transfer_until = c->cycle + LAT_TRANSFER;
	tell(c, c->detached ? POULSON_CORE_FLDTLB_INS_REQ_NON_RETIRED : POULSON_CORE_FLDTLB_INS_REQ_RETIRED, 1);
	c->transfer = true;
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_DTLBTRNSFR_TLBINSERT, 1);
	return false;
}

/* 2.9.4: an operation without a place in the queue, or for its data, replays until there is one. */
static void enter_ozq(struct icore *c, const struct access *a)
{
	uint64_t room = icore_queue_room(&c->ozq, c->cycle), wait;

	if (a->store && icore_queue_room(&c->ozdata, c->cycle) > room)
		room = icore_queue_room(&c->ozdata, c->cycle);
	if (room <= c->cycle)
		return;
	wait = room - c->cycle;
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_OZQ_FULL, REPLAY_WB2);
	if (wait > REPLAY_WB2)
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_OZQFULL, wait - REPLAY_WB2);
}

uint64_t icore_issue(struct icore *c, const struct access *a)
{
	/* What is younger than an acquire issues behind it (2.2.6.1). */
	bool waits = !a->prefetch && c->acquire_until > c->cycle;
	bool empty = c->mld_cycle <= c->cycle;
	uint64_t start = icore_mld_issue(c, a, waits ? c->acquire_until : c->cycle), there;
	uint64_t leaves = icore_queue_room(&c->fab, start);

	tell_free(c, POULSON_CORE_MLD_OZQ_INSERT, 1);
	tell_free(c, POULSON_CORE_MLD_BYPASS_ATTEMPT, empty);
	tell_free(c, POULSON_CORE_MLD_BYPASS, empty && !waits);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, empty && !waits ? POULSON_CORE_MLD_ISSUE_SRC_BYPASS : POULSON_CORE_MLD_ISSUE_SRC_OZQ, 1);
	there = icore_mld(c, a, start);
	/* It leaves the queue when the MLD has done it, or the fill buffer has taken its miss. */
	icore_queue_take(c, &c->ozq, (there > start && leaves > start ? leaves : start) + LAT_MLD);
	if (a->store)
		icore_queue_take(c, &c->ozdata, there + LAT_MLD);
	return there;
}

uint64_t icore_access(struct icore *c, const struct access *a)
{
	icore_translate(c, a);
	enter_ozq(c, a);
	return icore_issue(c, a);
}
