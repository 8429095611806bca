/* SPDX-License-Identifier: BSD-2-Clause */
/* What leaves a core, counted by hand: caches alone, each prefetcher alone, streaming stores. */
#include "base/error.h"
#include "check.h"
#include "xcore/xcore.h"

struct tally {
	unsigned kind[LEAVE_KINDS];
	unsigned speculative, dependent;
	unsigned l1_misses, l2_hits;
	uint64_t instructions;
};

static void take(void *ctx, const struct leave_record *rec, unsigned n)
{
	struct tally *t = ctx;

	for (unsigned i = 0; i < n; i++) {
		t->kind[rec[i].kind]++;
		t->speculative += (rec[i].flags & LEAVE_SPECULATIVE) != 0;
		t->dependent += (rec[i].flags & LEAVE_DEPENDENT) != 0;
		t->l1_misses += rec[i].l1_misses;
		t->l2_hits += rec[i].l2_hits;
		t->instructions += rec[i].instructions;
	}
}

static struct xcore *new_core(int line, unsigned prefetch, struct tally *t)
{
	struct xcore_config cfg = xcore_haswell();
	struct xcore *c = NULL;

	memset(t, 0, sizeof *t);
	cfg.prefetch = prefetch;
	cfg.leave = take;
	cfg.ctx = t;
	CHECK_EQ(line, xcore_new(&cfg, &c), 0);
	return c;
}

#define BASE UINT64_C(0x7f1234560000)	/* page 0 of each pattern */

enum act { LOADS, STORES, FETCHES, LOAD_STORE };

/* `rounds` times over `count` addresses `stride` bytes apart. */
static const struct row {
	int line;
	unsigned prefetch;
	enum act act;
	unsigned stride, count, rounds;
	unsigned drd, rfo, crd, dirty, writebacks, prefetches, far, speculative, l1_misses, l2_hits;
} rows[] = {
	/* Nothing fits twice: each line comes once. */
	{ LINE, 0, LOADS, 64, 100, 1, .drd = 100, .l1_misses = 100 },
	{ LINE, 0, LOADS, 8, 800, 1, .drd = 100, .l1_misses = 100 },
	{ LINE, 0, STORES, 64, 100, 1, .rfo = 100, .l1_misses = 100 },
	{ LINE, 0, FETCHES, 64, 100, 1, .crd = 100, .l1_misses = 100 },
	{ LINE, 0, LOAD_STORE, 64, 100, 1, .drd = 100, .dirty = 100, .l1_misses = 100 },
	/* 32 KB stay in L1, 256 KB in L2. */
	{ LINE, 0, LOADS, 64, 512, 3, .drd = 512, .l1_misses = 512 },
	{ LINE, 0, LOADS, 64, 4096, 2, .drd = 4096, .l1_misses = 8192, .l2_hits = 4096 },
	/* Eight lines of one set stay; L1 and L2 together hold up to 16. */
	{ LINE, 0, STORES, 32768, 8, 3, .rfo = 8, .l1_misses = 8 },
	{ LINE, 0, LOADS, 32768, 8, 3, .drd = 8, .l1_misses = 8 },
	/* One page upward.  The streamer starts with the third line and is always ahead. */
	{ LINE, PREFETCH_STREAM, LOADS, 64, 64, 1, .drd = 3, .prefetches = 61, .l1_misses = 64,
	  .l2_hits = 61 },
	{ LINE, PREFETCH_STREAM, STORES, 64, 64, 1, .rfo = 3, .prefetches = 61, .dirty = 61,
	  .l1_misses = 64, .l2_hits = 61 },
	/* It stops at the end of the page, and needs three accesses in each. */
	{ LINE, PREFETCH_STREAM, LOADS, 64, 128, 1, .drd = 6, .prefetches = 122,
	  .l1_misses = 128, .l2_hits = 122 },
	/* Every miss brings its neighbour. */
	{ LINE, PREFETCH_PAIR, LOADS, 64, 64, 1, .drd = 32, .prefetches = 32, .l1_misses = 64,
	  .l2_hits = 32 },
	{ LINE, PREFETCH_PAIR, LOADS, 128, 32, 1, .drd = 32, .prefetches = 32, .l1_misses = 32 },
	/* A line after a line: the third is fetched with the second, and so on. */
	{ LINE, PREFETCH_NEXT, LOADS, 64, 64, 1, .drd = 64, .speculative = 62, .l1_misses = 2 },
	{ LINE, PREFETCH_NEXT, LOADS, 128, 32, 1, .drd = 32, .l1_misses = 32 },
	/* A stride is believed when it has come three times; none leaves the page. */
	{ LINE, PREFETCH_STRIDE, LOADS, 256, 16, 1, .drd = 16, .speculative = 12, .l1_misses = 4 },
	{ LINE, PREFETCH_STRIDE, LOADS, 64, 64, 1, .drd = 64, .speculative = 60, .l1_misses = 4 },
	{ LINE, PREFETCH_STRIDE, LOADS, 4096, 16, 1, .drd = 16, .l1_misses = 16 },
	/* Lines four apart in each page: their pairs come, but no stream of lines is seen before
	 * the third. */
	{ LINE, PREFETCH_STREAM, LOADS, 1024, 3, 1, .drd = 3, .prefetches = 2, .l1_misses = 3 },
};

