/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cutting event strings into words: names, numbers, lists of events.  Nothing
 * here looks at the catalogue but the question whether a bare word after a comma is
 * a field of the event before it or the next event.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "measure/event_private.h"
#include "measure/spelling.h"

int event_fail(struct event_scan *s, const char *at, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->err->text, sizeof s->err->text, format, args);
	va_end(args);
	s->err->at = (size_t)(at - s->start);
	return code;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void event_skip_blanks(struct event_scan *s)
{
	while (s->p < s->end && is_blank(*s->p))
		s->p++;
}

/* What a character can be in: words, parts of a name, parts of a name outside equations. */
enum { WORD = 1, PART = 2, LIST_PART = 4, WILD = 8, OR = 16, W = WORD | PART | LIST_PART };

static const uint8_t classes[UCHAR_MAX + 1] = {
	['0'] = W, W, W, W, W, W, W, W, W, W,
	['A'] = W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	['a'] = W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	['_'] = W, ['|'] = PART | LIST_PART | OR, ['+'] = LIST_PART | OR,
	['*'] = LIST_PART | WILD, ['?'] = LIST_PART | WILD,
};

static unsigned class_of(char c)
{
	return classes[(unsigned char)c];
}

bool event_is_word(char c)
{
	return class_of(c) & WORD;
}

