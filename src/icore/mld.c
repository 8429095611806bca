/* SPDX-License-Identifier: BSD-2-Clause */
/* The MLD (2.3.4.2.2): its pipeline, lines, misses, and the prefetcher that follows them. */
#include "icore/private.h"

enum { LINE_LOG = 6 };

/* Where the ring had it from: the LLC events. */
void icore_answer(struct icore *c, const struct icore_reply *reply, enum icore_ask ask, bool read)
{
	bool code = ask == ICORE_CODE || ask == ICORE_PREFETCH_CODE;

	switch (reply->source) {
	case ICORE_FROM_LLC: case ICORE_FROM_SNOOP: case ICORE_FROM_CORE:
		tell(c, POULSON_CORE_LLC_REF_HIT_ANY, 1);
		tell(c, reply->source == ICORE_FROM_LLC ? POULSON_CORE_LLC_REF_HIT_NO_SNOOP : reply->source == ICORE_FROM_SNOOP ?
			POULSON_CORE_LLC_REF_HIT_SNOOP : POULSON_CORE_LLC_REF_HIT_SNOOP_FWD, 1);
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

/* Which older store the hazards are with; the pipeline has nine stages, in the fifth of which reads wait, in the ninth writes end. */
enum { STORE_WRITES = 4 };

static void stall(struct icore *c, unsigned code, uint64_t n)
{
	tell_free(c, POULSON_CORE_MLD_CYC_STALL_ANY, n);
	tell_free(c, code, n);
}

/* Two operations side by side that the banks or the return port cannot serve together: the second comes a cycle later. */
static bool split(struct icore *c, const struct mld_op *first, const struct mld_op *op)
{
	bool bank = ((first->address ^ op->address) & 0xf0) == 0 && (first->address ^ op->address) >> 8;

	if (bank && first->store && op->store)
		stall(c, POULSON_CORE_MLD_CYC_STALL_SPLIT_WW_BANK, 1);
	else if (bank && !first->store && !op->store)
		stall(c, POULSON_CORE_MLD_CYC_STALL_SPLIT_RR_BANK, 1);
	else if (first->fills && op->fills)
		stall(c, POULSON_CORE_MLD_CYC_STALL_SPLIT_OVERSUB, 1);
	else
		return false;
	return true;
}

/* A read behind a store: of its bank while it writes, or of its line while it has not written. */
static uint64_t behind_stores(struct icore *c, const struct mld_op *op, bool second)
{
	uint64_t until = op->cycle;

	for (unsigned i = 0; i < MLD_OPS; i++) {
		const struct mld_op *st = &c->mld_ops[i];
		uint64_t away = st->address ^ op->address;

		if (!st->store || st->cycle + STORE_WRITES < until || st->cycle > until)
			continue;
		if (op->fills && away >> 6 == 0 && away >> 4) {
			if (st->cycle + STORE_WRITES > until) {
				stall(c, second ? POULSON_CORE_MLD_CYC_STALL_SPLIT_RAW : POULSON_CORE_MLD_CYC_STALL_RAW,
				      st->cycle + STORE_WRITES - until);
				until = st->cycle + STORE_WRITES;
			}
		} else if (st->cycle + STORE_WRITES == until && !(away & 0xf0) && away >> 8) {
			stall(c, second ? POULSON_CORE_MLD_CYC_STALL_SPLIT_RW_BANK : POULSON_CORE_MLD_CYC_STALL_RW_BANK, 1);
			until++;
		}
	}
	return until;
}

uint64_t icore_mld_issue(struct icore *c, const struct access *a, uint64_t start)
{
	struct mld_op op = { .cycle = start, .address = a->address, .store = a->store,
			     .fills = !a->store && !a->fp && a->size <= 8 && a->type != LOAD_HPW &&
				      hint_fld(a->hints) != HINT_NO_ALLOCATE };
	const struct mld_op *last = &c->mld_ops[(c->mld_next + MLD_OPS - 1) % MLD_OPS];
	bool queued, second;

	if (op.cycle < c->mld_cycle)
		op.cycle = c->mld_cycle;
	if (op.cycle == c->mld_cycle && c->mld_n == 2)
		op.cycle++;
	queued = op.cycle > c->cycle;
	second = op.cycle == c->mld_cycle && c->mld_n == 1;
	if (second && !queued && split(c, last, &op)) {
		op.cycle++;
		second = false;
	} else if (!op.store) {
		uint64_t until = behind_stores(c, &op, second);

		second = second && until == op.cycle;
		op.cycle = until;
	}
	c->mld_n = second ? 2 : 1;
	c->mld_cycle = op.cycle;
	c->mld_ops[c->mld_next++ % MLD_OPS] = op;
	return op.cycle;
}

/* What the core writes waits in the write line buffer until the ring has called for it. */
static void write_back(struct icore *c, uint64_t line)
{
	struct icore_reply reply;

	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRTBCK_WRQ, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_WRQ_ANY, 1);
	reply = c->outside.request(c->outside.ctx, c->cycle, line, ICORE_WRITE_BACK);
	tell(c, POULSON_CORE_RIL_RESP_WRITEPULL, 1);
	tell(c, POULSON_CORE_RIL_BL_WRITE_ANY, 1);
	tell(c, POULSON_CORE_RIL_BL_WRITE_WLB, 1);
	icore_queue_take(c, &c->wlb, c->cycle + reply.latency);
	icore_queue_take(c, &c->wrq, c->cycle + reply.latency);
}

/* A line leaves the MLD: written ones go to the ring. */
static void evict(struct icore *c, const struct line *line)
{
	if (!line->valid || !line->dirty)
		return;
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRTBCK_MLD_EVICT, 1);
	write_back(c, line->tag);
}