static void access_one(struct xcore *c, enum act act, uint64_t addr)
{
	if (act == LOADS || act == LOAD_STORE)
		xcore_load(c, addr, 0x10, 0);
	if (act == STORES || act == LOAD_STORE)
		xcore_store(c, addr, 0);
	if (act == FETCHES)
		xcore_fetch(c, addr);
	xcore_retire(c, 3);
}

static void run(const struct row *r)
{
	struct tally t;
	struct xcore *c = new_core(r->line, r->prefetch, &t);

	for (unsigned k = 0; k < r->rounds; k++) {
		for (unsigned i = 0; i < r->count; i++)
			access_one(c, r->act, BASE + (uint64_t)i * r->stride);
	}
	xcore_flush(c);
	CHECK_EQ(r->line, t.kind[LEAVE_DRD], r->drd);
	CHECK_EQ(r->line, t.kind[LEAVE_RFO], r->rfo);
	CHECK_EQ(r->line, t.kind[LEAVE_CRD], r->crd);
	CHECK_EQ(r->line, t.kind[LEAVE_DIRTY], r->dirty);
	CHECK_EQ(r->line, t.kind[LEAVE_WB_M], r->writebacks);
	CHECK_EQ(r->line, t.kind[LEAVE_PF_DRD] + t.kind[LEAVE_PF_RFO], r->prefetches);
	CHECK_EQ(r->line, t.kind[LEAVE_PF_LLC_DRD], r->far);
	CHECK_EQ(r->line, t.speculative, r->speculative);
	CHECK_EQ(r->line, t.l1_misses, r->l1_misses);
	CHECK_EQ(r->line, t.l2_hits, r->l2_hits);
	CHECK_EQ(r->line, t.instructions, 3 * r->count * r->rounds);
	xcore_free(c);
}

/* What was written is either held or written back: reading enough else gets all of it out. */
static void test_conservation(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, PREFETCH_ALL, &t);

	for (unsigned i = 0; i < 20000; i++)
		xcore_store(c, BASE + (uint64_t)(i * 7919 % 20000) * 64, 0);
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < 20000; i++)
			xcore_load(c, 2 * BASE + (uint64_t)i * 64, 0, 0);
	}
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 20000);
	CHECK_EQ(__LINE__, t.kind[LEAVE_RFO] + t.kind[LEAVE_DIRTY], 20000);
	xcore_free(c);
}

/* While nearly everything misses, the streamer stays out of L2. */
static void test_far(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, PREFETCH_STREAM, &t);

	for (unsigned i = 0; i < 100; i++)
		xcore_load(c, BASE + (uint64_t)i * 8192, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		xcore_load(c, 2 * BASE + (uint64_t)i * 64, 0, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_PF_LLC_DRD], 2);
	CHECK_EQ(__LINE__, t.kind[LEAVE_PF_DRD], 0);
	xcore_load(c, 2 * BASE + 3 * 64, 0, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_DRD], 104);
	xcore_free(c);
}

