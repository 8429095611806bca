/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting until a moment: locks, semaphores, queues and threads.  Each is tried for a while of the world, again and again, until
 * the machine's clock has come as far as it must.  tests/clients/test_waits.py has the list of all waits of the C library.
 */
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "base/bits.h"
#include "virtual/preload/preload.h"

enum {
	LEAST = 1000000,		/* of the machine's nanoseconds */
	SHORTEST = 200000, LONGEST = 200000000,		/* of the world's, between looks at the machine's clock */
};
#define PATIENCE (UINT64_C(20) * PRELOAD_SECOND)	/* with a machine that has stopped */

static uint64_t real_now(clockid_t clock)
{
	struct timespec now;

	preload_real_clock(clock, &now);
	return preload_ns(&now);
}

bool preload_wait_begin(struct preload_wait *w, clockid_t clock, uint64_t when)
{
	uint64_t share, now, least;

	*w = (struct preload_wait){ .clock = clock };
	if (!preload_clock(clock, &now))
		return false;
	share = preload_page()->sleeps;
	w->distance = when > now ? when - now : 0;
	least = share == 0 ? 0 : w->distance < LEAST ? w->distance : LEAST;
	w->over = (uint64_t)((bits_u128)w->distance * share / CPU_PAGE_WHOLE);
	w->over = now + (w->over < least ? least : w->over);
	if (share >= CPU_PAGE_WHOLE)
		w->distance = 0;
	w->moved = real_now(CLOCK_MONOTONIC);
	return true;
}

uint64_t preload_wait_step(struct preload_wait *w)
{
	uint64_t now, left = w->distance, world = real_now(CLOCK_MONOTONIC);

	w->distance = 0;
	if (left)
		return left;
	if (!preload_clock(w->clock, &now) || now >= w->over)
		return 0;
	if (now != w->before)
		w->moved = world;
	else if (world - w->moved > PATIENCE)
		return 0;
	w->before = now;
	left = w->over - now;
	return left < SHORTEST ? SHORTEST : left > LONGEST ? LONGEST : left;
}

/* The moment of the world's clock at which a step of a wait ends. */
static struct timespec end_of(const struct preload_wait *w, uint64_t step)
{
	return preload_time(real_now(w->clock) + step);
}

/* Waits for `what` until a moment of the world's clock: 0, ETIMEDOUT or another error. */
typedef int (*attempt_fn)(void *what, clockid_t clock, const struct timespec *until);

/* Whoever looks for itself whether there is anything to wait for can be called again. */
static int wait_until(attempt_fn attempt, void *what, clockid_t clock, const struct timespec *when)
{
	struct preload_wait w;
	struct timespec end;
	uint64_t step;
	int err;

	if (!preload_is_time(when) || !preload_wait_begin(&w, clock, preload_ns(when)))
		return attempt(what, clock, when);
	do {
		step = preload_wait_step(&w);
		end = end_of(&w, step);
		err = attempt(what, clock, &end);
	} while (err == ETIMEDOUT && step);
	return err;
}

/* A condition may come true between two waits, and only its owner can look: that counts as one of the wake-ups without a cause. */
static int wait_condition(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *when)
{
	struct preload_wait w;
	struct timespec end;
	int err;

	if (!preload_is_time(when) || !preload_wait_begin(&w, clock, preload_ns(when)))
		return PRELOAD_NEXT(pthread_cond_clockwait)(cond, mutex, clock, when);
	end = end_of(&w, preload_wait_step(&w));
	err = PRELOAD_NEXT(pthread_cond_clockwait)(cond, mutex, clock, &end);
	return err == ETIMEDOUT && preload_wait_step(&w) ? 0 : err;
}

PRELOAD_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
					  const struct timespec *when)
{
	return wait_condition(cond, mutex, clock, when);
}

/* Which clock a condition variable was made with is in its second word of flags, as the C library has it. */
PRELOAD_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
					  const struct timespec *restrict when)
{
	bool monotonic = cond->__data.__wrefs & 2;

	return wait_condition(cond, mutex, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, when);
}

