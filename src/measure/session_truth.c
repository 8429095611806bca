/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The truth beside the readings: for each event on each box the machine is asked what a counter
 * without limits would have shown.  No counter is used for it, and turns, freezes and widths do
 * not touch it.
 */
#include "base/error.h"
#include "measure/session_private.h"

/* The bits of filters and the like that the event needs, on the box's socket. */
static void add_bits(const struct session *s, const struct event_spec *spec, unsigned way,
		     unsigned socket, struct access_bits *bits, unsigned *n)
{
	for (unsigned i = 0; i < spec->settings && *n < ACCESS_BITS; i++) {
		struct event_setting set = event_setting_way(spec->setting + i, way);

		bits[(*n)++] = (struct access_bits){
			.value = event_setting_value(&set, socket, s->config.sockets, s->config.nodes), .reg = set.reg,
			.element = set.element, .hi = set.hi, .lo = set.lo,
		};
	}
}

static int ask(struct session *s, const struct box *b, struct slot *slot)
{
	const struct wanted *w = s->want + slot->event;
	const struct names_type *l = names_layout(s->config.names, b->type);
	struct access_bits bits[ACCESS_BITS];
	struct access_question q = {
		.type = b->type, .socket = b->socket, .box = b->number, .bits = bits,
		.reg = w->spec.reg, .element = w->spec.element, .control = w->spec.control + slot->way * w->spec.second,
		.worth = w->spec.scale,
	};

	if (w->spec.kind == EVENT_COUNTED) {
		q.reg = l->ctr;
		q.element = slot->counter;
	}
	add_bits(s, &w->spec, slot->way, b->socket, bits, &q.bits_count);
	if (w->follows >= 0) {
		const struct event_spec *leader = &s->want[w->follows].spec;

		q.counter0 = leader->control;
		add_bits(s, leader, 0, b->socket, bits, &q.bits_count);
	}
	return s->config.access->ops->truth->open(s->config.access, &q, &slot->answer);
}

int session_ask_truth(struct session *s)
{
	int err = s->config.access->ops->truth ? 0 : BXS_ENOTSUP;

	for (unsigned i = 0; i < s->boxes && err == 0; i++) {
		const struct box *b = s->box + i;

		for (unsigned k = b->slot0; k < b->slot0 + b->slots && err == 0; k++)
			err = ask(s, b, s->slot + k);
	}
	return err;
}

void session_read_truth(struct session *s)
{
	struct access *a = s->config.access;

	for (unsigned i = 0; i < s->slots; i++) {
		struct slot *slot = s->slot + i;
		uint64_t before = slot->truth;

		if (!slot->answer)
			continue;
		slot->truth = a->ops->truth->count(a, slot->answer);
		if (s->paused)
			slot->truth0 += slot->truth - before;
	}
}

int session_watch(struct session *s, char *why, size_t size)
{
	int err = session_plan(s, why, size);

	return err < 0 ? err : session_ask_truth(s);
}

void session_look(struct session *s)
{
	session_read_truth(s);
}

void session_forget_truth(struct session *s)
{
	struct access *a = s->config.access;

	for (unsigned i = 0; i < s->slots; i++)
		if (s->slot[i].answer)
			a->ops->truth->close(a, s->slot[i].answer);
}

void session_truth(const struct session *s, unsigned event, int socket, int box,
		   struct session_value *out)
{
	const struct wanted *w = s->want + event;
	struct session_value v = {
		.validity = w->silent && !w->absent ? BXS_NOT_MODELLED : BXS_NOT_THERE,
	};

	for (unsigned i = 0; i < s->boxes && !w->silent; i++) {
		const struct box *b = s->box + i;

		if (b->type != w->spec.type || (socket >= 0 && socket != b->socket) ||
		    (box >= 0 && box != b->number))
			continue;
		for (unsigned k = b->slot0; k < b->slot0 + b->slots; k++) {
			if (s->slot[k].event != event || !s->slot[k].answer)
				continue;
			v.validity = BXS_EXACT;
			v.value += (double)(s->slot[k].truth - s->slot[k].truth0);
		}
	}
	*out = v;
}
