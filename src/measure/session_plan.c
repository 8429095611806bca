/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each event of a session is measured: boxes, counters and turns; and why that cannot be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "measure/session_private.h"

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
	struct slot slot = { .event = event, .turn = SESSION_ALWAYS }, *more;
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
	more = array_grow(s->slot, s->slots, &s->slots_room, sizeof *more);
	if (!more)
		return BXS_ENOMEM;
	s->slot = more;
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

/* All write the same bits of a filter, each its own value. */
static void explain_filter(const char *who, const char *so, unsigned at_box,
			   const struct assign_conflict *c, char *why, size_t size)
{
	const struct cat_reg *reg = cat_regs + c->at.reg;
	char field[80], instance[80];

	snprintf(field, sizeof field, "bits %u:%u", c->at.hi, c->at.lo);
	for (unsigned i = 0; i < reg->fields; i++) {
		const struct cat_field *f = cat_fields + reg->field0 + i;

		if (f->attr != CAT_RV && field_differs(f, &c->at, &c->other))
			snprintf(field, sizeof field, "%s", cat_str(f->name));
	}
	snprintf(instance, sizeof instance, "%s", cat_str(reg->name));
	if (reg->count > 1)
		cat_reg_instance(reg, at_box, c->at.element, instance, sizeof instance);
	snprintf(why, size, "%s need different values of %s in %s%s", who, field, instance, so);
}

/* "A, B and C", or "A, B and 3 more". */
static void list_names(const struct session *s, const unsigned *events, const struct assign_conflict *c,
		       char *out, size_t size)
{
	const size_t room = size - sizeof " and 99 more";
	unsigned shown = 0;
	size_t used = 0;

	for (; shown < c->n && shown < ASSIGN_NAMED; shown++) {
		const char *link = shown == 0 ? "" : shown + 1 == c->n ? " and " : ", ";
		int len = snprintf(out + used, room - used, "%s%s", link, s->want[events[c->event[shown]]].name);

		if ((size_t)len >= room - used)
			break;
		used += (size_t)len;
	}
	out[used] = '\0';
	if (shown < c->n)
		snprintf(out + used, size - used, " and %u more", c->n - shown);
}

static void explain(const struct session *s, const unsigned *events, unsigned at_box,
		    const struct assign_conflict *c, int err, char *why, size_t size)
{
	const char *so = err == BXS_ETURNS ? "; they can only be measured in turns" : ", and have to be measured at once";
	unsigned type = s->want[events[c->event[0]]].spec.type;
	char who[300];

	list_names(s, events, c, who, sizeof who);
	switch (c->reason) {
	case ASSIGN_FILTER:
		explain_filter(who, so, at_box, c, why, size);
		return;
	case ASSIGN_COUNTER:
		snprintf(why, size, "%s %s need counter %u%s", who, c->n == 2 ? "both" : "all",
			 c->counter + names_layout(s->config.names, type)->counter0, so);
		return;
	case ASSIGN_CROWD:
		snprintf(why, size, "%s are more than the counters%s that can hold them%s", who,
			 cat_types[type].ports ? " and selections of a port" : "", so);
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
	if (err == BXS_ECONFLICT || err == BXS_ETURNS)
		explain(s, p->list, box, &conflict, err, why, size);
	if (err < 0)
		return err;
	memcpy(p->solved, p->list, n * sizeof *p->list);
	p->solved_n = n;
	return 0;
}

static int add_box(struct session *s, struct plan *p, unsigned n, const struct box *at)
{
	struct box b = *at, *more = array_grow(s->box, s->boxes, &s->boxes_room, sizeof b);
	int err = 0;

	if (!more)
		return BXS_ENOMEM;
	s->box = more;
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

int session_plan(struct session *s, char *why, size_t size)
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
