/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the counters of a session, and what the readings are worth.
 *
 * A counter that may have gone round once since the last read is right all the same,
 * because differences are taken modulo its width.  Only if it may have gone round more
 * often (the caller let too much time pass) does the box's overflow bit decide.
 *
 * What counted only in its turns is scaled by time.  Its error comes from how much the
 * rate differed from turn to turn: when a share f of the time was seen in n turns, the mean
 * rate is known to t s / sqrt(n) * sqrt(1 - f), where s is the standard deviation of the rates,
 * each weighed by the length of its turn, and t is Student's.  What is rare may have happened where nobody looked.
 *
 * Where the box sums and the counter sees the overflows of the sum, a reading is the sum: what is left over in
 * it belongs to the reading, or, where the box does not show it, is an error of it.
 */
#include <math.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/session_private.h"

/* When none of something rare has been seen, there may be up to three in as much time as was
 * looked at (95 in 100); three clusters, if it comes in clusters. */
#define NONE_SEEN 3

static bool in_turn(const struct slot *slot, const struct box *b)
{
	return slot->turn == SESSION_ALWAYS || slot->turn == b->turn;
}

/* The overflow bits of a box by counter; cleared on the way. */
static uint64_t take_overflows(struct session *s, const struct box *b)
{
	const struct names_type *l = names_layout(s->config.names, b->type);
	uint64_t value;

	if (l->status == NAMES_NONE)
		return 0;

	const struct cat_reg *reg = cat_regs + l->status;
	struct access_address at = session_address(l->status, b->socket, b->number, 0);

	if (access_read(s->config.access, &at, &value) < 0 || !(value & reg->w1c))
		return 0;
	access_write(s->config.access, &at, value & reg->w1c);
	value &= reg->w1c;
	/* A box with one bit more than counters has the fixed counter's at the bottom. */
	if ((unsigned)__builtin_popcountll(reg->w1c) == cat_types[b->type].counters + 1u)
		value >>= 1;
	return value;
}

/* What is left over in the sum whose overflows the counter sees; it moves on as `last`. */
static uint64_t rest_moved(struct session *s, struct slot *slot)
{
	const struct event_spec *spec = &s->want[slot->event].spec;
	const struct cat_field *f = cat_fields + spec->rest_field;
	uint64_t value, before = slot->rest_last;

	if (!slot->rest.width || access_read(s->config.access, &slot->rest, &value) < 0)
		return 0;
	slot->rest_last = value;
	return (bits_get(value, f->hi, f->lo) & (spec->scale - 1)) -
	       (bits_get(before, f->hi, f->lo) & (spec->scale - 1));
}

static void read_slot(struct session *s, const struct box *b, struct slot *slot, uint64_t dt)
{
	uint64_t now, delta, wrap = session_wrap_time(s, slot);

	if (slot->dead)
		return;
	if (access_read(s->config.access, &slot->ctr, &now) < 0) {
		slot->dead = true;
		return;
	}
	/* A device that has gone answers with ones in all bits, also those that no counter has. */
	if (now & ~bits_low(slot->width)) {
		slot->dead = true;
		return;
	}
	/* What always runs goes round, through all ones as well: it is stuck only where it stays there. */
	if (now == bits_low(slot->width) &&
	    (s->want[slot->event].spec.kind != EVENT_FREE || now == slot->last))
		slot->saturated = true;
	delta = (now - slot->last) & bits_low(slot->width);
	if (dt >= wrap && !s->paused && slot->turn == SESSION_ALWAYS)
		slot->wrapped = true;	/* no bit tells how often */
	slot->last = now;
	if (s->paused) {
		rest_moved(s, slot);
		return;
	}
	delta = delta * s->want[slot->event].spec.scale + rest_moved(s, slot);
	slot->count += delta;
	slot->on += dt;
	slot->first |= s->read_at == s->began;
	if (b->turns > 1 && dt) {
		double rate = (double)delta / (double)dt;

		slot->squares += (double)dt * rate * rate;
		slot->lengths += (double)dt * (double)dt;
	}
}

/* More time has passed than the counters can hold: an overflow bit means at least one round. */
static void check_wraps(struct session *s, const struct box *b, uint64_t dt, uint64_t overflows)
{
	for (unsigned i = b->slot0; i < b->slot0 + b->slots; i++) {
		struct slot *slot = s->slot + i;

		if (slot->turn != SESSION_ALWAYS && in_turn(slot, b) && !slot->dead && !s->paused &&
		    (overflows >> slot->counter & 1) && dt >= session_wrap_time(s, slot))
			slot->wrapped = true;
	}
}

