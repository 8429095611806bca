# SPDX-License-Identifier: BSD-2-Clause
"""Rows of steps that an assembled program for IA-64 goes through: the first that is not as it should be ends it with its number."""
import os
import shutil
import subprocess
import sys
import tempfile

# Numbers: Linux 6.1, arch/ia64/kernel/syscalls/syscall.tbl, and 1024.
NUMBERS = {
    "exit": 1, "read": 2, "write": 3, "open": 4, "close": 5, "unlink": 8, "chdir": 10, "lseek": 16, "kill": 29, "chown": 15, "fchown": 76, "rename": 30,
    "mkdir": 31, "rmdir": 32, "dup": 33, "pipe": 34, "brk": 36, "ioctl": 41, "fcntl": 42, "dup2": 46, "ptrace": 24,
    "getrlimit": 61, "gettimeofday": 63, "readlink": 68, "symlink": 67, "ftruncate": 74, "uname": 106, "readv": 122,
    "writev": 123, "pread64": 124, "pwrite64": 125, "mmap": 127, "munmap": 128, "mprotect": 131, "mremap": 132,
    "nanosleep": 144, "mmap2": 148, "rt_sigaction": 153, "rt_sigpending": 154, "rt_sigprocmask": 155, "rt_sigreturn": 157, "getcwd": 160, "madvise": 185, "stat": 186, "fstat": 188,
    "getdents64": 190, "futex": 206, "set_tid_address": 209, "clock_gettime": 230, "clock_nanosleep": 232, "openat": 257,
    "pipe2": 293, "sched_yield": 140, "clone": 104, "clone2": 189, "gettid": 81, "tgkill": 211, "exit_group": 212,
    "set_robust_list": 274, "getpid": 17, "getrandom": 315,
}

HEAD = """	.text
	.global _start
	.proc _start
_start:
	alloc r32 = ar.pfs, 0, 2, 8, 0
"""
TAIL = """
	mov r33 = 0
fail:
	mov r34 = r33
	movl r15 = 1236
	break.i 0x100000
	.endp _start
"""


class Row:
    """Steps in order; status and what is said on standard error at the end."""

    def __init__(self, *steps, status=0, said=None):
        self.at = sys._getframe(1).f_lineno
        self.steps, self.status, self.said = steps, status, said


def call(name, *arguments, gives=0, fails=None):
    return lambda: [f"movl r{34 + i} = {a}" for i, a in enumerate(arguments)] + [
        f"movl r15 = {1024 + NUMBERS[name]}", "break.i 0x100000",
        f"movl r20 = {fails if fails else gives}", f"movl r21 = {-1 if fails else 0}",
        "cmp.ne p6, p0 = r8, r20", "cmp.ne p7, p0 = r10, r21", "(p6) br fail", "(p7) br fail"]


def register(number, value):
    return lambda: [f"movl r20 = {value}", f"cmp.ne p6, p0 = r{number}, r20", "(p6) br fail"]


def memory(address, value, size=8):
    return lambda: [f"movl r20 = {value}", f"movl r21 = {address}", f"ld{size} r21 = [r21]",
                    "cmp.ne p6, p0 = r21, r20", "(p6) br fail"]


def store(address, value):
    return lambda: [f"movl r20 = {value}", f"movl r21 = {address}", "st8 [r21] = r20"]


def between(address, low, high):
    """The word of 8 bytes there, low <= word < high."""
    return lambda: [f"movl r20 = {low}", f"movl r22 = {high}", f"movl r21 = {address}", "ld8 r21 = [r21]",
                    "cmp.ltu p6, p0 = r21, r20", "cmp.geu p7, p0 = r21, r22", "(p6) br fail", "(p7) br fail"]


def code(*lines):
    return lambda: list(lines)


def build(folder, row, data):
    lines = []
    for number, step in enumerate(row.steps, 1):
        lines += [f"mov r33 = {number}"] + step()
    source, program = os.path.join(folder, "row.s"), os.path.join(folder, "row")
    with open(source, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(f"\t{line}\n" for line in lines) + TAIL + data)
    subprocess.run(["ia64-linux-gnu-as", "-o", program + ".o", source], check=True)
    subprocess.run(["ia64-linux-gnu-ld", "-static", "-o", program, program + ".o"], check=True)
    return program


def test(row, runner, data):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as empty:
        got = subprocess.run([runner, build(folder, row, data)], cwd=empty, capture_output=True, text=True, check=False, timeout=60,
                             stdin=subprocess.DEVNULL)
    right = got.returncode == row.status and (row.said is None or got.stderr.count(row.said) == 1)
    if not right:
        print(f"{sys.argv[0]}:{row.at}: status {got.returncode} (a step's number), want {row.status}: {got.stderr.strip()!r}")
    return right


def run_rows(rows, data):
    """Of all rows; data is assembled behind each.  The exit status of a test."""
    if not shutil.which("ia64-linux-gnu-as"):
        print("no ia64-linux-gnu-as: skipped")
        return 77
    runner = os.path.abspath(sys.argv[1])
    wrong = sum(not test(row, runner, data) for row in rows)
    print(f"{sum(len(row.steps) for row in rows)} checks, {wrong} rows wrong")
    return 1 if wrong else 0
