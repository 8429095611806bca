/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMU/term,term=value,.../ as perf and pcm-raw write it.  A PMU with a number is one box, without one it is all of
 * them.  Terms: an event that the driver names, or Intel's files; fields of its formats; config, config1 and
 * config2, which are the registers; name.  What perf leaves open it sets to 0, we to what lets everything pass.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/near.h"
#include "measure/spelling_private.h"

struct terms {
	struct spelt *x;
	struct span pmu;
	uint64_t event, umask, counter, config;
	bool has_event, has_umask, has_counter, has_config, named;
};

const char *spelling_pmu_prefix(const char *pmu)
{
	return strcmp(pmu, CORES_PMU) == 0 ? "" : "uncore_";
}

static int fail_pmu(struct spelt *x, struct span pmu)
{
	const struct cat_family *f = names_family(x->n);
	struct near near = { .names = 0 };
	struct span base = pmu;
	bool uncore = spelt_begins(base, "uncore_");
	char hint[160];

	if (uncore)
		base = (struct span){ base.s + 7, base.n - 7 };
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		const char *name = cat_str(cat_types[t].called[CAT_TOOL_PERF]);

		if (*name && !(uncore && strcmp(name, CORES_PMU) == 0))
			near_offer(&near, name);
	}
	return spelt_fail(x, pmu, BXS_ENOENT, "%s: no PMU %.*s%s%s", cat_str(f->name), (int)pmu.n, pmu.s,
			  near.names ? "" : "; perf has none of this family",
			  near_or_all(&near, base, "there are (behind uncore_)", hint, sizeof hint));
}

/* The type and box that the PMU stands for, or an error. */
static int find_pmu(struct spelt *x, struct span pmu)
{
	struct span name = pmu;
	char key[48], why[8];
	int rc = 0;

	snprintf(key, sizeof key, "%.*s/", (int)(pmu.n < 40 ? pmu.n : 40), pmu.s);
	if (spelt_alias(x, CAT_TOOL_PERF, CAT_NOTYPE, (struct span){ key, strlen(key) }, why, sizeof why) < 0 ||
	    spelt_alias(x, CAT_TOOL_PCM, CAT_NOTYPE, (struct span){ key, strlen(key) }, why, sizeof why) < 0) {
		x->s->err->at = (size_t)(pmu.s - x->s->start);
		return BXS_ENOENT;
	}
	if (name.n > 1 && name.s[name.n - 1] == '*')
		name.n--;
	if (name.n < pmu.n && name.n > 1 && name.s[name.n - 1] == '_')
		name.n--;
	if (spelt_begins(name, "uncore_"))
		name = (struct span){ name.s + 7, name.n - 7 };
	if (name.n == pmu.n || !names_same(name, CORES_PMU))
		x->type = spelt_type(x->n, CAT_TOOL_PERF, name, &x->box);
	if (x->type == NAMES_NONE)
		x->type = spelt_type(x->n, CAT_TOOL_PCM, name, &x->box);
	if (x->type == NAMES_NONE)
		rc = fail_pmu(x, pmu);
	return rc;
}

/* One of the counters can count it, where an event's code is another event's on another counter. */
static uint32_t event_on(const struct spelt *x, uint64_t code, uint64_t counter)
{
	const struct cat_type *t = cat_types + x->type;

	for (unsigned i = t->event0; counter < 32 && i < (unsigned)t->event0 + t->events; i++)
		if (cat_events[i].code == code && cat_events[i].counters >> counter & 1)
			return i;
	return NAMES_NONE;
}

