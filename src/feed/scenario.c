/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads scenario files, strictly: one statement a line, and nothing that is not understood. */
#include "feed/scenario.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "machine/options.h"
#include "machine/spec.h"

struct reader {
	struct scenario *s;
	struct complaint c;
	unsigned line;
	const char *p, *end;		/* what is left of the line, without comment and blanks at its end */
};

#define FAIL(r, ...) fail(r, BXS_EINVAL, __VA_ARGS__)

static int fail(const struct reader *r, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(const struct reader *r, int err, const char *format, ...)
{
	char what[300];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return complain(&r->c, err, "%s:%u: %s", r->s->file, r->line, what);
}

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t'))
		r->p++;
}

/* The next word; empty at the end of the line. */
static struct options_word word(struct reader *r)
{
	const char *start;

	skip_blanks(r);
	start = r->p;
	while (r->p < r->end && *r->p != ' ' && *r->p != '\t')
		r->p++;
	return (struct options_word){ start, (size_t)(r->p - start) };
}

static bool is(struct options_word w, const char *name)
{
	return w.len == strlen(name) && memcmp(w.s, name, w.len) == 0;
}

/* Letters, digits and hyphens. */
static int take_name(struct reader *r, const char *what, char *out)
{
	struct options_word w = word(r);

	if (w.len == 0)
		return FAIL(r, "%s needs a name", what);
	if (w.len >= SCENARIO_NAME)
		return FAIL(r, "the name of %s is longer than %d characters", what, SCENARIO_NAME - 1);
	for (size_t i = 0; i < w.len; i++)
		if (!isalnum((unsigned char)w.s[i]) && w.s[i] != '-' && w.s[i] != '_')
			return FAIL(r, "%.*s: a name has letters, digits, - and _ only", (int)w.len, w.s);
	memcpy(out, w.s, w.len);
	out[w.len] = '\0';
	return 0;
}

/* All that is left of the line. */
static int take_rest(struct reader *r, const char *what, struct scenario_text *out)
{
	skip_blanks(r);
	if (r->p == r->end)
		return FAIL(r, "%s needs a value", what);
	out->text = strndup(r->p, (size_t)(r->end - r->p));
	out->line = r->line;
	r->p = r->end;
	return out->text ? 0 : BXS_ENOMEM;
}

static int take_time(struct reader *r, const char *what, uint64_t *ps)
{
	struct options_word w = word(r);
	const char *text = w.s;

	if (w.len == 0)
		return FAIL(r, "%s needs a time, such as 50us", what);
	if (!options_time(&text, w.s + w.len, ps) || text != w.s + w.len || *ps == 0)
		return FAIL(r, "%.*s is no time; write 500ns, 50us or 2ms", (int)w.len, w.s);
	return 0;
}

static int at_end(struct reader *r)
{
	struct options_word w = word(r);

	return w.len ? FAIL(r, "%.*s: nothing is expected here", (int)w.len, w.s) : 0;
}

static int read_scenario(struct reader *r)
{
	size_t len;
	int err;

	if (r->s->about)
		return FAIL(r, "a second scenario; a file holds one");
	err = take_name(r, "a scenario", r->s->name);
	if (err < 0)
		return err;
	skip_blanks(r);
	len = (size_t)(r->end - r->p);
	if (len < 3 || r->p[0] != '"' || r->p[len - 1] != '"' || memchr(r->p + 1, '"', len - 2))
		return FAIL(r, "after the name: a sentence in quotes");
	r->s->about = strndup(r->p + 1, len - 2);
	r->p = r->end;
	return r->s->about ? 0 : BXS_ENOMEM;
}

static int read_machine(struct reader *r)
{
	if (r->s->phases)
		return FAIL(r, "machine stands before the first phase");
	if (r->s->machine.text)
		return FAIL(r, "a second machine; the first is in line %u", r->s->machine.line);
	return take_rest(r, "machine", &r->s->machine);
}

static int read_list(struct reader *r, const char *what, enum scenario_kind kind)
{
	struct scenario *s = r->s;

	if (s->phases)
		return FAIL(r, "%s stands before the first phase", what);
	if (s->lists[kind] == SCENARIO_LIST)
		return FAIL(r, "more than %d lines of %s", SCENARIO_LIST, what);
	return take_rest(r, what, &s->list[kind][s->lists[kind]++]);
}

static int read_events(struct reader *r)
{
	return read_list(r, "events", SCENARIO_EVENTS);
}

static int read_metrics(struct reader *r)
{
	return read_list(r, "metrics", SCENARIO_METRICS);
}

static int read_dma(struct reader *r)
{
	return read_list(r, "dma", SCENARIO_DMA);
}

static int read_fault(struct reader *r)
{
	return read_list(r, "fault", SCENARIO_FAULT);
}

/* The phase that has just been read has something to do. */
static int check_phase(const struct reader *r)
{
	const struct scenario_phase *p = r->s->phases ? r->s->phase + r->s->phases - 1 : NULL;

	if (!p || p->runs || p->rest)
		return 0;
	return complain(&r->c, BXS_EINVAL, "%s:%u: nothing happens in phase %s: run a kernel, or rest", r->s->file,
			p->line, p->name);
}

static int take_times(struct reader *r, uint64_t *times)
{
	struct options_word w = word(r);

	if (!spec_number(w.s, w.len, times) || *times == 0 || *times > 1000000)
		return FAIL(r, "times: %.*s is not a number from 1 to 1000000", (int)w.len, w.s);
	return 0;
}

