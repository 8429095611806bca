/* SPDX-License-Identifier: BSD-2-Clause */
/* Playing event files: a line at a time, each at the time at which it happens. */
#include "api/event_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/event_lines.h"
#include "pmu/pmu.h"

static const char magic[] = "boxscore-events 1";

struct event_file {
	struct feed feed;
	bxs_machine *m;
	struct event_lines lines;		/* the line at hand, its time left out */
	const struct signal_clock *clock;
	uint64_t start, first;		/* picoseconds, and cycles, when it was opened */
	uint64_t when;			/* of the line at hand */
	bool stops;			/* run() ends when an interrupt is raised */
	bool pending, ended;		/* a line is at hand; `end` or the last line is past */
};

#define fail(f, ...) event_lines_fail(&(f)->lines, __VA_ARGS__)

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

	if (!event_lines_number(word + 1, &end, &n) || (*end && strcmp(end, "ps") != 0) || (*end && *word == '+'))
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
	int more = event_lines_read(&f->lines);

	if (more < 0)
		return more;
	f->lines.text[strcspn(f->lines.text, "\r")] = '\0';
	if (!more || strcmp(f->lines.text, magic) != 0)
		return fail(f, BXS_EINVAL, "no event file: its first line is not '%s'", magic);
	if (size)
		snprintf(spec, size, "poulson");
	more = event_lines_next(&f->lines);
	if (more <= 0)
		return more;
	if (strcmp(f->lines.word[0], "machine") != 0) {
		f->pending = true;
		return 0;
	}
	if (f->lines.words != 2)
		return fail(f, BXS_EINVAL, "expected: machine SPECIFICATION");
	if (size)
		snprintf(spec, size, "%s", f->lines.word[1]);
	return 0;
}

/* The next occurrence, with its time: 1, or 0 at the end. */
static int next(struct event_file *f)
{
	int err = f->pending ? 1 : event_lines_next(&f->lines);

	if (err <= 0)
		return err;
	f->pending = true;
	if (f->lines.words && (*f->lines.word[0] == '@' || *f->lines.word[0] == '+')) {
		err = set_time(f, f->lines.word[0]);
		if (err < 0)
			return err;
		memmove(f->lines.word, f->lines.word + 1, (size_t)--f->lines.words * sizeof *f->lines.word);
		if (!f->lines.words)
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

	if (f->lines.words < 4 || !event_lines_number(f->lines.word[3], &end, &n) || *end)
		return fail(f, BXS_EINVAL, "expected: %s BOX EVENT[.SUBEVENT] N [tag=value...]", f->lines.word[0]);
	for (int i = 4; i < f->lines.words; i++) {
		char *value = strchr(f->lines.word[i], '=');

		if (value)
			*value++ = '\0';
		if (!value || bxs_tag_set(&tag, f->lines.word[i], value) < 0)
			return fail(f, BXS_EINVAL, "no such tag or value: %s%s%s%s", f->lines.word[i],
				    value ? "=" : "", value ? value : "",
				    value && strcmp(f->lines.word[i], "opc") == 0 ? "; it takes a number or a packet's name, DRd" : "");
	}
	return level ? bxs_level(f->m, f->lines.word[1], f->lines.word[2], n, &tag) :
		       bxs_pulse(f->m, f->lines.word[1], f->lines.word[2], n, &tag);
}

/* KIND THREAD [attribute=value...] */
static int tell_line(struct event_file *f)
{
	char attributes[EVENT_LINE_SIZE + 16] = "";
	size_t n = 0;

	if (f->lines.words < 2)
		return fail(f, BXS_EINVAL, "expected: %s THREAD [attribute=value...]", f->lines.word[0]);
	for (int i = 1; i < f->lines.words; i++)
		n += (size_t)snprintf(attributes + n, sizeof attributes - n, "%s%s ",
				      i == 1 ? "thread=" : "", f->lines.word[i]);
	return bxs_tell(f->m, f->lines.word[0], attributes);
}

static int happen(struct event_file *f)
{
	const char *kind = f->lines.word[0];
	int err;

	f->pending = false;
	f->lines.why[0] = '\0';
	if (strcmp(kind, "end") == 0) {
		f->ended = true;
		return f->lines.words == 1 ? 0 : fail(f, BXS_EINVAL, "'%s' after end", f->lines.word[1]);
	}
	if (strcmp(kind, "pulse") == 0 || strcmp(kind, "level") == 0)
		err = raise_line(f, *kind == 'l');
	else
		err = tell_line(f);
	if (err < 0 && !f->lines.why[0])
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
		if (machine_interrupted(f->m->machine))
			return FEED_MORE;
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

	if (f->lines.file)
		fclose(f->lines.file);
	free(f);
}

static const char *why_of(struct feed *feed)
{
	struct event_file *f = (struct event_file *)feed;

	return f->lines.why[0] ? f->lines.why : NULL;
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
	snprintf(f->lines.path, sizeof f->lines.path, "%s", path);
	f->lines.file = fopen(path, "r");
	if (!f->lines.file) {
		err = errno == ENOENT ? BXS_ENOENT : BXS_EIO;
		snprintf(why, why_size, "%s: %s", path, strerror(errno));
		close_file(&f->feed);
		return err;
	}
	err = read_header(f, spec, size);
	if (err < 0) {
		snprintf(why, why_size, "%s", f->lines.why);
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
	int err = api_simulated(m);

	if (err < 0)
		return err;
	err = event_file_open(m, path, &feed, why, sizeof why);
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
		return api_fail(e->file.m, more, "%s", e->file.lines.why[0] ? e->file.lines.why : bxs_strerror(more));
	return more;
}

void bxs_events_close(bxs_events *e)
{
	if (e)
		feed_close(&e->file.feed);
}
