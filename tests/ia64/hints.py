#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The data access hint registers, set, read, and stacked by calls (Itanium 9500 manual, 2.3.1.1 and table 2-19).

usage: hints.py RUN-PROGRAM
"""
import sys

from rows import Row, code, register, run_rows

# Bits: FLD_LOC 1:0, MLD_LOC 3:2, LLC_LOC 4, PF 6:5, PF_DROP 8:7, PIPE 9, BIAS 10; defaults of table 2-19.
DEFAULTS = [0x200, 0x222, 0x226, 0x232, 0, 0x022, 0x04a, 0x07a]

# deeper calls itself r14 times, each time with a DAHR 1 of its own, and adds up in r16 what it finds on the way back.
DATA = """
deeper:	alloc r34 = ar.pfs, 2, 4, 0, 0
	mov r35 = b0
	mov r36 = pr
	mov dahr1 = 0x1
	cmp.eq p6, p7 = 0, r14
	(p6) br back
	adds r14 = -1, r14
	br.call.sptk b0 = deeper
back:	mov r18 = 1
	mov r17 = dahr[r18]
	add r16 = r16, r17
	mov pr = r36, -1
	mov ar.pfs = r34
	mov b0 = r35
	br.ret.sptk b0
	.data
"""


def read(number, value):
    return lambda: [f"mov r18 = {number}", "mov r8 = dahr[r18]"] + register(8, value)()


def dive(levels):
    return code(f"mov r14 = {levels - 1}", "mov r16 = 0", "br.call.sptk b0 = deeper")


ROWS = [
    Row(*(read(number, value) for number, value in enumerate(DEFAULTS))),
    Row(code("mov dahr3 = 0x7ff"), read(3, 0x7ff), read(2, 0x226)),
    # CPUID, read the same way: the vendor, and the family in byte 3 of word 3.
    Row(code("mov r18 = 1", "mov r8 = cpuid[r18]"), register(8, 0x6c65746e), code("mov r18 = 3", "mov r8 = cpuid[r18]"),
        register(8, 0x21000004)),
    Row(code("mov r18 = 5", "mov r8 = cpuid[r18]"), status=70, said="reserved"),
    # A call begins with the defaults, and its return brings back what was there.
    Row(code("mov dahr1 = 0x155"), dive(1), read(1, 0x155), register(16, 1)),
    # Seven frames are kept: the program's own is one of them.
    Row(code("mov dahr1 = 0x155"), dive(7), register(16, 7), read(1, 0x155)),
    # The eighth call loses the program's, and the ninth that of the first one, which sees its default.
    Row(code("mov dahr1 = 0x155"), dive(8), register(16, 8), read(1, 0x222)),
    Row(code("mov dahr1 = 0x155"), dive(9), register(16, 8 + 0x222), read(1, 0x222)),
    # A context switch empties them.
    Row(code("mov dahr1 = 0x155", "mov r20 = ar.rsc", "mov ar.rsc = 0", "mov r21 = ar.bspstore", "mov ar.bspstore = r21",
             "mov ar.rsc = r20"), read(1, 0x222)),
]

sys.exit(run_rows(ROWS, DATA))
