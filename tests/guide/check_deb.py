#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages: built twice they are the same bytes, lintian finds no errors, and what is in them works.

usage: check_deb.py ROOT FOLDER   (the packages are left in FOLDER)
"""
import glob
import hashlib
import os
import subprocess
import sys
import tempfile

PACKAGES = "boxscore", "libboxscore0", "libboxscore-dev", "python3-boxscore"


def run(*command, **more):
    p = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if p.returncode:
        sys.exit(f"{' '.join(command)}: exit status {p.returncode}\n{p.stdout[-3000:]}{p.stderr[-3000:]}")
    return p.stdout


def build(root, folder):
    """Name and digest of each package."""
    run("sh", os.path.join(root, "tools/deb.sh"), root, folder)
    sums = {}
    for path in sorted(glob.glob(f"{folder}/*.deb")):
        with open(path, "rb") as f:
            sums[os.path.basename(path)] = hashlib.sha256(f.read()).hexdigest()
    return sums


def works(root, folder):
    """The demo and the examples, from the packages unpacked in a folder of their own."""
    with tempfile.TemporaryDirectory() as place:
        for path in glob.glob(f"{folder}/*.deb"):
            run("dpkg-deb", "-x", path, place)
        libraries = os.path.dirname(glob.glob(f"{place}/usr/lib/*/libboxscore.so.0")[0])
        env = {**os.environ, "AUTOPKGTEST_TMP": place, "PATH": f"{place}/usr/bin:{os.environ['PATH']}",
               "PKG_CONFIG_PATH": f"{libraries}/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": place, "LD_LIBRARY_PATH": libraries,
               "PYTHONPATH": f"{place}/usr/lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE": "1"}
        for test in "demo", "library":
            print(run("sh", f"debian/tests/{test}", cwd=root, env=env), end="")


def main():
    root, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    first = build(root, folder)
    second = build(root, folder)
    names = {name.split("_")[0].removesuffix("-dbgsym") for name in first}
    if names != set(PACKAGES):
        sys.exit(f"there are {sorted(names)}, not {sorted(PACKAGES)}")
    if first != second:
        sys.exit(f"built twice, these differ: {sorted(n for n in first if first[n] != second.get(n))}")
    print(run("lintian", "--fail-on", "error", *glob.glob(f"{folder}/*.changes")), end="")
    works(root, folder)
    print(f"{len(first)} packages, twice the same bytes; lintian finds no errors; the demo runs")


if __name__ == "__main__":
    main()
