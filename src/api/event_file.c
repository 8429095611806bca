/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading event files: a line at a time, each with the time at which it happens. */
#include "api/event_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/pmu.h"

enum { LINE_SIZE = 4096, WORDS = 48 };

static const char magic[] = "boxscore-events 1";

struct event_file {
	struct feed feed;
	bxs_machine *m;
	FILE *in;
	const struct signal_clock *clock;
	unsigned line;
	uint64_t start, first;		/* picoseconds, and cycles, when it was opened */
	uint64_t when;			/* of the line at hand */
	char text[LINE_SIZE];
	char *word[WORDS];		/* of the line at hand, its time left out */
	int words;
	bool stops;			/* run() ends when an interrupt is raised */
	bool pending, ended;		/* a line is at hand; `end` or the last line is past */
	char path[256], why[600];
};

static int fail(struct event_file *f, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct event_file *f, int err, const char *format, ...)
{
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	snprintf(f->why, sizeof f->why, "%s:%u: %s", f->path, f->line, text);
	return err;
}

/* 1: a line without its end and its comment; 0: the file is over; or an error. */
static int read_line(struct event_file *f)
{
	size_t n = 0;
	int c = getc(f->in);

	if (c == EOF)
		return ferror(f->in) ? fail(f, BXS_EIO, "%s", strerror(errno)) : 0;
	f->line++;
	for (; c != EOF && c != '\n'; c = getc(f->in)) {
		if (c == '\0')
			return fail(f, BXS_EINVAL, "the line holds a byte 0");
		if (n + 1 == LINE_SIZE)
			return fail(f, BXS_EINVAL, "the line is longer than %d characters", LINE_SIZE - 1);
		f->text[n++] = (char)c;
	}
	f->text[n] = '\0';
	f->text[strcspn(f->text, "#")] = '\0';
	return 1;
}

static int split(struct event_file *f)
{
	static const char blanks[] = " \t\r\f\v";

	f->words = 0;
	for (char *w = strtok(f->text, blanks); w; w = strtok(NULL, blanks)) {
		if (f->words == WORDS)
			return fail(f, BXS_EINVAL, "more than %d words", WORDS);
		f->word[f->words++] = w;
	}
	return 0;
}

static bool number(const char *text, const char **end, uint64_t *value)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &stop, 0);
	*end = stop;
	return errno == 0;
}

/* The start of cycle n of the file. */
static uint64_t cycle_start(const struct event_file *f, uint64_t n)
{
	return n ? signal_clock_time(f->clock, f->first + n) : f->start;
}

/* Picoseconds in 64 bits last for 213 days. */
static uint64_t most_cycles(const struct event_file *f)
{
	return (uint64_t)f->clock->khz * 1000 * 3600 * 24 * 100;
}

/* @CYCLE, @NUMBERps or +CYCLES */
static int set_time(struct event_file *f, const char *word)
{
	const char *end;
	uint64_t n, when;
	bool ps;

	if (!number(word + 1, &end, &n) || (*end && strcmp(end, "ps") != 0) || (*end && *word == '+'))
		return fail(f, BXS_EINVAL, "time '%s', expected @CYCLE, @NUMBERps or +CYCLES", word);
	ps = *end;
	if (n > (ps ? UINT64_C(1) << 62 : most_cycles(f)))
		return fail(f, BXS_EINVAL, "time '%s' is more than 100 days away", word);
	if (*word == '+') {
		if (f->when - f->start > UINT64_C(1) << 62)
			return fail(f, BXS_EINVAL, "time '%s' goes too far", word);
		n += signal_clocks(f->clock, f->when) - f->first;
	}
	when = ps ? f->start + n : cycle_start(f, n);
	if (when < f->when)
		return fail(f, BXS_EINVAL, "time '%s' goes back", word);
	f->when = when;
	return 0;
}

