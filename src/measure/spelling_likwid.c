/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EVENT_SUBEVENT:BOX<number>C<counter>:OPTION=value as LIKWID writes it.  Which counter it is to be is LIKWID's
 * way of placing events; here they are placed by need, so it only has to exist.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "measure/spelling_private.h"

/* MBOX0C1: the type MBOX, box 0, counter 1.  MBOX0FIX, UBOXFIX: a fixed one. */
struct counter {
	struct span text;
	uint32_t type;
	int box, counter;
	bool fixed;
};

static int take_digits(const char **p, const char *end)
{
	int value = -1;

	for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
		value = value < 0 ? **p - '0' : value < 10000 ? value * 10 + (**p - '0') : value;
	return value;
}

static bool read_counter(const struct spelt *x, struct span text, struct counter *c)
{
	const struct cat_family *f = names_family(x->n);
	const char *end = text.s + text.n;

	*c = (struct counter){ text, NAMES_NONE, -1, -1, false };
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		const char *called = cat_str(cat_types[t].called[CAT_TOOL_LIKWID]), *p = text.s + strlen(called);

		if (!*called || !spelt_begins(text, called))
			continue;
		c->type = t;
		c->box = take_digits(&p, end);
		if (p < end && (*p | 32) == 'c') {
			p++;
			c->counter = take_digits(&p, end);
		} else if (end - p >= 3 && strncasecmp(p, "fix", 3) == 0) {
			p += 3;
			c->fixed = true;
			take_digits(&p, end);
			if (cat_types[t].boxes == 1)
				c->box = -1;
		} else {
			c->counter = c->box;
			c->box = -1;
		}
		return p == end && (c->fixed || c->counter >= 0);
	}
	return false;
}

/* Counters that measure no box have lines of their own. */
static bool is_other(struct spelt *x, struct span text)
{
	const struct cat_family *f = names_family(x->n);

	for (unsigned i = f->alias0; i < (unsigned)f->alias0 + f->aliases; i++) {
		const char *name = cat_str(cat_aliases[i].name);
		size_t n = strlen(name);

		if (cat_aliases[i].tool == CAT_TOOL_LIKWID && cat_aliases[i].kind == CAT_ALIAS_NEVER && name[n - 1] == '*' &&
		    cat_aliases[i].type == CAT_NOTYPE && text.n > n - 1 && strncasecmp(text.s, name, n - 1) == 0 &&
		    text.s[n - 1] >= '0' && text.s[n - 1] <= '9')
			return true;
	}
	return false;
}

bool spelt_at_counter(struct spelt *x, const char *p)
{
	struct span text = spelt_word(x->s, p, "");
	struct counter c;

	return text.n && (read_counter(x, text, &c) || is_other(x, text));
}

static bool same_letter(char a, char b)
{
	return a == b || ((a | 32) == (b | 32) && (a | 32) >= 'a' && (a | 32) <= 'z') || (a == '.' && b == '_') || (a == '_' && b == '.');
}

/* Does the name begin with these letters, its last or before an underscore? */
static bool starts(struct span name, const char *with, size_t n)
{
	if (name.n < n || (name.n > n && name.s[n] != '_' && name.s[n] != '.'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_letter(name.s[i], with[i]))
			return false;
	return true;
}

static bool same(struct span name, const char *with)
{
	return strlen(with) == name.n && starts(name, with, name.n);
}

/* EVENT_SUBEVENT by the events of the type: the longest that fits.  Into x->event; false: none does. */
static bool split(struct spelt *x, struct span name)
{
	const struct cat_type *t = cat_types + x->type;
	size_t best = 0;

	for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events; i++) {
		const struct cat_event *e = cat_events + i;
		const char *event = cat_str(e->name);
		size_t n = strlen(event);

		if (n <= best || !starts(name, event, n))
			continue;
		if (name.n == n) {
			*x->event = '\0';
			SPELT_PUT(x, event, "%s", event);
			return true;
		}
		for (unsigned u = e->umask0; u < (unsigned)e->umask0 + e->umasks; u++)
			if (same((struct span){ name.s + n + 1, name.n - n - 1 }, cat_str(cat_umasks[u].name))) {
				*x->event = '\0';
				SPELT_PUT(x, event, "%s.%s", event, cat_str(cat_umasks[u].name));
				best = n;
			}
	}
	return best > 0;
}

