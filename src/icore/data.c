/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data (2.9): FLD, MLD, their TLBs and queues.
 *
 *	FLDTLB hit --> FLD hit: 1 cycle
 *	            \-> OZQ --> DTB --> MLD hit: 8 cycles, floating point 9
 *	                                 \-> FAB --> ring: LLC, memory
 */
#include "icore/private.h"

enum { LINE_LOG = 6, HW_PREF = 10, LOAD_HPW = 11 };

/* Where the ring had it from: the LLC events. */
void icore_answer(struct icore *c, const struct icore_reply *reply, enum icore_ask ask, bool read)
{
	bool code = ask == ICORE_CODE || ask == ICORE_PREFETCH_CODE;

	switch (reply->source) {
	case ICORE_FROM_LLC: case ICORE_FROM_CORE:
		tell(c, POULSON_CORE_LLC_REF_HIT_ANY, 1);
		tell(c, reply->source == ICORE_FROM_LLC ? POULSON_CORE_LLC_REF_HIT_NO_SNOOP :
							  POULSON_CORE_LLC_REF_HIT_SNOOP_FWD, 1);
		return;
	default:
		break;
	}
	tell(c, POULSON_CORE_LLC_REF_MISS_ANY, 1);
	if (reply->source == ICORE_FROM_FAR) {
		tell(c, POULSON_CORE_LLC_REF_MISS_MEM_RMT_ANY, 1);
		tell(c, POULSON_CORE_LLC_REF_MISS_MEM_RMT_NO_SNOOP, 1);
	} else {
		tell(c, POULSON_CORE_LLC_REF_MISS_MEM_LCL_ANY, 1);
		tell(c, POULSON_CORE_LLC_REF_MISS_MEM_LCL_NO_SNOOP, 1);
	}
	tell(c, code ? POULSON_CORE_LLC_REF_MISS_INST_ANY : POULSON_CORE_LLC_REF_MISS_DATA_ANY, 1);
	if (code && ask == ICORE_CODE)
		tell(c, POULSON_CORE_LLC_REF_MISS_INST_PRIMARY, 1);
	if (!code && read)
		tell(c, POULSON_CORE_LLC_REF_MISS_DATA_READ, 1);
}

/* A line leaves the MLD: written ones go to the ring. */
static void evict(struct icore *c, const struct line *line)
{
	if (!line->valid || !line->dirty)
		return;
	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRTBCK_WRQ, 1);
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRTBCK_MLD_EVICT, 1);
	c->outside.request(c->outside.ctx, c->cycle, line->tag, ICORE_WRITE_BACK);
}

static void put(struct icore *c, uint64_t address, const struct icore_reply *reply, uint64_t ready, bool store)
{
	struct line *line = icore_cache_victim(&c->mld, address);

	evict(c, line);
	*line = (struct line){ .tag = address >> LINE_LOG, .ready = ready, .valid = 1, .dirty = store,
			       .source = (uint8_t)reply->source, .fetched = store || !reply->shared };
	icore_cache_use(&c->mld, line, address);
}

static void ask_events(struct icore *c, const struct access *a, bool buddy)
{
	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_DRQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_WB_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_WB_MLD_ANY, 1);
	tell(c, a->exclusive ? POULSON_CORE_RIL_REQ_REF_DATA_WB_RFO : POULSON_CORE_RIL_REQ_REF_DATA_WB_DRD, 1);
	if (buddy)
		tell(c, POULSON_CORE_RIL_REQ_REF_DATA_WB_MLD_BUDDY, 1);
}

static void fill_events(struct icore *c, const struct icore_reply *reply, const struct access *a, bool buddy)
{
	unsigned any = buddy ? POULSON_CORE_MLD_FILL_MESI_STATE_BUDDY_ANY : POULSON_CORE_MLD_FILL_MESI_STATE_PRIMARY_ANY;

	tell(c, any, 1);
	if (buddy)
		tell(c, reply->shared ? POULSON_CORE_MLD_FILL_MESI_STATE_BUDDY_S : POULSON_CORE_MLD_FILL_MESI_STATE_BUDDY_E, 1);
	else
		tell(c, a->exclusive ? POULSON_CORE_MLD_FILL_MESI_STATE_PRIMARY_M : reply->shared ?
			POULSON_CORE_MLD_FILL_MESI_STATE_PRIMARY_S : POULSON_CORE_MLD_FILL_MESI_STATE_PRIMARY_E, 1);
	tell(c, POULSON_CORE_RIL_RESP_GO, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_PRI_ANY, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_PRI_MLD, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_MLD_ANY, 1);
}

