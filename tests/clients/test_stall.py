#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The process that runs the machine is kept from running for a while, as on a busy computer: what a tool divides by is neither
nothing nor runs backwards.

usage: test_stall.py BOXSCORE
"""
import os
import signal
import subprocess
import sys
import time

from tools import Boxscore, check, check_that, die_with_us, done

SHAPE = ["-M", "hsx,sockets=1,cores=2"]
SLEEP, STALL = 0.5, 0.8
TSC_HZ = 2.3e9
LEAST = 0.002  # share of a sleep that passes on the machine


def inside():
    """Under the machine: its clock and its time stamp counter around a sleep, then both in turns as often as can be."""
    msr = os.open("/dev/cpu/0/msr", os.O_RDONLY)
    low, high = -float("inf"), float("inf")

    def both():
        """Clock, counter in seconds, clock: for all readings one offset between the two has to fit."""
        nonlocal low, high
        before = time.monotonic()
        counter = int.from_bytes(os.pread(msr, 8, 0x10), "little") / TSC_HZ
        after = time.monotonic()
        low, high = max(low, before - counter), min(high, after - counter)
        return before, counter, after

    clock, counter, last = both()
    print("ready", flush=True)
    time.sleep(float(sys.argv[2]))
    # The clock by itself first: in it the registers have no part.
    slept = time.monotonic() - clock
    _, later, _ = both()
    backwards = 0
    for i in range(30000):
        now = time.monotonic()
        backwards += now < last
        last = now
        if i % 100 == 0:
            last = both()[2]
    print(slept, later - counter, backwards, low <= high + 1e-8)


def stalled(b, *options):
    """What inside() prints when the machine's process is stopped as soon as the tool sleeps."""
    p = subprocess.Popen([b.program, "with", *SHAPE, *options, "--", sys.executable, os.path.abspath(__file__), "--inside", str(SLEEP)],
                         stdout=subprocess.PIPE, text=True, preexec_fn=die_with_us)
    check("it begins", p.stdout.readline(), "ready\n")
    for child in map(int, open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="utf-8").read().split()):
        with open(f"/proc/{child}/cmdline", encoding="utf-8") as f:
            if f.read() == "\0".join(p.args) + "\0":
                os.kill(child, signal.SIGSTOP)
                time.sleep(STALL)
                os.kill(child, signal.SIGCONT)
                break
    else:
        check_that("its server is found", False)
    word = p.communicate(timeout=120)[0].split()
    check("exit status", (p.returncode, len(word)), (0, 4))
    return float(word[0]), float(word[1]), word[2:]


def main(argv):
    b = Boxscore(argv[1])
    slept, counted, clocks = stalled(b)
    check_that("clock of a machine that rests", slept >= SLEEP, slept)
    check_that("its counter", counted >= SLEEP, counted)
    check("readings backwards; one time in all", clocks, ["0", "True"])
    for options, least in ((["--load", "stream:size=4M"], LEAST * SLEEP),
                           (["--load", "stream:size=4M", "--ratio", "0.0001"], SLEEP / 20000),
                           (["--ratio", "0.01"], SLEEP / 100), (["--machine-time", "--ratio", "0.1"], SLEEP)):
        slept, counted, clocks = stalled(b, *options)
        check_that(f"clock with {options}", slept >= least, slept)
        check_that(f"counter with {options}", counted >= least, counted)
        check(f"readings with {options}", clocks, ["0", "True"])
    done()


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside()
    else:
        main(sys.argv)
