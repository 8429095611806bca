/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of commands that come into the dispatch queue or are put off before (Zbox of Itanium 9500): those that find
 * the queue full, their rank refreshed, or too hot.  Such a command starves when it has waited for as long as a read waits
 * for the end of write major mode, badly when for twice as long.
 */
#ifndef BXS_UNCORE_IMC_DISPATCH_H
#define BXS_UNCORE_IMC_DISPATCH_H

#include "uncore/imc/inside.h"
#include "uncore/observed.h"

/* Slow paths. */
void imc_tell_insert(struct imc *c, uint64_t k, unsigned bank);
void imc_tell_retry(struct imc *c, uint64_t from, uint64_t to);
void imc_tell_hot(struct imc *c, uint64_t k, unsigned slot);

/* A command for the bank comes into the queue. */
UNCORE_INLINE void imc_insert(struct imc *c, uint64_t k, unsigned bank, const bool observed)
{
	if (observed && signal_watched(c->port, SIG_IMC_DISPATCH))
		imc_tell_insert(c, k, bank);
}

/* A read is in it until k. */
UNCORE_INLINE void imc_inserted_until(struct imc *c, uint64_t k, unsigned bank, const bool observed)
{
	if (observed)
		c->dispatch.until[bank] = imc_max(c->dispatch.until[bank], k);
}

/* The command that is walked is put off. */
UNCORE_INLINE void imc_retry(struct imc *c, uint64_t from, uint64_t to, const bool observed)
{
	if (observed && from < to && (signal_watched(c->port, SIG_IMC_RETRY) || signal_watched(c->port, SIG_IMC_STARVED)))
		imc_tell_retry(c, from, to);
}

#endif
