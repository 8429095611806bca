/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows that a bank had open.  A request may find its bank booked for later: because
 * others that wait for it came first, or because the request itself comes late, as the
 * cores of a simulation run ahead of one another.  It is served before those bookings
 * if it does not hinder them:
 *
 *	bank	| row 3 . . . . . | PRE | row 7 . . . | (closed) | row 5
 *	hit in row 3:         ^
 *	another row:              ^ PRE ACT CAS, if done before the PRE for row 7
 *	between:                                        ^ ACT CAS PRE
 */
#ifndef BXS_UNCORE_IMC_PAST_H
#define BXS_UNCORE_IMC_PAST_H

#include "uncore/imc/signals.h"

UNCORE_INLINE void imc_past_keep(struct imc *c, struct imc_bank *b, uint64_t close)
{
	bool full = b->past == IMC_PAST;

	b->past0 = (uint8_t)(b->past0 + full);
	b->past = (uint8_t)(b->past + !full);
	*imc_past_of(c, (unsigned)(b - c->bank), b->past - 1) = (struct imc_past){
		.start = b->start, .hold = b->pre, .close = close, .row = b->row,
		.act = (uint32_t)(b->act - b->start),
	};
}

uint64_t imc_past_find(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who, struct imc_found *found,
		       const bool observed);

#endif
