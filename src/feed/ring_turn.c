/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings in shared memory: how a turn is given, and waited for.
 *
 * Putting a thread to sleep and waking it costs as much as simulating dozens of requests, and the next turn often comes sooner than
 * that.  So if the host has a processor to spare, a thread that has ended its turn first polls for its next one.  While a thread
 * polls, the consumer leaves it to that thread to wake the one whose turn it is; the polling thread then sleeps, and the woken thread
 * takes over its processor.
 */
#include "feed/ring_private.h"

#define TURN_US 100000			/* bounds the delay if a wake-up is lost */
#define LOOKS 2000			/* polls before a thread sleeps: about as long as a few wake-ups take */
#define MOST_SKIPPED 4			/* a thread that keeps polling in vain stops skipping more turns here */

/* Wake the thread that has been given the turn.  A thread that has just ended its own is awake, and does this for the consumer. */
static void wake_handed(struct ring_segment *s)
{
	uint32_t ring;

	if (!atomic_load_explicit(&s->handed, memory_order_relaxed))
		return;
	ring = atomic_exchange(&s->handed, 0);
	if (ring && ring <= RING_SLOTS)
		ring_futex_wake(&s->ring[ring - 1].turns);
}

void ring_give(struct ring_segment *s, unsigned ring, unsigned given, uint64_t ahead)
{
	struct ring *r = s->ring + ring;

	r->given = given;
	atomic_store(&r->asked, 0);
	r->ahead = ahead;
	atomic_store(&r->turn, RING_RUNS);
	atomic_fetch_add(&r->turns, 1);
	if (atomic_load(&r->looks))
		return;
	atomic_store(&s->handed, ring + 1);
	if (!atomic_load(&s->looking))
		wake_handed(s);
}

void ring_give_again(struct ring_segment *s)
{
	if (!atomic_load_explicit(&s->handed, memory_order_relaxed))
		return;
	atomic_store(&s->looking, 0);
	wake_handed(s);
}

/* Count as polling, if a processor is left for it beside the consumer's. */
static bool begin_to_look(struct ring_segment *s)
{
	uint32_t looking = atomic_load(&s->looking);

	do {
		if (looking + 1 >= s->processors)
			return false;
	} while (!atomic_compare_exchange_weak(&s->looking, &looking, looking + 1));
	return true;
}

static void stop_looking(struct ring_segment *s)
{
	uint32_t looking = atomic_load(&s->looking);

	while (looking && !atomic_compare_exchange_weak(&s->looking, &looking, looking - 1))
		;
}

/* Poll until this thread has the turn or has woken the thread that does.  False: in vain. */
static bool look(struct ring_segment *s, struct ring *r)
{
	for (unsigned n = 0; n < LOOKS; n++) {
		if (atomic_load(&r->turn) == RING_RUNS)
			return true;
		if (atomic_load_explicit(&s->handed, memory_order_relaxed)) {
			wake_handed(s);
			/* The woken thread needs a processor. */
			if (atomic_load(&s->looking) + 1 >= s->processors)
				return true;
		}
		ring_relax();
	}
	return false;
}

void ring_look_for_turn(struct ring_writer *w)
{
	struct ring_segment *s = w->segment;
	struct ring *r = w->ring;

	if (w->skip) {
		w->skip--;
		return;
	}
	if (!begin_to_look(s))
		return;
	atomic_store(&r->looks, 1);
	if (look(s, r))
		w->in_vain = 0;
	else if (w->in_vain < MOST_SKIPPED)
		w->in_vain = 2 * w->in_vain + 1;
	w->skip = w->in_vain;
	atomic_store(&r->looks, 0);
	stop_looking(s);
	/* The turn may have been given while this thread stopped polling. */
	wake_handed(s);
}

void ring_end_turn(struct ring_writer *w, enum ring_turn next)
{
	w->shown = w->told = w->head;
	atomic_store_explicit(&w->ring->head, w->head, memory_order_release);
	atomic_store(&w->ring->turn, next);
	ring_bell(w->segment);
}

void ring_say_again(struct ring_writer *w, enum ring_turn turn)
{
	struct ring *r = w->ring;
	uint32_t seen;

	/* Another thread that ends the process may have released it. */
	if (!r || ring_lost(w))
		return;
	seen = atomic_load(&r->turn);
	if (seen != (uint32_t)turn && seen != RING_RUNS && atomic_compare_exchange_strong(&r->turn, &seen, turn))
		ring_bell(w->segment);
}

bool ring_await_turn(struct ring_writer *w)
{
	struct ring *r = w->ring;

	if (atomic_load(&r->turn) != RING_RUNS)
		ring_look_for_turn(w);
	for (;;) {
		uint32_t seen = atomic_load(&r->turns);

		if (atomic_load(&r->turn) == RING_RUNS)
			return true;
		if (ring_lost(w))
			return false;
		if (!ring_futex_sleep(&r->turns, seen, TURN_US))
			continue;
		ring_say_again(w, RING_WANTS);
		ring_check_consumer(w->segment);
	}
}
