#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long an unmodified client waits for a register through the file-system door, and how many are served at once.

usage: door_bench.py BOXSCORE
"""
import os
import subprocess
import sys
import time

READS = 4000
CLIENTS = 100
READS_EACH = 200


def median_and_worst(times):
    times.sort()
    return (f"median {times[len(times) // 2] / 1000:.1f} us, 99 of 100 below {times[len(times) * 99 // 100] / 1000:.1f} us, "
            f"worst {times[-1] / 1000:.0f} us")


def read_times(n):
    fd = os.open("/dev/cpu/0/msr", os.O_RDONLY)
    times = []
    for _ in range(n):
        began = time.perf_counter_ns()
        os.pread(fd, 8, 0xe08)
        times.append(time.perf_counter_ns() - began)
    return times


def one():
    print(median_and_worst(read_times(READS)))


def many():
    pipes = []
    began = time.perf_counter()
    for _ in range(CLIENTS):
        mine, theirs = os.pipe()
        if os.fork() == 0:
            times = read_times(READS_EACH)
            os.write(theirs, b"".join(t.to_bytes(8, "little") for t in times))
            os._exit(0)
        os.close(theirs)
        pipes.append(mine)
    times = []
    for mine in pipes:
        got = b""
        while part := os.read(mine, 1 << 16):
            got += part
        times += [int.from_bytes(got[i:i + 8], "little") for i in range(0, len(got), 8)]
    took = time.perf_counter() - began
    print(f"{len(times)} reads of {CLIENTS} clients in {took:.2f} s, {len(times) / took:.0f} a second; {median_and_worst(times)}")


def main():
    if sys.argv[1] in ("--one", "--many"):
        {"--one": one, "--many": many}[sys.argv[1]]()
        return
    for name, load in (("idle", "idle"), ("stream of one core", "stream"), ("stream of 36 cores", "stream:threads=36")):
        for what in ("--one", "--many"):
            got = subprocess.run([sys.argv[1], "with", "--native", "--load", load, "--", sys.executable, __file__, what],
                                 capture_output=True, text=True, check=False)
            if got.returncode == 69:
                print(got.stderr.strip())
                return
            print(f"{name}: {got.stdout.strip()}{got.stderr.strip()}")


main()
