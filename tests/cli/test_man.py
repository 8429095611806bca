#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A manual page is formatted without a warning, and every quotation that it opens it closes.

usage: test_man.py PAGE...
"""
import re
import subprocess
import sys


def faults(page):
    """What is wrong with a page."""
    got = subprocess.run(["groff", "-mandoc", "-Tutf8", "-ww", "-P-cbou", "-rLL=100n", page], capture_output=True, check=True)
    yield from (line for line in got.stderr.decode().splitlines() if line)
    text = got.stdout.decode()
    if len(text) < 1000:
        yield "there is no text"
    marks = re.sub("[^‘’“”()]", "", text)
    while (less := re.sub(r"‘’|“”|\(\)", "", marks)) != marks:
        marks = less
    if marks:
        yield f"quotations or brackets without their other end: {marks}"
    # A literal is one word or a phrase; a comma or a colon before a blank belongs behind it.
    for quoted in re.findall("‘([^’]*)’", text):
        if re.search(r"‘|[,:]\s", quoted):
            yield f"a quotation goes too far: {quoted}"


def main():
    failed = 0
    for page in sys.argv[1:]:
        for fault in faults(page):
            failed += 1
            print(f"{page}: {fault}")
    print(f"{len(sys.argv) - 1} checks, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
