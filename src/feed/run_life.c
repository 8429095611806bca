/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start and end of a running program's threads and processes.  The machine gives a turn only when all announced threads have arrived and
 * all ended ones are gone, so the time that the host takes for either does not matter.
 */
#include <unistd.h>

#include "feed/run_private.h"

#define DEATH_LOOKS 2000		/* looks at a process whose last thread has ended, which neither runs nor is gone */
#define ARRIVAL_MS 3000			/* how long an announced thread may take to arrive while its announcer does not run */
#define PATIENCE_MS 60000		/* how long an announced thread may take to arrive, or a process to end, in any case */

bool run_arriving(struct run *r)
{
	if (!atomic_load(&r->segment->arriving)) {
		r->arriving_since = 0;
		return false;
	}
	if (!r->arriving_since)
		r->arriving_since = r->announcer_ran = run_host_ms();
	if (run_host_ms() - r->announcer_ran <= ARRIVAL_MS)
		return true;
	if (run_host_ms() - r->arriving_since < PATIENCE_MS && run_is_at_work(atomic_load(&r->segment->announcer), &r->announcer_switches))
		r->announcer_ran = run_host_ms();
	else
		atomic_store(&r->segment->arriving, 0);
	return true;
}

static bool is_alone(const struct run *r, unsigned i)
{
	int32_t pid = atomic_load(&run_ring(r, i)->holder);
	unsigned used = run_used(r);

	for (unsigned k = 0; k < used; k++) {
		if (k != i && atomic_load(&run_ring(r, k)->holder) == pid)
			return false;
	}
	return pid > 0 && !atomic_load(&r->segment->arriving);
}

/* A process has died: thread k may have waited for that. */
static void tell_death(struct run *r, unsigned k)
{
	struct run_thread *t = &r->thread[k];

	t->events |= RING_IO | RING_CHILD;
	if (atomic_load(&run_ring(r, k)->turn) == RING_TRIES && t->halted)
		t->wake_at = run_latest(r);
}

/*
 * The last thread of process `pid` has ended.  Wait until the process has closed its files and its parent can read its status.  The
 * parent may also get a signal, which has arrived only once run_stirs() sees it at the parent's thread.
 */
static void await_death(struct run *r, int32_t pid)
{
	uint64_t switches = 0, since = run_host_ms();

	for (unsigned n = 0; n < DEATH_LOOKS && !run_is_dead(pid) && run_host_ms() - since < PATIENCE_MS; usleep(50))
		n += !run_is_at_work(pid, &switches);
	r->kills = atomic_load(&r->segment->clock.kills) - 1;
}

static void let_die(struct run *r, struct ring *ring)
{
	int32_t pid = atomic_load(&ring->holder);

	/* The process's end may send a signal that ends other threads' waits at once. */
	for (unsigned k = 0; k < run_used(r); k++)
		tell_death(r, k);
	ring_free(ring);
	await_death(r, pid);
}

void run_free_finished(struct run *r)
{
	unsigned used = run_used(r);

	for (unsigned i = 0; i < used; i++) {
		struct ring *ring = run_ring(r, i);

		if (atomic_load(&ring->state) != RING_DONE || run_waiting(r, i))
			continue;
		if (atomic_load(&r->segment->several) && atomic_load(&ring->holder) != r->pid && is_alone(r, i))
			let_die(r, ring);
		else
			ring_free(ring);
		run_pass_signals(r);
	}
}

/*
 * Had the dead thread done work that it had not reported?  A thread that waits for its turn, sleeps in the kernel or has sent the fatal
 * signal itself has reported all of its work.
 */
static bool was_at_work(const struct ring *ring)
{
	return atomic_load(&ring->state) == RING_LIVE && run_turn_of(ring) == RING_RUNS && atomic_load(&ring->idle) != RING_IDLE_TOLD;
}

void run_bury_dead(struct run *r)
{
	unsigned used = run_used(r);

	for (unsigned i = 0; i < used; i++) {
		struct ring *ring = run_ring(r, i);
		int32_t pid = atomic_load(&ring->holder);

		if (pid == RING_NOBODY || pid == RING_FOREIGN)
			continue;
		if (pid == r->pid ? r->ended : run_is_dead(pid)) {
			r->killed += was_at_work(ring);
			ring_bury(ring);
		}
	}
}
