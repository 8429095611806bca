/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading equations.  A with-clause belongs to what stands right before it, an event or
 * a bracket, and adds its fields to every event in there; so events are looked up only
 * when the whole equation has been read.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/event_private.h"
#include "measure/metric_private.h"
#include "measure/spelling.h"

struct reader {
	struct session *s;
	const struct names *n;
	struct metric *m;
	struct event_scan scan;
	unsigned bundle, depth;
	unsigned scope;			/* of what is being read */
	int x;
	struct event_words words[METRIC_TERMS];
	unsigned term_scope[METRIC_TERMS];
};

static const struct constant {
	const char *name;
	enum metric_constant which;
} constants[] = {
	{ "SAMPLE_INTERVAL", CONSTANT_BOX_CLOCKS },
	{ "TOTAL_CORE_CYCLES", CONSTANT_BOX_CLOCKS },
	{ "TSC", CONSTANT_TSC },
	{ "TOTAL_INTERVAL", CONSTANT_INTERVAL },
	{ "TSC_SPEED", CONSTANT_TSC_MHZ },
	{ "UNCORE_FREQUENCY", CONSTANT_UNCORE_MHZ },
	{ "SECONDS", CONSTANT_SECONDS },
	{ "INST_RETIRED.ALL", CONSTANT_INSTRUCTIONS },
	{ "CORE_CYCLES", CONSTANT_CYCLES },
	{ "GB_CONVERSION", CONSTANT_GB },
};

static int emit(struct reader *r, struct step step)
{
	if (r->m->steps == METRIC_STEPS)
		return event_fail(&r->scan, r->scan.p, BXS_EINVAL, "the equation is too long");
	r->m->step[r->m->steps++] = step;
	return 0;
}

static int read_sum(struct reader *r);

static bool accept(struct reader *r, char c)
{
	event_skip_blanks(&r->scan);
	if (r->scan.p == r->scan.end || *r->scan.p != c)
		return false;
	r->scan.p++;
	return true;
}

static int expect(struct reader *r, char c)
{
	return accept(r, c) ? 0
			    : event_fail(&r->scan, r->scan.p, BXS_EINVAL, "'%c' is missing here", c);
}

static int read_number(struct reader *r)
{
	char *end;
	double value = strtod(r->scan.p, &end);

	r->scan.p = end;
	return emit(r, (struct step){ .kind = STEP_NUMBER, .number = value });
}

/* ROUND(value, digits) */
static int read_round(struct reader *r)
{
	int err = expect(r, '(');

	if (err == 0)
		err = read_sum(r);
	if (err == 0)
		err = expect(r, ',');
	if (err == 0)
		err = read_sum(r);
	if (err == 0)
		err = expect(r, ')');
	return err < 0 ? err : emit(r, (struct step){ .kind = STEP_ROUND });
}

/* The scope of a metric of this type: the one that is open, or a new one. */
static int enter_scope(struct reader *r, int type)
{
	struct metric *m = r->m;

	if (m->scopes && m->scope[r->scope].type == type)
		return 0;
	if (m->scopes == METRIC_SCOPES)
		return event_fail(&r->scan, r->scan.p, BXS_EINVAL, "metrics of more than %d box types", METRIC_SCOPES - 1);
	r->scope = m->scopes++;
	m->scope[r->scope] = (struct metric_scope){ .type = type, .term = METRIC_TERMS, .clock_event = NAMES_NONE };
	return 0;
}

/* An equation in the place of a name, for boxes of this type; takes its text, NULL: there was no memory for it. */
static int read_nested(struct reader *r, char *text, int type)
{
	struct event_scan outer = r->scan;
	unsigned scope = r->scope;
	int err;

	if (!text)
		return BXS_ENOMEM;
	if (r->depth == METRIC_DEPTH || r->m->texts == METRIC_TEXTS) {
		free(text);
		return event_fail(&r->scan, r->scan.p, BXS_EINVAL, r->depth == METRIC_DEPTH ? "metrics are nested too deeply"
							: "more than %d metrics and names of other tools", METRIC_TEXTS - 1);
	}
	r->m->text[r->m->texts++] = text;
	err = enter_scope(r, type);
	r->depth++;
	r->scan = (struct event_scan){ .start = text, .p = text, .end = text + strlen(text),
				       .equation = true, .err = outer.err };
	if (err == 0)
		err = read_sum(r);
	r->depth--;
	if (err == 0 && r->scan.p != r->scan.end)
		err = event_fail(&r->scan, r->scan.p, BXS_EINVAL, "'%c' is not expected here",
				 *r->scan.p);
	r->scan = outer;
	r->scope = scope;
	return err;
}

