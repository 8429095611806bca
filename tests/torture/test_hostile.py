#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A traced program writes rubbish into the memory that it shares with stat: stat says so and marks its readings, and ends when told.

usage: test_hostile.py BOXSCORE HOSTILE [--long]

--long: ten million records, and noise of many seeds.
"""
import json
import signal
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, check_at, done, here, run  # pylint: disable=wrong-import-position

HOSTILE = sys.argv[2]
LONG = "--long" in sys.argv
STAT = ("stat", "-M", "hsx,cores=4", "-m", "instructions", "-j")
# Its own ring beside the emulator's takes no turns, so a sleep in machine time would wait for it.
HOST = (*STAT, "--host-world")
SENTENCE = "the program wrote what no emulator does"
FAULTS = ("used", "fewer", "head", "back", "state", "turn", "tries", "due", "kind", "last", "work")


def validity(text):
    return {json.loads(line)["validity"] for line in text.splitlines() if line.startswith("{")}


def words(text):
    return [line for line in text.splitlines() if not line.startswith("{")]


def test_faults():
    """One wrong word each, beside the ring that the emulator writes."""
    for fault in FAULTS:
        got = run(*STAT, "--", HOSTILE, fault)
        said = words(got.stderr)
        check(got.returncode == 65 and len(said) == 1 and SENTENCE in said[0] and validity(got.stderr) == {"partial"}, (fault, got))


def test_threads():
    """The same where threads take turns: a shell and its child, of which the child does it."""
    for fault in ("used", "back", "turn", "kind"):
        got = run(*STAT, "--", "sh", "-c", f"true & exec {HOSTILE} {fault}")
        said = words(got.stderr)
        check(got.returncode == 65 and len(said) == 1 and SENTENCE in said[0] and validity(got.stderr) == {"partial"}, (fault, got))


def test_sealed():
    got = run(*STAT, "--", HOSTILE, "truncate")
    check(got.returncode == 0 and validity(got.stderr) == {"exact"}, got)


def test_records(count, seed):
    """Records that could be a core's are fed as such, whatever they say."""
    got = run(*HOST, "--", HOSTILE, "records", str(count), str(seed), timeout=3600)
    check(got.returncode == 0 and not words(got.stderr) and validity(got.stderr) == {"exact"}, (count, seed, got))


# Each warning or note at most once (enum ring_note; threads without a ring, at work when killed, untraced, kept lines), and an error.
MOST_WORDS = 5 + 4 + 1


def test_noise(seed, *more):
    """Anything anywhere: the program may go on, be ended or end itself, but stat lives to tell."""
    got = run(*STAT, *more, "--", HOSTILE, "noise", "20000", str(seed), timeout=300)
    # A checked build ends at once if private caches kept lines they should have lost.  The program may have written that they did.
    if got.returncode == -signal.SIGABRT and got.stderr.endswith("still in caches from which others had taken them\n"):
        return
    check(got.returncode in (0, 65, 128 + signal.SIGKILL) and validity(got.stderr) <= {"exact", "partial"} and validity(got.stderr) and
          len(words(got.stderr)) == len(set(words(got.stderr))) <= MOST_WORDS and "Sanitizer" not in got.stderr and "runtime error" not in got.stderr, (seed, got))


def test_stubborn():
    """Records without end, by a program that no signal ends: the third SIGTERM does."""
    at = here()
    with subprocess.Popen([BOXSCORE, *HOST, "--", HOSTILE, "stubborn"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        check(p.stdout.readline() == "ready\n", "begins")
        # Two that wait at once are one, so some more are sent.
        for _ in range(100):
            p.send_signal(signal.SIGTERM)
            try:
                p.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                pass
        _, err = p.communicate(timeout=100)
    # The last may have come when nobody held it back any more.
    check_at(at, p.returncode in (128 + signal.SIGKILL, -signal.SIGTERM) and validity(err) == {"partial"}, (p.returncode, err))


def main():
    test_faults()
    test_threads()
    test_sealed()
    test_records(10_000_000 if LONG else 5_000, 1)
    for seed in range(500 if LONG else 6):
        test_noise(seed, "--host-world")
        # Where clocks are the machine's, a program alone takes turns as well.
        test_noise(seed)
    test_stubborn()
    return done()


if __name__ == "__main__":
    sys.exit(main())
