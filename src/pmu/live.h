/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a simulated core of an Itanium tells of one of its threads.
 *
 * Events are named by their codes.  While nobody looks at more than their number (pmu_live_plain()) they may be told late and
 * in lumps; else each is told when it happens, with the instruction that it belongs to, once clocks are closed up to then.
 */
#ifndef BXS_PMU_LIVE_H
#define BXS_PMU_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/door.h"

struct core_thread;
struct pmu;

/* Thread `thread` of a socket; NULL: there is none, or the family has no such cores.  It lives as long as the PMU. */
struct core_thread *pmu_live(struct pmu *p, unsigned socket, unsigned thread);

/* From now on it runs, or is halted. */
void pmu_live_run(struct core_thread *t, bool runs);

/* Is all that anybody wants of the core's events their number?  Changes when registers are written and clocks are closed. */
bool pmu_live_plain(const struct core_thread *t);

/* What is told from now on happens then, if clocks are not closed beyond. */
void pmu_live_at(struct core_thread *t, uint64_t when);

/* It has happened n times. */
void pmu_live_count(struct core_thread *t, uint32_t code, uint64_t n);
/* Once in each of so many clocks from now on. */
void pmu_live_span(struct core_thread *t, uint32_t code, uint64_t clocks);
/* n times, for the instruction that d describes (DOOR_RETIRE or DOOR_DATAREF, as the event has it). */
void pmu_live_count_of(struct core_thread *t, uint32_t code, uint64_t n, const struct door *d);

/* An instruction retired, data was referenced, a line fetched, a branch or a check decided: for captures and traces alone. */
void pmu_live_capture(struct core_thread *t, const struct door *d);

#endif
