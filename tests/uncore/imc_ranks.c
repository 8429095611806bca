/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every rank by its number, two on a module up to four, four on a module above: lines that fill one row of each bank of
 * each rank are read once, every eighth of them written.
 */
#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { ROW = 128, BANKS = 16, SHARE = ROW * BANKS, RANKS = 8, EVERY = 8 };

static const struct row {
	int line;
	unsigned ranks, numbers;	/* a bit each */
} rows[] = {
	{ LINE, 1, 0x01 }, { LINE, 2, 0x03 }, { LINE, 4, 0x33 }, { LINE, 8, 0xff },
};

static void check_row(const struct row *row)
{
	struct imc_config config;
	unsigned rd[RANKS], all, wr[RANKS], lines = SHARE * row->ranks;
	uint64_t when = 0;
	struct imc *imc;
	struct meter m;

	imc_config_ddr4(&config, 2133, row->ranks);
	meter_init(&m, config.dram.dclk_khz, SIG_IMC_COUNT);
	CHECK_EQ(row->line, imc_new(&config, &imc), 0);
	imc_port(imc, &m.port);
	for (unsigned i = 0; i < RANKS; i++) {
		rd[i] = meter_add(&m, SIG_IMC_CAS, IMC_CAS_RD_REG | IMC_CAS_RANK0 << i);
		wr[i] = meter_add(&m, SIG_IMC_CAS, IMC_CAS_WR | IMC_CAS_RANK0 << i);
	}
	all = meter_add(&m, SIG_IMC_CAS, 0);
	for (unsigned i = 0; i < lines; i++) {
		when += 40000;
		imc_read(imc, i, when);
		if (i % EVERY == 0)
			imc_write(imc, i, when + 1000, false);
	}
	when += UINT64_C(1000000000);
	imc_advance(imc, when);
	meter_close(&m, when);
	for (unsigned i = 0; i < RANKS; i++) {
		bool is = row->numbers >> i & 1;

		CHECK_EQ(row->line, m.sum[rd[i]], is ? SHARE : 0);
		CHECK_EQ(row->line, m.sum[wr[i]], is ? SHARE / EVERY : 0);
	}
	CHECK_EQ(row->line, m.sum[all], lines + lines / EVERY);
	imc_free(imc);
	meter_free(&m);
}

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++)
		check_row(row);
	return check_done();
}
