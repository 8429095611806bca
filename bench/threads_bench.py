#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What threads cost under boxscore stat: a token between two, and threads that share nothing against one thread that does the same.

usage: threads_bench.py [--build DIR] [--rounds N] [--against BOXSCORE]

Both ways take turns in each round, so that a busy machine burdens them alike; the best of the rounds counts.  --against measures
another build of boxscore beside this one.  Prints rates, seconds and ratios; judges nothing.
"""

import argparse
import math
import os
import re
import resource
import subprocess
import sys
import time

PASSES = 10000          # of the token, by each of two threads
OWN = {2: 1000000, 8: 250000, 36: 60000}        # threads: accesses of each
MACHINE = "hsx,sockets=1"


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--build", default=os.path.join(here, os.pardir, "build"))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--against", action="append", default=[])
    return p.parse_args()


def stat(boxscore, machine, program, *args):
    """(seconds of wall time, of processor time, look-ups in the LLC)"""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run([boxscore, "stat", "-M", machine, "-x", ",", "-m", "llc_lookups", "--", program, *map(str, args)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"^\d+,(\d+),events,exact,,cbo,,llc_lookups", run.stderr, re.MULTILINE)
    if run.returncode or not found:
        sys.exit(f"threads_bench.py: {program}: exit status {run.returncode}\n{run.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(found[1])


def best(runs):
    """Of several runs that do the same: the least of each column."""
    return tuple(min(column) for column in zip(*runs))


def token(boxscores, program, rounds):
    """A transfer is a look-up that finds the line with the other thread's core: two for each time that the token is passed on."""
    print(f"{'a token between two threads':32}{'transfers/s':>14}{'switches':>10}")
    made = {b: (math.inf, 0, 0) for b in boxscores}
    for _ in range(rounds):
        for b in boxscores:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
            wall, _, many = stat(b, MACHINE, program, "token", 2, PASSES)
            switches = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before
            idle, _, few = stat(b, MACHINE, program, "token", 2, 1)
            made[b] = min(made[b], (wall - idle, many - few, switches))
    for b, (seconds, transfers, switches) in made.items():
        print(f"{b[-32:]:32}{transfers / seconds:14.0f}{switches / (2 * PASSES):10.1f}", flush=True)


def own(boxscores, program, rounds):
    print(f"\n{'threads that share nothing':32}{'threads':>8}{'wall':>10}{'alone':>10}{'ratio':>8}{'CPU':>10}{'alone':>10}{'ratio':>8}")
    for threads, count in OWN.items():
        runs = {b: ([], []) for b in boxscores}
        for _ in range(rounds):
            for b in boxscores:
                for way, some in zip(("own", "alone"), runs[b]):
                    some.append(stat(b, "hsx", program, way, threads, count))
        for b, (beside, alone) in runs.items():
            (wall, cpu, _), (wall_alone, cpu_alone, _) = best(beside), best(alone)
            print(f"{b[-32:]:32}{threads:8}{wall:8.2f} s{wall_alone:8.2f} s{wall / wall_alone:8.2f}{cpu:8.2f} s{cpu_alone:8.2f} s"
                  f"{cpu / cpu_alone:8.2f}", flush=True)


def main():
    args = parse()
    boxscores = [os.path.join(args.build, "boxscore")] + args.against
    program = os.path.join(args.build, "bench", "threads")
    token(boxscores, program, args.rounds)
    own(boxscores, program, args.rounds)


if __name__ == "__main__":
    main()
