/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes of threads that take turns.  The kernel's would let threads go on in whatever order the host has; here a
 * waiting thread is noted in its ring, and who wakes it tells the machine when.  As all this happens with the turn, no
 * lock is needed.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "plugin/life.h"
#include "emulator/clock.h"
#include "emulator/turns.h"

#define SHARED_KEY (UINT64_C(1) << 63)
#define BILLION UINT64_C(1000000000)

/* Of the file behind shared memory at `at`: the same in every process.  0: the memory is this process's own. */
static uint64_t file_key(uint64_t at)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	uint64_t key = 0;

	while (maps && fgets(line, sizeof line, maps)) {
		uint64_t from, to, offset, inode;
		unsigned major, minor;
		char rights[8];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64, &from, &to, rights, &offset,
			   &major, &minor, &inode) != 7 || at < from || at >= to)
			continue;
		if (rights[3] == 's')
			key = SHARED_KEY | (((inode ^ (uint64_t)major << 40 ^ (uint64_t)minor << 20) * UINT64_C(0x9e3779b97f4a7c15)) +
					    (at - from + offset));
		break;
	}
	if (maps)
		fclose(maps);
	return key;
}

static uint64_t key_in(uint64_t space, uint64_t at, bool shared)
{
	uint64_t key = shared ? file_key(at) : 0;

	return key ? key : space << 48 | at;
}

static uint64_t key_of(const struct plugin_core *c, uint64_t at, bool shared)
{
	return key_in(c->x.space, at, shared);
}

/* Who has waited longest for this key, or -1. */
static int first_waiter(const struct ring_segment *s, uint64_t key, uint32_t bits)
{
	uint32_t used = atomic_load(&s->used);
	int first = -1;

	for (uint32_t i = 0; i < used && i < RING_SLOTS; i++) {
		const struct ring *r = s->ring + i;

		if (atomic_load(&r->state) != RING_LIVE || r->futex != key || !(r->bits & bits))
			continue;
		if (first < 0 || r->since < s->ring[first].since)
			first = (int)i;
	}
	return first;
}

static unsigned wake(struct plugin_core *c, uint64_t key, unsigned n, uint32_t bits)
{
	struct ring_segment *s = c->writer.segment;
	unsigned woken = 0;
	int i;

	for (; woken < n && (i = first_waiter(s, key, bits)) >= 0; woken++) {
		s->ring[i].futex = 0;
		plugin_turn_wake(c, (unsigned)i);
	}
	return woken;
}

unsigned native_futex_wake(struct plugin_core *c, uint64_t at, bool shared, unsigned n, uint32_t bits)
{
	return wake(c, key_of(c, at, shared), n, bits);
}

static unsigned requeue(struct plugin_core *c, uint64_t from, uint64_t to, unsigned n)
{
	struct ring_segment *s = c->writer.segment;
	unsigned moved = 0;
	int i;

	for (; from != to && moved < n && (i = first_waiter(s, from, FUTEX_BITSET_MATCH_ANY)) >= 0; moved++) {
		s->ring[i].futex = to;
		s->ring[i].since = s->futexes++;
	}
	return moved;
}

