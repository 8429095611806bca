/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine built from a specification: the simulated hardware, its clocks and
 * memory map, the performance-monitoring hardware, and the wires between.
 *
 * A feed tells the machine what leaves each core (machine_access) and takes back what
 * the uncore asks of private caches (machine_snoops).  Whoever measures reads and
 * writes registers through machine_registers().  Between the two stands machine
 * time: each core has its own, and a register access happens when everything told
 * so far is over (machine_drain).
 *
 * Cores are numbered through the machine: core c of socket s is s * cores + c.  Time
 * is in picoseconds since reset.
 */
#ifndef BXS_MACHINE_H
#define BXS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"
#include "base/error.h"
#include "machine/map.h"
#include "machine/spec.h"
#include "xcore/leave.h"
#include "xcore/xcore.h"

struct machine;
struct pmu;
struct stays;

/* A machine out of reset, all cores idle.  0 or BXS_ENOMEM, BXS_ENOTSUP. */
int machine_new(const struct spec *spec, struct machine **out);
/* The same with registers, counters and clocks, but no hardware that raises signals: for a console. */
int machine_new_bare(const struct spec *spec, struct machine **out);
void machine_free(struct machine *m);		/* NULL is allowed */

const struct spec *machine_spec(const struct machine *m);
struct pmu *machine_pmu(struct machine *m);
unsigned machine_sockets(const struct machine *m);
/* Parts with memory of their own: the sockets, or with cluster-on-die two of each. */
unsigned machine_nodes(const struct machine *m);
unsigned machine_cores(const struct machine *m);	/* of the whole machine */
/* Logical CPUs: core c of socket s is s * cores + c, second threads follow after all cores. */
unsigned machine_cpus(const struct machine *m);
/* Are its cores made for programs of x86-64? */
bool machine_runs_x86(const struct machine *m);
/* Do the cores tell of programs that run on them by the events of their own PMU? */
bool machine_cores_told(const struct machine *m);
/* Is there simulated hardware behind the PMU, so that machine_access() does something? */
bool machine_has_hardware(const struct machine *m);
/* Does the part use that box of a socket?  Registers may answer where it has nothing behind them. */
bool machine_uses(const struct machine *m, unsigned type, unsigned box);

/* Private caches as the cores of this machine have them; leave, ctx and space are for the caller to fill. */
struct xcore_config machine_caches(const struct machine *m);

/* 0, or the error that the run has hit: BXS_ENOMEM, simulated or real memory ran out.  The
 * machine stays usable, but what it counts from there on means nothing. */
int machine_error(const struct machine *m);

/* Somebody is in a hurry: who drives the machine comes back before it is as far as was asked.  Safe in a signal handler. */
void machine_interrupt(struct machine *m);
bool machine_interrupted(const struct machine *m);

/* Feeding. */

/*
 * The records of core `core` from rec on, at least one: to `end`, or until it is at time `limit`.  Returns the first that is
 * left.
 */
const struct leave_record *machine_feed(struct machine *m, unsigned core, const struct leave_record *rec,
					const struct leave_record *end, uint64_t limit);

/*
 * One record of core `core`.  Moves the core's time on by its work and by what of the
 * access it has to wait for.  An idle core wakes at its own time, that of the core
 * fed last or machine_time(), whichever is latest.  Feed the core whose time is smallest: order among cores is the
 * order of calls.
 */
static inline void machine_access(struct machine *m, unsigned core, const struct leave_record *rec)
{
	machine_feed(m, core, rec, rec + 1, 0);
}

/* The host should load what these records will look at: call it some records ahead, of where they lie when they are fed. */
void machine_expect(struct machine *m, unsigned core, const struct leave_record *rec,
		    const struct leave_record *end);

/* How far core `core` is. */
uint64_t machine_core_time(const struct machine *m, unsigned core);

/* The same of what depends on all the data that it has asked for, such as who has seen that it is its turn. */
uint64_t machine_core_answered(const struct machine *m, unsigned core);

/*
 * The core does nothing until `when` (in the state C1, from long idling in C6), then runs
 * on.  If it is already later, one that idles begins to wake, as for an access, and what others do until it runs may be
 * fed before its next record; one that runs goes on.
 */
void machine_idle(struct machine *m, unsigned core, uint64_t when);

/* When a core that sleeps has to begin to wake to run at `when`: its timer is set to do that ahead. */
uint64_t machine_wakes_at(const struct machine *m, unsigned core, uint64_t when);

/* What so many instructions of a core take that waits for nothing: picoseconds. */
uint64_t machine_span(const struct machine *m, unsigned core, uint32_t instructions);