static void test_streaming_stores(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, 0, &t);

	for (unsigned i = 0; i < 8; i++)
		xcore_stream(c, BASE + 8 * i, 8);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCILF], 1);
	for (unsigned i = 0; i < 4; i++)
		xcore_stream(c, BASE + 64 + 8 * i, 8);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 0);
	xcore_flush(c);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 1);
	/* One buffer more than there are pushes the oldest out. */
	for (unsigned i = 0; i < XCORE_FILL_BUFFERS + 1; i++)
		xcore_stream(c, BASE + 4096 + 64 * i, 8);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 2);
	/* A modified copy goes first. */
	xcore_store(c, 2 * BASE, 0);
	xcore_stream(c, 2 * BASE, 8);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 1);
	/* ... and has pushed out another.  Whoever looks at the line makes it leave; others do not. */
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 3);
	xcore_load(c, 3 * BASE, 0, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 3);
	xcore_load(c, 2 * BASE, 0, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 4);
	CHECK_EQ(__LINE__, t.kind[LEAVE_DRD], 2);
	xcore_store(c, BASE + 4096 + 64 * 5, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 5);
	xcore_fence(c);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], XCORE_FILL_BUFFERS + 3);
	xcore_fence(c);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], XCORE_FILL_BUFFERS + 3);
	xcore_free(c);
}

/* Lines that will be filled come without their data, tell no prefetcher, and go back as any other. */
static void test_fills(void)
{
	struct leave_snoop share = { .line = BASE >> 6, .kind = LEAVE_SNOOP_SHARE };
	struct tally t;
	struct xcore *c = new_core(__LINE__, PREFETCH_ALL, &t);

	for (unsigned i = 0; i < 64 * 64; i++)
		xcore_fill(c, BASE + i);
	CHECK_EQ(__LINE__, t.kind[LEAVE_ITOM], 64);
	CHECK_EQ(__LINE__, t.l1_misses, 64);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, 0), XCORE_L1);
	CHECK_EQ(__LINE__, xcore_store(c, BASE, 0), XCORE_L1);
	/* In the caches already: owned, or to be asked for. */
	CHECK_EQ(__LINE__, xcore_fill(c, BASE), XCORE_L1);
	xcore_snoop(c, &share);
	CHECK_EQ(__LINE__, xcore_fill(c, BASE), XCORE_UNCORE);
	CHECK_EQ(__LINE__, t.kind[LEAVE_ITOM], 65);
	for (unsigned k = 0; k < LEAVE_KINDS; k++)
		CHECK_EQ(__LINE__, t.kind[k], k == LEAVE_ITOM ? 65 : 0);
	for (unsigned i = 0; i < 3 * 20000; i++)
		xcore_load(c, 2 * BASE + (uint64_t)(i % 20000) * 64, 0, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 64);
	CHECK_EQ(__LINE__, t.kind[LEAVE_RFO] + t.kind[LEAVE_DIRTY] + t.kind[LEAVE_PF_RFO], 0);
	xcore_free(c);
}

/* What the program asks for ahead: no demand, and where it is put it is found. */
static void test_ahead(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, 0, &t);

	xcore_prefetch(c, BASE, XCORE_INTO_BOTH, LEAVE_DEPENDENT);
	xcore_prefetch(c, BASE + 63, XCORE_INTO_BOTH, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_AHEAD], 1);
	CHECK_EQ(__LINE__, t.dependent, 1);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, 0), XCORE_L1);
	CHECK_EQ(__LINE__, xcore_store(c, BASE, 0), XCORE_L1);
	CHECK_EQ(__LINE__, t.kind[LEAVE_DIRTY], 1);
	xcore_prefetch(c, BASE + 64, XCORE_INTO_L2, 0);
	CHECK_EQ(__LINE__, xcore_load(c, BASE + 64, 0, 0), XCORE_L2);
	xcore_prefetch(c, BASE + 128, XCORE_INTO_L1, 0);
	CHECK_EQ(__LINE__, xcore_load(c, BASE + 128, 0, 0), XCORE_L1);
	xcore_flush(c);
	CHECK_EQ(__LINE__, t.kind[LEAVE_AHEAD], 3);
	CHECK_EQ(__LINE__, t.kind[LEAVE_DRD] + t.kind[LEAVE_RFO], 0);
	CHECK_EQ(__LINE__, t.l1_misses, 1);
	CHECK_EQ(__LINE__, t.l2_hits, 1);
	/* Driven out of L1D by eight others of its set: L2 has what came through it. */
	for (unsigned i = 1; i <= 8; i++)
		for (unsigned line = 0; line < 3; line++)
			xcore_load(c, BASE + 64 * line + 4096 * i, 0, 0);
	CHECK_EQ(__LINE__, xcore_load(c, BASE + 64, 0, 0), XCORE_L2);
	CHECK_EQ(__LINE__, xcore_load(c, BASE + 128, 0, 0), XCORE_UNCORE);
	/* L2 gives what it has. */
	xcore_prefetch(c, BASE, XCORE_INTO_L1, 0);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, 0), XCORE_L1);
	CHECK_EQ(__LINE__, t.kind[LEAVE_AHEAD], 3);
	xcore_free(c);

	/* L2's prefetchers hear of what goes through it. */
	c = new_core(__LINE__, PREFETCH_PAIR, &t);
	xcore_prefetch(c, BASE, XCORE_INTO_BOTH, 0);
	xcore_prefetch(c, BASE + 128, XCORE_INTO_L2, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_PF_DRD], 2);
	xcore_prefetch(c, BASE + 256, XCORE_INTO_L1, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_PF_DRD], 2);
	CHECK_EQ(__LINE__, t.kind[LEAVE_AHEAD], 3);
	xcore_free(c);
}

