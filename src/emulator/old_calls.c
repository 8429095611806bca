/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls as programs of old make them: by `int 0x80`, with the numbers of 32-bit programs, and at fixed addresses of the
 * kernel's, from where it answers by itself.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "base/bits.h"
#include "emulator/client.h"
#include "emulator/clock.h"

#define PAGE_OF_OLD UINT64_C(0xffffffffff600000)
#define CALLS_32 253			/* beyond the last that is known */

enum { LSEEK_32 = 19, MMAP2_32 = 192 };

/* 1 more than the 64-bit number; 0: none that has the same arguments, in the same layout. */
#define IS(num) ((num) + 1)
static const uint16_t number[CALLS_32] = {
	[1] = IS(SYS_exit), [2] = IS(SYS_fork), [3] = IS(SYS_read), [4] = IS(SYS_write), [5] = IS(SYS_open), [6] = IS(SYS_close),
	[8] = IS(SYS_creat), [9] = IS(SYS_link), [10] = IS(SYS_unlink), [12] = IS(SYS_chdir), [14] = IS(SYS_mknod),
	[15] = IS(SYS_chmod), [LSEEK_32] = IS(SYS_lseek), [20] = IS(SYS_getpid), [27] = IS(SYS_alarm), [29] = IS(SYS_pause),
	[33] = IS(SYS_access), [36] = IS(SYS_sync), [37] = IS(SYS_kill), [38] = IS(SYS_rename), [39] = IS(SYS_mkdir),
	[40] = IS(SYS_rmdir), [41] = IS(SYS_dup), [42] = IS(SYS_pipe), [45] = IS(SYS_brk), [57] = IS(SYS_setpgid),
	[60] = IS(SYS_umask), [61] = IS(SYS_chroot), [63] = IS(SYS_dup2), [64] = IS(SYS_getppid), [65] = IS(SYS_getpgrp),
	[66] = IS(SYS_setsid), [83] = IS(SYS_symlink), [85] = IS(SYS_readlink), [91] = IS(SYS_munmap), [94] = IS(SYS_fchmod),
	[118] = IS(SYS_fsync), [122] = IS(SYS_uname), [125] = IS(SYS_mprotect), [132] = IS(SYS_getpgid), [133] = IS(SYS_fchdir),
	[143] = IS(SYS_flock), [144] = IS(SYS_msync), [147] = IS(SYS_getsid), [148] = IS(SYS_fdatasync), [150] = IS(SYS_mlock),
	[151] = IS(SYS_munlock), [158] = IS(SYS_sched_yield), [183] = IS(SYS_getcwd), [190] = IS(SYS_vfork),
	[MMAP2_32] = IS(SYS_mmap), [199] = IS(SYS_getuid), [200] = IS(SYS_getgid), [201] = IS(SYS_geteuid),
	[202] = IS(SYS_getegid), [224] = IS(SYS_gettid), [238] = IS(SYS_tkill), [252] = IS(SYS_exit_group),
};

void native_syscall_32(struct native_env *env)
{
	static const uint8_t order[6] = { NATIVE_RBX, NATIVE_RCX, NATIVE_RDX, NATIVE_RSI, NATIVE_RDI, NATIVE_RBP };
	uint32_t num = (uint32_t)env->general[NATIVE_RAX];
	uint64_t arg[6];

	for (unsigned n = 0; n < LEN(order); n++)
		arg[n] = (uint32_t)env->general[order[n]];
	if (num >= CALLS_32 || !number[num]) {
		env->general[NATIVE_RAX] = (uint64_t)-ENOSYS;
		return;
	}
	if (num == LSEEK_32)
		arg[1] = (uint64_t)(int32_t)arg[1];
	if (num == MMAP2_32)
		arg[5] *= NATIVE_PAGE;
	native_make_call(env, number[num] - 1U, arg);
}

static int64_t answer(struct native_env *env, uint64_t num, const uint64_t arg[6])
{
	int64_t result;

	native_clock_join(env, num, arg);
	return native_client_call(env, num, arg, &result) || native_clock_call(env, num, arg, &result) ? result : native_system((int64_t)num, arg);
}

bool native_vsyscall(struct native_env *env)
{
	static const uint16_t calls[] = { SYS_gettimeofday, SYS_time, SYS_getcpu };	/* each 1 KB behind the one before */
	uint64_t at = env->pointer - PAGE_OF_OLD, *reg = env->general, back;
	uint64_t arg[6] = { reg[NATIVE_RDI], reg[NATIVE_RSI], reg[NATIVE_RDX] };
	int64_t result;

	if (at % 1024 || at / 1024 >= LEN(calls) || !native_get(&back, reg[NATIVE_RSP], sizeof back))
		return false;
	do
		result = answer(env, calls[at / 1024], arg);
	while (result == NATIVE_BROKEN);
	/* A signal comes first; then the program is here again. */
	if (result == NATIVE_UNMADE) {
		native_deliver(env, false, NULL);
		return true;
	}
	if (result == -EFAULT)
		return false;
	reg[NATIVE_RAX] = (uint64_t)result;
	reg[NATIVE_RSP] += sizeof back;
	env->pointer = back;
	return true;
}
