/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance-monitoring hardware of one family: every register, counter, filter,
 * freeze, overflow and interrupt of n sockets, built from the catalogue.
 *
 * Simulated hardware finds its port with pmu_port() and raises signals on it.  Whoever
 * reads or writes registers first closes time (pmu_close): a register access sees every
 * clock that is closed, takes effect at the moment up to which time is closed, and takes
 * no time itself.
 *
 * Time is machine time in picoseconds since reset.
 */
#ifndef BXS_PMU_H
#define BXS_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "signal/signal.h"

struct pmu;
struct pmu_truth;

#define PMU_TYPES 32	/* box types of a family, at most */

struct pmu_config {
	const struct cat_family *family;
	unsigned sockets;		/* 1..8 */
	unsigned cores;			/* of a socket */
	unsigned cpu_counters;		/* programmable ones of each logical CPU; 0: all that the catalogue knows */
	/* How many boxes of each type a socket has, in the family's order of types; 0: all that
	 * the catalogue knows, PMU_NO_BOX: none.  Of a type whose registers belong to threads
	 * there may be more than in the catalogue, which lists those of one core or thread. */
	uint16_t boxes[PMU_TYPES];
};

#define PMU_NO_BOX UINT16_MAX

/* PMUs out of reset.  0, BXS_EINVAL (impossible numbers) or BXS_ENOMEM. */
int pmu_new(const struct pmu_config *config, struct pmu **out);
void pmu_free(struct pmu *p);		/* NULL is allowed */

/* Reset of the whole machine: registers as after power-on; time goes on. */
void pmu_reset(struct pmu *p);

const struct cat_family *pmu_family(const struct pmu *p);
unsigned pmu_sockets(const struct pmu *p);
/* Boxes of a type in a socket; type counts within the family. */
unsigned pmu_boxes(const struct pmu *p, unsigned type);

/* Signals in. */

/* Where box `box` of a type raises its signals; NULL: there is no such box.  Lives as long as p. */
struct signal_port *pmu_port(struct pmu *p, unsigned socket, const char *type, unsigned box);

/* The clock domain of a socket by name, or NULL; to be changed with pmu_clock_change() only. */
const struct signal_clock *pmu_clock(const struct pmu *p, unsigned socket, const char *name);
/* From `when` on, not before pmu_now(), the domain runs at khz.  0, BXS_ENOENT or BXS_EINVAL. */
int pmu_clock_change(struct pmu *p, unsigned socket, const char *name, uint64_t when,
		     uint32_t khz);

/* A box by its place. */
struct pmu_box {
	unsigned socket, type, box;	/* type counts within the family */
};

/* What is asked for. */

/* Takes what happened n times, with these flags. */
typedef void (*pmu_take_fn)(void *taker, uint64_t flags, uint64_t n);

/*
 * What is known of logical CPUs, the boxes that use `cpu` in the catalogue: nobody tells of it when it happens; it is asked
 * for when a register is read.  `box` is number n of a socket for core n, and behind all cores for their second threads.
 */
struct pmu_source {
	/* Calls take() with all that signal `sig` of the box's type stands for, since reset. */
	void (*totals)(void *ctx, const struct pmu_box *box, unsigned sig, pmu_take_fn take, void *taker);
	/* Is there such a value (XCORE_VALUE_TSC) on this machine?  If not, no register shows it. */
	bool (*has)(void *ctx, unsigned value);
	uint64_t (*value)(void *ctx, const struct pmu_box *box, unsigned value);
	/* Software wrote `written` to the register that shows the value. */
	void (*written)(void *ctx, const struct pmu_box *box, unsigned value, uint64_t written);
};

/* Ask `source`, which lives as long as p, from now on; registers that start with a value of it hold that. */
void pmu_ask(struct pmu *p, const struct pmu_source *source, void *ctx);

/* The box type that uses `cpu`, counted within the family; PMU_TYPES: there is none. */
unsigned pmu_cpu_type(const struct pmu *p);
/* Programmable counters of a logical CPU. */
unsigned pmu_cpu_counters(const struct pmu *p);
/* Why what this control of a logical CPU selects counts nothing (a piece of a sentence); NULL: it counts. */
const char *pmu_cpu_silent(const struct pmu *p, uint64_t control);
/* The counters that hardware counts it with, a bit each, if those are not all; else 0.  Here any counts. */
unsigned pmu_cpu_only(const struct pmu *p, uint64_t control);
/* The name of an MSR of a logical CPU, cut to size; false: it has none of that number. */
bool pmu_cpu_name(const struct pmu *p, uint32_t msr, char *buf, size_t size);

/* Time. */

/* Time is closed up to here. */
uint64_t pmu_now(const struct pmu *p);

/*
 * Nothing more will be told of times before `when`: count it.  Earlier times than
 * pmu_now() change nothing.  Overflows freeze at the end of the clock in which they
 * happen, on all boxes of the socket.  Returns 0 or BXS_ENOMEM (counts were lost).
 */
int pmu_close(struct pmu *p, uint64_t when);

/*
 * A promise that lets counters add at once: the next pmu_close() will not be for a time before
 * `when`.  Without one every occurrence is remembered until it is closed.
 */
void pmu_horizon(struct pmu *p, uint64_t when);

