/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a session: what is wanted, where it is measured, on which counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Room for one more element of `size` bytes. */
static int grow(void *array, unsigned used, unsigned *room, size_t size)
{
	void **a = array;
	unsigned more = *room ? *room * 2 : 16;
	void *p;

	if (used < *room)
		return 0;
	p = realloc(*a, more * size);
	if (!p)
		return BXS_ENOMEM;
	*a = p;
	*room = more;
	return 0;
}

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
	if (spec->kind != EVENT_COUNTED || spec->event == NAMES_NONE)
		return false;

	const struct cat_event *e = cat_events + spec->event;

	return e->binding == CAT_BIND_COUNTER0 || strcmp(cat_str(e->name), "COUNTER0_OCCUPANCY") == 0;
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
	struct span part;

	if (!s->config.lacks || spec->kind != EVENT_COUNTED || spec->event == NAMES_NONE)
		return false;
	part = names_key(cat_events[spec->event].keys, "part");
	return part.s && s->config.lacks(s->config.lacks_ctx, part.s, part.n);
}

int session_add(struct session *s, const struct event_spec *spec, struct span name,
		unsigned bundle, char *why, size_t size)
{
	struct wanted w = { .spec = *spec, .bundle = bundle, .follows = -1 };

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
	w.silent = w.absent || (s->config.model && !event_modelled(spec));
	if (w.follows >= 0 && s->want[w.follows].silent)
		w.silent = true;
	for (unsigned i = 0; i < s->wants; i++)
		if (same_event(&s->want[i].spec, spec) && s->want[i].follows == w.follows) {
			s->want[i].spec.loose &= spec->loose;
			return (int)i;
		}
	if (grow(&s->want, s->wants, &s->wants_room, sizeof w) < 0)
		return BXS_ENOMEM;
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

bool session_lacks(const struct session *s, unsigned event)
{
	return s->want[event].absent;
}

struct access_address session_address(uint32_t reg, unsigned socket, unsigned box, unsigned i)
{
	struct cat_where at = cat_reg_where(cat_regs + reg, box, i);

	return (struct access_address){
		.space = at.space, .bus = at.bus, .socket = (uint16_t)socket,
		.base = at.base, .offset = at.offset, .width = cat_regs[reg].width,
	};
}

/* Bits that a counter really has. */
static uint8_t counter_width(uint32_t reg)
{
	const struct cat_reg *r = cat_regs + reg;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = cat_fields + r->field0 + i;

		if (f->attr != CAT_RV && f->lo == 0)
			return (uint8_t)(f->hi + 1);
	}
	return r->width;
}

static int add_slot(struct session *s, const struct box *b, unsigned event,
		    const struct assign_place *place)
{
	const struct event_spec *spec = &s->want[event].spec;
	const struct names_type *l = names_layout(s->config.names, spec->type);
	struct slot slot = { .event = event, .turn = SESSION_ALWAYS };
	uint32_t reg = spec->reg;
	unsigned element = spec->element;

	if (spec->kind == EVENT_COUNTED) {
		slot.turn = place->turn;
		slot.counter = (uint8_t)place->counter;
		reg = l->ctr;
		element = place->counter;
	}
	if (spec->rest_reg != NAMES_NONE && spec->kind == EVENT_COUNTED)
		slot.rest = session_address(spec->rest_reg, b->socket, b->number, 0);
	slot.way = (uint8_t)place->way;
	slot.ctr = session_address(reg, b->socket, b->number, element);
	slot.width = counter_width(reg);
	if (grow(&s->slot, s->slots, &s->slots_room, sizeof slot) < 0)
		return BXS_ENOMEM;
	s->slot[s->slots++] = slot;
	return 0;
}

/* Do both settings have the bits of f, with different values? */
static bool field_differs(const struct cat_field *f, const struct event_setting *a,
			  const struct event_setting *b)
{
	return f->lo >= a->lo && f->hi <= a->hi && f->lo >= b->lo && f->hi <= b->hi &&
	       bits_get(a->value << a->lo, f->hi, f->lo) != bits_get(b->value << b->lo, f->hi, f->lo);
}

static void explain(const struct session *s, const unsigned *events, unsigned at_box,
		    const struct assign_conflict *c, char *why, size_t size)
{
	const char *a = s->want[events[c->a]].name, *b = s->want[events[c->b]].name;
	const struct cat_reg *reg;
	char field[80] = "", instance[80];

	switch (c->reason) {
	case ASSIGN_FILTER:
		reg = cat_regs + c->at.reg;
		snprintf(field, sizeof field, "bits %u:%u", c->at.hi, c->at.lo);
		for (unsigned i = 0; i < reg->fields; i++) {
			const struct cat_field *f = cat_fields + reg->field0 + i;

			if (f->attr != CAT_RV && field_differs(f, &c->at, &c->other))
				snprintf(field, sizeof field, "%s", cat_str(f->name));
		}
		snprintf(instance, sizeof instance, "%s", cat_str(reg->name));
		if (reg->count > 1)
			cat_reg_instance(reg, at_box, c->at.element, instance, sizeof instance);
		snprintf(why, size, "%s and %s need different values of %s in %s; "
				    "they can only be measured in turns", a, b, field, instance);
		return;
	case ASSIGN_COUNTER:
		snprintf(why, size, "%s and %s both need counter %u; they can only be measured in turns",
			 a, b, c->counter + names_layout(s->config.names, s->want[events[c->a]].spec.type)->counter0);
		return;
	case ASSIGN_CROWD:
		snprintf(why, size, "%s to %s: the group has more events than counters%s that can hold "
				    "them", a, b, cat_types[s->want[events[c->a]].spec.type].ports ? " and selections of a port" : "");
		return;
	}
}