/* A line comes from the ring; the answer is the cycle. */
static uint64_t bring(struct icore *c, const struct access *a, uint64_t address, uint64_t start, bool buddy)
{
	enum icore_ask ask = a->prefetch || buddy ? (a->exclusive ? ICORE_PREFETCH_OWN : ICORE_PREFETCH) :
			     a->exclusive ? ICORE_OWN : ICORE_READ;
	struct icore_reply reply;

	ask_events(c, a, buddy);
	reply = c->outside.request(c->outside.ctx, start, address >> LINE_LOG, ask);
	icore_answer(c, &reply, ask, !a->exclusive);
	fill_events(c, &reply, a, buddy);
	put(c, address, &reply, start + reply.latency, a->store && !buddy);
	if (!buddy)
		c->now.source = (uint8_t)reply.source;
	return start + reply.latency;
}

/* 2.9.4: a miss brings the other half of its 128 bytes as well. */
static void bring_buddy(struct icore *c, const struct access *a, uint64_t start)
{
	uint64_t other = a->address ^ 64;

	if (icore_cache_find(&c->mld, other))
		return;
	bring(c, a, other, start, true);
}

static bool is_load(const struct access *a)
{
	return !a->store && !a->prefetch && a->type != 8 && a->type != LOAD_HPW;
}

static void count_mld(struct icore *c, const struct access *a, unsigned ref, unsigned load)
{
	tell(c, ref, 1);
	if (is_load(a))
		tell(c, load, 1);
}

/* The next lines of a stream that two misses have begun (2.9.6). */
static void stream(struct icore *c, uint64_t address)
{
	uint64_t line = address >> LINE_LOG | 1;
	struct access ahead = { .address = (line + 1) << LINE_LOG, .size = 8, .type = HW_PREF, .prefetch = true };
	bool known = false;

	for (unsigned i = 0; i < 8; i++)
		if (c->track[i] == line) {
			c->track[i] = line + 2;
			known = true;
			break;
		}
	if (!known) {
		c->track[c->track_next++ % 8] = line + 2;
		return;
	}
	if (ahead.address >> PAGE_LOG != address >> PAGE_LOG)
		return;
	tell_free(c, POULSON_CORE_DPFQ_ENQ_ANY, 1);
	tell_free(c, POULSON_CORE_DPFQ_ENQ_MLD, 1);
	tell_free(c, POULSON_CORE_DPFQ_DEQ_ANY, 1);
	tell_free(c, POULSON_CORE_DPFQ_DEQ_MLD, 1);
	tell(c, POULSON_CORE_DATA_REF_HW_PREF, 1);
	tell(c, POULSON_CORE_DATA_REF_ANY, 1);
	icore_mld(c, &ahead, c->cycle);
}

static uint64_t miss(struct icore *c, const struct access *a, uint64_t start)
{
	uint64_t ready, leaves = icore_queue_room(&c->fab, start);

	count_mld(c, a, POULSON_CORE_MLD_REF_MISS, POULSON_CORE_MLD_LOAD_MISS);
	count_mld(c, a, POULSON_CORE_MLD_REF_PRIMARY, POULSON_CORE_MLD_LOAD_PRIMARY);
	if (leaves > start)
		tell_free(c, POULSON_CORE_MLD_FAB_OVERFLOW, 1);
	ready = bring(c, a, a->address, leaves, false);
	bring_buddy(c, a, leaves);
	icore_queue_take(&c->fab, ready);
	if (a->type != HW_PREF)
		stream(c, a->address);
	return ready;
}

/* The line is on its way for another: the queue of secondary misses tries again when it is there. */
static uint64_t join(struct icore *c, const struct access *a, struct line *line)
{
	count_mld(c, a, POULSON_CORE_MLD_REF_MISS, POULSON_CORE_MLD_LOAD_MISS);
	if (a->prefetch) {
		tell(c, POULSON_CORE_MLD_REF_SECONDARY_DROP, 1);
		return c->cycle;
	}
	count_mld(c, a, POULSON_CORE_MLD_REF_SECONDARY, POULSON_CORE_MLD_LOAD_SECONDARY);
	tell(c, POULSON_CORE_MLD_SMQ_REF_ANY, 1);
	tell(c, POULSON_CORE_MLD_SMQ_REF_HIT, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_SMQ, 1);
	c->now.source = line->source;
	line->dirty |= a->store;
	return line->ready;
}

/* A line that others have as well is asked for before it is written. */
static bool owned(const struct access *a, const struct line *line)
{
	return !a->exclusive || line->fetched;
}

