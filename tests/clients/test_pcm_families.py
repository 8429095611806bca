#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Clients that know Sandy Bridge-EP, Ivy Bridge-EP, Nehalem-EX and Broadwell-EP, unmodified, on these machines: what they print against the machine's
own readings and against what follows from the kernel's instructions (`stream` with op=read takes six for each line).

usage: test_pcm_families.py BOXSCORE
"""
import json
import re
import sys

from steady import Steady, stay
from tools import Boxscore, check, check_that, done, table

READ = "stream:size=32M,op=read,prefetch=0"  # more than the last-level caches hold
COPY = "stream:size=32M,op=copy,prefetch=0"
# Light, so that the fifth of a second that PCM watches idle links for passes quickly, and enough time that its two digits say much.
FAR = "burst:size=64M,count=4000,time=2000000,prefetch=0,passes=1000000,node=1"
PER_LINE = 6  # instructions
LINE = 64


class Machine:
    """Clients on one machine."""

    def __init__(self, b, spec):
        self.b, self.spec = b, spec

    def small(self):
        """The same with caches that a copy soon fills with what it has written."""
        return Machine(self.b, self.spec + ",llc_ways=2")

    def run(self, load, *command):
        return self.b.client(["-M", self.spec, "--load", load], command) or ""

    def likwid(self, load, *command):
        """LIKWID's sleeps, half a second to learn the clock, are the world's."""
        return self.b.client(["-M", self.spec, "--load", load], command, machine_time=False) or ""

    def counts(self, seconds, group, load, *more):
        """Raw counts of LIKWID, of the first cores of both sockets: {(event, counter): [n, n]}."""
        out = self.likwid(load, "likwid-perfctr", "-O", "-C", "0,2", *more, "-g", group, *stay(seconds))
        found = {}
        for line in out.splitlines():
            cells = line.split(",")
            if len(cells) >= 4 and re.fullmatch(r"[A-Z]+[0-9A-Z]*(C\d+|FIX|\d)(:.*)?", cells[1]) and "STAT" not in cells[0]:
                found[cells[0], cells[1]] = [0 if c == "-" else float(c) for c in cells[2:4]]
        check_that(f"{self.spec}: {group} prints counts", found, out)
        return found

    def truth(self, kernel, event):
        """Bytes a second, in millions, of an event that moves a line: {(socket, box): rate}."""
        got = self.b.run(["stat", "-M", self.spec, "--kernel", kernel, "-j", "-A", "-e", event])
        check("stat", got.returncode, 0)
        rows = [json.loads(line) for line in got.stdout.splitlines() if line.startswith("{")]
        return {(r["socket"], r["box"]): r["value"] * LINE / r["time_ns"] * 1000 for r in rows}


def total(counts, *events, thread=None):
    return sum(v[t] for (event, _), v in counts.items() if event in events
               for t in ((0, 1) if thread is None else (thread,)))


def lines_of(counts):
    n = total(counts, "INSTR_RETIRED_ANY") / PER_LINE
    check_that("instructions retire", n > 5000, counts)
    return n


def topology(m, kind, caches):
    out = m.likwid(READ, "likwid-topology")
    fields = dict(re.findall(r"^([A-Z][A-Za-z ]+):\s+(.*)$", out, re.M))
    check("type", fields.get("CPU type"), kind)
    check("shape", [fields.get(k) for k in ("Sockets", "Cores per socket", "Threads per core", "NUMA domains")],
          ["2", "2", "2", "2"])
    check("sockets", re.findall(r"^Socket \d:\s+(.*)$", out, re.M), ["( 0 4 1 5 )", "( 2 6 3 7 )"])
    check("caches", re.findall(r"^Size:\s+(.*)$", out, re.M), caches)


def pcm_memory(s, m, channels):
    kernel = "stream:size=16M,op=read,threads=2,step=2"
    want = m.truth(kernel, "imc.CAS_COUNT.RD")
    text = m.run(kernel + ",passes=1000000", "pcm-memory", str(8 * s.window), "-i=1", "-csv")
    got = table(text)
    for socket in (0, 1):
        for channel in channels:
            s.near(f"pcm-memory, reads of socket {socket} channel {channel}",
                   float(got[f"SKT{socket}", f"Ch{channel}Read"]), want[socket, f"imc{channel}"])
            s.few("pcm-memory, writes", float(got[f"SKT{socket}", f"Ch{channel}Write"]), want[socket, f"imc{channel}"])
    s.near("pcm-memory, system", float(got["System", "Read"]), sum(want.values()))


def snbep_pcm_memory(s, m):
    pcm_memory(s, m, range(4))


def bdx_pcm_memory(s, m):
    """Two controllers with two channels each."""
    pcm_memory(s, m, (0, 1, 4, 5))


def ivbep_pcm_memory(s, m):
    """The default part has two controllers with two channels each, too."""
    pcm_memory(s, m, (0, 1, 4, 5))


def ivbep_likwid(s, m):
    n = m.counts(s.window, "MEM", READ)
    s.near("MEM reads", total(n, "CAS_COUNT_RD"), lines_of(n))
    s.few("MEM of the other socket", total(n, "CAS_COUNT_RD", thread=1), lines_of(n))
    # Opcode 0x182, a read of data, goes into the second filter.
    events = "REQUESTS_READS:BBOX0C0,REQUESTS_READS:BBOX1C0,TOR_INSERTS_MISS_OPCODE:CBOX0C0:OPCODE=0x182," \
             "TOR_INSERTS_MISS_OPCODE:CBOX1C0:OPCODE=0x182,TOR_INSERTS_MISS_ALL:CBOX0C1,TOR_INSERTS_MISS_ALL:CBOX1C1"
    n = m.counts(s.window, events, READ)
    s.near("reads at the home agents", total(n, "REQUESTS_READS"), lines_of(n))
    s.near("misses of the slices", total(n, "TOR_INSERTS_MISS_ALL"), lines_of(n))
    s.near("those of reads, and of prefetches", total(n, "TOR_INSERTS_MISS_OPCODE"), lines_of(n))


def bdx_likwid(s, m):
    n = m.counts(s.window, "MEM", READ)
    s.near("MEM reads", total(n, "CAS_COUNT_RD"), lines_of(n))
    s.few("MEM of the other socket", total(n, "CAS_COUNT_RD", thread=1), lines_of(n))
    n = m.counts(s.window, "REQUESTS_READS:BBOX0C0,REQUESTS_READS:BBOX1C0,LLC_VICTIMS_M:CBOX0C0", READ)
    s.near("reads at the home agents", total(n, "REQUESTS_READS"), lines_of(n))


def snbep_likwid(s, m):
    n = m.counts(s.window, "MEM", READ)
    s.near("MEM reads", total(n, "CAS_COUNT_RD"), lines_of(n))
    s.few("MEM writes", total(n, "CAS_COUNT_WR"), lines_of(n))
    s.few("MEM of the other socket", total(n, "CAS_COUNT_RD", thread=1), lines_of(n))
    n = m.small().counts(s.window, "MEM", COPY, "-M", "0")
    s.near("MEM of a copy: half as many writes", 2 * total(n, "CAS_COUNT_WR"), total(n, "CAS_COUNT_RD"))
    n = m.counts(s.window, "NUMA", READ + ",node=1")
    s.near("NUMA", total(n, "OFFCORE_RESPONSE_1_REMOTE_DRAM"), lines_of(n))
    s.few("NUMA, local", total(n, "OFFCORE_RESPONSE_0_LOCAL_DRAM"), lines_of(n))
    n = m.counts(s.window, "L3", READ)
    s.near("L3", total(n, "L2_LINES_IN_ALL"), lines_of(n))
    # Its group QPI leaves out bit 21 of the flit events (docs/guide/likwid.md); each line comes past the home agent's help.
    n = m.counts(s.window, "QPI", READ + ",node=1")
    s.near("QPI, direct to core", total(n, "DIRECT2CORE_SUCCESS", thread=0), lines_of(n))
    check("QPI, what bit 21 would select", total(n, "RXL_FLITS_G1_DRS_DATA"), 0)


def snbep_pcm(s, m):
    text = m.run(FAR, "pcm", str(40 * s.window), "-i=1", "-csv")
    got = table(text)
    misses = float(got["Socket 0", "L3MISS"])  # millions, two digits
    s.near("pcm, data in", float(got["System", "TotalQPIin"]), misses * LINE, 3 + 1 / misses)
    s.few("pcm, data into the socket that owns the memory", float(got["SKT1dataIn", "QPI0"]), misses * LINE)


def nhmex_likwid(s, m):
    for mode in ([], ["-M", "0"]):
        n = m.small().counts(s.window, "MEM", COPY, *mode)
        # Three instructions a line; the group's read event is at the place where the next family has it (docs/guide/likwid.md).
        lines = total(n, "INSTR_RETIRED_ANY") / 3
        s.near("MEM: a copy writes every other line", 2 * total(n, "DRAM_CMD_CAS_WR_OPN"), lines)
        check("MEM: reads, at the other family's place", total(n, "FVC_EV0_BBOX_CMDS_READS"), 0)
        s.near("the uncore's clock of both sockets", n["UNCORE_CLOCK", "WBOXFIX"][0], n["UNCORE_CLOCK", "WBOXFIX"][1])
        # 2666.7 MHz beside a core at 2266
        s.near("the uncore's clock", n["UNCORE_CLOCK", "WBOXFIX"][0], total(n, "CPU_CLK_UNHALTED_CORE") * 2666.7 / 2266)
    n = m.counts(s.window, "IMT_INSERTS_RD:BBOX0C1,IMT_INSERTS_RD:BBOX1C1,DRAM_CMD_CAS_RD_OPN:MBOX0C0,"
                           "DRAM_CMD_CAS_RD_OPN:MBOX1C0", READ)
    s.near("reads at the B-Boxes", total(n, "IMT_INSERTS_RD"), lines_of(n))
    s.near("reads at the M-Boxes", total(n, "DRAM_CMD_CAS_RD_OPN"), lines_of(n))
    s.few("reads of the other socket", total(n, "IMT_INSERTS_RD", thread=1), lines_of(n))
    n = m.counts(s.window, "L3CACHE", READ)
    s.near("L3CACHE misses", total(n, "LLC_MISSES_ALL"), lines_of(n))
    s.few("L3CACHE hits", total(n, "LLC_HITS_ALL"), lines_of(n))
    n = m.counts(s.window, "L1D_REPL:PMC0,L2_LINES_IN_ANY:PMC1,L2_RQSTS_MISS:PMC2", READ)
    for event in ("L1D_REPL", "L2_LINES_IN_ANY", "L2_RQSTS_MISS"):
        s.near(event, total(n, event), lines_of(n))
    n = m.counts(s.window, "NEW_PACKETS_RECV_PORT0_IPERF0_ANY_DRS:RBOX0C0,NEW_PACKETS_RECV_PORT1_IPERF0_ANY_DRS:RBOX0C1,"
                           "NEW_PACKETS_RECV_PORT4_IPERF0_ANY_DRS:RBOX1C0,TO_R_B_REQUESTS_ALL:SBOX0C0,"
                           "TO_R_B_REQUESTS_ALL:SBOX1C0", READ + ",node=1")
    drs = [f"NEW_PACKETS_RECV_PORT{p}_IPERF0_ANY_DRS" for p in (0, 1, 4)]
    s.near("lines over the links", total(n, *drs, thread=0), lines_of(n))
    s.few("lines the other way", total(n, *drs, thread=1), lines_of(n))
    s.near("requests at the S-Boxes", total(n, "TO_R_B_REQUESTS_ALL", thread=0), lines_of(n))


def nhmex_pcm(s, m):
    text = m.run(FAR, "pcm", str(40 * s.window), "-i=1", "-csv")
    got = table(text)
    misses = float(got["Socket 0", "L3MISS"])
    s.near("pcm, data in", float(got["System", "TotalQPIin"]), misses * LINE, 3 + 1 / misses)
    s.that("pcm, one link leads to the I/O hub", float(got["SKT0dataIn", "QPI3"]) == 0 < float(got["SKT0dataIn", "QPI2"]))
    # In GB, two digits.
    read = float(got["Socket 1", "READ"])
    s.that(f"pcm, read {read} GB for {misses} M misses", abs(read - misses * LINE / 1000) <= 0.006 + 0.03 * read)
    check("pcm, the other socket's memory", float(got["Socket 0", "READ"]), 0)
    s.that("pcm, hits and misses of the L3", float(got["Socket 0", "L2MISS"]) >= misses)


def nhmex_refusals(b):
    """pcm-memory has no Nehalem-EX; it says so and points to pcm."""
    got = b.run(["with", "-M", "nhmex,cores=2", "--", "pcm-memory", "1", "-i=1"])
    check_that("pcm-memory says what it does not know", "Unsupported processor model (2e)" in got.stdout + got.stderr)


def main(argv):
    b = Boxscore(argv[1], "likwid-perfctr", "likwid-topology", "pcm", "pcm-memory")
    snbep, nhmex = Machine(b, "snbep,cores=2"), Machine(b, "nhmex,cores=2")
    topology(snbep, "Intel Xeon SandyBridge EN/EP processor", ["32 kB", "256 kB", "5 MB"])
    bdx = Machine(b, "bdx,cores=2")
    topology(bdx, "Intel Xeon Broadwell EN/EP/EX processor", ["32 kB", "256 kB", "5 MB"])
    ivbep = Machine(b, "ivbep,cores=2")
    topology(ivbep, "Intel Xeon IvyBridge EN/EP/EX processor", ["32 kB", "256 kB", "5 MB"])
    topology(nhmex, "Intel Nehalem EX processor", ["32 kB", "256 kB", "6 MB"])
    for scenario, machine in ((snbep_pcm_memory, snbep), (snbep_likwid, snbep), (snbep_pcm, snbep), (nhmex_likwid, nhmex),
                              (nhmex_pcm, nhmex), (bdx_pcm_memory, bdx), (bdx_likwid, bdx), (ivbep_pcm_memory, ivbep),
                              (ivbep_likwid, ivbep)):
        Steady().run(scenario, machine)
    nhmex_refusals(b)
    done()


if __name__ == "__main__":
    main(sys.argv)
