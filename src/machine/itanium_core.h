/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core of an Itanium machine that runs a program: its pipeline (src/icore) between the executor and the machine.
 *
 * The core's cycle 0 is the clock in which it begins; its time is that of its clock.  What it asks of the ring goes to the
 * socket's uncore, what it tells of goes to thread 0 of its PMU.
 */
#ifndef BXS_MACHINE_ITANIUM_CORE_H
#define BXS_MACHINE_ITANIUM_CORE_H

#include <stdint.h>

#include "machine/machine.h"

struct ia64_observer;
struct itanium_core;

/* All threads of the machine are halted from now on, but for those of cores that run.  0 or BXS_ENOMEM, BXS_ENOTSUP. */
int itanium_core_new(struct machine *m, unsigned core, struct itanium_core **out);
void itanium_core_free(struct itanium_core *x);		/* NULL is allowed */

/* Whom to tell of instructions until the next call: it changes with what is measured. */
const struct ia64_observer *itanium_core_observer(struct itanium_core *x);

/* The machine's time goes on to where the core is; what it has counted reaches the PMU. */
void itanium_core_keep_up(struct itanium_core *x);
/* It has no more to do and halts. */
void itanium_core_end(struct itanium_core *x);

#endif
