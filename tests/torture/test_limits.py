#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A system that gives too little: memory, /proc, room on a disk, time before a kill or an interrupt.  What is wrong is said, and nothing is lost.

usage: test_limits.py BOXSCORE BOXSCORE-PLUGIN.SO
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, check_at, done, here  # pylint: disable=wrong-import-position

PATH, PLUGIN = os.path.abspath(BOXSCORE), os.path.abspath(sys.argv[2])
QEMU = shutil.which("qemu-x86_64")
SMALL = ("-M", "hsx,sockets=1,cores=2")
STAT = ("stat", *SMALL, "-j", "-m", "instructions")
SANITIZED = "--sanitized" in sys.argv
SLOW = 4 if SANITIZED else 1


def shell(before, *command, where="/", **options):
    """A command of ours ("$@") as a shell starts it that has set something up."""
    return subprocess.run(["sh", "-c", before, "sh", PATH, *command], capture_output=True, text=True, check=False, cwd=where,
                          stdin=subprocess.DEVNULL, timeout=120, **options)


def readings(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_memory():
    """An emulator without memory to begin: no reading is exact, whoever the emulator is."""
    for emulator in ((), ("--qemu", QEMU)) if QEMU else ((),):
        got = shell('ulimit -v 100000; exec "$@"', *STAT, *emulator, "--", "/bin/echo", "hi")
        said = got.stderr.splitlines()
        check(got.returncode == 69 and got.stdout == "" and said and "the program never ran: its emulator ended before it" in said[-1] and
              {r["validity"] for r in readings(got.stderr)} == {"partial"}, (emulator, got))
    # A signal that asks for an end is the program's, however soon it comes.
    got = shell('exec "$@"', *STAT, "--", "/bin/sh", "-c", "kill -TERM $$")
    check(got.returncode == 128 + 15 and "never ran" not in got.stderr, got)


def without_proc(*command):
    return subprocess.run(["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh", PATH, *command], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL, timeout=120)


def test_proc():
    probe = subprocess.run(["unshare", "-m", "umount", "-l", "/proc"], check=False, capture_output=True)
    if probe.returncode:
        print("no mount namespaces: what is said without /proc is not tested")
        return
    rows = [
        (here(), 69, (*STAT, "--", "/bin/echo", "hi")),
        (here(), 65, ("run", "false-sharing")),
        (here(), 65, ("run", "--list")),
        (here(), 69, ("with", *SMALL, "--", "/bin/true")),
    ]
    if QEMU:
        rows.append((here(), 69, (*STAT, "--qemu", QEMU, "--plugin", PLUGIN, "--", "/bin/echo", "hi")))
    for at, status, command in rows:
        got = without_proc(*command)
        said = got.stderr.splitlines()
        check_at(at, got.returncode == status and got.stdout == "" and len(said) == 1 and ": /proc, " in said[0] and
                 "No such file or directory" in said[0], got)
    # What needs no part of ours and no program does without.
    got = without_proc(*STAT, "--kernel", "stream:size=64K")
    check(got.returncode == 0 and {r["validity"] for r in readings(got.stdout)} == {"exact"}, got)


def test_disk(tmp):
    """Onto a full disk: which file and why, and how the program itself ended.  A cut trace is none."""
    trace = os.path.join(tmp, "trace")
    for before, path, why in (('exec "$@"', "/dev/full", "No space left on device"), ('ulimit -S -f 1; exec "$@"', trace, "File too large")):
        got = shell(before, "record", *SMALL, "-o", path, "--", "/bin/sh", "-c", "echo out; exit 3")
        check(got.returncode == 65 and got.stdout == "out\n" and got.stderr.splitlines() == [
            f"boxscore record: {path} cannot be written: {why}", "boxscore record: note: the program itself ended with status 3"], got)
    got = shell('exec "$@"', "replay", "-m", "instructions", trace)
    check(got.returncode == 65 and trace in got.stderr, got)
    got = shell('exec "$@"', *STAT, "-o", "/dev/full", "--", "/bin/sh", "-c", "kill -KILL $$")
    check(got.returncode == 65 and got.stderr.splitlines()[1:] == [
        "boxscore stat: /dev/full cannot be written to the end; the readings stand above",
        "boxscore stat: note: signal 9 ended the program itself"], got)


def test_killed(tmp):
    """Of a stat that is killed the file has what each interval before was, whole lines, each a millisecond later."""
    path = os.path.join(tmp, "intervals")
    with subprocess.Popen([PATH, *STAT, "-I", "1ms", "-o", path, "--", "/bin/sh", "-c", "while :; do :; done"],
                          stdin=subprocess.DEVNULL) as p:
        while p.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < 2000):
            time.sleep(0.05)
        p.kill()
    with open(path, encoding="utf-8") as f:
        text = f.read()
    got = readings(text)
    check(text.endswith("}\n") and len(got) > 10 and all(r["validity"] == "exact" and r["value"] > 0 for r in got), text[-300:])
    times = [r["time_ns"] for r in got]
    check(all(950_000 < b - a < 1_050_000 for a, b in zip(times, times[1:])), times)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def hurried(after, *command):
    """SIGINT when it has computed so long.  Exit status, what it told a terminal, and what others."""
    terminal, side = os.openpty()
    # With that variable the C library would write to all memory first, which nothing interrupts.
    env = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    with subprocess.Popen([PATH, *command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=side, text=True) as p:
        os.close(side)
        while cpu_seconds(p.pid) < after and not os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            time.sleep(0.01)
        p.send_signal(signal.SIGINT)
        try:
            out = p.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            p.kill()
            out = "went on as if nothing had been said"
    told = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    return p.returncode, told, out


def test_hurry(tmp):
    """What takes minutes says what it does, and ends when told: not when it would have been done."""
    path = os.path.join(tmp, "big.scenario")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"scenario big \"A lot\"\nphase one\n  run chase:size={16 if SANITIZED else 128}G\n")
    # In the midst of laying out lines for minutes; and of a millisecond in which 36 cores miss
    # their caches, of which machine time tells how much was done.
    for at, after, command in ((here(), 0.4, ("run", path)), (here(), 0.4, ("stat", "--kernel", "random:size=4G,threads=36,count=100000000"))):
        status, told, out = hurried(after * SLOW, *command)
        spent = re.search(r"^ +(\d+\.\d+)  ms of machine time", out, re.M)
        check_at(at, status == 128 + signal.SIGINT and told.startswith("\rpreparing") and spent and float(spent[1]) < 1,
                 (status, told, out))


def main():
    # A sanitizer takes more addresses than such a limit gives, and looks for leaks by /proc.
    if not SANITIZED:
        test_memory()
        test_proc()
    with tempfile.TemporaryDirectory() as tmp:
        test_disk(tmp)
        test_killed(tmp)
        test_hurry(tmp)
    return done()


if __name__ == "__main__":
    sys.exit(main())