bool event_number(struct span s, uint64_t *value)
{
	uint64_t v = 0;
	size_t i = 0;
	unsigned base = 10;

	if (s.n > 2 && s.s[0] == '0' && (s.s[1] == 'x' || s.s[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		char c = s.s[i];
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (base == 16 && (c | 32) >= 'a' && (c | 32) <= 'f')
			digit = (unsigned)((c | 32) - 'a') + 10;
		else
			return false;
		if (v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*value = v;
	return true;
}

/* Behind the characters of class `part` from p on; *all: the classes of those that are in no word. */
static inline const char *skip_part(const char *p, unsigned part, unsigned *all)
{
	*all = 0;
	for (;; p++) {
		while (class_of(*p) & WORD)
			p++;
		if (!(class_of(*p) & part))
			return p;
		*all |= class_of(*p);
	}
}

int event_read_name(struct event_scan *s, struct event_words *w)
{
	const unsigned part = s->equation ? PART : LIST_PART;
	const char *p = s->p;
	unsigned parts = 0, patterns = 0, seen = 0;

	for (;; p++) {
		const char *from = p;
		unsigned all;

		p = skip_part(from, part, &all);
		if (p == from && p == s->end)
			return event_fail(s, from, BXS_EINVAL, "an event is missing here");
		if (p == from)
			return event_fail(s, from, BXS_EINVAL, "'%c' cannot be part of an event's name", *from);
		if (parts == EVENT_PARTS)
			return event_fail(s, from, BXS_EINVAL,
					  "%.*s: too many parts; an event is SOCKET.BOX.EVENT.SUBEVENT",
					  (int)(p - s->p), s->p);
		if (all) {
			seen |= all;
			patterns |= (unsigned)((all & WILD) != 0) << parts;
		}
		w->part[parts++] = (struct span){ from, (size_t)(p - from) };
		if (*p != '.')
			break;
	}
	w->parts = parts;
	w->fields = 0;
	w->patterns = patterns;
	w->ored = seen & OR;
	w->text = (struct span){ s->p, (size_t)(p - s->p) };
	w->port = -1;
	s->p = p;
	return 0;
}

struct span event_read_word(struct event_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && event_is_word(*s->p))
		s->p++;
	return (struct span){ from, (size_t)(s->p - from) };
}

/* After a comma: does a field of the same event follow, or the next event?  A field is
 * name=value, or a bare name that some register of the family knows as a field. */
static bool field_follows(const struct names *n, const struct event_scan *s)
{
	struct event_scan ahead = *s;

	event_skip_blanks(&ahead);

	struct span word = event_read_word(&ahead);

	if (word.n == 0 || event_peek(&ahead, '.'))
		return false;
	return event_peek(&ahead, '=') || event_is_field(n, word);
}

/* :field,field=value:field ... */
static int read_colon_fields(const struct names *n, struct event_scan *s, struct event_words *w)
{
	int err;

	s->p++;
	for (;;) {
		event_skip_blanks(s);
		err = event_read_plain_field(s, w);
		if (err < 0)
			return err;
		if (event_accept(s, ':'))
			continue;

		const char *comma = s->p;

		if (!event_accept(s, ','))
			return 0;
		if (!field_follows(n, s)) {
			s->p = comma;
			return 0;
		}
	}
}

/* What may follow a name. */
static int read_fields(const struct names *n, struct event_scan *s, struct event_words *w)
{
	int err = 0;

	while (err == 0) {
		const char *end = s->p;

		if (event_peek(s, ':')) {
			err = read_colon_fields(n, s, w);
		} else if (event_peek(s, '{')) {
			err = event_read_braces(s, w);
		} else {
			event_skip_blanks(s);
			if (!event_at_with(s)) {
				w->text.n = (size_t)(end - w->text.s);
				return 0;
			}
			err = event_read_with(s, w);
		}
	}
	return err;
}

/* What a list is read with. */
struct reader {
	const struct names *n;
	event_fn emit;
	event_equation_fn equation;
	void *ctx;
};

static int ask_cores(const struct reader *r, struct event_scan *s, const struct spelling *other)
{
	const char *text = other->text;

	if (r->equation)
		return r->equation(r->ctx, other->name, text);
	return event_fail(s, other->name.s, BXS_EINVAL, "%.*s is no event of a box; as a metric it is %.*s=%s", (int)other->name.n,
			  other->name.s, (int)other->name.n, other->name.s, text);
}

/*
 * What starts at `from` and is nothing of ours as it stands: an event as another tool spells it?  If not, rc and
 * the error remain.  Errors of its translation are told at its start.
 */
static int read_other(const struct reader *r, struct event_scan *s, const char *from, int rc, unsigned group)
{
	struct event_error first = *s->err;
	struct event_scan own = *s;
	struct spelling other;
	struct event_words w;
	int kind;

	own.p = from;
	kind = spelling_read(r->n, &own, &other);
	if (kind == SPELLING_OURS) {
		*s->err = first;
		return rc;
	}
	if (kind < 0)
		return kind;
	s->p = own.p;
	s->err->text[0] = '\0';
	if (kind == SPELLING_EQUATION)
		return ask_cores(r, s, &other);

	struct event_scan t = { .start = other.text, .p = other.text, .end = other.text + strlen(other.text), .err = s->err };

	rc = event_read_name(&t, &w);
	if (rc == 0)
		rc = read_fields(r->n, &t, &w);
	if (rc == 0)
		rc = read_fields(r->n, s, &w);
	if (rc == 0 && !w.patterns)
		w.text = other.name;
	if (rc == 0)
		rc = event_resolve(r->n, &t, &w, -1, group, r->emit, r->ctx);
	if (rc < 0)
		s->err->at = (size_t)(from - s->start);
	return rc;
}

static int read_event(const struct reader *r, struct event_scan *s, unsigned group)
{
	const char *from = s->p;
	struct event_words w;
	int rc = event_read_name(s, &w);

	if (rc == 0)
		rc = read_fields(r->n, s, &w);
	if (rc == 0)
		rc = event_resolve(r->n, s, &w, -1, group, r->emit, r->ctx);
	if (rc == BXS_ENOENT || rc == BXS_EINVAL)
		return read_other(r, s, from, rc, group);
	return rc;
}

static int end_expected(struct event_scan *s)
{
	if (s->p == s->end)
		return 0;
	return event_fail(s, s->p, BXS_EINVAL, "'%c' is not expected here", *s->p);
}

int event_list(const struct names *n, const char *text, event_fn emit, void *ctx,
	       struct event_error *err)
{
	return event_list_all(n, text, emit, NULL, ctx, err);
}

int event_list_all(const struct names *n, const char *text, event_fn emit, event_equation_fn equation, void *ctx,
		   struct event_error *err)
{
	const struct reader r = { n, emit, equation, ctx };
	struct event_scan s = { .start = text, .p = text, .end = text + strlen(text), .err = err };
	unsigned groups = 0, group = 0;
	const char *open = NULL;
	int rc;

	err->left_out = 0;
	err->left[0] = err->left_why[0] = '\0';
	do {
		event_skip_blanks(&s);
		if (!open && event_peek(&s, '{')) {
			open = s.p++;
			group = ++groups;
			if (group > UINT8_MAX)
				return event_fail(&s, open, BXS_EINVAL, "more than 255 groups");
			event_skip_blanks(&s);
		}
		rc = read_event(&r, &s, group);
		if (rc != 0)
			return rc;
		event_skip_blanks(&s);
		if (open && event_accept(&s, '}')) {
			open = NULL;
			group = 0;
			event_skip_blanks(&s);
		}
	} while (event_accept(&s, ','));
	if (open)
		return event_fail(&s, open, BXS_EINVAL, "this brace is never closed");
	return end_expected(&s);
}