uint64_t icore_mld(struct icore *c, const struct access *a, uint64_t start)
{
	struct line *line = icore_cache_find(&c->mld, a->address);

	count_mld(c, a, POULSON_CORE_MLD_REF_ANY, POULSON_CORE_MLD_LOAD_ANY);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_BYPASS, 1);
	if (line && line->ready > start)
		return join(c, a, line);
	if (line && owned(a, line)) {
		count_mld(c, a, POULSON_CORE_MLD_REF_HIT, POULSON_CORE_MLD_LOAD_HIT);
		icore_cache_use(&c->mld, line, a->address);
		line->dirty |= a->store;
		c->now.source = ICORE_FROM_MLD;
		return start;
	}
	if (line)
		line->valid = 0;
	return miss(c, a, start);
}

/* The walk of the page table: a load that goes the way of all others. */
static uint64_t walk(struct icore *c, uint64_t page)
{
	/* A table of 32 bytes a page, where no program has its data. */
	struct access entry = { .address = UINT64_C(0xffff) << 44 | (page & ((UINT64_C(1) << 30) - 1)) << 5, .size = 8,
				.type = LOAD_HPW };

	tell(c, POULSON_CORE_DATA_REF_LOAD_HPW, 1);
	tell(c, POULSON_CORE_DATA_REF_ANY, 1);
	tell_free(c, POULSON_CORE_DTLB_HPWREQ_BLK_MISS_SUCCEED, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 2);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_HPW_LOAD, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_HPW_TLBINSERT, 1);
	return icore_mld(c, &entry, c->cycle) + LAT_MLD + LAT_WALK;
}

/* 2.3: through FLDTLB and DTB; false: the FLD cannot have the line now. */
bool icore_translate(struct icore *c, const struct access *a)
{
	uint64_t page = a->address >> PAGE_LOG, stamp = c->cycle + 1, there;

	c->now.tlb = 1;
	if (icore_tlb_find(&c->fldtlb, page, stamp))
		return c->transfer_until <= c->cycle || c->transfer_page != page;
	c->now.tlb = 2;
	tell(c, POULSON_CORE_DTLB_REF_ANY, 1);
	if (!a->prefetch)
		tell(c, POULSON_CORE_DTLB_REF_NONSPEC, 1);
	if (!icore_tlb_find(&c->dtb, page, stamp)) {
		c->now.tlb = 3;
		if (a->prefetch)
			return false;
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		there = walk(c, page);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_BLK_HPW, REPLAY_WB2);
		if (there > c->cycle)
			icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_HPW, there - c->cycle);
		icore_tlb_put(&c->dtb, page, stamp);
	}
	if (c->transfer_until > c->cycle) {
		tell(c, POULSON_CORE_FLDTLB_INS_REQ_CANCEL, 1);
		return false;
	}
	icore_tlb_put(&c->fldtlb, page, stamp);
	c->transfer_page = page;
	c->transfer_until = c->cycle + LAT_TRANSFER;
	tell(c, POULSON_CORE_FLDTLB_INS_REQ_RETIRED, 1);
	tell(c, POULSON_CORE_FLDTLB_INS_REQ_COMPLETE, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_DTLBTRNSFR_TLBINSERT, 1);
	return false;
}

/* 2.9.4: an operation without a place in the queue replays until there is one. */
static void enter_ozq(struct icore *c)
{
	uint64_t room = icore_queue_room(&c->ozq, c->cycle);

	if (room > c->cycle) {
		uint64_t wait = room - c->cycle;

		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_OZQ_FULL, REPLAY_WB2);
		if (wait > REPLAY_WB2)
			icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_OZQFULL,
				   wait - REPLAY_WB2);
	}
	tell_free(c, POULSON_CORE_MLD_OZQ_INSERT, 1);
	tell_free(c, POULSON_CORE_MLD_BYPASS_ATTEMPT, 1);
	tell_free(c, POULSON_CORE_MLD_BYPASS, 1);
}

uint64_t icore_access(struct icore *c, const struct access *a)
{
	uint64_t there, leaves;

	icore_translate(c, a);
	enter_ozq(c);
	leaves = icore_queue_room(&c->fab, c->cycle);
	there = icore_mld(c, a, c->cycle);
	/* It leaves the queue when the MLD has done it, or the fill buffer has taken its miss. */
	icore_queue_take(&c->ozq, (there > c->cycle && leaves > c->cycle ? leaves : c->cycle) + LAT_MLD);
	return there;
}

void icore_drop(struct icore *c, uint64_t address)
{
	struct cache *const caches[] = { &c->fld, &c->mld, &c->fli, &c->mli };

	for (unsigned i = 0; i < 4; i++) {
		struct line *line = icore_cache_find(caches[i], address);

		if (line && i == 1)
			evict(c, line);
		if (line)
			line->valid = 0;
	}
}
