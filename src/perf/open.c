/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(): the checks of Linux 6.1, in its order, so that the same mistake gets the same answer. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "perf/perf_private.h"

enum {
	FLAGS = PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC,
	MOST_SAMPLES = 100000,		/* perf_event_max_sample_rate */
};

int perf_flags_check(unsigned long flags)
{
	return flags & ~(unsigned long)FLAGS ? -EINVAL : 0;
}

static bool excludes(const struct perf_event_attr *a)
{
	return a->exclude_idle || a->exclude_user || a->exclude_kernel || a->exclude_hv || a->exclude_guest || a->exclude_host;
}

/* What stands before the PMU is asked. */
static int check_call(const struct perf *p, const struct perf_call *call, const struct perf_event *e)
{
	const struct perf_event_attr *a = &e->attr;
	bool task = call->pid != -1 && !(call->flags & PERF_FLAG_PID_CGROUP);

	if (!call->capable && (!a->exclude_kernel || a->namespaces))
		return -EACCES;
	if (a->freq ? a->sample_freq > MOST_SAMPLES : a->sample_period >> 63)
		return -EINVAL;
	if ((call->flags & PERF_FLAG_PID_CGROUP) && (call->pid == -1 || call->cpu == -1))
		return -EINVAL;
	if (call->group_error)
		return call->group_error;
	if (task && call->pid_error)
		return call->pid_error;
	if (task && e->leader->attr.inherit != a->inherit)
		return -EINVAL;
	if ((unsigned)call->cpu >= p->config.cpus && (!task || call->cpu != -1))
		return -EINVAL;
	if ((a->sigtrap && !task) || (a->inherit && a->sample_type & PERF_SAMPLE_READ))
		return -EINVAL;
	return 0;
}

/* The PMU of a type; general names of events are the cores'. */
static const struct perf_pmu *pmu_of(const struct perf *p, uint32_t type)
{
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE)
		type = PERF_TYPE_RAW;
	for (unsigned i = 0; i < p->pmus; i++)
		if (p->pmu[i].type == type)
			return &p->pmu[i];
	return NULL;
}

/* What is a box's own: all of the uncore's events are of a CPU, count everything, and do not sample. */
static int check_uncore(const struct perf_call *call, const struct perf_event *e)
{
	return e->attr.sample_period || call->cpu < 0 ? -EINVAL : 0;
}

/* No process of the machine's could have events of the cores; and there are no interrupts to take samples. */
static int check_cpu(const struct perf_call *call, const struct perf_event *e)
{
	if (call->pid != -1)
		return -ENOENT;
	return e->attr.sample_period ? -EOPNOTSUPP : 0;
}

/* What the PMU says of an event. */
static int init_event(struct perf *p, const struct perf_call *call, struct perf_event *e)
{
	const struct perf_pmu *pmu = pmu_of(p, e->attr.type);
	int err;

	if (!pmu)
		return -ENOENT;
	err = pmu->kind == PERF_UNCORE ? check_uncore(call, e) : check_cpu(call, e);
	if (err < 0)
		return err;
	e->context = perf_context_of(p, pmu, (unsigned)call->cpu);
	if (!e->context->there)
		return -EINVAL;
	err = e->context->ops->init(e);
	if (err == 0 && e->leader != e)
		err = e->context->ops->validate(e->leader, e);
	if (err < 0)
		return err;
	return pmu->kind == PERF_UNCORE && excludes(&e->attr) ? -EINVAL : 0;
}

/* The clock of samples, which a handler of NMIs has to be able to read. */
static bool has_clock(const struct perf_event_attr *a)
{
	return !a->use_clockid || a->clockid == CLOCK_MONOTONIC || a->clockid == CLOCK_MONOTONIC_RAW;
}

static bool same_clock(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->use_clockid == b->use_clockid && (!a->use_clockid || a->clockid == b->clockid);
}

static int check_event(const struct perf_call *call, const struct perf_event *e)
{
	const struct perf_event *leader = e->leader;

	if (call->flags & PERF_FLAG_PID_CGROUP)
		return -EINVAL;
	if (e->attr.aux_output)
		return -EOPNOTSUPP;
	if (!has_clock(&e->attr))
		return -EINVAL;
	if (!call->capable && call->pid == -1)
		return -EACCES;
	if (call->pid != -1)
		return -EINVAL;		/* no process has an uncore */
	if (leader != e && (leader->leader != leader || !same_clock(&leader->attr, &e->attr) || leader->context != e->context ||
			    e->attr.exclusive || e->attr.pinned))
		return -EINVAL;
	/* Nobody has a buffer that another event's output could go to. */
	return call->flags & PERF_FLAG_FD_OUTPUT && call->group ? -EINVAL : 0;
}

static struct perf_event *make(struct perf *p, const struct perf_call *call, int *err)
{
	struct perf_event *e = calloc(1, sizeof *e);

	if (!e) {
		*err = -ENOMEM;
		return NULL;
	}
	e->perf = p;
	e->index = -1;
	*err = perf_attr_take(call, &e->attr);
	e->leader = e;
	e->state = e->attr.disabled ? PERF_OFF : PERF_WAITING;
	return e;
}

/* Finds the event behind group_fd and makes it e's leader.  False: it has been closed since. */
static bool find_leader(struct perf *p, const struct perf_call *call, struct perf_event *e)
{
	struct perf_event *leader = p->events;

	while (leader && leader->id != call->group)
		leader = leader->all_next;
	if (leader && !(call->flags & PERF_FLAG_FD_NO_GROUP))
		e->leader = leader;
	return leader != NULL;
}

int perf_event_new(struct perf *p, const struct perf_call *call, struct perf_event **out)
{
	struct perf_event *e;
	int err = perf_flags_check(call->flags);

	if (err < 0)
		return err;
	e = make(p, call, &err);
	if (!e)
		return err;
	perf_enter(p);
	if (err == 0 && call->group && !find_leader(p, call, e))
		err = -EBADF;
	if (err == 0)
		err = check_call(p, call, e);
	if (err == 0)
		err = init_event(p, call, e);
	if (err == 0)
		err = check_event(call, e);
	if (err == 0) {
		e->id = ++p->last_id;
		e->all_next = p->events;
		p->events = e;
		perf_context_enter(e);
		*out = e;
	}
	perf_leave(p);
	if (err < 0)
		free(e);
	return err;
}

void perf_event_free(struct perf_event *e)
{
	struct perf *p = e->perf;
	struct perf_event **at = &p->events;

	perf_enter(p);
	perf_context_leave(e);
	while (*at != e)
		at = &(*at)->all_next;
	*at = e->all_next;
	perf_leave(p);
	free(e);
}
