/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds commands back: throttling and self-refresh. */
#ifndef BXS_UNCORE_IMC_HOLD_H
#define BXS_UNCORE_IMC_HOLD_H

#include "uncore/imc/inside.h"
#include "uncore/observed.h"

/* A line wants the rank at `at`: when may it?  Nothing changes until *edge. */
uint64_t imc_allowed(struct imc *c, unsigned slot, uint64_t at, uint64_t *edge);

void imc_tell_throttling(struct imc *c, uint64_t now, const bool observed);

/* From when on the modules refresh themselves, if nothing comes. */
static inline uint64_t imc_self_from(const struct imc *c)
{
	const struct imc_self *s = &c->rest.self;

	if (s->rest == IMC_AWAKE || s->in)
		return IMC_NEVER;
	return imc_max(s->from, c->bus.busy + (s->rest == IMC_DROWSY ? c->cfg.idle_self : 2 * c->cfg.idle_close));
}

void imc_tell_self(struct imc *c, uint64_t to, const bool observed);

/* A request or the package wakes the modules at `at`. */
void imc_leave_self(struct imc *c, uint64_t at, const bool observed);
/* What has happened by itself until `at`. */
void imc_self_until(struct imc *c, uint64_t at, const bool observed);

/* A request comes at `at`: writes that go out before, and the end of self-refresh. */
void imc_prepare_batched(struct imc *c, uint64_t at);
void imc_prepare_observed(struct imc *c, uint64_t at);

UNCORE_INLINE void imc_prepare(struct imc *c, uint64_t at, const bool observed)
{
	if (observed)
		imc_prepare_observed(c, at);
	else
		imc_prepare_batched(c, at);
}

#endif
