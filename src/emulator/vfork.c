/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child in its parent's memory: vfork().  The kernel lets the calling thread wait until the child has another program or
 * has ended, and the other threads go on:
 *
 *	parent's thread		in the system call			its env: untouched
 *	child			runs the program on top of that		an env, number and core of its own,
 *				thread's stack of C code		kept for the thread's next child
 *
 * All memory is both's, this emulator's too: the cache of code, locks, the C library's of the thread.  What a process has to
 * itself is in the env (what signals do), or left alone (the list of threads).  It must not die with a lock: so no signal
 * comes to it but in the cache and in the program's system calls (native_heed()).  But SIGKILL does: of locks it holds that of
 * the cache for long enough to be met with it, which is undone.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/native.h"

/* Those that are the kernel's alone. */
#define TO_KERNEL ((uint64_t)(CSIGNAL | CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_FILES | CLONE_CHILD_CLEARTID | \
			      CLONE_SYSVSEM | CLONE_IO))

struct native_child {
	struct native_env *env;
	const uint64_t *arg;		/* of clone() */
	int segment;			/* open for it, or -1 */
};

/*
 * The child goes on below the caller's stack, which it leaves as it is, and never comes back.  Answers as the system call
 * does.
 */
int64_t native_clone_below(uint64_t flags, uint64_t child_tid, void (*run)(struct native_child *), struct native_child *child);
__asm__(".pushsection .text\n"
	".globl native_clone_below\n"
	".hidden native_clone_below\n"
	"native_clone_below:\n"
	"	mov %rsi, %r10\n"
	"	mov %rdx, %r9\n"
	"	mov %rcx, %r8\n"		/* where only CLONE_SETTLS would look */
	"	xor %esi, %esi\n"
	"	xor %edx, %edx\n"
	"	mov $56, %eax\n"
	"	syscall\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	mov %r8, %rdi\n"
	"	sub $8, %rsp\n"
	"	call *%r9\n"
	"	hlt\n"
	".popsection\n");
_Static_assert(SYS_clone == 56, "as written above");

static void live(struct native_child *child)
{
	struct native_env *env = child->env;
	const uint64_t *arg = child->arg;
	int64_t tid = syscall(SYS_gettid);

	native_settle(env);
	native_back(env);
	if (arg[0] & CLONE_PARENT_SETTID)
		native_put_tid(arg[2], tid);
	if (arg[0] & CLONE_CHILD_SETTID)
		native_put_tid(arg[3], tid);
	if (arg[0] & CLONE_SETTLS)
		env->fs = arg[4];
	plugin_vforked(&env->watch, child->segment);
	if (native_hooks.thread_start)
		native_hooks.thread_start(0, env->vcpu);
	native_run(env);
	native_process_over((int)env->address[1]);
}

/* For the child; NULL: no memory. */
static struct native_env *lend(struct native_env *env, uint64_t sp)
{
	struct native_env *child = env->spare ? env->spare : native_env_new();

	if (!child)
		return NULL;
	env->spare = child;
	if (!native_own_actions(child, env))
		return NULL;
	native_env_take(child, env, sp);
	child->alternative = env->alternative;
	child->shares = true;
	child->over = false;
	native_forget_signals(child);
	native_away(child);
	native_join(child);
	return child;
}

/* Ready for the next child, also if this one was killed. */
static void take_back(struct native_env *child)
{
	native_unlock_for(child);
	if (child->vcpu < PLUGIN_THREADS && plugin_cores[child->vcpu]) {
		plugin_core_free(plugin_cores[child->vcpu]);
		plugin_cores[child->vcpu] = NULL;
	}
	native_part(child);
}

int64_t native_vfork(struct native_env *env, const uint64_t arg[6])
{
	struct native_child child = { .arg = arg };
	struct plugin_watch *watching = plugin_watching;
	int64_t pid;

	/* A signal that waits would be the child's, too. */
	if (!native_hold(env))
		return NATIVE_UNMADE;
	child.env = lend(env, arg[1]);
	child.segment = plugin_before_vfork();
	pid = child.env ? native_clone_below(arg[0] & TO_KERNEL, arg[3], live, &child) : -ENOMEM;
	if (child.env) {
		native_settle(env);
		plugin_watching = watching;
		take_back(child.env);
	}
	/* Where files are shared, it has closed that. */
	if (child.segment >= 0 && !(pid > 0 && (arg[0] & CLONE_FILES)))
		close(child.segment);
	native_set_mask(env, env->mask);
	return pid;
}
