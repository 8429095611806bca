#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""boxscore stat --co-run: who runs where, what passes through, whose end ends it.

usage: test_co_run.py BOXSCORE BEHAVE
"""
import json
import os
import shutil
import subprocess
import sys

from checks import BOXSCORE, check, done

BEHAVE = sys.argv[2]
READS = "ha.REQUESTS.READS_LOCAL"
REMOTE = "ha.REQUESTS.READS_REMOTE"
TOUCH = "touch 8192"
LINES = 8192 * 1024 // 64
# calloc() must not write what the program then reads for the first time.
ENV = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}


def stat(beside, program, *options, spec="hsx,cores=2", **kw):
    """Exit status, standard output, readings by event and socket, other lines of standard error."""
    co = [word for command in beside for word in ("--co-run", command)]
    got = subprocess.run([BOXSCORE, "stat", "-M", spec, "-j", "--per-socket", "-e", f"{READS},{REMOTE}", *options, *co,
                          "--", *program], capture_output=True, text=True, check=False, timeout=120, env=ENV, **kw)
    rows = [line for line in got.stderr.splitlines() if line.startswith("{")]
    readings = {(r["event"], r.get("socket")): r["value"] for r in map(json.loads, rows)}
    return got.returncode, got.stdout, readings, [s for s in got.stderr.splitlines() if not s.startswith("{")]


def near(value, want):
    """What it takes to start a program and to end it comes on top."""
    return want <= value < 1.2 * want


def test_places():
    """Two programs read 8 MB each, from a socket of its own each, in memory of its own."""
    code, _, alone, notes = stat([], [BEHAVE, *TOUCH.split()])
    check(code == 0 and not notes, f"{code} {notes}")
    check(near(alone[READS, 0], LINES) and alone[READS, 1] == 0, f"{alone}")
    both = [stat([f"{BEHAVE} {TOUCH}"], [BEHAVE, *TOUCH.split()]) for _ in range(2)]
    check(both[0] == both[1], f"not the same again: {both}")
    for socket in (0, 1):
        check(near(both[0][2][READS, socket], LINES), f"socket {socket}: {both[0][2]}")
        check(both[0][2][REMOTE, socket] == 0, f"socket {socket}: {both[0][2]}")
    # In one socket with --cores compact.
    got = stat([f"{BEHAVE} {TOUCH}"], [BEHAVE, *TOUCH.split()], "--cores", "compact")[2]
    check(near(got[READS, 0], 2 * LINES) and got[READS, 1] == 0, f"{got}")
    # Threads of one program keep to its own cores, however many there are.
    code, out, got, notes = stat([f"{BEHAVE} threads 6", f"{BEHAVE} threads 2"], [BEHAVE, "threads", "6"])
    check(code == 0 and out.count("6000\n") >= 1 and not notes, f"{code} {out!r} {notes}")


def test_passing():
    """Input is the first program's alone, output everybody's; the first one's end ends all, and its status is ours."""
    code, out, _, notes = stat(["cat", "echo beside"], ["sh", "-c", "cat; sleep 1; exit 7"], input="mine\n")
    check(code == 7 and sorted(out.split()) == ["beside", "mine"] and not notes, f"{code} {out!r} {notes}")
    code, _, got, notes = stat([f"{BEHAVE} stay"], ["true"])
    check(code == 0 and got and not notes, f"{code} {notes}")
    code, _, _, notes = stat(["sh -c 'exit 3'", "sh -c 'kill -9 $$'"], ["sleep", "1"])
    check(code == 0 and len(notes) == 2, f"{code} {notes}")
    check("--co-run sh -c 'exit 3': ended with exit status 3" in notes[0], notes[0])
    check("ended by signal 9" in notes[-1], notes[-1])
    code = stat([f"{BEHAVE} stay"], ["sh", "-c", "kill -9 $$"])[0]
    check(code == 137, f"{code}")


def refused(code, part, *args):
    got = subprocess.run([BOXSCORE, *args], capture_output=True, text=True, check=False, timeout=60)
    check(got.returncode == code and part in got.stderr and "events" not in got.stderr.split("\n", 1)[0],
          f"{args}: {got.returncode} {got.stderr[:300]}")


def test_refusals():
    refused(64, "--co-run: beside which program? write it after --", "stat", "--co-run", "true", "--kernel", "idle")
    refused(64, "--co-run: beside which program?", "run", "locks", "--co-run", "true")
    refused(64, "--co-run: which program?", "stat", "--co-run", "", "--", "true")
    refused(64, "cannot be taken apart", "stat", "--co-run", "a 'b", "--", "true")
    refused(64, "more than 15 --co-run", "stat", *["--co-run", "true"] * 16, "--", "true")
    refused(65, "/no/such", "stat", "--co-run", "/no/such", "--", "true")
    refused(65, "2 programs beside each other", "stat", "-M", "hsx,sockets=1,cores=1", "--co-run", "true", "--", "true")


def main():
    test_refusals()
    test_places()
    test_passing()
    return done()


sys.exit(main() if shutil.which("qemu-x86_64") else 77)
