#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a program for IA-64 is answered by Linux: rows of calls, assembled, whose answers are compared in the program itself.

usage: system_calls.py RUN-PROGRAM

A row's program runs in an empty directory.  Each call is compared with the value in r8 and with r10, which is -1 for errors.
"""
import errno
import fcntl
import os
import signal
import sys

from rows import Row, between, call, code, memory, register, run_rows, store

PAGE, MAPPED = 16384, 0x2000000800000000
O = os

DATA = """
	/* Adds its signal's number to count, and what siginfo says. */
on_signal:
	alloc r35 = ar.pfs, 3, 2, 0, 0
	movl r14 = count
	ld4 r15 = [r33]
	ld8 r16 = [r14]
	add r16 = r16, r15
	st8 [r14] = r16
	adds r15 = 8, r33
	ld4 r15 = [r15]
	movl r14 = cause
	st4 [r14] = r15
	mov r20 = 99
	mov r8 = 98
	mov pr = r0, -1
	br.ret.sptk b0
	/* Ends with 7 where siginfo has the address. */
on_fault:
	alloc r35 = ar.pfs, 3, 1, 1, 0
	adds r14 = 16, r33
	ld8 r14 = [r14]
	movl r16 = 0x2000000800000000
	cmp.eq p6, p7 = r14, r16
	(p6) mov r36 = 7
	(p7) mov r36 = 6
	mov r15 = 1025
	break.i 0x100000
	.data
	.align 8
file:	stringz "file"
other:	stringz "other"
dir:	stringz "dir"
none:	stringz "none/none"
dot:	stringz "."
abc:	stringz "abcdefgh"
	.align 8
vector:	data8 abc, 3, abc, 5, 0xdead0000, 0
split:	data8 buffer, 3, buffer + 16, 5
bad:	data8 abc, 3, 0x123450000, 5
second:	data8 1, 500000000
never:	data8 1, 1000000000
ignore:	data8 1, 0, 0
set:	data8 0x200
	.align 16
descriptors:
	data8 on_signal, 0, on_fault, 0
action:	data8 descriptors, 0, 0
fault:	data8 descriptors + 16, 0, 0
lost:	data8 never, 0, 0
count:	data8 0
cause:	data8 0
	.align 16
buffer:	.skip 4096
	.skip 16384
