#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads of a program for IA-64: who runs when, what they wait for and how they end, worked out by hand.

usage: threads.py RUN-PROGRAM
"""
import errno
import sys

from rows import Row, between, call, code, memory, register, run_rows, store

# CLONE_VM, FS, FILES, SIGHAND, THREAD, SETTLS, PARENT_SETTID, CHILD_CLEARTID: as pthread_create() has it.
THREAD = 0x3d0f00
STACK = 65536
RESTART = 0x10000000

DATA = """
	/* A thread goes where b3 leads, and ends where that goes on to b4. */
child:	movl r20 = ends
	mov b4 = r20
	br.sptk b3
	/* Leaves what it finds of its registers: the thread pointer, sp - stack, bsp - stack, r4 of the one that made it. */
tells:	movl r14 = found
	movl r16 = stack
	mov r17 = ar.bsp
	sub r18 = r12, r16
	sub r17 = r17, r16
	st8 [r14] = r13, 8
	st8 [r14] = r18, 8
	st8 [r14] = r17, 8
	st8 [r14] = r4, 8
	br ends
	/* A hundred calls deep its register stack is memory of its own: count is 100 + 99 + ... + 1. */
dives:	mov r34 = 100
	br.call.sptk b0 = dive
	movl r14 = count
	st8 [r14] = r8
	br ends
dive:	alloc r33 = ar.pfs, 1, 3, 1, 0
	mov r34 = b0
	cmp.eq p6, p7 = 0, r32
	(p6) mov r8 = 0
	(p6) br up
	adds r36 = -1, r32
	br.call.sptk b0 = dive
	add r8 = r8, r32
up:	mov ar.pfs = r33
	mov b0 = r34
	br.ret.sptk b0
	/* Adds r5 to count a thousand times, and gives its turn away between load and store. */
adds:	movl r4 = 1000
	movl r6 = count
again:	ld8 r7 = [r6]
	movl r15 = 1164
	break.i 0x100000
	add r7 = r7, r5
	st8 [r6] = r7
	adds r4 = -1, r4
	cmp.ne p6, p7 = 0, r4
	(p6) br again
	br.sptk b4
	/* The same under a lock, which is 0, 1 or 2: taken and waited for. */
locks:	movl r4 = 1000
	movl r6 = count
more:	movl r14 = lock
	mov r16 = 1
	mov ar.ccv = 0
	cmpxchg4.acq r17 = [r14], r16, ar.ccv
	cmp.eq p6, p7 = 0, r17
	(p6) br taken
waits:	movl r14 = lock
	mov r16 = 2
	xchg4 r17 = [r14], r16
	cmp.eq p6, p7 = 0, r17
	(p6) br taken
	movl r34 = lock
	mov r35 = 128
	mov r36 = 2
	mov r37 = 0
	movl r15 = 1230
	break.i 0x100000
	br waits
taken:	ld8 r7 = [r6]
	movl r15 = 1164
	break.i 0x100000
	add r7 = r7, r5
	st8 [r6] = r7
	movl r14 = lock
	xchg4 r17 = [r14], r0
	movl r34 = lock
	mov r35 = 129
	mov r36 = 1
	movl r15 = 1230
	break.i 0x100000
	adds r4 = -1, r4
	cmp.ne p6, p7 = 0, r4
	(p6) br more
	br.sptk b4
	/* Never gives its turn away. */
spins:	br spins
	/* Sets count when its slice comes. */
sets:	movl r14 = count
	mov r15 = 7
	st8 [r14] = r15
	br ends
	/* Waits for count to be something other than 0, for the time in r6, and leaves what the call answers. */
sleeps:	movl r34 = count
	mov r35 = 128
	mov r36 = 0
	mov r37 = r6
	movl r15 = 1230
	break.i 0x100000
	movl r14 = found
	st8 [r14] = r8, 8
	st8 [r14] = r10
	br ends
	/* Waits for it with bit 1 of those that a wake may have. */
picks:	movl r34 = count
	mov r35 = 137
	mov r36 = 0
	mov r37 = 0
	mov r39 = 2
	movl r15 = 1230
	break.i 0x100000
	br ends
	/* Leaves how much it reads. */
reads:	mov r34 = 3
	movl r35 = other
	mov r36 = 99
	movl r15 = 1026
	break.i 0x100000
	movl r14 = found
	st8 [r14] = r8
	br ends
	/* Dies with a lock in its list that others wait for: its number and bit 31 are in it. */
