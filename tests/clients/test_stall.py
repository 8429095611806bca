#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The process that runs the machine is kept from running for a while, as on a busy computer: what a tool divides by is neither
nothing nor runs backwards.

usage: test_stall.py BOXSCORE
"""
import os
import select
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


def sleeps():
    """Under the machine: how long some equal sleeps are on its time stamp counter, and how far that moves while it is read."""
    msr = os.open("/dev/cpu/0/msr", os.O_RDONLY)
    now = lambda: int.from_bytes(os.pread(msr, 8, 0x10), "little")  # noqa: E731
    print("ready", flush=True)
    for _ in range(5):
        begin = now()
        time.sleep(float(sys.argv[2]))
        end = now()
        for _ in range(100):
            last = now()
        print(end - begin, last - end, flush=True)


def paced(b, seconds, *options):
    """Equal sleeps are equally long on the machine, which has half of the time of before from the second on, and is looked at when
    it stands."""
    p = subprocess.Popen([b.program, "with", *SHAPE, *options, "--load", "stream:size=4M", "--", sys.executable,
                          os.path.abspath(__file__), "--sleeps", seconds], stdout=subprocess.PIPE, text=True, preexec_fn=die_with_us)
    server, rows = None, []
    for line in iter(p.stdout.readline, ""):
        if line == "ready\n":
            server = server_of(p)
        else:
            rows.append(list(map(int, line.split())))
        while server and rows and len(rows) < 5 and not select.select([p.stdout], [], [], 0)[0]:
            for sig in (signal.SIGSTOP, signal.SIGCONT):
                os.kill(server, sig)
                time.sleep(0.01)
    check("exit status", (p.wait(timeout=120), len(rows)), (0, 5))
    lengths, moves = zip(*rows)
    # Before the first two the machine does not stand: time passes on it between the look at its counter and the sleep.
    check_that(f"equal sleeps with {options}", max(lengths[2:]) - min(lengths[2:]) < min(lengths) // 100, lengths)
    check(f"moves while it is read, {options}", moves[1:], (0,) * 4)


def server_of(p):
    """The child that runs the machine: it has the command line of its parent still."""
    for child in map(int, open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="utf-8").read().split()):
        with open(f"/proc/{child}/cmdline", encoding="utf-8") as f:
            if f.read() == "\0".join(p.args) + "\0":
                return child
    check_that("its server is found", False)
    return None


def stalled(b, *options):
    """What inside() prints when the machine's process is stopped as soon as the tool sleeps."""
    p = subprocess.Popen([b.program, "with", *SHAPE, *options, "--", sys.executable, os.path.abspath(__file__), "--inside", str(SLEEP)],
                         stdout=subprocess.PIPE, text=True, preexec_fn=die_with_us)
    check("it begins", p.stdout.readline(), "ready\n")
    server = server_of(p)
    if server:
        os.kill(server, signal.SIGSTOP)
        time.sleep(STALL)
        os.kill(server, signal.SIGCONT)
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
    paced(b, "0.3")
    paced(b, "0.01", "--machine-time")
    done()


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside()
    elif sys.argv[1] == "--sleeps":
        sleeps()
    else:
        main(sys.argv)