/* Is an event of that name there, in the scope's boxes or, of an equation without boxes, in any? */
static bool is_event(const struct reader *r, int type, struct span name)
{
	const struct cat_family *f = names_family(r->n);
	unsigned from = type < 0 ? f->type0 : (unsigned)type, to = type < 0 ? f->type0 + f->types : (unsigned)type + 1u;

	for (unsigned t = from; t < to; t++)
		if (names_find_event(r->n, t, name) != NAMES_NONE)
			return true;
	return false;
}

/* NAME, or BOX.NAME in equations that belong to no box: a metric?  0, 1, or a negative error. */
static int find_metric(struct reader *r, const struct event_words *w, struct metric_found *f)
{
	int type = r->m->scope[r->scope].type;
	struct span name = w->part[w->parts - 1];

	if (type < 0 && w->parts == 2) {
		uint32_t box = names_find_type(r->n, w->part[0]);

		if (box == NAMES_NONE)
			return 0;
		type = (int)box;
	} else if (w->parts != 1) {
		return 0;
	}
	if (is_event(r, type, name) || !metric_look_up(r->n, type, name, f))
		return 0;
	if (f->matches > 1)
		return event_fail(&r->scan, w->text.s, BXS_EINVAL, "metric %.*s: which box? write %s.%.*s", (int)name.n, name.s,
				  cat_str(cat_types[f->type].name), (int)name.n, name.s);
	if (f->x < 0 && metric_has_x(cat_str(f->equation)))
		return event_fail(&r->scan, w->text.s, BXS_EINVAL, "metric %.*s: a number stands in the place of x", (int)name.n,
				  name.s);
	return 1;
}

/* The fields of one event: in braces, or each behind a colon. */
static int read_fields(struct reader *r, struct event_words *w)
{
	int err = 0;

	if (r->scan.p < r->scan.end && *r->scan.p == '{')
		err = event_read_braces(&r->scan, w);
	while (err == 0 && r->scan.p < r->scan.end && *r->scan.p == ':') {
		r->scan.p++;
		err = event_read_plain_field(&r->scan, w);
	}
	return err;
}

static int read_event(struct reader *r, struct event_words *w)
{
	struct metric_scope *scope = r->m->scope + r->scope;
	int err = read_fields(r, w);

	if (err < 0)
		return err;
	if (r->m->terms == METRIC_TERMS)
		return event_fail(&r->scan, w->text.s, BXS_EINVAL, "more than %d events", METRIC_TERMS);
	w->text.n = (size_t)(r->scan.p - w->text.s);
	r->words[r->m->terms] = *w;
	r->term_scope[r->m->terms] = r->scope;
	if (scope->term == METRIC_TERMS)
		scope->term = r->m->terms;
	return emit(r, (struct step){ .kind = STEP_EVENT, .index = r->m->terms++ });
}

/* What another tool calls an event, in its notation: 1 if that stands here, 0, or an error. */
static int read_foreign(struct reader *r, bool plain)
{
	struct event_error before = *r->scan.err;
	struct spelling other;
	int kind;

	event_skip_blanks(&r->scan);
	kind = spelling_in_equation(r->n, &r->scan, plain, &other);
	if (kind < 0)
		return kind;
	*r->scan.err = before;
	if (kind == SPELLING_OURS)
		return 0;
	kind = read_nested(r, strdup(other.text), -1);
	return kind < 0 ? kind : 1;
}

/* Could this be an event that another tool names without its box? */
static bool is_plain(const struct reader *r, const struct event_words *w)
{
	return r->m->scope[r->scope].type < 0 && !is_event(r, -1, w->part[0]);
}

