#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Our emulator: programs that check themselves run under it, alone and traced; and what it tells of a program's accesses is what
QEMU tells.

usage: test_native.py BOXSCORE BOXSCORE-NATIVE ODD CHANGES TROUBLE CALLS SPAWN TRIAD STORES
"""
import json
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, done, run  # pylint: disable=wrong-import-position

NATIVE, ODD, CHANGES, TROUBLE, CALLS, SPAWN, TRIAD, STORES = sys.argv[2:10]
QEMU = shutil.which("qemu-x86_64")
EVENTS = "cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.RD,imc.CAS_COUNT.WR,cbo.TOR_INSERTS.OPCODE:opc=RFO,ha.REQUESTS.INVITOE_LOCAL"


def alone(*command):
    return subprocess.run([NATIVE, *command], capture_output=True, text=True, check=False, timeout=120)


def test_odd():
    """All of it under the emulator, with the plugin's calls between the instructions and without."""
    measured = ("stat", "-M", "hsx,cores=4", "-o", "/dev/null")
    for program in ODD, CHANGES, TROUBLE, CALLS, SPAWN:
        # SPAWN's children are killed after some machine time, in which a system call takes none: that is long for one that makes nothing else.
        world = [] if program == SPAWN else [run(*measured, "--", program)]
        for got in (alone(program), run(*measured, "--host-world", "--", program), *world):
            check((got.returncode, got.stdout) == (0, ""), got)
            # CALLS asks for a filter of system calls; signals end children of others at work.
            told = got.stderr.count("(seccomp) was asked for and refused" if program == CALLS else "at work when a signal ended")
            check(got.stderr.count("\n") == told, got)


STARTS = """
import subprocess
def what(*command, **more):
    try:
        got = subprocess.run(command, capture_output=True, text=True, **more)
        return got.returncode, got.stdout
    except OSError as e:
        return e.errno, e.filename
print(what("/bin/sh", "-c", "echo one; exit 3"), what("/bin/sh", "-c", "kill -9 $$"))
print(what("/no/such/program"), what("/bin/sh", cwd="/no/such/place"), what("/etc/passwd"))
"""


def test_python():
    """Its subprocess module has the child say by a pipe what went wrong, from the parent's memory."""
    got = alone(sys.executable, "-c", STARTS)
    check(got.stdout == "(3, 'one\\n') (-9, '')\n(2, '/no/such/program') (2, '/no/such/place') (13, '/etc/passwd')\n", got)


def test_crowd():
    """Threads that are not traced (301 at once, 256 have a place) run all the same, and the readings do not count as whole."""
    for emulator in ((), ("--qemu", QEMU)) if QEMU else ((),):
        got = run("stat", "-M", "hsx,cores=4", "-j", "-m", "instructions", *emulator, "--", SPAWN, "=crowd")
        check((got.returncode, got.stdout) == (0, "") and "45 threads found no place" in got.stderr and
              '"validity":"partial"' in got.stderr.splitlines()[0], got)


def test_refused():
    for arguments, status, why in (((), 64, "usage"), (("-cpu", "Haswell"), 64, "usage"), (("/no/such/program",), 70, "No such file"),
                                   ((__file__,), 70, "not a program"), (("-plugin", "x,y", ODD), 70, "plugin's arguments")):
        got = alone(*arguments)
        check(got.returncode == status and why in got.stderr, (arguments, got))


def readings(emulator, *command):
    """Of a run, by event."""
    chosen = ("--qemu", emulator) if emulator else ()
    got = run("stat", "-M", "hsx,cores=2,sockets=1", *chosen, "-j", "-m", "instructions", "-e", EVENTS, "--", *command)
    check(got.returncode == 0, got)
    rows = [json.loads(line) for line in got.stderr.splitlines() if line.startswith("{")]
    return {r.get("event") or r["metric"]: r["value"] for r in rows}


def grows(emulator, small, large):
    """What the larger run has more: start-up is left out."""
    a, b = readings(emulator, *small), readings(emulator, *large)
    return {k: b[k] - a[k] for k in b}


def test_like_qemu():
    """The same instructions, and accesses that leave the core in the same numbers, but for where the emulators put memory."""
    if not QEMU:
        return
    for small, large in (((TRIAD, "1", "1"), (TRIAD, "2", "1")), ((TRIAD, "2", "1"), (TRIAD, "2", "3")),
                         ((STORES, "b", "00000000", "00000000", "00000000"), (STORES, "b", "00000000", "00006400", "00000000"))):
        ours, theirs = grows(None, small, large), grows(QEMU, small, large)
        # A repeated instruction is one, however often.
        check(ours["instructions"] == theirs["instructions"] and theirs["cbo.LLC_LOOKUP.ANY"] > 0, (large, ours, theirs))
        for name, n in theirs.items():
            check(abs(ours[name] - n) <= 16 + 0.002 * n, (large, name, ours, theirs))


def main():
    test_odd()
    test_python()
    test_crowd()
    test_refused()
    test_like_qemu()
    return done()


if __name__ == "__main__":
    sys.exit(main())
