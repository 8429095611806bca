/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CPUs a thread may use, and which it is on.  A thread that has said nothing
 * has what it got from the thread that made it, or from the program before exec: the table in the
 * CPU page goes by thread number, which exec keeps.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual/preload/preload.h"

enum { TRIES = 32 };			/* slots in which a thread may be found */

static __thread struct cpu_thread *own __attribute__((tls_model("initial-exec")));
static __thread uint32_t current __attribute__((tls_model("initial-exec")));

static struct cpu_thread *slot(pid_t tid, unsigned n)
{
	uint32_t hash = (uint32_t)tid * UINT32_C(2654435761) >> 16;

	return &preload_page()->thread[(hash + n) % CPU_PAGE_THREADS];
}

static struct cpu_thread *find(pid_t tid)
{
	for (unsigned n = 0; n < TRIES; n++)
		if (slot(tid, n)->tid == tid)
			return slot(tid, n);
	return NULL;
}

static bool take(struct cpu_thread *t, int32_t from, pid_t tid)
{
	return atomic_compare_exchange_strong(&t->tid, &from, tid);
}

/* A slot for tid; NULL: all are taken by others that live. */
static struct cpu_thread *make(pid_t tid)
{
	struct cpu_thread *t = find(tid);

	for (unsigned n = 0; !t && n < TRIES; n++)
		if (take(slot(tid, n), 0, tid))
			t = slot(tid, n);
	for (unsigned n = 0; !t && n < TRIES; n++) {
		int32_t other = slot(tid, n)->tid;

		if (kill(other, 0) < 0 && errno == ESRCH && take(slot(tid, n), other, tid))
			t = slot(tid, n);
	}
	return t;
}

static void store(struct cpu_thread *t, const struct preload_mask *mask)
{
	for (unsigned i = 0; i < CPU_PAGE_WORDS; i++)
		atomic_store_explicit(&t->mask[i], mask->word[i], memory_order_relaxed);
}

static void load(const struct cpu_thread *t, struct preload_mask *mask)
{
	for (unsigned i = 0; i < CPU_PAGE_WORDS; i++)
		mask->word[i] = atomic_load_explicit(&t->mask[i], memory_order_relaxed);
}

static struct preload_mask all_cpus(void)
{
	struct preload_mask mask = { { 0 } };

	for (uint32_t cpu = 0; cpu < preload_page()->cpus; cpu++)
		mask.word[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return mask;
}

/* What a thread has that is in the table under no number of its own. */
static struct preload_mask inherited(void)
{
	struct preload_mask mask = all_cpus();
	const struct cpu_thread *t = find(getpid());

	if (!t)
		t = find(getppid());
	if (t)
		load(t, &mask);
	return mask;
}

static struct cpu_thread *mine(void)
{
	if (!own) {
		pid_t tid = (pid_t)syscall(SYS_gettid);
		struct preload_mask mask = inherited();
		bool known = find(tid) != NULL;

		own = make(tid);
		if (own && !known)
			store(own, &mask);
	}
	return own;
}

static bool allows(const struct preload_mask *mask, uint32_t cpu)
{
	return mask->word[cpu / 64] >> cpu % 64 & 1;
}

uint32_t preload_cpu(void)
{
	struct cpu_thread *t = mine();
	struct preload_mask mask = all_cpus();

	if (t)
		load(t, &mask);
	if (allows(&mask, current))
		return current;
	for (uint32_t cpu = 0; cpu < preload_page()->cpus; cpu++)
		if (allows(&mask, cpu))
			return current = cpu;
	return current = 0;
}

bool preload_get_mask(pid_t tid, struct preload_mask *out)
{
	const struct cpu_thread *t = tid == 0 ? mine() : find(tid);

	*out = all_cpus();
	if (t)
		load(t, out);
	return tid == 0 || t || kill(tid, 0) == 0 || errno != ESRCH;
}

int preload_set_mask(pid_t tid, const struct preload_mask *mask)
{
	struct preload_mask usable = all_cpus();
	struct cpu_thread *t;
	uint64_t any = 0;

	for (unsigned i = 0; i < CPU_PAGE_WORDS; i++)
		any |= usable.word[i] &= mask->word[i];
	if (!any)
		return EINVAL;
	if (tid != 0 && kill(tid, 0) < 0 && errno == ESRCH)
		return ESRCH;
	t = tid == 0 ? mine() : make(tid);
	if (!t)
		return ENOMEM;
	store(t, &usable);
	return 0;
}

void preload_thread_start(const struct preload_mask *mask)
{
	own = make((pid_t)syscall(SYS_gettid));
	if (own)
		store(own, mask);
}

void preload_thread_end(void)
{
	struct cpu_thread *t = own;

	own = NULL;
	if (t)
		take(t, (int32_t)syscall(SYS_gettid), 0);
}

void preload_forked(void)
{
	struct preload_mask mask = all_cpus();

	if (!preload_page() || !own)
		return;
	load(own, &mask);
	preload_thread_start(&mask);
}
