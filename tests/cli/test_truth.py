#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every live event of Sandy Bridge-EP, Ivy Bridge-EP and Nehalem-EX: what a counter that has it for itself shows is what the machine knows.

usage: test_truth.py BOXSCORE FAMILY

An event of each box type at a time, so that none takes turns; then what was exact differs by nothing, and sums of which the
box shows the overflows only by less than what one is worth, twice for each box.
"""
import functools
import json
import sys

from checks import check, done, run as run_briefly

run = functools.partial(run_briefly, timeout=240)
FAMILY = sys.argv[2]
KERNEL = ["--kernel", "random:size=16M,count=3000,threads=3,writes=40,seed=3,node=1", "--dma", "read=2G"]
# They see the measuring itself (docs/guide/measuring.md), or registers of cores at the same address (docs/reference/errata.md).
APART = {"ubox.U2R_REQUESTS", "ubox.U2B_REQUEST_CYCLES", "ubox.RACU_REQUESTS", "pcu.CORES_IN_C3", "pcu.CORES_IN_C6"}
LEAST = {"snbep": (380, 180), "ivbep": (850, 340), "nhmex": (400, 260)}  # how many are live, and happen here
SUM_OF = 128  # the greatest worth of an overflow


def dump(kind):
    head, *rows = [line.split("\t") for line in run("dump", kind, "--family", FAMILY).stdout.splitlines()]
    return [dict(zip(head, r)) for r in rows]


def columns():
    """By box type: its subevents, and its events without any."""
    found, split = {}, set()
    for s in dump("subevents"):
        found.setdefault(s["box"], []).append(f"{s['box']}.{s['event']}.{s['subevent']}")
        split.add((s["box"], s["event"]))
    for e in dump("events"):
        if (e["box"], e["event"]) not in split:
            found.setdefault(e["box"], []).append(f"{e['box']}.{e['event']}")
    return found


def together(events):
    """Readings of these, less those that cannot be asked for so (a value that has to be given, no counter)."""
    while events:
        got = run("stat", "-M", f"{FAMILY},cores=4", "-j", "--truth", "-e", ",".join(events), *KERNEL)
        if got.returncode != 65:
            return [json.loads(line) for line in got.stdout.splitlines() if line.startswith("{")]
        left = [e for e in events if f'"{e}"' not in got.stderr and f"{e}:" not in got.stderr and f"{e} " not in got.stderr]
        events = left if len(left) < len(events) else events[1:]
    return []


def main():
    lists, live, above = columns(), set(), 0
    for i in range(max(map(len, lists.values()))):
        for r in together([events[i] for events in lists.values() if i < len(events)]):
            name = r["event"].split(":")[0]
            if "truth" not in r or any(name == a or name.startswith(a + ".") for a in APART):
                continue
            live.add(name)
            above += r["truth"] > 0
            if r["validity"] == "exact":
                check(r["difference"] == 0, f"{r['event']}: {r['value']}, it was {r['truth']}")
            else:
                check(abs(r["difference"]) <= 2 * 4 * SUM_OF, f"{r['event']}: {r['value']}, it was {r['truth']}: {r}")
    check(len(live) > LEAST[FAMILY][0], f"{len(live)} events and subevents")
    check(above > LEAST[FAMILY][1], f"{above} readings above 0")
    print(f"{len(live)} events and subevents, {above} readings above 0")
    return done()


if __name__ == "__main__":
    sys.exit(main())
