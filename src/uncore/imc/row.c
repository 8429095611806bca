/* SPDX-License-Identifier: BSD-2-Clause */
/* Changing the row of a bank. */
#include "uncore/imc/row.h"

/* Slow path of imc_row_open(): the row is closed, another is open, or this one will be; or the rank has to do something
 * first. */
UNCORE_INLINE uint64_t change_row(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				  struct imc_found *found, const bool observed)
{
	uint64_t ready = imc_rank_ready(c, p.bank / DRAM_BANKS, at, observed), cas;

	if (observed && ready != at) {
		found->woken = true;
		who = who == IMC_WHO_BYP ? IMC_WHO_RD : who;
	}
	if (__builtin_expect(ready < c->bank[p.bank].act, 0)) {
		cas = imc_past_find(c, p, ready, who, found, observed);
		if (cas)
			return cas;
	}
	return imc_open_behind(c, p, ready, who, found, observed);
}

UNCORE_COLD uint64_t imc_change_row_batched(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
					struct imc_found *found)
{
	return change_row(c, p, at, who, found, false);
}

UNCORE_COLD uint64_t imc_change_row_observed(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
					 struct imc_found *found)
{
	return change_row(c, p, at, who, found, true);
}
