#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The libraries show what the headers declare, no more and no less, and call nothing of their own through a table.

usage: exports.py SHARED ARCHIVE PROGRAM HEADER...
"""
import os
import re
import subprocess
import sys


def told(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def declared(paths):
    """Functions of the headers; comments may speak of others."""
    names = set()
    for path in paths:
        with open(path, encoding="utf-8") as f:
            code = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.DOTALL)
        names |= set(re.findall(r"\b(bxs_\w+)\s*\(", code))
    return names


def symbols(*command):
    """Names of what nm lists as defined and global; absolute ones are versions."""
    lines = (line.split() for line in told("nm", "--defined-only", "--extern-only", *command).splitlines())
    return {words[2].partition("@")[0] for words in lines if len(words) == 3 and words[1] != "A"}


def through_tables(library):
    """Names of its own that the library looks up in a table to call or to read them: what other libraries have is 0 here."""
    rows = (line.split() for line in told("readelf", "--relocs", "--wide", library).splitlines())
    return {words[4] for words in rows
            if len(words) > 4 and re.search("_(JUMP_SLO|GLOB_DAT)", words[2]) and int(words[3], 16)}


def needed(path, tag):
    return re.findall(rf"\({tag}\).*\[(.*)\]", told("readelf", "--dynamic", "--wide", path))


def main():
    shared, archive, program, *headers = sys.argv[1:]
    want, failed, checks = declared(headers), 0, 0
    for what, got, expected in (
        ("exported by the shared library alone", symbols("--dynamic", shared) - want, set()),
        ("declared, not exported by the shared library", want - symbols("--dynamic", shared), set()),
        ("global in the archive alone", symbols(archive) - want, set()),
        ("declared, not global in the archive", want - symbols(archive), set()),
        ("reached by a table", through_tables(shared), set()),
        ("SONAME", needed(shared, "SONAME"), ["libboxscore.so.0"]),
        # The program has the layers in it, optimised as one: no call of its own leaves it.
        ("our libraries that the program needs", [n for n in needed(program, "NEEDED") if "boxscore" in n], []),
    ):
        checks += 1
        if got != expected:
            failed += 1
            print(f"{os.path.basename(__file__)}: {what}: {sorted(got)[:20]}, want {sorted(expected)}")
    if len(want) < 50:
        failed += 1
        print(f"{os.path.basename(__file__)}: {len(want)} declarations cannot be all")
    print(f"{checks + 1} checks, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