int spelt_encode(struct spelt *x, uint64_t event, uint64_t umask)
{
	const struct names_type *l = names_layout(x->n, x->type);

	*x->event = '\0';
	/* The driver has the fixed counter under an event that no control knows. */
	if (event == 0xff && umask == 0 && l->fixed_ctr != NAMES_NONE)
		SPELT_PUT(x, event, "%s", cat_str(cat_regs[l->fixed_ctr].name));
	else if (l->joined || (!l->umask.width && !l->occ_sel.width))
		SPELT_PUT(x, event, "0x%llx", (unsigned long long)event);
	else
		SPELT_PUT(x, event, "0x%llx.0x%llx", (unsigned long long)event, (unsigned long long)umask);
	return x->full ? BXS_EINVAL : 0;
}

/* Fields of a register's value into event strings: not what measuring sets itself. */
int spelt_config(struct spelt *x, struct span at, uint64_t config)
{
	const struct names_type *l = names_layout(x->n, x->type);
	const struct cat_reg *ctl = cat_regs + l->ctl;
	uint64_t event = 0, umask = 0;

	for (unsigned i = 0; i < ctl->fields; i++) {
		const struct cat_field *f = cat_fields + ctl->field0 + i;
		const char *as = cat_str(f->as);
		uint64_t value = config >> f->lo & bits_low(f->hi - f->lo + 1u);

		config &= ~bits_mask(f->hi, f->lo);
		if (strcmp(as, "ev_sel") == 0)
			event |= value;
		else if (strcmp(as, "ev_sel_ext") == 0)
			event |= value << l->ev_sel.width;
		else if (strcmp(as, "umask") == 0)
			umask |= value;
		else if (strcmp(as, "occ_sel") == 0)
			umask |= value << 6;
		else if (value && f->attr == CAT_RV)
			return spelt_fail(x, at, BXS_EINVAL, "%s: bits %u:%u of a control are no field", cat_str(cat_types[x->type].name),
					  f->hi, f->lo);
		else if (value && strcmp(as, "en") != 0 && strcmp(as, "ov_en") != 0 && strcmp(as, "rst") != 0)
			SPELT_PUT(x, fields, ":%s=0x%llx", cat_str(f->name), (unsigned long long)value);
	}
	if (config)
		return spelt_fail(x, at, BXS_EINVAL, "%s: a control has %u bits", cat_str(cat_types[x->type].name), ctl->width);
	return spelt_encode(x, event, umask);
}

/* One register of a config1 or config2. */
static int put_register(struct spelt *x, struct span at, struct span name, uint64_t value)
{
	unsigned element;
	uint32_t reg = names_find_element(x->n, x->type, name, &element);

	if (reg == NAMES_NONE)
		return BXS_EBUG;
	for (unsigned i = 0; i < cat_regs[reg].fields; i++) {
		const struct cat_field *f = cat_fields + cat_regs[reg].field0 + i;
		uint64_t bits = value >> f->lo & bits_low(f->hi - f->lo + 1u);

		if (!bits)
			continue;
		if (f->attr == CAT_RV)
			return spelt_fail(x, at, BXS_EINVAL, "%s: bits %u:%u of %.*s are no field", cat_str(cat_types[x->type].name), f->hi,
					  f->lo, (int)name.n, name.s);
		SPELT_PUT(x, regs, "%s%.*s.%s=0x%llx", *x->regs ? "," : "", (int)name.n, name.s, cat_str(f->name),
			  (unsigned long long)bits);
	}
	return 0;
}

/* config1 or config2: the filter registers of the box, 32 bits each where there are two. */
static int more_config(struct spelt *x, struct span name, uint64_t value)
{
	char key[16], to[128];
	struct span list, reg;
	int rc;

	snprintf(key, sizeof key, ":%.*s", (int)name.n, name.s);
	rc = spelt_alias(x, CAT_TOOL_PERF, x->type, (struct span){ key, strlen(key) }, to, sizeof to);
	if (rc == 0 && value)
		return spelt_fail(x, name, BXS_EINVAL, "%s has no %.*s", cat_str(cat_types[x->type].name), (int)name.n, name.s);
	list = (struct span){ to, rc == 1 ? strlen(to) : 0 };
	while (rc >= 0 && names_next(&list, &reg)) {
		rc = put_register(x, name, reg, list.n ? value & UINT32_MAX : value);
		value >>= 32;
	}
	return rc < 0 ? rc : 0;
}

