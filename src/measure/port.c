/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a port: which counters see it, what the control says, where the port's registers are. */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/field_private.h"

static bool is_port_register(const struct cat_type *t, const struct cat_reg *r)
{
	return t->ports && (r->count == t->ports || r->count == 2 * t->ports);
}

bool need_is_sub(const struct cat_event *e, unsigned reg)
{
	for (unsigned i = e->sub0; i < (unsigned)e->sub0 + e->subs; i++)
		if (cat_subs[i] == reg)
			return true;
	return false;
}

bool need_ported(const struct cat_event *e)
{
	const struct cat_type *t = cat_types + e->type;

	for (unsigned i = t->reg0; t->ports && i < (unsigned)t->reg0 + t->regs; i++)
		if (is_port_register(t, cat_regs + i) && need_is_sub(e, i))
			return true;
	return false;
}

/* Does the second selection of the port count the event as well?  Not where it is another event's. */
static bool has_second(const struct cat_event *e)
{
	const struct cat_type *t = cat_types + e->type;

	for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events; i++) {
		const struct cat_event *other = cat_events + i;

		if (other->code == e->code + 1 && other->subs == e->subs &&
		    memcmp(cat_subs + other->sub0, cat_subs + e->sub0, e->subs * sizeof *cat_subs) == 0)
			return false;
	}
	return !(e->code & 1);
}

void need_place(const struct apply *a, unsigned reg, struct event_setting *set)
{
	const struct cat_type *t = cat_types + a->spec->type;

	if (a->port < 0 || !is_port_register(t, cat_regs + reg))
		return;
	set->element = (uint8_t)a->port;
	if (cat_regs[reg].count != 2 * t->ports)
		return;
	set->element = (uint8_t)(2 * a->port + (int)(a->e->code & 1));
	set->step = a->spec->second != 0;
}

static int set_port(struct apply *a, unsigned port)
{
	const struct cat_type *t = cat_types + a->spec->type;
	const struct names_type *l = names_layout(a->n, a->spec->type);
	unsigned per = t->ports / t->sets, size = t->counters / t->sets;
	const char *by = cat_str(t->port_field);
	struct event_spec *spec = a->spec;

	a->port = (int)port;
	spec->counters &= (uint32_t)(bits_low(size) << port / per * size);
	spec->second = has_second(a->e) ? UINT64_C(1) << l->ev_sel.lo : 0;
	if (t->port_step) {
		spec->control = names_put_code(l, spec->control, a->e->code + port * t->port_step, a->e->ext);
		return 0;
	}

	const struct cat_field *f = names_field_of(cat_regs + l->ctl, (struct span){ by, strlen(by) });

	spec->control = bits_put(spec->control, f->hi, f->lo, port % per);
	return 0;
}

int need_start(struct apply *a, const struct event_words *w)
{
	a->port = -1;
	if (!a->e || !cat_types[a->e->type].ports)
		return 0;
	for (unsigned i = 0; i < w->fields; i++) {
		const struct event_field *f = w->field + i;
		unsigned ports = cat_types[a->e->type].ports;
		uint64_t port;

		if (f->reg.n || !names_same(f->name, "port"))
			continue;
		if (!need_ported(a->e))
			return event_fail(a->s, f->name.s, BXS_EINVAL, "%s.%s has no port to choose",
					  apply_box(a), cat_str(a->e->name));
		if (!f->value.s || !event_number(f->value, &port) || port >= ports)
			return event_fail(a->s, f->name.s, BXS_EINVAL, "%s: port=%.*s, expected 0 to %u",
					  apply_box(a), (int)f->value.n, f->value.s ? f->value.s : "",
					  ports - 1);
		return set_port(a, (unsigned)port);
	}
	if (need_ported(a->e))
		return w->port >= 0 ? set_port(a, (unsigned)w->port) : 0;
	/* An event of one port: its code says which. */
	if (cat_types[a->e->type].port_step)
		a->port = (int)(a->e->code / cat_types[a->e->type].port_step);
	return 0;
}
