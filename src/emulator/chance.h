/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers for the program: the kernel's and the processor's, or from a seed if there is one (ring.h, struct ring_chance). */
#ifndef BXS_NATIVE_CHANCE_H
#define BXS_NATIVE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Is there a seed? */
bool native_has_seed(void);

/* The program takes random numbers from the kernel or the processor, so runs may differ: let stat say so. */
void native_chance_note(void);

/* The next random number from the seed.  Call only if native_has_seed(). */
uint64_t native_chance(void);

/* Answer getrandom(), or read() of a random device, from the seed.  False: the call is another one, or there is no seed; the kernel
 * answers then. */
bool native_chance_call(uint64_t num, const uint64_t arg[6], int64_t *result);

#endif
