/* SPDX-License-Identifier: BSD-2-Clause */
/* What the search for turns asks of one turn: for assign*.c only. */
#ifndef BXS_MEASURE_ASSIGN_PRIVATE_H
#define BXS_MEASURE_ASSIGN_PRIVATE_H

#include "measure/assign.h"

/* Can the n events of list be counted in one turn?  Then counter[i] and way[i] are for list[i]. */
bool assign_fits(const struct assign_want *want, const unsigned *list, unsigned n, uint8_t *counter,
		 uint8_t *way);
bool assign_pair_fits(const struct assign_want *want, unsigned a, unsigned b);

/*
 * Say why the events of list cannot share a turn: the first two that cannot, with all others that each of them keeps
 * out for the same reason; or as few events as are too many.
 */
void assign_explain(const struct assign_want *want, const unsigned *list, unsigned n,
		    struct assign_conflict *why);

#endif
