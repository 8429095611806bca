/* SPDX-License-Identifier: BSD-2-Clause */
/* The public session: what is asked for, what drives the machine, time. */
#include "api/session.h"

#include "api/event_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "feed/own.h"
#include "feed/trace.h"
#include "local/local.h"
#include "measure/names.h"
#include "pmu/pmu.h"

/* Reading registers of a real processor takes microseconds each: shorter turns would be spent on that. */
#define LOCAL_TURN_PS UINT64_C(10000000000)

/* A part of the hardware that a machine may lack has the name of the key of its specification. */
static bool lacks_part(const void *ctx, const char *part, size_t len)
{
	const struct spec *spec = machine_spec(((const bxs_session *)ctx)->machine->machine);

	for (enum spec_key k = 0; k < SPEC_KEY_COUNT; k++) {
		const char *name = spec_key_info(k)->name;

		if (strlen(name) == len && memcmp(name, part, len) == 0)
			return spec->value[k] == 0;
	}
	return false;
}

static bool is_spared(const void *ctx, unsigned socket, unsigned core)
{
	return api_spares(ctx, socket, (int)core);
}

static bool is_unused(const bxs_machine *m, unsigned type, unsigned box)
{
	return m->local ? local_is_fused(m->local, type, box) : !machine_uses(m->machine, type, box);
}

/* NAMES_NONE: the family has no such type. */
static unsigned cpu_type(const bxs_session *s)
{
	unsigned type = pmu_cpu_type(machine_pmu(s->machine->machine));

	return type == PMU_TYPES ? NAMES_NONE : names_family(s->names)->type0 + type;
}

/* A core knows sums, not clocks: a counter mask, an edge or an inversion counts nothing there. */
static bool is_silent(const void *ctx, unsigned type, uint64_t control)
{
	const bxs_session *s = ctx;

	return !s->machine->local && type == cpu_type(s) && machine_core_silent(s->machine->machine, control);
}

static bool is_hollow(const void *ctx, unsigned type, unsigned socket, unsigned box)
{
	const bxs_session *s = ctx;
	int core = -1;

	/* Each thread of a core has such a box: neighbours are one core's, or second threads come behind all first ones. */
	if (type == cpu_type(s))
		core = (int)(box % s->config.cores);
	else if (strcmp(cat_str(cat_types[type].name), "core") == 0)
		core = (int)(box * s->config.cores / names_boxes(s->names, type));
	return is_unused(s->machine, type, box) || api_spares(s, socket, core);
}

static uint64_t local_clock(const void *ctx)
{
	return local_time(((const bxs_session *)ctx)->machine->local);
}

int bxs_session_new(bxs_machine *m, bxs_session **out)
{
	bxs_session *s = calloc(1, sizeof *s);
	int err;

	if (!s)
		return BXS_ENOMEM;
	s->machine = m;
	err = names_new((unsigned)(machine_spec(m->machine)->family - cat_families), &s->names);
	if (err < 0) {
		free(s);
		return err;
	}
	for (unsigned t = 0; t < names_family(s->names)->types; t++)
		if (pmu_boxes(machine_pmu(m->machine), t) > cat_types[names_family(s->names)->type0 + t].boxes)
			names_set_boxes(s->names, names_family(s->names)->type0 + t,
					pmu_boxes(machine_pmu(m->machine), t));
	if (cpu_type(s) != NAMES_NONE)
		names_set_counters(s->names, cpu_type(s), pmu_cpu_counters(machine_pmu(m->machine)));
	s->config = (struct session_config){
		.lacks = m->local ? NULL : lacks_part, .hollow = is_hollow, .silent = is_silent, .spared = is_spared,
		.clock = m->local ? local_clock : NULL, .lacks_ctx = s,
		.access = api_registers(m), .names = s->names,
		.sockets = bxs_sockets(m), .cores = bxs_cores(m),
		.nodes = machine_nodes(m->machine) / bxs_sockets(m), .model = machine_has_hardware(m->machine),
	};
	*out = s;
	return 0;
}

static void free_item(const struct api_item *i)
{
	free(i->name);
	free(i->owned);
	metric_free(i->metric);
}

static int end_record(bxs_session *s)
{
	int err = 0;

	if (!s->writer)
		return 0;
	trace_record_machine(s->machine->machine, NULL);
	err = trace_finish(s->writer);
	s->writer = NULL;
	return err < 0 ? api_fail(s->machine, err, "%s cannot be written: %s", s->record, strerror(errno))
		       : 0;
}

