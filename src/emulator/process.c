/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about the whole process that the kernel would answer, or do, for this emulator, too. */
#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/native.h"

/* Of <linux/prctl.h>, which older ones have not. */
enum { SYSCALL_USER_DISPATCH = 59, MEMORY_DENY_WRITE_EXECUTE = 65 };

/* Namespaces, and more, that the kernel gives only to who is alone in his memory. */
#define ALONE ((uint64_t)(CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM))

bool native_prctl(const struct native_env *env, const uint64_t arg[6], int64_t *result)
{
	switch (arg[0]) {
	case PR_SET_SECCOMP:
		plugin_note(RING_NOTE_FILTER);
		*result = -EINVAL;
		return true;
	/* These would be about the emulator's own calls and code. */
	case SYSCALL_USER_DISPATCH:
	case MEMORY_DENY_WRITE_EXECUTE:
		*result = -EINVAL;
		return true;
	case PR_GET_TID_ADDRESS:
		if (env->shares)
			return false;
		*result = native_put(arg[1], &env->clear_tid, sizeof env->clear_tid) ? 0 : -EFAULT;
		return true;
	default:
		return false;
	}
}

void native_note_debugger(const uint64_t arg[6])
{
	if (arg[0] == PTRACE_TRACEME || arg[0] == PTRACE_ATTACH || arg[0] == PTRACE_SEIZE)
		plugin_note(RING_NOTE_DEBUGGER);
}

enum { UNSHARE_TRIES = 50 };

/* The plugin's watch is a second thread, which goes meanwhile. */
bool native_unshare(const struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	int file;

	if (env->shares || !(arg[num == SYS_setns] & (num == SYS_setns ? CLONE_NEWUSER : ALONE)) ||
	    !plugin_watch_stop(plugin_watching, &file))
		return false;
	/* For a moment the kernel still counts the thread among those that share signals. */
	for (unsigned tries = 0; (*result = native_system((int64_t)num, arg)) == -EINVAL && tries < UNSHARE_TRIES; tries++)
		usleep(100);
	plugin_watch_start(plugin_watching, plugin_watching->segment, file);
	return true;
}
