#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Frames of registers and their rotation (Itanium architecture manual, vol. 1, 4.1 and 4.5.1), worked out by hand.

usage: frames.py RUN-PROGRAM
"""
import sys

from rows import Row, code, memory, register, run_rows

# A loop of two stages over five words: each turn reads one to r32 and adds what is three places down by then to r8 (r35), and so do
# f32 and f35.
LOOP = """
loop:	alloc r48 = ar.pfs, 0, 16, 0, 8
	movl r14 = words
	mov r8 = 0
	mov r32 = 0
	mov r33 = 0
	mov r34 = 0
	mov r35 = 0
	mov ar.lc = 4
	mov ar.ec = 4
	mov pr.rot = 0x10000
	mov f6 = f0
turn:	(p16) ld8 r32 = [r14], 8
	(p16) setf.sig f32 = r14
	(p19) add r8 = r8, r35
	(p19) xma.l f6 = f35, f0, f35
	br.ctop.sptk turn
	movl r14 = seen
	add r15 = 8, r14
	getf.sig r16 = f6
	st8 [r14] = r8
	movl r17 = words
	sub r16 = r16, r17
	st8 [r15] = r16
	mov r18 = ar.ec
	add r15 = 16, r14
	st8 [r15] = r18
	clrrrb
	mov ar.pfs = r48
	br.ret.sptk b0
	/* Eight rotating registers turned by two, of which a callee knows nothing, are as they were when it returns. */
keeps:	alloc r40 = ar.pfs, 0, 16, 0, 8
	mov r41 = b0
	mov r32 = 100
	mov r33 = 101
	mov r39 = 107
	mov ar.lc = 9
	mov ar.ec = 1
	br.ctop.sptk one
one:	br.ctop.sptk two
two:	br.call.sptk b0 = other
	movl r14 = seen
	st8 [r14] = r34, 8
	st8 [r14] = r35, 8
	st8 [r14] = r33
	clrrrb
	mov b0 = r41
	mov ar.pfs = r40
	br.ret.sptk b0
other:	alloc r34 = ar.pfs, 0, 16, 0, 16
	mov r32 = 1
	mov r33 = 2
	mov r39 = 3
	mov ar.pfs = r34
	br.ret.sptk b0
	.data
	.align 8
words:	data8 3, 50, 700, 11000, 130000
seen:	data8 0, 0, 0
"""


def run(label):
    return code(f"br.call.sptk b0 = {label}")


def back(pfm):
    """Returns to a frame of our own making."""
    return code(f"movl r14 = {pfm}", "mov ar.pfs = r14", "movl r14 = target", "mov b6 = r14", "br.ret.sptk b6", "target:")


ROWS = [
    # All five are added up, in turns four to eight; the last address set is 40 behind the first word.
    Row(run("loop"), register(8, 3 + 50 + 700 + 11000 + 130000), memory("seen + 8", 40), memory("seen + 16", 0)),
    # Turned by two r32 is r34, r33 is r35; r39, the last of the eight, is r33 since they go round.
    Row(run("keeps"), memory("seen", 100), memory("seen + 8", 101), memory("seen + 16", 107)),
    # 8 registers; then what no alloc makes: 97 registers, more local ones than there are, more rotating ones than
    # there are, and a base beyond those that rotate.
    Row(back(8)),
    *(Row(back(pfm), status=70, said="a frame that cannot be")
      for pfm in (97, 8 | 9 << 7, 8 | 2 << 14, 16 | 1 << 14 | 8 << 18, 16 | 1 << 18)),
]

sys.exit(run_rows(ROWS, LOOP))
