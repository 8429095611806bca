// SPDX-License-Identifier: BSD-2-Clause
/* Waiting for words of memory, and waking (Linux 6.1, kernel/futex/waitwake.c and requeue.c). */
#include <linux/futex.h>
#include <time.h>

#include "linux.h"
#include "user.h"

/* Those that wait for a futex in the order of the ring, behind the thread at hand. */
static struct linux_thread *next_waiter(struct ia64 *m, struct linux_thread *t, uint64_t address, uint64_t bits)
{
	for (t = t->next; t != m->linux_state.thread; t = t->next)
		if (t->waits && t->futex == address && t->bits & bits)
			return t;
	return NULL;
}

int64_t linux_futex_wake(struct ia64 *m, uint64_t address, uint64_t most, uint64_t bits)
{
	struct linux_thread *t = m->linux_state.thread;
	int64_t woken = 0;

	while ((uint64_t)woken < most && (t = next_waiter(m, t, address, bits))) {
		linux_wake(t, 0);
		linux_ready(m, t);
		woken++;
	}
	return woken;
}

static int64_t wait(struct ia64 *m, const uint64_t *a, bool absolute, uint64_t bits)
{
	uint64_t ns, until = NEVER;
	uint32_t value;

	if (a[0] & 3 || !bits)
		return -EINVAL;
	if (a[3]) {
		int64_t err = linux_timespec(m, a[3], &ns);

		if (err < 0)
			return err;
		until = absolute ? linux_moment(m, a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, ns) :
				   linux_now(m) + ns;
	}
	if (!user_read(m, &value, a[0], sizeof value))
		return -EFAULT;
	return value == (uint32_t)a[2] ? linux_wait(m, a[0], bits, until, -ETIMEDOUT) : -EAGAIN;
}

/* Wake some, and let some others wait for another futex. */
static int64_t requeue(struct ia64 *m, const uint64_t *a, bool compare)
{
	struct linux_thread *t = m->linux_state.thread;
	uint32_t value;
	int64_t done;

	if (compare && !user_read(m, &value, a[0], sizeof value))
		return -EFAULT;
	if (compare && value != (uint32_t)a[5])
		return -EAGAIN;
	done = linux_futex_wake(m, a[0], (uint32_t)a[2], UINT32_MAX);
	for (uint32_t moved = 0; moved < (uint32_t)a[3] && (t = next_waiter(m, t, a[0], UINT32_MAX)); moved++) {
		t->futex = a[4];
		done += compare;
	}
	return done;
}

int64_t linux_futex(struct ia64 *m, const uint64_t *a)
{
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT: return wait(m, a, false, UINT32_MAX);
	case FUTEX_WAIT_BITSET: return wait(m, a, true, (uint32_t)a[5]);
	case FUTEX_WAKE: return linux_futex_wake(m, a[0], (uint32_t)a[2], UINT32_MAX);
	case FUTEX_WAKE_BITSET: return (uint32_t)a[5] ? linux_futex_wake(m, a[0], (uint32_t)a[2], (uint32_t)a[5]) : -EINVAL;
	case FUTEX_REQUEUE: return requeue(m, a, false);
	case FUTEX_CMP_REQUEUE: return requeue(m, a, true);
	default:
		linux_note(m, "this operation on a futex is not there");
		return -ENOSYS;
	}
}