"""


def word(text):
    return int.from_bytes(text.encode().ljust(8, b"\0")[:8], "little")


NEW = O.O_CREAT | O.O_RDWR
AT_FDCWD = -100

ROWS = [
    # Files.
    Row(call("open", "file", NEW, 0o600, gives=3), call("write", 3, "abc", 8, gives=8), call("lseek", 3, 2, 0, gives=2),
        call("read", 3, "buffer", 100, gives=6), memory("buffer", word("cdefgh")), call("read", 3, "buffer", 8, gives=0),
        call("close", 3), call("read", 3, "buffer", 8, fails=errno.EBADF)),
    Row(call("open", "none", 0, 0, fails=errno.ENOENT), call("open", 0x123450000, 0, 0, fails=errno.EFAULT),
        call("openat", AT_FDCWD, "file", NEW, 0o600, gives=3), call("open", "file", NEW | O.O_EXCL, 0, fails=errno.EEXIST)),
    Row(call("open", "file", NEW, 0o600, gives=3), call("pwrite64", 3, "abc", 4, 4, gives=4),
        call("pread64", 3, "buffer", 8, 0, gives=8), memory("buffer", word("abcd") << 32),
        call("lseek", 3, 0, 1, gives=0), call("ftruncate", 3, 5), call("lseek", 3, 0, 2, gives=5)),
    Row(call("open", "file", NEW, 0o600, gives=3), call("writev", 3, "vector", 3, gives=8), call("lseek", 3, 0, 0),
        call("readv", 3, "split", 2, gives=8), memory("buffer", word("abc")), memory("buffer + 16", word("abcde")),
        call("writev", 3, "bad", 2, fails=errno.EFAULT)),
    # A write over several pages of the program is one of this computer's.
    Row(call("open", "file", NEW, 0o600, gives=3), call("write", 3, "buffer", 4096 + 8192, gives=4096 + 8192),
        call("lseek", 3, 0, 2, gives=12288)),
    # Descriptors are the lowest free ones, and not those of this process.
    Row(call("open", "file", NEW, 0o600, gives=3), call("dup", 3, gives=4), call("dup2", 3, 9, gives=9), call("close", 3),
        call("fcntl", 9, fcntl.F_DUPFD, 5, gives=5), call("dup", 9, gives=3), call("write", 5, "abc", 8, gives=8),
        call("lseek", 9, 0, 1, gives=8), call("dup2", 9, 1024, fails=errno.EBADF), call("close", 8, fails=errno.EBADF),
        call("close", 1), call("write", 1, "abc", 8, fails=errno.EBADF)),
    Row(call("pipe", gives=3), register(9, 4), call("write", 4, "abc", 8, gives=8), call("read", 3, "buffer", 8, gives=8),
        memory("buffer", word("abcdefgh")), call("pipe2", "buffer", 0), memory("buffer", 6 << 32 | 5)),
    # Nobody reads what it writes: that is the program's signal, not its end without a word.
    Row(call("pipe", gives=3), call("close", 3), call("write", 4, "abc", 8), status=70, said="signal 13 (PIPE)"),
    Row(call("rt_sigaction", 13, "ignore", 0, 8), call("pipe", gives=3), call("close", 3), call("write", 4, "abc", 8, fails=errno.EPIPE)),
    Row(call("open", "file", NEW, 0o600, gives=3), call("ioctl", 3, 0x5401, "buffer", fails=errno.ENOTTY),
        call("fcntl", 3, fcntl.F_GETFL, 0, gives=O.O_RDWR | 0o100000), call("fcntl", 7, fcntl.F_GETFL, 0, fails=errno.EBADF)),
    # struct stat: the mode is at 24, the size at 48.
    Row(call("open", "file", NEW, 0o640, gives=3), call("write", 3, "abc", 8, gives=8), call("stat", "file", "buffer"),
        memory("buffer + 24", 0o100640, 4), memory("buffer + 48", 8), call("fstat", 3, "buffer + 256"),
        memory("buffer + 256 + 48", 8), call("stat", "none", "buffer", fails=errno.ENOENT)),
    Row(call("mkdir", "dir", 0o700), call("mkdir", "dir", 0o700, fails=errno.EEXIST), call("chdir", "dir"),
        call("open", "file", NEW, 0o600, gives=3), call("rename", "file", "other"), call("open", "file", 0, 0, fails=errno.ENOENT),
        call("symlink", "abc", "file"), call("readlink", "file", "buffer", 100, gives=8), memory("buffer", word("abcdefgh")),
        call("unlink", "file"), call("unlink", "other"), call("getcwd", "buffer", 3, fails=errno.ERANGE),
        call("rmdir", "dir", fails=errno.ENOENT)),
    # To whom it belongs already: uid is at 28, gid at 32 of struct stat.
    Row(call("open", "file", NEW, 0o600, gives=3), call("fchown", 3, O.getuid(), O.getgid()), call("fstat", 3, "buffer"),
        memory("buffer + 28", O.getuid(), 4), memory("buffer + 32", O.getgid(), 4), call("chown", "file", O.getuid(), -1),
        call("chown", "none", 0, 0, fails=errno.ENOENT), call("fchown", 9, 0, 0, fails=errno.EBADF)),
    # "." and ".." have 24 bytes each.
    Row(call("open", "dot", O.O_DIRECTORY, 0, gives=3), call("getdents64", 3, "buffer", 4096, gives=48),
        call("getdents64", 3, "buffer", 4096, gives=0)),
    # Memory.  The program ends in its data's page, or two: brk starts behind it.
    Row(call("mmap", 0, PAGE, 3, 0x22, -1, 0, gives=MAPPED), store(MAPPED + 8, 77), memory(MAPPED + 8, 77),
        call("munmap", MAPPED, PAGE), call("read", 0, MAPPED, 1, fails=errno.EFAULT)),
    Row(call("mmap", 0, PAGE, 3, 0x22, -1, 0, gives=MAPPED), call("munmap", MAPPED, PAGE), memory(MAPPED, 0), status=70,
        said="is not mapped"),
    Row(call("mmap", 0, 2 * PAGE, 3, 0x22, -1, 0, gives=MAPPED), call("mprotect", MAPPED + PAGE, PAGE, 1),
        store(MAPPED + PAGE - 8, 1), memory(MAPPED + PAGE, 0), store(MAPPED + PAGE, 1), status=70, said="st8"),
    Row(call("mmap", 0, 2 * PAGE, 3, 0x22, -1, 0, gives=MAPPED), call("mprotect", MAPPED + PAGE, 2 * PAGE, 1, fails=errno.ENOMEM),
        call("mprotect", MAPPED + 8, PAGE, 1, fails=errno.EINVAL), store(MAPPED + PAGE, 1)),
    Row(call("mmap", 0, PAGE, 3, 0x22, -1, 0, gives=MAPPED), store(MAPPED, 77),
        call("mmap", MAPPED, PAGE, 3, 0x32, -1, 0, gives=MAPPED), memory(MAPPED, 0)),
    Row(call("mmap", 0, 0, 3, 0x22, -1, 0, fails=errno.EINVAL), call("mmap", 8, PAGE, 3, 0x32, -1, 0, fails=errno.EINVAL),
        call("mmap", 0, 1 << 62, 3, 0x22, -1, 0, fails=errno.EINVAL), call("mmap", 0, PAGE, 3, 2, 5, 0, fails=errno.EBADF)),
    Row(call("open", "file", NEW, 0o600, gives=3), call("write", 3, "abc", 8, gives=8),
        call("mmap", 0, 8, 3, 2, 3, 0, gives=MAPPED), memory(MAPPED, word("abcdefgh")), memory(MAPPED + 8, 0), store(MAPPED, 0),
        call("pread64", 3, "buffer", 8, 0, gives=8), memory("buffer", word("abcdefgh")),
        call("mmap", 0, 8, 3, 1, 3, 0, fails=errno.ENODEV)),
    # Its offset is in pages: the second one of a file of two, the last of which is short.
    Row(call("open", "file", NEW, 0o600, gives=3), call("pwrite64", 3, "abc", 8, PAGE, gives=8),
        call("mmap2", 0, 8, 1, 2, 3, 1, gives=MAPPED), memory(MAPPED, word("abcdefgh")),
        call("mmap2", 0, 8, 1, 2, 3, 1 << 50, fails=errno.EOVERFLOW)),
    Row(call("mmap", 0, PAGE, 3, 0x22, -1, 0, gives=MAPPED), store(MAPPED, 77),
        call("mremap", MAPPED, PAGE, 2 * PAGE, 0, fails=errno.ENOMEM),
        call("mremap", MAPPED, PAGE, 2 * PAGE, 1, gives=MAPPED + 2 * PAGE), memory(MAPPED + 2 * PAGE, 77),
        memory(MAPPED + 4 * PAGE - 8, 0), call("mremap", MAPPED, PAGE, PAGE, 1, fails=errno.EFAULT)),
    Row(call("mmap", 0, PAGE, 3, 0x22, -1, 0, gives=MAPPED), store(MAPPED, 77), call("madvise", MAPPED, PAGE, 4), memory(MAPPED, 0)),
    # Time: a sleep of a second and a half is one to the program's clock, and over at once.
    Row(call("clock_gettime", 1, "buffer"), memory("buffer", 0), call("nanosleep", "second", 0), call("clock_gettime", 1, "buffer"),
        memory("buffer", 1), between("buffer + 8", 500000000, 501000000), call("clock_gettime", 2, "buffer"), memory("buffer", 0),
        call("nanosleep", "never", 0, fails=errno.EINVAL), call("clock_gettime", 99, "buffer", fails=errno.EINVAL)),
    # Until one and a half seconds: no time is left of it the second time.
    Row(call("clock_nanosleep", 1, 1, "second", 0), call("clock_nanosleep", 1, 1, "second", 0), call("clock_gettime", 1, "buffer"),
        memory("buffer", 1), between("buffer + 8", 500000000, 501000000)),
    # 2020 to 2100.
    Row(call("clock_gettime", 0, "buffer"), between("buffer", 1577836800, 4102444800), call("gettimeofday", "buffer", 0),
        between("buffer", 1577836800, 4102444800)),
    # The process.
    Row(call("uname", "buffer"), memory("buffer", word("Linux")), memory("buffer + 4 * 65", word("ia64") & 0xffffffff, 4)),
    Row(call("getrlimit", 3, "buffer"), memory("buffer", 8 << 20), call("getrlimit", 99, "buffer", fails=errno.EINVAL)),
    Row(call("getrandom", "buffer", 16, 0, gives=16), between("buffer", 1, (1 << 64) - 1)),
    Row(call("rt_sigaction", signal.SIGUSR1, "ignore", 0, 8), call("kill", 0, signal.SIGUSR1),
        call("rt_sigaction", signal.SIGUSR1, 0, "buffer", 8), memory("buffer", 1),
        call("rt_sigaction", signal.SIGKILL, "ignore", 0, 8, fails=errno.EINVAL),
        call("rt_sigaction", 1, 0, 0, 4, fails=errno.EINVAL), call("kill", 0, 99, fails=errno.EINVAL),
        call("kill", 1, 9, fails=errno.EPERM)),
    Row(call("rt_sigprocmask", 2, "set", "buffer", 8), memory("buffer", 0), call("rt_sigprocmask", 0, 0, "buffer", 8),
        memory("buffer", 0x200), call("rt_sigprocmask", 9, "set", 0, 8, fails=errno.EINVAL)),
    # A handler: r8 and r10 are those of the call that it interrupts, and so is everything else.
    Row(call("rt_sigaction", 10, "action", 0, 8), call("kill", 0, 10), memory("count", 10), memory("cause", 0, 4),
        code("movl r15 = 1105", "break.i 0x100000", "mov r34 = r8", "mov r35 = 10", "movl r15 = 1229", "break.i 0x100000"),
        memory("count", 20), memory("cause", -6 & 0xffffffff, 4)),
    # Signal 10 is bit 9: blocked it waits, once.
    Row(call("rt_sigaction", 10, "action", 0, 8), call("rt_sigprocmask", 0, "set", 0, 8), call("kill", 0, 10), call("kill", 0, 10),
        memory("count", 0), call("rt_sigpending", "buffer", 8), memory("buffer", 0x200),
        call("rt_sigprocmask", 1, "set", 0, 8), memory("count", 10), call("rt_sigpending", "buffer", 8), memory("buffer", 0)),
    Row(call("rt_sigaction", 11, "fault", 0, 8), call("mmap", 0, PAGE, 0, 0x22, -1, 0, gives=MAPPED), store(MAPPED, 1), status=7),
    Row(call("rt_sigaction", 10, "lost", 0, 8), call("kill", 0, 10), status=70, said="no code is mapped"),
    Row(call("rt_sigreturn"), status=70, said="has not got"),
    Row(call("kill", 0, signal.SIGTERM), status=70, said="signal 15 (TERM)"),
    Row(call("futex", "buffer", 129, 1), call("futex", "buffer", 128, 1, 0, fails=errno.EAGAIN),
        call("futex", "buffer", 128, 0, "second", fails=errno.ETIMEDOUT), call("futex", "buffer", 0, 0, 0), status=70,
        said="no other thread"),
    # What is not there is told once.
    Row(call("ptrace", 0, 0, 0, 0, fails=errno.ENOSYS), call("ptrace", 0, 0, 0, 0, fails=errno.ENOSYS), said="1048"),
]

sys.exit(run_rows(ROWS, DATA))
