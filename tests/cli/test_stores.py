#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What stores of a program become: repeated string instructions and streaming stores, whole lines and parts, counted by hand.

usage: test_stores.py BOXSCORE STORES
"""
import functools
import json
import shutil
import sys

from checks import check, check_at, done, here, run

STORES = sys.argv[2]
MACHINE = "hsx,cores=2,sockets=1"
OPCODES = ["ItoM", "RFO", "DRd", "CRd", "WCiLF", "WCiL", "WbMtoI"]
BESIDE = ["ha.REQUESTS.INVITOE_LOCAL", "ha.REQUESTS.READS", "imc.CAS_COUNT.RD", "ha.IMC_WRITES.FULL",
          "ha.IMC_WRITES.PARTIAL"]


@functools.cache
def stat(opcode, how, offset, count, sweep):
    """Readings of the run, by event; the arguments are of one length, since they lie in memory too."""
    event = f"cbo.TOR_INSERTS.OPCODE:opc={opcode}"
    got = run("stat", "-M", MACHINE, "-j", "-e", ",".join([event, *BESIDE]), "--", STORES, how,
              *(f"{n:08}" for n in (offset, count, sweep)))
    rows = [json.loads(line) for line in got.stderr.splitlines() if line.startswith("{")]
    values = {r["event"].partition(":opc=")[2] or r["event"]: r["value"] for r in rows}
    return values if got.returncode == 0 and len(values) == 1 + len(BESIDE) else got.stderr


def added(opcode, how, offset, count, sweep):
    """What comes on top of a run that stores nothing."""
    with_it, without = stat(opcode, how, offset, count, sweep), stat(opcode, how, 0, 0, sweep)
    if isinstance(with_it, str) or isinstance(without, str):
        return f"{with_it} {without}"
    return {k: v - without[k] for k, v in with_it.items()}


def row(how, offset, count, reads=None, owned=None, **opcodes):
    """reads: of memory by the channels, if not one for each RFO and DRd; owned: lines, if not one for each other opcode."""
    return here(above=1), how, offset, count, reads, owned, opcodes


#
# Where an RFO misses, its neighbour in 128 bytes is fetched as well (the pair prefetcher); fills fetch nothing beside them.
#
ROWS = [
    # n bytes or words from the start of a page: whole lines.
    row("b", 0, 64, ItoM=1),
    row("b", 0, 100 * 64, ItoM=100),
    row("w", 0, 100 * 32, ItoM=100),
    row("d", 0, 100 * 16, ItoM=100),
    row("q", 0, 100 * 8, ItoM=100),
    # Half a line is not filled: it comes with its neighbour.
    row("b", 0, 32, RFO=2),
    row("b", 32, 32, RFO=2),
    row("q", 0, 4, RFO=2),
    row("b", 0, 63, RFO=2),
    # Line 0 lacks its first byte, and brings line 1; line 100 gets one byte, and brings 101.
    row("b", 1, 100 * 64, ItoM=98, RFO=4),
    # Line 1 brings 0; line 101 gets one byte, and has 100 beside it.
    row("b", 65, 100 * 64, ItoM=99, RFO=3),
    # One byte short: line 99 is not filled, and has 98 beside it.
    row("b", 0, 100 * 64 - 1, ItoM=99, RFO=1),
    # Words across lines: from byte 4 of line 1 to byte 4 of line 101.
    row("q", 68, 100 * 8, ItoM=99, RFO=3),
    # Two words, of which the second ends line 1; line 2 gets none.
    row("q", 64 + 48, 2, RFO=2),
    # Copies of a page read that page; the source's prefetchers stay in it.
    row("c", 0, 4096, ItoM=64, DRd=64),
    row("m", 0, 512, ItoM=64, DRd=64),
    # Downwards lines are read, each once, in a page of their own.
    row("D", 0, 4096, RFO=64),
    # A count that ecx holds is not looked at.
    row("e", 0, 4096, RFO=64),
    # Two instructions for each line: the first one fills none.
    row("h", 0, 2 * 64, RFO=64, DRd=2),
    # To 8 bytes behind what is read: reading begins line 0, which brings 1, and storing all others.
    row("o", 0, 4096 - 8, DRd=2, RFO=62),
    # To a line behind it: they are filled.
    row("O", 0, 4096 - 64, DRd=2, ItoM=62),
    # Lines that the core has are written where they are.
    row("l", 0, 4096, DRd=64),
    # Past the caches: 8 or 16 bytes at a time make whole lines; 8 of each line are a part.
    row("i", 0, 100 * 8, reads=0, WCiLF=100),
    row("x", 0, 100 * 4, reads=0, WCiLF=100),
    row("p", 0, 100, reads=100, WCiL=100),
    # Masked, half of each 16 bytes: parts, of which all but the last ten are pushed out by later ones.
    row("y", 0, 100 * 4, reads=100, WCiL=100),
    row("i", 32, 100 * 8, reads=2, WCiLF=99, WCiL=2),
    # What has gathered does not wait for the rest past a fence or a locked instruction.  The channel merges the parts.
    row("s", 0, 100, reads=100, WCiL=200),
    row("f", 0, 100, reads=100, WCiL=200),
    # A locked line takes so long that the channel, once it has been refreshed, writes a part before the next one comes.
    row("k", 0, 5, reads=7, WCiL=10, RFO=2),
    # Nor past a load of the line, whose data the channel has from the write that waits; the second part finds the line
    # in the slice.
    row("v", 0, 1, reads=2, owned=1, WCiL=2, DRd=2),
]

# Under masks (AVX, AVX2), once in each of ten pages.
MASKED = [
    # The first 8 of 32 bytes that reach from line 1 into line 2: line 1 brings 0.
    row("L", 112, 10, DRd=20),
    # The last 16 of them: line 2 brings 3.
    row("U", 112, 10, RFO=20),
    row("S", 112, 10, RFO=20),
    # An element in line 16, which brings 17, and none in line 0.
    row("g", 0, 10, DRd=20),
]


def test_row(at, how, offset, count, reads, owned, opcodes):
    got = {}
    for opcode in OPCODES:
        more = added(opcode, how, offset, count, 0)
        if isinstance(more, str):
            check_at(at, False, more)
            return
        got.update(more)
    streams = opcodes.get("WCiLF", 0), opcodes.get("WCiL", 0)
    lines = opcodes.get("RFO", 0) + opcodes.get("DRd", 0)
    code = got["CRd"]       # a loop that is not gone through is not fetched
    want = dict.fromkeys(OPCODES, 0) | opcodes | {
        "CRd": code, "ha.REQUESTS.INVITOE_LOCAL": opcodes.get("ItoM", 0) + sum(streams) if owned is None else owned,
        "ha.REQUESTS.READS": lines + code, "imc.CAS_COUNT.RD": (lines if reads is None else reads) + code,
        "ha.IMC_WRITES.FULL": streams[0], "ha.IMC_WRITES.PARTIAL": streams[1]}
    check_at(at, got == want, f"{how} {offset} {count}: " + ", ".join(
        f"{k} {got[k]} instead of {want[k]}" for k in want if got[k] != want[k]))


def test_write_backs():
    """What was filled goes to memory when 18 MB have been read behind it, once, through a cache of 5 MB."""
    more = added("WbMtoI", "b", 0, 6400, 300000)
    for name in ("WbMtoI", "ha.IMC_WRITES.FULL"):
        check(more[name] == 100, f"{name}: {more}")


def main():
    if not shutil.which("qemu-x86_64"):
        return 77
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        rows = ROWS + MASKED if " avx2 " in f.read() else ROWS
    for r in rows:
        test_row(*r)
    test_write_backs()
    return done()


sys.exit(main())
