#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Instructions of the host that the feed takes, by callgrind: what the emulator takes for a program, plain and
with the plugin, as the difference of two sizes, so that start-up is left out.

usage: feed_count.py [--build DIR] [--plugin FILE] [PROGRAM...]
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

SIZES = {
    "triad": (["1", "4"], ["2", "4"]),
    "chase": (["4", "100000"], ["8", "200000"]),
    "matmul": (["160"], ["192"]),
    "hashjoin": (["50000", "200000"], ["100000", "400000"]),
    "sort": (["50000"], ["100000"]),
}


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--build", default=os.path.join(here, os.pardir, "build"))
    p.add_argument("--plugin", help="another build's boxscore-plugin.so")
    p.add_argument("program", nargs="*", default=list(SIZES))
    return p.parse_args()


def count(build, plugin, program):
    """feed_bench runs the program with the plugin and without: instructions of both emulators."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--trace-children=yes", "--smc-check=all-non-file",
             f"--callgrind-out-file={folder}/%p", os.path.join(build, "bench", "feed_bench"), plugin,
             *program], capture_output=True, text=True, check=False)
        found = {}
        for path in glob.glob(f"{folder}/*"):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            command = re.search(r"^cmd: *(.*)$", text, re.M).group(1)
            total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M).group(1))
            if "qemu-x86_64" in command.split()[0]:
                found["traced" if "-plugin" in command else "plain"] = total
        if len(found) != 2:
            sys.exit(f"feed_count.py: {' '.join(program)}: {run.stderr}")
        return found


def main():
    args = parse()
    plugin = args.plugin or os.path.join(args.build, "src", "feed", "boxscore-plugin.so")
    print("program         plain       feed   all / plain   (million instructions)", flush=True)
    for name in args.program:
        path = os.path.join(args.build, "bench", name)
        small, large = (count(args.build, plugin, [path, *size]) for size in SIZES[name])
        plain, traced = (large[way] - small[way] for way in ("plain", "traced"))
        print(f"{name:10}{plain / 1e6:11.1f}{(traced - plain) / 1e6:11.1f}{traced / plain:14.2f}", flush=True)


if __name__ == "__main__":
    main()
