/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whatever comes, no two commands of a channel are nearer than DDR4 allows: every pair of bursts and of rows that a
 * crowd of requests leads to is held to the timings, by one that knows nothing but when each had its CAS.
 */
#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { REQUESTS = 20000 };

/* A column command as it was told: of a read with its place, of a write without. */
struct column {
	uint64_t cas, data;
	struct dram_place at;
	bool write;
};

struct crowd {
	struct imc_config config;
	struct signal_clock clock;
	struct column column[2 * REQUESTS];
	unsigned n;
};

/* A write's entry is free again `credit` clocks after its CAS. */
static void wrote(void *ctx, unsigned channel, uint64_t when)
{
	struct crowd *c = ctx;
	uint64_t cas = signal_clocks(&c->clock, when) - c->config.credit;

	(void)channel;
	c->column[c->n++] = (struct column){ .cas = cas, .data = cas + c->config.dram.t.cwl, .write = true };
}

static int by_data(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	return x->data < y->data ? -1 : x->data > y->data;
}

/* x is before y on the data bus. */
static bool may_follow(const struct crowd *c, const struct column *x, const struct column *y)
{
	const struct dram_timing *t = &c->config.dram.t;
	uint64_t gap = y->data - x->data;

	if (x->write && y->write)
		return gap >= DRAM_BURST;
	if (x->write)
		return y->cas >= x->data + DRAM_BURST + t->wtr_l;
	if (y->write)
		return gap >= DRAM_BURST + (uint64_t)t->rtw;
	if (x->at.bank / DRAM_BANKS != y->at.bank / DRAM_BANKS)
		return gap >= DRAM_BURST + (uint64_t)t->rank;
	if (x->at.bank / DRAM_GROUP_BANKS == y->at.bank / DRAM_GROUP_BANKS)
		return gap >= t->ccd_l;
	return gap >= t->ccd_s;
}

static unsigned check_bus(struct crowd *c)
{
	unsigned wrong = 0;

	qsort(c->column, c->n, sizeof *c->column, by_data);
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = i + 1; k < c->n && c->column[k].data < c->column[i].data + 64; k++)
			wrong += !may_follow(c, &c->column[i], &c->column[k]);
	return wrong;
}

/* Reads of a bank: another row's first CAS comes tRTP, tRP and tRCD after the last of the row before. */
static unsigned check_rows(const struct crowd *c)
{
	const struct dram_timing *t = &c->config.dram.t;
	struct { uint64_t last; uint32_t row; } bank[DRAM_MAX_RANKS * DRAM_BANKS] = { 0 };
	unsigned wrong = 0;

	for (const struct column *x = c->column; x < c->column + c->n; x++) {
		if (x->write)
			continue;
		if (bank[x->at.bank].last && bank[x->at.bank].row == x->at.row) {
			bank[x->at.bank].last = x->cas;
			continue;
		}
		wrong += bank[x->at.bank].last && x->cas < bank[x->at.bank].last + t->rtp + t->rp + t->rcd;
		bank[x->at.bank].last = x->cas;
		bank[x->at.bank].row = x->at.row;
	}
	return wrong;
}

static const struct row { int line; unsigned mts, ranks, gap, lines, write; bool ddr3; unsigned late; } rows[] = {
	{ LINE, 2133, 2, 5, 1 << 24, 0, false }, { LINE, 2133, 4, 5, 1 << 24, 0, false },
	{ LINE, 2133, 8, 4, 1 << 14, 0, false }, { LINE, 2133, 1, 9, 1 << 12, 0, false },
	{ LINE, 3200, 2, 5, 1 << 24, 0, false }, { LINE, 1600, 4, 5, 1 << 16, 0, false },
	{ LINE, 2133, 2, 6, 1 << 24, 30, false }, { LINE, 2133, 4, 6, 1 << 14, 50, false },
	{ LINE, 2133, 4, 6, 1 << 24, 0, false, 900 }, { LINE, 2133, 2, 8, 1 << 16, 30, false, 900 },
	{ LINE, 1333, 2, 6, 1 << 20, 0, true }, { LINE, 1600, 4, 6, 1 << 20, 40, true },
};

static void run(const struct row *r)
{
	static struct crowd c;
	uint64_t seed = 88172645463325252, clock = 1000;
	struct imc *imc;

	memset(&c, 0, sizeof c);
	if (r->ddr3)
		imc_config_ddr3(&c.config, r->mts, r->ranks);
	else
		imc_config_ddr4(&c.config, r->mts, r->ranks);
	signal_clock_init(&c.clock, c.config.dram.dclk_khz);
	CHECK_EQ(r->line, imc_new(&c.config, &imc), 0);
	imc_on_credit(imc, wrote, &c, 0);
	for (unsigned i = 0; i < REQUESTS; i++) {
		uint64_t line = check_random(&seed) % r->lines, late = r->late ? check_random(&seed) % r->late : 0;
		uint64_t when = signal_clock_time(&c.clock, clock - late);
		struct imc_read got;

		clock += check_random(&seed) % (2 * r->gap);
		if (check_random(&seed) % 100 < r->write) {
			imc_write(imc, line, when, false);
			continue;
		}
		got = imc_read(imc, line, when);
		if (!got.wpq) {
			uint64_t cas = signal_clocks(&c.clock, got.cas);

			c.column[c.n++] = (struct column){ cas, cas + c.config.dram.t.cl, dram_place(&c.config.dram, line), false };
		}
	}
	CHECK_EQ(r->line, c.n > REQUESTS / 2, 1);
	CHECK_EQ(r->line, check_bus(&c), 0);
	/* Between two reads of a bank there may have been writes: these rows are held to more elsewhere. */
	if (!r->late)	/* else a bank may do two things at once */
		CHECK_EQ(r->line, check_rows(&c), 0);
	imc_free(imc);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		run(r);
	return check_done();
}
