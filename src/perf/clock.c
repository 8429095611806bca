/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events of a CPU that the machine knows: its time, and the event that counts nothing. */
#include <errno.h>

#include "perf/perf_private.h"

enum { PS_OF_NS = 1000 };

static int init_event(struct perf_event *e)
{
	switch (e->attr.config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
	case PERF_COUNT_SW_DUMMY:
		return 0;
	default:
		return -ENOENT;
	}
}

static int validate(struct perf_event *leader, struct perf_event *e)
{
	(void)leader, (void)e;
	return 0;
}

static void update(struct perf_event *e)
{
	uint64_t now = perf_now(e->perf) / PS_OF_NS;

	if (e->attr.config != PERF_COUNT_SW_DUMMY)
		e->count += now - e->before;
	e->before = now;
}

static int add(struct perf_event *e)
{
	e->before = perf_now(e->perf) / PS_OF_NS;
	return 0;
}

static void freeze(struct perf_context *c, bool freeze)
{
	(void)c, (void)freeze;
}

const struct perf_ops perf_clock_ops = {
	.init = init_event, .validate = validate, .add = add, .remove = update, .update = update, .freeze = freeze,
};
