#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random numbers of the kernel and the processor follow from a seed, and where there is none a note says what may differ.

usage: test_chance.py BOXSCORE CHANCE
"""
import shutil
import sys
import time

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, check_at, done, here, refused, run  # pylint: disable=wrong-import-position

CHANCE = sys.argv[2]
STAT = ("stat", "-M", "hsx,sockets=1,cores=2", "-m", "instructions", "-x", ",")
NOTE = "took random numbers"
EFAULT, EINVAL = 14, 22
CARRY = "1"  # of the arithmetic flags
WORD = (1 << 64) - 1


def words(seed):
    """SplitMix64, as its authors describe it."""
    state = seed
    while True:
        state = state + 0x9e3779b97f4a7c15 & WORD
        z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 & WORD
        z = (z ^ z >> 27) * 0x94d049bb133111eb & WORD
        yield z ^ z >> 31


def taken(numbers, n):
    """n bytes: whole words are taken for them."""
    return b"".join(next(numbers).to_bytes(8, "little") for _ in range(-(-n // 8)))[:n].hex()


def told(what, *options):
    got = run(*STAT, *options, "--", CHANCE, what)
    check_at(here(above=1), got.returncode == 0, got)
    return got.stdout.splitlines(), got.stderr


def seeded(what, seed, want):
    got, said = told(what, "--seed", str(seed))
    check_at(here(above=1), got == want and NOTE not in said, (what, got, want, said))


def test_calls():
    for seed in (0, 1, 2 ** 64 - 1):
        n = words(seed)
        first = taken(n, 8)
        # Its buffer for the output is the first that printf() takes from the heap, which takes a word for itself.
        next(n)
        seeded("call", seed, [first, taken(n, 3), taken(n, 17), "", f"errno {EINVAL}"])
    seeded("edge", 5, ["16", f"-1 {EFAULT}"])


def test_devices():
    n = words(3)
    first = taken(n, 12)
    next(n)
    seeded("devices", 3, [first, taken(n, 12), "1 0"])


def test_instructions():
    n = words(4)
    first = next(n)
    next(n)
    seeded("instructions", 4, [f"{first:x} {CARRY}", f"{next(n) & 0xffffffff:x} {CARRY}", f"{next(n) & 0xffff:x} {CARRY}"])
    seeded("seed", 4, [f"{first:x} {CARRY}"])


def test_others():
    """Threads and processes take theirs one after the other from the same row of numbers, and none twice."""
    got, _ = told("others", "--seed", "6")
    n = words(6)
    row = [taken(n, 8) for _ in range(20)]
    at = [row.index(value) if value in row else -1 for value in got]
    check(len(at) == 4 and at == sorted(set(at)) and at[0] == 0, (got, at))
    check(told("others", "--seed", "6") == told("others", "--seed", "6"), "not the same again")


def test_date():
    seeded("date", 1, ["1767225600"])
    got, said = told("date")
    check(abs(int(got[0]) - time.time()) < 300 and NOTE not in said, (got, said))


def test_notes():
    with open("/proc/cpuinfo", encoding="ascii") as f:
        draws = ["instructions"] if "rdrand" in f.read().split() else []
    for what in ("call", "devices", *draws):
        check(NOTE in told(what)[1], what)
    check(told("call")[0] != told("call")[0], "the kernel's own are random")
    check(NOTE not in told("call", "--host-world")[1], "nothing repeats there anyway")


def main():
    test_calls()
    test_devices()
    test_instructions()
    test_others()
    test_date()
    test_notes()
    for seed in ("", "x", "-1", "1x", str(2 ** 64)):
        refused(64, "--seed", "stat", "--seed", seed, "--", "true")
    refused(64, "after --", "stat", "--seed", "1", "--kernel", "idle")
    refused(64, "not both", "stat", "--seed", "1", "--host-world", "--", "true")
    if shutil.which("qemu-x86_64"):
        refused(69, "boxscore-native only", "stat", "--seed", "1", "--qemu", shutil.which("qemu-x86_64"), "--", "true")
    return done()


sys.exit(main())
