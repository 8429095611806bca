/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of power control, shared by its files. */
#ifndef BXS_UNCORE_POWER_INSIDE_H
#define BXS_UNCORE_POWER_INSIDE_H

#include "signal_ids.h"
#include "uncore/power/pcu.h"

enum pcu_depth { PCU_RUNNING, PCU_C1, PCU_C3, PCU_C6, PCU_DEPTHS };
enum pcu_package { PCU_PKG_C0, PCU_PKG_C1E, PCU_PKG_C2E, PCU_PKG_C3, PCU_PKG_C6, PCU_PACKAGES };
enum pcu_limit { PCU_BY_OS, PCU_BY_CURRENT, PCU_BY_POWER, PCU_BY_HEAT, PCU_LIMITS };

enum { PCU_STEP_KHZ = 100000 };	/* what frequencies are multiples of */

/* What happens to a socket by itself, at most once each at a time. */
enum pcu_timer { PCU_AT_SWITCH, PCU_AT_LOCKED, PCU_AT_VOLTAGE, PCU_TIMERS };

struct pcu_socket {
	struct signal_port *port;
	unsigned at[PCU_DEPTHS];	/* cores there */
	enum pcu_package package;
	/* Residency: in this state since, UINT64_MAX when a core is on its way out; before that, in each. */
	uint64_t since, time[PCU_PACKAGES];
	uint64_t entered;		/* its cores are where they sink to */
	unsigned waking;		/* cores that do not yet run */
	uint64_t timer[PCU_TIMERS];	/* UINT64_MAX: off */
	enum pcu_limit limit;
	uint32_t limited[PCU_LIMITS];	/* so often has each become the limit */
	uint32_t khz, next_khz;		/* of its cores, now and after the switch */
	bool rising;			/* the voltage, while it changes */
	bool locking;			/* some clock changes: see PCU_AT_LOCKED */
	uint8_t clock;			/* what is told of its cores' clock, a bit each; see pcu_clock_socket() */
	uint64_t busy, busy_since;	/* core-picoseconds of this tick; counted up to */
};

struct pcu_cpu {
	enum pcu_depth depth;
	uint64_t since, time[PCU_DEPTHS];	/* as of a socket */
	uint64_t wakes;			/* on its way out of its state, it runs from then on; 0: it is not */
	uint8_t clock;			/* what is told of its clock: faster, hot, hot outside, a bit each */
	uint8_t brief, held;		/* states whose last stay was too short; where it was held back: bits */
};

struct pcu_spell {
	uint64_t edge, length, period;	/* when it next begins or ends */
	uint64_t then;			/* when the next begins after one that was expected before it; 0: by period */
	bool on;
	uint32_t begun;			/* so often */
};

struct pcu {
	struct pcu_config config;
	unsigned sockets, cores;	/* cores of a socket */
	uint32_t khz;			/* of the uncore, now */
	bool works;			/* the uncore, or rests */
	uint64_t now;			/* latest change */
	uint64_t next;			/* no core sinks or runs before */
	unsigned waking;		/* cores that do not yet run */
	uint64_t tick;			/* the next look at frequencies */
	uint64_t io_until;		/* devices count as busy until; 0: they are still */
	bool io_holds;			/* and that is why the uncore works */
	bool links_sleep;
	struct pcu_spell spell[PCU_CONDITIONS];
	struct pcu_socket *socket;
	struct pcu_cpu *core;
};

/* A standing level of a socket begins (delta 1) or ends. */
static inline void pcu_level(const struct pcu_socket *s, unsigned sig, uint64_t when, int64_t delta, uint64_t flags)
{
	static const struct signal_tag no_tag;

	if (s->port)
		signal_level(s->port, sig, when, delta, flags, &no_tag);
}

static inline bool pcu_deep(const struct pcu *p, const struct pcu_socket *s)
{
	return s->at[PCU_C3] + s->at[PCU_C6] == p->cores;
}

/* power/clock.c */
void pcu_clock_init(struct pcu *p);
/* A port has been bound: tell it what holds. */
void pcu_clock_port(struct pcu *p, struct pcu_socket *s);
/* Whether core runs, or how fast, has changed: tell. */
void pcu_clock_core(struct pcu *p, unsigned core, uint64_t when);
/* Likewise of the socket. */
void pcu_clock_socket(const struct pcu *p, struct pcu_socket *s, uint64_t when);
/* Cores change their state at `when`. */
void pcu_clock_before(struct pcu_socket *s, uint64_t when);
/* When a clock, a voltage or a sensor changes, or frequencies are looked at. */
uint64_t pcu_clock_next(const struct pcu *p);
/* What happens at pcu_clock_next(). */
void pcu_clock_step(struct pcu *p);
/* power/uncore.c */
void pcu_uncore_port(const struct pcu *p, struct pcu_socket *s);
/* A clock of the socket, the cores' or the uncore's, changes from `when` on; it has. */
void pcu_lock(struct pcu *p, struct pcu_socket *s, uint64_t when);
void pcu_locked(struct pcu *p, struct pcu_socket *s, uint64_t when);
/* The cores' frequency has changed. */
void pcu_uncore_follow(struct pcu *p, uint64_t when);
/* Cores have changed their state. */
void pcu_uncore_after(struct pcu *p, uint64_t when, bool runs);
/* Devices are still. */
void pcu_io_ends(struct pcu *p);
/* pcu.c: the packages' states that follow from where cores are. */
void pcu_packages(struct pcu *p, uint64_t when);

#endif
