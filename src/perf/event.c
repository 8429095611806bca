/* SPDX-License-Identifier: BSD-2-Clause */
/* An event that is open: its times, and what reading and the requests of ioctl() do. */
#include <errno.h>
#include <string.h>

#include "perf/perf_private.h"

enum { PS_OF_NS = 1000 };

uint64_t perf_now(const struct perf *p)
{
	return p->config.now(p->config.ctx);
}

/* A leader that is off has its siblings off. */
static int effective(const struct perf_event *e)
{
	return e->leader->state <= PERF_OFF ? e->leader->state : e->state;
}

void perf_event_times(struct perf_event *e, uint64_t now)
{
	uint64_t passed = now > e->stamp ? now - e->stamp : 0;

	if (effective(e) >= PERF_WAITING)
		e->enabled += passed;
	if (effective(e) >= PERF_ACTIVE)
		e->running += passed;
	e->stamp = now > e->stamp ? now : e->stamp;
}

void perf_event_state(struct perf_event *e, int state, uint64_t now)
{
	perf_event_times(e, now);
	if (e->leader == e && (e->state < 0) != (state < 0))
		for (struct perf_event *s = e->siblings; s; s = s->next)
			perf_event_times(s, now);
	e->state = state;
}

static void bring_up(struct perf_event *e, uint64_t now)
{
	if (e->state == PERF_ACTIVE)
		e->context->ops->update(e);
	perf_event_times(e, now);
}

/* Value, and what else of an event the format wants; how many words. */
static unsigned put_event(const struct perf_event *e, uint64_t format, uint64_t *out)
{
	unsigned n = 0;

	out[n++] = e->count;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			out[n++] = e->enabled / PS_OF_NS;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			out[n++] = e->running / PS_OF_NS;
	}
	if (format & PERF_FORMAT_ID)
		out[n++] = e->id;
	if (format & PERF_FORMAT_LOST)
		out[n++] = 0;		/* of samples, of which there are none */
	return n;
}

static unsigned siblings_of(const struct perf_event *leader)
{
	unsigned n = 0;

	for (const struct perf_event *s = leader->siblings; s; s = s->next)
		n++;
	return n;
}

static size_t read_size(const struct perf_event *e)
{
	uint64_t f = e->attr.read_format;
	size_t each = 1 + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST);
	size_t once = !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (f & PERF_FORMAT_GROUP)
		return (1 + once + each * (1 + siblings_of(e->leader))) * sizeof(uint64_t);
	return (once + each) * sizeof(uint64_t);
}

static void read_group(struct perf_event *leader, uint64_t format, uint64_t *out, uint64_t now)
{
	unsigned n = 0;

	bring_up(leader, now);
	for (struct perf_event *s = leader->siblings; s; s = s->next)
		bring_up(s, now);
	out[n++] = 1 + siblings_of(leader);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out[n++] = leader->enabled / PS_OF_NS;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out[n++] = leader->running / PS_OF_NS;
	n += put_event(leader, format, out + n);
	for (struct perf_event *s = leader->siblings; s; s = s->next)
		n += put_event(s, format, out + n);
}

long perf_event_read(struct perf_event *e, void *buf, size_t size)
{
	struct perf *p = e->perf;
	long got;

	perf_enter(p);
	got = (long)read_size(e);
	if (e->state == PERF_ERROR) {
		got = 0;
	} else if (size < (size_t)got) {
		got = -ENOSPC;
	} else if (e->attr.read_format & PERF_FORMAT_GROUP) {
		read_group(e->leader, e->attr.read_format, buf, perf_now(p));
	} else {
		bring_up(e, perf_now(p));
		put_event(e, e->attr.read_format, buf);
	}
	perf_leave(p);
	return got;
}

static void reset(struct perf_event *e)
{
	bring_up(e, perf_now(e->perf));
	e->count = 0;
}

/* One event, or with the flag all of its group. */
static long each(struct perf_event *e, uint64_t arg, void (*act)(struct perf_event *e))
{
	if (!(arg & PERF_IOC_FLAG_GROUP)) {
		act(e);
		return 0;
	}
	act(e->leader);
	for (struct perf_event *s = e->leader->siblings; s; s = s->next)
		act(s);
	return 0;
}

/* Redirecting to nobody; nobody has a buffer, so that somebody's is never right.  Which descriptors are events the caller knows. */
static long set_output(uint64_t arg)
{
	return (int)arg == -1 ? 0 : -EINVAL;
}

static long modify(const struct perf_event *e, const void *in)
{
	struct perf_event_attr a;
	uint32_t size;

	memcpy(&size, (const char *)in + offsetof(struct perf_event_attr, size), sizeof size);
	memcpy(&a.type, in, sizeof a.type);
	if (size && size < PERF_ATTR_SIZE_VER0)
		return -E2BIG;
	return a.type != e->attr.type ? -EINVAL : -EOPNOTSUPP;
}

static long request_of(struct perf_event *e, unsigned request, uint64_t arg, const void *in, void *out)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		return each(e, arg, perf_context_enable);
	case PERF_EVENT_IOC_DISABLE:
		return each(e, arg, perf_context_disable);
	case PERF_EVENT_IOC_RESET:
		return each(e, arg, reset);
	case PERF_EVENT_IOC_ID:
		memcpy(out, &e->id, sizeof e->id);
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(arg);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify(e, in);
	/* Nothing samples, nothing is a tracepoint, and there is no buffer. */
	case PERF_EVENT_IOC_REFRESH:
	case PERF_EVENT_IOC_PERIOD:
	case PERF_EVENT_IOC_SET_FILTER:
	case PERF_EVENT_IOC_SET_BPF:
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
	case PERF_EVENT_IOC_QUERY_BPF:
		return -EINVAL;
	default:
		return -ENOTTY;
	}
}

long perf_event_ioctl(struct perf_event *e, unsigned request, uint64_t arg, const void *in, void *out)
{
	struct perf *p = e->perf;
	long answer;

	perf_enter(p);
	answer = request_of(e, request, arg, in, out);
	perf_leave(p);
	return answer;
}
