#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Odd and hostile programs do under stat what they do without.

usage: test_torture.py BOXSCORE BOXSCORE-NATIVE MAKES_CODE SELF PLACES RARE HIGH BIG
"""
import errno
import os
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, done, run  # pylint: disable=wrong-import-position

NATIVE, MAKES_CODE, SELF, PLACES, RARE, HIGH, BIG = sys.argv[2:9]
QEMU = shutil.which("qemu-x86_64")


def outside(*command):
    got = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return got.returncode, got.stdout


def traced(*command, where="/dev/null"):
    return run("stat", "-M", "hsx,cores=4", "-m", "instructions", "-o", where, "--", *command)


def with_old_calls(out):
    """What a program prints that is run by a kernel without calls of 32 bits: `int 0x80` is a fault there. Under boxscore there
    always are such calls, whatever this kernel has."""
    return out.replace("old call: signal 11\nold unknown: signal 11\n", f"old call: 1\nold unknown: {-errno.ENOSYS}\n")


def test_same():
    """Segments, far control, the kernel's instructions and page of old; addresses; names. The last: linked where the cache is."""
    for program in RARE, PLACES, SELF, HIGH:
        got = traced(program)
        status, out = outside(program)
        check((got.returncode, got.stdout) == (status, with_old_calls(out)) and not got.stderr, (program, got))


def test_cache():
    """Much more code than the cache of translations has room for, in several threads and children."""
    for megabytes, threads in (("1", "1"), ("2", "4"), ("3", "2")):
        got = subprocess.run([NATIVE, "-code", megabytes, MAKES_CODE, threads, "500"], capture_output=True, text=True, check=False,
                             timeout=120)
        check((got.returncode, got.stderr) == (0, "") and got.stdout.endswith("0 wrong\n"), (megabytes, threads, got))


def test_refused():
    """What would be about the emulator's own calls."""
    got = traced(SELF, "dispatch")
    check(got.returncode == errno.EINVAL, got)
    got = traced(sys.executable, "-c", "import ctypes; print(ctypes.CDLL(None).prctl(22, 2, 0, 0, 0))")
    check(got.stdout == "-1\n" and "(seccomp) was asked for and refused" in got.stderr, got)
    got = traced(sys.executable, "-c", "import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)")
    check(got.returncode == 0 and "(ptrace): it saw the emulator" in got.stderr, got)


def test_found():
    """By name, from beside it."""
    got = traced("sh", "-c", "sleep 9 & pgrep -x sleep >/dev/null && ps -o args= -p $!; kill $!")
    check(got.returncode == 0 and got.stdout == "sleep 9\n", got)


def test_fallback():
    """QEMU by itself where that is known before the first instruction, or by a word of advice."""
    if not QEMU:
        return
    got = traced(BIG)
    check((got.returncode, got.stdout) == (0, "big\n") and got.stderr.count("\n") == 2 and f"{QEMU} runs it instead" in got.stderr and
          "all clocks of a program that ran under QEMU" in got.stderr, got)
    got = run("stat", "--host-world", "-M", "hsx,cores=4", "-o", "/dev/null", "--", BIG)
    check((got.returncode, got.stdout) == (0, "big\n") and got.stderr.count("\n") == 1, got)
    got = traced(SELF, "far", "it's")
    check(got.returncode == 70 and "stat --qemu qemu-x86_64 -M hsx,cores=4" in got.stderr and
          f"-- {SELF} far 'it'\\''s'" in got.stderr, got)
    os.environ["PATH"], kept = "/nowhere", os.environ["PATH"]
    got = subprocess.run([NATIVE, BIG], capture_output=True, text=True, check=False, timeout=60)
    os.environ["PATH"] = kept
    check(got.returncode == 70 if "not there" in got.stderr else got.stdout == "big\n", got)


def main():
    test_same()
    test_cache()
    test_refused()
    test_found()
    test_fallback()
    return done()


if __name__ == "__main__":
    sys.exit(main())
