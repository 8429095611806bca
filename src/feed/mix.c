/* SPDX-License-Identifier: BSD-2-Clause */
/* Feeds by turns. */
#include "feed/mix.h"

#include <stdlib.h>

#include "base/error.h"
#include "machine/machine.h"

#define TURN UINT64_C(200000)		/* picoseconds of a feed's turn */

struct mix {
	struct feed feed;
	struct feed **part;
	unsigned parts;
	bool leader;			/* with the first part all is over */
	bool begun;
	bool *ended;
	uint64_t at;			/* all parts are here */
	unsigned first;			/* whose turn comes first: who is fed first is served first */
	unsigned turn;			/* parts that have had this turn */
	bool awake;			/* one of them at least was */
	struct feed *waiting;		/* which one time waits for, or what failed */
};

static bool is_over(const struct mix *x)
{
	bool over = true;

	if (x->leader && x->parts)
		return x->ended[0];
	for (unsigned i = 0; i < x->parts; i++)
		over = over && x->ended[i];
	return over;
}

/*
 * One turn of every part, up to `until`, strictly one after the other, so that it does not matter how fast they are
 * in our time: FEED_MORE; FEED_STARVED, to go on with the part to wait for; FEED_ASLEEP, all of them; or an error.
 */
static int take_turns(struct mix *x, uint64_t until)
{
	for (; x->turn < x->parts; x->turn++) {
		unsigned i = (x->first + x->turn) % x->parts;
		int got;

		if (x->ended[i])
			continue;
		got = feed_run(x->part[i], until);
		x->ended[i] = got == FEED_ENDED;
		x->awake |= got == FEED_MORE || got == FEED_ENDED;
		if (got != FEED_MORE && got != FEED_ENDED)
			x->waiting = x->part[i];
		if (got < 0 || got == FEED_STARVED)
			return got;
	}
	x->turn = 0;
	return x->awake ? FEED_MORE : FEED_ASLEEP;
}

static int mix_run(struct feed *f, uint64_t until)
{
	struct mix *x = (struct mix *)f;

	if (!x->begun)
		x->at = machine_horizon(f->machine);
	x->begun = true;
	while (!is_over(x)) {
		uint64_t next = until > x->at && until - x->at > TURN ? x->at + TURN : until;
		int state;

		if (x->at >= until || machine_interrupted(f->machine))
			return FEED_MORE;
		state = take_turns(x, next);
		if (state < 0 || (state > FEED_MORE && f->live))
			return state;
		/* What sleeps or computes does so in our time: machine time waits for it. */
		if (state != FEED_MORE) {
			feed_rest(x->waiting);
			continue;
		}
		x->at = next;
		x->awake = false;
		x->first = (x->first + 1) % x->parts;
	}
	feed_stop(f);	/* those that outlive their leader */
	return FEED_ENDED;
}

static void mix_rest(struct feed *f)
{
	struct mix *x = (struct mix *)f;

	if (x->waiting)
		feed_rest(x->waiting);
}

static void mix_stop(struct feed *f)
{
	struct mix *x = (struct mix *)f;

	for (unsigned i = 0; i < x->parts; i++) {
		if (!x->ended[i])
			feed_stop(x->part[i]);
		x->ended[i] = true;
	}
}

static void mix_close(struct feed *f)
{
	struct mix *x = (struct mix *)f;

	for (unsigned i = 0; i < x->parts; i++)
		feed_close(x->part[i]);
	free(x->part);
	free(x->ended);
	free(x);
}

static const char *mix_why(struct feed *f)
{
	struct mix *x = (struct mix *)f;

	return x->waiting ? feed_why(x->waiting) : NULL;
}

static const struct feed_ops mix_ops = {
	.run = mix_run, .stop = mix_stop, .close = mix_close, .why = mix_why,
	.rest = mix_rest,
};

int mix_new(struct machine *m, bool leader, struct feed **out)
{
	struct mix *x = calloc(1, sizeof *x);

	if (!x)
		return BXS_ENOMEM;
	x->feed = (struct feed){ .ops = &mix_ops, .machine = m };
	x->leader = leader;
	*out = &x->feed;
	return 0;
}

int mix_add(struct feed *mix, struct feed *part)
{
	struct mix *x = (struct mix *)mix;
	struct feed **parts = realloc(x->part, (x->parts + 1) * sizeof *parts);
	bool *ended;

	if (parts)
		x->part = parts;
	ended = parts ? realloc(x->ended, (x->parts + 1) * sizeof *ended) : NULL;
	if (!ended) {
		feed_close(part);
		return BXS_ENOMEM;
	}
	x->ended = ended;
	part->live = true;
	x->part[x->parts] = part;
	x->ended[x->parts++] = false;
	return 0;
}
