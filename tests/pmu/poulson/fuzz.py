#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random lines on an Itanium 9500: every one of them is answered, none ends the console.

    fuzz.py BOXSCORE CORE.BOX DOOR.H
"""
import random
import re
import subprocess
import sys

from console import console

KINDS = "retire fetch dataref branch chk rfi interrupt thread cycles".split()
WORDS = ("m i f b a no trigger mld none fl ml hpw fault miss hit load_int load_fp store_int semaphore hw_pref snoop "
         "lfetch misc cond loop call ret ind wrong right mbb bbb fe be both low high stalled load 0 1 2 3 5 24 100").split()
LINES, SEEDS = 4000, 6


def line(rng, events, names):
    thread = rng.randrange(4)
    what = rng.randrange(10)
    if what < 2:
        value = rng.choice([rng.getrandbits(64), rng.getrandbits(20) | 15, 0, 0x40f])
        return f"wrpmc {thread} {rng.randrange(54)} {value}"
    if what < 3:
        return f"{rng.choice(['rdpmd', 'rdpmc'])} {thread} {rng.randrange(256)}"
    if what < 4:
        value = rng.choice([rng.getrandbits(64), 2**47 - rng.randrange(9)])
        return f"wrpmd {thread} {rng.randrange(160)} {value}"
    if what < 5:
        return f"advance core {rng.choice([1, 1, 2, 5, 300])}"
    if what < 6:
        return f"{rng.choice(['pulse', 'level'])} core{thread} {rng.choice(events)} {rng.randrange(8)}"
    given = [f"{rng.choice(names)}={rng.choice([str(rng.getrandbits(rng.choice([1, 2, 12, 41, 63]))), rng.choice(WORDS)])}"
             for _ in range(rng.randrange(5))]
    if rng.randrange(3) == 0:
        given.append("event=" + ",".join(rng.sample(events, 2)))
    return f"{rng.choice(KINDS)} {thread} " + " ".join(given)


def main(boxscore, box, door):
    with open(box, encoding="utf-8") as src:
        events = re.findall(r"^event (\S+)", src.read(), re.M)
    with open(door, encoding="utf-8") as src:
        names = re.findall(r'X\(\w+, "([\w.]+)"', src.read())
    for seed in range(SEEDS):
        rng = random.Random(seed)
        lines = [line(rng, events, names) for _ in range(LINES)] + ["wrpmc 0 0 0x11", "rdpmc 0 0"]
        done = console(boxscore, lines, errors=subprocess.PIPE)
        if done.returncode not in (0, 2) or not done.stdout.endswith("\n0x11\n"):
            print(f"seed {seed}: exit status {done.returncode}, {done.stderr[-500:]}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
