/* SPDX-License-Identifier: BSD-2-Clause */
#include "turn.h"

#include "check.h"
#include "shared.h"

/* What a record counts in a turn's length: the instructions that a core retires while the request is under way. */
#define RECORD_WORTH 60

/* What a locked instruction counts. */
#define LOCKED_WORTH 60

/* A thread that runs alone looks at its timers after this part of the remaining time, since a record may take ten times RECORD_WORTH. */
#define TIMER_LOOKS 16

/* Instructions after which a core that hits its caches checks whether its turn is over. */
#define LOOK_EVERY 512

/* ps: the most by which the core's time of a thread that reads its clock may be behind the latest time shown to any thread */
#define MOST_BEHIND UINT64_C(1000000000)

/* The turn of a thread that only reads one line again and again may last this many quanta: the machine cuts what it read in vain. */
#define SPIN_QUANTA 8
#define SPIN_AT_LEAST 64		/* instructions */

#define PRIVATE_TURNS 8			/* turns without sharing after which turns get longer */

/* The length of the turn so far: instructions, and what records and locked instructions count. */
static uint64_t spent(const struct plugin_core *c)
{
	return plugin_retired(c) - c->began + (c->writer.head - c->first) * RECORD_WORTH +
	       (uint64_t)(c->locks - c->locks_began) * LOCKED_WORTH;
}

/* How many instructions a thread that only reads this line may go on: as many again as it had spun before this turn. */
static uint64_t spins_on(struct plugin_core *c, uint64_t line, bool write)
{
	if (write || line != c->spin_line || c->writer.head != c->spin_head) {
		c->spin_line = write ? XCORE_NO_LINE : line;
		c->spin_head = c->writer.head;
		c->spin_from = plugin_retired(c);
	}
	return c->spin_from <= c->began ? c->began - c->spin_from + SPIN_AT_LEAST : 0;
}

/* An access to a line that other cores use has to wait for their earlier accesses. */
static bool in_order(void *ctx, uint64_t line, bool write)
{
	struct plugin_core *c = ctx;
	uint64_t lead = c->transferred ? 0 : c->ahead + spins_on(c, line, write);
	bool waits = !c->alone_now && c->has_turn && !c->completes && spent(c) > lead;

	if (!c->has_turn)
		plugin_turn_take(c);
	else if (waits)
		plugin_turn_yield(c);
	c->ordered = true;
	return waits;
}

void (*plugin_turn_begun)(struct plugin_core *c);

void plugin_turn_join(struct plugin_core *c)
{
	c->turns = true;
	c->look_within = UINT64_MAX;
	c->alone = false;
	c->has_turn = false;
	c->spin_line = XCORE_NO_LINE;
	xcore_share(&c->x, in_order);
	/* The first translated block asks for the turn. */
	xcore_look_every(&c->x, 1);
}

/* Is a timer of the thread's process running? */
static bool is_timed(const struct plugin_core *c)
{
	return c->look_within != UINT64_MAX;
}

/*
 * The private caches have taken all snoops that other threads' accesses caused.  Count the lines that they should have lost or share by
 * now, but still hold as before.
 */
static void look_for_lost(struct plugin_core *c)
{
	struct ring *r = c->writer.ring;
	unsigned kept = 0;

	for (unsigned i = 0; i < r->lost && i < RING_LOST; i++) {
		enum cache_state most = r->lost_line[i].kind == LEAVE_SNOOP_SHARE ? CACHE_SHARED : CACHE_NONE;

		kept += plugin_holds(c, r->lost_line + i) > most;
	}
	if (kept)
		atomic_fetch_add(&r->kept, kept);
}

/*
 * Before the machine knows that two threads share a line, their accesses to it may be out of order by up to a turn.  So turns are short
 * while a thread shares memory, and get longer once it has shared none for some turns.
 */
static void note_sharing(struct plugin_core *c, bool shares)
{
	if (shares || c->ordered)
		c->private_turns = 0;
	else if (c->private_turns < PRIVATE_TURNS)
		c->private_turns++;
}

static uint64_t quantum(const struct plugin_core *c)
{
	const struct ring_segment *s = c->writer.segment;

	return c->private_turns < PRIVATE_TURNS ? s->quantum : s->quantum_most;
}

/* Does the snoop show that another core uses the line, too?  Lines that all cores only read do not count. */
static bool is_sharing(const struct leave_snoop *snoop)
{
	return snoop->kind != LEAVE_SNOOP_EVICT && snoop->kind != LEAVE_SNOOP_GRANT;
}