dies:	movl r34 = list
	mov r35 = 24
	movl r15 = 1298
	break.i 0x100000
	movl r15 = 1105
	break.i 0x100000
	movl r16 = 0x80000000
	or r8 = r8, r16
	movl r14 = robust + 32
	st4 [r14] = r8
ends:	mov r34 = 5
	movl r15 = 1025
	break.i 0x100000
on_signal:
	alloc r35 = ar.pfs, 3, 2, 0, 0
	movl r14 = handled
	mov r16 = 1
	st8 [r14] = r16
	br.ret.sptk b0
	.data
	.align 16
descriptors:
	data8 on_signal, 0
action:	data8 descriptors, 0, 0
restart:
	data8 descriptors, 0x10000000, 0
list:	data8 robust, 32, 0
robust:	data8 list, 0, 0, 0, 0
lock:	data8 0
count:	data8 0
other:	data8 0
handled:	data8 0
id:	data8 0
cleared:	data8 0
found:	data8 0, 0, 0, 0
second:	data8 1, 0
two:	data8 2, 0
now:	data8 0, 0
	.align 16
stack:	.skip 65536
stack_2:	.skip 65536
"""


def thread(label, flags=THREAD, stack="stack", cleared="cleared"):
    """Made, with its number in `id`; it goes on at a label, with the registers as they are here."""
    return code(f"movl r20 = {label}", "mov b3 = r20", *(f"movl r{34 + i} = {a}" for i, a in enumerate(
        (flags, stack, STACK, "id", cleared, 0x1234))), "movl r15 = 1213", "break.i 0x100000",
                "cmp.eq p6, p7 = 0, r8", "(p6) br child", "cmp.ne p6, p7 = 0, r10", "(p6) br fail")


def joined(cleared="cleared"):
    """As pthread_join() waits."""
    number = joined.number = getattr(joined, "number", 0) + 1
    return code(f"wait{number}:", f"movl r14 = {cleared}", "ld4 r36 = [r14]", "cmp.eq p6, p7 = 0, r36", f"(p6) br over{number}",
                f"movl r34 = {cleared}", "mov r35 = 0", "mov r37 = 0", "movl r15 = 1230", "break.i 0x100000", f"br wait{number}",
                f"over{number}:")


def here(label):
    """What a thread runs, here."""
    number = here.number = getattr(here, "number", 0) + 1
    return code(f"movl r20 = back{number}", "mov b4 = r20", f"br {label}", f"back{number}:")


def made(label, **options):
    return (store(options.get("cleared", "cleared"), 1), thread(label, **options))


YIELD = call("sched_yield")
ROWS = [
    # The stack pointer begins 16 bytes below the end of the stack, the register stack at its start, eight outputs ahead of nothing.
    Row(code("mov r4 = 77"), *made("tells"), joined(), memory("found", 0x1234), memory("found + 8", STACK - 16), memory("found + 16", 0),
        memory("found + 24", 77)),
    Row(*made("dives"), joined(), memory("count", 5050), memory("cleared", 0, 4)),
    # Its number is where pthread_create() wants it, and it is nobody's once it has ended.
    Row(*made("ends"), code("movl r14 = id", "ld4 r5 = [r14]"), code("movl r15 = 1041",
        "break.i 0x100000", "adds r8 = 1, r8", "cmp.ne p6, p7 = r8, r5", "(p6) br fail"), joined(),
        code("movl r15 = 1041", "break.i 0x100000", "mov r34 = r8", "mov r35 = r5", "mov r36 = 0", "movl r15 = 1235", "break.i 0x100000",
             f"mov r20 = {errno.ESRCH}", "cmp.ne p6, p7 = r8, r20", "(p6) br fail")),
    # Both load before either stores: each addition of one thread is lost to the other's, which stores last.
    Row(code("mov r5 = 1"), *made("adds"), here("adds"), joined(), memory("count", 1000)),
    Row(code("mov r5 = 1"), *made("locks"), here("locks"), joined(), memory("count", 2000), memory("lock", 0)),
    # A thousand of ones, of tens and of hundreds.
    Row(code("mov r5 = 10"), *made("locks"), code("mov r5 = 100"), *made("locks", stack="stack_2", cleared="other"),
        code("mov r5 = 1"), here("locks"), joined(), joined("other"), memory("count", 111000)),
    # Whoever does not give its turn away loses it when its slice is over.
    Row(*made("sets"), code("movl r14 = count", "look:", "ld8 r15 = [r14]", "cmp.eq p6, p7 = 0, r15", "(p6) br look"),
        memory("count", 7), joined()),
    Row(*made("spins"), YIELD, YIELD, call("exit_group", 9), status=9),
    # An advanced load outlives a call that gives nothing away, and not the turn of another thread.
    Row(*made("spins"), code("movl r14 = count", "ld8.a r9 = [r14]"), code("movl r15 = 1105", "break.i 0x100000"),
        code("chk.a.clr r9, fail"), call("exit_group", 9), status=9),
    Row(*made("spins"), code("movl r14 = count", "ld8.a r9 = [r14]"), YIELD, code("chk.a.clr r9, lost", "br fail", "lost:"),
        call("exit_group", 9), status=9),
    # The program ends with its last thread, and its status is that of the first.
    Row(*made("sets"), call("exit", 3), status=3),
    # One that is woken; who waits is counted.
    Row(code("mov r6 = 0"), *made("sleeps"), call("futex", "count", 129, 1, gives=0), YIELD, call("futex", "count", 129, 9, gives=1), joined(),
        memory("found", 0), memory("found + 8", 0)),
    # Not by the bits of others; by bit 1 and others; who has named no bits has them all.
    Row(*made("picks"), YIELD, call("futex", "count", 138, 9, 0, 0, 0, fails=errno.EINVAL),
        call("futex", "count", 138, 9, 0, 0, 5, gives=0), call("futex", "count", 138, 9, 0, 0, 6, gives=1), joined()),
    Row(code("mov r6 = 0"), *made("sleeps"), YIELD, call("futex", "count", 138, 9, 0, 0, 4, gives=1), joined()),
    # Moved to wait for another word.
    Row(code("mov r6 = 0"), *made("sleeps"), YIELD, call("futex", "count", 132, 0, 9, "other", 1, fails=errno.EAGAIN),
        call("futex", "count", 132, 0, 9, "other", 0, gives=1), call("futex", "count", 129, 9, gives=0),
        call("futex", "other", 129, 9, gives=1), joined()),
    # A second and two of the same clock: it sleeps longer than the one here, and the time of both passes once.
    Row(code("movl r6 = two"), *made("sleeps"), call("nanosleep", "second", 0), call("clock_gettime", 1, "now"), memory("now", 1),
        between("now + 8", 0, 1000000), joined(), call("clock_gettime", 1, "now"), memory("now", 2), between("now + 8", 0, 1000000),
        memory("found", errno.ETIMEDOUT), memory("found + 8", -1 & (1 << 64) - 1)),
    # A signal ends a wait, or has it made again.
    Row(call("rt_sigaction", 10, "action", 0, 8), code("mov r6 = 0"), *made("sleeps"), YIELD,
        code("movl r15 = 1041", "break.i 0x100000", "mov r34 = r8", "movl r14 = id", "ld4 r35 = [r14]", "mov r36 = 10", "movl r15 = 1235",
             "break.i 0x100000"), memory("handled", 0), joined(), memory("handled", 1), memory("found", errno.EINTR)),
    Row(call("rt_sigaction", 10, "restart", 0, 8), code("mov r6 = 0"), *made("sleeps"), YIELD,
        code("movl r15 = 1041", "break.i 0x100000", "mov r34 = r8", "movl r14 = id", "ld4 r35 = [r14]", "mov r36 = 10", "movl r15 = 1235",
             "break.i 0x100000"), YIELD, memory("handled", 1), call("futex", "count", 129, 9, gives=1), joined(), memory("found", 0)),
    # Who reads what nobody has written yet waits; the others go on.
    Row(call("pipe", gives=3), *made("reads"), YIELD, memory("count", 0), call("write", 4, "stack_2", 8, gives=8), joined(),
        memory("found", 8)),
    # Bit 30 says that the owner has died; it keeps bit 31, and one that waits is woken.
    Row(*made("dies"), joined(), memory("robust + 32", 0xc0000000, 4)),
    Row(call("set_robust_list", "list", 8, fails=errno.EINVAL)),
    # What cannot go on.
    Row(code("mov r6 = 0"), *made("sleeps"), call("futex", "other", 128, 0, 0), status=70, said="all threads of the program wait"),
    Row(call("clone2", THREAD, 0, STACK, "id", "id", 0, fails=errno.EINVAL),
        call("clone2", THREAD, "stack", STACK, 0x123450000, "id", 0, fails=errno.EFAULT),
        call("clone2", 17, 0, 0, 0, "id", 0, fails=errno.ENOSYS), call("clone", 17, 0, fails=errno.ENOSYS), said="another process"),
]

sys.exit(run_rows(ROWS, DATA))