/* The events that a box measures.  list: room for all. */
static unsigned events_of(const struct session *s, unsigned type, unsigned socket, unsigned box,
			  unsigned *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->wants; i++) {
		const struct event_spec *spec = &s->want[i].spec;

		if (!s->want[i].silent && spec->type == type &&
		    (spec->socket < 0 || spec->socket == (int)socket) &&
		    (spec->box < 0 || spec->box == (int)box))
			list[n++] = i;
	}
	return n;
}

static int place_index(const unsigned *list, unsigned n, int event)
{
	for (unsigned i = 0; i < n; i++)
		if ((int)list[i] == event)
			return (int)i;
	return -1;
}

/* Solved once for boxes that measure the same events. */
struct plan {
	unsigned *list, *solved;	/* of the box at hand, and that the places are for */
	unsigned solved_n, turns;
	struct assign_want *want;
	struct assign_place *place;
};

static int solve(struct session *s, struct plan *p, unsigned n, unsigned box, char *why, size_t size)
{
	struct assign_conflict conflict;
	int err;

	if (n == p->solved_n && memcmp(p->list, p->solved, n * sizeof *p->list) == 0)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		const struct wanted *w = s->want + p->list[i];

		p->want[i] = (struct assign_want){
			.counters = w->spec.counters,
			.follows = place_index(p->list, n, w->follows),
			.two_ways = w->spec.second != 0, .group = w->spec.group, .bundle = w->bundle, .loose = w->spec.loose,
			.settings = w->spec.settings, .setting = w->spec.setting,
		};
	}
	err = assign_counters(p->want, n, s->config.turns, p->place, &p->turns, &conflict);
	if (err == BXS_ECONFLICT)
		explain(s, p->list, box, &conflict, why, size);
	if (err < 0)
		return err;
	memcpy(p->solved, p->list, n * sizeof *p->list);
	p->solved_n = n;
	return 0;
}

static int add_box(struct session *s, struct plan *p, unsigned n, const struct box *at)
{
	struct box b = *at;
	int err = grow(&s->box, s->boxes, &s->boxes_room, sizeof b);

	b.slot0 = s->slots;
	b.turns = p->turns;
	for (unsigned i = 0; i < n && err == 0; i++)
		err = add_slot(s, &b, p->list[i], p->place + i);
	b.slots = s->slots - b.slot0;
	if (err == 0)
		s->box[s->boxes++] = b;
	return err;
}

static int plan_type(struct session *s, struct plan *p, unsigned type, char *why, size_t size)
{
	for (unsigned socket = 0; socket < s->config.sockets; socket++)
		for (unsigned box = 0; box < names_boxes(s->config.names, type); box++) {
			struct box at = { .type = (uint16_t)type, .socket = (uint16_t)socket,
					  .number = (uint16_t)box };
			unsigned n = events_of(s, type, socket, box, p->list);
			int err;

			if (n == 0 || !session_box_there(s, type, socket, box))
				continue;
			err = solve(s, p, n, box, why, size);
			if (err == 0)
				err = add_box(s, p, n, &at);
			if (err < 0)
				return err;
		}
	return 0;
}

static int plan(struct session *s, char *why, size_t size)
{
	const struct cat_family *f = names_family(s->config.names);
	struct plan p = {
		.list = calloc(s->wants + 1, sizeof *p.list),
		.solved = calloc(s->wants + 1, sizeof *p.solved),
		.want = calloc(s->wants + 1, sizeof *p.want),
		.place = calloc(s->wants + 1, sizeof *p.place),
	};
	int err = p.list && p.solved && p.want && p.place ? 0 : BXS_ENOMEM;

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types && err == 0; t++)
		err = plan_type(s, &p, t, why, size);
	free(p.list);
	free(p.solved);
	free(p.want);
	free(p.place);
	return err;
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

int session_start(struct session *s, uint64_t now, char *why, size_t size)
{
	int err = plan(s, why, size);

	if (err == 0)
		err = session_program(s);
	if (err == 0 && s->config.truth)
		err = session_ask_truth(s);
	if (err < 0)
		return err;
	find_limits(s);
	session_start_cores(s);
	s->read_at = s->began = now;
	s->running = true;
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

unsigned session_turns(const struct session *s, unsigned type)
{
	unsigned turns = 1;

	for (unsigned i = 0; i < s->boxes; i++)
		if (s->box[i].type == type && s->box[i].turns > turns)
			turns = s->box[i].turns;
	return turns;
}

unsigned session_most_turns(const struct session *s)
{
	return s->most_turns;
}
