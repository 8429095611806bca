# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the command line share: checks that are counted, calls of the program, the closing line."""
import json
import subprocess
import sys

BOXSCORE = sys.argv[1]
_made = _failed = 0


def here(above=0):
    """The line from which this is called, or `above` calls further up."""
    return sys._getframe(1 + above).f_lineno


def check_at(at, cond, what):
    """As check(), for a row of a table that stands in line `at`."""
    global _made, _failed
    _made += 1
    if not cond:
        _failed += 1
        print(f"{sys.argv[0]}:{at}: {what}")


def check(cond, what):
    check_at(here(above=1), cond, what)


def run(*args, **kw):
    return subprocess.run([BOXSCORE, *args], capture_output=True, text=True, check=False, **{"timeout": 120, **kw})


def refused(code, part, *args):
    """A call that fails with this code and says this, and prints no reading."""
    at, got = here(above=1), run(*args)
    check_at(at, got.returncode == code, f"{args}: exit {got.returncode}, want {code}: {got.stderr[:300]}")
    check_at(at, part in got.stderr, f"{args}: {part!r} is not in {got.stderr[:300]!r}")
    check_at(at, not got.stdout, f"{args}: fails but prints {got.stdout[:100]!r}")


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def done():
    """Print how many checks ran; the exit status."""
    print(f"{_made} checks, {_failed} failed")
    return 1 if _failed else 0
