/* SPDX-License-Identifier: BSD-2-Clause */
/* A fixed generator, so that a failing round fails again. */
#ifndef BXS_TEST_DRAW_H
#define BXS_TEST_DRAW_H

#include <stdint.h>

static uint32_t seed = 12345;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

#endif
