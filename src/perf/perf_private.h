/* SPDX-License-Identifier: BSD-2-Clause */
/* Events, the contexts that they are scheduled in, and boxes; for the files of this folder. */
#ifndef BXS_PERF_PRIVATE_H
#define BXS_PERF_PRIVATE_H

#include <linux/perf_event.h>
#include <pthread.h>

#include "perf/perf.h"

enum {
	PERF_COUNTERS = 12,		/* of a box or a CPU, fixed ones included */
	PERF_PARTS = 8,			/* of a filter */
	PERF_FIXED_EVENT = 0xff,	/* the config that means the fixed counter */
};

enum perf_state { PERF_ERROR = -2, PERF_OFF = -1, PERF_WAITING = 0, PERF_ACTIVE = 1 };

struct perf_context;

/* What an event puts into the filter of its box. */
struct perf_extra {
	bool used;
	unsigned parts;			/* FIELDS: which; BANDS: the band's number */
	unsigned held;			/* which of them (BANDS, others: whether) the event holds in the box */
	uint64_t config1, config2;
};

struct perf_event {
	struct perf *perf;
	struct perf_context *context;
	struct perf_event_attr attr;
	uint64_t id;
	struct perf_event *leader;	/* itself, if it is no sibling */
	struct perf_event *siblings;	/* of a leader: the first */
	struct perf_event *next;	/* sibling, or leader in the context */
	struct perf_event *all_next;
	int state;			/* enum perf_state */
	uint64_t stamp, enabled, running;	/* picoseconds: up to when the two are summed */
	uint64_t count, before;		/* so far; of the counter when it was last read */
	int index;			/* counter; -1: none */
	uint64_t control;		/* without the enable */
	bool fixed;
	struct perf_extra extra;
};

/* The filter of a box as the events on it want it. */
struct perf_shared {
	unsigned refs[PERF_PARTS];
	uint64_t config1, config2;
};

/* What a PMU of a CPU can do. */
struct perf_ops {
	/* What of attr the PMU makes something of: 0 or -errno. */
	int (*init)(struct perf_event *e);
	/* Could leader's group with e have counters at once?  0 or -EINVAL. */
	int (*validate)(struct perf_event *leader, struct perf_event *e);
	/* For perf_counters_add() and its kin: which counters, fixed ones last; start and stop on e->index. */
	uint32_t (*allowed)(const struct perf_event *e);
	void (*start)(struct perf_event *e);
	void (*stop)(struct perf_event *e);
	int (*add)(struct perf_event *e);	/* 0: it counts */
	void (*remove)(struct perf_event *e);	/* it no longer does; count is up to date */
	void (*update)(struct perf_event *e);	/* count */
	void (*freeze)(struct perf_context *c, bool freeze);
};

/* One PMU of one CPU: a box of a socket. */
struct perf_context {
	struct perf *perf;
	const struct perf_pmu *pmu;
	const struct perf_ops *ops;
	unsigned socket, cpu;
	unsigned counters, fixed;
	bool there;
	bool initialised;		/* the box control has its first values */
	struct perf_event *leaders;	/* in the order of their turns; pinned ones first */
	struct perf_event *on[PERF_COUNTERS];	/* as they were added */
	unsigned ons;
	struct perf_shared shared;
	bool turn;			/* some did not fit */
	uint64_t turned, looked;	/* time of the last turn, of the last look at the counters */
};

struct perf {
	struct perf_config config;
	pthread_mutex_t lock;
	struct perf_pmu *pmu;
	unsigned pmus, room;
	struct perf_context *context;	/* those of a PMU, by sockets or CPUs, from first_context[PMU] on */
	unsigned *first_context, contexts;
	struct perf_event *events;
	uint64_t last_id;
};

/* perf.c: everything happens between these two. */
void perf_enter(struct perf *p);
void perf_leave(struct perf *p);

/* attr.c */

/* The structure of the caller as the kernel takes it; 0 or -errno. */
int perf_attr_take(const struct perf_call *call, struct perf_event_attr *out);

/* pmus.c */

int perf_find_pmus(struct perf *p);		/* 0 or BXS_ENOMEM */
/* Where events of a CPU are scheduled. */
struct perf_context *perf_context_of(struct perf *p, const struct perf_pmu *pmu, unsigned cpu);
/* Where element i of a register of a box is. */
struct access_address perf_place(const struct perf_context *c, const struct cat_reg *r, unsigned i);
const struct cat_reg *perf_register(const struct cat_pmu *pmu, enum cat_role role);	/* NULL: it has none */

/* event.c */

/* e's time up to `now`. */
void perf_event_times(struct perf_event *e, uint64_t now);
/* A new state, from `now` on; of a leader also its siblings' times. */
void perf_event_state(struct perf_event *e, int state, uint64_t now);
uint64_t perf_now(const struct perf *p);

/* context.c */

void perf_context_enter(struct perf_event *e);	/* a new event: into its context, and on a counter if it is enabled */
void perf_context_leave(struct perf_event *e);	/* its siblings stand alone from then on */
void perf_context_enable(struct perf_event *e);
void perf_context_disable(struct perf_event *e);
bool perf_context_tick(struct perf_context *c, uint64_t now);	/* true: some wait */

/* box.c */

extern const struct perf_ops perf_box_ops;

/* core.c, clock.c */

extern const struct perf_ops perf_core_ops, perf_clock_ops;

/* assign.c: the members of struct perf_ops for what counts in counters. */

int perf_counters_validate(struct perf_event *leader, struct perf_event *e);
int perf_counters_add(struct perf_event *e);
void perf_counters_remove(struct perf_event *e);

/* filter.c */

/* What the event wants of the filter of its box. */
void perf_filter_init(struct perf_event *e);
/* Hold it; false: another event wants it differently. */
bool perf_filter_take(struct perf_event *e, struct perf_shared *s, bool fake);
void perf_filter_drop(struct perf_event *e, struct perf_shared *s);
/* Write what all want to the registers. */
void perf_filter_write(const struct perf_event *e);

#endif
