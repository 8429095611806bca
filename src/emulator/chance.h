/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers that the program takes from the kernel and the processor: from a seed, where there is one (ring.h, struct ring_chance). */
#ifndef BXS_NATIVE_CHANCE_H
#define BXS_NATIVE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Is there a seed? */
bool native_has_seed(void);

/* Where random numbers are the kernel's or the processor's, two runs may differ: that is told. */
void native_chance_note(void);

/* The next random number; there is a seed. */
uint64_t native_chance(void);

/* Answer a call that takes random numbers: getrandom(), or read() of a device that makes them.  False: it is none, or the kernel is to
 * answer it. */
bool native_chance_call(uint64_t num, const uint64_t arg[6], int64_t *result);

#endif
