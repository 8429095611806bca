/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls of the program: nearly all go to the kernel as they are. */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/chance.h"
#include "emulator/client.h"
#include "emulator/clock.h"
#include "emulator/timer.h"
#include "emulator/turns.h"

#define USER_END UINT64_C(0x7ffffffff000)	/* where the kernel's addresses begin, but for what no program has */

static int64_t set_base(struct native_env *env, const uint64_t arg[6])
{
	switch (arg[0]) {
	case ARCH_SET_FS:
	case ARCH_SET_GS:
		if (arg[1] >= USER_END)
			return -EPERM;
		*(arg[0] == ARCH_SET_FS ? &env->fs : &env->gs) = arg[1];
		env->selector[arg[0] == ARCH_SET_GS] = 0;
		return 0;
	case ARCH_GET_FS:
		return native_put(arg[1], &env->fs, sizeof env->fs) ? 0 : -EFAULT;
	case ARCH_GET_GS:
		return native_put(arg[1], &env->gs, sizeof env->gs) ? 0 : -EFAULT;
	default:
		return -EINVAL;
	}
}

/* What the program is to itself. */
static bool is_self(uint64_t path)
{
	char name[64];
	size_t have = sizeof name - native_copy(name, (const void *)(uintptr_t)path, sizeof name);

	return memchr(name, 0, have) && plugin_is_self(name);
}

static int64_t read_self(uint64_t to, uint64_t room)
{
	size_t n = strlen(native_program);

	if ((int)room <= 0)
		return -EINVAL;
	n = n < room ? n : room;
	return native_put(to, native_program, n) ? (int64_t)n : -EFAULT;
}

_Noreturn void native_process_over(int status)
{
	native_stop_others(native_here());
	if (native_hooks.at_exit)
		native_hooks.at_exit(0, native_hooks.at_exit_data);
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

static bool signal_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	switch (num) {
	case SYS_rt_sigaction:
		*result = native_sigaction(env, arg);
		return true;
	case SYS_rt_sigprocmask:
		*result = native_sigprocmask(env, arg);
		return true;
	case SYS_rt_sigpending:
		*result = native_sigpending(env, arg);
		return true;
	case SYS_sigaltstack:
		*result = native_sigaltstack(env, arg);
		return true;
	default:
		return false;
	}
}

static bool memory_call(uint64_t num, const uint64_t arg[6], int64_t *result)
{
	switch (num) {
	case SYS_brk:
		*result = native_brk(arg[0]);
		return true;
	case SYS_mmap:
		*result = native_mmap(arg);
		return true;
	case SYS_munmap:
		*result = native_munmap(arg);
		return true;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		*result = native_mprotect(arg);
		return true;
	case SYS_mremap:
		*result = native_mremap(arg);
		return true;
	case SYS_madvise:
		*result = native_madvise(arg);
		return true;
	case SYS_shmat:
		*result = native_shmat(arg);
		return true;
	case SYS_shmdt:
		*result = native_shmdt(arg);
		return true;
	default:
		return false;
	}
}

/* Calls that the emulator makes in its own way; false: it is none of them. */
static bool special(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	switch (num) {
	case SYS_exit_group:
		native_process_over((int)arg[0]);
	case SYS_exit:
		env->address[1] = arg[0];
		env->over = true;
		*result = 0;
		return true;
	case SYS_clone:
		*result = native_clone(env, arg);
		return true;
	case SYS_fork:
		*result = native_clone(env, (const uint64_t[6]){ SIGCHLD });
		return true;
	case SYS_vfork:
		*result = native_clone(env, (const uint64_t[6]){ SIGCHLD | CLONE_VM | CLONE_VFORK });
		return true;
	/* Its filters would be for the emulator's own calls, too. */
	case SYS_seccomp:
		plugin_note(RING_NOTE_FILTER);
		*result = -ENOSYS;
		return true;
	case SYS_clone3:
	case SYS_rseq:
		*result = -ENOSYS;
		return true;
	case SYS_arch_prctl:
		*result = set_base(env, arg);
		return true;
	case SYS_prctl:
		return native_prctl(env, arg, result);
	case SYS_unshare:
	case SYS_setns:
		return native_unshare(env, num, arg, result);
	case SYS_ptrace:
		native_note_debugger(arg);
		return false;
	case SYS_set_tid_address:
		/* To the kernel, which knows only one thread of such a process. */
		if (env->shares)
			return false;
		env->clear_tid = arg[0];
		*result = syscall(SYS_gettid);
		return true;
	default:
		return signal_call(env, num, arg, result) || memory_call(num, arg, result);
	}
}

/* Where a call has the name of a file that it follows; -1: nowhere. */
static int name_in(uint64_t num, const uint64_t arg[6])
{
	switch (num) {
	case SYS_stat: case SYS_access:
		return 0;
	case SYS_newfstatat:
		return arg[3] & AT_SYMLINK_NOFOLLOW ? -1 : 1;
	case SYS_statx:
		return arg[2] & AT_SYMLINK_NOFOLLOW ? -1 : 1;
	case SYS_faccessat:
		return 1;
	default:
		return -1;
	}
}

static bool about_own_file(uint64_t num, const uint64_t arg[6], int64_t *result)
{
	int at = name_in(num, arg);
	uint64_t own[6];

	if (at < 0 || !is_self(arg[at]))
		return false;
	memcpy(own, arg, sizeof own);
	own[at] = (uintptr_t)native_program;
	*result = native_system((int64_t)num, own);
	return true;
}

