#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What docs/guide/clients.md shows for CI does what it says there: the script as it is printed runs and prints the same lines, numbers
within 5 %.

usage: test_docs.py BOXSCORE DIRECTORY-OF-DOCS
"""
import os
import re
import subprocess
import sys
import tempfile

from steady import Steady
from tools import Boxscore, check_that, done

LINES = 10
NUMBER = re.compile(r"\d+(?:\.\d+)?(?![\w.])")


def blocks(path):
    """Indented blocks of a file, in their order."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return [re.sub(r"^    ", "", found, flags=re.M) for found in re.findall(r"(?:^    .*\n)+", text, re.M)]


def alike(got, want):
    """The same words, with numbers that are about the same."""
    numbers = [list(map(float, NUMBER.findall(line))) for line in (got, want)]
    return NUMBER.sub("#", got).split() == NUMBER.sub("#", want).split() and \
        all(abs(a - b) <= 0.05 * b for a, b in zip(*numbers))


def as_shown(s, boxscore, script, printed):
    """What a computer that is busy pulls apart is tried again, as it is shown: without a longer window."""
    with tempfile.TemporaryDirectory(prefix="bxs-docs") as folder:
        os.symlink(os.path.abspath(boxscore), f"{folder}/boxscore")
        with open(f"{folder}/test.sh", "w", encoding="utf-8") as f:
            f.write(script)
        got = subprocess.run(["sh", f"{folder}/test.sh"], capture_output=True, text=True, check=False,
                             env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    lines = (got.stdout + got.stderr).splitlines()
    s.that("exit status 0", got.returncode == 0, (got.returncode, lines))
    s.that("what it prints", len(lines) == len(printed.splitlines()) and
           all(map(alike, sorted(lines), sorted(printed.splitlines()))), (lines, printed))


def main(argv):
    Boxscore(argv[1], "pcm-memory", "rdmsr")
    shown = blocks(f"{argv[2]}/clients.md")
    at = next(i for i, text in enumerate(shown) if text.startswith("#!/bin/sh"))
    script, printed = shown[at], shown[at + 1]
    body = [line for line in script.splitlines() if not line.startswith("#")]
    check_that("ten lines at most", len(body) <= LINES, len(body))
    Steady().run(as_shown, argv[1], script, printed)
    done()


if __name__ == "__main__":
    main(sys.argv)
