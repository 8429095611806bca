#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the machine gives beside what was measured on the hardware and published.

usage: published.py [BOXSCORE]

A latency is that of a chase through an array, in steady state: the time of three passes less that of one.  FRESH is of lines
that nobody has had before: by the directory of cluster-on-die others need not be asked for them.  A bandwidth is the array's
size over the time.  Part of no test: numbers are printed, nobody fails.
"""
import re
import subprocess
import sys

BOXSCORE = sys.argv[1] if len(sys.argv) > 1 else "build/boxscore"
PART = "hsx:e5-2680v3"
K, M = 1 << 10, 1 << 20
MOLKA, HOFMANN = "Molka 2015", "Hofmann 2015"

# What is measured, keys of the machine, kernel, bytes it goes through, published number (None: none known), where.
LATENCIES = (
    ("L1", "", "chase:size=16K", 16 * K, 1.6, MOLKA),
    ("L2", "", "chase:size=128K", 128 * K, 4.8, MOLKA),
    ("L3", "", "chase:size=4M", 4 * M, 21, MOLKA),
    ("local memory", "", "chase:size=64M", 64 * M, 96, MOLKA),
    ("local memory, home snoop", ",snoop=home", "chase:size=64M", 64 * M, 108, MOLKA),
    ("own cluster's memory", ",snoop=cod", "chase:size=64M", 64 * M, 90, MOLKA),
    ("other cluster's memory, had before", ",snoop=cod", "chase:size=64M,node=1", 64 * M, None, ""),
    ("remote memory", "", "chase:size=64M,node=1", 64 * M, 146, MOLKA),
    ("remote memory, home snoop", ",snoop=home", "chase:size=64M,node=1", 64 * M, 146, MOLKA),
)
FRESH = (
    ("other cluster's memory", ",snoop=cod", "chase:size=8M,prefetch=0,node=1", 8 * M, 96, MOLKA),
    ("memory of the other socket's clusters", ",snoop=cod", "chase:size=8M,prefetch=0,node=2", 8 * M, 141, MOLKA),
)
BANDWIDTHS = (
    ("L3, 1 core", "", "stream:op=read,size=8M,passes=8", 64 * M, None, ""),
    ("memory, 1 core", "", "stream:op=read,size=64M", 64 * M, 10, MOLKA),
    ("memory, 12 cores", "", "stream:op=read,size=128M,threads=12", 128 * M, 60, MOLKA),
    ("memory, 14 cores of an E5-2695 v3", ",cores=14,base_mhz=2300", "stream:op=read,size=128M,threads=14", 128 * M, 62, HOFMANN),
    ("own cluster's memory, 6 cores", ",snoop=cod", "stream:op=read,size=64M,threads=6", 64 * M, None, ""),
    ("remote memory, 1 core", "", "remote:size=64M", 64 * M, None, ""),
    ("remote memory, 12 cores", "", "remote:size=64M,threads=12", 64 * M, None, ""),
)


def nanoseconds(keys, kernel):
    got = subprocess.run([BOXSCORE, "stat", "-M", PART + keys, "-e", "ubox.CLOCKTICKS", "--kernel", kernel],
                         capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+)  ms of machine time", got).group(1)) * 1e6


def row(what, value, unit, published, source):
    beside = f"{published:>9} {value / published - 1:>+6.0%}  {source}" if published else ""
    print(f"{what:<38} {value:>7.1f} {unit:<5} {beside}", flush=True)


def main():
    print(f"{PART:<38} {'model':>7} {'':<5} {'published':>9}")
    for what, keys, kernel, size, published, source in LATENCIES:
        passes = [nanoseconds(keys, f"{kernel},passes={n}") for n in (1, 3)]
        row(what, (passes[1] - passes[0]) / 2 / (size // 64), "ns", published, source)
    for what, keys, kernel, size, published, source in FRESH:
        row(what, nanoseconds(keys, kernel) / (size // 64), "ns", published, source)
    for what, keys, kernel, size, published, source in BANDWIDTHS:
        row(what, size / nanoseconds(keys, kernel), "GB/s", published, source)


main()