static int read_name(struct reader *r)
{
	struct metric_found found;
	struct event_words w;
	int err = read_foreign(r, false);

	if (err != 0)
		return err < 0 ? err : 0;
	err = event_read_name(&r->scan, &w);
	if (err < 0)
		return err;
	if (names_same(w.text, "ROUND"))
		return read_round(r);
	for (unsigned i = 0; i < LEN(constants); i++)
		if (names_same(w.text, constants[i].name))
			return emit(r, (struct step){ .kind = STEP_CONSTANT, .index = constants[i].which, .scope = r->scope });
	err = find_metric(r, &w, &found);
	if (err < 0)
		return err;
	if (err)
		return read_nested(r, metric_substitute(cat_str(found.equation), found.x), found.type);
	r->scan.p = w.text.s;
	err = is_plain(r, &w) ? read_foreign(r, true) : 0;
	if (err != 0)
		return err < 0 ? err : 0;
	r->scan.p = w.text.s + w.text.n;
	return read_event(r, &w);
}

/* The fields of a with-clause go to all terms from `first` on. */
static int read_with(struct reader *r, unsigned first)
{
	struct event_words w = { .fields = 0 };
	int err = event_read_with(&r->scan, &w);

	for (unsigned t = first; t < r->m->terms && err == 0; t++)
		for (unsigned i = 0; i < w.fields; i++) {
			if (r->words[t].fields == EVENT_FIELDS)
				return event_fail(&r->scan, r->scan.p, BXS_EINVAL, "too many fields");
			r->words[t].field[r->words[t].fields++] = w.field[i];
		}
	return err;
}

static int read_factor(struct reader *r)
{
	unsigned first = r->m->terms;
	int err;

	if (accept(r, '-')) {
		err = read_factor(r);
		return err < 0 ? err : emit(r, (struct step){ .kind = STEP_NEGATE });
	}
	if (accept(r, '(')) {
		err = read_sum(r);
		if (err == 0)
			err = expect(r, ')');
	} else if (r->scan.p < r->scan.end && (isdigit((unsigned char)*r->scan.p) || *r->scan.p == '.')) {
		err = read_number(r);
	} else {
		err = read_name(r);
	}
	for (event_skip_blanks(&r->scan); err == 0 && event_at_with(&r->scan);
	     event_skip_blanks(&r->scan))
		err = read_with(r, first);
	return err;
}

static int read_product(struct reader *r)
{
	int err = read_factor(r);

	while (err == 0) {
		enum step_kind kind = STEP_MULTIPLY;

		if (!accept(r, '*')) {
			if (!accept(r, '/'))
				return 0;
			kind = STEP_DIVIDE;
		}
		err = read_factor(r);
		if (err == 0)
			err = emit(r, (struct step){ .kind = kind });
	}
	return err;
}

static int read_sum(struct reader *r)
{
	int err = read_product(r);

	while (err == 0) {
		enum step_kind kind = STEP_ADD;

		if (!accept(r, '+')) {
			if (!accept(r, '-'))
				return 0;
			kind = STEP_SUBTRACT;
		}
		err = read_product(r);
		if (err == 0)
			err = emit(r, (struct step){ .kind = kind });
	}
	return err;
}

struct asked {
	struct reader *r;
	unsigned term, count;
};

static int ask(void *ctx, const struct event_spec *spec, struct span name)
{
	struct asked *a = ctx;
	struct event_spec loose = *spec;
	char why[256];
	int event;

	loose.loose = true;
	event = session_add(a->r->s, &loose, name, a->r->bundle, why, sizeof why);
	if (event < 0)
		return event_fail(&a->r->scan, a->r->scan.start, event, "%s", why);
	if (a->count++ == 0) {
		a->r->m->event[a->term] = (unsigned)event;
		return 0;
	}
	if (a->r->m->parts == METRIC_PARTS)
		return event_fail(&a->r->scan, a->r->scan.start, BXS_EINVAL,
				  "more than %d events in the sums of ports", METRIC_PARTS);
	a->r->m->part[a->r->m->parts].term = a->term;
	a->r->m->part[a->r->m->parts++].event = (unsigned)event;
	return 0;
}

