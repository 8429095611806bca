/* SPDX-License-Identifier: BSD-2-Clause */
/* Where built-in kernels have their arrays, so that devices can work on the same ones. */
#ifndef BXS_MACHINE_ARRAYS_H
#define BXS_MACHINE_ARRAYS_H

#include <stdint.h>

#include "machine/spec.h"

enum { ARRAYS_NODES = 8, ARRAYS_DATA = 24 };

/* Where array n starts: far apart, and not on the same cache sets. */
#define ARRAYS_START(n) (UINT64_C(0x100000000000) + (n) * UINT64_C(0x10000000000) + (n) * UINT64_C(0x5000))

/* The address space of the arrays number `data`, at most ARRAYS_DATA, on a node; SPEC_NONE: on no certain one. */
static inline uint8_t arrays_space(uint64_t data, uint64_t node)
{
	return (uint8_t)(data * (ARRAYS_NODES + 1) + (node == SPEC_NONE ? 0 : 1 + node));
}

#endif
