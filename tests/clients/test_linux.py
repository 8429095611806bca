#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the driver behind Linux's perf does to the registers.  perf itself asks its kernel, which runs on another processor; so
this client makes the driver's writes in the driver's order, for each kind of box, and counts.

usage: test_linux.py BOXSCORE
"""
import os
import sys
import tempfile
import time

from accesses import Accesses
from steady import Steady
from tools import Boxscore, check, done

MACHINE = "hsx,sockets=1,cores=4"
FREEZE, ENABLE = 1 << 8, 1 << 22
INIT = 0x10003
CHANNELS = ("ff/14.0", "ff/14.1", "ff/17.0", "ff/17.1")
AGENTS = ("ff/12.1", "ff/12.5")


class Msrs:
    """A box of MSRs; box_ctl 0: it has none."""

    def __init__(self, box_ctl, ctl, ctr, width, first=(), steps=(INIT,)):
        self.fd = os.open("/dev/cpu/0/msr", os.O_RDWR)
        self.box_ctl, self.ctl, self.ctr, self.width, self.first, self.steps = box_ctl, ctl, ctr, width, first, steps

    def read(self, register):
        return int.from_bytes(os.pread(self.fd, 8, register), "little")

    def write(self, register, value):
        os.pwrite(self.fd, value.to_bytes(8, "little"), register)

    def count(self):
        return self.read(self.ctr)


class Function(Msrs):
    """A PCI function: dwords, counters low half first."""

    def __init__(self, place, ctl=0xd8, ctr=0xa0, width=48):
        super().__init__(0xf4, ctl, ctr, width)
        self.fd = os.open(f"/proc/bus/pci/{place}", os.O_RDWR)

    def read(self, register):
        return int.from_bytes(os.pread(self.fd, 4, register), "little")

    def write(self, register, value):
        os.pwrite(self.fd, value.to_bytes(4, "little"), register)

    def count(self):
        return self.read(self.ctr) | self.read(self.ctr + 4) << 32


def boxes():
    """(name, box, the event's code and umask as perf's config)"""
    for c in range(4):
        base = 0xe00 + 0x10 * c
        yield "cbo", Msrs(base, base + 1, base + 8, 48, first=((base + 5, 0xfe0000), (base + 6, 0))), 0x0334
    for place in CHANNELS:
        yield "imc", Function(place), 0x0304
    for place in AGENTS:
        yield "ha", Function(place), 0x0301
    yield "dclk", Function(CHANNELS[0], ctl=0xf0, ctr=0xd0), 0
    yield "ubox", Msrs(0, 0x703, 0x704, 48), 0
    yield "sbo", Msrs(0x720, 0x721, 0x726, 44, steps=(0x1, 0x3, INIT)), 0
    yield "pcu", Msrs(0x710, 0x711, 0x717, 48), 0


def inside(seconds):
    """Under the machine: prints a box's name, its control's place and its count, a line each."""
    found = list(boxes())
    for _, box, _ in found:
        for value in box.steps if box.box_ctl else ():
            box.write(box.box_ctl, value)
    for name, box, config in found:
        if box.box_ctl:
            box.write(box.box_ctl, box.read(box.box_ctl) | FREEZE)
        box.start = box.count()
        for register, value in box.first:
            box.write(register, value)
        box.write(box.ctl, config | ENABLE)
        if box.box_ctl:
            box.write(box.box_ctl, box.read(box.box_ctl) & ~FREEZE)
    time.sleep(seconds)
    for name, box, config in found:
        if box.box_ctl:
            box.write(box.box_ctl, box.read(box.box_ctl) | FREEZE)
        box.write(box.ctl, config)
        print(name, box.count() - box.start & (1 << box.width) - 1)


def counts(s, b):
    with tempfile.NamedTemporaryFile(prefix="bxs-linux") as log:
        out = b.client(["-M", MACHINE, "--load", "stream:size=32M,op=read,prefetch=0", "--log", log.name],
                       [sys.executable, os.path.abspath(__file__), "--inside", str(s.window)]) or ""
        accesses = Accesses(log.name)
    controls = [("0", hex(0xe01 + 0x10 * c)) for c in range(4)]
    controls += [(place.replace("/", ":"), "0xd8") for place in CHANNELS + AGENTS]
    controls += [("ff:14.0", "0xf0"), ("0", "0x703"), ("0", "0x721"), ("0", "0x711")]
    rates = {}
    for line, control in zip(out.splitlines(), controls):
        name, count = line.split()
        ran = accesses.running(*control, lambda v: v & ENABLE)
        rates[name] = rates.get(name, 0) + int(count) / ran
    check("boxes", sorted(rates), ["cbo", "dclk", "ha", "imc", "pcu", "sbo", "ubox"])
    s.that("the load ran", rates["imc"] > 1e7, rates)
    # Each line that is read is a look-up, a request of the home agent and a read of a channel.
    for name, want in (("cbo", rates["imc"]), ("ha", rates["imc"]), ("dclk", 1.0665e9), ("ubox", 2.3e9), ("sbo", 2.3e9),
                       ("pcu", 0.8e9)):
        s.near(f"{name} in a second", rates[name], want)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(float(sys.argv[2]))
    else:
        Steady().run(counts, Boxscore(sys.argv[1]))
        done()