static bool about_self(uint64_t num, const uint64_t arg[6], int64_t *result)
{
	if ((num == SYS_open && native_open_own(arg[0], (int)arg[1], result)) ||
	    (num == SYS_openat && native_open_own(arg[1], (int)arg[2], result)) || about_own_file(num, arg, result))
		return true;
	if (num == SYS_readlink && is_self(arg[0]))
		*result = read_self(arg[1], arg[2]);
	else if (num == SYS_readlinkat && is_self(arg[1]))
		*result = read_self(arg[2], arg[3]);
	else if (num == SYS_open && is_self(arg[0]))
		*result = open(native_program, (int)arg[1]);
	else if (num == SYS_openat && is_self(arg[1]))
		*result = open(native_program, (int)arg[2]);
	else
		return false;
	return true;
}

/* The mask that a call puts in the place of the program's while it waits; false: none. */
static bool mask_during(uint64_t num, const uint64_t arg[6], uint64_t *mask)
{
	uint64_t at = 0;

	if (num == SYS_rt_sigsuspend)
		at = arg[0];
	else if (num == SYS_ppoll)
		at = arg[3];
	else if (num == SYS_epoll_pwait)
		at = arg[4];
	else if (num == SYS_pselect6 && (!arg[5] || !native_get(&at, arg[5], sizeof at)))
		return false;
	return at && native_get(mask, at, sizeof *mask);
}

/* The process's program, by another. */
static bool replaces(uint64_t num)
{
	return num == SYS_execve || num == SYS_execveat;
}

static int64_t make_call(struct native_env *env, uint64_t num, const uint64_t arg[6])
{
	bool open = (env->shares || replaces(num)) && native_heed(env);
	int64_t result = native_system((int64_t)num, arg);

	if (open)
		native_hold(env);
	return result;
}

/* Where code is watched the kernel cannot write for the program either. */
int64_t native_call_kernel(struct native_env *env, uint64_t num, const uint64_t arg[6])
{
	int64_t result = make_call(env, num, arg);

	return result == -EFAULT && native_watch_release() ? make_call(env, num, arg) : result;
}

/* With what the plugin wants to know of it. */
static int64_t answer(struct native_env *env, uint64_t num, const uint64_t arg[6])
{
	int64_t result;

	native_clock_join(env, num, arg);
	if (native_hooks.call_start)
		native_hooks.call_start(0, env->vcpu, (int64_t)num, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], 0, 0);
	native_away(env);
	if (!native_client_call(env, num, arg, &result) && !special(env, num, arg, &result) && !about_self(num, arg, &result) &&
	    !native_machine_file(num, arg, &result) && !native_chance_call(num, arg, &result) &&
	    !native_clock_call(env, num, arg, &result) &&
	    !native_timer_call(env, num, arg, &result) && !native_cpu_call(env, num, arg, &result) &&
	    !native_memory_policy(env, num, arg, &result) && !native_turn_call(env, num, arg, &result))
		result = native_call_kernel(env, num, arg);
	native_turn_made(env, num);
	if (num == SYS_getdents64)
		result = native_hide_thread((int)arg[0], arg[1], result);
	native_back(env);
	if (native_hooks.call_end && !env->over)
		native_hooks.call_end(0, env->vcpu, (int64_t)num, result == NATIVE_UNMADE || result == NATIVE_BROKEN ? -EINTR : result);
	return result;
}

/* All others stand still, and no signal comes that would be lost with this program; the next one has the same mask. */
static int64_t replace(struct native_env *env, uint64_t num, uint64_t arg[6])
{
	uint64_t *path = arg + (num == SYS_execveat);
	int64_t result = NATIVE_UNMADE;

	if (is_self(*path))
		*path = (uintptr_t)native_program;
	native_stop_others(env);
	if (native_hold(env)) {
		if (native_has_clock() && !env->shares)
			native_timers_keep();
		result = answer(env, num, arg);
		native_timers_adopt(true);
	}
	native_let_others_go(env);
	native_set_mask(env, env->mask);
	return result;
}

/* Made by an instruction of two bytes, before which the program is again where that is what a signal needs. */
void native_make_call(struct native_env *env, uint64_t num, uint64_t arg[6])
{
	uint64_t asked = env->general[NATIVE_RAX], during;
	int64_t result;

	result = replaces(num) ? replace(env, num, arg) : answer(env, num, arg);
	/* The signal came first: its handler runs, then the program is at the call. */
	if (result == NATIVE_UNMADE) {
		env->pointer -= 2;
		native_deliver(env, false, NULL);
		return;
	}
	env->general[NATIVE_RAX] = (uint64_t)(result == NATIVE_BROKEN ? -EINTR : result);
	if (env->queued) {
		env->address[0] = asked;
		native_deliver(env, result == NATIVE_BROKEN, result == -EINTR && mask_during(num, arg, &during) ? &during : NULL);
	}
}

void native_syscall(struct native_env *env)
{
	uint64_t *reg = env->general, behind = env->pointer;
	uint64_t arg[6] = { reg[NATIVE_RDI], reg[NATIVE_RSI], reg[NATIVE_RDX], reg[10], reg[8], reg[9] };

	/* It changes all registers and comes back by itself. */
	if (reg[NATIVE_RAX] == SYS_rt_sigreturn) {
		native_sigreturn(env);
		native_deliver(env, false, NULL);
		return;
	}
	/* A handler's frame is to have them. */
	reg[NATIVE_RCX] = behind;
	reg[11] = env->flags;
	native_make_call(env, reg[NATIVE_RAX], arg);
}
