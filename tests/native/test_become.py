#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program that another one becomes is traced, however that comes about, under either emulator; where it cannot be, that is said.

usage: test_become.py BOXSCORE BECOME
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, done, run  # pylint: disable=wrong-import-position

BOXSCORE, BECOME = sys.argv[1:3]
QEMU = shutil.which("qemu-x86_64")
ROUNDS = "200000"
WORK = 3 * int(ROUNDS)

WAYS = ["plain", "drop plain", "drop fork plain", "drop vfork plain", "vfork drop plain", "fork drop plain", "drop fork fork plain", "file",
        "drop file", "closing", "drop vfork closing", "memory", "drop memory",
        "self", "away vfork self", "below", "nofollow"]
# By descriptors that scripts' interpreters could not open, and by a name that is no script's.
NO_SCRIPTS = ("closing", "memory", "self")
# What there is no need to ask QEMU for: it does not know execveat().
BY_KERNEL = [("odd", "PROGRAM", "Invalid argument"), ("nofollow", "LINK", "Too many levels"), ("plain", "MISSING", "No such file"),
             ("file", "MISSING", "Invalid argument")]


def traced(emulator, *command):
    """What the program printed, what was said, and instructions."""
    chosen = ("--qemu", emulator) if emulator else ()
    got = run("stat", "-M", "hsx,cores=4", *chosen, "-j", "-m", "instructions", "--", *command)
    said = [line for line in got.stderr.splitlines() if not line.startswith("{")]
    rows = [json.loads(line) for line in got.stderr.splitlines() if line.startswith("{")]
    return got.returncode, got.stdout, said, next(r["value"] for r in rows if r.get("metric") == "instructions")


def outside(*command):
    got = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return got.returncode, got.stdout


def for_all(path):
    """May who has no rights reach it?"""
    path = os.path.dirname(os.path.realpath(path))
    return bool(os.stat(path).st_mode & 0o001) and (path == "/" or for_all(path))


def test_ways(emulator, program, script):
    for way in WAYS:
        # QEMU would not find its plugin.
        if emulator and "drop" in way and not for_all(BOXSCORE):
            continue
        for what in (program, "=work", ROUNDS, "a b", ""), (script, "c"):
            if what[0] == script and way.split()[-1] in NO_SCRIPTS:
                continue
            command = (BECOME, *way.split(), *what)
            status, out, said, instructions = traced(emulator, *command)
            check((status, out, said) == (*outside(*command), []), (way, what, status, out, said))
            check(WORK < instructions < 2 * WORK + 1500000, (way, what, instructions))


def test_refused(place):
    names = {"PROGRAM": BECOME, "LINK": place + "/link", "MISSING": place + "/missing"}
    os.symlink(BECOME, names["LINK"])
    for way, what, why in BY_KERNEL:
        status, out, said, instructions = traced(None, BECOME, way, names[what])
        check((status, out) == (9, "") and len(said) == 1 and why in said[0] and instructions < WORK, (way, said, instructions))


def test_untraced(emulator, place):
    """A program with rights of its own keeps these; who failed to execute one goes on traced."""
    program = place + "/with-rights"
    if not os.path.exists(program):
        shutil.copy(BECOME, program)
        os.chmod(program, 0o4755)
    for command, n in ((BECOME, "plain", program, "=work", ROUNDS), 1), \
                      (("sh", "-c", f"for i in 1 2; do {program} =work {ROUNDS}; /no/such/program 2>/dev/null; done; true"), 2):
        status, _, said, instructions = traced(emulator, *command)
        check(status == 0 and len(said) == 1 and f"warning: {n} program" in said[0] and "could not be traced" in said[0],
              (command, status, said))
        check(instructions < WORK, (command, instructions))


def main():
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        program, script = place + "/program", place + "/script"
        shutil.copy(BECOME, program)
        with open(script, "w", encoding="utf-8") as f:
            print(f"#!{shutil.which('sh')} -e\n{program} =work {ROUNDS} \"$1\"", file=f)
        os.chmod(script, 0o755)
        for emulator in (None, QEMU) if QEMU else (None,):
            test_ways(emulator, program, script)
            test_untraced(emulator, place)
        test_refused(place)
    return done()


if __name__ == "__main__":
    sys.exit(main())