static int read_box(struct session *s, struct box *b, uint64_t dt, bool last)
{
	uint64_t overflows = take_overflows(s, b);

	for (unsigned i = b->slot0; i < b->slot0 + b->slots; i++)
		if (in_turn(s->slot + i, b))
			read_slot(s, b, s->slot + i, dt);
	check_wraps(s, b, dt, overflows);
	/* A turn is one of time that counts: else a region would begin with the same one each time. */
	if (b->turns < 2 || last || !dt || s->paused)
		return 0;
	b->turn = (b->turn + 1) % b->turns;
	return session_program_turn(s, b);
}

static int read_all(struct session *s, uint64_t now, bool last)
{
	uint64_t dt = now - s->read_at;
	int err;

	if (!s->running)
		return 0;
	err = session_freeze(s);
	for (unsigned i = 0; i < s->boxes && err == 0; i++)
		err = read_box(s, s->box + i, dt, last);
	if (s->read_at == s->began && !s->paused)
		s->first = dt;
	session_read_cores(s);
	session_read_truth(s);
	s->elapsed += s->paused ? 0 : dt;
	s->running = !last;
	/* What is stopped first is started first: both times are those of the first. */
	s->read_at = session_clock(s, now);
	if (err == 0 && !last)
		err = session_unfreeze(s);
	return err;
}

int session_read(struct session *s, uint64_t now)
{
	return read_all(s, now, false);
}

int session_stop(struct session *s, uint64_t now)
{
	return read_all(s, now, true);
}

void session_clear(struct session *s)
{
	for (unsigned i = 0; i < s->slots; i++) {
		struct slot *slot = s->slot + i;

		slot->count = slot->on = 0;
		slot->truth0 = slot->truth;
		slot->squares = slot->lengths = 0;
		slot->wrapped = slot->saturated = false;
	}
	for (unsigned i = 0; i < s->config.sockets * s->config.cores; i++)
		for (unsigned k = 0; k < SESSION_CORE_KINDS; k++)
			s->core[i].count[k] = 0;
	s->tsc = 0;
	s->interval = s->elapsed;
	s->elapsed = s->first = 0;
}

void session_pause(struct session *s, bool pause)
{
	s->paused = pause;
}

uint64_t session_time(const struct session *s)
{
	return s->elapsed;
}

/*
 * Student's t for a mean of n values, such that 98 in 100 lie within so many of its estimated
 * deviations.  Turns follow each other and boxes take theirs together, so they tell less than
 * independent ones: with the table for 98, at least 95 hold (tests/api/turns.c).
 */
static double spread_of(double n)
{
	static const double few[] = { 31.82, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896 };
	unsigned freedom = (unsigned)(n - 0.5);

	return freedom <= LEN(few) ? few[freedom - 1] : 2.326 + 4.5 / freedom;
}

/* So many turns of one length would tell as much. */
static double turns_of(const struct slot *slot)
{
	return (double)slot->on * (double)slot->on / slot->lengths;
}

/* By how much the rate of a slot differed from turn to turn, squared. */
static double variance_of(const struct slot *slot)
{
	double n = turns_of(slot), mean = (double)slot->count / (double)slot->on;
	double variance = (slot->squares / (double)slot->on - mean * mean) * n / (n - 1);

	return variance > 0 ? variance : 0;
}

/*
 * How many of an event come together: what their number in a turn of a box varies by, over what it is on average.  That
 * is 1 of what comes singly and at any time.  Of all boxes, for one that has seen none knows nothing of it.
 */
static double cluster_size(const struct session *s, unsigned event)
{
	double varies = 0, count = 0;

	for (const struct slot *slot = s->slot; slot < s->slot + s->slots; slot++) {
		if (slot->event != event || slot->lengths == 0 || turns_of(slot) < 1.5)
			continue;
		varies += variance_of(slot) * slot->lengths;
		count += (double)slot->count;
	}
	return varies > count ? varies / count : 1;
}

/* How far the truth may lie on either side of the scaled value of a slot whose event comes in clusters of this size. */
static double slot_error(const struct session *s, const struct slot *slot, double cluster)
{
	uint64_t elapsed = s->elapsed;
	double seen = (double)slot->on / (double)elapsed;
	double unseen = seen < 1 ? 1 - seen : 0;
	double n = turns_of(slot);
	double few = NONE_SEEN * ((double)slot->count < NONE_SEEN * cluster ? cluster : 1) / seen * unseen;

	/* One turn says nothing of how the rate changes: what was not seen may be anything. */
	if (n < 1.5)
		return (double)slot->count / seen * unseen + few;

	double mean = (double)slot->count / (double)slot->on;
	/* While cores wake up and caches fill, less happens, or more. */
	double start = slot->first ? 0 : mean * (double)s->first;

	return few + hypot(start, (double)elapsed * spread_of(n) *
					  sqrt(variance_of(slot) / n * unseen));
}

