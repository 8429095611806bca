/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's threads, and how one of them makes all others stand still: who ends the process, or replaces it, tells the
 * machine what is left in the others' cores, and nobody may be at work in his own meanwhile.
 *
 *	away	in a system call, or standing still: does not touch his core, and looks at `only` before he does again
 */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/turns.h"

static struct {
	pthread_mutex_t lock;
	struct native_env *first;
	bool taken[PLUGIN_THREADS];
	_Atomic(struct native_env *) only;	/* who has the process to himself */
	_Atomic bool all;		/* ... and that of its children in the same memory */
	_Atomic uint32_t changes;	/* of `only`: futex */
} others = { .lock = PTHREAD_MUTEX_INITIALIZER };

void native_join(struct native_env *env)
{
	unsigned n = 0;

	pthread_mutex_lock(&others.lock);
	while (n < PLUGIN_THREADS && others.taken[n])
		n++;
	/* The plugin passes over those beyond. */
	if (n < PLUGIN_THREADS)
		others.taken[n] = true;
	env->vcpu = n;
	env->next = others.first;
	others.first = env;
	pthread_mutex_unlock(&others.lock);
}

static void go_on(void)
{
	atomic_store(&others.all, false);
	atomic_store(&others.only, NULL);
	atomic_fetch_add(&others.changes, 1);
	syscall(SYS_futex, &others.changes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool native_part(struct native_env *env)
{
	struct native_env **p = &others.first;
	bool last = true;

	pthread_mutex_lock(&others.lock);
	while (*p && *p != env)
		p = &(*p)->next;
	if (*p)
		*p = env->next;
	if (env->vcpu < PLUGIN_THREADS)
		others.taken[env->vcpu] = false;
	for (const struct native_env *e = others.first; e; e = e->next)
		last &= e->shares;
	pthread_mutex_unlock(&others.lock);
	/* A child that was killed. */
	if (atomic_load(&others.only) == env)
		go_on();
	return last;
}

void native_away(struct native_env *env)
{
	atomic_store(&env->away, 1);
}

/* Others can have the turn while this thread waits for something that they do; true: until resume(). */
static bool let_run(struct native_env *env)
{
	struct plugin_core *c = native_turns(env);

	if (!c || !c->has_turn)
		return false;
	plugin_turn_pass(c, RING_AWAY);
	return true;
}

static void resume(struct native_env *env)
{
	struct plugin_core *c = native_turns(env);

	if (!c)
		return;
	ring_end_turn(&c->writer, RING_WANTS);
	plugin_turn_take(c);
}

void native_back(struct native_env *env)
{
	bool passed = false;

	for (;;) {
		uint32_t seen = atomic_load(&others.changes);

		atomic_store(&env->away, 0);
		if (!native_wanted(env))
			break;
		atomic_store(&env->away, 1);
		passed |= let_run(env);
		syscall(SYS_futex, &others.changes, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	if (passed)
		resume(env);
}

bool native_wanted(const struct native_env *env)
{
	const struct native_env *only = atomic_load(&others.only);

	return only && only != env && (!env->shares || atomic_load(&others.all));
}

/* Who runs in the cache comes out at the next block. */
static bool all_away(const struct native_env *env)
{
	bool all = true;

	pthread_mutex_lock(&others.lock);
	for (struct native_env *e = others.first; e; e = e->next) {
		if (e == env || atomic_load(&e->away) || (e->shares && !atomic_load(&others.all)))
			continue;
		native_arm(e);
		all = false;
	}
	pthread_mutex_unlock(&others.lock);
	return all;
}

static void stop(struct native_env *env, bool all)
{
	struct native_env *nobody = NULL;
	bool passed;

	/* Somebody was first: what this thread was about to do does not happen, unless he fails. */
	while (!atomic_compare_exchange_strong(&others.only, &nobody, env)) {
		native_back(env);
		if (env->shares)
			usleep(20);
		nobody = NULL;
	}
	atomic_store(&others.all, all);
	passed = !all_away(env) && let_run(env);
	while (!all_away(env))
		usleep(20);
	if (passed)
		resume(env);
}

void native_stop_others(struct native_env *env)
{
	if (!env->shares)
		stop(env, false);
}

void native_let_others_go(const struct native_env *env)
{
	if (!env->shares)
		go_on();
}

void native_make_room(struct native_env *env)
{
	stop(env, true);
	native_lock();
	if (native_code_full()) {
		native_code_flush();
		pthread_mutex_lock(&others.lock);
		for (struct native_env *e = others.first; e; e = e->next)
			native_forget_code(e);
		pthread_mutex_unlock(&others.lock);
	}
	native_unlock();
	go_on();
}

void native_others_lock(void)
{
	pthread_mutex_lock(&others.lock);
}

void native_others_unlock(void)
{
	pthread_mutex_unlock(&others.lock);
}

void native_alone(struct native_env *env)
{
	memset(others.taken, 0, sizeof others.taken);
	if (env->vcpu < PLUGIN_THREADS)
		others.taken[env->vcpu] = true;
	env->shares = false;
	env->next = NULL;
	others.first = env;
	atomic_store(&others.only, NULL);
	atomic_store(&others.all, false);
}
