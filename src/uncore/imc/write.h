/* SPDX-License-Identifier: BSD-2-Clause */
/* Posted writes and major modes. */
#ifndef BXS_UNCORE_IMC_WRITE_H
#define BXS_UNCORE_IMC_WRITE_H

#include "uncore/imc/hold.h"
#include "uncore/imc/inside.h"

/* How many posted writes have a line with such a number. */
static inline uint8_t *imc_posted_like(struct imc *c, uint64_t line)
{
	return &c->write.like[(line ^ line >> 8) % LEN(c->write.like)];
}

bool imc_find_posted(const struct imc *c, struct dram_place p, uint64_t line);

static inline bool imc_posted(struct imc *c, struct dram_place p, uint64_t line)
{
	return __builtin_expect(*imc_posted_like(c, line) != 0, 0) && imc_find_posted(c, p, line);
}

/* When something is to be done about writes, unless more come. */
static inline void imc_find_calm(struct imc *c)
{
	if (c->write.major || c->write.end || c->rest.self.in)
		c->write.calm = 0;
	else
		c->write.calm = c->write.count ? c->bus.busy + c->cfg.idle_write : imc_self_from(c);
}

void imc_tell_mode(struct imc *c, uint64_t to, const bool observed);

void imc_posted_told_until(struct imc *c, uint64_t now);

/* Slow path of imc_writes_until(). */
void imc_write_until_batched(struct imc *c, uint64_t at);
void imc_write_until_observed(struct imc *c, uint64_t at);

UNCORE_INLINE void imc_write_until(struct imc *c, uint64_t at, const bool observed)
{
	if (observed)
		imc_write_until_observed(c, at);
	else
		imc_write_until_batched(c, at);
}

UNCORE_INLINE void imc_writes_until(struct imc *c, uint64_t at, const bool observed)
{
	if (__builtin_expect(at > c->write.calm, 0))
		imc_write_until(c, at, observed);
}

uint64_t imc_read_mode_batched(struct imc *c, uint64_t at, bool *starved);
uint64_t imc_read_mode_observed(struct imc *c, uint64_t at, bool *starved);

UNCORE_INLINE uint64_t imc_read_mode(struct imc *c, uint64_t at, bool *starved, const bool observed)
{
	return observed ? imc_read_mode_observed(c, at, starved) : imc_read_mode_batched(c, at, starved);
}

void imc_write_advance(struct imc *c, uint64_t now, const bool observed);

#endif