/* What has been written, in caches or buffers, leaves before the flush. */
static void test_flushes(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, 0, &t);

	xcore_store(c, BASE, 0);
	xcore_evict(c, BASE + 8);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 1);
	CHECK_EQ(__LINE__, t.kind[LEAVE_CLFLUSH], 1);
	xcore_evict(c, BASE);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 1);
	CHECK_EQ(__LINE__, t.kind[LEAVE_CLFLUSH], 2);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, 0), XCORE_UNCORE);
	xcore_stream(c, 2 * BASE, 8);
	xcore_evict(c, 2 * BASE);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 1);
	xcore_stream(c, 3 * BASE, 8);
	xcore_prefetch(c, 3 * BASE, XCORE_INTO_L1, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WCIL], 2);
	xcore_free(c);
}

static void test_snoops(void)
{
	struct leave_snoop share = { .line = BASE >> 6, .kind = LEAVE_SNOOP_SHARE };
	struct leave_snoop take_away = { .line = BASE >> 6, .kind = LEAVE_SNOOP_INVALIDATE };
	struct leave_snoop elsewhere = { .line = BASE >> 6, .space = 9 };
	struct tally t;
	struct xcore *c = new_core(__LINE__, 0, &t);

	xcore_store(c, BASE, 0);
	xcore_snoop(c, &elsewhere);
	xcore_store(c, BASE, 0);
	CHECK_EQ(__LINE__, t.kind[LEAVE_RFO], 1);
	xcore_snoop(c, &share);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, 0), XCORE_L1);
	CHECK_EQ(__LINE__, xcore_store(c, BASE, 0), XCORE_UNCORE);
	CHECK_EQ(__LINE__, t.kind[LEAVE_RFO], 2);
	xcore_snoop(c, &take_away);
	CHECK_EQ(__LINE__, xcore_load(c, BASE, 0, LEAVE_DEPENDENT), XCORE_UNCORE);
	CHECK_EQ(__LINE__, t.kind[LEAVE_DRD], 1);
	CHECK_EQ(__LINE__, t.dependent, 1);
	CHECK_EQ(__LINE__, t.kind[LEAVE_WB_M], 0);
	xcore_free(c);
}

static void test_ticks(void)
{
	struct tally t;
	struct xcore *c = new_core(__LINE__, 0, &t);

	for (unsigned i = 0; i < 10 * XCORE_TICK; i += 10)
		xcore_retire(c, 10);
	CHECK_EQ(__LINE__, t.kind[LEAVE_TICK], 10);
	CHECK_EQ(__LINE__, t.instructions, 10 * XCORE_TICK);
	xcore_look_every(c, 100);
	for (unsigned i = 0; i < 10 * XCORE_TICK; i += 10)
		xcore_retire(c, 10);
	CHECK_EQ(__LINE__, t.kind[LEAVE_TICK], 20);
	xcore_free(c);
}

static void test_bad(void)
{
	struct xcore_config cfg = xcore_haswell();
	struct xcore *c = NULL;

	CHECK_EQ(__LINE__, xcore_new(&cfg, &c), BXS_EINVAL);
	cfg.leave = take;
	cfg.l2_bytes = 100000;
	CHECK_EQ(__LINE__, xcore_new(&cfg, &c), BXS_EINVAL);
	CHECK(c == NULL);
	xcore_free(NULL);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		run(r);
	test_conservation();
	test_far();
	test_streaming_stores();
	test_fills();
	test_ahead();
	test_flushes();
	test_snoops();
	test_ticks();
	test_bad();
	return check_done();
}