void plugin_turn_begin(struct plugin_core *c)
{
	bool shares = false;
	struct leave_snoop snoop;

	if (ring_flooded(&c->writer) || c->writer.ring->moves != c->moves)
		xcore_clear(&c->x);
	c->moves = c->writer.ring->moves;
	while (ring_take_any(&c->writer, &snoop)) {
		shares |= is_sharing(&snoop);
		plugin_snoop(c, &snoop);
	}
	note_sharing(c, shares);
	if (__builtin_expect(c->writer.ring->lost, 0))
		look_for_lost(c);
	plugin_check_owed(c);
	c->has_turn = true;
	c->began = plugin_retired(c);
	c->first = c->writer.head;
	c->locks_began = c->locks;
	c->ahead = c->writer.ring->ahead;
	c->alone_now = c->writer.ring->given & RING_ALONE_NOW;
	c->transferred = c->ordered = false;
	xcore_look_every(&c->x, c->alone_now && !is_timed(c) ? XCORE_TICK : LOOK_EVERY);
	if (plugin_turn_begun)
		plugin_turn_begun(c);
}

void plugin_turn_take(struct plugin_core *c)
{
	if (ring_await_turn(&c->writer))
		plugin_turn_begin(c);
}

/* Has the thread done nothing in all of its turn but read the line that it read before, and does it still have the line? */
static bool only_spun(const struct plugin_core *c)
{
	return c->spin_line != XCORE_NO_LINE && c->spin_head == c->writer.head && c->spin_from <= c->began;
}

static void tell(struct plugin_core *c)
{
	bool spins;

	plugin_core_tell_locked(c);
	spins = c->spin_head == c->writer.head;
	plugin_core_tell(c, only_spun(c) ? LEAVE_SPIN : 0);
	if (spins)
		c->spin_head = c->writer.head;
}

void plugin_turn_pass(struct plugin_core *c, enum ring_turn next)
{
	if (next != RING_WANTS)
		plugin_core_flush(c, LEAVE_HALT);
	else
		tell(c);
	plugin_check_owed(c);
	c->has_turn = false;
	ring_end_turn(&c->writer, next);
}

void plugin_turn_yield(struct plugin_core *c)
{
	plugin_turn_pass(c, RING_WANTS);
	plugin_turn_take(c);
}

void plugin_turn_start(struct plugin_core *c)
{
	atomic_store(&c->writer.segment->several, 1);
	plugin_turn_join(c);
	plugin_core_flush(c, LEAVE_TICK);
	ring_end_turn(&c->writer, RING_WANTS);
	plugin_turn_take(c);
}

uint64_t plugin_turn_time(struct plugin_core *c, unsigned cost)
{
	uint64_t *shown = &c->writer.segment->clock.shown, time;

	if (!c->has_turn)
		plugin_turn_take(c);
	c->locks += cost;
	plugin_turn_yield(c);
	time = c->writer.ring->time;
	/* A program that overwrites `shown` spoils only its own clock, and only by MOST_BEHIND. */
	if (time > *shown || *shown - time > MOST_BEHIND)
		*shown = time;
	return *shown;
}

/* Machine time is known only between turns.  So end the turn when a good part of the time until the first timer may have passed. */
static bool may_have_run_out(const struct plugin_core *c)
{
	return spent(c) / RING_INSTRUCTIONS_NS >= c->look_within / TIMER_LOOKS;
}

static bool is_over(const struct plugin_core *c)
{
	if (c->alone_now)
		return atomic_load_explicit(&c->writer.ring->asked, memory_order_relaxed) || (is_timed(c) && may_have_run_out(c));
	return spent(c) >= quantum(c) * (only_spun(c) ? SPIN_QUANTA : 1);
}

void plugin_turn_look(struct plugin_core *c)
{
	if (!c->has_turn)
		plugin_turn_take(c);
	else if (is_over(c))
		plugin_turn_yield(c);
}

void plugin_turn_wake(struct plugin_core *c, unsigned ring)
{
	plugin_core_mark(c, LEAVE_WAKE, ring);
}

void plugin_turn_event(struct plugin_core *c, unsigned events)
{
	if (!atomic_load(&c->writer.segment->tries))
		return;
	plugin_core_mark(c, LEAVE_WAKE, RING_EVENTS | events);
	plugin_turn_yield(c);
}
