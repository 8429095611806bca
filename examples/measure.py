#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measuring from Python: the steps of access.c, a trace, the catalogue.

usage: measure.py FILE   (the trace that it writes)
"""
import sys

import boxscore
from boxscore import AccessKind, TraceKind, TraceRecord

LINES, LINE, ARRAY = 1000, 64, 0x10000000


def go_over(machine, session, what, core, kind):
    """One step: a core goes over all lines, four instructions a line.  Then all counters are read."""
    for i in range(LINES):
        machine.access(core, ARRAY + i * LINE, kind, instructions=4)
    machine.idle(core)
    session.read()
    print(f"{what}:", *(f"{r.name}={r.value:.0f} {boxscore.Validity(r.validity).name.lower()}" for r in session.each()))
    session.next()


def accesses():
    with boxscore.Machine("hsx,sockets=1") as machine, boxscore.Session(machine) as session:
        machine.prefetchers(False)
        session.own()
        session.add("cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.RD")
        session.start()
        go_over(machine, session, "core 0 loads", 0, AccessKind.LOAD)
        go_over(machine, session, "core 0 loads again", 0, AccessKind.LOAD)
        go_over(machine, session, "core 1 loads", 1, AccessKind.LOAD)
        session.stop()


def trace(path):
    with boxscore.TraceWriter(path, "hsx,sockets=1") as writer:
        for i in range(LINES):
            writer.write(TraceRecord(TraceKind.DRD, line=ARRAY // LINE + i, instructions=4, l1_misses=1))
    with boxscore.TraceReader(path) as reader:
        records = list(reader)
    print(f"{reader.spec}, {reader.cores} cores: {len(records)} records, the last of line {records[-1].line:#x}")
    with boxscore.Machine(reader.spec) as machine, boxscore.Session(machine) as session:
        session.add("imc.CAS_COUNT.RD")
        session.trace(path)
        session.start()
        session.run()
        session.stop()
        print(f"replayed: {session.each()[0].value:.0f} reads of memory")


def main():
    events = [e for e in boxscore.each_event("hsx") if e.box == "imc"]
    print("the memory controller's events:", *(e.name for e in events[:3]), "...")
    accesses()
    trace(sys.argv[1])
    try:
        boxscore.Machine("hsy")
    except boxscore.NotFound as e:
        print(f"no such machine: {e}")


if __name__ == "__main__":
    main()
