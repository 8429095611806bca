#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Well-known programs with threads give the same readings in every run, to the byte, also on a busy computer.

usage: test_repeat.py BOXSCORE
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.argv[1] = os.path.abspath(sys.argv[1])
sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, done, run  # pylint: disable=wrong-import-position

RUNS = 2
PROCESSORS = os.sched_getaffinity(0)
SORTS_IN_THREADS = 132000  # lines; of fewer than 128 Ki, sort takes one thread
# Python draws a number by which it scatters its tables, unless it is told one; and keeps nothing for the next run.
ENV = {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
PYTHON = """
import threading
total, lock = [0], threading.Lock()
def add():
    for i in range(300):
        with lock:
            total[0] += i
threads = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert total == [4 * sum(range(300))]
"""


def text(lines):
    """Lines of a letter in no order, the same in every test."""
    chance = random.Random(17)
    return "".join(f"{chance.choice('abcdefghijklmnop')}\n" for _ in range(lines))


def outputs(folder, command):
    """What the runs print, one with nothing else to do and one that shares a single processor with a process that never waits."""
    found = set()
    for n in range(RUNS):
        for written in {"out", "in.xz"} & set(os.listdir(folder)):
            os.remove(os.path.join(folder, written))
        os.sched_setaffinity(0, {min(PROCESSORS)} if n % 2 else PROCESSORS)
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n % 2)]
        got = run("stat", "-M", "hsx", "-x", ",", "-m", "llc_lookups,memory_bytes,qpi_data_bw", "--per-socket", "--", *command,
                  cwd=folder, env=ENV, stdin=subprocess.DEVNULL, timeout=250)
        for p in busy:
            p.kill()
            p.wait()
        check(got.returncode == 0 and ",exact," in got.stderr, f"{command}: {got.returncode} {got.stderr[:500]}")
        found.add(got.stderr)
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "in"), "w", encoding="ascii") as f:
            f.write(text(SORTS_IN_THREADS))
        for command in (["sort", "--parallel=4", "-S", "16M", "-o", "out", "in"],
                        ["xz", "-0", "-T4", "--block-size=80000", "-k", "-f", "in"],
                        [sys.executable, "-s", "-S", "-c", PYTHON]):
            if not shutil.which(command[0]):
                print(f"{command[0]} is not there")
                continue
            different = outputs(folder, command)
            check(len(different) == 1, f"{command[:3]}: {len(different)} different outputs: " + "\n".join(different)[:2000])
    return done()


sys.exit(main())
