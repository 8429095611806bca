/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks that nobody uses: what is told of them. */
#ifndef BXS_UNCORE_IMC_REST_H
#define BXS_UNCORE_IMC_REST_H

#include "uncore/imc/inside.h"

/* The rank has been asleep from `from` on; it wakes at `to`, or sleeps on. */
void imc_slept(struct imc *c, struct imc_rank *r, uint64_t from, uint64_t to, const bool observed);

void imc_tell_ranks(struct imc *c, uint64_t now, const bool observed);

void imc_rank_advance(struct imc *c, uint64_t now, const bool observed);

#endif
