/* SPDX-License-Identifier: BSD-2-Clause */
/* Which tool's style a name has, and the parts that all styles share. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "measure/spelling_private.h"

void spelt_put(struct spelt *x, char *part, size_t size, const char *format, ...)
{
	size_t used = strlen(part);
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(part + used, size - used, format, args);
	va_end(args);
	x->full |= len < 0 || (size_t)len >= size - used;
}

int spelt_fail(struct spelt *x, struct span at, int code, const char *format, ...)
{
	char text[sizeof x->s->err->text];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return event_fail(x->s, at.s, code, "%s", text);
}

struct span spelt_word(const struct event_scan *s, const char *p, const char *more)
{
	const char *from = p;

	while (p < s->end && (event_is_word(*p) || (strchr(more, *p) && *p)))
		p++;
	return (struct span){ from, (size_t)(p - from) };
}

bool spelt_begins(struct span text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.n >= n && strncasecmp(text.s, prefix, n) == 0;
}

/* Is it one of the names in a comma list? */
static bool is_called(uint32_t list, struct span name)
{
	struct span rest = { cat_str(list), strlen(cat_str(list)) }, one;

	while (names_next(&rest, &one))
		if (one.n == name.n && strncasecmp(one.s, name.s, name.n) == 0)
			return true;
	return false;
}

uint32_t spelt_type(const struct names *n, enum cat_tool tool, struct span name, int *number)
{
	const struct cat_family *f = names_family(n);
	size_t digits = 0;

	*number = -1;
	for (;;) {
		for (unsigned t = f->type0; name.n && t < (unsigned)f->type0 + f->types; t++)
			if (is_called(cat_types[t].called[tool], name))
				return t;
		if (!name.n || name.s[name.n - 1] < '0' || name.s[name.n - 1] > '9')
			return NAMES_NONE;

		uint64_t value;

		name.n--;
		digits++;
		if (!event_number((struct span){ name.s + name.n, digits }, &value) || value > INT16_MAX)
			value = INT16_MAX;
		*number = (int)value;
		if (tool == CAT_TOOL_PERF && name.n && name.s[name.n - 1] == '_') {
			name.n--;
			digits++;
		}
	}
}

/* The name in the line, whose last letter may be a *; then *tail is what stands in its place. */
static bool fits(const struct cat_alias *a, struct span name, struct span *tail)
{
	const char *pattern = cat_str(a->name);
	size_t n = strlen(pattern);

	*tail = (struct span){ name.s + name.n, 0 };
	if (pattern[n - 1] != '*' || n == 1)
		return names_same(name, pattern);
	if (name.n < n - 1 || strncasecmp(name.s, pattern, n - 1) != 0)
		return false;
	*tail = (struct span){ name.s + n - 1, name.n - (n - 1) };
	return true;
}

int spelt_alias(struct spelt *x, enum cat_tool tool, unsigned type, struct span name, char *out, size_t size)
{
	const struct cat_family *f = names_family(x->n);

	for (unsigned i = f->alias0; i < (unsigned)f->alias0 + f->aliases; i++) {
		const struct cat_alias *a = cat_aliases + i;
		const char *to = cat_str(a->to);
		struct span tail;

		if (a->tool != tool || a->type != type || a->kind == CAT_ALIAS_LACKS || !fits(a, name, &tail))
			continue;
		if (a->kind == CAT_ALIAS_NEVER)
			return spelt_fail(x, name, BXS_ENOENT, "%s: no event %.*s: %s", cat_str(f->name), (int)name.n, name.s, to);
		if (to[strlen(to) - 1] == '*')
			snprintf(out, size, "%.*s%.*s", (int)strlen(to) - 1, to, (int)tail.n, tail.s);
		else
			snprintf(out, size, "%s", to);
		return 1;
	}
	return 0;
}

/* state=M and state=S are state=M|S. */
static void put_field(struct spelt *x, const char *name, struct span value)
{
	char key[64];
	const char *last = strrchr(x->fields, ':');

	snprintf(key, sizeof key, ":%.60s=", name);
	if (value.s && last && strncmp(last, key, strlen(key)) == 0)
		spelt_put(x, x->fields, sizeof x->fields, "|%.*s", (int)value.n, value.s);
	else if (value.s && value.n)
		spelt_put(x, x->fields, sizeof x->fields, "%s%.*s", key, (int)value.n, value.s);
	else
		spelt_put(x, x->fields, sizeof x->fields, "%.*s", (int)strlen(key) - 1, key);
}

/* Where the tool has one word for whatever filter the event looks at: its first. */
static void only_filter(const struct spelt *x, char *out, size_t size)
{
	uint32_t event = names_find_event(x->n, x->type, (struct span){ x->event, strcspn(x->event, ".") });

	if (event != NAMES_NONE && cat_events[event].filters)
		snprintf(out, size, "%s", cat_str(cat_fields[cat_filters[cat_events[event].filter0].field].name));
}