static int number(struct spelt *x, struct span name, struct span text, uint64_t *value)
{
	if (event_number(text, value))
		return 0;
	return spelt_fail(x, text.s ? text : name, BXS_EINVAL, "%.*s needs a number, as 0x34 or 52", (int)name.n, name.s);
}

/* Terms that are numbers and no fields. */
static int take_number(struct terms *t, struct span name, struct span text)
{
	const struct { const char *name; uint64_t *value; bool *given; } known[] = {
		{ "event", &t->event, &t->has_event }, { "inc_sel", &t->event, &t->has_event },
		{ "umask", &t->umask, &t->has_umask }, { "occ_sel", &t->umask, &t->has_umask },
		{ "counter", &t->counter, &t->has_counter }, { "config", &t->config, &t->has_config },
	};

	for (unsigned i = 0; i < LEN(known); i++) {
		int rc;

		if (!names_same(name, known[i].name))
			continue;
		if (*known[i].given)
			return spelt_fail(t->x, name, BXS_EINVAL, "%.*s is given twice", (int)name.n, name.s);
		rc = number(t->x, name, text, known[i].value);
		*known[i].given = true;
		if (names_same(name, "occ_sel"))
			t->umask <<= 6;
		return rc < 0 ? rc : 1;
	}
	return 0;
}

