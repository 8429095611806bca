#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build the fuzz harnesses for libFuzzer and run each for some time; what one finds is kept, and its number told.

usage: fuzz.py [--time SECONDS] [--only NAME,...] BUILD

BUILD is set up with clang and sanitizers if it is not there.  It keeps what the harnesses came upon, in BUILD/corpus/NAME, from which
the next run goes on, and what they found, BUILD/found/NAME-*.  A finding that has been mended goes, made as small as it
can be (FUZZ_PROGRAM -minimize_crash=1), to tests/fuzz/corpus/NAME.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

SETUP = ["-Dfuzz=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dchecked=true", "-Dbuildtype=debug", "-Doptimization=1"]
HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST = 10		# seconds for one input, with sanitizers and beside other work
HINT = "libFuzzer is not there; on Debian 12: apt-get install clang libclang-rt-14-dev"


def have_fuzzer():
    """Can clang make a program of libFuzzer's?"""
    if not shutil.which("clang"):
        return False
    source = "int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }"
    return subprocess.run(["clang", "-x", "c", "-fsanitize=fuzzer,address,undefined", "-o", "/dev/null", "-"], input=source, text=True,
                          check=False, stderr=subprocess.DEVNULL).returncode == 0


def build(folder):
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        clang = "ccache clang" if shutil.which("ccache") else "clang"
        subprocess.run(["meson", "setup", folder, *SETUP], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, CC=clang))
    subprocess.run(["ninja", "-C", folder, "--quiet", "fuzz"], check=True)


def fuzz(folder, name, seconds):
    """Executions, and the files of what was found."""
    program, kept = os.path.join(folder, "tests/fuzz/fuzz_" + name), os.path.join(folder, "corpus", name)
    found = os.path.join(folder, "found")
    os.makedirs(kept, exist_ok=True)
    os.makedirs(found, exist_ok=True)
    log = os.path.join(found, name + ".log")
    with open(log, "w", encoding="utf-8", errors="replace") as out:
        subprocess.run([program, f"-max_total_time={seconds}", "-jobs=0", f"-timeout={LONGEST}", "-rss_limit_mb=2048", "-close_fd_mask=3",
                        "-print_final_stats=1", f"-artifact_prefix={found}/{name}-", kept, os.path.join(HERE, "corpus", name)],
                       stdout=out, stderr=out, stdin=subprocess.DEVNULL, check=False)
    with open(log, encoding="utf-8", errors="replace") as text:
        count = re.findall(r"stat::number_of_executed_units: (\d+)", text.read())
    return int(count[-1]) if count else 0, sorted(f for f in os.listdir(found) if f.startswith(name + "-"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("build")
    args = parser.parse_args()
    if not have_fuzzer():
        sys.exit(HINT)
    folder = os.path.abspath(args.build)
    build(folder)
    names = sorted(n for n in os.listdir(os.path.join(HERE, "corpus")) if not args.only or n in args.only.split(","))
    total = 0
    for name in names:
        count, found = fuzz(folder, name, args.time)
        total += len(found)
        print(f"{name}: {count} executions, {len(found)} found{''.join(f'; {f}' for f in found)}", flush=True)
    return total != 0 or not names


if __name__ == "__main__":
    sys.exit(main())
