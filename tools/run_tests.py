#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a build directory and end with `N passed, N failed`.

usage: run_tests.py [--sanitize] BUILD [MESON-TEST-ARGUMENT...]

--sanitize sets BUILD up with address and undefined-behaviour sanitizers and the checked build first.
"""
import json
import os
import re
import subprocess
import sys

SANITIZE = ["-Db_sanitize=address,undefined", "-Dchecked=true", "-Dbuildtype=debugoptimized",
            "-Db_lundef=false"]


def build(folder, sanitize):
    if sanitize and not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, *SANITIZE], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "--quiet"], check=True)


def results(folder):
    """One record a test, as meson logs them."""
    path = os.path.join(folder, "meson-logs", "testlog.json")
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.strip()]


def report(records):
    failed = [r for r in records if r["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")]
    skipped = [r for r in records if r["result"] == "SKIP"]
    checks = 0
    for record in records:
        checks += sum(int(n) for n in re.findall(r"^(\d+) checks, ", record.get("stdout") or "", re.M))
    for record in failed:
        print(f"--- {record['name']}: {record['result']}")
        print((record.get("stdout") or "")[-4000:], (record.get("stderr") or "")[-4000:], sep="\n")
    print(f"{checks} single checks in {len(records)} tests")
    tail = f", {len(skipped)} skipped" if skipped else ""
    print(f"{len(records) - len(failed) - len(skipped)} passed, {len(failed)} failed{tail}")
    return 1 if failed or not records else 0


def main(argv):
    sanitize = "--sanitize" in argv
    rest = [a for a in argv[1:] if a != "--sanitize"]
    if not rest:
        sys.exit(__doc__)
    folder = rest[0]
    build(folder, sanitize)
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    scale = ["--timeout-multiplier", "4"] if sanitize else []
    subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", *scale, *rest[1:]], env=env,
                   stdout=subprocess.DEVNULL if os.environ.get("CI") else None, check=False)
    return report(results(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
