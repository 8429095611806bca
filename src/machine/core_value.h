/* SPDX-License-Identifier: BSD-2-Clause */
/* What registers of cores and packages hold that is not simply what was written; for core_source.c. */
#ifndef BXS_MACHINE_CORE_VALUE_H
#define BXS_MACHINE_CORE_VALUE_H

#include "machine/core.h"
#include "signal_ids.h"

enum { CORE_TJ_MAX = 92 };		/* degrees Celsius */

<<<<<<< HEAD
/* What is read: what was written, or what it is now; or what was written, and until then what FIRST says. */
enum core_value_kind {
	VALUE_STORED, VALUE_TSC, VALUE_ADJUST, VALUE_MPERF, VALUE_APERF, VALUE_MICROCODE,
	VALUE_PLATFORM, VALUE_PERF_STATUS, VALUE_THERM, VALUE_PACKAGE_THERM, VALUE_TURBO, VALUE_TURBO1,
	VALUE_TURBO2, VALUE_POWER_UNIT, VALUE_PACKAGE_ENERGY, VALUE_CORES_ENERGY, VALUE_DRAM_ENERGY, VALUE_PACKAGE_INFO, VALUE_DRAM_INFO,
	VALUE_PACKAGE_C2, VALUE_PACKAGE_C3, VALUE_PACKAGE_C6, VALUE_CORE_C3, VALUE_CORE_C6, VALUE_LIMITS,
	VALUE_UNCORE_STATUS, VALUE_FIRST,
	VALUE_PERF_CTL = VALUE_FIRST, VALUE_MISC_ENABLE, VALUE_PACKAGE_LIMIT, VALUE_UNCORE_RATIO,
	VALUE_TSC_AUX,
};

uint64_t core_value_first(const struct machine *m, const struct core_place *at, enum core_value_kind what);
/* What software reads that has written `stored`. */
uint64_t core_value(struct machine *m, const struct core_place *at, enum core_value_kind what, uint64_t stored);
=======
/* A value of xcore.sig, or what a register holds out of reset. */
uint64_t core_value(struct machine *m, const struct core_place *at, unsigned what);
>>>>>>> wip-local
/* core_heat.c: what slows the cores of a package down, now and since software last looked. */
bool core_too_hot(const struct machine *m, unsigned socket);
uint64_t core_heat(const struct machine *m, const struct core_place *at, unsigned what);
void core_heat_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value);
/* Software wrote the register that shows the value. */
void core_value_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value);

#endif
