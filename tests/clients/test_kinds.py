#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that take no preloaded library see the machine as well, whoever starts them: they run under the emulator.

usage: test_kinds.py BOXSCORE STATIC DYNAMIC EXECUTE: client_kind linked both ways (all of its calls are its own), execute.
"""
import inspect
import os
import re
import struct
import sys
import tempfile

from tools import Boxscore, check, check_that, done

HSX = ["with", "-M", "hsx,cores=2"]
ALL = "poll ppoll select pselect6 epoll_wait epoll_pwait2 futex futex until rt_sigtimedwait clock_nanosleep 0 -14 -14\n"
# SIGUSR1 is number 10, bit 9.
BLOCKED = "200 200\n"


def row(options, command, want, status=3):
    """A row with the line that it stands in."""
    return inspect.currentframe().f_back.f_lineno, options, command, want, status


def own(kind):
    """What one program sees.  An E5 v3 of two cores has 2.5 MB of cache for each, an E5 of eight 20 MB, a 7500 24 MB."""
    return [
        row(HSX, [kind, "cpu", "affinity", "memory", "name"], f"306f2 5120\n8 8\n128\n{kind}\n"),
        row(HSX, [kind, "pin", "5"], "0 5:0 5:0 1\n"),
        # the first core of the second socket
        row(HSX, [kind, "pin", "2"], "0 2:1 2:1 1\n"),
        # no such CPU: EINVAL, and it stays where it was with all of them
        row(HSX, [kind, "pin", "8"], "-22 0:0 0:0 8\n"),
        # a machine of a fifth of the world's speed
        row([*HSX, "--machine-time", "--ratio", "0.2"], [kind, "tsc", "2300", "waits"], "right long\n" + ALL),
        row(["with", "-M", "snbep"], [kind, "cpu", "affinity", "tsc", "2900"], "206d7 20480\n8 32\nright long\n"),
        row(["with", "-M", "nhmex"], [kind, "cpu", "affinity"], "206e6 24576\n8 32\n"),
        row(HSX, [kind, "exec", "/nonexistent"], "/nonexistent: No such file or directory\n", 1),
        row(HSX, [kind, "exec", "/tmp"], "/tmp: Permission denied\n", 1),
    ]


def chains(static, dynamic, folder):
    """Programs that start programs: each sees the machine, and signals that are blocked and wait are handed on."""
    write = os.path.join(folder, "script")
    with open(write, "w", encoding="ascii") as out:
        out.write(f"#!/bin/sh\n{static} cpu\n{dynamic} affinity\nnproc\nexit 3\n")
    os.chmod(write, 0o755)
    plain = os.path.join(folder, "plain")
    with open(plain, "w", encoding="ascii") as out:
        out.write("nproc\n")
    os.chmod(plain, 0o755)
    seen = "306f2 5120\n"
    return [
        row(HSX, ["sh", "-c", f"{static} cpu; {dynamic} cpu; exit 3"], 2 * seen),
        row(HSX, ["sh", "-c", f"env -i {static} cpu; env -i sh -c '{dynamic} cpu; nproc'; exit 3"], 2 * seen + "8\n"),
        row(HSX, [write], seen + "8 8\n8\n"),
        row(HSX, [static, "exec", write], seen + "8 8\n8\n"),
        row(HSX, [static, "block", "10", "exec", dynamic, "pending", "exec", static, "pending", "below", static, "pending"], 3 * BLOCKED),
        row(HSX, [static, "block", "10", "exec", "/bin/grep", "SigBlk", "/proc/self/status"], "SigBlk:\t0000000000000200\n", 0),
        # CPUs are handed on, too
        row(HSX, [static, "pin", "5", "exec", dynamic, "affinity", "exec", "/usr/bin/nproc"], "0 5:0 5:0 1\n8 1\n1\n", 0),
        # what is no program is the kernel's to refuse
        row(HSX, [static, "exec", plain], f"{plain}: Exec format error\n", 1),
    ]


def ways(execute, static, folder):
    """All ways in which a program with the library executes another."""
    del folder
    rows = [row(HSX, [execute, how, static, "name", "cpu"], "NAME\n306f2 5120\n") for how in
            ("execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "spawn", "spawnp", "system", "vfork")]
    return [(line, options, command, want.replace("NAME", static), status) for line, options, command, want, status in rows]


def check_rows(b, rows):
    for line, options, command, want, status in rows:
        got = b.run([*options, "--", *command], stdin=None)
        check(f"{os.path.basename(__file__)}:{line}: {' '.join(command)[-60:]}", (got.returncode, got.stdout, got.stderr), (status, want, ""))


def check_unserved(b, folder):
    """A 32-bit program, which this kernel may run or not: that it sees this computer is said once."""
    path = os.path.join(folder, "narrow")
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048000, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    with open(path, "wb") as out:
        out.write(head)
    os.chmod(path, 0o755)
    note = f"boxscore with: {path} saw this computer's processor, CPUs and clocks: it is a 32-bit program\n"
    for command in (["sh", "-c", f"{path}; {path}; exit 3"], ["sh", "-c", f"exec {path}"], [path]):
        got = b.run([*HSX, "--", *command], errors="replace")
        check(f"note about {command[-1][-20:]}", re.findall("boxscore with: [^:]* saw .*\n", got.stderr), [note])
    check("no note with --native", "saw" in b.run([*HSX, "--native", "--", path], errors="replace").stderr, False)


def main(argv):
    b = Boxscore(argv[1])
    static, dynamic, execute = map(os.path.abspath, argv[2:5])
    with tempfile.TemporaryDirectory() as folder:
        check_rows(b, [*own(static), *own(dynamic), *chains(static, dynamic, folder), *ways(execute, static, folder)])
        check_unserved(b, folder)
    got = b.run([*HSX, "--native", "--", static, "cpu"])
    check_that("native", got.returncode == 3 and got.stdout != "306f2 5120\n", got.stdout)
    done()


if __name__ == "__main__":
    main(sys.argv)