static int read_phase(struct reader *r)
{
	struct scenario *s = r->s;
	struct scenario_phase *p;
	int err = check_phase(r);

	if (err < 0)
		return err;
	if (s->phases == SCENARIO_PHASES)
		return FAIL(r, "more than %d phases", SCENARIO_PHASES);
	p = &s->phase[s->phases++];
	*p = (struct scenario_phase){ .line = r->line, .run0 = s->runs, .times = 1 };
	err = take_name(r, "a phase", p->name);
	while (err == 0) {
		struct options_word w = word(r);

		if (w.len == 0)
			break;
		if (is(w, "for") && !p->limit)
			err = take_time(r, "for", &p->limit);
		else if (is(w, "times") && p->times == 1)
			err = take_times(r, &p->times);
		else
			err = FAIL(r, "%.*s: a phase has a name, for TIME and times N", (int)w.len, w.s);
	}
	return err;
}

static struct scenario_phase *phase_at(const struct reader *r)
{
	return r->s->phases ? r->s->phase + r->s->phases - 1 : NULL;
}

static int read_run(struct reader *r)
{
	struct scenario_phase *p = phase_at(r);

	if (!p)
		return FAIL(r, "run stands in a phase");
	if (p->rest)
		return FAIL(r, "nothing runs while the machine rests; begin a new phase");
	if (r->s->runs == SCENARIO_RUNS)
		return FAIL(r, "more than %d runs", SCENARIO_RUNS);
	p->runs++;
	return take_rest(r, "run", &r->s->run[r->s->runs++]);
}

static int read_rest(struct reader *r)
{
	struct scenario_phase *p = phase_at(r);

	if (!p)
		return FAIL(r, "rest stands in a phase");
	if (p->runs || p->rest)
		return FAIL(r, "a phase either runs kernels or rests once; begin a new phase");
	return take_time(r, "rest", &p->rest);
}

static const struct statement {
	const char *name;
	int (*read)(struct reader *r);
} statements[] = {
	{ "scenario", read_scenario }, { "machine", read_machine }, { "events", read_events },
	{ "metrics", read_metrics }, { "dma", read_dma }, { "fault", read_fault },
	{ "phase", read_phase }, { "run", read_run }, { "rest", read_rest },
};

static const char *statement_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return statements[n].name;
}

static int read_statement(struct reader *r)
{
	struct options_word w = word(r);
	int near;

	if (w.len == 0)
		return 0;
	for (const struct statement *s = statements; s < statements + LEN(statements); s++) {
		int err;

		if (!is(w, s->name))
			continue;
		if (!r->s->about && s != statements)
			return FAIL(r, "a file begins with: scenario NAME \"what it shows\"");
		err = s->read(r);
		return err < 0 ? err : at_end(r);
	}
	near = cat_nearest(w.s, w.len, LEN(statements), statement_name, NULL);
	return FAIL(r, "no statement \"%.*s\"%s%s%s", (int)w.len, w.s, near < 0 ? "" : "; did you mean ",
		    near < 0 ? "" : statements[near].name, near < 0 ? "" : "?");
}

/* Cuts off the comment: # and what follows, outside quotes. */
static const char *cut_comment(const char *p, const char *end)
{
	bool quoted = false;

	for (; p < end; p++) {
		quoted ^= *p == '"';
		if (*p == '#' && !quoted)
			return p;
	}
	return end;
}

static int read_line(struct reader *r, const char *p, const char *end)
{
	if (end - p > SCENARIO_LINE)
		return FAIL(r, "the line is longer than %d characters", SCENARIO_LINE);
	for (const char *c = p; c < end; c++)
		if ((unsigned char)*c < ' ' && *c != '\t')
			return FAIL(r, "a character 0x%02x; this is no text", (unsigned char)*c);
	end = cut_comment(p, end);
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	r->p = p;
	r->end = end;
	return read_statement(r);
}

static int read_all(struct reader *r, const char *text, size_t len)
{
	const char *end = text + len;
	int err = 0;

	while (text < end && err == 0) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		r->line++;
		err = read_line(r, text, stop);
		text = stop + 1;
	}
	if (err < 0)
		return err;
	if (!r->s->about)
		return complain(&r->c, BXS_EINVAL, "%s: empty; it begins with: scenario NAME \"what it shows\"",
				r->s->file);
	if (!r->s->phases)
		return complain(&r->c, BXS_EINVAL, "%s: no phase, so nothing happens", r->s->file);
	return check_phase(r);
}

int scenario_parse(const char *file, const char *text, size_t len, struct scenario **out, char *why, size_t size)
{
	struct scenario *s = calloc(1, sizeof *s);
	struct reader r = { .s = s, .c = { why, size } };
	int err;

	if (!s)
		return BXS_ENOMEM;
	s->file = strdup(file);
	err = s->file ? read_all(&r, text, len) : BXS_ENOMEM;
	if (err < 0) {
		scenario_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	for (unsigned k = 0; k < SCENARIO_KINDS; k++)
		for (unsigned i = 0; i < s->lists[k]; i++)
			free(s->list[k][i].text);
	for (unsigned i = 0; i < s->runs; i++)
		free(s->run[i].text);
	free(s->machine.text);
	free(s->about);
	free(s->file);
	free(s);
}
