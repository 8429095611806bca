# SPDX-License-Identifier: BSD-2-Clause
"""What the tests over `boxscore dump` share: the dump as dictionaries, rows of what is found and what must be.

A test's row names its own line; all failures are reported.
"""
import collections
import os
import subprocess
import sys

ROWS = []


def dump(family, kind):
    """The rows of `boxscore dump KIND --family FAMILY` as dictionaries."""
    out = subprocess.run([sys.argv[1], "dump", kind, "--family", family], check=True,
                         capture_output=True, text=True).stdout.splitlines()
    header = out[0].split("\t")
    return [dict(zip(header, line.split("\t"))) for line in out[1:]]


def only(rows, **wanted):
    """The only one of rows with these values, or an empty one."""
    found = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return found[0] if len(found) == 1 else {}


class Catalogue:
    """All kinds of a family's dump, and the questions that spot checks ask of them."""

    def __init__(self, family, *kinds):
        self.rows = {kind: dump(family, kind) for kind in kinds}

    def __getitem__(self, kind):
        return self.rows[kind]

    def by_box(self, kind):
        return dict(collections.Counter(r["box"] for r in self.rows[kind]))

    def one(self, kind, **wanted):
        return only(self.rows[kind], **wanted)

    def reg(self, name, column="address"):
        return self.one("registers", register=name).get(column)

    def bits(self, register, field):
        found = self.one("fields", register=register, field=field)
        return f"{found.get('hi')}:{found.get('lo')} {found.get('attr')}"

    def counters(self, box, event):
        return self.one("events", box=box, event=event).get("counters")

    def umask(self, box, event, name):
        return self.one("subevents", box=box, event=event, subevent=name).get("umask")


def row(got, want, line=None):
    """What is found and what must be, at the caller's line unless another is given."""
    ROWS.append((line or sys._getframe(1).f_lineno, got, want))


def finish():
    """Report every row that fails and end the test."""
    failures = 0
    for line, got, want in ROWS:
        if got != want:
            print(f"{os.path.basename(sys.argv[0])}:{line}: got {got!r}, want {want!r}")
            failures += 1
    print(f"{len(ROWS)} checks, {failures} failed")
    sys.exit(1 if failures else 0)
