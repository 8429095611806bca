#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What flushes and prefetches of a program become, counted by hand.

usage: test_lines.py BOXSCORE LINES
"""
import functools
import json
import shutil
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check_at, done, here, run  # pylint: disable=wrong-import-position

LINES = sys.argv[2]
QEMU = shutil.which("qemu-x86_64")
OPCODES = ["DRd", "RFO", "WbMtoI"]
BESIDE = ["cbo.LLC_LOOKUP.ANY", "ha.REQUESTS.INVITOE_LOCAL", "ha.IMC_WRITES.FULL"]
COUNT = 200


@functools.cache
def stat(emulator, opcode, how, count):
    """Readings of the run, by event; the arguments are of one length, since they lie in memory too."""
    event = f"cbo.TOR_INSERTS.OPCODE:opc={opcode}"
    chosen = ("--qemu", emulator) if emulator else ()
    got = run("stat", "-M", "hsx,cores=2,sockets=1", *chosen, "-j", "-e", ",".join([event, *BESIDE]), "--", LINES,
              f"{how:>4}", f"{count:08}")
    rows = [json.loads(line) for line in got.stderr.splitlines() if line.startswith("{")]
    values = {r["event"].partition(":opc=")[2] or r["event"]: r["value"] for r in rows}
    return values if got.returncode == 0 and len(values) == 1 + len(BESIDE) else got.stderr


def added(emulator, how):
    """What comes on top of a run that does nothing; code that it alone fetches is taken off."""
    got = {}
    for opcode in (*OPCODES, "CRd"):
        with_it, without = stat(emulator, opcode, how, COUNT), stat(emulator, opcode, how, 0)
        if isinstance(with_it, str) or isinstance(without, str):
            return f"{with_it} {without}"
        got |= {k: v - without[k] for k, v in with_it.items()}
    got["cbo.LLC_LOOKUP.ANY"] -= got["CRd"]
    del got["CRd"]
    return got


def row(how, lookups, flushes=0, written=0, unheard=False, **opcodes):
    """Of each line: how often the slice is asked, flushes, lines written to memory, requests by opcode.

    unheard: QEMU does not tell of it."""
    return here(above=1), how, lookups, flushes, written, unheard, opcodes


#
# Where a read or store misses, its neighbour in 128 bytes is fetched as well (the pair prefetcher).
#
ROWS = [
    row("s", 2, RFO=2),
    # Written once, flushed once: each line is written to memory, its neighbour stays.
    row("sf", 4, flushes=1, written=1, RFO=2, WbMtoI=1, unheard=True),
    # There is nothing to write a second time, and what was flushed is read again.
    row("sff", 5, flushes=2, written=1, RFO=2, WbMtoI=1, unheard=True),
    row("sfl", 5, flushes=1, written=1, RFO=2, WbMtoI=1, DRd=1, unheard=True),
    row("w", 5, flushes=1, written=1, RFO=2, WbMtoI=1, DRd=1, unheard=True),
    row("lfl", 4, flushes=1, DRd=3, unheard=True),
    # The slice takes what it still has from the core that flushes, which must not lose what it has loaded since.
    row("l" + 3 * "ffffffffffl" + "l", 35, flushes=30, DRd=5, unheard=True),
    # A load finds what was asked for ahead.
    row("0", 2, DRd=2),
    row("0l", 2, DRd=2),
    row("1l", 2, DRd=2),
    row("2l", 2, DRd=2),
    row("il", 2, DRd=2),
    row("i", 2, DRd=2, unheard=True),
    # What goes past L2 brings no neighbour.
    row("n", 1, DRd=1),
    row("nl", 1, DRd=1),
    # Stored to later: owned already.
    row("0s", 2, DRd=2),
    row("0sf", 4, flushes=1, written=1, DRd=2, WbMtoI=1, unheard=True),
    # Nothing at all.
    row("e", 0),
    row("x", 0),
]

NEWER = {"o": "clflushopt", "b": "clwb"}


def test_row(emulator, at, how, lookups, flushes, written, _, opcodes):
    got = added(emulator, how)
    if isinstance(got, str):
        check_at(at, False, got)
        return
    each = dict.fromkeys(OPCODES, 0) | opcodes | {
        "cbo.LLC_LOOKUP.ANY": lookups, "ha.REQUESTS.INVITOE_LOCAL": flushes, "ha.IMC_WRITES.FULL": written}
    want = {k: n * COUNT for k, n in each.items()}
    check_at(at, got == want, f"{emulator} {how}: " + ", ".join(
        f"{k} {got[k]} instead of {want[k]}" for k in want if got[k] != want[k]))


def main():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        can = f.read()
    for r in ROWS:
        test_row(None, *r)
        if QEMU and not r[5]:
            test_row(QEMU, *r)
    for how, name in NEWER.items():
        if f" {name} " in can:
            test_row(None, *row("s" + how, 4, flushes=1, written=1, RFO=2, WbMtoI=1))
    return done()


sys.exit(main())