static void put(struct icore *c, const struct access *a, uint64_t address, const struct icore_reply *reply, uint64_t ready,
		bool store)
{
	struct line *line = icore_cache_victim(&c->mld, address);

	evict(c, line);
	*line = (struct line){ .tag = address >> LINE_LOG, .ready = ready, .valid = 1, .dirty = store,
			       .source = (uint8_t)reply->source, .fetched = store || !reply->shared };
	if (hint_mld(a->hints) == HINT_NRU)
		tell(c, POULSON_CORE_MLD_HINT_NRU, 1);
	else
		icore_cache_use(&c->mld, line, address);
}

/* 2.3.1.2: the line goes to whom it was brought for alone; what a store has written goes back. */
static void pass(struct icore *c, const struct access *a, uint64_t address)
{
	if (a->prefetch)
		return;
	tell(c, POULSON_CORE_MLD_HINT_NOALLOC, 1);
	tell(c, POULSON_CORE_MLD_NOALLOC_FILL, 1);
	if (!a->store)
		return;
	tell(c, POULSON_CORE_MLD_NOALLOC_CASTOUT, 1);
	write_back(c, address >> LINE_LOG);
}

static void ask_events(struct icore *c, const struct access *a, bool buddy)
{
	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_DRQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_DATA_WB_ANY, 1);
	tell(c, buddy ? POULSON_CORE_RIL_REQ_REF_DATA_WB_MLD_BUDDY : POULSON_CORE_RIL_REQ_REF_DATA_WB_MLD_ANY, 1);
	tell(c, a->exclusive ? POULSON_CORE_RIL_REQ_REF_DATA_WB_RFO : a->hints & HINT_SHARED ? POULSON_CORE_RIL_REQ_REF_DATA_WB_CRD :
		POULSON_CORE_RIL_REQ_REF_DATA_WB_DRD, 1);
	if (a->hints & HINT_LLC_NRU)
		tell(c, POULSON_CORE_RIL_REQ_HINT_NRU, 1);
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
}

static void return_events(struct icore *c)
{
	tell(c, POULSON_CORE_RIL_RESP_GO, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_PRI_ANY, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_PRI_MLD, 1);
	tell(c, POULSON_CORE_RIL_DATA_RETURN_MLD_ANY, 1);
	/* It goes down the MLD's pipeline, whether it stays or not. */
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_FAB, 1);
}

/* A line comes from the ring; the answer is the cycle. */
static uint64_t bring(struct icore *c, const struct access *a, uint64_t address, uint64_t start, bool buddy)
{
	enum icore_ask ask = a->prefetch || buddy ? (a->exclusive ? ICORE_PREFETCH_OWN : ICORE_PREFETCH) :
			     a->exclusive ? ICORE_OWN : a->hints & HINT_SHARED ? ICORE_READ_SHARED : ICORE_READ;
	struct icore_reply reply;

	ask_events(c, a, buddy);
	reply = c->outside.request(c->outside.ctx, start, address >> LINE_LOG, ask);
	icore_answer(c, &reply, ask, !a->exclusive);
	icore_queue_take(c, &c->drq, start + reply.latency);
	return_events(c);
	if (hint_mld(a->hints) == HINT_NO_ALLOCATE) {
		pass(c, a, address);
	} else {
		fill_events(c, &reply, a, buddy);
		put(c, a, address, &reply, start + reply.latency, a->store && !buddy);
	}
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
	if (hint_prefetch(a->hints) == NO_BUDDY) {
		tell(c, POULSON_CORE_MLD_HINT_NO_BUDDY, 1);
		return;
	}
	if (hint_mld(a->hints) == HINT_NO_ALLOCATE)
		return;
	bring(c, a, other, start, true);
}