static void worsen(struct session_value *v, enum bxs_validity validity)
{
	if (validity > v->validity)
		v->validity = validity;
}

static void add_slot(const struct session *s, const struct slot *slot, double cluster, struct session_value *v)
{
	const struct event_spec *spec = &s->want[slot->event].spec;

	if (slot->dead || (slot->on == 0 && s->elapsed)) {
		worsen(v, BXS_NOT_THERE);
		return;
	}
	if (slot->saturated)
		worsen(v, BXS_SATURATED);
	if (slot->wrapped)
		worsen(v, BXS_WRAPPED);
	/* What is left over in the sum is not to be seen: anything below `scale`, at both ends.  The
	 * difference of two such is within this 95 times in 100: (1 - 0.7764)^2 = 0.05. */
	if (spec->scale > 1 && !slot->rest.width) {
		worsen(v, BXS_SCALED);
		v->error += 0.7764 * spec->scale;
	}
	if (slot->on == s->elapsed) {
		v->value += (double)slot->count;
		return;
	}
	worsen(v, BXS_SCALED);
	v->value += (double)slot->count * ((double)s->elapsed / (double)slot->on);
	/* Boxes take their turns together, so their errors may point the same way. */
	v->error += slot_error(s, slot, cluster);
}

static bool selects(const struct box *b, int socket, int box)
{
	return (socket < 0 || socket == b->socket) && (box < 0 || box == b->number);
}

void session_value(const struct session *s, unsigned event, int socket, int box,
		   struct session_value *out)
{
	struct session_value v = { .validity = BXS_EXACT };
	const struct wanted *w = s->want + event;
	double cluster = s->most_turns > 1 ? cluster_size(s, event) : 1;
	bool any = false;

	for (unsigned i = 0; i < s->boxes && !w->silent; i++) {
		const struct box *b = s->box + i;

		if (b->type != w->spec.type || !selects(b, socket, box))
			continue;
		for (unsigned k = b->slot0; k < b->slot0 + b->slots; k++)
			if (s->slot[k].event == event) {
				add_slot(s, s->slot + k, cluster, &v);
				any = true;
			}
	}
	if (!any)
		v.validity = w->silent && !w->absent ? BXS_NOT_MODELLED : BXS_NOT_THERE;
	*out = v;
}

enum session_none session_none(const struct session *s, unsigned event)
{
	enum session_none none = s->want[event].absent ? SESSION_NO_PART : SESSION_NO_BOX;

	for (unsigned k = 0; k < s->slots && none != SESSION_NO_ANSWER; k++)
		if (s->slot[k].event == event)
			none = s->slot[k].dead ? SESSION_NO_ANSWER : SESSION_NO_TURN;
	return none;
}

const char *session_none_text(enum session_none none)
{
	static const char *const texts[] = {
		[SESSION_NO_PART] = "this machine has nothing that it could count", [SESSION_NO_BOX] = "there is no such box here",
		[SESSION_NO_ANSWER] = "a register of it does not answer", [SESSION_NO_TURN] = "its turn did not come",
	};

	return texts[none];
}

void session_each_box(const struct session *s, unsigned event,
		      void (*fn)(void *ctx, unsigned socket, unsigned box), void *ctx)
{
	for (unsigned i = 0; i < s->boxes; i++) {
		const struct box *b = s->box + i;

		for (unsigned k = b->slot0; k < b->slot0 + b->slots; k++)
			if (s->slot[k].event == event)
				fn(ctx, b->socket, b->number);
	}
}

void session_core(const struct session *s, enum session_core kind, int socket,
		  struct session_value *out)
{
	struct session_value v = { .validity = BXS_NOT_THERE };

	for (unsigned i = 0; i < s->config.sockets * s->config.cores; i++) {
		if (!s->core[i].there || (socket >= 0 && i / s->config.cores != (unsigned)socket))
			continue;
		v.validity = BXS_EXACT;
		v.value += (double)s->core[i].count[kind];
	}
	*out = v;
}

uint64_t session_tsc(const struct session *s)
{
	return s->tsc;
}

unsigned session_tsc_mhz(const struct session *s)
{
	return s->tsc_mhz;
}