/* When the wait ends, in ns of native_clock().  False: no such time. */
static bool deadline_of(const struct native_env *env, const uint64_t arg[6], uint64_t *deadline)
{
	bool absolute = (arg[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	struct timespec t;
	uint64_t ns;

	*deadline = UINT64_MAX;
	if (!arg[3])
		return true;
	if (!native_get(&t, arg[3], sizeof t))
		return false;
	ns = (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_nsec;
	*deadline = ns;
	if (absolute && !(arg[1] & FUTEX_CLOCK_REALTIME))
		return true;
	*deadline = native_clock(env) + ns;
	if (absolute) {
		ns = native_clock_real(env);
		*deadline = *deadline > ns ? *deadline - ns : 0;
	}
	return true;
}

static int64_t wait(struct native_env *env, struct plugin_core *c, const uint64_t arg[6], uint64_t key, uint32_t bits)
{
	struct ring_segment *s = c->writer.segment;
	struct ring *r = c->writer.ring;
	enum native_wait why;
	uint64_t deadline;
	uint32_t word;
	bool woken;

	if (!bits || arg[0] % sizeof word)
		return -EINVAL;
	if (!deadline_of(env, arg, &deadline) || !native_get(&word, arg[0], sizeof word))
		return -EFAULT;
	if (word != (uint32_t)arg[2])
		return -EAGAIN;
	r->bits = bits;
	r->since = s->futexes++;
	r->futex = key;
	/* Threads that found no ring do not wait for turns. */
	if (atomic_load(&s->lost) && native_get(&word, arg[0], sizeof word) && word != (uint32_t)arg[2]) {
		r->futex = 0;
		return -EAGAIN;
	}
	why = native_wait_turn(env, c, RING_WAITS, deadline);
	woken = !r->futex;
	r->futex = 0;
	if (woken || why == NATIVE_GIVEN)
		return 0;
	if (why == NATIVE_TIMED_OUT)
		return -ETIMEDOUT;
	return arg[3] ? -EINTR : NATIVE_BROKEN;
}

/* The word at arg[4] becomes something else; was it something that lets those who wait for it go on? */
static bool change_word(const uint64_t arg[6], bool *matches)
{
	uint32_t how = (uint32_t)arg[5], old, new;
	int32_t by = (int32_t)(how << 8) >> 20, than = (int32_t)(how << 20) >> 20;

	if (!native_get(&old, arg[4], sizeof old))
		return false;
	if (how >> 28 & FUTEX_OP_OPARG_SHIFT)
		by = 1 << (by & 31);
	switch (how >> 28 & 7) {
	case FUTEX_OP_SET: new = (uint32_t)by; break;
	case FUTEX_OP_ADD: new = old + (uint32_t)by; break;
	case FUTEX_OP_OR: new = old | (uint32_t)by; break;
	case FUTEX_OP_ANDN: new = old & ~(uint32_t)by; break;
	default: new = old ^ (uint32_t)by; break;
	}
	switch (how >> 24 & 15) {
	case FUTEX_OP_CMP_EQ: *matches = (int32_t)old == than; break;
	case FUTEX_OP_CMP_NE: *matches = (int32_t)old != than; break;
	case FUTEX_OP_CMP_LT: *matches = (int32_t)old < than; break;
	case FUTEX_OP_CMP_LE: *matches = (int32_t)old <= than; break;
	case FUTEX_OP_CMP_GT: *matches = (int32_t)old > than; break;
	default: *matches = (int32_t)old >= than; break;
	}
	return native_put(arg[4], &new, sizeof new);
}

static unsigned limit_of(uint64_t n)
{
	return (int32_t)n > 0 ? (unsigned)(int32_t)n : 0;
}

static int64_t wake_op(struct plugin_core *c, const uint64_t arg[6], uint64_t key, bool shared)
{
	bool matches;
	unsigned n;

	if (!change_word(arg, &matches))
		return -EFAULT;
	n = wake(c, key, limit_of(arg[2]), FUTEX_BITSET_MATCH_ANY);
	return n + (matches ? wake(c, key_of(c, arg[4], shared), limit_of(arg[3]), FUTEX_BITSET_MATCH_ANY) : 0);
}

static int64_t move(struct plugin_core *c, const uint64_t arg[6], uint64_t key, bool shared, bool compare)
{
	uint32_t word;
	unsigned n;

	if (compare && !native_get(&word, arg[0], sizeof word))
		return -EFAULT;
	if (compare && word != (uint32_t)arg[5])
		return -EAGAIN;
	n = wake(c, key, limit_of(arg[2]), FUTEX_BITSET_MATCH_ANY);
	return n + requeue(c, key, key_of(c, arg[4], shared), limit_of(arg[3]));
}

/* Threads that are not traced wait in the kernel. */
static int64_t wake_all_kinds(struct plugin_core *c, const uint64_t arg[6], uint64_t key, bool shared, uint32_t bits)
{
	unsigned n = limit_of(arg[2]), woken = wake(c, key, n, bits);

	if ((shared || atomic_load(&c->writer.segment->lost)) && woken < n) {
		long others = syscall(SYS_futex, arg[0], FUTEX_WAKE_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG), n - woken, NULL, NULL, bits);

		woken += others > 0 ? (unsigned)others : 0;
	}
	return woken;
}

bool native_futex(struct native_env *env, struct plugin_core *c, const uint64_t arg[6], int64_t *result)
{
	bool shared = !(arg[1] & FUTEX_PRIVATE_FLAG), wakes = true;
	uint64_t key, before = c->writer.head;

	switch (arg[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_WAKE: case FUTEX_WAKE_BITSET: case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE: case FUTEX_CMP_REQUEUE:
		break;
	default:
		return false;
	}
	key = key_of(c, arg[0], shared);
	switch (arg[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		*result = wait(env, c, arg, key, FUTEX_BITSET_MATCH_ANY);
		wakes = false;
		break;
	case FUTEX_WAIT_BITSET:
		*result = wait(env, c, arg, key, (uint32_t)arg[5]);
		wakes = false;
		break;
	case FUTEX_WAKE:
		*result = wake_all_kinds(c, arg, key, shared, FUTEX_BITSET_MATCH_ANY);
		break;
	case FUTEX_WAKE_BITSET:
		*result = arg[5] ? wake_all_kinds(c, arg, key, shared, (uint32_t)arg[5]) : -EINVAL;
		break;
	case FUTEX_WAKE_OP:
		*result = wake_op(c, arg, key, shared);
		break;
	default:
		*result = move(c, arg, key, shared, (arg[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
		break;
	}
	/* The woken ones are not to stay behind by the rest of this turn. */
	if (wakes && c->writer.head != before)
		plugin_turn_yield(c);
	return true;
}

void native_futex_outside(const uint64_t arg[6])
{
	struct ring_segment *s = plugin_life.segment;
	unsigned command = arg[1] & FUTEX_CMD_MASK, n = limit_of(arg[2]);
	uint64_t key;
	int i;

	if (!s || !atomic_load(&s->several) || ring_detached(s))
		return;
	if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)
		return;
	key = key_in(plugin_life.space, arg[0], !(arg[1] & FUTEX_PRIVATE_FLAG));
	for (; n && (i = first_waiter(s, key, FUTEX_BITSET_MATCH_ANY)) >= 0; n--) {
		uint32_t waits = RING_WAITS;

		s->ring[i].futex = 0;
		atomic_compare_exchange_strong(&s->ring[i].turn, &waits, RING_WANTS);
	}
}
