/* SPDX-License-Identifier: BSD-2-Clause */
/* What registers of cores and packages hold that is not simply what was written; for core_source.c. */
#ifndef BXS_MACHINE_CORE_VALUE_H
#define BXS_MACHINE_CORE_VALUE_H

#include "machine/core.h"
#include "signal_ids.h"

enum { CORE_TJ_MAX = 92 };		/* degrees Celsius */

/* A value of xcore.sig, or what a register holds out of reset. */
uint64_t core_value(struct machine *m, const struct core_place *at, unsigned what);
/* core_heat.c: what slows the cores of a package down, now and since software last looked. */
bool core_too_hot(const struct machine *m, unsigned socket);
uint64_t core_heat(const struct machine *m, const struct core_place *at, unsigned what);
void core_heat_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value);
/* Software wrote the register that shows the value. */
void core_value_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value);

#endif
