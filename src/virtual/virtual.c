/* SPDX-License-Identifier: BSD-2-Clause */
/* A living machine: its making, and its registers under the lock. */
#include "virtual/virtual_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "feed/feed.h"
#include "machine/machine.h"

enum {
	BUS_NUMBERS = 5 << 3 | 0,	/* the function of the I/O bus that knows the socket's bus numbers */
	CPUBUSNO = 0x108,
};

static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

int virtual_new(struct machine *m, const struct virtual_config *config, struct virtual **out,
		char *why, size_t size)
{
	struct virtual *v = calloc(1, sizeof *v);
	int err;

	if (size)
		why[0] = '\0';
	if (!v)
		return BXS_ENOMEM;
	v->machine = m;
	v->config = *config;
	v->slice = 1000000;
	v->told = machine_horizon(m);
	if (v->config.ratio == 0)
		v->config.ratio = 1;
	init_lock(&v->lock);
	v->load_text = config->load ? strdup(config->load) : NULL;
	err = config->load && !v->load_text ? BXS_ENOMEM : virtual_open_load(v, why, size);
	if (err < 0) {
		virtual_free(v);
		return err;
	}
	*out = v;
	return 0;
}

void virtual_enter(struct virtual *v)
{
	atomic_fetch_add(&v->waiting, 1);
	atomic_store(&v->asked, virtual_wall_ns());
	pthread_mutex_lock(&v->lock);
	atomic_fetch_sub(&v->waiting, 1);
}

void virtual_leave(struct virtual *v)
{
	pthread_mutex_unlock(&v->lock);
}

struct machine *virtual_machine(const struct virtual *v)
{
	return v->machine;
}

const char *virtual_load(const struct virtual *v)
{
	return v->load_text;
}

unsigned virtual_cpus(const struct virtual *v)
{
	return machine_cpus(v->machine);
}

int virtual_msr(const struct virtual *v, unsigned cpu, uint32_t msr, struct access_address *at)
{
	unsigned cores = machine_cores(v->machine), each = cores / machine_sockets(v->machine);

	if (cpu >= machine_cpus(v->machine))
		return BXS_ENOENT;
	*at = (struct access_address){
		.space = CAT_MSR, .socket = (uint16_t)(cpu % cores / each),
		.thread = (uint16_t)(cpu / cores * each + cpu % each), .offset = msr, .width = 64,
	};
	return 0;
}

struct access_address virtual_function(unsigned socket, enum cat_bus bus, unsigned dev_fn)
{
	return (struct access_address){
		.space = CAT_PCI, .bus = bus, .socket = (uint16_t)socket, .base = dev_fn, .width = 32,
	};
}

int virtual_bus(struct virtual *v, unsigned socket, enum cat_bus bus)
{
	struct access_address at = virtual_function(socket, CAT_BUS_IIO, BUS_NUMBERS);
	uint64_t numbers;
	int err;

	at.offset = CPUBUSNO;
	virtual_enter(v);
	err = access_read(machine_registers(v->machine), &at, &numbers);
	virtual_leave(v);
	if (err < 0)
		return -1;
	return bus == CAT_BUS_IIO ? (int)(numbers & 0xff) : (int)(numbers >> 8 & 0xff);
}

void virtual_observe(struct virtual *v, virtual_observer_fn fn, void *ctx)
{
	if (v->observers == VIRTUAL_OBSERVERS)
		return;
	v->observer[v->observers].fn = fn;
	v->observer[v->observers++].ctx = ctx;
}

void virtual_intercept(struct virtual *v, virtual_intercept_fn fn, void *ctx)
{
	v->intercept = fn;
	v->intercept_ctx = ctx;
}

/* One access, with the lock held; e says which and gets what came of it. */
static void reach(struct virtual *v, struct virtual_event *e)
{
	struct access *registers = machine_registers(v->machine);

	if (!v->intercept || !v->intercept(v->intercept_ctx, v->machine, e, &e->outcome, &e->value))
		e->outcome = e->write ? access_write(registers, e->at, e->value)
				      : access_read(registers, e->at, &e->value);
}

/* The same at the time that it is, before the observers. */
static void perform(struct virtual *v, struct virtual_event *e)
{
	if (!v->held) {
		virtual_catch_up(v);
		machine_drain(v->machine);
	}
	e->time = machine_time(v->machine);
	e->run = v->told;
	machine_visit(v->machine, e->at);
	reach(v, e);
	for (unsigned i = 0; i < v->observers; i++)
		v->observer[i].fn(v->observer[i].ctx, v->machine, e);
}

int virtual_read(struct virtual *v, unsigned pid, const struct access_address *at, uint64_t *value)
{
	struct virtual_event e = { .at = at, .pid = pid };

	virtual_enter(v);
	perform(v, &e);
	virtual_leave(v);
	if (e.outcome == 0)
		*value = e.value;
	return e.outcome;
}

int virtual_peek(struct virtual *v, const struct access_address *at, uint64_t *value)
{
	struct virtual_event e = { .at = at };

	virtual_enter(v);
	reach(v, &e);
	virtual_leave(v);
	if (e.outcome == 0)
		*value = e.value;
	return e.outcome;
}

void virtual_hold(struct virtual *v)
{
	virtual_enter(v);
	virtual_catch_up(v);
	machine_drain(v->machine);
	v->held = true;
}

void virtual_release(struct virtual *v)
{
	v->held = false;
	virtual_leave(v);
}

uint64_t virtual_time(const struct virtual *v)
{
	return machine_time(v->machine);
}

bool virtual_has(struct virtual *v, const struct access_address *function)
{
	struct access_address id = *function;
	uint64_t value;

	id.offset = 0;
	id.width = 32;
	return virtual_peek(v, &id, &value) == 0 && (uint32_t)value != UINT32_MAX;
}

int virtual_write(struct virtual *v, unsigned pid, const struct access_address *at, uint64_t value)
{
	struct virtual_event e = { .at = at, .pid = pid, .write = true, .value = value };

	virtual_enter(v);
	perform(v, &e);
	virtual_leave(v);
	return e.outcome;
}
