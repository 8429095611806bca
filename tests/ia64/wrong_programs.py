#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that cannot be loaded end with a sentence and status 69; those that can take the memory that they touch.

usage: wrong_programs.py RUN-PROGRAM
"""
import resource
import struct
import subprocess
import sys
import tempfile


def elf(machine=50, kind=2, phoff=64, phnum=1, segment=(1, 5, 0, 0x4000, 0x4000, 16, 16, 16), ident=b"\x7fELF\2\1\1"):
    head = ident.ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0x4000, phoff, 0, 0, 64, 56, phnum, 0, 0, 0)
    return head + struct.pack("<IIQQQQQQ", *segment)


ROWS = [
    (b"", "no ELF file"),
    (b"#!/bin/sh\n" * 10, "no ELF file"),
    (elf()[:40], "no ELF file"),
    (elf(machine=62), "not a little-endian 64-bit IA-64"),
    (elf(ident=b"\x7fELF\2\2\1"), "not a little-endian 64-bit IA-64"),
    (elf(kind=3), "not a static program"),
    (elf(phoff=1 << 63), "program headers lie outside"),
    (elf(phnum=1000), "program headers lie outside"),
    (elf(segment=(3, 5, 0, 0, 0, 0, 0, 0)), "dynamic linker"),
    (elf(segment=(1, 5, 0, 0x4000, 0, 1 << 40, 1 << 40, 0)), "longer than the file"),
    (elf(segment=(1, 5, 0, 0x4000, 0, 32, 16, 0)), "longer than the file"),
    (elf(segment=(1, 6, 0, 2**64 - 4096, 0, 0, 8192, 0)), "wraps around"),
    (elf(segment=(1, 6, 0, 0x4000, 0, 0, 1 << 60, 0)), "4 GiB"),
]


def is_frugal(program):
    """4 GiB that nobody touches take no memory: the first bundle, which is the file's header, is no instruction."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(elf(segment=(1, 7, 0, 0x4000, 0, 120, 1 << 32, 0)))
        file.flush()
        done = subprocess.run([program, file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if done.returncode == 70 and b" at 0x4000 " in done.stderr and kilobytes < 400_000:
        return True
    print(f"4 GiB: status {done.returncode}, {done.stderr.decode().strip()!r}, {kilobytes} kB")
    return False


def main(argv):
    wrong = 0
    for number, (content, expected) in enumerate(ROWS):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            done = subprocess.run([argv[1], file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 69 or expected not in done.stderr.decode():
            print(f"row {number}: status {done.returncode}, {done.stderr.decode().strip()!r} lacks {expected!r}")
            wrong += 1
    wrong += not is_frugal(argv[1])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
