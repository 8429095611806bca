#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every header of the tree compiles by itself, twice over: it has a guard and includes what it needs.  The public ones do so
as a stranger's strict C17 and C++17, without a word of warning.

usage: headers.py ROOT BUILD C++COMPILER COMPILER [FLAG...]
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


PUBLIC = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def headers(root, tops=("src", "include")):
    for top in tops:
        for folder, _, files in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".h"))


def check(compiler, flags, path, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as source:
        source.write(f'#include "{path}"\n#include "{path}"\nextern int one;\n')
        source.flush()
        run = subprocess.run([*compiler, *flags, "-fsyntax-only", source.name],
                             capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def main(argv):
    root, build, cplusplus, compiler = os.path.abspath(argv[1]), os.path.abspath(argv[2]), argv[3], argv[4:]
    own = ["-std=c17", "-D_GNU_SOURCE", *(f"-I{os.path.join(root, d)}" for d in ("include", "src"))]
    own += [f"-I{os.path.join(build, 'src', d)}" for d in ("catalog", "ia64")]  # generated ones
    public = [f"-I{os.path.join(root, 'include')}", *PUBLIC]
    plain = [word for word in compiler if not word.startswith("-")]
    rows = [(compiler, own, path, ".c") for path in headers(root)]
    for path in headers(root, ["include"]):
        rows.append((plain, ["-std=c17", *public], path, ".c"))
        rows.append(([cplusplus], ["-std=c++17", *public], path, ".cc"))
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for (tool, flags, path, _), (good, text) in zip(rows, pool.map(lambda row: check(*row), rows)):
            if not good:
                failed += 1
                print(f"{os.path.relpath(path, root)} does not compile by itself with {tool} {flags[0]}:\n{text}")
    print(f"{len(rows)} headers, {failed} of them failed")
    return failed != 0 or len(rows) < 20


if __name__ == "__main__":
    sys.exit(main(sys.argv))
