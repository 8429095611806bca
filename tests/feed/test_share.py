#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads and processes that share memory: counts worked out by hand, and the same in every run.

usage: test_share.py BOXSCORE SHARE [REDUCE]
"""
import re
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, check_at, done, here, run  # pylint: disable=wrong-import-position

SHARE = sys.argv[2]
ONE, TWO = "hsx,sockets=1", "hsx"


def output(machine, what, threads, rounds, *more):
    program = sys.argv[3:4] if what == "reduce" else [SHARE, what]
    got = run("stat", "-M", machine, *(more or ("-m", "llc_lookups")), "-x", ",", "--", *program, str(threads), str(rounds))
    check(got.returncode == 0, got)
    return got.stderr


def lookups(*args):
    found = re.search(r"^\d+,(\d+),events,exact,,cbo,,llc_lookups", output(*args), re.MULTILINE)
    return int(found[1]) if found else -1


def costs(what, threads, few, many, want, machine=ONE):
    """What a round costs: two runs differ by nothing but rounds.  Within 2 %, or a look-up in a thousand rounds."""
    got = (lookups(machine, what, threads, many) - lookups(machine, what, threads, few)) / (many - few)
    check_at(here(above=1), abs(got - want) <= max(0.02 * want, 0.001), f"{what}, {threads} threads: {got} look-ups a round, want {want}")


# A token is handed over twice a round.  Who waits for it reads a line that the other core has modified; adding to it takes the
# line from that core.  The processes have it at addresses of their own, but it is one line.
costs("token", 2, 100, 1100, 2 * 2)
costs("token-apart", 3, 100, 1100, 2 * 2)
costs("fork-token", 2, 100, 600, 2 * 2)
# Across sockets the adding core finds the line shared in its own slice, which is a look-up that hits, and has to ask the line's
# home for it, which is a miss.
costs("token-apart", 3, 100, 600, 2 * 3, TWO)
costs("token", 2, 100, 600, 2 * 3, TWO)
# Whoever waits at a line of its own reads it once after it has been written; who writes it, asks for it.
costs("ring", 2, 100, 600, 2 * 2)
costs("ring", 8, 50, 300, 8 * 2)
costs("ring", 36, 2, 12, 36 * 3, TWO)
costs("fork-ring", 3, 100, 400, 3 * 2)
# Each slot of the queue goes there and back: read and asked for on either side.
costs("queue", 2, 100, 1100, 4)
# One writes, one reads that, adds to a count, which the first one reads.
costs("writer", 2, 100, 600, 4)
# Besides the token, a store that misses asks for its line; the pair prefetcher asks for the other half of its 128 bytes.
costs("token-line", 2, 100, 600, 2 * (2 + 2))
# A team reads its part of 2 MB in each pass, which no L2 holds.
if sys.argv[3:]:
    costs("reduce", 4, 2, 4, (2 << 20) // 64)
# Each of two threads reads and then writes 1024 lines that the other has written.
costs("baton", 2, 10, 30, 2 * 1024 * 2)
# A line of its own costs nothing, however often it is written.
costs("lines", 2, 1000, 101000, 0)
costs("fork-lines", 2, 1000, 101000, 0)

# False sharing is seen: of so many look-ups beside those of the start, words in one line need over a hundred times as many.
start = lookups(ONE, "lines", 2, 1)
shared, padded = (lookups(ONE, what, 2, 100000) - start for what in ("line", "lines"))
check(shared > 100 * max(padded, 1), f"in one line {shared} look-ups, in two {padded}")

# The same in every run, to the byte; what the threads do to each other depends on their order alone.
for name, threads, rounds in (("token", 4, 20), ("word", 2, 2000), ("line", 8, 50), ("baton", 2, 3), ("pipes", 2, 5),
                              ("mutex", 4, 100), ("ticket", 8, 20), ("barrier", 4, 10), ("writer", 4, 20), ("token", 36, 2),
                              ("ring", 8, 10), ("queue", 2, 50), ("mcs", 4, 50),
                              ("barrier", 36, 1), ("fork-token", 3, 20), ("fork-lines", 4, 100)):
    same = {output("hsx", name, threads, rounds, "-m", "llc_lookups,memory_bytes,qpi_data_bw") for _ in range(3)}
    check(len(same) == 1, f"{name}, {threads} threads: {len(same)} different outputs")

sys.exit(done())
