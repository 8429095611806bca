#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Intel PCM's table on the machine: instructions, cache hits, links and sleep of loads whose truth is known (the
kernel `stream` with op=read takes six instructions for each line).

usage: test_pcm_core.py BOXSCORE
"""
import sys
import tempfile

from accesses import Accesses
from steady import Steady
from tools import Boxscore, check, done

MACHINE = "hsx,cores=4"
READ = "stream:size=32M,op=read,prefetch=0"
IN_CACHE = "stream:size=4M,op=read,prefetch=0"  # more than L2 holds, less than the last level
RANDOM = "random:size=16M,count=1000000000,prefetch=0"
PER_LINE = 6  # instructions
PERCENT = 5


def pcm(b, seconds, load, log):
    """The row of one interval: {(section, column): text}; of columns that repeat in a section the last."""
    out = b.client(["-M", MACHINE, "--load", load, "--log", log], ["pcm", str(seconds), "-i=1", "-csv"]) or ""
    lines = [line.split(",") for line in out.splitlines() if line.count(",") > 100]
    check(f"{load}: two headings and a row", len(lines), 3)
    if len(lines) != 3:
        print(out[-2000:])
        return {}
    return {(section, column): text.strip() for section, column, text in zip(*lines)}


def number(row, section, column):
    return float(row.get((section, column), "nan").rstrip("%"))


def remote(s, b, log):
    row = pcm(b, s.window, READ + ",node=1", log)
    core = "Core0 (Socket 0)"
    instructions = number(row, core, "INST")  # millions, as all below
    lines = instructions / PER_LINE
    s.that("instructions retire", instructions > 0.1, row)
    s.near("IPC", number(row, core, "IPC"), instructions / number(row, core, "ACYC"), PERCENT)
    s.near("cache misses an instruction", number(row, core, "L3MPI"), 1 / PER_LINE, PERCENT)
    s.near("cache misses", number(row, core, "L3MISS"), lines, 10)  # printed with two digits
    check("hits of the last level", number(row, core, "L3HIT"), 0)
    check("idle core", number(row, "Core5 (Socket 1)", "INST"), 0)
    # A line crosses as nine flits of eight bytes, and costs two the other way: as rates, each over its own interval.
    accesses = Accesses(log)
    rate = lines / accesses.between("0", "0x309")[0]
    sent = {s: sum(number(row, f"SKT{s}trafficOut", f"QPI{q}") / accesses.between(f"{bus}:0{8 + q}.2", "0xa0")[0]
                   for q in (0, 1)) for s, bus in ((0, "7f"), (1, "ff"))}
    s.near("sent by the memory's socket", sent[1], 72 * rate, PERCENT)
    s.near("sent by the reader's socket", sent[0], 16 * rate, PERCENT)
    s.that("the core that works does not sleep", number(row, core, "C0res%") > 90, row.get((core, "C0res%")))
    s.that("others do", number(row, "Core6 (Socket 1)", "C6res%") > 90, row.get(("Core6 (Socket 1)", "C6res%")))
    s.that("the package that works", number(row, "SKT0 Package C-State", "C0res%") > 90)


def in_cache(s, b, log):
    row = pcm(b, s.window, IN_CACHE, log)
    core = "Core0 (Socket 0)"
    s.near("L2 misses an instruction", number(row, core, "L2MPI"), 1 / PER_LINE, PERCENT)
    s.that("the last level hits", number(row, core, "L3HIT") > 0.97, row.get((core, "L3HIT")))
    s.that("a core runs faster out of its cache than out of memory", number(row, core, "IPC") > 0.4, row.get((core, "IPC")))
    s.near("frequency while active", number(row, core, "AFREQ"), 1, PERCENT)


def partly_in_cache(s, b, log):
    """Reads at random miss L2 (256 KB) and hit the last level (10 MB, which holds L2's lines too) by their share of 16 MB."""
    row = pcm(b, s.window, RANDOM, log)
    s.near("hits of the last level, of what misses L2", number(row, "Core0 (Socket 0)", "L3HIT"),
           (10 - 0.25) / (16 - 0.25), PERCENT)


def idle(s, b, log):
    row = pcm(b, s.window, "idle", log)
    for core in range(8):
        check(f"core {core} retires nothing", number(row, f"Core{core} (Socket {core // 4})", "INST"), 0)
    check("no traffic", [number(row, f"SKT{s}trafficOut", f"QPI{q}") < 0.01 for s in (0, 1) for q in (0, 1)], [True] * 4)
    s.that("packages sleep", number(row, "SKT1 Package C-State", "C6res%") > 90, row.get(("SKT1 Package C-State", "C6res%")))


def main(argv):
    b = Boxscore(argv[1], "pcm")
    with tempfile.NamedTemporaryFile(prefix="bxs-pcm") as log:
        for scenario in (remote, in_cache, partly_in_cache):
            Steady().run(scenario, b, log.name)
        Steady(scale=100).run(idle, b, log.name)  # its time is the world's
    done()


if __name__ == "__main__":
    main(sys.argv)
