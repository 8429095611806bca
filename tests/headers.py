#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every header of the tree compiles by itself, twice over: it has a guard and includes what it needs.

usage: headers.py ROOT BUILD COMPILER [FLAG...]
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def headers(root):
    for top in ("src", "include"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".h"))


def check(compiler, include, path):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(f'#include "{path}"\n#include "{path}"\n')
        source.flush()
        run = subprocess.run([*compiler, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", *include, source.name],
                             capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def main(argv):
    root, build, compiler = os.path.abspath(argv[1]), os.path.abspath(argv[2]), argv[3:]
    include = [f"-I{os.path.join(root, d)}" for d in ("include", "src")]
    include += [f"-I{os.path.join(build, 'src', d)}" for d in ("catalog", "ia64")]  # generated ones
    paths = list(headers(root))
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for path, (good, text) in zip(paths, pool.map(lambda p: check(compiler, include, p), paths)):
            if not good:
                failed += 1
                print(f"{os.path.relpath(path, root)} does not compile by itself:\n{text}")
    print(f"{len(paths)} headers, {failed} of them failed")
    return failed != 0 or not paths


if __name__ == "__main__":
    sys.exit(main(sys.argv))
