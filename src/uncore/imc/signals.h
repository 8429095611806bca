/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals of a memory channel, raised in observed runs only. */
#ifndef BXS_UNCORE_IMC_SIGNALS_H
#define BXS_UNCORE_IMC_SIGNALS_H

#include "uncore/imc/inside.h"
#include "uncore/observed.h"

UNCORE_INLINE void imc_pulse(struct imc *c, unsigned sig, uint64_t k, uint64_t flags, const bool observed)
{
	if (observed && signal_watched(c->port, sig))
		signal_deliver_pulse(c->port, sig, imc_time(c, k), 1, flags, NULL);
}

/* A command to DRAM. */
UNCORE_INLINE void imc_tell_command(struct imc *c, uint64_t k, uint64_t which, const bool observed)
{
	imc_pulse(c, SIG_IMC_COMMAND, k, which | (c->write.major ? IMC_COMMAND_WRITE : IMC_COMMAND_READ), observed);
}

UNCORE_INLINE void imc_span(struct imc *c, unsigned sig, uint64_t from, uint64_t to, uint64_t flags,
			    const bool observed)
{
	if (observed && signal_watched(c->port, sig) && from < to)
		signal_deliver_span(c->port, sig, imc_time(c, from), imc_time(c, to), 1, flags, NULL);
}

UNCORE_INLINE void imc_state(struct imc *c, unsigned sig, uint64_t from, uint64_t to, uint64_t flags,
			     const bool observed)
{
	if (observed && signal_watched(c->port, sig) && from < to)
		signal_deliver_state(c->port, sig, imc_time(c, from), imc_time(c, to), flags, NULL);
}

/* A request of the home agent for a line, or the answer to it. */
UNCORE_INLINE void imc_tell_request(struct imc *c, uint64_t k, uint64_t which, uint64_t line, const bool observed)
{
	struct signal_tag tag = { .addr = line << 6 };

	if (observed)
		signal_pulse(c->port, SIG_IMC_REQUEST, imc_time(c, k), 1, which, &tag);
}

/* What a line found in its bank. */
UNCORE_INLINE void imc_tell_page(struct imc *c, uint64_t k, enum imc_first first, const bool observed)
{
	static const uint64_t flag[] = {
		[IMC_HIT] = IMC_PAGE_HIT,
		[IMC_EMPTY] = IMC_PAGE_EMPTY,
		[IMC_MISS] = IMC_PAGE_MISS,
	};

	imc_pulse(c, SIG_IMC_PAGE, k, flag[first], observed);
}

UNCORE_INLINE void imc_note_first(struct imc_found *found, enum imc_first first, const bool observed)
{
	if (observed)
		found->first = first;
}

/* A request that came at `from` finds a queue full, until `to`. */
UNCORE_INLINE void imc_tell_full(struct imc *c, uint64_t from, uint64_t to, bool write, const bool observed)
{
	if (!observed || to <= from)
		return;
	imc_pulse(c, SIG_IMC_FULL, from, write ? IMC_FULL_WRITE : IMC_FULL_READ, observed);
	imc_span(c, SIG_IMC_FILL, from, to, write ? IMC_FILL_WRITE : IMC_FILL_READ, observed);
}

/* The queue, which held `level` entries, holds n more from clock k on. */
UNCORE_INLINE void imc_depth(struct imc *c, struct depth *d, uint64_t k, unsigned level, int n, const bool observed)
{
	if (observed && depth_listen(d, c->port, k, (int)level))
		depth_change(d, c->port, k, n);
}

#endif
