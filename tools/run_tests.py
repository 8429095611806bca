#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a build directory and end with `N passed, N failed`.

usage: run_tests.py [--sanitize] BUILD [MESON-TEST-ARGUMENT...]

--sanitize sets BUILD up with address and undefined-behaviour sanitizers and the checked build first.

A test that runs alone (is_parallel: false) lives in the world's time, of which a busy computer may have taken too much from it:
when it fails it gets a second go, which decides and is told of.  Each test counts once.
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


def run(folder, arguments):
    """Run tests; one record a test, as meson logs them."""
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", *arguments], env=env,
                   stdout=subprocess.DEVNULL if os.environ.get("CI") else None, check=False)
    with open(os.path.join(folder, "meson-logs", "testlog.json"), encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.strip()]


def has_failed(record):
    return record["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")


def runs_alone(folder):
    """Names of the tests that live in the world's time."""
    with open(os.path.join(folder, "meson-info", "intro-tests.json"), encoding="utf-8") as f:
        return {test["name"] for test in json.load(f) if not test["is_parallel"]}


def second_go(folder, records, arguments):
    """The records, with the second one of each test that lives in the world's time and failed."""
    alone, said = runs_alone(folder), []
    for i, record in enumerate(records):
        name = record["name"]
        if has_failed(record) and name in alone:
            print_output(record)
            records[i] = run(folder, [*arguments, name])[0]
            said.append(f"{name}: failed ({record['result']}), run again alone: {'FAIL' if has_failed(records[i]) else 'OK'}")
    print(*said, sep="\n", end="\n" if said else "")
    return records


def print_output(record):
    print(f"--- {record['name']}: {record['result']}")
    print((record.get("stdout") or "")[-4000:], (record.get("stderr") or "")[-4000:], sep="\n")


def report(records):
    failed = [r for r in records if has_failed(r)]
    skipped = [r for r in records if r["result"] == "SKIP"]
    checks = 0
    for record in records:
        checks += sum(int(n) for n in re.findall(r"^(\d+) checks, ", record.get("stdout") or "", re.M))
    for record in failed:
        print_output(record)
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
    scale = ["--timeout-multiplier", "4"] if sanitize else []
    return report(second_go(folder, run(folder, [*scale, *rest[1:]]), scale))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
