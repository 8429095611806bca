/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory as clients see it in /dev/mem: the first megabyte and the window of configuration space. */
#ifndef BXS_VIRTUAL_PHYSICAL_H
#define BXS_VIRTUAL_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

#define PHYSICAL_LOW_SIZE (UINT64_C(1) << 20)
#define PHYSICAL_CONFIG UINT64_C(0x80000000)	/* bus 0, device 0, function 0; 4096 bytes each */
#define PHYSICAL_CONFIG_SIZE (UINT64_C(1) << 28)
#define PHYSICAL_END (PHYSICAL_CONFIG + PHYSICAL_CONFIG_SIZE)

/* Nothing of it changes: a client that maps it can have a copy. */
static inline bool physical_is_low(uint64_t at, uint64_t size)
{
	return at < PHYSICAL_LOW_SIZE && size <= PHYSICAL_LOW_SIZE - at;
}

static inline bool physical_is_config(uint64_t at, uint64_t size)
{
	return at >= PHYSICAL_CONFIG && at - PHYSICAL_CONFIG < PHYSICAL_CONFIG_SIZE &&
	       size <= PHYSICAL_CONFIG_SIZE - (at - PHYSICAL_CONFIG);
}

#endif
