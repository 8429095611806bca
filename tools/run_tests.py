#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a build directory and end with `N passed, N failed`.

usage: run_tests.py [--sanitize] BUILD [TEST...]

--sanitize sets BUILD up with address and undefined-behaviour sanitizers and the checked build first, and without names leaves out the
tests that run nothing which is sanitized (UNSANITIZED).

A test that runs alone (is_parallel: false) lives in the world's time.  It comes before the others that run beside it, which are
content with what it leaves (nice).  Still a busy computer may have taken too much from it: when it fails it gets a second go, which
decides and is told of.  Each test counts once.
"""
import json
import os
import re
import subprocess
import sys

SANITIZE = ["-Db_sanitize=address,undefined", "-Dchecked=true", "-Dbuildtype=debugoptimized",
            "-Db_lundef=false"]

# Tests that a sanitizer cannot see into; the plain run has shown what they show.
UNSANITIZED = {
    # Python over the text of catalogue, sources and documents; a compiler over headers.
    "catalog enums", "catalog generator", "catalog words", "cli front", "cli manual", "headers", "layers", "virtual waits",
    # Shells over completion files; files that are installed, and programs that link with them.
    "cli completion", "cli install",
    # About the emulator, which is never sanitized; what it feeds to the machine is like that of the tests of the feed.
    "native", "native become", "torture stress",
}


def build(folder, sanitize):
    if sanitize and not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, *SANITIZE], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "--quiet"], check=True)


def start(folder, patience, names, *arguments, log="testlog", quiet=False, nice=0):
    """Begin to run tests of these names, with so many times the time that they have; meson keeps its records below the name of the log."""
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    return subprocess.Popen(["nice", "-n", str(nice), "meson", "test", "-C", folder, "--no-rebuild", "--logbase", log,
                             "--timeout-multiplier", str(patience), *arguments, *names],
                            env=env, stdout=subprocess.DEVNULL if quiet or os.environ.get("CI") else None)


def records(folder, log="testlog"):
    """One record a test, as meson logs them."""
    with open(os.path.join(folder, "meson-logs", log + ".json"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def run(folder, patience, names):
    start(folder, patience, names).wait()
    return records(folder)


def run_all(folder, patience, without):
    """Those that live in the world's time one after the other, and the rest in the time that they leave."""
    alone = runs_alone(folder) - without
    rest = all_tests(folder) - alone - without
    first = start(folder, patience, sorted(alone), "--num-processes", "1", log="alone", quiet=True)
    others = start(folder, 2 * patience, sorted(rest), nice=19)
    first.wait()
    others.wait()
    return records(folder, "alone") + records(folder)


def has_failed(record):
    return record["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")


def all_tests(folder, wanted=lambda test: True):
    with open(os.path.join(folder, "meson-info", "intro-tests.json"), encoding="utf-8") as f:
        return {test["name"] for test in json.load(f) if wanted(test)}


def runs_alone(folder):
    """Names of the tests that live in the world's time."""
    return all_tests(folder, lambda test: not test["is_parallel"])


def second_go(folder, done, patience):
    """The records, with the second one of each test that lives in the world's time and failed."""
    alone, said = runs_alone(folder), []
    for i, record in enumerate(done):
        name = record["name"]
        if has_failed(record) and name in alone:
            print_output(record)
            done[i] = run(folder, patience, [name])[0]
            said.append(f"{name}: failed ({record['result']}), run again alone: {'FAIL' if has_failed(done[i]) else 'OK'}")
    print(*said, sep="\n", end="\n" if said else "")
    return done


def print_output(record):
    print(f"--- {record['name']}: {record['result']}")
    print((record.get("stdout") or "")[-4000:], (record.get("stderr") or "")[-4000:], sep="\n")


def report(done):
    failed = [r for r in done if has_failed(r)]
    skipped = [r for r in done if r["result"] == "SKIP"]
    checks = 0
    for record in done:
        checks += sum(int(n) for n in re.findall(r"^(\d+) checks, ", record.get("stdout") or "", re.M))
    for record in failed:
        print_output(record)
    print(f"{checks} single checks in {len(done)} tests")
    tail = f", {len(skipped)} skipped" if skipped else ""
    print(f"{len(done) - len(failed) - len(skipped)} passed, {len(failed)} failed{tail}")
    return 1 if failed or not done else 0


def main(argv):
    sanitize = "--sanitize" in argv
    rest = [a for a in argv[1:] if a != "--sanitize"]
    if not rest:
        sys.exit(__doc__)
    folder = rest[0]
    build(folder, sanitize)
    patience = 4 if sanitize else 1
    without = UNSANITIZED if sanitize else set()
    done = run(folder, patience, rest[1:]) if rest[1:] else run_all(folder, patience, without)
    return report(second_go(folder, done, patience))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
