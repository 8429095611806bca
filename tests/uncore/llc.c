/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of the last-level cache: hash, tags to the last bit, core-valid bits, victims. */
#include "check.h"
#include "uncore/cbo/llc.h"

/* A million lines from `base` on, `step` apart, over all numbers of slices: no slice is
 * further than `tolerance` thousandths from its share. */
static const struct spread { int line; uint64_t base; unsigned shift, slices, tolerance; } spreads[] = {
	{ LINE, 0, 0, 1, 0 }, { LINE, 0, 0, 2, 1 }, { LINE, 0, 0, 8, 1 }, { LINE, 0, 0, 18, 5 },
	{ LINE, 0, 0, 12, 5 }, { LINE, 0, 0, 10, 5 }, { LINE, 0, 0, 7, 5 }, { LINE, 0, 0, 17, 5 },
	{ LINE, 1u << 30, 0, 18, 5 },
	/* strides of 4 KB, 64 KB and 1 MB */
	{ LINE, 0, 6, 18, 30 }, { LINE, 0, 10, 18, 30 }, { LINE, 0, 14, 18, 30 }, { LINE, 0, 6, 8, 30 },
};

static void check_spread(const struct spread *s)
{
	enum { LINES = 1 << 20 };
	struct llc c;
	unsigned count[LLC_MAX_SLICES] = { 0 }, worst = 0;

	CHECK_EQ(s->line, llc_init(&c, s->slices, 20), 0);
	for (uint64_t i = 0; i < LINES; i++)
		count[llc_slice(&c, s->base + (i << s->shift))]++;
	for (unsigned i = 0; i < s->slices; i++) {
		unsigned share = LINES / s->slices;
		unsigned off = count[i] > share ? count[i] - share : share - count[i];

		worst = off > worst ? off : worst;
	}
	CHECK_EQ(s->line, worst * 1000ull <= (uint64_t)s->tolerance * LINES / s->slices + 1000, 1);
	llc_free(&c);
}

/* A line's hash is that of its page with that of its number there, as who knows the page relies on. */
static void check_pages(void)
{
	for (uint64_t i = 0, line = 1; i < 1000; i++, line = line * UINT64_C(0x5851f42d4c957f2d) + 1) {
		uint64_t n = line % 64, page = line & bits_low(LLC_LINE_BITS) & ~bits_low(6);

		CHECK_EQ(__LINE__, llc_hash(page) ^ llc_hash(n), llc_hash(page + n));
	}
}

/* Every line comes out of its way as it went in, whatever its bits. */
static void check_tags(void)
{
	struct llc c;

	CHECK_EQ(__LINE__, llc_init(&c, 18, 1), 0);
	for (unsigned bit = 0; bit < LLC_LINE_BITS; bit++) {
		uint64_t line = UINT64_C(1) << bit, other = line ^ UINT64_C(0x15a5a5a5a5a) << LLC_SET_BITS;
		unsigned slice = bit % 18;

		other &= bits_low(LLC_LINE_BITS);
		struct llc_place p = llc_find(&c, slice, line);
		struct llc_victim v;

		CHECK_EQ(__LINE__, p.way, -1);
		llc_fill(&c, &p, line, LLC_F, 1u << bit % 18);
		CHECK_EQ(__LINE__, llc_find(&c, slice, line).way, 0);
		CHECK_EQ(__LINE__, llc_find(&c, slice, other).way, -1);
		p = llc_find(&c, slice, other);
		v = llc_fill(&c, &p, other, LLC_M | LLC_OWNED, 0);
		CHECK_EQ(__LINE__, v.line, line);
		CHECK_EQ(__LINE__, v.cores, 1u << bit % 18);
		CHECK_EQ(__LINE__, v.meta, LLC_F);
		CHECK_EQ(__LINE__, llc_find(&c, slice, line).way, -1);
		llc_drop(&p);
		CHECK_EQ(__LINE__, llc_find(&c, slice, other).way, -1);
	}
	llc_free(&c);
}

/* Lines that share all bits that the partial tag sees are still told apart: tag bits t
 * and t + 13 cancel out. */
static void check_aliases(void)
{
	struct llc c;
	uint64_t a = 0, b = (UINT64_C(1) << (LLC_SET_BITS + 16)) | UINT64_C(1) << (LLC_SET_BITS + 3);

	CHECK_EQ(__LINE__, llc_partial(a), llc_partial(b));
	CHECK_EQ(__LINE__, llc_init(&c, 1, 20), 0);
	struct llc_place p = llc_find(&c, 0, a);

	llc_fill(&c, &p, a, LLC_E, 0);
	CHECK_EQ(__LINE__, llc_find(&c, 0, b).way, -1);
	p = llc_find(&c, 0, b);
	llc_fill(&c, &p, b, LLC_E, 0);
	CHECK_EQ(__LINE__, llc_find(&c, 0, a).way, 0);
	CHECK_EQ(__LINE__, llc_find(&c, 0, b).way, 1);
	llc_free(&c);
}