int spelt_field(struct spelt *x, enum cat_tool tool, struct span name, struct span value)
{
	char key[64], to[128];
	const char *equal;
	int rc;

	snprintf(key, sizeof key, ":%.*s", (int)(name.n < 60 ? name.n : 60), name.s);
	rc = spelt_alias(x, tool, x->type, (struct span){ key, strlen(key) }, to, sizeof to);
	if (rc == 0)
		rc = spelt_alias(x, tool, CAT_NOTYPE, (struct span){ key, strlen(key) }, to, sizeof to);
	if (rc < 0) {
		x->s->err->at = (size_t)(name.s - x->s->start);
		return rc;
	}
	if (rc == 0) {
		if (tool == CAT_TOOL_PERF && spelt_begins(name, "filter_"))
			name = (struct span){ name.s + 7, name.n - 7 };
		snprintf(to, sizeof to, "%.*s", (int)(name.n < 100 ? name.n : 100), name.s);
	}
	if (strcmp(to, "?") == 0)
		only_filter(x, to, sizeof to);
	equal = strchr(to, '=');
	if (equal) {
		to[equal - to] = '\0';
		put_field(x, to, (struct span){ equal + 1, strlen(equal + 1) });
	} else if (strpbrk(to, "[.")) {
		SPELT_PUT(x, regs, "%s%s=%.*s", *x->regs ? "," : "", to, value.s ? (int)value.n : 1, value.s ? value.s : "1");
	} else {
		put_field(x, to, value);
	}
	return 0;
}

/* r1134 alone is the cores' in perf. */
static bool is_raw(struct span word)
{
	uint64_t value;
	char text[24];

	if (word.n < 2 || word.n > 17 || (word.s[0] | 32) != 'r')
		return false;
	snprintf(text, sizeof text, "0x%.*s", (int)word.n - 1, word.s + 1);
	return event_number((struct span){ text, strlen(text) }, &value);
}

static int raw(struct spelt *x, struct span box, struct span word)
{
	static const struct span cores = { CORES_PMU, sizeof CORES_PMU - 1 };
	char text[24];
	uint64_t config = 0;

	snprintf(text, sizeof text, "0x%.*s", (int)word.n - 1, word.s + 1);
	event_number((struct span){ text, strlen(text) }, &config);
	x->type = box.s ? names_find_type(x->n, box) : spelt_type(x->n, CAT_TOOL_PERF, cores, &x->box);
	if (!box.s && x->type == NAMES_NONE)
		return spelt_fail(x, word, BXS_EINVAL, "%s: no event %.*s; a raw event needs its box: BOX.%.*s, or BOX.0x%02x.0x%02x",
				  cat_str(names_family(x->n)->name), (int)word.n, word.s, (int)word.n, word.s,
				  (unsigned)(config & 0xff), (unsigned)(config >> 8 & 0xff));
	for (struct span name = box; x->type == NAMES_NONE && name.n > 1; name.n--) {
		uint64_t number;

		x->type = names_find_type(x->n, (struct span){ name.s, name.n - 1 });
		if (x->type != NAMES_NONE && event_number((struct span){ name.s + name.n - 1, box.n - name.n + 1 }, &number))
			x->box = number > INT16_MAX ? INT16_MAX : (int)number;
	}
	if (x->type == NAMES_NONE || cat_types[x->type].counters == 0)
		return SPELLING_OURS;
	x->s->p = word.s + word.n;
	x->name = (struct span){ box.s ? box.s : word.s, 0 };
	x->name.n = (size_t)(x->s->p - x->name.s);
	return spelt_config(x, word, config) < 0 ? BXS_EINVAL : SPELLING_EVENT;
}

/* cycles, LLC-loads, LLC_MISSES.MEM_READ: what no box has. */
static int without_box(struct spelt *x, const char *more)
{
	struct span name = spelt_word(x->s, x->s->p, more);
	int rc = spelt_alias(x, CAT_TOOL_PERF, CAT_NOTYPE, name, x->event, sizeof x->event);

	if (rc <= 0)
		return rc;
	x->name = name;
	x->s->p = name.s + name.n;
	if (!event_peek(x->s, ':') || *x->event != '(')
		return *x->event == '(' ? SPELLING_EQUATION : SPELLING_EVENT;
	return spelt_fail(x, (struct span){ x->s->p, 1 }, BXS_EINVAL,
			  "%.*s counts user and kernel together; write it without a modifier", (int)name.n, name.s);
}

static int read_style(struct spelt *x)
{
	const char *from = x->s->p;
	struct span word = spelt_word(x->s, from, "*");
	const char *behind = word.s + word.n;

	if (!word.n)
		return SPELLING_OURS;
	if (behind < x->s->end && *behind == '/')
		return spelt_pmu(x, word);
	if (x->s->end - behind > 2 && behind[0] == ':' && behind[1] == ':')
		return spelt_dotted(x, word);
	if (spelt_begins(word, "UNC_"))
		return spelt_dotted(x, (struct span){ NULL, 0 });
	if (behind < x->s->end && *behind == ':' && spelt_at_counter(x, behind + 1))
		return spelt_likwid(x);
	if (is_raw(word) && (behind == x->s->end || *behind == ','))
		return raw(x, (struct span){ NULL, 0 }, word);
	if (behind < x->s->end && *behind == '.') {
		struct span code = spelt_word(x->s, behind + 1, "");

		if (is_raw(code))
			return raw(x, word, code);
	}
	return without_box(x, "-.");
}