/* FLITS_SENT_PORT5_IPERF1_X: of port 5, whichever of its two selections; ports are numbered through all boxes. */
static bool of_port(struct spelt *x, struct span name, char *out, size_t size, int *port)
{
	char text[160];
	const char *at, *p;

	if (!cat_types[x->type].ports)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)name.n, name.s);
	at = strcasestr(text, "_PORT");
	if (!at)
		return false;
	p = at + 5;
	*port = take_digits(&p, text + strlen(text));
	if (*port < 0 || (strncasecmp(p, "_IPERF", 6) != 0 && strncasecmp(p, "_QLX", 4) != 0))
		return false;
	p += (p[1] | 32) == 'i' ? 6 : 4;
	if (take_digits(&p, text + strlen(text)) < 0)
		return false;
	snprintf(out, size, "%.*s%s", (int)(at - text), text, p);
	return true;
}

static int put_event(struct spelt *x, const struct counter *c, struct span name)
{
	char to[192];
	int port, ports = cat_types[x->type].ports, rc;

	if (split(x, name))
		return 0;
	if (of_port(x, name, to, sizeof to, &port) && split(x, (struct span){ to, strlen(to) })) {
		if (port / ports >= (int)names_boxes(x->n, x->type))
			return spelt_fail(x, name, BXS_ENOENT, "%s has no port %d; there are %u, from 0", cat_str(cat_types[x->type].name),
					  port, names_boxes(x->n, x->type) * (unsigned)ports);
		if (x->box >= 0 && port / ports != x->box)
			return spelt_fail(x, name, BXS_EINVAL, "port %d is not of %.*s", port, (int)c->text.n, c->text.s);
		x->box = port / ports;
		SPELT_PUT(x, fields, ":port=%d", port % ports);
		return 0;
	}
	rc = spelt_alias(x, CAT_TOOL_LIKWID, x->type, name, to, sizeof to);
	if (rc < 0)
		return rc;
	if (rc == 1 && !split(x, (struct span){ to, strlen(to) })) {
		*x->event = '\0';
		SPELT_PUT(x, event, "%s", to);
	}
	if (rc == 0)
		SPELT_PUT(x, event, "%.*s", (int)name.n, name.s);
	return 0;
}

static int read_option(struct spelt *x)
{
	struct span name = spelt_word(x->s, x->s->p, ""), value = { NULL, 0 };

	if (!name.n)
		return spelt_fail(x, (struct span){ x->s->p, 0 }, BXS_EINVAL, "an option of LIKWID's is missing here");
	x->s->p += name.n;
	if (event_accept(x->s, '=')) {
		value = spelt_word(x->s, x->s->p, "|'");
		x->s->p += value.n;
	}
	return spelt_field(x, CAT_TOOL_LIKWID, name, value);
}

int spelt_likwid(struct spelt *x)
{
	const char *from = x->s->p;
	struct span name = spelt_word(x->s, from, ""), text = spelt_word(x->s, name.s + name.n + 1, "");
	struct counter c;
	char none[8];
	int rc;

	if (!read_counter(x, text, &c))
		return spelt_alias(x, CAT_TOOL_LIKWID, CAT_NOTYPE, text, none, sizeof none) < 0 ? BXS_ENOENT : SPELLING_OURS;
	x->type = c.type;
	x->box = c.box;
	if (c.counter >= cat_types[c.type].counters)
		return spelt_fail(x, text, BXS_ENOENT, "%.*s: %s has %u counters, from 0", (int)text.n, text.s,
				  cat_str(cat_types[c.type].name), cat_types[c.type].counters);
	rc = put_event(x, &c, name);
	x->s->p = text.s + text.n;
	while (rc == 0 && event_accept(x->s, ':'))
		rc = read_option(x);
	x->name = (struct span){ from, (size_t)(x->s->p - from) };
	return rc < 0 ? rc : SPELLING_EVENT;
}
