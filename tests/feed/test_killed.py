#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""One of several processes that share memory is killed in the midst of it: the others go on, and the readings say what is missing.

usage: test_killed.py BOXSCORE KILLED SHARE
"""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, check_at, done, here, run  # pylint: disable=wrong-import-position

KILLED, SHARE = sys.argv[2:4]
MISSING = "at work when a signal ended its process"


def lookups(processes, rounds, who):
    """Look-ups and their validity; the program itself checks that those left have done all their rounds."""
    got = run("stat", "-M", "hsx", "--truth", "-m", "llc_lookups", "-x", ",", "--", KILLED, str(processes), str(rounds), str(who))
    check_at(here(above=1), got.returncode == 0, got)
    found = re.search(r"^\d+,(\d+),events,(\w+),", got.stderr, re.MULTILINE)
    check_at(here(above=1), found, got.stderr)
    return (int(found[1]), found[2], got.stderr) if found else (0, "", "")


for processes, rounds in ((2, 200), (4, 100)):
    whole, validity, said = lookups(processes, rounds, -1)
    check(validity == "exact" and "warning" not in said, said)
    for who in {1, processes - 1}:
        some, validity, said = lookups(processes, rounds, who)
        # Who makes a call to end has told all before it; whom a fault ends has not.
        fault = who == 1
        check(validity == ("partial" if fault else "exact") and (f"1 thread was {MISSING}" in said) == fault, said)
        # Its half of the rounds is missing, and no more than that: nobody keeps a line that another one has taken.
        check(some < whole and "still in a thread's caches" not in said and "look-ups for cores" not in said, (whole, some, said))

# The program by itself, and one that is killed from outside while it waits for others: nothing is missing.
got = run("stat", "-M", "hsx", "-m", "llc_lookups", "-x", ",", "--", "sh", "-c", "kill -9 $$")
check(got.returncode == 128 + signal.SIGKILL and ",exact," in got.stderr and MISSING not in got.stderr, got)
got = run("stat", "-M", "hsx", "-m", "llc_lookups", "-x", ",", "--", "sh", "-c", "sleep 100 & kill -9 $!; wait; exit 3")
check(got.returncode == 3 and ",exact," in got.stderr and MISSING not in got.stderr, got)



def children(pid):
    """Processes that this one has started."""
    got = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in got.stdout.split()]


def find_process(pid, until):
    """One that the program has started, once there is one."""
    while time.monotonic() < until:
        for kid in [kid for program in children(pid) for kid in children(program)]:
            return kid
        time.sleep(0.01)
    return None


# Killed from outside, at work or while another one is: those left add their numbers, and the program notices that one is missing.
for _ in range(2):
    with subprocess.Popen([BOXSCORE, "stat", "-M", "hsx", "-m", "llc_lookups", "-x", ",", "--", SHARE, "fork-word", "3", "20000"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        kid = find_process(p.pid, time.monotonic() + 60)
        check(kid, "the program has started no process")
        if kid:
            os.kill(kid, signal.SIGKILL)
        _, said = p.communicate(timeout=120)
        check(p.returncode == 3, f"exit {p.returncode}: {said}")
        check((",partial," in said) == (MISSING in said) and re.search(r",events,(partial|exact),", said), said)

sys.exit(done())
