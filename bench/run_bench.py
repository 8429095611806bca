#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The whole run of five programs under boxscore, against cachegrind and plain qemu-x86_64, and with
--truth against without.

usage: run_bench.py [--build DIR] [--rounds N] [--only NAME[,NAME...]] [--no-cachegrind]

All ways of running a program take turns in each round, so that a busy machine burdens
them alike; the best of the rounds counts.  Prints seconds and ratios; judges nothing.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import time

PROGRAMS = ["triad", "chase", "matmul", "hashjoin", "sort"]
RATIOS = [("boxscore", "cachegrind"), ("boxscore", "qemu"), ("truth", "boxscore")]


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--build", default=os.path.join(here, os.pardir, "build"))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--only", default=",".join(PROGRAMS))
    p.add_argument("--no-cachegrind", action="store_true")
    return p.parse_args()


def ways(build, cachegrind):
    """Name of each way to run a program, and what comes before the program."""
    found = {"native": []}
    if shutil.which("qemu-x86_64"):
        found["qemu"] = ["qemu-x86_64"]
    if cachegrind and shutil.which("valgrind"):
        found["cachegrind"] = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes",
                               "--cachegrind-out-file=/dev/null"]
    stat = [os.path.join(build, "boxscore"), "stat", "-o", "/dev/null"]
    found["boxscore"] = stat + ["--"]
    found["truth"] = stat + ["--truth", "--"]
    return found


def seconds(command):
    start = time.monotonic()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         check=False)
    if run.returncode != 0:
        sys.exit(f"run_bench.py: {' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
    return time.monotonic() - start


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    args = parse()
    run = ways(args.build, not args.no_cachegrind)
    ratios = {pair: [] for pair in RATIOS if set(pair) <= set(run)}
    print(f"{'program':10}" + "".join(f"{way:>12}" for way in run)
          + "".join(f"{a + ' / ' + b:>24}" for a, b in ratios), flush=True)
    for name in args.only.split(","):
        program = os.path.join(args.build, "bench", name)
        best = dict.fromkeys(run, math.inf)
        for _ in range(args.rounds):
            for way, before in run.items():
                best[way] = min(best[way], seconds(before + [program]))
        line = f"{name:10}" + "".join(f"{best[way]:10.3f} s" for way in run)
        for (a, b), all_of in ratios.items():
            all_of.append(best[a] / best[b])
            line += f"{all_of[-1]:24.2f}"
        print(line, flush=True)
    for (a, b), all_of in ratios.items():
        print(f"{a} / {b}: geometric mean {geometric_mean(all_of):.2f}, worst {max(all_of):.2f}")


if __name__ == "__main__":
    main()
