/* SPDX-License-Identifier: BSD-2-Clause */
/* A session: what is wanted; its start; how long it may run between reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "measure/session_private.h"

/* Turns begin short, so that a short run has many, and grow with the time measured so far, so
 * that a long one does not spend its time on reading. */
#define TURN_LEAST_PS UINT64_C(5000000)
#define TURN_MOST_PS UINT64_C(1000000000)
#define TURN_SHARE 64
#define TURNS_LEAST 4

static void find_global(struct session *s)
{
	const struct cat_family *f = names_family(s->config.names);

	s->global_ctl = NAMES_NONE;
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		uint32_t reg = names_role(t, CAT_GLOBAL_CTL);

		if (reg == NAMES_NONE)
			continue;

		const struct cat_field *frz = cat_reg_field(cat_regs + reg, "frz_all");
		const struct cat_field *unfrz = cat_reg_field(cat_regs + reg, "unfrz_all");
		const struct cat_field *en = cat_reg_field(cat_regs + reg, "glb_en");

		if ((!frz || !unfrz) && !en)
			continue;
		s->global_ctl = reg;
		s->level = en != NULL;
		if (!en)
			s->frz_all = (struct names_field){ frz->lo, 1 };
		s->unfrz_all = (struct names_field){ en ? en->lo : unfrz->lo, 1 };
	}
}

int session_new(const struct session_config *config, struct session **out)
{
	struct session *s = calloc(1, sizeof *s);

	if (!s)
		return BXS_ENOMEM;
	s->config = *config;
	if (!s->config.nodes)
		s->config.nodes = 1;
	s->core = calloc((size_t)config->sockets * config->cores + 1, sizeof *s->core);
	if (!s->core) {
		free(s);
		return BXS_ENOMEM;
	}
	find_global(s);
	*out = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->wants; i++)
		free(s->want[i].name);
	session_forget_truth(s);
	free(s->want);
	free(s->box);
	free(s->slot);
	free(s->core);
	free(s);
}

static bool same_event(const struct event_spec *a, const struct event_spec *b)
{
	if (a->socket != b->socket || a->box != b->box || a->type != b->type || a->kind != b->kind ||
	    a->group != b->group || a->reg != b->reg || a->element != b->element ||
	    a->control != b->control || a->counters != b->counters || a->settings != b->settings)
		return false;
	for (unsigned i = 0; i < a->settings; i++) {
		const struct event_setting *x = a->setting + i, *y = b->setting + i;

		if (x->reg != y->reg || x->element != y->element || x->hi != y->hi || x->lo != y->lo ||
		    x->value != y->value || x->symbol != y->symbol)
			return false;
	}
	return true;
}

/* Does the event look at what counter 0 counts? */
static bool is_watcher(const struct event_spec *spec)
{
	return spec->kind == EVENT_COUNTED && spec->event != NAMES_NONE &&
	       cat_events[spec->event].binding == CAT_BIND_COUNTER0;
}

/* The occupancy event before it is the one that the watcher means. */
static int find_leader(const struct session *s, const struct event_spec *spec)
{
	for (unsigned i = s->wants; i-- > 0;) {
		const struct event_spec *o = &s->want[i].spec;

		if (o->type == spec->type && o->socket == spec->socket && o->box == spec->box &&
		    o->kind == EVENT_COUNTED && o->counters == 1 && o->group == spec->group &&
		    !is_watcher(o))
			return (int)i;
	}
	return -1;
}

/* Is the event about a part of the hardware ("part=NAME") that this machine has not? */
static bool lacks_part(const struct session *s, const struct event_spec *spec)
{
	const char *part;

	if (!s->config.lacks || spec->kind != EVENT_COUNTED || spec->event == NAMES_NONE)
		return false;
	part = cat_str(cat_events[spec->event].part);
	return *part && s->config.lacks(s->config.lacks_ctx, part, strlen(part));
}

/* Does what the control holds count nothing on this machine, whatever the event? */
static bool is_silent(const struct session *s, const struct event_spec *spec)
{
	return s->config.silent && spec->kind == EVENT_COUNTED &&
	       s->config.silent(s->config.lacks_ctx, spec->type, spec->control);
}

