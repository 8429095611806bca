#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A sampling session on an Itanium 9500: slow integer loads of one opcode into one array.

    sampling.py BOXSCORE

The data EAR captures loads of 64 cycles and more, by opcode and data address; its captures are counted, every 1000th
freezes and interrupts; software reads the capture, clears it and goes on.  A random stream of operations is told; the
samples and the interrupts must be those that follow from the stream.
"""
import random
import sys

from console import console

PERIOD, SAMPLES = 1000, 5
LOAD = 0x10800000000            # opcode bits that are compared, of 41
SETUP = f"""
thread 0 every=load dbr0=0x600000000000 dbr1=0x0ffffffffff00000
wrpmc 0 48 0x492
wrpmc 0 40 0x0208000fffffffff
wrpmc 0 41 {LOAD:#x}
wrpmc 0 50 0x00020000000000a0
wrpmc 0 34 0x4020f
wrpmd 0 5 {2**47 - PERIOD:#x}
wrpmc 0 5 0x9012f
"""


def eighths(boxscore):
    """Of the loads that come one by one about one in eight is captured, without favour in a loop of eight."""
    loads = 2400
    lines = [SETUP, "thread 0 every=eighth dbr0=0 dbr1=0x0f00000000000000", "wrpmc 0 40 0x20f01ffffffffff"]
    lines += ["wrpmc 0 34 0x0020f", f"wrpmd 0 5 {2**47 - 1:#x}"]
    for i in range(loads):
        lines += [f"dataref 0 type=load_int ip={0x4000 + 16 * (i % 8):#x} addr=0x40 latency=5", "advance core 9",
                  "rdpmc 0 0", "rdpmd 0 36", f"wrpmd 0 5 {2**47 - 1:#x}", "wrpmc 0 0 0"]
    done = console(boxscore, lines)
    got = done.stdout.splitlines()
    taken = [int(got[2 * i + 1], 16) for i in range(loads) if int(got[2 * i], 16) & 1]
    profile = [taken.count(0x4000 + 16 * k) for k in range(8)]
    if abs(len(taken) - loads / 8) > loads / 50 or min(profile) < loads / 64 * 0.6 or sum(profile) != len(taken):
        print(f"{len(taken)} of {loads} loads captured, by instruction {profile}")
        return 1
    return 0


def main(boxscore):
    rng = random.Random(9500)
    lines, want, taken = [SETUP], [], 0
    while len(want) < 4 * SAMPLES:
        kind = rng.choice(["load_int", "load_int", "load_int", "load_fp", "store_int"])
        opcode = rng.choice([LOAD, LOAD, LOAD, 0x0c000000000]) | rng.randrange(1 << 36)
        inside = rng.random() < 0.8
        address = (0x600000000000 if inside else 0x600000200000) + rng.randrange(1 << 20)
        latency = rng.choice([1, 12, 63, 64, 200, 9000])
        ip, slot = 0x4000000 + 16 * rng.randrange(64), rng.randrange(2)
        lines.append(f"dataref 0 type={kind} op={opcode:#x} addr={address:#x} latency={latency} ip={ip:#x} "
                     f"slot={slot} resp=24 tlb=ml")
        lines.append(f"advance core {max(latency, 8)}")
        if kind != "load_int" or opcode >> 36 != LOAD >> 36 or not inside or latency < 64:
            continue
        taken += 1
        if taken % PERIOD == PERIOD - 1:
            lines.append("pending")         # nothing yet
        if taken % PERIOD:
            continue
        over = 0x2000 if latency >> 13 else 0
        stat = 1 << 24 | 24 << 19 | 2 << 16 | 1 << 15 | over | latency & 0x1fff
        lines += ["pending", "rdpmd 0 34", "rdpmd 0 35", "rdpmd 0 36", "wrpmd 0 34 0",
                  f"wrpmd 0 5 {2**47 - PERIOD:#x}", "wrpmc 0 0 0"]
        want += ["interrupt thread 0 vector 0xd2", f"{stat:#x}", f"{address:#x}", f"{ip | slot:#x}"]
    done = console(boxscore, lines)
    got = done.stdout.splitlines()
    if got != want or done.returncode:
        for i in range(max(len(got), len(want))):
            have, right = got[i] if i < len(got) else None, want[i] if i < len(want) else None
            if have != right:
                print(f"line {i}: got {have}, want {right}")
                break
        return 1
    print(f"{taken} captures, {len(want) // 4} samples")
    return eighths(boxscore)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
