/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a scenario: opens the kernels of a phase, runs them, ends them, goes on to the next. */
#include <stdio.h>
#include <stdlib.h>

#include "base/complain.h"
#include "base/error.h"
#include "feed/mix.h"
#include "feed/scenario.h"
#include "machine/machine.h"

struct play {
	struct feed feed;
	const struct scenario *s;
	unsigned phase;
	uint64_t times;			/* that the phase has been played */
	struct feed *runs;		/* of the phase; NULL: it has not begun, or rests */
	bool begun;
	uint64_t end;			/* of the phase; UINT64_MAX: when its runs have ended */
	char why[400];
};

/* No two runs of a phase on one core. */
static int check_phase(struct machine *m, const struct scenario *s, const struct scenario_phase *p,
		       const struct complaint *c)
{
	unsigned user[1024] = { 0 };	/* line of the run that has the core */

	for (unsigned i = p->run0; i < p->run0 + p->runs; i++) {
		const struct scenario_text *run = s->run + i;
		uint64_t first, threads, step;
		char why[300] = "";
		int err = kernel_check(m, run->text, &first, &threads, &step, why, sizeof why);

		if (err < 0)
			return complain(c, err == BXS_ENOTSUP ? err : BXS_EINVAL, "%s:%u: %s", s->file, run->line, why);
		for (uint64_t t = 0; t < threads; t++) {
			unsigned *core = &user[(first + t * step) % 1024];

			if (*core)
				return complain(c, BXS_EINVAL, "%s:%u: core %u already has the run of line %u", s->file,
						run->line, (unsigned)(first + t * step), *core);
			*core = run->line;
		}
	}
	return 0;
}

static int begin_phase(struct play *y)
{
	const struct scenario_phase *p = y->s->phase + y->phase;
	struct machine *m = y->feed.machine;
	uint64_t now = machine_horizon(m), length = p->rest ? p->rest : p->limit;
	int err = 0;

	y->end = length ? now + length : UINT64_MAX;
	y->begun = true;
	if (p->rest)
		return 0;
	err = mix_new(m, false, &y->runs);
	for (unsigned i = p->run0; i < p->run0 + p->runs && err == 0; i++) {
		struct feed *run;

		err = kernel_open(m, y->s->run[i].text, &run, y->why, sizeof y->why);
		if (err == 0)
			err = mix_add(y->runs, run);
	}
	return err;
}

static void end_phase(struct play *y)
{
	if (y->runs)
		feed_stop(y->runs);
	feed_close(y->runs);
	y->runs = NULL;
	y->begun = false;
	if (++y->times < y->s->phase[y->phase].times)
		return;
	y->times = 0;
	y->phase++;
}

/* Up to `until` or the end of the phase; FEED_ENDED: the phase has ended. */
static int play_phase(struct play *y, uint64_t until)
{
	uint64_t stop = until < y->end ? until : y->end;
	int more;

	if (y->runs) {
		more = feed_run(y->runs, stop);
		return more == FEED_MORE && stop == y->end ? FEED_ENDED : more;
	}
	machine_advance(y->feed.machine, stop);
	return stop == y->end ? FEED_ENDED : FEED_MORE;
}

static int play_run(struct feed *f, uint64_t until)
{
	struct play *y = (struct play *)f;

	while (y->phase < y->s->phases) {
		int got = y->begun ? 0 : begin_phase(y);

		/* What a phase begins with may take long, and is then left as it is. */
		if (machine_interrupted(f->machine))
			return FEED_MORE;
		if (got == 0)
			got = play_phase(y, until);
		if (got != FEED_ENDED)
			return got;
		end_phase(y);
	}
	return FEED_ENDED;
}

static void play_stop(struct feed *f)
{
	struct play *y = (struct play *)f;

	if (y->runs)
		feed_stop(y->runs);
}

static void play_close(struct feed *f)
{
	struct play *y = (struct play *)f;

	feed_close(y->runs);
	free(y);
}

static const char *play_why(struct feed *f)
{
	struct play *y = (struct play *)f;

	return y->why[0] ? y->why : NULL;
}

static const struct feed_ops play_ops = {
	.run = play_run, .stop = play_stop, .close = play_close, .why = play_why,
};

int scenario_open(struct machine *m, const struct scenario *s, struct feed **out, char *why, size_t size)
{
	struct complaint c = { why, size };
	struct play *y;

	for (unsigned i = 0; i < s->phases; i++) {
		int err = check_phase(m, s, s->phase + i, &c);

		if (err < 0)
			return err;
	}
	y = calloc(1, sizeof *y);
	if (!y)
		return complain(&c, BXS_ENOMEM, "out of memory");
	y->feed = (struct feed){ .ops = &play_ops, .machine = m };
	y->s = s;
	*out = &y->feed;
	return 0;
}
