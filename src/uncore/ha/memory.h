/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent reads and writes its memory channels. */
#ifndef BXS_UNCORE_HA_MEMORY_H
#define BXS_UNCORE_HA_MEMORY_H

#include "uncore/ha/signals.h"

void ha_tell_read(struct ha *ha, struct ha_place at, uint64_t line, const struct imc_read *r, const bool observed);

/* One read of the channel; while nobody listens, only when its data comes is asked for. */
UNCORE_INLINE struct ha_read ha_try_read(struct ha *ha, uint64_t line, uint64_t when, const bool observed)
{
	struct ha_place at = ha_place(ha, line);
	struct imc *imc = ha->cfg.imc[at.channel];
	struct imc_read r;

	if (!observed)
		return (struct ha_read){ .data = imc_read_data(imc, at.line, when) };
	r = imc_read(imc, at.line, when);
	ha_tell_read(ha, at, line, &r, observed);
	return (struct ha_read){ r.data, r.bypass };
}

/* What memory answers may be damaged: then the home agent asks once more.  The eighth time is always right. */
struct ha_read ha_read_again(struct ha *ha, uint64_t line, struct ha_read r, const bool observed);

UNCORE_INLINE struct ha_read ha_read_memory(const struct ha_transaction *w, const bool observed)
{
	struct ha *ha = w->ha;
	struct ha_read r = ha_try_read(ha, w->rq->line, w->in + ha->front, observed);

	if (__builtin_expect(ha->error.below != 0, 0))
		r = ha_read_again(ha, w->rq->line, r, observed);
	if (observed && w->class == HA_CLASS_READ)
		stays_come(ha->stays, STAYS_ANSWERED, ha->port, r.data, 1);
	return r;
}

/* Returns when the write is posted. */
UNCORE_INLINE uint64_t ha_write_memory(struct ha *ha, uint64_t line, uint64_t when, bool partial, const bool observed)
{
	struct ha_place at = ha_place(ha, line);
	struct imc_write r = imc_write(ha->cfg.imc[at.channel], at.line, when, partial);
	struct signal_tag tag = { .addr = line << 6 };
	struct depth *credits = &ha->depth[HA_Q_WPQ_CREDIT + at.channel];
	uint64_t clock;

	if (!observed)
		return r.issued;
	clock = signal_clocks(ha->port->clock, r.issued);
	ha_pulse(ha, SIG_HA_IMC_WRITE, r.issued, partial ? HA_IMC_WRITE_PARTIAL : HA_IMC_WRITE_FULL, &tag, observed);
	if (!r.merged && depth_listen(credits, ha->port, clock, (int)imc_pending_writes(ha->cfg.imc[at.channel]) - 1))
		depth_change(credits, ha->port, clock, 1);
	return r.issued;
}

/* The same for what is no request to write: a line that a snoop brought, bits of the directory. */
void ha_write_aside(struct ha *ha, uint64_t line, uint64_t when, const bool observed);

#endif