/*
 * Quad-age LRU by hand, four ways, one set.  Letters are lines, ages as they stand after
 * the access; `out` is the line driven out.
 */
static const struct access { int line; char c, out; const char *ages; } accesses[] = {
	{ LINE, 'a', 0, "1" }, { LINE, 'b', 0, "11" }, { LINE, 'c', 0, "111" }, { LINE, 'd', 0, "1111" },
	{ LINE, 'b', 0, "1011" },	/* a hit at age 1 */
	{ LINE, 'e', 'a', "1233" },	/* all older by 2; a was leftmost of age 3 */
	{ LINE, 'c', 0, "1213" },	/* a hit at age 3 */
	{ LINE, 'b', 0, "1113" },	/* a hit at age 2 */
	{ LINE, 'f', 'd', "1111" },
	{ LINE, 'g', 'e', "1333" },
};

static void check_replacement(void)
{
	struct llc c;

	CHECK_EQ(__LINE__, llc_init(&c, 1, 4), 0);
	for (const struct access *a = accesses; a < accesses + LEN(accesses); a++) {
		uint64_t line = (uint64_t)(a->c - 'a' + 1) * LLC_SETS;
		struct llc_place p = llc_find(&c, 0, line);

		if (p.way >= 0) {
			llc_touch(&p);
			CHECK_EQ(a->line, 0, a->out);
		} else {
			struct llc_victim v = llc_fill(&c, &p, line, LLC_E, 0);
			char out = v.meta ? (char)('a' + v.line / LLC_SETS - 1) : 0;

			CHECK_EQ(a->line, out, a->out);
		}
		for (unsigned w = 0; a->ages[w]; w++)
			CHECK_EQ(a->line, '0' + (p.row->meta[w] >> 6), a->ages[w]);
	}
	llc_free(&c);
}

/* A cache of 18 slices takes lines up to its size; fewer ways hold fewer lines. */
static void check_capacity(void)
{
	struct llc c;
	unsigned lost = 0;

	CHECK_EQ(__LINE__, llc_init(&c, 2, 3), 0);
	for (uint64_t line = 0; line < 2 * LLC_SETS * 3; line++) {
		struct llc_place p = llc_find(&c, llc_slice(&c, line), line);

		lost += llc_fill(&c, &p, line, LLC_E, 0).meta != LLC_I;
	}
	CHECK_EQ(__LINE__, lost, 0);	/* a power of two of slices spreads a block exactly */
	llc_free(&c);
	CHECK_EQ(__LINE__, (uint64_t)llc_init(&c, 0, 20), (uint64_t)-3);
	CHECK_EQ(__LINE__, (uint64_t)llc_init(&c, 19, 20), (uint64_t)-3);
	CHECK_EQ(__LINE__, (uint64_t)llc_init(&c, 18, 21), (uint64_t)-3);
}

/* Lines of devices keep to the last ways of a set and drive out only one another. */
static void check_last_ways(void)
{
	enum { WAYS = 20, LAST = 2 };
	struct llc c;

	CHECK_EQ(__LINE__, llc_init(&c, 1, WAYS), 0);
	for (uint64_t i = 0; i < WAYS - LAST; i++) {
		struct llc_place p = llc_find(&c, 0, i << LLC_SET_BITS);

		CHECK_EQ(__LINE__, llc_fill(&c, &p, i << LLC_SET_BITS, LLC_E, 1).meta, LLC_I);
	}
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t line = (100 + i) << LLC_SET_BITS;
		struct llc_place p = llc_find(&c, 0, line);
		struct llc_victim v = llc_fill_last(&c, &p, line, LLC_M, LAST);

		CHECK_EQ(__LINE__, p.way >= WAYS - LAST, 1);
		CHECK_EQ(__LINE__, llc_find(&c, 0, line).way, p.way);
		/* First come, first gone. */
		CHECK_EQ(__LINE__, v.meta, i < LAST ? LLC_I : LLC_M);
		if (i >= LAST)
			CHECK_EQ(__LINE__, v.line, (100 + i - LAST) << LLC_SET_BITS);
	}
	for (uint64_t i = 0; i < WAYS - LAST; i++)
		CHECK_EQ(__LINE__, llc_find(&c, 0, i << LLC_SET_BITS).way, i);
	llc_free(&c);
}

int main(void)
{
	for (const struct spread *s = spreads; s < spreads + LEN(spreads); s++)
		check_spread(s);
	check_pages();
	check_tags();
	check_aliases();
	check_replacement();
	check_capacity();
	check_last_ways();
	return check_done();
}
