/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings in shared memory: waiting, waking, and who holds which ring. */
#include "feed/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "feed/ring_private.h"

#define QUANTUM 16384			/* instructions */
#define SPIN 50			/* looks before sleeping */
#define SLEEP_US 2000			/* a lost wake-up costs at most this */
#define ARRIVAL_LOOKS 20000		/* looks at a new task that is not about to run, before the wait for it ends */
#define ARRIVAL_FIRST 20		/* looks before the task's state matters */
#define ARRIVAL_MOST 600000		/* looks in all */

/* A wake-up costs as much as dozens of records.  So a sleeping consumer is woken when this many records wait, and a sleeping producer
 * when this much of its ring is free. */
#define TELL_EVERY (RING_RECORDS / 2)
#define WAKE_ROOM (RING_RECORDS / 2)

/* The caller's PID namespace; a program may create another one. */
static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

void ring_check_consumer(const struct ring_segment *s)
{
	if (kill(s->consumer, 0) < 0 && errno == ESRCH && pid_namespace() == s->pids)
		kill(getpid(), SIGKILL);
}

void ring_bell(struct ring_segment *s)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&s->sleeping, memory_order_relaxed))
		return;
	atomic_fetch_add(&s->bell, 1);
	ring_futex_wake(&s->bell);
}

/*
 * Set the size of a memfd.  The soft limit on file sizes is not meant for shared memory, so only the hard limit counts here; the kernel
 * would send a signal beyond that, so fail instead.
 */
static bool set_size(int fd, size_t size)
{
	struct rlimit limit, most;
	bool done;
	int err;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return false;
	most = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	if (most.rlim_cur < size) {
		errno = EFBIG;
		return false;
	}
	setrlimit(RLIMIT_FSIZE, &most);
	done = ftruncate(fd, (off_t)size) == 0;
	err = errno;
	setrlimit(RLIMIT_FSIZE, &limit);
	errno = err;
	return done;
}

/* The number of host processors on which we may run. */
static uint32_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