static int lock_mutex(void *mutex, clockid_t clock, const struct timespec *until)
{
	return PRELOAD_NEXT(pthread_mutex_clocklock)(mutex, clock, until);
}

PRELOAD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *when)
{
	return wait_until(lock_mutex, mutex, clock, when);
}

PRELOAD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict when)
{
	return wait_until(lock_mutex, mutex, CLOCK_REALTIME, when);
}

static int lock_to_read(void *lock, clockid_t clock, const struct timespec *until)
{
	return PRELOAD_NEXT(pthread_rwlock_clockrdlock)(lock, clock, until);
}

PRELOAD_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *when)
{
	return wait_until(lock_to_read, lock, clock, when);
}

PRELOAD_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict when)
{
	return wait_until(lock_to_read, lock, CLOCK_REALTIME, when);
}

static int lock_to_write(void *lock, clockid_t clock, const struct timespec *until)
{
	return PRELOAD_NEXT(pthread_rwlock_clockwrlock)(lock, clock, until);
}

PRELOAD_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *when)
{
	return wait_until(lock_to_write, lock, clock, when);
}

PRELOAD_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict when)
{
	return wait_until(lock_to_write, lock, CLOCK_REALTIME, when);
}

/* Of a function that gives -1 and errno; its result may be wanted as well. */
static int error_of(long result)
{
	return result < 0 ? errno : 0;
}

static int with_errno(int err)
{
	errno = err ? err : errno;
	return err ? -1 : 0;
}

static int take(void *sem, clockid_t clock, const struct timespec *until)
{
	return error_of(PRELOAD_NEXT(sem_clockwait)(sem, clock, until));
}

PRELOAD_EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict when)
{
	return with_errno(wait_until(take, sem, clock, when));
}

PRELOAD_EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict when)
{
	return with_errno(wait_until(take, sem, CLOCK_REALTIME, when));
}

struct join {
	pthread_t thread;
	void **result;
};

static int join(void *what, clockid_t clock, const struct timespec *until)
{
	struct join *j = what;

	return PRELOAD_NEXT(pthread_clockjoin_np)(j->thread, j->result, clock, until);
}

PRELOAD_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *when)
{
	struct join j = { thread, result };

	return wait_until(join, &j, clock, when);
}

PRELOAD_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *when)
{
	struct join j = { thread, result };

	return wait_until(join, &j, CLOCK_REALTIME, when);
}

struct message {
	mqd_t queue;
	char *data;
	size_t size;
	unsigned *priority;
	ssize_t got;
};

static int receive(void *what, clockid_t clock, const struct timespec *until)
{
	struct message *m = what;

	(void)clock;
	m->got = PRELOAD_NEXT(mq_timedreceive)(m->queue, m->data, m->size, m->priority, until);
	return error_of(m->got);
}

PRELOAD_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict data, size_t size, unsigned *restrict priority,
				       const struct timespec *restrict when)
{
	struct message m = { queue, data, size, priority, 0 };

	return with_errno(wait_until(receive, &m, CLOCK_REALTIME, when)) < 0 ? -1 : m.got;
}

static int post(void *what, clockid_t clock, const struct timespec *until)
{
	struct message *m = what;

	(void)clock;
	return error_of(PRELOAD_NEXT(mq_timedsend)(m->queue, m->data, m->size, *m->priority, until));
}

PRELOAD_EXPORT int mq_timedsend(mqd_t queue, const char *data, size_t size, unsigned priority, const struct timespec *when)
{
	struct message m = { queue, (char *)(uintptr_t)data, size, &priority, 0 };

	return with_errno(wait_until(post, &m, CLOCK_REALTIME, when));
}

/* What C calls a mutex and a condition is what POSIX calls so. */

static int thrd_result(int err)
{
	return err == 0 ? thrd_success : err == ETIMEDOUT ? thrd_timedout : err == EBUSY ? thrd_busy : thrd_error;
}

PRELOAD_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict when)
{
	return thrd_result(wait_until(lock_mutex, mutex, CLOCK_REALTIME, when));
}

PRELOAD_EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict when)
{
	return thrd_result(wait_condition((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, CLOCK_REALTIME, when));
}
