#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs console scripts and compares what they print, line by line.

    shell.py BOXSCORE FILE...

A file holds scenarios.  `== TITLE [| SPEC]` starts one, on a fresh machine; `> LINE` is typed; the lines below it are
what it must print, a bad line's `error: ...` up to where the expectation ends.  `#` starts a comment.
"""
import subprocess
import sys


class Scenario:
    def __init__(self, title, spec, line):
        self.title, self.spec, self.line = title, spec, line
        self.typed, self.expected = [], []      # (number, text), (number, text, index of the typed line)


def parse(path):
    scenarios = []
    with open(path, encoding="utf-8") as src:
        for number, raw in enumerate(src, 1):
            text = raw.rstrip("\n")
            if not text.strip() or text.startswith("#") and not text.startswith("#GP"):
                continue
            if text.startswith("== "):
                title, _, spec = text[3:].partition(" | ")
                scenarios.append(Scenario(title, spec or "hsx", number))
            elif not scenarios:
                sys.exit(f"{path}:{number}: a scenario starts with ==")
            elif text.startswith("> "):
                scenarios[-1].typed.append((number, text[2:]))
            else:
                scenarios[-1].expected.append((number, text, len(scenarios[-1].typed)))
    return scenarios


def matches(got, want):
    """An error is right when it stands in the right line and starts as expected."""
    return got.startswith(want) if want.startswith("error:") else got == want


def run(boxscore, path, scenario):
    """The number of failures; each is reported at its own line."""
    lines = "".join(text + "\n" for _, text in scenario.typed)
    done = subprocess.run([boxscore, "shell", "-M", scenario.spec], input=lines, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    got = done.stdout.splitlines()
    want = []
    for number, text, index in scenario.expected:
        if text.startswith("error:"):
            text = f"error: line {index}:{text[6:]}"
        want.append((number, text))
    failures = 0
    for i, (number, text) in enumerate(want):
        have = got[i] if i < len(got) else "(nothing)"
        if not matches(have, text):
            print(f"{path}:{number}: got {have}, want {text}   [{scenario.title}]")
            failures += 1
    for extra in got[len(want):]:
        print(f"{path}:{scenario.line}: got {extra} at the end, want nothing   [{scenario.title}]")
        failures += 1
    status = 2 if any(text.startswith("error:") for _, text in want) else 0
    if done.returncode != status:
        print(f"{path}:{scenario.line}: exit status {done.returncode}, want {status}   [{scenario.title}]")
        failures += 1
    return failures, len(want) + 1


def main(boxscore, paths):
    failures = checks = 0
    for path in paths:
        for scenario in parse(path):
            failed, checked = run(boxscore, path, scenario)
            failures += failed
            checks += checked
    print(f"{checks} checks, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