void bxs_session_free(bxs_session *s)
{
	if (!s)
		return;
	if (s->machine->driven == s)
		s->machine->driven = NULL;
	if (s->machine->measuring == s)
		s->machine->measuring = NULL;
	feed_close(s->feed);
	api_child_end(s);
	end_record(s);
	for (unsigned i = 0; i < s->items; i++)
		free_item(s->item + i);
	free(s->item);
	free(s->chosen);
	metric_free(s->lookups);
	session_free(s->watch);
	session_free(s->session);
	names_free(s->names);
	free(s);
}

void bxs_session_turns(bxs_session *s, bool always, uint64_t turn_ns)
{
	s->config.turns = always;
	s->config.turn = turn_ns || !s->machine->local ? turn_ns * 1000 : LOCAL_TURN_PS;
}

void bxs_session_truth(bxs_session *s, bool on)
{
	s->config.truth = on;
}

struct session *api_session(bxs_session *s)
{
	if (!s->session)
		session_new(&s->config, &s->session);
	return s->session;
}

int api_add_item(bxs_session *s, const struct api_item *item)
{
	struct api_item *p = array_grow(s->item, s->items, &s->room, sizeof *p);

	if (!p) {
		free_item(item);
		return BXS_ENOMEM;
	}
	s->item = p;
	s->item[s->items++] = *item;
	return 0;
}

int api_started(const bxs_session *s)
{
	return s->started ? 0 : api_fail(s->machine, BXS_EINVAL, "the session has not been started");
}

int api_open(const bxs_session *s)
{
	return s->started ? api_fail(s->machine, BXS_EINVAL, "the session has been started already") : 0;
}

int api_undriven(const bxs_session *s)
{
	int err = api_simulated(s->machine);

	if (err == 0 && s->feed)
		err = api_fail(s->machine, BXS_EINVAL, "something drives the machine already");
	return err < 0 ? err : api_open(s);
}

int api_feed(const bxs_session *s, int err, const char *why)
{
	return err < 0 ? api_fail(s->machine, err, "%s", *why ? why : bxs_strerror(err)) : 0;
}

int bxs_session_kernel(bxs_session *s, const char *kernel)
{
	char why[400] = "";
	int err = api_undriven(s);

	if (err < 0)
		return err;
	err = kernel_open(s->machine->machine, kernel, &s->feed, why, sizeof why);
	return api_feed(s, err, why);
}

int bxs_session_trace(bxs_session *s, const char *path)
{
	char why[400] = "";
	int err = api_undriven(s);

	if (err < 0)
		return err;
	if (!event_file_is(path))
		return api_feed(s, trace_open(s->machine->machine, path, &s->feed, why, sizeof why), why);
	/* Such a file may raise what the machine's own hardware never does. */
	s->config.model = false;
	err = event_file_open(s->machine, path, &s->feed, why, sizeof why);
	return api_feed(s, err, why);
}

int bxs_session_record(bxs_session *s, const char *path, const char *spec)
{
	int err = api_simulated(s->machine);

	if (err < 0)
		return err;
	err = trace_create(path, machine_cores(s->machine->machine), spec, &s->writer);

	if (err < 0)
		return api_fail(s->machine, err, "%s cannot be written: %s", path, strerror(errno));
	snprintf(s->record, sizeof s->record, "%s", path);
	trace_record_machine(s->machine->machine, s->writer);
	return 0;
}

int bxs_trace_machine(const char *path, char *spec, size_t size, char *why, size_t why_size)
{
	struct trace_reader *r;
	int err;

	if (event_file_is(path))
		return event_file_machine(path, spec, size, why, why_size);
	err = trace_read_open(path, &r, why, why_size);
	if (err < 0)
		return err;
	snprintf(spec, size, "%s", trace_spec(r));
	trace_read_close(r);
	return 0;
}

int bxs_each_kernel(int (*fn)(void *ctx, const char *name, const char *text, const char *keys),
		    void *ctx)
{
	int ret = 0;

	for (unsigned n = 0; kernel_name(n) && ret == 0; n++) {
		char keys[256] = "";
		size_t used = 0;

		for (unsigned k = 0; kernel_key(n, k) && used < sizeof keys; k++)
			used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", used ? " " : "",
						 kernel_key(n, k)->name);
		ret = fn(ctx, kernel_name(n), kernel_about(n), keys);
	}
	return ret;
}

/* What has been told is over: the time at which registers are read. */
static uint64_t now(const bxs_session *s)
{
	if (s->machine->local)
		return local_time(s->machine->local);
	machine_drain(s->machine->machine);
	return machine_time(s->machine->machine);
}

