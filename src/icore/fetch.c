/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end (2.6): a pair of bundles a cycle out of the FLI, ahead of issue as far as the instruction buffer has room.
 * Its own time runs beside that of issue, in which a bundle can issue from the cycle on in which its pair has come; a cycle
 * brings a pair, or is lost for a reason of CYC_FE_*.
 */
#include "icore/private.h"

enum { PAIR_LOG = 5 };

static void lose(struct icore *c, unsigned any, unsigned code, uint64_t n)
{
	if (!n)
		return;
	tell_cycles(c, POULSON_CORE_CYC_FE_BUBBLE_ANY, n);
	tell_cycles(c, any, n);
	tell_cycles(c, code, n);
	c->fetched += n;
}

/* The translation of the page, in cycles beyond those of the FLITLB. */
static unsigned translate(struct icore *c, uint64_t ip)
{
	uint64_t page = ip >> PAGE_LOG;

	c->now.fetch_tlb = 1;
	if (icore_tlb_find(&c->flitlb, page, c->fetched + 1))
		return 0;
	tell_free(c, POULSON_CORE_FLITLB_MISS, 1);
	c->now.fetch_tlb = 2;
	if (icore_tlb_find(&c->mlitlb, page, c->fetched + 1)) {
		icore_tlb_put(&c->flitlb, page, c->fetched + 1);
		return LAT_MLITLB;
	}
	tell_free(c, POULSON_CORE_MLITLB_MISS, 1);
	tell_free(c, POULSON_CORE_FLITLB_INSERT_HPW, 1);
	c->now.fetch_tlb = 3;
	icore_tlb_put(&c->mlitlb, page, c->fetched + 1);
	icore_tlb_put(&c->flitlb, page, c->fetched + 1);
	return LAT_MLITLB + LAT_WALK + LAT_MLD;
}

static void fill(struct cache *cache, uint64_t address, uint64_t ready, uint8_t source)
{
	struct line *line = icore_cache_victim(cache, address);

	*line = (struct line){ .tag = address >> cache->shift, .ready = ready, .valid = 1, .source = source };
	icore_cache_use(cache, line, address);
}

/* A read of the MLI, and the ring behind it: cycles until the line is there. */
static uint64_t read_mli(struct icore *c, uint64_t address, bool demand)
{
	struct line *line = icore_cache_find(&c->mli, address);
	struct icore_reply reply;

	tell(c, POULSON_CORE_MLI_READ_ANY_ANY, 1);
	tell(c, demand ? POULSON_CORE_MLI_READ_ANY_DMND : POULSON_CORE_MLI_READ_ANY_PREF, 1);
	if (line) {
		tell(c, POULSON_CORE_MLI_READ_HIT_ANY, 1);
		tell(c, demand ? POULSON_CORE_MLI_READ_HIT_DMND_NOLRU : POULSON_CORE_MLI_READ_HIT_PREF_NOLRU, 1);
		icore_cache_use(&c->mli, line, address);
		c->now.fetch_source = ICORE_FROM_MLD;
		return LAT_MLI + (line->ready > c->fetched ? line->ready - c->fetched : 0);
	}
	tell(c, POULSON_CORE_MLI_READ_MISS_ANY, 1);
	tell(c, demand ? POULSON_CORE_MLI_READ_MISS_DMND : POULSON_CORE_MLI_READ_MISS_PREF, 1);
	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_INST_ANY, 1);
	tell(c, POULSON_CORE_RIL_REQ_REF_INST_WB_ANY, 1);
	if (demand)
		tell(c, POULSON_CORE_RIL_REQ_REF_INST_WB_DMND, 1);
	reply = c->outside.request(c->outside.ctx, c->fetched, address >> 6, demand ? ICORE_CODE : ICORE_PREFETCH_CODE);
	icore_answer(c, &reply, ICORE_CODE, true);
	c->now.fetch_source = reply.source;
	icore_queue_take(c, &c->frq, c->cycle + reply.latency);
	fill(&c->mli, address, c->fetched + reply.latency, reply.source);
	tell(c, POULSON_CORE_MLI_RETURN_LINE, 1);
	return LAT_MLI + reply.latency;
}

/* Brings a line into the FLI; the answer is when. */
static uint64_t miss(struct icore *c, uint64_t address, bool demand)
{
	uint64_t ready = c->fetched + read_mli(c, address, demand);

	fill(&c->fli, address, ready, 0);
	tell(c, POULSON_CORE_FLI_FILL, 2);
	return ready;
}

