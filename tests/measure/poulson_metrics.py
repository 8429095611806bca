#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""All formulas of appendix B and of chapters 3 and 4, measured: every event of one is held at a rate of its own, and the metric must come
out as the formula says, by a calculation that shares nothing with ours.

    poulson_metrics.py BOXSCORE
"""
import re
import subprocess
import sys

CLOCKS, READS = 1000, 48
# They are not told but follow from the thread's state: each clock of a thread in front.
STATE = {"CPU_OP_CYCLES": 1, "FE_OP_CYCLES": 1, "CPU_OP_CYCLES.HALTED": 0, "CPU_REF_CYCLES": None}
WITH = re.compile(r"\s*with:[\w.]+(?:{[^}]*}={[^}]*}|=\w+)")
NAME = re.compile(r"[A-Z][A-Za-z0-9_.]*")


def dump(boxscore, kind):
    out = subprocess.run([boxscore, "dump", kind, "--family", "poulson"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout.splitlines()
    return [line.split("\t") for line in out[1:]]


def rate(number):
    """A rate for the event of that number, each another one: primes from 3 on, but small."""
    return 3 + 2 * number + number * number % 7


def expand(metrics, events, equation):
    """The formula down to events."""
    def one(match):
        name = match[0]
        if name in metrics and name not in events:
            return "(" + expand(metrics, events, metrics[name]) + ")"
        return name
    return NAME.sub(one, WITH.sub("", equation))


def expected(formula, rates):
    """What comes out of a formula over events, per clock; None: it divides by 0."""
    try:
        return eval(NAME.sub(lambda m: f"({rates[m[0]]}.0)", formula), {"__builtins__": {}})
    except ZeroDivisionError:
        return None


def measure(boxscore, metric, levels):
    """The last reading of the metric: its words."""
    lines = [f"compute core.{metric}"] + [f"level core0 {event} {n}" for event, n in levels]
    lines += [f"advance core {CLOCKS}", "readings"] * READS
    done = subprocess.run([boxscore, "shell", "-M", "poulson,cores=1"], input="\n".join(lines) + "\n",
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.splitlines()[-1], done.returncode


def check(boxscore, metrics, events, name):
    """What is wrong with one metric, or None."""
    formula = expand(metrics, events, metrics[name])
    used = sorted(set(NAME.findall(formula)))
    unknown = [e for e in used if e not in events]
    if unknown:
        return f"no event {' '.join(unknown)}"
    rates = {e: STATE.get(e, rate(i)) for i, e in enumerate(used)}
    if None in rates.values():
        return f"uses {' '.join(e for e in used if rates[e] is None)}, which this test does not drive"
    line, status = measure(boxscore, name, [(e, n) for e, n in rates.items() if e not in STATE])
    words = line.split()
    want = expected(formula, rates)
    if status or words[0] != f"core.{name}":
        return f"printed {line}, status {status}"
    if want is None:
        return None if "absent: nothing to divide by" in line else f"is {line}, want nothing to divide by"
    # A quotient has no dimension, what else is a sum over all clocks.  A clock is no whole number of picoseconds.
    got = float(words[1])
    total = CLOCKS * READS
    scale = abs(want) + sum(rates.values()) * 1e-9
    if min(abs(got - want), abs(got - want * total) / total) <= 1e-5 * scale:
        return None
    return f"is {words[1]}, want {want} or {want * total}: {formula}"


def main(boxscore):
    metrics = {row[2]: row[3] for row in dump(boxscore, "metrics") if row[1] == "core"}
    events = {row[2] for row in dump(boxscore, "events") if row[1] == "core"}
    failures = 0
    for name in metrics:
        wrong = check(boxscore, metrics, events, name)
        if wrong:
            print(f"{name} {wrong}")
            failures += 1
    if len(metrics) != 150 + 24:
        print(f"{len(metrics)} metrics, want {150 + 24}")
        failures += 1
    print(f"{len(metrics) + 1} checks, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