int ring_create(int *fd, struct ring_segment **out)
{
	int f = memfd_create("boxscore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct ring_segment *s;
	int err;

	if (f < 0)
		return BXS_EIO;
	/* Every traced process has the memfd open: seal it so that none can take memory away from the others. */
	if (!set_size(f, sizeof *s) || fcntl(f, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		goto fail;
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	if (s == MAP_FAILED)
		goto fail;
	s->consumer = getpid();
	s->pids = pid_namespace();
	s->last_space = RING_SPACES - 1;
	s->processors = processors();
	s->quantum = QUANTUM;
	s->quantum_most = RING_QUANTUM_MOST;
	s->magic = RING_MAGIC;
	*fd = f;
	*out = s;
	return 0;
fail:
	err = errno;
	close(f);
	errno = err;
	return err == ENOMEM ? BXS_ENOMEM : BXS_EIO;
}

void ring_spaces(struct ring_segment *s, uint8_t first, uint8_t last)
{
	atomic_store(&s->spaces, first);
	s->last_space = last;
}

void ring_unmap(struct ring_segment *s)
{
	if (s)
		munmap(s, sizeof *s);
}

void ring_free(struct ring *r)
{
	atomic_store(&r->flood, 0);
	atomic_store(&r->state, RING_FREE);
	atomic_store(&r->holder, RING_NOBODY);
}

void ring_bury(struct ring *r)
{
	atomic_store(&r->looks, 0);
	if (atomic_load(&r->state) == RING_FREE)
		ring_free(r);
	else
		atomic_store(&r->state, RING_DONE);
}

bool ring_send_snoops(struct ring *r, const struct ring_snoop *snoop, unsigned n)
{
	uint64_t head = atomic_load_explicit(&r->snoop_head, memory_order_relaxed);

	if (head - atomic_load_explicit(&r->snoop_tail, memory_order_acquire) + n > RING_SNOOPS)
		return false;
	for (unsigned i = 0; i < n; i++)
		r->snoop[(head + i) % RING_SNOOPS] = snoop[i];
	atomic_store_explicit(&r->snoop_head, head + n, memory_order_release);
	return true;
}

void ring_consume(struct ring *r, uint64_t tail)
{
	atomic_store_explicit(&r->tail, tail, memory_order_seq_cst);
	if (!atomic_load_explicit(&r->starved, memory_order_seq_cst))
		return;
	if (RING_RECORDS - (atomic_load(&r->head) - tail) < WAKE_ROOM)
		return;
	atomic_fetch_add(&r->wake, 1);
	ring_futex_wake(&r->wake);
}

bool ring_sleep(struct ring_segment *s, unsigned us)
{
	uint32_t seen = atomic_load(&s->bell);
	bool slept = false;

	atomic_store(&s->sleeping, 1);
	/* A producer that wrote before it saw `sleeping` has not rung the bell: look for its records once more. */
	for (unsigned i = 0; i < RING_SLOTS && i < atomic_load(&s->used); i++) {
		if (atomic_load(&s->ring[i].state) != RING_FREE && ring_waiting(s->ring + i)) {
			us = 0;
			break;
		}
	}
	if (us)
		slept = ring_futex_sleep(&s->bell, seen, us);
	atomic_store(&s->sleeping, 0);
	return slept;
}

bool ring_sleep_for(struct ring_segment *s, const struct ring *r, uint64_t head, unsigned us)
{
	uint32_t seen = atomic_load(&s->bell);
	bool slept = false;

	atomic_store(&s->sleeping, 1);
	if (atomic_load(&r->head) == head && atomic_load(&r->turn) == RING_RUNS && atomic_load(&r->state) == RING_LIVE)
		slept = ring_futex_sleep(&s->bell, seen, us);
	atomic_store(&s->sleeping, 0);
	return slept;
}

int ring_map(int fd, struct ring_segment **out)
{
	struct ring_segment *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (s == MAP_FAILED)
		return BXS_EIO;
	if (s->magic != RING_MAGIC) {
		ring_unmap(s);
		return BXS_EINVAL;
	}
	*out = s;
	return 0;
}

static void raise_to(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen = atomic_load(word);

	while (seen < value && !atomic_compare_exchange_weak(word, &seen, value))
		;
}

static int32_t own_number(const struct ring_segment *s)
{
	return pid_namespace() == s->pids ? (int32_t)syscall(SYS_gettid) : 0;
}

void ring_announce(struct ring_segment *s, unsigned n)
{
	atomic_store(&s->announcer, own_number(s));
	atomic_fetch_add(&s->arriving, n);
}

void ring_arrive(struct ring_segment *s)
{
	uint32_t seen = atomic_load(&s->arriving);

	while (seen && !atomic_compare_exchange_weak(&s->arriving, &seen, seen - 1))
		;
	ring_bell(s);
}

int ring_claim(struct ring_segment *s, const struct ring_wishes *wishes, struct ring_writer *out)
{
	int32_t self = pid_namespace() == s->pids ? getpid() : RING_FOREIGN;
	bool others = false;

	for (unsigned i = 0; i < RING_SLOTS; i++) {
		struct ring *r = s->ring + i;
		int32_t nobody = RING_NOBODY;

		/* Raise `used` before taking the ring, so that the consumer looks at the ring even if the holder dies. */
		raise_to(&s->used, i + 1);
		if (!atomic_compare_exchange_strong(&r->holder, &nobody, self)) {
			others = true;
			continue;
		}
		atomic_store(&r->idle, RING_NOT_IDLE);
		atomic_store(&r->looks, 0);
		atomic_fetch_add(&r->lives, 1);
		if (others)
			atomic_store(&s->several, 1);
		atomic_store(&r->thread, own_number(s));
		r->futex = r->due = r->tries = 0;
		r->wishes = wishes ? *wishes : (struct ring_wishes){ .policy = RING_MEMORY_NEAR };
		r->range.ask = RING_ASKS_NOTHING;
		atomic_store(&r->turn, atomic_load(&s->several) ? RING_WANTS : RING_FREELY);
		*out = (struct ring_writer){
			.segment = s, .ring = r, .head = atomic_load(&r->head),
			.tail = atomic_load(&r->tail), .snoop_tail = atomic_load(&r->snoop_head),
		};
		out->snoop_head = out->snoop_tail;
		atomic_store(&r->snoop_tail, out->snoop_tail);
		out->limit = out->shown = out->told = out->head;
		atomic_store(&s->newest, i);
		atomic_store(&r->state, RING_LIVE);
		ring_arrive(s);
		return 0;
	}
	atomic_fetch_add(&s->lost, 1);
	ring_arrive(s);
	return BXS_ENOMEM;
}

uint8_t ring_space(struct ring_segment *s)
{
	uint32_t n = atomic_fetch_add(&s->spaces, 1);

	return (uint8_t)(n < s->last_space ? n : s->last_space);
}

void ring_release(struct ring_writer *w)
{
	struct ring *r = w->ring;

	ring_publish(w, true);
	w->ring = NULL;
	atomic_store(&r->state, RING_DONE);
}

bool ring_lost(const struct ring_writer *w)
{
	const struct ring *r = w->ring;

	return ring_detached(w->segment) || (r && atomic_load(&r->state) != RING_LIVE && w->ring == r);
}

bool ring_detached(const struct ring_segment *s)
{
	uint32_t end = atomic_load_explicit(&s->detached, memory_order_relaxed);

	if (__builtin_expect(end == RING_OVER, 0))
		kill(getpid(), SIGKILL);
	return end;
}

void ring_settle(struct ring_segment *s, int pid)
{
	for (unsigned i = 0; i < RING_SLOTS; i++) {
		struct ring *r = s->ring + i;

		while (atomic_load(&r->holder) == pid && atomic_load(&r->state) == RING_DONE &&
		       !ring_detached(s)) {
			usleep(100);
			ring_check_consumer(s);
		}
	}
}

static bool full(struct ring_writer *w)
{
	w->tail = atomic_load_explicit(&w->ring->tail, memory_order_acquire);
	return w->head - w->tail >= RING_RECORDS && !ring_detached(w->segment);
}

void ring_wait(struct ring_writer *w)
{
	struct ring *r = w->ring;

	if (__builtin_expect(w->head - w->tail < RING_RECORDS, 1) || !full(w))
		return;
	ring_publish(w, true);
	for (unsigned i = 0; i < SPIN; i++) {
		if (!full(w))
			return;
		ring_relax();
	}
	while (full(w)) {
		uint32_t seen = atomic_load(&r->wake);

		atomic_store(&r->starved, 1);
		if (full(w))
			ring_futex_sleep(&r->wake, seen, SLEEP_US);
		atomic_store(&r->starved, 0);
		ring_check_consumer(w->segment);
	}
}

/*
 * Set how far the thread may write without a check.  The snoops of all records below `tail` have been sent; those of later records are
 * due RING_RECORDS after them at the earliest.
 */
static void set_limit(struct ring_writer *w, bool waits)
{
	w->limit = w->tail + RING_RECORDS;
	if (waits) {
		uint64_t due = w->ring->snoop[w->snoop_tail % RING_SNOOPS].due;

		w->limit = due < w->limit ? due : w->limit;
	}
}

bool ring_take_snoop(struct ring_writer *w, struct leave_snoop *out)
{
	struct ring *r = w->ring;
	const struct ring_snoop *s = r->snoop + w->snoop_tail % RING_SNOOPS;
	bool waits;

	if (w->snoop_tail == w->snoop_head)
		w->snoop_head = atomic_load_explicit(&r->snoop_head, memory_order_acquire);
	waits = w->snoop_tail != w->snoop_head;
	if (!waits || s->due > w->head) {
		set_limit(w, waits);
		return false;
	}
	*out = s->snoop;
	w->snoop_tail++;
	atomic_store_explicit(&r->snoop_tail, w->snoop_tail, memory_order_release);
	return true;
}

bool ring_take_any(struct ring_writer *w, struct leave_snoop *out)
{
	struct ring *r = w->ring;

	w->snoop_head = atomic_load_explicit(&r->snoop_head, memory_order_acquire);
	w->tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	w->limit = w->tail + RING_RECORDS;
	/* More snoops than fit can only come from a program that overwrites the ring; taking them all would take its thread for ever. */
	if (w->snoop_head - w->snoop_tail > RING_SNOOPS)
		w->snoop_tail = w->snoop_head;
	if (w->snoop_tail == w->snoop_head)
		return false;
	*out = r->snoop[w->snoop_tail++ % RING_SNOOPS].snoop;
	atomic_store_explicit(&r->snoop_tail, w->snoop_tail, memory_order_release);
	return true;
}

bool ring_is_runnable(int task)
{
	char name[32], text[64];	/* number, name of at most 15 bytes in parentheses, state */
	const char *state;
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "/proc/%d/stat", task);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strrchr(text, ')');
	return state && (strncmp(state, ") R", 3) == 0 || strncmp(state, ") D", 3) == 0);
}

void ring_await_arrivals(const struct ring_segment *s, unsigned but, int task)
{
	unsigned idle = 0;

	for (unsigned i = 0; i < ARRIVAL_MOST && idle < ARRIVAL_LOOKS && atomic_load(&s->arriving) > but && !ring_detached(s); i++) {
		idle += i < ARRIVAL_FIRST || !ring_is_runnable(task);
		usleep(50);
	}
}

bool ring_flooded(struct ring_writer *w)
{
	struct ring *r = w->ring;

	if (!atomic_load_explicit(&r->flood, memory_order_relaxed))
		return false;
	atomic_store(&r->flood, 0);
	w->snoop_tail = w->snoop_head = atomic_load_explicit(&r->snoop_head, memory_order_acquire);
	atomic_store_explicit(&r->snoop_tail, w->snoop_tail, memory_order_release);
	return true;
}

void ring_publish(struct ring_writer *w, bool now)
{
	struct ring_segment *s = w->segment;

	w->shown = w->head;
	atomic_store_explicit(&w->ring->head, w->head, memory_order_release);
	if (!now && w->head - w->told < TELL_EVERY)
		return;
	w->told = w->head;
	ring_bell(s);
}
