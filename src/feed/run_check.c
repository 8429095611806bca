/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes out of the segment is another process's word, and that process runs a program that nobody vouches for.  Each
 * word is looked at here when it is taken, once, and what is then used is our own copy.  What no emulator writes ends the run.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/error.h"
#include "feed/run_private.h"

/* Of one record: a core tells of what it has done far more often, and this is far more than a block of code has. */
#define RECORD_INSTRUCTIONS (1u << 28)

static const char *const fault_name[] = {
	[RUN_FAULT_USED] = "a count of rings", [RUN_FAULT_STATE] = "a state of a ring", [RUN_FAULT_TURN] = "a state of a turn",
	[RUN_FAULT_HEAD] = "a count of records", [RUN_FAULT_KIND] = "a kind of record", [RUN_FAULT_WORK] = "a record of more work",
	[RUN_FAULT_EVENT] = "a cause to wait", [RUN_FAULT_DUE] = "a time to wait for",
};

static void note_fault(struct run *r, enum run_fault fault)
{
	if (!r->fault)
		r->fault = fault;
}

bool run_record(struct run *r, unsigned i, uint64_t n, struct leave_record *out)
{
	*out = *ring_at(run_ring(r, i), n);
	/* What has been copied is looked at, and not what may stand there by now. */
	__asm__ volatile("" : : : "memory");
	if (out->kind >= LEAVE_KINDS)
		note_fault(r, RUN_FAULT_KIND);
	else if (out->instructions > RECORD_INSTRUCTIONS)
		note_fault(r, RUN_FAULT_WORK);
	else
		return true;
	*out = (struct leave_record){ .kind = LEAVE_TICK };
	return false;
}

void run_take(struct run *r, unsigned i, uint64_t from, uint64_t to, uint64_t *end)
{
	bool several = atomic_load_explicit(&r->segment->several, memory_order_relaxed);

	for (uint64_t at = from; at < to && at < *end; at++) {
		struct leave_record *rec = r->taken + at % RUN_TAKEN;

		if (!run_record(r, i, at, rec))
			*end = at;
		else if ((several && rec->kind == LEAVE_WAKE) || rec->kind == LEAVE_REGION)
			*end = at + 1;
	}
}

unsigned run_rings(struct run *r)
{
	uint32_t used = atomic_load_explicit(&r->segment->used, memory_order_acquire);

	if (used > RING_SLOTS || used < r->rings)
		note_fault(r, RUN_FAULT_USED);
	else
		r->rings = used;
	return r->rings;
}

bool run_check(struct run *r, unsigned i)
{
	const struct ring *ring = run_ring(r, i);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

	if (atomic_load_explicit(&ring->state, memory_order_relaxed) > RING_DONE)
		note_fault(r, RUN_FAULT_STATE);
	if (atomic_load_explicit(&ring->turn, memory_order_relaxed) > RING_AWAY)
		note_fault(r, RUN_FAULT_TURN);
	if (ring->tries > (RING_IO | RING_CHILD))
		note_fault(r, RUN_FAULT_EVENT);
	if (ring->due > RING_FAR)
		note_fault(r, RUN_FAULT_DUE);
	if (head - r->thread[i].tail > RING_RECORDS)
		note_fault(r, RUN_FAULT_HEAD);
	return !r->fault;
}

/* The program may be stopped, and any other process of its may have done it: all that can be is ended. */
int run_give_up(struct run *r)
{
	atomic_store(&r->segment->detached, RING_OVER);
	if (!r->ended && r->pid > 0) {
		kill(r->pid, SIGKILL);
		while (waitpid(r->pid, &r->status, 0) < 0 && errno == EINTR)
			;
	}
	r->ended = true;
	return r->fault == RUN_NEVER ? BXS_ENOTSUP : BXS_EIO;
}

/* Its first thread takes a ring before its first instruction.  A signal that asks to end may have come before that. */
bool run_has_run(struct run *r)
{
	bool asked = r->cut || (WIFSIGNALED(r->status) && WTERMSIG(r->status) != SIGKILL && WTERMSIG(r->status) != SIGSEGV);

	if (!asked && !run_rings(r) && !atomic_load(&r->segment->lost) && !atomic_load(&r->segment->untraced))
		note_fault(r, RUN_NEVER);
	return r->fault != RUN_NEVER;
}

const char *run_why(struct feed *f)
{
	struct run *r = (struct run *)f;

	if (!r->fault)
		return NULL;
	if (r->fault == RUN_NEVER) {
		snprintf(r->why, sizeof r->why, "the program never ran: its emulator ended before it, %s %d",
			 WIFSIGNALED(r->status) ? "by signal" : "with status",
			 WIFSIGNALED(r->status) ? WTERMSIG(r->status) : WEXITSTATUS(r->status));
		return r->why;
	}
	snprintf(r->why, sizeof r->why, "the program wrote what no emulator does (%s) into the memory that it shares with the machine, and "
		 "was ended; the readings are of what came before", fault_name[r->fault]);
	return r->why;
}
