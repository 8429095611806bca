#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program's timers run out in machine time, to the microsecond, and the same in every run.

usage: test_timers.py BOXSCORE TIMERS
"""
import re
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, check_at, done, here, run  # pylint: disable=wrong-import-position

TIMERS = sys.argv[2]
US, MS, S = 1000, 1000000, 1000000000
MACHINE = "hsx,sockets=1,cores=4"
# From the moment on at which one runs out a core wakes or ends its turn, and the handler's code and data come from memory: a dozen
# lines at most.  To set it took as long before the clock was looked at.
LATE = 2 * US


def told(what, number):
    """What it prints, and the readings.  A timer ends a child of `processes` at work, which is told."""
    got = run("stat", "-M", MACHINE, "-m", "instructions,memory_bytes", "-x", ",", "--", TIMERS, what, str(number))
    ended = int(what == "processes")
    check_at(here(above=1), got.returncode == 0 and "note:" not in got.stderr and got.stderr.count("warning:") == ended and
             got.stderr.count("warning: 1 thread was at work when a signal ended its process") == ended, got)
    return {name: int(value) for name, value in re.findall(r"^([a-z-]+) (-?\d+)$", got.stdout, re.MULTILINE)}, got.stderr


def tells(what, number, **want):
    """A value, or two: at least, at most."""
    got, at = told(what, number)[0], here(above=1)
    check_at(at, set(got) == {name.replace("_", "-") for name in want}, (what, got))
    for name, value in want.items():
        least, most = value if isinstance(value, tuple) else (value, value)
        have = got.get(name.replace("_", "-"), -1)
        check_at(at, least <= have <= most, f"{what} {number}: {name} is {have}, want {least} to {most}")


def after(ns, late=LATE):
    return ns, ns + late


# Whole seconds pass at once where all sleep.  What is left of the sleep of five is four, less the handler and more how late it ran.
tells("alarm", S, pause=after(S), sigsuspend=after(S), sleep=after(S), left=(4 * S - LATE, 4 * S + LATE), seconds=10, none=0)
# One that works is interrupted, too: 1, 3, 5 and 7 numbers after it was set, however short they are.
for ns in (20 * US, 200 * US, 5 * MS):
    tells("busy", ns, first=after(ns), second=after(3 * ns), fourth=after(7 * ns))
# Two numbers have passed when one has been worked; nothing but the calls is work while it sleeps.
tells("work", MS, virtual=(2 * MS - 10 * US, 2 * MS + LATE), prof=(2 * MS - 10 * US, 2 * MS + LATE))
tells("file", 5 * MS, expirations=1, read=after(5 * MS), left=(10 * MS - LATE, 10 * MS), every=10 * MS, missed=2, polled=1,
      poll=after(35 * MS, 3 * LATE), again=1, nothing=-11, long_ago=1, stopped=0)
tells("posix", MS, once=after(MS), signal=1, overrun=7, value=77, left=(MS // 2 - 3 * LATE, MS // 2), deleted=1)
# The library makes a thread each time: its stack and tables are new, which takes some hundred misses.
tells("thread", MS, first=after(MS, MS * 3 // 10), third=after(5 * MS, MS * 3 // 10))
# The other program's start takes a millisecond at most.
tells("processes", S, killed=14, child=after(S, MS), parent=after(3 * S))
# The kernel keeps such a time in its own ticks, of which 20 ms are a whole number.
tells("socket", 20 * MS, recv=after(20 * MS), read=after(20 * MS))
got = told("wrong", 0)[0]
check(len(got) == 12 and set(got.values()) == {1}, got)

# The same in every run, to the byte: what it prints, and the readings.
for what, number in (("alarm", S), ("busy", MS), ("work", MS), ("file", MS), ("posix", MS), ("thread", MS), ("processes", S)):
    runs = {str(told(what, number)) for _ in range(5 if what in ("busy", "thread") else 3)}
    check(len(runs) == 1, f"{what}: {len(runs)} different runs: {runs}")

# As people use it.
for command, status, seconds in ((("timeout", "2", "sleep", "10"), 124, 2), (("timeout", "5", "sleep", "1"), 0, 1)):
    got = run("stat", "-M", MACHINE, "-m", "instructions", "--", *command)
    spent = re.search(r"([\d.]+)  ms of machine time", got.stderr)
    check(got.returncode == status and spent and 1000 * seconds <= float(spent[1]) <= 1000 * seconds + 2, (command, got))

sys.exit(done())