/* The header: what the file is, and the machine that it is of. */
static int read_header(struct event_file *f, char *spec, size_t size)
{
	int more = read_line(f);

	if (more < 0)
		return more;
	f->text[strcspn(f->text, "\r")] = '\0';
	if (!more || strcmp(f->text, magic) != 0)
		return fail(f, BXS_EINVAL, "no event file: its first line is not '%s'", magic);
	if (size)
		snprintf(spec, size, "poulson");
	do {
		more = read_line(f);
		if (more > 0)
			more = split(f) < 0 ? BXS_EINVAL : 1;
	} while (more > 0 && f->words == 0);
	if (more <= 0)
		return more;
	if (strcmp(f->word[0], "machine") != 0) {
		f->pending = true;
		return 0;
	}
	if (f->words != 2)
		return fail(f, BXS_EINVAL, "expected: machine SPECIFICATION");
	if (size)
		snprintf(spec, size, "%s", f->word[1]);
	return 0;
}

/* The next occurrence, with its time: 1, or 0 at the end. */
static int next(struct event_file *f)
{
	int err = f->pending ? 1 : 0;

	while (!f->pending) {
		err = read_line(f);
		if (err > 0)
			err = split(f) < 0 ? BXS_EINVAL : 1;
		if (err <= 0)
			return err;
		f->pending = f->words > 0;
	}
	if (f->words && (*f->word[0] == '@' || *f->word[0] == '+')) {
		err = set_time(f, f->word[0]);
		if (err < 0)
			return err;
		memmove(f->word, f->word + 1, (size_t)--f->words * sizeof *f->word);
		if (!f->words)
			return fail(f, BXS_EINVAL, "a time without an occurrence; write `end` to let time pass");
		err = 1;
	}
	return err;
}

/* BOX EVENT N [tag=value...] */
static int raise_line(struct event_file *f, bool level)
{
	struct bxs_tag tag = { .addr = 0 };
	const char *end;
	uint64_t n;

	if (f->words < 4 || !number(f->word[3], &end, &n) || *end)
		return fail(f, BXS_EINVAL, "expected: %s BOX EVENT[.SUBEVENT] N [tag=value...]", f->word[0]);
	for (int i = 4; i < f->words; i++) {
		char *value = strchr(f->word[i], '=');

		if (value)
			*value++ = '\0';
		if (!value || bxs_tag_set(&tag, f->word[i], value) < 0)
			return fail(f, BXS_EINVAL, "no such tag or value: %s%s%s", f->word[i],
				    value ? "=" : "", value ? value : "");
	}
	return level ? bxs_level(f->m, f->word[1], f->word[2], n, &tag) :
		       bxs_pulse(f->m, f->word[1], f->word[2], n, &tag);
}

/* KIND THREAD [attribute=value...] */
static int tell_line(struct event_file *f)
{
	char attributes[LINE_SIZE + 16] = "";
	size_t n = 0;

	if (f->words < 2)
		return fail(f, BXS_EINVAL, "expected: %s THREAD [attribute=value...]", f->word[0]);
	for (int i = 1; i < f->words; i++)
		n += (size_t)snprintf(attributes + n, sizeof attributes - n, "%s%s ",
				      i == 1 ? "thread=" : "", f->word[i]);
	return bxs_tell(f->m, f->word[0], attributes);
}

static int happen(struct event_file *f)
{
	const char *kind = f->word[0];
	int err;

	f->pending = false;
	f->why[0] = '\0';
	if (strcmp(kind, "end") == 0) {
		f->ended = true;
		return f->words == 1 ? 0 : fail(f, BXS_EINVAL, "'%s' after end", f->word[1]);
	}
	if (strcmp(kind, "pulse") == 0 || strcmp(kind, "level") == 0)
		err = raise_line(f, *kind == 'l');
	else
		err = tell_line(f);
	if (err < 0 && !f->why[0])
		return fail(f, err == BXS_ENOMEM ? err : BXS_EINVAL, "%s",
			    bxs_why(f->m)[0] ? bxs_why(f->m) : bxs_strerror(err));
	return err;
}

/* What happens last is counted when its cycle is over. */
static void finish(struct event_file *f)
{
	if (!f->ended)
		machine_advance(f->m->machine,
				signal_clock_time(f->clock, signal_clocks(f->clock, f->when) + 1));
	f->ended = true;
}

