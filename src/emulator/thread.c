/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads and processes that the program makes: a thread is one of this process's, with an env of its own. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/client.h"
#include "emulator/timer.h"
#include "emulator/turns.h"

/* Of a clone that is no thread: those that a fork has, or that make no difference to it; and that a vfork has, too. */
#define KNOWN ((uint64_t)(CSIGNAL | CLONE_VM | CLONE_VFORK | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | \
			  CLONE_CHILD_CLEARTID | CLONE_SYSVSEM | CLONE_IO | CLONE_DETACHED))
#define KNOWN_TO_VFORK (KNOWN | CLONE_FS | CLONE_FILES)

struct birth {
	struct native_env *env;
	uint64_t flags, parent_tid, child_tid;
	struct ring_wishes wishes;
	int32_t maker;
	int64_t tid;
	sem_t born;
};

void native_put_tid(uint64_t at, int64_t tid)
{
	int32_t n = (int32_t)tid;

	native_put(at, &n, sizeof n);
}

/* Who waits for the word, whichever way. */
static void wake_one(struct native_env *env, uint64_t at)
{
	struct plugin_core *c = native_turns(env);

	if (!c || !native_futex_wake(c, at, true, 1, FUTEX_BITSET_MATCH_ANY))
		syscall(SYS_futex, at, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* A robust mutex that the thread holds: whoever takes it next is told. */
static void give_up(struct native_env *env, uint64_t at, uint32_t tid)
{
	uint32_t word;

	if (!native_get(&word, at, sizeof word))
		return;
	while ((word & FUTEX_TID_MASK) == tid) {
		if (!__atomic_compare_exchange_n((uint32_t *)at, &word, (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		if (word & FUTEX_WAITERS)
			wake_one(env, at);
		return;
	}
}

/*
 * Before others hear that the thread is over, as the kernel does it; that would see to the list only when this thread's
 * C code has ended.  Those that inherit priorities (bit 0) are the kernel's alone.
 */
static void give_up_robust(struct native_env *env)
{
	enum { MOST = 2048 };
	uint32_t tid = (uint32_t)syscall(SYS_gettid);
	uint64_t at, entry, bytes;
	struct { uint64_t next; int64_t offset; uint64_t pending; } head;

	if (syscall(SYS_get_robust_list, 0, &at, &bytes) < 0 || !native_get(&head, at, sizeof head))
		return;
	entry = head.next;
	for (unsigned n = 0; n < MOST && (entry & ~UINT64_C(1)) != at; n++) {
		uint64_t next;

		if (!native_get(&next, entry & ~UINT64_C(1), sizeof next))
			break;
		if (!(entry & 1))
			give_up(env, entry + (uint64_t)head.offset, tid);
		entry = next;
	}
	if (head.pending && !(head.pending & 1))
		give_up(env, head.pending + (uint64_t)head.offset, tid);
}

/* The kernel does not know the emulator's threads from the program's: the last of the program's ends the process. */
void native_thread_over(struct native_env *env)
{
	/* Threads that take turns hear of it with this one's last turn. */
	if (!native_turns(env) && native_hooks.thread_end)
		native_hooks.thread_end(0, env->vcpu);
	give_up_robust(env);
	if (env->clear_tid) {
		native_put_tid(env->clear_tid, 0);
		wake_one(env, env->clear_tid);
	}
	if (native_turns(env) && native_hooks.thread_end)
		native_hooks.thread_end(0, env->vcpu);
	if (native_part(env))
		native_process_over((int)env->address[1]);
}

/* Signals come on a stack of C's own. */
static void *give_stack(void)
{
	stack_t s = { .ss_size = 65536 };

	s.ss_sp = malloc(s.ss_size);
	if (s.ss_sp)
		sigaltstack(&s, NULL);
	return s.ss_sp;
}

static void *live(void *arg)
{
	struct birth *b = arg;
	struct native_env *env = b->env;
	void *stack = give_stack();
	uint64_t all = ~UINT64_C(0);

	native_settle(env);
	b->tid = syscall(SYS_gettid);
	if (b->flags & CLONE_PARENT_SETTID)
		native_put_tid(b->parent_tid, b->tid);
	if (b->flags & CLONE_CHILD_SETTID)
		native_put_tid(b->child_tid, b->tid);
	if (b->flags & CLONE_CHILD_CLEARTID)
		env->clear_tid = b->child_tid;
	native_back(env);
	plugin_wishes = b->wishes;
	native_client_thread_start(b->maker);
	if (native_hooks.thread_start)
		native_hooks.thread_start(0, env->vcpu);
	sem_post(&b->born);
	native_set_mask(env, env->mask);
	native_run(env);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	native_pass_on(env);
	native_thread_over(env);
	native_client_thread_end();
	native_env_free(env);
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	free(stack);
	return NULL;
}

void native_env_take(struct native_env *env, const struct native_env *of, uint64_t sp)
{
	memcpy(env->general, of->general, sizeof env->general);
	memcpy(env->vector, of->vector, sizeof env->vector);
	env->pointer = of->pointer;
	env->flags = of->flags;
	env->fs = of->fs;
	env->gs = of->gs;
	memcpy(env->selector, of->selector, sizeof env->selector);
	env->mask = of->mask;
	env->general[NATIVE_RAX] = 0;
	env->general[NATIVE_RCX] = env->pointer;
	env->general[11] = env->flags;
	if (sp)
		env->general[NATIVE_RSP] = sp;
}

static int64_t new_thread(struct native_env *env, const uint64_t arg[6])
{
	struct birth b = { .flags = arg[0], .parent_tid = arg[2], .child_tid = arg[3] };
	uint64_t all = ~UINT64_C(0);
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	/* A process that shares its parent's memory has no place for threads of its own. */
	b.env = env->shares ? NULL : native_env_new();
	if (!b.env)
		return -EAGAIN;
	b.wishes = plugin_wishes;
	b.maker = native_client_thread();
	native_env_take(b.env, env, arg[1]);
	native_away(b.env);
	native_join(b.env);
	if (arg[0] & CLONE_SETTLS)
		b.env->fs = arg[4];
	sem_init(&b.born, 0, 0);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 << 10);
	err = pthread_create(&thread, &attr, live, &b);
	pthread_attr_destroy(&attr);
	if (!err) {
		while (sem_wait(&b.born) < 0)
			;
	}
	native_set_mask(env, env->mask);
	sem_destroy(&b.born);
	if (!err)
		return b.tid;
	native_part(b.env);
	native_env_free(b.env);
	return -EAGAIN;
}

/* Memory that is shared for longer than a vfork is left out: the child has a copy, as under other emulators. */
static int64_t new_process(struct native_env *env, const uint64_t arg[6])
{
	pid_t pid;

	/* What no fork here can give. */
	if ((arg[0] & CSIGNAL) != SIGCHLD || arg[0] & ~KNOWN)
		return -EINVAL;
	/* A signal that waits would be the child's, too. */
	if (!native_hold(env))
		return NATIVE_UNMADE;
	/* The child's copies of the cache and of the list of threads are to be whole, and their locks free. */
	native_lock();
	native_others_lock();
	pid = fork();
	native_others_unlock();
	native_unlock();
	if (pid == 0) {
		native_alone(env);
		native_timers_forget();
	}
	native_set_mask(env, env->mask);
	if (pid < 0)
		return -errno;
	if (pid) {
		if (arg[0] & CLONE_PARENT_SETTID)
			native_put_tid(arg[2], pid);
		return pid;
	}
	env->clear_tid = arg[0] & CLONE_CHILD_CLEARTID ? arg[3] : 0;
	if (arg[0] & CLONE_CHILD_SETTID)
		native_put_tid(arg[3], syscall(SYS_gettid));
	if (arg[1])
		env->general[NATIVE_RSP] = arg[1];
	if (arg[0] & CLONE_SETTLS)
		env->fs = arg[4];
	return 0;
}

int64_t native_clone(struct native_env *env, const uint64_t arg[6])
{
	const uint64_t vfork_has = CLONE_VM | CLONE_VFORK;

	if ((arg[0] & vfork_has) == vfork_has && (arg[0] & CSIGNAL) == SIGCHLD && !(arg[0] & ~KNOWN_TO_VFORK))
		return native_vfork(env, arg);
	if (arg[0] & CLONE_THREAD)
		return new_thread(env, arg);
	return new_process(env, arg);
}
