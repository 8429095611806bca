/* SPDX-License-Identifier: BSD-2-Clause */
/* A living machine, for virtual.c (its registers), virtual_run.c (its time) and virtual_load.c. */
#ifndef BXS_VIRTUAL_PRIVATE_H
#define BXS_VIRTUAL_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "virtual/virtual.h"

struct feed;
struct scenario;

enum { VIRTUAL_OBSERVERS = 4 };

enum virtual_load { VIRTUAL_IDLE, VIRTUAL_KERNEL, VIRTUAL_TRACE, VIRTUAL_SCENARIO, VIRTUAL_PROGRAM };

struct virtual {
	struct machine *machine;
	struct virtual_config config;
	char *load_text;
	enum virtual_load kind;
	struct feed *load;		/* NULL: idle */
	struct scenario *scenario;	/* that load plays; NULL: another kind */
	uint64_t load_began;		/* where the machine was when the load was opened */
	struct cpu_page *page;		/* whose clock is kept; NULL: none */

	pthread_mutex_t lock;		/* over the machine and all below; recursive, for who holds the machine */
	bool held;			/* time stands still for who has the lock */
	atomic_uint waiting;		/* clients that want the lock */
	_Atomic uint64_t asked;		/* wall time at which one last did */
	pthread_t thread;
	bool running;
	atomic_bool stop;

	/* Machine time `anchor` was at wall time `anchor_wall`. */
	uint64_t anchor, anchor_wall;
	uint64_t rested;		/* wall time of the last catching up */
	bool slow;			/* slower than the world even without a load */
	uint64_t promised;		/* then clocks may show that much already */
	uint64_t stood;			/* wall time since when it has stood for a client; 0: it does not */
	uint64_t told;			/* the machine has been run up to here */
	uint64_t slice;			/* picoseconds that take about SLICE_NS of wall time */

	struct {
		virtual_observer_fn fn;
		void *ctx;
	} observer[VIRTUAL_OBSERVERS];
	unsigned observers;
	virtual_intercept_fn intercept;
	void *intercept_ctx;
};

uint64_t virtual_wall_ns(void);
void virtual_enter(struct virtual *v);	/* a client: before the machine's next slice */
void virtual_leave(struct virtual *v);

/* Open the load that the configuration names; for starting it again as well. */
int virtual_open_load(struct virtual *v, char *why, size_t size);
/* The load is over, well or with an error: start it again, or leave the machine idle. */
void virtual_load_ended(struct virtual *v, int err);

/*
 * With the lock: under a load, what a client reads after a sleep belongs to the moment at which the sleep ends, however long this
 * computer keeps the client from running.  virtual_stop(): up to where the machine may run, in picoseconds; UINT64_MAX: anywhere.
 * virtual_stands(): it is there, and stands for now.
 */
uint64_t virtual_stop(const struct virtual *v);
bool virtual_stands(struct virtual *v, uint64_t wall);

/* With the lock: a machine that rests goes on to where the world is. */
void virtual_catch_up(struct virtual *v);

#endif
