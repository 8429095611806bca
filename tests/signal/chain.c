/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain clock by clock, and in runs of equal clocks. */
#include "signal/chain.h"

#include "check.h"

static const unsigned raw[] = { 2, 3, 1, 0, 2, 2, 0, 1 };	/* one per clock */

static const struct row {
	int line;
	struct chain chain;			/* before the first clock */
	unsigned want[LEN(raw)];		/* increment in each clock */
} rows[] = {
	{ LINE, { .threshold = 0 },                                { 2,3,1,0,2,2,0,1 } },
	{ LINE, { .threshold = 0, .invert = true, .edge = true },  { 2,3,1,0,2,2,0,1 } },
	{ LINE, { .threshold = 1 },                                { 1,1,1,0,1,1,0,1 } },
	{ LINE, { .threshold = 2 },                                { 1,1,0,0,1,1,0,0 } },
	{ LINE, { .threshold = 2, .invert = true },                { 0,0,1,1,0,0,1,1 } },
	{ LINE, { .threshold = 2, .edge = true },                  { 1,0,0,0,1,0,0,0 } },
	{ LINE, { .threshold = 2, .edge = true, .high = true },    { 0,0,0,0,1,0,0,0 } },
	{ LINE, { .threshold = 2, .invert = true, .edge = true },  { 0,0,1,0,0,0,1,0 } },
	{ LINE, { .threshold = 4 },                                { 0,0,0,0,0,0,0,0 } },
	{ LINE, { .threshold = 4, .invert = true, .edge = true },  { 1,0,0,0,0,0,0,0 } },
};

static const struct run_row {
	int line;
	struct chain chain;
	int64_t raw;
	uint64_t clocks;
	int64_t want;
	bool high;				/* afterwards */
} runs[] = {
	{ LINE, { .threshold = 0 }, 7, 1000, 7000, false },
	{ LINE, { .threshold = 3 }, 7, 1000, 1000, true },
	{ LINE, { .threshold = 8 }, 7, 1000, 0, false },
	{ LINE, { .threshold = 3, .edge = true }, 7, 1000, 1, true },
	{ LINE, { .threshold = 3, .edge = true, .high = true }, 7, 1000, 0, true },
	{ LINE, { .threshold = 3, .invert = true }, 7, 1000, 0, false },
	{ LINE, { .threshold = 3, .edge = true, .high = true }, 0, 1000, 0, false },
	/* No clocks: nothing changes. */
	{ LINE, { .threshold = 3, .edge = true, .high = true }, 0, 0, 0, true },
};

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct chain c = r->chain;

		for (size_t i = 0; i < LEN(raw); i++)
			CHECK_EQ(r->line, chain_step(&c, raw[i]), r->want[i]);
	}
	for (const struct run_row *r = runs; r < runs + LEN(runs); r++) {
		struct chain c = r->chain;

		CHECK_EQ(r->line, chain_run(&c, r->raw, r->clocks), r->want);
		CHECK_EQ(r->line, c.high, r->high);
	}
	return check_done();
}
