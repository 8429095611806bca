#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Which targets of the Makefile install packages: those that are asked to, and no others.

usage: test_front.py ROOT
"""
import os
import subprocess
import sys
import tempfile

# (line, target, is apt-get called when a package is missing)
ROWS = []


def row(target, installs):
    ROWS.append((sys._getframe(1).f_lineno, target, installs))


row([], False)
row(["all"], False)
row(["install"], False)
row(["bench"], False)
row(["clean"], False)
row(["help"], False)
row(["deps"], True)
row(["demo"], True)
row(["test"], True)

# All that make would run only says its name; no package is installed as far as dpkg-query can tell.
SAYS = ["apt-get", "meson", "ninja", "python3", "sudo"]


def told(root, folder, target):
    env = {key: value for key, value in os.environ.items() if key not in ("PREFIX", "MAKEFLAGS", "MAKELEVEL")}
    env["PATH"] = f"{folder}:{env['PATH']}"
    got = subprocess.run(["make", "-C", root, *target, f"BUILD={folder}/build"], env=env, capture_output=True, text=True,
                         check=False)
    return got.stdout + got.stderr


def main():
    failed = 0
    for line, target, installs in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            for name in SAYS:
                with open(f"{folder}/{name}", "w", encoding="ascii") as f:
                    f.write(f'#!/bin/sh\necho ran {name} "$@" >>{folder}/log\n')
                os.chmod(f"{folder}/{name}", 0o755)
            os.symlink("/bin/false", f"{folder}/dpkg-query")
            output = told(sys.argv[1], folder, target)
            ran = ""
            if os.path.exists(f"{folder}/log"):
                with open(f"{folder}/log", encoding="utf-8") as f:
                    ran = f.read()
            if (("apt-get" in ran) != installs) or (target == [] and "ran meson setup" not in ran):
                failed += 1
                print(f"{os.path.basename(__file__)}:{line}: make {' '.join(target)} runs\n{ran}{output}")
    print(f"{len(ROWS)} checks, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
