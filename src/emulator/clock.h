/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's clocks, where they are the machine's (ring.h, struct ring_clock); without that all is the kernel's. */
#ifndef BXS_NATIVE_CLOCK_H
#define BXS_NATIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/native.h"

/* Are they? */
bool native_has_clock(void);

/* If the call looks at a clock or waits for one, its thread takes turns from here on: only then does it know the time. */
void native_clock_join(const struct native_env *env, uint64_t num, const uint64_t arg[6]);

/* The program begins: an alarm that the process had before runs on. */
void native_clock_start(const struct native_env *env);

/* Answer a call that asks for the time; false: it is none, or of a clock that the kernel has. */
bool native_clock_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);

/* What RDTSC reads. */
uint64_t native_clock_tsc(const struct native_env *env);

/* Does clock `id` run by itself, so that a thread can sleep by it and a timer be set? */
bool native_clock_runs(int32_t id);
/* When such a clock shows `ns`, as native_clock() counts; 0: it has shown that before. */
uint64_t native_clock_when(const struct native_env *env, int32_t id, uint64_t ns);

/* ns of the machine's, or else the host's, CLOCK_MONOTONIC and CLOCK_REALTIME; a time not before the exact one. */
uint64_t native_clock(const struct native_env *env);
uint64_t native_clock_real(const struct native_env *env);

#endif
