#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every file of the corpora goes through its harness once: it is refused with a sentence or done, without a fault, a leak or a hang.

usage: corpora.py CORPUS FUZZ_PROGRAM...

The programs are fuzz_NAME; CORPUS has a folder of files for each NAME.
"""
import os
import re
import subprocess
import sys

LONGEST = 100		# seconds for all files of a folder: most take milliseconds


def harness(program, folder):
    """How many files went through, and what is wrong or None."""
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    try:
        got = subprocess.run([program, folder], capture_output=True, text=True, check=False, timeout=LONGEST, env=env, errors="replace",
                             stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as slow:
        return 0, f"does not end; last: {(slow.stderr or b'')[-300:]!r}"
    files = re.fullmatch(r"(\d+) checks, 0 failed\n", got.stdout)
    if got.returncode or not files:
        return 0, f"status {got.returncode}: {got.stderr[-3000:]}"
    return int(files[1]), None


def main():
    corpus, programs = sys.argv[1], sys.argv[2:]
    names = {os.path.basename(p).removeprefix("fuzz_") for p in programs}
    total = failed = 0
    for name in sorted(names ^ set(os.listdir(corpus))):
        failed += 1
        print(f"{name}: a harness without a corpus, or a corpus without a harness")
    for program in programs:
        name = os.path.basename(program).removeprefix("fuzz_")
        files, wrong = harness(program, os.path.join(corpus, name))
        total += files
        if wrong:
            failed += 1
            print(f"{name}: {wrong}")
    print(f"{total + failed} checks, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
