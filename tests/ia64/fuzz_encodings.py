#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the disassembly of random bundles with binutils' objdump.

usage: fuzz_encodings.py DUMP-BUNDLES OBJDUMP [BUNDLES [SEED]]
"""
import random
import re
import struct
import subprocess
import sys
import tempfile

TEMPLATES = [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 22, 23, 24, 25, 28, 29]
# Where the two may differ: objdump shows what the 9500's manual or the architecture reserves, or has another word for it.
LINE = re.compile(r"^\s*[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t?(?:\[\w+\])?\s*(.*)$")


def draw_slot(draw):
    """A random instruction: often with few bits in the fields that extend opcodes."""
    insn = draw.getrandbits(41)
    if draw.random() < 0.5:
        insn &= ~(0x1ff << 27) | draw.getrandbits(9) << 27
    if draw.random() < 0.3:
        insn &= ~(7 << 33)
    return insn


def draw_bundle(draw):
    slots = [draw_slot(draw) for _ in range(3)]
    word = draw.choice(TEMPLATES) | slots[0] << 5 | slots[1] << 46 | slots[2] << 87
    return struct.pack("<QQ", word & (1 << 64) - 1, word >> 64)


def ours(program, code):
    lines = subprocess.run([program], input=code, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    return [re.sub(r"^data8 .*", "data8", line) for line in lines]


def theirs(program, code):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        text = subprocess.run([program, "-D", "-z", "-b", "binary", "-m", "ia64-elf64", "-EL", file.name],
                              stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = [match[1].strip() for match in map(LINE.match, text.splitlines()) if match]
    return [re.sub(r"^(\(p\d+\))?\s*data8 .*", "data8", re.sub(r"\s+", " ", line)) for line in lines if line]


def differ(mine, other):
    """The hints .nt1 and .nt2 that an access has no use for are reserved to objdump, and ignored by the processor."""
    return mine != other and not (other == "data8" and re.search(r"\.nt[12] ", mine))


def main(argv):
    count = int(argv[3]) if len(argv) > 3 else 3000
    draw = random.Random(int(argv[4]) if len(argv) > 4 else 1)
    code = b"".join(draw_bundle(draw) for _ in range(count))
    mine, other = ours(argv[1], code), theirs(argv[2], code)
    if len(mine) != len(other):
        print(f"{len(mine)} lines against {len(other)}")
    known = sum(line != "data8" for line in other)
    wrong = [(a, b) for a, b in zip(mine, other) if differ(a.replace(" reserved", ""), b)]
    for pair in wrong[:40]:
        print("ours %-50s objdump %s" % pair)
    print(f"{len(other)} instructions, {known} known to objdump, {len(wrong)} differ")
    return 1 if wrong or len(mine) != len(other) or known < count // 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
