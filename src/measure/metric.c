/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluating metrics.  Errors of scaled readings go through the arithmetic as if they were
 * independent; a metric is as valid as the worst reading in it.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "measure/metric_private.h"

struct value {
	double value, error;
};

struct evaluation {
	const struct metric *m;
	const struct session *s;
	/* session_value() or session_truth() */
	void (*event_value)(const struct session *s, unsigned event, int socket, int box,
			    struct session_value *out);
	int socket, box;
	enum bxs_validity validity;
	char *why;
	size_t size;
};

static void missing(struct evaluation *e, enum bxs_validity validity, const char *what)
{
	/* The first thing that is missing is the cause of others. */
	if (e->validity >= BXS_NOT_MODELLED)
		return;
	if (e->size)
		snprintf(e->why, e->size, "%s", what);
	e->validity = validity;
}

struct selection {
	int socket, box;
	unsigned count;
};

static void count_box(void *ctx, unsigned socket, unsigned box)
{
	struct selection *sel = ctx;

	if ((sel->socket < 0 || (unsigned)sel->socket == socket) &&
	    (sel->box < 0 || (unsigned)sel->box == box))
		sel->count++;
}

static unsigned count_boxes(const struct session *s, unsigned event, int socket, int box)
{
	struct selection sel = { .socket = socket, .box = box };

	session_each_box(s, event, count_box, &sel);
	return sel.count;
}

unsigned metric_event(const struct metric *m)
{
	return m->terms ? m->event[0] : NAMES_NONE;
}

bool metric_measurable(const struct metric *m, const struct session *s)
{
	for (unsigned i = 0; i < m->terms; i++)
		if (count_boxes(s, m->event[i], -1, -1) == 0)
			return false;
	return true;
}

/* Clocks that one box of a domain saw: the mean of the counters that count them. */
static double clocks(const struct evaluation *e, unsigned event)
{
	struct session_value v;
	unsigned boxes = event == NAMES_NONE ? 0 : count_boxes(e->s, event, e->socket, -1);

	if (!boxes)
		return -1;
	e->event_value(e->s, event, e->socket, -1, &v);
	return v.validity <= BXS_SCALED ? v.value / boxes : -1;
}

/* Boxes over which the events of the scope are summed. */
static double boxes_of(const struct evaluation *e, const struct metric_scope *scope)
{
	bool own = scope->type == e->m->scope[0].type;

	return scope->term == METRIC_TERMS ? 1 : count_boxes(e->s, e->m->event[scope->term], e->socket, own ? e->box : -1);
}

static double seconds(const struct evaluation *e)
{
	return (double)session_time(e->s) / 1e12;
}

static double core_value(struct evaluation *e, enum session_core kind, const char *what)
{
	struct session_value v;

	session_core(e->s, kind, e->socket, &v);
	if (v.validity > BXS_SCALED)
		missing(e, v.validity, what);
	return v.value;
}

static double constant(struct evaluation *e, enum metric_constant which, const struct metric_scope *scope)
{
	double v;

	switch (which) {
	case CONSTANT_BOX_CLOCKS:
		v = clocks(e, scope->clock_event);
		if (v < 0 && scope->type >= 0)	/* no counter for this domain: its nominal frequency */
			v = seconds(e) * 1e3 * cat_clocks[cat_types[scope->type].clock].khz;
		return v * boxes_of(e, scope);
	case CONSTANT_TSC:
	case CONSTANT_INTERVAL:
		if (!session_tsc_mhz(e->s))
			missing(e, BXS_NOT_THERE, "the time stamp counter cannot be read");
		v = (double)session_tsc(e->s);
		return which == CONSTANT_TSC ? v * boxes_of(e, scope) : v;
	case CONSTANT_TSC_MHZ:
		if (!session_tsc_mhz(e->s))
			missing(e, BXS_NOT_THERE, "the frequency of the time stamp counter is not known");
		return session_tsc_mhz(e->s);
	case CONSTANT_UNCORE_MHZ:
		v = clocks(e, e->m->uncore_event);
		if (v < 0)
			missing(e, BXS_NOT_THERE, "the uncore clocks are not counted");
		if (seconds(e) == 0) {
			missing(e, BXS_NOT_THERE, "no time has passed");
			return 0;
		}
		return v / seconds(e) / 1e6;
	case CONSTANT_SECONDS:
		return seconds(e);
	case CONSTANT_INSTRUCTIONS:
		return core_value(e, SESSION_INSTRUCTIONS, "the cores' instructions are not counted");
	case CONSTANT_CYCLES:
		return core_value(e, SESSION_CYCLES, "the cores' clocks are not counted");
	case CONSTANT_GB:
		return 1073741824.0;
	}
	return 0;
}