static int resolve_terms(struct reader *r)
{
	int err = 0;

	for (unsigned t = 0; t < r->m->terms && err == 0; t++) {
		struct asked a = { r, t, 0 };
		struct event_words words;
		struct event_scan scan;
		struct spelling other;

		err = event_resolve(r->n, &r->scan, r->words + t, r->m->scope[r->term_scope[t]].type, 0, ask, &a);
		if (err == BXS_ENOENT && spelling_words(r->n, &r->scan, r->words + t, &other, &scan, &words) == SPELLING_EVENT)
			err = event_resolve(r->n, &scan, &words, -1, 0, ask, &a);
	}
	return err;
}

/* The fixed counter of some box that counts clocks of this domain, asked for. */
static int clock_counter(struct reader *r, uint32_t clock, unsigned *out)
{
	const struct cat_family *f = names_family(r->n);

	*out = NAMES_NONE;
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		const struct names_type *l = names_layout(r->n, t);
		struct event_spec spec = { .socket = -1, .box = -1, .type = (uint16_t)t,
					   .kind = EVENT_FIXED, .loose = true, .event = NAMES_NONE,
					   .unit = CAT_CLOCKS, .reg = l->fixed_ctr, .scale = 1,
					   .rest_reg = NAMES_NONE };
		const char *name = l->fixed_ctr == NAMES_NONE ? "" : cat_str(cat_regs[l->fixed_ctr].name);
		char why[128];
		int event;

		if (l->fixed_ctr == NAMES_NONE || cat_clocks[cat_types[t].clock].name != clock)
			continue;
		event = session_add(r->s, &spec, (struct span){ name, strlen(name) }, 0, why, sizeof why);
		if (event < 0)
			return event;
		*out = (unsigned)event;
		return 0;
	}
	return 0;
}

static int find_clocks(struct reader *r)
{
	struct metric *m = r->m;
	const struct cat_family *f = names_family(r->n);
	int err = 0;

	m->uncore_event = NAMES_NONE;
	for (unsigned i = 0; i < m->steps && err == 0; i++) {
		struct metric_scope *scope = m->scope + m->step[i].scope;

		if (m->step[i].kind != STEP_CONSTANT)
			continue;
		if (m->step[i].index == CONSTANT_BOX_CLOCKS && scope->type >= 0)
			err = clock_counter(r, cat_clocks[cat_types[scope->type].clock].name, &scope->clock_event);
		else if (m->step[i].index == CONSTANT_UNCORE_MHZ)
			err = clock_counter(r, cat_clocks[f->clock0].name, &m->uncore_event);
	}
	return err;
}

int metric_new(struct session *s, const struct names *n, const char *equation, int type, int x,
	       unsigned bundle, struct metric **out, struct event_error *err)
{
	struct reader *r = calloc(1, sizeof *r);
	struct metric *m = calloc(1, sizeof *m);
	char *text = metric_substitute(equation, x);
	int rc = BXS_ENOMEM;

	if (!r || !m || !text) {
		free(text);
		goto out;
	}
	m->text[m->texts++] = text;
	*r = (struct reader){ .s = s, .n = n, .m = m, .bundle = bundle, .x = x };
	r->scan = (struct event_scan){ .start = text, .p = text, .end = text + strlen(text),
				       .equation = true, .err = err };
	rc = enter_scope(r, type);
	if (rc == 0)
		rc = read_sum(r);
	if (rc == 0 && r->scan.p != r->scan.end)
		rc = event_fail(&r->scan, r->scan.p, BXS_EINVAL, "'%c' is not expected here", *r->scan.p);
	if (rc == 0)
		rc = resolve_terms(r);
	if (rc == 0)
		rc = find_clocks(r);
out:
	free(r);
	if (rc == 0)
		*out = m;
	else
		metric_free(m);
	return rc;
}

void metric_free(struct metric *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->texts; i++)
		free(m->text[i]);
	free(m);
}
