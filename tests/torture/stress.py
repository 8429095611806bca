#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of others that look for faults of kernels and interpreters give under stat what they give without: the stressors of
stress-ng that this user may run, a second each, and Python's own tests.

usage: stress.py [--few] [--only NAME,...] BOXSCORE

--few: only some stressors, for seconds.  What a stressor gives is its exit status (it checks its own results); one that fails, is
not supported or does not end by itself is left out.  Of Python's tests those count that pass without stat.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

# far-branch, which fills the cache of translations, takes as long as all others: test_torture.py fills a small one.
FEW = ("cpu", "futex", "mmap", "prctl", "pthread", "set", "sigsegv", "switch", "vforkmany")
# They take all the memory there is, or stop the computer's other work.
NOT = {"bigheap", "brk", "cpu-online", "oom-pipe", "ramfs", "stack", "sysbadaddr", "vm-segv", "watchdog"}
MODULES = ("test_ctypes", "test_mmap", "test_signal", "test_threading", "test_os", "test_subprocess", "test_asyncio")
ALONE, UNDER = 20, 180		# seconds at most
RESULT = re.compile(r"^(test\w*) \(([\w.]+)\)[^\n]*?(?:\n[^\n]*?)?\.\.\. (ok|FAIL|ERROR|skipped)", re.MULTILINE)


def call(command, seconds, where):
    """Exit status and what was printed; None: it did not end."""
    try:
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=where, check=False,
                             timeout=seconds, errors="replace", encoding="utf-8")
    except subprocess.TimeoutExpired:
        return None, ""
    return got.returncode, got.stdout


def stressors(names, stat, where):
    wrong = 0
    for name in names:
        command = ["stress-ng", f"--{name}", "1", "-t", "1", "--verify", "--oomable", "--temp-path", where]
        if call(command, ALONE, where)[0] != 0:
            print(f"{name}: left out")
            continue
        status, out = call(stat + command, UNDER, where)
        wrong += status != 0
        print(f"{name}: {'the same' if status == 0 else 'DOES NOT END' if status is None else f'STATUS {status}'}", flush=True)
        if status:
            print("\n".join("    " + line for line in out.splitlines()[-6:]))
    return wrong


def passed(out):
    return {(m[1], m[0]) for m in RESULT.findall(out) if m[2] == "ok"}


def modules(names, stat, where):
    wrong = 0
    for name in names:
        command = [sys.executable, "-m", "unittest", "-v", f"test.{name}"]
        alone = passed(call(command, 600, where)[1])
        if not alone:
            wrong += 1
            print(f"{name}: NOT A TEST passes without stat; Debian's python3 has them in libpython3.11-testsuite", flush=True)
            continue
        status, out = call(stat + command, 3600, where)
        lost = sorted(alone - passed(out))
        wrong += bool(lost)
        print(f"{name}: {len(alone)} pass, {len(lost)} of these NOT under stat (status {status})", flush=True)
        for test in lost[:20]:
            print("    " + ".".join(test))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("boxscore")
    args = parser.parse_args()
    if not shutil.which("stress-ng"):
        print("stress-ng is not installed")
        return 77
    # Stressors run for seconds, which are short for who looks on, but long for the machine.
    stat = [os.path.abspath(shutil.which(args.boxscore) or args.boxscore), "stat", "--host-world", "-M", "hsx,cores=4", "-o", "/dev/null", "--"]
    names = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True, check=True).stdout.split()
    only = set(args.only.split(",")) if args.only else None
    chosen = [n for n in (FEW if args.few else names) if n in names and n not in NOT and (not only or n in only)]
    with tempfile.TemporaryDirectory() as where:
        wrong = stressors(chosen, stat, where)
        if not args.few:
            wrong += modules([m for m in MODULES if not only or m in only], stat, where)
    print(f"{wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
