/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power control of all sockets: what state each core and package is in.
 *
 * A halted core is in C1 at once and sinks to C3 and C6 when it has idled for as long as
 * an operating system expects of a core that it sends there.  Waking takes the longer the
 * deeper it slept.  A package whose cores all sleep at least in C3 waits in C2E for the
 * other packages, then follows its lightest sleeper:
 *
 *	cores      some run   lightest C1   all C3..C6           all C3..C6     all C6
 *	others         -           -        some not so deep     all so deep    all so deep
 *	package       C0          C1E            C2E                 C3             C6
 *
 * The uncore runs at its working frequency as long as some core of some socket is not deeper
 * than C1, and slowly while all sleep, and until the first core runs.  On hardware the
 * uncore of a socket at rest follows that of a busy one, too.
 *
 * Times in picoseconds; they may come slightly out of order, a change then happens at
 * the latest time seen.
 */
#ifndef BXS_UNCORE_PCU_H
#define BXS_UNCORE_PCU_H

#include <stdint.h>

#include "signal/signal.h"

enum { PCU_MAX_CORES = 18 };		/* of a socket, as the events number them */

struct pcu;

struct pcu_config {
	unsigned sockets, cores;	/* cores of a socket, at most PCU_MAX_CORES */
	uint32_t work_khz, rest_khz;	/* of the uncore */
	/* The uncore of all sockets runs at khz from `when` on; may be NULL. */
	void (*uclk)(void *ctx, uint64_t when, uint32_t khz);
	void *ctx;
};

/* All cores in C1 and the uncore at rest from time 0 on, which uclk() is not told.  0,
 * BXS_EINVAL or BXS_ENOMEM. */
int pcu_new(const struct pcu_config *config, struct pcu **out);
void pcu_free(struct pcu *p);		/* NULL is allowed */

/* The port of a socket's box, or NULL; before time moves. */
void pcu_port(struct pcu *p, unsigned socket, struct signal_port *port);

/* Core c of socket s is number s * cores + c.  It halts at `when`. */
void pcu_halt(struct pcu *p, unsigned core, uint64_t when);
/* It has something to do from `when` on; returns when it runs. */
uint64_t pcu_runs(const struct pcu *p, unsigned core, uint64_t when);	/* ... were it woken */
uint64_t pcu_wake(struct pcu *p, unsigned core, uint64_t when);

/* States whose time is told. */
enum pcu_state { PCU_IN_C0, PCU_IN_C2, PCU_IN_C3, PCU_IN_C6 };

/* How long a core (PCU_IN_C3, PCU_IN_C6) or a package (all) was in a state from time 0 to `until`, as
 * far as pcu_advance() has come. */
uint64_t pcu_core_time(const struct pcu *p, unsigned core, enum pcu_state state, uint64_t until);
uint64_t pcu_package_time(const struct pcu *p, unsigned socket, enum pcu_state state, uint64_t until);

/* When the next core sinks by itself; UINT64_MAX: none does. */
uint64_t pcu_next(const struct pcu *p);
/* Sink what sinks before or at `until`. */
void pcu_advance(struct pcu *p, uint64_t until);

#endif
