/* SPDX-License-Identifier: BSD-2-Clause */
/* The public session: handing out the readings of an interval. */
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "local/local.h"

struct walk {
	bxs_session *s;
	const struct api_item *item;
	int (*fn)(void *ctx, const struct bxs_reading *r);
	void *ctx;
	int ret;
	bool partial;			/* programs did what is in no reading */
};

static void note_box(void *ctx, unsigned socket, unsigned box)
{
	(void)socket;
	(void)box;
	*(bool *)ctx = true;
}

static bool is_measured(const struct session *s, unsigned event)
{
	bool any = false;

	session_each_box(s, event, note_box, &any);
	return any;
}

bool bxs_session_measurable(const bxs_session *s)
{
	for (unsigned i = 0; s->started && i < s->items; i++) {
		const struct api_item *item = s->item + i;

		if (item->metric ? metric_measurable(item->metric, s->session)
				 : is_measured(s->session, item->event))
			return true;
	}
	return s->items == 0;
}

/* Why an event has no value. */
static const char *reason(const bxs_session *s, unsigned event)
{
	enum session_none none = session_none(s->session, event);
	const struct local *l = s->machine->local;

	if (none == SESSION_NO_ANSWER && l && strcmp(local_way(l), "perf") == 0)
		return "Linux's driver cannot count it; --via direct can";
	return session_none_text(none);
}

static void hand_out(struct walk *w, int socket, int box)
{
	const struct api_item *item = w->item;
	const char *type = item->type < 0 ? "" : cat_str(cat_types[item->type].name);
	struct session_value v;
	char name[40], why[240] = "";

	if (w->ret)
		return;
	if (item->metric)
		metric_value(item->metric, w->s->session, socket, box, &v, why, sizeof why);
	else
		session_value(w->s->session, item->event, socket, box, &v);
	if (!item->metric && v.validity == BXS_NOT_THERE)
		snprintf(why, sizeof why, "%s", reason(w->s, item->event));
	if (box >= 0 && names_boxes(w->s->names, (unsigned)item->type) > 1)
		snprintf(name, sizeof name, "%s%d", type, box);
	else
		snprintf(name, sizeof name, "%s", type);

	if (v.validity < BXS_PARTIAL && w->partial)
		v.validity = BXS_PARTIAL;

	bool none = v.validity >= BXS_NOT_MODELLED;

	struct session_value truth = { .validity = BXS_NOT_THERE };

	if (w->s->config.truth && item->metric)
		metric_truth(item->metric, w->s->session, socket, box, &truth);
	else if (w->s->config.truth)
		session_truth(w->s->session, item->event, socket, box, &truth);

	struct bxs_reading r = {
		.name = item->name, .box = name, .unit = item->unit, .text = item->text, .why = why,
		.value = none ? 0 : v.value, .error = v.validity == BXS_SCALED ? v.error : 0,
		.socket = socket, .metric = item->metric != NULL, .validity = v.validity,
		.has_truth = truth.validity == BXS_EXACT,
		.truth = truth.validity == BXS_EXACT ? truth.value : 0,
	};

	w->ret = w->fn(w->ctx, &r);
}

static void each_box(void *ctx, unsigned socket, unsigned box)
{
	hand_out(ctx, (int)socket, (int)box);
}

static void by_box(struct walk *w)
{
	unsigned event = w->item->metric ? metric_event(w->item->metric) : w->item->event;
	bool boxes = false;

	if (w->item->type >= 0 && event != NAMES_NONE &&
	    session_spec(w->s->session, event)->type == w->item->type) {
		struct session_value v;

		session_value(w->s->session, event, -1, -1, &v);
		/* Where the event's turn has not come, the truth of each box is known all the same. */
		boxes = v.validity == BXS_NOT_THERE ? w->s->config.truth && is_measured(w->s->session, event) :
						      v.validity != BXS_NOT_MODELLED;
	}
	if (boxes)
		session_each_box(w->s->session, event, each_box, w);
	else
		hand_out(w, -1, -1);
}

static void by_socket(struct walk *w)
{
	const struct event_spec *spec =
		w->item->metric ? NULL : session_spec(w->s->session, w->item->event);

	if (spec && spec->socket >= 0)
		hand_out(w, spec->socket, -1);
	else
		for (unsigned i = 0; i < w->s->config.sockets; i++)
			if (!api_spares(w->s, i, -1))
				hand_out(w, (int)i, -1);
}

int bxs_session_each(bxs_session *s, enum bxs_by by,
		     int (*fn)(void *ctx, const struct bxs_reading *r), void *ctx)
{
	struct walk w = { .s = s, .fn = fn, .ctx = ctx, .ret = api_started(s), .partial = api_is_partial(s) };

	for (unsigned i = 0; i < s->items && w.ret == 0; i++) {
		w.item = s->item + i;
		if (by == BXS_BY_SUM)
			hand_out(&w, -1, -1);
		else if (by == BXS_BY_SOCKET)
			by_socket(&w);
		else
			by_box(&w);
	}
	return w.ret;
}

const char *bxs_validity_name(enum bxs_validity v)
{
	switch (v) {
	case BXS_EXACT:
		return "exact";
	case BXS_SCALED:
		return "scaled";
	case BXS_PARTIAL:
		return "partial";
	case BXS_SATURATED:
		return "saturated";
	case BXS_WRAPPED:
		return "wrapped";
	case BXS_NOT_MODELLED:
		return "not-modelled";
	case BXS_NOT_THERE:
		break;
	}
	return "absent";
}