/* The latest time that any core has reached: no core that wakes now does so before it. */
uint64_t machine_latest(const struct machine *m);

/* What the uncore asks of a core's private caches, and where its record lay that had been fed last, or was being fed. */
struct machine_snoop {
	struct leave_snoop snoop;
	const struct leave_record *record;
};

/*
 * Take all that the uncore asks of core's private caches, oldest first; returns how many.  To be
 * applied before the machine is fed again; until then they stay where *out points.
 */
unsigned machine_snoops(struct machine *m, unsigned core, const struct machine_snoop **out);
unsigned machine_snoops_pending(const struct machine *m, unsigned core);
/* Requests for data, code or ownership since reset that found the line modified in another core's caches. */
uint64_t machine_forwards(const struct machine *m);
/* Without private caches to ask (replayed traces): drop snoops instead of keeping them. */
void machine_snoops_drop(struct machine *m, bool drop);

/*
 * See everything that feeds the machine, in order: rec for machine_access(); NULL for a
 * machine_idle() until `sleep` picoseconds after the core's time.  For recording; tap NULL
 * takes it off.
 */
typedef void (*machine_tap_fn)(void *ctx, unsigned core, const struct leave_record *rec,
			       uint64_t sleep);
void machine_tap(struct machine *m, machine_tap_fn tap, void *ctx);

/* Pages of address space `space` that are first touched from now on go to `node`; SPEC_NONE:
 * as the specification says. */
void machine_bind(struct machine *m, unsigned space, uint64_t node);

/* Where pages go that are touched first by what is fed from here on, as the thread that is fed has asked. */
void machine_wish(struct machine *m, struct map_wish wish);
/* The same of some of a space's lines, whoever touches them.  0, or BXS_ENOMEM: there are too many. */
int machine_wish_range(struct machine *m, unsigned space, uint64_t first, uint64_t last, struct map_wish wish);
/* The node of a line's page; MAP_ANY_NODE: it has not been touched. */
uint32_t machine_node_of(struct machine *m, unsigned space, uint64_t line);

/* The physical byte address behind a virtual line, mapping its page if it is new. */
uint64_t machine_translate(struct machine *m, unsigned core, unsigned space, uint64_t line);

/* Keep a record of who stays how long where in the uncore, of all that is told to counters; NULL: no more. */
void machine_stays(struct machine *m, struct stays *stays);

/* Time. */

/* Everything before this is over: what has been told so far cannot change it. */
uint64_t machine_time(const struct machine *m);
/* The latest moment that anything told so far reaches. */
uint64_t machine_horizon(const struct machine *m);
/* Close all clocks up to `until`; idle cores stay idle. */
void machine_advance(struct machine *m, uint64_t until);
/* Close all clocks up to the horizon: what a register access sees is complete. */
void machine_drain(struct machine *m);

/* Registers. */

/* Before an access that software on the machine makes, as clients do: a register of a CPU is accessed by that CPU. */
void machine_visit(struct machine *m, const struct access_address *at);

/* The machine as access.h sees it; lives as long as the machine. */
struct access *machine_registers(struct machine *m);

/*
 * Registers of cores and packages that are no uncore box, read and written on logical CPU `cpu`: core
 * PMU, time stamp counter, clock ratios, energy, temperature, residencies.  OUTCOME_GP: there is no such
 * register, ask the uncore.
 */
enum outcome machine_core_read(struct machine *m, unsigned cpu, uint32_t msr, uint64_t *value);
enum outcome machine_core_write(struct machine *m, unsigned cpu, uint32_t msr, uint64_t value);

/* What such a register is called, "IA32_PERF_GLOBAL_CTRL", cut to size; false: there is none of this number. */
bool machine_core_name(const struct machine *m, uint32_t msr, char *buf, size_t size);

/* Is this MSR the control of a core's programmable counter?  And why does what such a control selects count nothing here
 * (a piece of a sentence)?  NULL: it counts. */
bool machine_core_selects(const struct machine *m, uint32_t msr);
const char *machine_core_silent(const struct machine *m, uint64_t select);
/* The counters that hardware counts it with, a bit each, if that of this control is none of them (here they all count); or 0. */
unsigned machine_core_elsewhere(const struct machine *m, uint32_t msr, uint64_t select);

/* Revision of the microcode, as IA32_BIOS_SIGN_ID has it; 0: the family has none. */
uint32_t machine_microcode(const struct machine *m);
/* Packages count energy in joules over two to the power of this; 0: they do not. */
unsigned machine_energy_unit(const struct machine *m);

#endif
