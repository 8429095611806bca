#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The n-th allocation fails, or all from the n-th on: a command says so and fails, or does all that it does with memory enough.

usage: test_failing.py BOXSCORE FAILING.SO [--long] [--only WORD]

A few n of each command; --long: all from 1 to 400.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, done  # pylint: disable=wrong-import-position

PATH = os.path.abspath(BOXSCORE)
FEW, ALL = 4, 400
SMALL = ("-M", "hsx,sockets=1,cores=2")
EVENTS = "boxscore-events 1\nmachine poulson\n@10 cycles 0 n=170 event=CPU_OP_CYCLES\n@400 end\n"
SHELL = "wrmsr 0 0xe01 0x400137\npulse cbo0 LLC_VICTIMS.M_STATE 5\nadvance uclk 1\nrdmsr 0 0xe08\nstat cbo.LLC_VICTIMS.M_STATE\n"
# Commands, of which "@" is a file of this test's, and what they read.
COMMANDS = (
    (("list", "TOR"), None), (("list",), None), (("info", "cbo.TOR_INSERTS"), None), (("info", "llc_hit_ratio"), None),
    (("explain", "0xe01", "0x401134"), None), (("machines",), None), (("dump", "events"), None), (("run", "-M", "hsx", "false-sharing"), None),
    (("stat", *SMALL, "--kernel", "stream:size=64K"), None), (("stat", *SMALL, "-A", "-j", "-e", "imc.CAS_COUNT.*", "--kernel", "stream:size=64K"), None),
    (("stat", *SMALL, "--truth", "--multiplex", "-e", "cbo.TOR_*", "--kernel", "stream:size=64K"), None),
    (("stat", *SMALL, "-I", "1ms", "--kernel", "stream:size=64K", "-x,"), None),
    (("stat", *SMALL, "-j", "--", "true"), None),
    # Programs beside each other see this computer's clocks and numbers of processes, so counts and times need not be the same.
    (("stat", *SMALL, "-j", "-m", "remote_share", "--co-run", "true", "--", "true"), None),
    (("stat", *SMALL, "-A", "-j", "--head", "--html", "@page", "-e", "imc.CAS_COUNT.*", "--kernel", "stream:size=64K"), None),
    (("report", "@readings", "-o", "-"), None),
    (("record", *SMALL, "-o", "@out", "--", "true"), None), (("replay", "@trace"), None), (("replay", "--truth", "@trace"), None),
    (("replay", "-M", "poulson", "-e", "core.CPU_OP_CYCLES", "@events"), None), (("shell", "-M", "hsx"), SHELL),
    (("with", *SMALL, "--", "true"), None), (("with", *SMALL, "--load", "stream", "--", "true"), None),
)


def call(command, reads, where, **variables):
    words = [os.path.join(where, w[1:]) if w.startswith("@") else w for w in command]
    env = dict(os.environ, **variables)
    return subprocess.run([PATH, *words], input=reads or "", capture_output=True, text=True, check=False, timeout=120, env=env, cwd=where,
                          errors="replace")


def printed(command, got):
    said = (got.stdout, got.stderr)
    return tuple(re.sub(r'"time_ns":\d+', "", s) for s in said) if "--co-run" in command else said


def judge(command, got, right):
    """All is as it should be, or it is said that it is not."""
    if got.returncode == right.returncode and printed(command, got) == printed(command, right):
        return True
    said = got.stderr.splitlines()[-1] if got.stderr.strip() else ""
    # The status of `with` is the tool's; a load that cannot go on is told of.
    if command[0] == "with" and got.returncode == 0:
        return said.startswith("boxscore with: ") and "the machine is idle from now on" in said
    return got.returncode in (64, 65, 69, 70) and said.startswith("boxscore")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("boxscore")
    parser.add_argument("failing")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=0)
    args = parser.parse_args()
    preload = {"LD_PRELOAD": os.path.abspath(args.failing)}
    with tempfile.TemporaryDirectory() as where:
        with open(os.path.join(where, "events"), "w", encoding="utf-8") as f:
            f.write(EVENTS)
        call(("record", *SMALL, "-o", "@trace", "--", "true"), None, where)
        call(("stat", *SMALL, "-j", "--head", "-A", "-o", "@readings", "--kernel", "stream:size=64K"), None, where)
        for command, reads in COMMANDS:
            if args.only not in " ".join(command):
                continue
            counter = os.path.join(where, "count")
            right = call(command, reads, where, FAILING_COUNT=counter, **preload)
            with open(counter, encoding="utf-8") as f:
                count = min(int(f.read()), ALL)
            most = args.most or (count if args.long else FEW)
            check(count > 0, (command, "allocates"))
            for n in sorted({1 + k * (count - 1) // max(1, min(most, count) - 1) for k in range(min(most, count))}):
                for more in ({}, {"FAILING_ON": "1"}):
                    got = call(command, reads, where, FAILING_AT=str(n), **more, **preload)
                    check(judge(command, got, right), (" ".join(command), n, more, got.returncode, got.stdout[-300:], got.stderr[-300:]))
    return done()


if __name__ == "__main__":
    sys.exit(main())
