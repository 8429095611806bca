/* SPDX-License-Identifier: BSD-2-Clause */
/* Feeds the machine with accesses that the caller makes one by one, through the private caches of each core. */
#include "feed/own.h"

#include <stdlib.h>

#include "base/error.h"
#include "feed/caches.h"
#include "machine/arrays.h"

/* Instructions after which the machine hears of them at the latest, and that retire at once. */
enum { TICK = 100, AT_ONCE = 1 << 20, LINE = 64 };

struct own_core {
	struct own *own;
	struct xcore *x;		/* NULL: it has had no access yet */
	bool awake;
};

struct own {
	struct feed feed;
	unsigned users, cores;
	bool prefetch, used;
	struct own_core core[];
};

static unsigned number_of(const struct own_core *c)
{
	return (unsigned)(c - c->own->core);
}

static void leave(void *ctx, const struct leave_record *rec, unsigned n)
{
	struct own_core *c = ctx;

	caches_leave(c->own->feed.machine, number_of(c), c->x, rec, n);
}

static int begin(struct own_core *c)
{
	struct xcore_config config = machine_caches(c->own->feed.machine);

	config.space = arrays_space(0, SPEC_NONE);
	config.tick = TICK;
	config.leave = leave;
	config.ctx = c;
	if (!c->own->prefetch)
		config.prefetch = 0;
	c->own->used = true;
	return xcore_new(&config, &c->x);
}

/* A load whose address came out of the load before waits for it, wherever that was found. */
static void load_after(struct xcore *x, uint64_t addr)
{
	enum xcore_level level = xcore_load(x, addr, 0, LEAVE_DEPENDENT);

	xcore_chained(x, level == XCORE_L1, level == XCORE_L2);
}

static void locked(struct xcore *x, uint64_t addr)
{
	xcore_fence(x);
	xcore_store(x, addr, LEAVE_LOCKED);
	xcore_locked(x, 1);
}

static void touch(struct xcore *x, uint64_t addr, enum own_kind kind)
{
	switch (kind) {
	case OWN_LOAD:
		xcore_load(x, addr, 0, 0);
		break;
	case OWN_LOAD_AFTER:
		load_after(x, addr);
		break;
	case OWN_STORE:
		xcore_store(x, addr, 0);
		break;
	case OWN_LOCKED:
		locked(x, addr);
		break;
	case OWN_FETCH:
		xcore_fetch(x, addr);
		break;
	case OWN_PREFETCH:
		xcore_prefetch(x, addr, XCORE_INTO_BOTH, 0);
		break;
	case OWN_STREAM:
		xcore_stream(x, addr - addr % LINE, LINE);
		break;
	case OWN_FLUSH:
		xcore_evict(x, addr);
		break;
	case OWN_KINDS:
		break;
	}
}

int own_access(struct feed *own, unsigned core, uint64_t addr, enum own_kind kind, uint32_t instructions)
{
	struct own *o = (struct own *)own;
	struct own_core *c = &o->core[core];
	int err = c->x ? 0 : begin(c);

	if (err < 0)
		return err;
	caches_snoop(own->machine, core, c->x);
	c->awake = true;
	while (instructions) {
		uint32_t n = instructions < AT_ONCE ? instructions : AT_ONCE;

		xcore_retire(c->x, n);
		instructions -= n;
	}
	touch(c->x, addr, kind);
	return machine_error(own->machine);
}

static void halt(struct own_core *c)
{
	if (c->awake)
		caches_halt(c->own->feed.machine, number_of(c), c->x);
	c->awake = false;
}

int own_idle(struct feed *own, unsigned core, uint64_t when)
{
	struct own_core *c = &((struct own *)own)->core[core];
	int err = c->x ? 0 : begin(c);

	if (err < 0)
		return err;
	caches_snoop(own->machine, core, c->x);
	if (when == UINT64_MAX) {
		halt(c);
	} else {
		xcore_flush(c->x);
		machine_idle(own->machine, core, when);
		c->awake = true;
	}
	return machine_error(own->machine);
}

static void stop(struct feed *own)
{
	struct own *o = (struct own *)own;

	for (unsigned i = 0; i < o->cores; i++)
		halt(&o->core[i]);
}

void own_forget(struct feed *own)
{
	struct own *o = (struct own *)own;

	stop(own);
	for (unsigned i = 0; i < o->cores; i++)
		if (o->core[i].x)
			xcore_clear(o->core[i].x);
}

bool own_used(const struct feed *own)
{
	return ((const struct own *)own)->used;
}

void own_prefetch(struct feed *own, bool on)
{
	((struct own *)own)->prefetch = on;
}

/* Time passes without accesses: cores that are behind have slept. */
static int run(struct feed *own, uint64_t until)
{
	struct own *o = (struct own *)own;
	int err = until == UINT64_MAX ? BXS_EINVAL : 0;

	for (unsigned i = 0; i < o->cores && err == 0; i++)
		if (o->core[i].awake && machine_core_time(own->machine, i) < until)
			err = own_idle(own, i, until);
	return err < 0 ? err : FEED_MORE;
}

static const char *why(struct feed *own)
{
	return machine_error(own->machine) < 0 ? NULL : "accesses of the caller's own have no end to run to: give a time";
}

static void leave_it(struct feed *own)
{
	struct own *o = (struct own *)own;

	if (--o->users)
		return;
	for (unsigned i = 0; i < o->cores; i++)
		xcore_free(o->core[i].x);
	free(o);
}

static const struct feed_ops own_ops = { .run = run, .close = leave_it, .why = why, .stop = stop };

int own_open(struct machine *m, struct feed **out)
{
	unsigned cores = machine_cores(m);
	struct own *o = calloc(1, sizeof *o + cores * sizeof o->core[0]);

	if (!o)
		return BXS_ENOMEM;
	*o = (struct own){ .feed = { .ops = &own_ops, .machine = m }, .users = 1, .cores = cores, .prefetch = true };
	for (unsigned i = 0; i < cores; i++)
		o->core[i].own = o;
	*out = &o->feed;
	return 0;
}

struct feed *own_share(struct feed *own)
{
	((struct own *)own)->users++;
	return own;
}
