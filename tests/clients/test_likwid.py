#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""LIKWID on the machine, through its access daemon (its default) and directly: topology, power, and groups of
events whose truth follows from the instructions: the kernel `stream` with op=read takes six for each line.

usage: test_likwid.py BOXSCORE
"""
import re
import sys

from steady import Steady
from tools import Boxscore, check, check_that, done

MACHINE = "hsx,cores=4"
READ = "stream:size=32M,op=read,prefetch=0"  # more than the last-level cache holds
PER_LINE = 6  # instructions


class Likwid:
    def __init__(self, program):
        self.b = Boxscore(program, "likwid-perfctr", "likwid-topology", "likwid-powermeter")

    def perfctr(self, seconds, group, load, *more):
        """Raw counts of hardware threads 0 and 4 (the sockets' first cores): {(event, counter): [n, n]}."""
        out = self.b.client(["-M", MACHINE, "--load", load],
                            ["likwid-perfctr", "-O", "-C", "0,4", *more, "-g", group, "sleep", str(seconds)])
        counts = {}
        for line in (out or "").splitlines():
            cells = line.split(",")
            if len(cells) >= 4 and re.fullmatch(r"[A-Z]+[0-9A-Z]*(C\d+|FIX|\d)(:.*)?", cells[1]) and "STAT" not in cells[0]:
                counts[cells[0], cells[1]] = [0 if c == "-" else float(c) for c in cells[2:4]]
        check_that(f"{group} prints counts", counts, out)
        return counts


def total(counts, *events, thread=None):
    return sum(v[t] for (event, _), v in counts.items() if event in events
               for t in ((0, 1) if thread is None else (thread,)))


def topology(likwid):
    out = likwid.b.client(["-M", MACHINE], ["likwid-topology"]) or ""
    fields = dict(re.findall(r"^([A-Z][A-Za-z ]+):\s+(.*)$", out, re.M))
    check("name", fields.get("CPU name"), "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz")
    check("type", fields.get("CPU type"), "Intel Xeon Haswell EN/EP/EX processor")
    check("shape", [fields.get(k) for k in ("Sockets", "Cores per socket", "Threads per core", "NUMA domains")],
          ["2", "4", "2", "2"])
    check("sockets", re.findall(r"^Socket \d:\s+(.*)$", out, re.M), ["( 0 8 1 9 2 10 3 11 )", "( 4 12 5 13 6 14 7 15 )"])
    check("caches", re.findall(r"^Size:\s+(.*)$", out, re.M), ["32 kB", "256 kB", "10 MB"])


def power(likwid):
    out = likwid.b.client(["-M", MACHINE], ["likwid-powermeter", "-i"]) or ""
    for line in ("Base clock:\t2300.00 MHz", "Minimal clock:\t1200.00 MHz", "C0 3600.00 MHz", "C2 3400.00 MHz",
                 "Thermal Spec Power: 145 Watt", "Maximal Uncore frequency: 2300 MHz"):
        check_that(f"powermeter says {line!r}", line in out, out)
    out = likwid.b.client(["-M", MACHINE, "--load", READ], ["likwid-powermeter", "-s", "500ms"]) or ""
    package = [float(x) for x in re.findall(r"Domain PKG:\nEnergy consumed: (\S+) Joules", out)]
    check("two packages", len(package), 2)
    if len(package) == 2:
        check_that("the package that works takes more", package[0] > 2 * package[1] > 0, out)


def memory(s, likwid):
    for mode in ([], ["-M", "0"]):
        n = likwid.perfctr(s.window, "MEM", READ, *mode)
        lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
        check_that("instructions retire", lines > 10000, n)
        s.near("MEM reads", total(n, "CAS_COUNT_RD"), lines)
        s.few("MEM writes", total(n, "CAS_COUNT_WR"), lines)
        s.few("MEM of the other socket", total(n, "CAS_COUNT_RD", thread=1), lines)
    n = likwid.perfctr(s.window, "MEM", "stream:size=32M,op=copy,prefetch=0")
    s.near("MEM of a copy: half as many writes", 2 * total(n, "CAS_COUNT_WR"), total(n, "CAS_COUNT_RD"))
    n = likwid.perfctr(s.window, "HA", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("HA reads", total(n, "IMC_READS_NORMAL", "BYPASS_IMC_TAKEN"), lines)


def caches(s, likwid):
    n = likwid.perfctr(s.window, "CBOX", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("CBOX misses", total(n, "LLC_LOOKUP_ANY", thread=0), lines)
    s.near("CBOX of the other socket, which is snooped for each", total(n, "LLC_LOOKUP_ANY", thread=1), lines)
    s.few("CBOX dirty victims", total(n, "LLC_VICTIMS_M"), lines)
    n = likwid.perfctr(s.window, "L3", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("L3 lines in", total(n, "L2_LINES_IN_ALL"), lines)
    s.few("L3 lines out", total(n, "L2_TRANS_L2_WB"), lines)
    n = likwid.perfctr(s.window, "L3", "stream:size=32M,op=copy,prefetch=0")
    s.near("L3 of a copy: half go out", 2 * total(n, "L2_TRANS_L2_WB"), total(n, "L2_LINES_IN_ALL"))


def sockets(s, likwid):
    n = likwid.perfctr(s.window, "QPI", READ + ",node=1")
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    # Eight flits of data a line; request, snoop and the header of the data are three without.
    s.near("QPI data received", total(n, "RXL_FLITS_G0_DATA", thread=0), 8 * lines)
    s.near("QPI data sent by the other", total(n, "TXL_FLITS_G0_DATA", thread=1), 8 * lines)
    s.few("QPI data the other way", total(n, "TXL_FLITS_G0_DATA", thread=0), lines)
    s.near("QPI without data, both ways", total(n, "RXL_FLITS_G0_NON_DATA"), 3 * lines)
    for where, local in (("", True), (",node=1", False)):
        n = likwid.perfctr(s.window, "NUMA", READ + where)
        lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
        s.near("NUMA", total(n, "OFFCORE_RESPONSE_0_LOCAL_DRAM" if local else "OFFCORE_RESPONSE_1_REMOTE_DRAM"), lines)
        s.few("NUMA else", total(n, "OFFCORE_RESPONSE_1_REMOTE_DRAM" if local else "OFFCORE_RESPONSE_0_LOCAL_DRAM"), lines)


def clocks(s, likwid):
    n = likwid.perfctr(s.window, "CLOCK", READ)
    cycles = total(n, "CPU_CLK_UNHALTED_CORE", thread=0)
    s.near("the uncore's clock, of 2.3 GHz as well", n["UNCORE_CLOCK", "UBOXFIX"][0], cycles)
    s.near("the other socket's", n["UNCORE_CLOCK", "UBOXFIX"][1], n["UNCORE_CLOCK", "UBOXFIX"][0])
    # Its group SBOX asks for an event that its own list does not have for these boxes (docs/likwid.md).
    likwid.perfctr(s.window, "SBOX", READ)
    n = likwid.perfctr(s.window, "SBOX_CLOCKTICKS:SBOX0C0,SBOX_CLOCKTICKS:SBOX1C3,UNCORE_CLOCK:UBOXFIX", READ)
    for box in ("SBOX0C0", "SBOX1C3"):
        s.near("SBOX", n["SBOX_CLOCKTICKS", box][0], n["UNCORE_CLOCK", "UBOXFIX"][0])


def main(argv):
    likwid = Likwid(argv[1])
    topology(likwid)
    power(likwid)
    for scenario in (memory, caches, sockets, clocks):
        Steady().run(scenario, likwid)
    done()


if __name__ == "__main__":
    main(sys.argv)