static struct value one_value(struct evaluation *e, unsigned event)
{
	const struct event_spec *spec = session_spec(e->s, event);
	bool own = e->m->scope[0].type < 0 || spec->type == e->m->scope[0].type;
	struct session_value v;
	char what[200];

	/* A box number selects among boxes of the metric's type only. */
	e->event_value(e->s, event, e->socket, own ? e->box : -1, &v);
	if (v.validity >= BXS_NOT_MODELLED) {
		snprintf(what, sizeof what, "%s.%s%s%s", cat_str(cat_types[spec->type].name),
			 cat_str(spec->event == NAMES_NONE ? cat_regs[spec->reg].name : cat_events[spec->event].name),
			 v.validity == BXS_NOT_MODELLED ? " is " : ": ",
			 v.validity == BXS_NOT_MODELLED ? "not modelled" : session_none_text(session_none(e->s, event)));
		missing(e, v.validity, what);
	} else if (v.validity > e->validity) {
		e->validity = v.validity;
	}
	return (struct value){ v.value, v.error };
}

static struct value event_value(struct evaluation *e, unsigned term)
{
	struct value sum = one_value(e, e->m->event[term]);

	for (unsigned i = 0; i < e->m->parts; i++)
		if (e->m->part[i].term == term) {
			struct value v = one_value(e, e->m->part[i].event);

			sum.value += v.value;
			sum.error = hypot(sum.error, v.error);
		}
	return sum;
}

static struct value combine(struct evaluation *e, enum step_kind kind, struct value a, struct value b)
{
	switch (kind) {
	case STEP_ADD:
		return (struct value){ a.value + b.value, hypot(a.error, b.error) };
	case STEP_SUBTRACT:
		return (struct value){ a.value - b.value, hypot(a.error, b.error) };
	case STEP_MULTIPLY:
		return (struct value){ a.value * b.value,
				       hypot(a.error * b.value, b.error * a.value) };
	case STEP_DIVIDE:
		if (b.value == 0) {
			missing(e, BXS_NOT_THERE, "nothing to divide by: the divisor is 0");
			return (struct value){ 0, 0 };
		}
		return (struct value){ a.value / b.value,
				       hypot(a.error / b.value, b.error * a.value / (b.value * b.value)) };
	default: {
		double scale = pow(10, b.value);

		return (struct value){ round(a.value * scale) / scale, a.error };
	}
	}
}

static void evaluate(struct evaluation *e, struct session_value *out)
{
	struct value stack[METRIC_STEPS + 1] = { { 0, 0 } };
	unsigned top = 0;

	for (unsigned i = 0; i < e->m->steps; i++) {
		const struct step *step = e->m->step + i;

		switch (step->kind) {
		case STEP_NUMBER:
			stack[top++] = (struct value){ step->number, 0 };
			break;
		case STEP_EVENT:
			stack[top++] = event_value(e, step->index);
			break;
		case STEP_CONSTANT:
			stack[top++] = (struct value){ constant(e, step->index, e->m->scope + step->scope), 0 };
			break;
		case STEP_NEGATE:
			stack[top - 1].value = -stack[top - 1].value;
			break;
		default:
			top--;
			stack[top - 1] = combine(e, step->kind, stack[top - 1], stack[top]);
		}
	}
	/* Numbers of an equation may be of any size: 1e300 * 1e300. */
	if (!isfinite(stack[0].value) || !isfinite(stack[0].error)) {
		missing(e, BXS_NOT_THERE, "the result is too large for a number");
		stack[0] = (struct value){ 0, 0 };
	}
	*out = (struct session_value){ stack[0].value, stack[0].error, e->validity };
}

void metric_value(const struct metric *m, const struct session *s, int socket, int box,
		  struct session_value *out, char *why, size_t size)
{
	struct evaluation e = { .m = m, .s = s, .event_value = session_value, .socket = socket,
				.box = box, .why = why, .size = size };

	if (size)
		*why = '\0';
	evaluate(&e, out);
}

void metric_truth(const struct metric *m, const struct session *s, int socket, int box,
		  struct session_value *out)
{
	struct evaluation e = { .m = m, .s = s, .event_value = session_truth, .socket = socket,
				.box = box };

	evaluate(&e, out);
}