int session_add(struct session *s, const struct event_spec *spec, struct span name,
		unsigned bundle, char *why, size_t size)
{
	struct wanted w = { .spec = *spec, .bundle = bundle, .follows = -1 }, *more;

	if (spec->socket >= (int)s->config.sockets) {
		snprintf(why, size, "%.*s: no socket %d; there %s %u, from 0", (int)name.n, name.s,
			 spec->socket, s->config.sockets == 1 ? "is" : "are", s->config.sockets);
		return BXS_EINVAL;
	}
	if (spec->kind == EVENT_COUNTED && !spec->counters) {
		snprintf(why, size, "%.*s: no counter of the box can count it", (int)name.n, name.s);
		return BXS_EINVAL;
	}
	if (is_watcher(spec)) {
		w.follows = find_leader(s, spec);
		if (w.follows < 0) {
			snprintf(why, size, "%.*s: watches counter 0; ask for an occupancy event of that "
					    "box before it", (int)name.n, name.s);
			return BXS_EINVAL;
		}
	}
	w.absent = lacks_part(s, spec);
	w.silent = w.absent || (s->config.model && (!event_modelled(spec) || is_silent(s, spec)));
	if (w.follows >= 0 && s->want[w.follows].silent)
		w.silent = true;
	for (unsigned i = 0; i < s->wants; i++)
		if (same_event(&s->want[i].spec, spec) && s->want[i].follows == w.follows) {
			s->want[i].spec.loose &= spec->loose;
			return (int)i;
		}
	more = array_grow(s->want, s->wants, &s->wants_room, sizeof *more);
	if (!more)
		return BXS_ENOMEM;
	s->want = more;
	w.name = strndup(name.s, name.n);
	if (!w.name)
		return BXS_ENOMEM;
	s->want[s->wants] = w;
	return (int)s->wants++;
}

const struct event_spec *session_spec(const struct session *s, unsigned event)
{
	return &s->want[event].spec;
}

unsigned session_events(const struct session *s)
{
	return s->wants;
}

const char *session_name(const struct session *s, unsigned event)
{
	return s->want[event].name;
}

/* The greatest increment of an event in one clock. */
static uint64_t greatest_increment(const struct event_spec *spec)
{
	if (spec->kind != EVENT_COUNTED)
		return 1;
	if (spec->event == NAMES_NONE || cat_events[spec->event].max_inc == CAT_ABSENT)
		return 1024;
	return cat_events[spec->event].max_inc ? cat_events[spec->event].max_inc : 1;
}

uint64_t session_wrap_time(const struct session *s, const struct slot *slot)
{
	const struct event_spec *spec = &s->want[slot->event].spec;
	/* Twice the nominal frequency covers every turbo. */
	uint64_t khz = 2 * (uint64_t)cat_clocks[cat_types[spec->type].clock].khz;
	bits_u128 ps = ((bits_u128)1 << slot->width) * 1000000000 / ((bits_u128)khz * greatest_increment(spec));

	return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}

static void find_limits(struct session *s)
{
	s->longest = UINT64_MAX;
	for (unsigned i = 0; i < s->slots; i++) {
		uint64_t wrap = session_wrap_time(s, s->slot + i);

		if (wrap / 2 < s->longest)
			s->longest = wrap / 2;
	}
	s->most_turns = 1;
	for (unsigned i = 0; i < s->boxes; i++)
		if (s->box[i].turns > s->most_turns)
			s->most_turns = s->box[i].turns;
}

void session_untold(struct session *s)
{
	for (unsigned i = 0; s->config.model && i < s->wants; i++) {
		const struct event_spec *spec = &s->want[i].spec;

		if (spec->kind == EVENT_COUNTED && spec->event != NAMES_NONE &&
		    cat_events[spec->event].binding == CAT_BIND_OWN)
			s->want[i].silent = true;
	}
}

uint64_t session_clock(const struct session *s, uint64_t now)
{
	return s->config.clock ? s->config.clock(s->config.lacks_ctx) : now;
}

int session_start(struct session *s, uint64_t now, char *why, size_t size)
{
	int err = session_plan(s, why, size);

	if (err == 0)
		err = session_program(s);
	if (err == 0 && s->config.truth)
		err = session_ask_truth(s);
	if (err < 0)
		return err;
	find_limits(s);
	session_start_cores(s);
	s->running = true;
	s->read_at = s->began = session_clock(s, now);
	return session_unfreeze(s);
}

uint64_t session_step(const struct session *s)
{
	uint64_t turn = s->config.turn;

	if (s->most_turns == 1)
		return s->longest;
	if (!turn)
		turn = (s->read_at - s->began) / TURN_SHARE;
	if (!s->config.turn && turn < TURN_LEAST_PS)
		turn = TURN_LEAST_PS;
	if (!s->config.turn && turn > TURN_MOST_PS)
		turn = TURN_MOST_PS;
	/* Every event has several turns in an interval like the one before. */
	if (!s->config.turn && s->interval && turn > s->interval / ((uint64_t)TURNS_LEAST * s->most_turns))
		turn = s->interval / ((uint64_t)TURNS_LEAST * s->most_turns) + 1;
	return turn < s->longest ? turn : s->longest;
}

unsigned session_most_turns(const struct session *s)
{
	return s->most_turns;
}
