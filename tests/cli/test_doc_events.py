#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every event string in the tables of docs/guide/measuring.md is read, whether or not the machine drives it.

usage: test_doc_events.py BOXSCORE MEASURING.md
"""
import re
import sys

from checks import check_at, done, run

# Of another family than hsx; told by what they look at; and what the text beside them says is left to be given.
POULSON = ("core3.", "rbox.TARGET", "bbox.ARB")
NEEDS = {"uncore_cbox/r335/": ":opc=DRd"}


def strings(path):
    """(line, event string) of the second column of the table of tools, and the first of that of our own notation."""
    column = None
    with open(path, encoding="utf-8") as doc:
        for number, line in enumerate(doc, 1):
            if line.startswith("| written | means |"):
                column = 0
            elif line.startswith("| tool | written | means |"):
                column = 1
            elif not line.startswith("|"):
                column = None
            elif column is not None and not line.startswith("|---"):
                cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
                for text in re.findall(r"`([^`]+)`", cells[column]):
                    yield number, text.replace("\\|", "|")


def main(path):
    found = 0
    for number, text in strings(path):
        family = "poulson" if text.startswith(POULSON) else "hsx"
        got = run("check", "--multiplex", "-M", family, "-e", text + NEEDS.get(text, ""))
        check_at(number, got.returncode in (0, 69), f"{text}: exit {got.returncode}: {got.stderr}")
        found += 1
    check_at(0, found > 25, f"only {found} event strings in the tables")
    return done()


sys.exit(main(sys.argv[2]))
