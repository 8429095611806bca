#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The readings do not depend on when the host starts new threads and processes or notices that one has ended.

usage: test_late.py BOXSCORE SHARE LATE
"""
import os
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check_at, done, here  # pylint: disable=wrong-import-position

BOXSCORE, SHARE, LATE = sys.argv[1:4]
STAT = [BOXSCORE, "stat", "-M", "hsx,cores=2", "-x", ",", "--per-socket", "-e", "ha.REQUESTS.READS,cbo.LLC_LOOKUP.ANY"]
# A sanitizer cannot look for leaks in a process that is traced.
ENV = {**os.environ, "LC_ALL": "C", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
# Longer than STOPPED_MS in run_host.c, after which a thread that has the turn and does nothing counts as stopped.
DELAY_MS = 300


def readings(at, command):
    got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                         env=ENV)
    check_at(at, got.returncode == 0 and ",exact," in got.stderr, f"{got.returncode} {got.stderr[:500]}")
    return got.stderr


def late(*program):
    """A program whose threads and processes start late has the same readings as one whose start on time."""
    at = here(above=1)
    # Run `late` both times, so that the environment and the processes are the same.
    prompt, delayed = (readings(at, [LATE, str(ms), *STAT, "--", SHARE, *program]) for ms in (0, DELAY_MS))
    check_at(at, prompt == delayed, f"{program}:\n{prompt}\nlate:\n{delayed}")


def same(runs, *arguments):
    """A program whose processes end whenever the host lets them has the same readings in every run."""
    at = here(above=1)
    found = {readings(at, [*STAT, *arguments]) for _ in range(runs)}
    check_at(at, len(found) == 1, f"{arguments}: {len(found)} different outputs:\n" + "\n".join(found))


late("token", "4", "20")
late("mutex", "3", "10")
late("barrier", "4", "5")
late("fork-token", "3", "10")
same(6, "--", "sh", "-c", "(echo a | cat; true) | wc")
# The one that is measured ends, and with it the other one.
same(20, "--co-run", "true", "--", "true")
sys.exit(done())
