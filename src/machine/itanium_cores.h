/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores of an Itanium machine's first socket, which run the threads of a program.
 *
 * Their cycle 0 is the clock in which the first one begins; their time is that of their clock.  A core without a thread is halted.
 */
#ifndef BXS_MACHINE_ITANIUM_CORES_H
#define BXS_MACHINE_ITANIUM_CORES_H

#include <stdint.h>

#include "machine/machine.h"

struct ia64_processors;
struct itanium_cores;
struct p9500_snoop;

/* All threads of the machine are halted from now on, but for those of cores that run.  0 or BXS_ENOMEM, BXS_ENOTSUP. */
int itanium_cores_new(struct machine *m, struct itanium_cores **out);
void itanium_cores_free(struct itanium_cores *s);	/* NULL is allowed */

/* For the executor until the next call: whom it tells of instructions changes with what is measured. */
const struct ia64_processors *itanium_cores_processors(struct itanium_cores *s);

/* The machine's time goes on to where the core is that is furthest behind; what they have counted reaches the PMU. */
void itanium_cores_keep_up(struct itanium_cores *s);
/* They have no more to do and halt. */
void itanium_cores_end(struct itanium_cores *s);
/* When the program began; how far the core is that is furthest behind, UINT64_MAX: none runs.  In picoseconds. */
uint64_t itanium_cores_began(const struct itanium_cores *s);
uint64_t itanium_cores_time(const struct itanium_cores *s);

/* As struct p9500_config has it. */
bool itanium_cores_snoop(struct itanium_cores *s, const struct p9500_snoop *snoop);

#endif