/*
 * Until said again: who closes time beyond `when` may still be told of things from then on, and
 * what looks at clocks in order (thresholds) looks at those again.  UINT64_MAX, as at the
 * start: what is closed is past.
 */
void pmu_late(struct pmu *p, uint64_t when);

/* Do the ports of some socket have to be told of everything at its own time, because an
 * overflow may be near?  Changes with pmu_close() and with writes of registers. */
bool pmu_exact(const struct pmu *p);

/* Registers. */

struct pmu_address {
	enum cat_space space;
	enum cat_bus bus;		/* CAT_PCI only */
	unsigned socket;
	uint32_t base;			/* CAT_PCI: dev << 3 | fn; CAT_PMC, CAT_PMD, CAT_CPU: the thread; else 0 */
	uint32_t offset;
	uint8_t width;			/* bits: 8, 16, 32, 64; CAT_MSR: always 64 */
};

/*
 * OUTCOME_OK; OUTCOME_GP: no such MSR, or a bit that must not be written; OUTCOME_NONE: no such
 * PCI function, reads give all ones, writes are lost.  In a function that exists, what no
 * register covers reads as 0.
 */
enum outcome pmu_read(struct pmu *p, const struct pmu_address *at, uint64_t *value);
enum outcome pmu_write(struct pmu *p, const struct pmu_address *at, uint64_t value);

/* Does a read of this register give, at this moment, what the manual calls undefined? */
bool pmu_undefined(const struct pmu *p, const struct pmu_address *at);

/* Are all boxes of the socket frozen by the register that freezes them together? */
bool pmu_stopped(const struct pmu *p, unsigned socket);

/* The hardware sets a register that software may only read.  0 or BXS_ENOENT. */
int pmu_set(struct pmu *p, const struct pmu_box *box, const char *reg, uint64_t value);

/* Truth. */

/* A register of a box that a counter's selection looks at: all its bits. */
struct pmu_truth_bits {
	uint64_t value;
	uint32_t reg;			/* index into cat_regs */
	uint8_t element, hi, lo;
};

/*
 * What a counter would count if it had no limits: if it alone had the registers of its box, which
 * hold 0 but for what is given here, were never frozen, and had any number of bits.
 */
struct pmu_truth_config {
	struct pmu_box box;
	uint32_t reg;			/* the counter: index into cat_regs */
	unsigned element;
	uint64_t control, counter0;	/* its control; that of counter 0, for what watches it */
	const struct pmu_truth_bits *bits;	/* on top of the presets */
	unsigned bits_count;
	uint32_t worth;			/* of an overflow of a sum that the hardware keeps by itself */
};

/* Count from pmu_now() on.  0, BXS_ENOENT (no such box or counter) or BXS_ENOMEM. */
int pmu_truth_new(struct pmu *p, const struct pmu_truth_config *config, struct pmu_truth **out);
/* What is counted in the clocks that are closed. */
uint64_t pmu_truth_count(const struct pmu_truth *t);
/* Not needed before pmu_free().  NULL is allowed. */
void pmu_truth_free(struct pmu_truth *t);

/* Interrupts. */

struct pmu_interrupt {
	uint64_t when;			/* the clock of the overflow was over */
	uint64_t cores;			/* bit n for core n of the socket */
	unsigned socket;
	bool wake;			/* sleeping cores of the mask are woken first */
	/* An external interrupt of one thread of the socket: its vector, 16 to 255; cores is 0.
	 * 0: a performance monitoring interrupt to cores. */
	uint8_t vector;
	unsigned thread;
};

/* How many interrupts are raised and not yet taken. */
unsigned pmu_pending(const struct pmu *p);
/* Take the oldest interrupt that was raised; false: none is pending. */
bool pmu_take(struct pmu *p, struct pmu_interrupt *out);

/* Names. */

/*
 * "cbo3", "s1.cbo3", "pcu": text of len characters.  The number may be left out when
 * there is one box.  0 or BXS_ENOENT.
 */
int pmu_find_box(const struct pmu *p, const char *text, size_t len, struct pmu_box *out);

/*
 * A register of a box by its whole name (C3_MSR_PMON_CTR0) or the part that tells it apart
 * (CTR0, BOX_CTL, FILTER0).  0 or BXS_ENOENT.
 */
int pmu_find_register(const struct pmu *p, const struct pmu_box *box, const char *text, size_t len,
		      struct pmu_address *out);

/*
 * Does this mask select anything of the event?  Of one without subevents, or whose subevents other registers choose, any
 * mask does.
 */
bool pmu_mask_selects(const struct cat_event *e, uint32_t umask);

/* The console. */

/*
 * Tell a box that an event happened n times in the current clock (level: that it stands at n
 * from now on), as seen by controls that select this event and no other.
 *
 * umask: the subevent it was, NULL for an occurrence that every selection of the event accepts.
 * flags: those of the event's signal that are set, in place of umask's; NULL: umask's.
 * BXS_ENOTSUP: the event counts clocks or what counter 0 counts, and nothing raises it.
 */
int pmu_raise(struct pmu *p, const struct pmu_box *box, const struct cat_event *event,
	      const struct cat_umask *umask, const uint64_t *flags, bool level, uint64_t n,
	      const struct signal_tag *tag);

#endif