/* An event that the driver or Intel's files name. */
static int take_event(struct terms *t, struct span name)
{
	struct spelt *x = t->x;
	char full[160];
	const char *prefix = cat_str(cat_types[x->type].called[CAT_TOOL_JSON]);
	int rc = spelt_alias(x, CAT_TOOL_PERF, x->type, name, x->event, sizeof x->event);

	if (rc != 0)
		return rc;
	snprintf(full, sizeof full, "%s_", prefix);
	if (*prefix && spelt_begins(name, full)) {
		struct event_scan *s = x->s, inner = { name.s, name.s, name.s + name.n, false, s->err };
		int box = x->box;
		struct span shown = x->name;
		uint32_t type = x->type;

		x->s = &inner;
		rc = spelt_dotted(x, (struct span){ NULL, 0 });
		x->s = s;
		x->box = box;
		x->name = shown;
		x->type = type;
		if (rc < 0)
			s->err->at = (size_t)(name.s - s->start);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

static int fail_term(struct terms *t, struct span name)
{
	const struct cat_family *f = names_family(t->x->n);
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned i = f->alias0; i < (unsigned)f->alias0 + f->aliases; i++)
		if (cat_aliases[i].tool == CAT_TOOL_PERF && cat_aliases[i].type == t->x->type && cat_aliases[i].kind == CAT_ALIAS_IS &&
		    *cat_str(cat_aliases[i].name) != ':')
			near_offer(&near, cat_str(cat_aliases[i].name));
	return spelt_fail(t->x, name, BXS_ENOENT, "%.*s: no event or flag %.*s%s", (int)t->pmu.n, t->pmu.s, (int)name.n, name.s,
			  near_or_all(&near, name, "named events are", hint, sizeof hint));
}

/* A word without a value: an event, a raw one, or a flag. */
static int take_word(struct terms *t, struct span name)
{
	static const char *const flags[] = { "edge", "inv", "tid_en", "occ_invert", "occ_edge", "filter_nc", "filter_c6", "filter_isoc" };
	int rc = take_event(t, name);
	char text[24];

	if (rc != 0) {
		t->named = true;
		return rc < 0 ? rc : 0;
	}
	if (names_same(name, "fixed")) {
		t->event = 0xff;
		t->has_event = true;
		return 0;
	}
	for (unsigned i = 0; i < LEN(flags); i++)
		if (names_same(name, flags[i]))
			return spelt_field(t->x, CAT_TOOL_PERF, name, (struct span){ NULL, 0 });
	snprintf(text, sizeof text, "0x%.*s", (int)(name.n < 18 ? name.n - 1 : 17), name.s + 1);
	if ((name.s[0] | 32) == 'r' && name.n > 1 && event_number((struct span){ text, strlen(text) }, &t->config)) {
		t->has_config = true;
		return 0;
	}
	return fail_term(t, name);
}

static int take_term(struct terms *t, struct span name, struct span value)
{
	uint64_t bits;
	int rc;

	if (!value.s)
		return take_word(t, name);
	if (names_same(name, "name")) {
		if (value.n > 1 && (value.s[0] == '\'' || value.s[0] == '"'))
			value = (struct span){ value.s + 1, value.n - 2 };
		t->x->name = value;
		return 0;
	}
	rc = take_number(t, name, value);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (names_same(name, "config1") || names_same(name, "config2")) {
		rc = number(t->x, name, value, &bits);
		return rc < 0 ? rc : more_config(t->x, name, bits);
	}
	/* Our words for it: the thread filter turns itself on. */
	if (names_same(name, "tid_en"))
		return 0;
	return spelt_field(t->x, CAT_TOOL_PERF, name, value);
}

static int finish(struct terms *t)
{
	struct spelt *x = t->x;
	uint32_t event;

	if (t->named + t->has_event + t->has_config > 1 || (t->has_umask && (t->named || t->has_config)))
		return spelt_fail(x, t->pmu, BXS_EINVAL, "%.*s: the event is given twice", (int)t->pmu.n, t->pmu.s);
	if (t->named)
		return 0;
	if (t->has_config)
		return spelt_config(x, t->pmu, t->config);
	if (t->has_counter) {
		event = event_on(x, t->event, t->counter);
		if (event == NAMES_NONE)
			return spelt_fail(x, t->pmu, BXS_ENOENT, "%.*s: counter %llu has no event 0x%llx", (int)t->pmu.n, t->pmu.s,
					  (unsigned long long)t->counter, (unsigned long long)t->event);
		SPELT_PUT(x, event, "%s", cat_str(cat_events[event].name));
		return 0;
	}
	if (!t->has_event && !t->has_umask)
		return spelt_fail(x, t->pmu, BXS_EINVAL, "%.*s: which event? write event=, config= or its name", (int)t->pmu.n, t->pmu.s);
	return spelt_encode(x, t->event, t->umask);
}

/* Up to what ends a term. */
static struct span term_part(const struct event_scan *s, const char *ends)
{
	const char *p = s->p;

	while (p < s->end && !strchr(ends, *p))
		p++;
	return (struct span){ s->p, (size_t)(p - s->p) };
}

int spelt_pmu(struct spelt *x, struct span pmu)
{
	struct terms t = { .x = x, .pmu = pmu };
	struct event_scan *s = x->s;
	int rc = find_pmu(x, pmu);

	s->p = pmu.s + pmu.n;
	while (rc == 0 && (event_accept(s, '/') || event_accept(s, ','))) {
		struct span name = term_part(s, "=,/"), value = { NULL, 0 };

		s->p += name.n;
		if (event_accept(s, '=')) {
			value = term_part(s, ",/");
			s->p += value.n;
		}
		if (name.n)
			rc = take_term(&t, name, value);
		else if (value.s)
			rc = spelt_fail(x, value, BXS_EINVAL, "the name of a term is missing here");
		if (event_peek(s, '/'))
			break;
	}
	/* pcm-raw does without the last one. */
	event_accept(s, '/');
	if (rc == 0)
		rc = finish(&t);
	if (!x->name.s)
		x->name = (struct span){ pmu.s, (size_t)(s->p - pmu.s) };
	return rc < 0 ? rc : SPELLING_EVENT;
}
