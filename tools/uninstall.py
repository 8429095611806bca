#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Take away what the last `make install` of a build directory has put in place.

usage: uninstall.py BUILD
"""
import os
import shutil
import sys

OURS = "boxscore"


def remove(path):
    """Also what Python leaves beside a module.  Directories are for later."""
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
        os.unlink(path)
        if path.endswith(".py"):
            shutil.rmtree(os.path.join(os.path.dirname(path), "__pycache__"), ignore_errors=True)


def directories(paths):
    """Those that installing made, and those of ours that an installation before it may have made; deepest first."""
    made = {path for path in paths if os.path.isdir(path) and not os.path.islink(path)}
    for path in paths:
        while OURS in os.path.dirname(path).split(os.sep):
            path = os.path.dirname(path)
            made.add(path)
    return sorted(made, key=len, reverse=True)


def main():
    log = os.path.join(sys.argv[1], "meson-logs", "install-log.txt")
    if not os.path.exists(log):
        sys.exit(f"{log}: there is none: nothing has been installed from this build directory")
    with open(log, encoding="utf-8") as f:
        paths = [line.rstrip("\n") for line in f if not line.startswith("#")]
    failed = False
    folders = directories(paths)
    for path in paths:
        try:
            remove(path)
        except OSError as e:
            failed = True
            print(f"cannot remove {path}: {e.strerror}", file=sys.stderr)
    for path in folders:
        if os.path.isdir(path) and not os.listdir(path):
            os.rmdir(path)
    if not failed:
        os.unlink(log)
    return failed


if __name__ == "__main__":
    sys.exit(main())
