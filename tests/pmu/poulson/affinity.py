#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every event of the Itanium 9500's core on every counter: it counts where its affinity says, and nowhere else.

    affinity.py BOXSCORE CORE.BOX
"""
import re
import sys

from console import console

COUNTERS = range(4, 20)
CYCLES = {0x002, 0x003, 0x004, 0x874, 0x875}     # stand by themselves


def main(boxscore, box):
    with open(box, encoding="utf-8") as src:
        events = re.findall(r"^event (\S+) (0x\w+) ctr (0x\w+)", src.read(), re.M)
    lines, want = [], []
    for name, code, mask in events:
        code, mask = int(code, 16), int(mask, 16)
        if code in CYCLES:
            continue
        for i in COUNTERS:
            lines += [f"wrpmd 0 {i} 0", f"wrpmc 0 {i} {code >> 4 << 8 | (code & 15) << 16 | 15:#x}"]
        lines += [f"pulse core0 {name} 3", "advance core 1"]
        for i in COUNTERS:
            lines.append(f"rdpmd 0 {i}")
            want.append((name, i, "0x3" if mask >> i & 1 else "0x0"))
    done = console(boxscore, lines)
    got = done.stdout.splitlines()
    failures = int(done.returncode != 0 or len(got) != len(want))
    for have, (name, i, right) in zip(got, want):
        if have != right:
            print(f"{name} on PMC{i}: got {have}, want {right}")
            failures += 1
    print(f"{len(want)} checks, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