static bool is_load(const struct access *a)
{
	return !a->store && !a->prefetch && a->type != SEMAPHORE && a->type != LOAD_HPW;
}

static void count_mld(struct icore *c, const struct access *a, unsigned ref, unsigned load)
{
	tell(c, ref, 1);
	if (is_load(a))
		tell(c, load, 1);
}

/* The next line of a stream that two misses have begun (2.9.6). */
static void stream(struct icore *c, const struct access *a)
{
	uint64_t line = a->address >> LINE_LOG | 1;
	struct prefetch ahead = { .address = (line + 1) << LINE_LOG, .kind = PREFETCH_MLD, .left = 1,
				  .hints = (uint16_t)(DROP_TLB << DROP_SHIFT) };

	for (unsigned i = 0; i < 8; i++) {
		if (c->track[i] != line)
			continue;
		c->track[i] = line + 2;
		if (hint_prefetch(a->hints) >= NO_MLD_MULTI)
			tell(c, POULSON_CORE_MLD_HINT_NO_MULTI_HWPREF, 1);
		else if (ahead.address >> PAGE_LOG == a->address >> PAGE_LOG)
			icore_prefetch(c, &ahead);
		return;
	}
	c->track[c->track_next++ % 8] = line + 2;
}

static uint64_t miss(struct icore *c, const struct access *a, uint64_t start)
{
	uint64_t ready, leaves = icore_queue_room(&c->fab, start);

	count_mld(c, a, POULSON_CORE_MLD_REF_MISS, POULSON_CORE_MLD_LOAD_MISS);
	count_mld(c, a, POULSON_CORE_MLD_REF_PRIMARY, POULSON_CORE_MLD_LOAD_PRIMARY);
	if (a->prefetch && hint_drop(a->hints) >= DROP_TLB_MLD) {
		tell(c, POULSON_CORE_MLD_HINT_PREF_DROP, 1);
		return DROPPED;
	}
	if (leaves > start)
		tell_free(c, POULSON_CORE_MLD_FAB_OVERFLOW, 1);
	ready = bring(c, a, a->address, leaves, false);
	bring_buddy(c, a, leaves);
	icore_queue_take(c, &c->fab, ready);
	if (!a->prefetch)
		stream(c, a);
	return ready;
}

/* The line is on its way for another: the queue of secondary misses tries again when it is there. */
static uint64_t join(struct icore *c, const struct access *a, struct line *line)
{
	count_mld(c, a, POULSON_CORE_MLD_REF_MISS, POULSON_CORE_MLD_LOAD_MISS);
	if (a->prefetch) {
		tell(c, POULSON_CORE_MLD_REF_SECONDARY_DROP, 1);
		return DROPPED;
	}
	count_mld(c, a, POULSON_CORE_MLD_REF_SECONDARY, POULSON_CORE_MLD_LOAD_SECONDARY);
	tell(c, POULSON_CORE_MLD_SMQ_REF_ANY, 1);
	tell(c, POULSON_CORE_MLD_SMQ_REF_HIT, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_ANY, 1);
	tell_free(c, POULSON_CORE_MLD_ISSUE_SRC_SMQ, 1);
	c->now.source = line->source;
	line->dirty |= a->store;
	icore_queue_take(c, &c->smq, line->ready);
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

void icore_drop(struct icore *c, uint64_t address)
{
	struct cache *const caches[] = { &c->fld, &c->mld, &c->fli, &c->mli };

	for (unsigned i = 0; i < 4; i++) {
		struct line *line = icore_cache_find(caches[i], address);

		if (line && i == 1 && line->dirty) {
			tell(c, POULSON_CORE_RIL_REQ_OTHER_WRTBCK_MLD_FC, 1);
			write_back(c, line->tag);
		}
		if (line)
			line->valid = 0;
	}
}