uint64_t api_turn_end(const bxs_session *s)
{
	uint64_t step = session_step(s->session);

	return step > UINT64_MAX - s->read_at ? UINT64_MAX : s->read_at + step;
}

/* Accesses of the embedding program's own, or something that they must not come between. */
static void begin_feed(bxs_session *s)
{
	bxs_machine *m = s->machine;

	s->turn_end = api_turn_end(s);
	if (!s->feed)
		return;
	if (s->feed == m->own) {
		m->measuring = s;
		return;
	}
	m->driven = s;
	if (m->own)
		own_forget(m->own);
}

/* Why registers could not be programmed. */
static const char *reason(const bxs_session *s, int err, const char *why)
{
	if (*why)
		return why;
	return s->machine->local && *local_why(s->machine->local) ? local_why(s->machine->local) : bxs_strerror(err);
}

int bxs_session_start(bxs_session *s)
{
	char why[400] = "";
	int err = api_open(s);

	if (err < 0)
		return err;
	if (!s->feed && machine_has_hardware(s->machine->machine))
		return api_fail(s->machine, BXS_EINVAL, "nothing drives the machine");
	if (!api_session(s))
		return BXS_ENOMEM;
	if (!s->programs || !machine_cores_told(s->machine->machine))
		session_untold(s->session);
	err = api_watch(s);
	if (err < 0)
		return err;
	session_pause(s->session, s->region != NULL);
	s->began = s->read_at = now(s);
	err = session_start(s->session, s->began, why, sizeof why);
	if (err < 0)
		return api_fail(s->machine, err, "%s", reason(s, err, why));
	s->started = true;
	/* Programming may have taken time, which is not measured. */
	s->began = s->read_at = now(s);
	begin_feed(s);
	return api_child_go(s);
}

int bxs_session_read(bxs_session *s)
{
	int err = api_started(s);

	if (err < 0)
		return err;
	s->read_at = now(s);
	err = session_read(s->session, s->read_at);
	s->turn_end = api_turn_end(s);
	return err;
}

int bxs_session_stop(bxs_session *s)
{
	int err = 0, recorded;

	if (s->started && !s->stopped) {
		s->read_at = now(s);
		err = session_stop(s->session, s->read_at);
		s->stopped = true;
		s->turn_end = UINT64_MAX;
	}
	recorded = end_record(s);
	return err < 0 ? err : recorded;
}

/* At a mark of the region: what is before it counts, or what is behind it. */
static int pass_mark(bxs_session *s, bool begins)
{
	int err = 0;

	if (begins ? s->within == 0 : s->within == 1) {
		err = bxs_session_read(s);
		session_pause(s->session, !begins);
	}
	s->entered += begins && s->within == 0;
	if (begins)
		s->within++;
	else if (s->within)
		s->within--;
	return err;
}

int bxs_session_run(bxs_session *s, uint64_t until_ns)
{
	uint64_t end = until_ns > (UINT64_MAX - s->began) / 1000 ? UINT64_MAX : s->began + until_ns * 1000;
	int err = api_started(s);

	if (err < 0)
		return err;
	if (s->machine->local)
		return api_child_run(s, end);
	if (!s->feed)
		return api_fail(s->machine, BXS_EINVAL, "nothing drives the machine");
	while (!s->ended) {
		uint64_t next = api_turn_end(s);
		bool own = next < end, begins;
		int more = feed_run(s->feed, own ? next : end);

		if (more < 0) {
			const char *why = feed_why(s->feed);

			return api_fail(s->machine, more, "%s", why ? why : bxs_strerror(more));
		}
		s->ended = !more;
		if (feed_mark(s->feed, &begins)) {
			err = pass_mark(s, begins);
			if (err < 0)
				return err;
			continue;
		}
		if (machine_interrupted(s->machine->machine))
			break;
		/* All cores may sleep far beyond: then time has to be moved on to there. */
		if (more)
			machine_advance(s->machine->machine, own ? next : end);
		if (!own)
			break;
		err = bxs_session_read(s);
		if (err < 0)
			return err;
	}
	return !s->ended;
}

void bxs_interrupt(bxs_machine *m)
{
	machine_interrupt(m->machine);
}

void bxs_session_next(bxs_session *s)
{
	if (s->started)
		session_clear(s->session);
}

uint64_t bxs_session_ns(const bxs_session *s)
{
	return ((s->machine->local ? s->read_at : machine_horizon(s->machine->machine)) - s->began) / 1000;
}

uint64_t bxs_session_interval_ns(const bxs_session *s)
{
	return s->started ? session_time(s->session) / 1000 : 0;
}