/* All parts, in our notation. */
static int put_together(struct spelt *x, const char *from, struct spelling *out)
{
	const char *type = x->type == NAMES_NONE ? "" : cat_str(cat_types[x->type].name);
	char box[16] = "";
	int len;

	if (x->box >= 0)
		snprintf(box, sizeof box, "%d", x->box);
	len = snprintf(out->text, sizeof out->text, "%s%s%s%s%s%s%s%s", type, box, *type ? "." : "", x->event, x->fields,
		       *x->regs ? " with:{" : "", x->regs, *x->regs ? "}" : "");
	if (x->full || len >= (int)sizeof out->text)
		return event_fail(x->s, from, BXS_EINVAL, "this event is too long");
	out->name = x->name;
	return 0;
}

int spelling_read(const struct names *n, struct event_scan *s, struct spelling *out)
{
	struct spelt x = { .n = n, .s = s, .type = NAMES_NONE, .box = -1 };
	const char *from = s->p;
	int kind = read_style(&x), err;

	if (kind <= 0)
		return kind;
	err = put_together(&x, from, out);
	return err < 0 ? err : kind;
}

/*
 * The name of a PMU that a slash follows at once; .n is 0 if there is none.  No box's name alone is anything that could
 * be divided.  uncore_imc_* is all boxes, as is uncore_imc.
 */
static struct span pmu_at(const struct names *n, const char *text)
{
	struct span word = { text, 0 };
	bool perf;
	int number;

	while (event_is_word(text[word.n]))
		word.n++;
	perf = spelt_begins(word, "uncore_");
	if (perf && text[word.n] == '*')
		word.n++;
	if (text[word.n] != '/' || (!perf && spelt_type(n, CAT_TOOL_PERF, word, &number) == NAMES_NONE &&
				    spelt_type(n, CAT_TOOL_PCM, word, &number) == NAMES_NONE))
		word.n = 0;
	return word;
}

size_t spelling_pmu_length(const struct names *n, const char *text)
{
	struct span pmu = pmu_at(n, text);
	const char *last = pmu.n ? strchr(text + pmu.n + 1, '/') : NULL;

	return last ? (size_t)(last + 1 - text) : 0;
}

static int read_in_equation(struct spelt *x, bool plain)
{
	struct span word = spelt_word(x->s, x->s->p, ""), dashed = spelt_word(x->s, x->s->p, "-");
	struct span pmu = pmu_at(x->n, x->s->p);
	const char *behind = word.s + word.n;

	if (pmu.n)
		return spelt_pmu(x, pmu);
	if (word.n && *behind == ':' && behind[1] == ':')
		return spelt_dotted(x, word);
	if (spelt_begins(word, "UNC_") && *behind == ':')
		return spelt_dotted(x, (struct span){ NULL, 0 });
	if (word.n && *behind == ':' && spelt_at_counter(x, behind + 1))
		return spelt_likwid(x);
	if (plain)
		return without_box(x, ".");
	return dashed.n > word.n ? without_box(x, "-") : SPELLING_OURS;
}

int spelling_in_equation(const struct names *n, struct event_scan *s, bool plain, struct spelling *out)
{
	struct spelt x = { .n = n, .s = s, .type = NAMES_NONE, .box = -1 };
	const char *from = s->p;
	int kind = read_in_equation(&x, plain), err;

	if (kind <= 0)
		return kind;
	for (char *plus = strchr(x.event, '+'); plus && x.type != NAMES_NONE; plus = strchr(plus, '+'))
		*plus = '|';
	err = put_together(&x, from, out);
	return err < 0 ? err : kind;
}

int spelling_words(const struct names *n, const struct event_scan *s, const struct event_words *w, struct spelling *out,
		   struct event_scan *scan, struct event_words *words)
{
	const struct span *last = w->part + w->parts - 1;
	struct event_scan own = { .start = s->start, .p = w->text.s, .end = last->s + last->n, .err = s->err };
	struct event_error first = *s->err;
	int kind = spelling_read(n, &own, out);

	if (kind != SPELLING_EVENT) {
		if (kind >= 0)
			*s->err = first;
		return kind;
	}
	*scan = (struct event_scan){ .start = out->text, .p = out->text, .end = out->text + strlen(out->text), .equation = true,
				     .err = s->err };
	if (event_read_name(scan, words) < 0)
		return BXS_EINVAL;
	s->err->text[0] = '\0';
	words->text = w->text;
	words->fields = w->fields;
	memcpy(words->field, w->field, w->fields * sizeof *w->field);
	return SPELLING_EVENT;
}
