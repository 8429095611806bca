/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power control of all sockets: what state each core and package is in, and how fast cores
 * and uncore run.
 *
 * A halted core is in C1 at once and sinks to C3 and C6 when it has idled for as long as
 * an operating system expects of a core that it sends there.  Waking takes the longer the
 * deeper it slept.  A core whose last stay in a state was too short to be worth its while is
 * demoted the next time: it stays where it is.  A package whose cores all sleep at least in C3
 * waits in C2E for the other packages and for devices to be still, then follows its lightest
 * sleeper:
 *
 *	cores      some run   lightest C1   all C3..C6           all C3..C6     all C6
 *	others         -           -        some not so deep     all so deep    all so deep
 *	package       C0          C1E            C2E                 C3             C6
 *
 * The uncore runs at its working frequency as long as some core of some socket is not deeper
 * than C1 or devices move data, and slowly while all sleep, and until the first core runs.  On
 * hardware the uncore of a socket at rest follows that of a busy one, too.  It may have no clock of its own: then it works
 * at that of the cores, here of all sockets' the fastest.
 *
 * The cores of a socket run at one frequency, the least of what the operating system asks for, the
 * turbo table allows for as many as are awake (an electrical limit), the power budget affords, and the heat
 * permits.  This is looked at every PCU_TICK; heat acts at once.  See clock.c; the uncore's is in
 * uncore.c.
 *
 * Times in picoseconds; they may come slightly out of order, a change then happens at
 * the latest time seen.  A core's way out of its state may be long: others change theirs
 * meanwhile, and what its running changes is told when pcu_advance() has come that far.
 */
#ifndef BXS_UNCORE_POWER_PCU_H
#define BXS_UNCORE_POWER_PCU_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"

enum {
	PCU_MAX_CORES = 18,	/* of a socket, as the events number them */
	PCU_BUDGET = 100000,	/* the power that a socket may draw */
};

#define PCU_TICK UINT64_C(500000000)	/* between looks at the frequency */
#define PCU_RAMP UINT64_C(10000000)	/* for a voltage to change */
#define PCU_RELOCK UINT64_C(5000000)	/* for a clock to change; what it drives stands still */
#define PCU_RING_STOPS UINT64_C(500000)	/* in which nothing gets from links onto a ring */
#define PCU_IO_LINGERS UINT64_C(100000000)	/* after the last access of a device */

/* A sensor's word, for a time. */
enum pcu_condition { PCU_HOT, PCU_OUTSIDE_HOT, PCU_REGULATOR_HOT, PCU_CONDITIONS };

/* Why cores run slower than the operating system asks: a sensor, or one of these limits. */
enum { PCU_SLOW_CURRENT = PCU_CONDITIONS, PCU_SLOW_POWER, PCU_CAUSES };

/* States of cores and packages. */
enum pcu_state { PCU_IN_C0, PCU_IN_C2, PCU_IN_C3, PCU_IN_C6 };

struct pcu;

struct pcu_config {
	unsigned sockets, cores;	/* cores of a socket, at most PCU_MAX_CORES */
	uint32_t work_khz, rest_khz;	/* of the uncore */
	bool shallow;			/* cores that halt stay in C1 */
	bool uncore_with_cores;		/* at work it runs as fast as the fastest socket's cores, whatever work_khz is */
	/* The uncore of all sockets runs at khz from `when` on; may be NULL. */
	void (*uclk)(void *ctx, uint64_t when, uint32_t khz);
	/* The cores of a socket run at khz after standing still from `when` on for PCU_RELOCK; may be NULL. */
	void (*core)(void *ctx, unsigned socket, uint64_t when, uint32_t khz);
	/* Links are shut down from `when` on, or needed again: while all packages are in C3 or C6; may be
	 * NULL. */
	void (*links)(void *ctx, uint64_t when, bool sleep);
	/* The package of a socket is in this state (C1E counts as C0) from `when` on; may be NULL. */
	void (*package)(void *ctx, unsigned socket, uint64_t when, enum pcu_state state);
	void *ctx;
	uint32_t core_khz;		/* what the operating system asks for; they begin with it */
	uint32_t least_khz;		/* of a core; 0: core_khz, and heat changes nothing */
	/* With turbo, limits other than heat are kept: most_khz[n]: with n + 1 cores awake; core_khz may be
	 * the first.  Power, of PCU_BUDGET: `fixed`, and `each` for a core that runs at base_khz; that
	 * grows with the cube of the frequency. */
	bool turbo;
	uint32_t base_khz, most_khz[PCU_MAX_CORES];
	uint32_t fixed, each;
};

/* All cores in C1 and the uncore at rest from time 0 on, which uclk() is not told.  0,
 * BXS_EINVAL or BXS_ENOMEM. */
int pcu_new(const struct pcu_config *config, struct pcu **out);
void pcu_free(struct pcu *p);		/* NULL is allowed */

/* What an uncore with a clock of its own runs at unless it rests. */
uint32_t pcu_work_khz(const struct pcu *p);

/* The port of a socket's box, or NULL; before time moves. */
void pcu_port(struct pcu *p, unsigned socket, struct signal_port *port);

/* The condition holds in all sockets from `from` on for `length`, and again every `period`, if not 0;
 * before `from` has come.  What was expected before is not any more, but a spell that has begun goes on to its end, or into
 * this one. */
void pcu_expect(struct pcu *p, enum pcu_condition condition, uint64_t from, uint64_t length, uint64_t period);

/* Does the cause hold in a socket, and how often has it begun to, as far as pcu_advance() has come. */
struct pcu_cause {
	bool holds;
	uint32_t begun;
};
struct pcu_cause pcu_cause(const struct pcu *p, unsigned socket, unsigned cause);

/* Core c of socket s is number s * cores + c.  It halts at `when`. */
void pcu_halt(struct pcu *p, unsigned core, uint64_t when);
/* It has something to do from `when` on; returns when it runs: advance to then before it does anything. */
uint64_t pcu_wake(struct pcu *p, unsigned core, uint64_t when);

/* How long before `when` a core that sleeps has to begin to wake to run then, if nothing wakes it before. */
uint64_t pcu_wakes_in(const struct pcu *p, unsigned core, uint64_t when);

/* A device moves data at `when`. */
void pcu_io(struct pcu *p, uint64_t when);

/* How long a core (PCU_IN_C3, PCU_IN_C6) or a package (all) was in a state from time 0 to `until`, as
 * far as pcu_advance() has come. */
uint64_t pcu_core_time(const struct pcu *p, unsigned core, enum pcu_state state, uint64_t until);
uint64_t pcu_package_time(const struct pcu *p, unsigned socket, enum pcu_state state, uint64_t until);

/* When something happens by itself; UINT64_MAX: nothing does. */
uint64_t pcu_next(const struct pcu *p);
/* Do what comes before or at `until`. */
void pcu_advance(struct pcu *p, uint64_t until);

#endif
