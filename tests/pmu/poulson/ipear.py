#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual's recipe (3.3.12.3) finds the instruction of every event that has IP-EAR parameters.

    ipear.py BOXSCORE CORE.BOX

An issue group retires in each cycle; one of them has the event. The counter overflows at it, the trace goes on for the
delay; then, from the newest entry back until the cycles make L + D, and forward P entries.
"""
import re
import sys

from console import console

DELAY, BEFORE, ENTRIES = 9, 30, 24
# Counted with every retirement: so many are before the one in question.
ALWAYS = {0x005, 0x006, 0x007, 0x008, 0x00d, 0x018}


def script(name, code, counter):
    preload = 2**47 - (BEFORE + 1 if code in ALWAYS else 1)
    lines = ["wrpmc 0 0 0", "wrpmd 0 37 0", f"wrpmd 0 {counter} {preload:#x}",
             f"wrpmc 0 38 {DELAY << 11 | 4 << 8 | 15:#x}",
             f"wrpmc 0 {counter} {code >> 4 << 8 | (code & 15) << 16 | 0x2f:#x}"]
    for i in range(BEFORE + 60):
        event = f" event={name}" if i == BEFORE and code not in ALWAYS else ""
        lines += [f"retire 0 ip={0x10000 + 16 * i:#x}{event}", "advance core 1"]
    lines += ["rdpmc 0 0", "rdpmd 0 37"]
    lines += [f"rdpmd 0 {64 + i}" for i in range(ENTRIES)] + [f"rdpmd 0 {128 + i}" for i in range(ENTRIES)]
    return lines + [f"wrpmc 0 {counter} 0"]


def attribute(words, late, stages):
    """The IP by the recipe; None: past the ends."""
    index = words[1] & 31
    order = [(index + i) % ENTRIES for i in range(ENTRIES)]
    entries = [(words[2 + i], words[2 + ENTRIES + i] & 0x1fff) for i in order]
    at, total = len(entries) - 1, entries[-1][1]
    while total < late + DELAY:
        at -= 1
        if at < 0:
            return None
        total += entries[at][1]
    at += stages - 1            # the entry at which the sum is reached retired after those cycles began
    return entries[at][0] if 0 <= at < len(entries) else None


def main(boxscore, box):
    with open(box, encoding="utf-8") as src:
        events = re.findall(r"^event (\S+) (0x\w+) ctr (0x\w+) .*ipear_l=(-?\d+) ipear_p=(-?\d+)", src.read(), re.M)
    setup = ["wrpmc 0 48 0x492", "wrpmc 0 40 0x200000000000000", "wrpmc 0 49 0xf", "wrpmc 0 50 0x18"]
    lines, failures, checks = list(setup), 0, 0
    for name, code, mask, _, _ in events:
        mask = int(mask, 16)
        lines += script(name, int(code, 16), (mask & -mask).bit_length() - 1)
    done = console(boxscore, lines)
    got = done.stdout.splitlines()
    size = 2 + 2 * ENTRIES
    if done.returncode or len(got) != size * len(events):
        print(f"exit status {done.returncode}, {len(got)} lines, want {size * len(events)}: {got[:3]}")
        return 1
    for i, (name, code, mask, late, stages) in enumerate(events):
        words = [int(line.split()[0], 16) for line in got[i * size:(i + 1) * size]]
        checks += 1
        ip = attribute(words, int(late), int(stages))
        if not words[0] & 1 or ip != 0x10000 + 16 * BEFORE:
            print(f"{name} (L {late}, P {stages}): status {words[0]:#x}, IP {ip and hex(ip)}, want {0x10000 + 16 * BEFORE:#x}")
            failures += 1
    print(f"{checks} checks, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
