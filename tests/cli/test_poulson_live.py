#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is each event of the Itanium 9500's uncore that the machine drives raised by some scenario?

usage: test_poulson_live.py BOXSCORE SCENARIOS
"""
import json
import os
import sys

from checks import done, here
from laws import check, run

BOXES = ("cbox", "sbox", "bbox", "zbox", "wbox")
# Live subevents that no scenario shipped raises: add one to a scenario, and take it off this list.
QUIET = {
    "cbox.LLC_WRITES.MISS",             # a line is driven out while its core writes it back
    "sbox.NO_CREDIT_NCB",               # packets to devices wait for those before them, not for credits
    # Two messages of one Cbox have to meet: some do, whose depends on the lines.
    *(f"sbox.TO_R_{c}_MSGQ_CYCLES_FULL.CBOX{i}_{i + 4}" for c in ("NCB", "NCS") for i in range(4)),
}


def counts_nothing(name):
    last = name.rpartition(".")[2].rstrip("0123456789")
    return last in ("NONE", "ILLEGAL")


def truths(scenario):
    """Of all boxes in one run: what is true does not go by which counters had their turn."""
    got = run("run", scenario, "-e", ",".join(f"{box}.*" for box in BOXES), "--truth", "--multiplex", "-j")
    check(here(), got.returncode == 0, f"{scenario}: exit {got.returncode}: {got.stderr[:300]}")
    for text in got.stdout.splitlines():
        r = json.loads(text)
        if r["validity"] != "not-modelled" and "event" in r:
            yield r["event"], r["truth"]


def test_live(folder):
    """Each live subevent but QUIET is raised by a scenario; of the router, whose ports tell the same, see LAWS."""
    raised, live = set(), set()
    for name in ("poulson-coherence", "poulson-cells", "poulson-memory", "poulson-heat", "poulson-modules", "poulson-errors"):
        for event, truth in truths(os.path.join(folder, name + ".scenario")):
            live.add(event)
            if truth:
                raised.add(event)
    silent = {e for e in live - raised if not counts_nothing(e)}
    check(here(), len(live) > 500, f"{len(live)} live")
    check(here(), silent <= QUIET, f"live, and raised by no scenario: {sorted(silent - QUIET)}")


if __name__ == "__main__":
    test_live(sys.argv[2])
    sys.exit(done())
