/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting the fields of an event string: after a colon, in braces, in with-clauses. */
#include <string.h>

#include "base/error.h"
#include "measure/event_private.h"

/* A value ends at what can follow it.  A state may be M' and a packet DRS.DataC_M. */
static struct span read_value(struct event_scan *s)
{
	const char *from = s->p;

	while (s->p < s->end &&
	       (event_is_word(*s->p) || *s->p == '.' || *s->p == '|' || *s->p == '\'' ||
		(*s->p == '+' && !s->equation)))
		s->p++;
	return (struct span){ from, (size_t)(s->p - from) };
}

static int add_field(struct event_scan *s, struct event_words *w, const struct event_field *f)
{
	if (w->fields == EVENT_FIELDS)
		return event_fail(s, f->name.n ? f->name.s : f->range.s, BXS_EINVAL,
				  "more than %d fields", EVENT_FIELDS);
	w->field[w->fields++] = *f;
	return 0;
}

static int need_value(struct event_scan *s, struct span *value)
{
	const char *from = s->p;

	*value = read_value(s);
	return value->n ? 0 : event_fail(s, from, BXS_EINVAL, "a value is missing here");
}

/* name or name=value */
int event_read_plain_field(struct event_scan *s, struct event_words *w)
{
	struct event_field f = { .name = event_read_word(s) };
	int err;

	if (f.name.n == 0)
		return event_fail(s, s->p, BXS_EINVAL, "the name of a field is missing here");
	if (event_accept(s, '=')) {
		err = need_value(s, &f.value);
		if (err < 0)
			return err;
	}
	return add_field(s, w, &f);
}

int event_read_braces(struct event_scan *s, struct event_words *w)
{
	const char *open = s->p;
	int err;

	s->p++;
	do {
		event_skip_blanks(s);
		err = event_read_plain_field(s, w);
		if (err < 0)
			return err;
		event_skip_blanks(s);
	} while (event_accept(s, ','));
	if (!event_accept(s, '}'))
		return event_fail(s, open, BXS_EINVAL, "this brace is never closed");
	return 0;
}

/* [hi:lo], with its brackets */
static int read_range(struct event_scan *s, struct span *range)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p != ']')
		s->p++;
	if (!event_accept(s, ']'))
		return event_fail(s, from, BXS_EINVAL, "this bracket is never closed");
	*range = (struct span){ from, (size_t)(s->p - from) };
	return 0;
}

static int read_field_or_range(struct event_scan *s, struct event_field *f)
{
	event_skip_blanks(s);
	f->name = f->range = (struct span){ s->p, 0 };
	if (event_peek(s, '['))
		return read_range(s, &f->range);
	f->name = event_read_word(s);
	return f->name.n ? 0
			 : event_fail(s, s->p, BXS_EINVAL, "the name of a field is missing here");
}

/* {f1,f2}={v1,v2}: the manual's short form for several fields of one register */
static int read_field_set(struct event_scan *s, struct event_words *w, struct span reg)
{
	const char *open = s->p++;
	unsigned first = w->fields, count = 0;
	int err;

	do {
		struct event_field f = { .reg = reg };

		err = read_field_or_range(s, &f);
		if (err == 0)
			err = add_field(s, w, &f);
		if (err < 0)
			return err;
		event_skip_blanks(s);
	} while (event_accept(s, ','));
	if (!event_accept(s, '}') || !event_accept(s, '=') || !event_accept(s, '{'))
		return event_fail(s, open, BXS_EINVAL, "expected {field,...}={value,...}");
	do {
		event_skip_blanks(s);
		if (first + count == w->fields)
			return event_fail(s, s->p, BXS_EINVAL, "more values than fields");
		err = need_value(s, &w->field[first + count].value);
		if (err < 0)
			return err;
		count++;
		event_skip_blanks(s);
	} while (event_accept(s, ','));
	if (first + count != w->fields)
		return event_fail(s, open, BXS_EINVAL, "more fields than values");
	if (!event_accept(s, '}'))
		return event_fail(s, open, BXS_EINVAL, "this brace is never closed");
	return 0;
}

/* Register.field=value, Register[hi:lo]=value, Register.{...}={...}, Register{...}={...} */
static int read_with_item(struct event_scan *s, struct event_words *w)
{
	struct event_field f = { .reg = event_read_word(s) };
	int err;

	if (f.reg.n == 0)
		return event_fail(s, s->p, BXS_EINVAL, "the name of a register is missing here");
	event_accept(s, '.');
	if (event_peek(s, '{'))
		return read_field_set(s, w, f.reg);
	if (event_peek(s, '=')) {
		/* A field without its register: the name read was the field's. */
		f.name = f.reg;
		f.reg = (struct span){ f.name.s, 0 };
	} else {
		err = read_field_or_range(s, &f);
		if (err < 0)
			return err;
	}
	event_skip_blanks(s);
	if (event_accept(s, '=')) {
		event_skip_blanks(s);
		err = need_value(s, &f.value);
		if (err < 0)
			return err;
	}
	return add_field(s, w, &f);
}

bool event_at_with(const struct event_scan *s)
{
	return s->end - s->p >= 5 && strncmp(s->p, "with:", 5) == 0;
}

int event_read_with(struct event_scan *s, struct event_words *w)
{
	const char *open;
	int err;

	s->p += 5;
	event_skip_blanks(s);
	open = s->p;
	if (!event_accept(s, '{'))
		return read_with_item(s, w);
	for (;;) {
		event_skip_blanks(s);
		if (event_accept(s, '}'))
			return 0;
		if (s->p == s->end)
			return event_fail(s, open, BXS_EINVAL, "this brace is never closed");
		err = read_with_item(s, w);
		if (err < 0)
			return err;
		event_skip_blanks(s);
		event_accept(s, ',');
	}
}
