/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a time, and for what comes from outside, where the program's clocks are the machine's (clock.h). */
#ifndef BXS_NATIVE_WAIT_FOR_H
#define BXS_NATIVE_WAIT_FOR_H

#include "emulator/turns.h"

/* nanosleep and clock_nanosleep; false: the kernel has that clock. */
bool native_sleep(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], int64_t *result);

/* Until machine time has come to `deadline`, in ns; false: a signal came first. */
bool native_sleep_until(struct native_env *env, struct plugin_core *c, uint64_t deadline);

/*
 * Is who may be at the file's other end not one of the threads that are traced?  Then what comes from there comes in the host's
 * time, which is noted.
 */
bool native_is_outside(int file);
/* Is any of the files that the call (poll, select, epoll_wait and their kin) looks at? */
bool native_looks_outside(uint64_t num, const uint64_t arg[6]);

#endif
