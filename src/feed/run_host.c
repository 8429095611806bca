/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program's threads cannot report themselves but the kernel knows: whether one is dead, stopped, blocked or about to run. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "feed/run_private.h"

#define STOPPED_MS 200			/* a thread that has the turn but has not run for this long counts as stopped */
#define STIRS_MS 100			/* how long a signal may take to become visible at its thread */

/* A thread as /proc shows it.  A process is represented by its first thread.  State 0: no such thread. */
struct task {
	char state;
	unsigned threads;		/* of its process */
	uint64_t pending;		/* signals that it does not block */
	uint64_t switches;		/* context switches away from it */
};

static struct task task_of(int32_t id)
{
	char name[40], line[128];
	struct task t = { 0 };
	uint64_t pending = 0, shared = 0, blocked = 0, given_up = 0, taken = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/status", (int)id);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "State: %c", &t.state) != 1 && sscanf(line, "Threads: %u", &t.threads) != 1 &&
		    sscanf(line, "SigPnd: %" SCNx64, &pending) != 1 && sscanf(line, "ShdPnd: %" SCNx64, &shared) != 1 &&
		    sscanf(line, "SigBlk: %" SCNx64, &blocked) != 1 && sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &given_up) != 1)
			sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &taken);
	}
	if (f)
		fclose(f);
	t.pending = (pending | shared) & ~blocked;
	t.switches = given_up + taken;
	return t;
}

uint64_t run_host_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

bool run_is_dead(int32_t pid)
{
	struct task t = task_of(pid);

	return !t.state || t.state == 'X' || (t.state == 'Z' && t.threads <= 1);
}

bool run_is_at_work(int32_t id, uint64_t *switches)
{
	struct task t = task_of(id);
	bool has_run = t.switches != *switches;

	*switches = t.switches;
	return has_run || t.state == 'R' || t.state == 'D';
}

/* Does any thread of the process run, or wait only for a processor or the kernel? */
static bool any_is_at_work(int32_t pid)
{
	char name[40];
	struct dirent *e;
	bool any = false;
	DIR *tasks;

	snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
	tasks = opendir(name);
	while (tasks && !any && (e = readdir(tasks)))
		any = ring_is_runnable(atoi(e->d_name));
	if (tasks)
		closedir(tasks);
	return any;
}

bool run_any_at_work(struct run *r)
{
	for (unsigned i = 0; i < run_used(r); i++) {
		const struct ring *ring = run_ring(r, i);

		if (atomic_load(&ring->state) == RING_LIVE && any_is_at_work(atomic_load(&ring->holder)))
			return true;
	}
	return false;
}

/*
 * Thread i sleeps.  Does it wait for a thread that it is creating, or for one of the emulator's own locks?  The holder of such a lock may
 * be a thread that waits for a host processor.
 */
static bool waits_for_host(struct run *r, unsigned i)
{
	const struct ring *ring = run_ring(r, i);

	if (atomic_load(&r->segment->arriving) && atomic_load(&r->segment->announcer) == atomic_load(&ring->thread))
		return true;
	return any_is_at_work(atomic_load(&ring->holder));
}

/*
 * Thread i has the turn and sends nothing.  Either its process has been stopped and only another thread can continue it, or it is in a
 * system call that blocks although the emulator did not expect that.  A thread with a context switch since the last look has run, and a
 * runnable thread waits only for the host: neither is stopped.
 */
void run_look_after(struct run *r, unsigned i)
{
	struct run_thread *t = &r->thread[i];
	uint64_t now = run_host_ms();
	struct task task;
	bool same = r->missed_since && r->missed == i;

	if (same && now - r->missed_since < STOPPED_MS)
		return;
	task = task_of(atomic_load(&run_ring(r, i)->thread));
	if (!same || task.switches != r->missed_switches || (task.state != 'T' && task.state != 't' && task.state != 'S') ||
	    (task.state == 'S' && waits_for_host(r, i))) {
		r->missed_since = now;
		r->missed = i;
		r->missed_switches = task.switches;
		return;
	}
	r->missed_since = 0;
	t->astray = true;
	t->astray_at = atomic_load(&run_ring(r, i)->head);
	if (!t->halted)
		run_halt(r, i);
}

/* Is a signal pending for the thread, or has one woken it?  The kernel knows this before the thread reports it to the machine. */
static bool stirs(int32_t thread, bool waits)
{
	struct task t = task_of(thread);

	return (waits && t.state == 'R') || t.pending;
}

bool run_stirs(struct run *r)
{
	uint32_t kills = atomic_load(&r->segment->clock.kills);
	uint64_t now = run_host_ms();

	if (kills == r->kills)
		return false;
	r->stirs_since = r->stirs_since ? r->stirs_since : now;
	for (unsigned i = 0; i < run_used(r) && now - r->stirs_since < STIRS_MS; i++) {
		const struct ring *ring = run_ring(r, i);
		int32_t thread = atomic_load(&ring->thread);
		uint32_t turn = atomic_load(&ring->turn);

		if (atomic_load(&ring->state) == RING_LIVE && thread > 0 && stirs(thread, turn != RING_WANTS && turn != RING_RUNS))
			return true;
	}
	r->kills = kills;
	r->stirs_since = 0;
	return false;
}