/* 2.6.3: a miss in the first half of a line of 128 bytes fetches the second as well. */
static void next_line(struct icore *c, uint64_t ip)
{
	uint64_t other = (ip | 64) & ~UINT64_C(63);

	if (ip & 64)
		return;
	tell(c, POULSON_CORE_FLI_READ_ANY, 1);
	tell(c, POULSON_CORE_FLI_READ_PREF, 1);
	if (icore_cache_find(&c->fli, other))
		return;
	tell(c, POULSON_CORE_FLI_READ_MISS_ANY, 1);
	tell(c, POULSON_CORE_FLI_READ_MISS_PREF, 1);
	miss(c, other, false);
}

/* The pair that holds ip, from the FLI. */
static void read_pair(struct icore *c, uint64_t ip)
{
	unsigned tlb = translate(c, ip);
	struct line *line;

	lose(c, POULSON_CORE_CYC_FE_FET_STALL_ANY, POULSON_CORE_CYC_FE_FET_STALL_FLITLB_MISS, tlb);
	line = icore_cache_find(&c->fli, ip);
	tell(c, POULSON_CORE_FLI_READ_ANY, 1);
	tell(c, POULSON_CORE_FLI_READ_DMND, 1);
	if (line && line->ready <= c->fetched) {
		icore_cache_use(&c->fli, line, ip);
		return;
	}
	if (line)
		tell(c, POULSON_CORE_FLI_FETCH_RAB_HIT_DMND, 1);
	tell(c, POULSON_CORE_FLI_READ_MISS_ANY, 1);
	tell(c, POULSON_CORE_FLI_READ_MISS_DMND, 1);
	c->now.fetch_latency = (uint32_t)((line ? line->ready : miss(c, ip, true)) - c->fetched);
	next_line(c, ip);
	tell(c, POULSON_CORE_FLI_FETCH_JIT_HIT, 1);
	lose(c, POULSON_CORE_CYC_FE_FET_STALL_ANY, POULSON_CORE_CYC_FE_FET_STALL_FLI_MISS, c->now.fetch_latency);
}

/* The buffer has room for sixteen bundles: that many may be ahead of issue. */
static void wait_for_room(struct icore *c)
{
	uint64_t left = c->issued[c->issued_next % BUFFER_BUNDLES];

	if (left > c->fetched)
		lose(c, POULSON_CORE_CYC_FE_FET_STALL_ANY, POULSON_CORE_CYC_FE_FET_STALL_IBQ_FULL, left - c->fetched);
}

void icore_fetch(struct icore *c, uint64_t ip)
{
	if (ip >> PAIR_LOG != c->pair || c->led) {
		wait_for_room(c);
		read_pair(c, ip);
		c->pair = ip >> PAIR_LOG;
		c->led = false;
		tell_cycles(c, POULSON_CORE_CYC_FE_NO_BUBBLE, 1);
		c->fetched++;
	}
	tell_free(c, POULSON_CORE_FLI_INST_INSERT_RAB, 1);
	if (c->fetched > c->cycle)
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_BUNDLE);
	if (c->fetched > c->cycle)
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_FEBUB, c->fetched - c->cycle);
	c->issued[c->issued_next++ % BUFFER_BUNDLES] = c->cycle;
}

void icore_resteer(struct icore *c, unsigned code, unsigned cause, unsigned bubbles)
{
	c->led = true;
	tell(c, POULSON_CORE_FE_RESTEER_ANY, 1);
	tell(c, code, 1);
	lose(c, POULSON_CORE_CYC_FE_RESTEER_ANY, cause, bubbles);
}

void icore_refetch(struct icore *c)
{
	c->led = true;
	c->pair = UINT64_MAX;
	tell(c, POULSON_CORE_FE_RESTEER_ANY, 1);
	tell(c, POULSON_CORE_FE_RESTEER_BE_FLUSH, 1);
	/* What is fetched anew can issue as soon as the flush is over. */
	if (c->cycle > c->fetched + 1)
		lose(c, POULSON_CORE_CYC_FE_RESTEER_ANY, POULSON_CORE_CYC_FE_RESTEER_BE_FLUSH, c->cycle - c->fetched - 1);
	for (unsigned i = 0; i < BUFFER_BUNDLES; i++)
		c->issued[i] = 0;
}
