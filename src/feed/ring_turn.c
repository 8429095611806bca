/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings in shared memory: how a turn is given, and waited for.
 *
 * To put a thread to sleep and to wake it costs as much as to simulate dozens of requests, and most turns are given within that
 * time.  So where there are processors for it, a thread that has ended its turn first looks for the next one for a while.  The
 * consumer does not wake the thread whose turn it is while another one looks: that one does, and then goes to sleep on
 * the processor that the other takes over.
 */
#include "feed/ring_private.h"

#define TURN_US 100000			/* a lost wake-up costs a thread whose turn it is not for long at most this */
#define LOOKS 2000			/* before a thread sleeps: as long as it takes to wake it a few times */
#define MOST_SKIPPED 4			/* turns after which a thread that has looked in vain looks again */

/* One who has ended its turn is awake, and does it instead of the consumer. */
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

/* Is there a processor for one more that looks, beside the consumer's? */
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

/* Look until this thread has the turn or has woken the one that does.  False: in vain. */
static bool look(struct ring_segment *s, struct ring *r)
{
	for (unsigned n = 0; n < LOOKS; n++) {
		if (atomic_load(&r->turn) == RING_RUNS)
			return true;
		if (atomic_load_explicit(&s->handed, memory_order_relaxed)) {
			wake_handed(s);
			/* That one needs a processor. */
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
	/* Given while this one stopped to look. */
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