static int run(struct feed *feed, uint64_t until)
{
	struct event_file *f = (struct event_file *)feed;
	const struct pmu *p = machine_pmu(f->m->machine);
	unsigned raised = pmu_pending(p);
	int err = 0;

	while (!f->ended) {
		err = next(f);
		if (err < 0)
			return err;
		if (err == 0) {
			finish(f);
			if (f->stops && pmu_pending(p) > raised)
				return FEED_MORE;
			break;
		}
		if (f->when >= until) {
			machine_advance(f->m->machine, until);
			return FEED_MORE;
		}
		machine_advance(f->m->machine, f->when);
		if (f->stops && pmu_pending(p) > raised)
			return FEED_MORE;
		err = happen(f);
		if (err < 0)
			return err;
	}
	err = next(f);
	if (err > 0)
		return fail(f, BXS_EINVAL, "something stands behind `end`");
	return err < 0 ? err : FEED_ENDED;
}

static void close_file(struct feed *feed)
{
	struct event_file *f = (struct event_file *)feed;

	if (f->in)
		fclose(f->in);
	free(f);
}

static const char *why_of(struct feed *feed)
{
	struct event_file *f = (struct event_file *)feed;

	return f->why[0] ? f->why : NULL;
}

static const struct feed_ops ops = { .run = run, .close = close_file, .why = why_of };

static int start(const char *path, char *spec, size_t size, struct event_file **out, char *why,
		 size_t why_size)
{
	struct event_file *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return BXS_ENOMEM;
	f->feed.ops = &ops;
	snprintf(f->path, sizeof f->path, "%s", path);
	f->in = fopen(path, "r");
	if (!f->in) {
		err = errno == ENOENT ? BXS_ENOENT : BXS_EIO;
		snprintf(why, why_size, "%s: %s", path, strerror(errno));
		close_file(&f->feed);
		return err;
	}
	err = read_header(f, spec, size);
	if (err < 0) {
		snprintf(why, why_size, "%s", f->why);
		close_file(&f->feed);
		return err;
	}
	*out = f;
	return 0;
}

bool event_file_is(const char *path)
{
	char first[sizeof magic] = "";
	FILE *in = fopen(path, "r");
	bool is = in && fread(first, 1, sizeof magic - 1, in) == sizeof magic - 1 &&
		  memcmp(first, magic, sizeof magic - 2) == 0;

	if (in)
		fclose(in);
	return is;
}

int event_file_machine(const char *path, char *spec, size_t size, char *why, size_t why_size)
{
	struct event_file *f;
	int err = start(path, spec, size, &f, why, why_size);

	if (err == 0)
		close_file(&f->feed);
	return err;
}

int event_file_open(bxs_machine *m, const char *path, struct feed **out, char *why, size_t size)
{
	struct event_file *f;
	int err = start(path, NULL, 0, &f, why, size);

	if (err < 0)
		return err;
	f->m = m;
	f->feed.machine = m->machine;
	f->clock = pmu_clock(machine_pmu(m->machine), 0, "core");
	f->start = f->when = machine_time(m->machine);
	if (!f->clock) {
		close_file(&f->feed);
		snprintf(why, size, "%s: this family has no clock of cores", path);
		return BXS_ENOTSUP;
	}
	f->first = signal_clocks(f->clock, f->start);
	*out = &f->feed;
	return 0;
}

struct bxs_events {
	struct event_file file;
};

int bxs_events_open(bxs_machine *m, const char *path, bxs_events **out)
{
	struct feed *feed;
	char why[600] = "";
	int err = event_file_open(m, path, &feed, why, sizeof why);

	if (err < 0)
		return api_fail(m, err, "%s", *why ? why : bxs_strerror(err));
	*out = (struct bxs_events *)feed;
	(*out)->file.stops = true;
	return 0;
}

int bxs_events_run(bxs_events *e)
{
	int more = feed_run(&e->file.feed, UINT64_MAX);

	if (more < 0)
		return api_fail(e->file.m, more, "%s", e->file.why[0] ? e->file.why : bxs_strerror(more));
	return more;
}

void bxs_events_close(bxs_events *e)
{
	if (e)
		feed_close(&e->file.feed);
}
