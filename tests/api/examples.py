#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The examples of embedding say what follows from what they do.

usage: examples.py PROGRAM...   (of that name, wherever it lies; a script needs the module in PYTHONPATH)
"""
import os
import subprocess
import sys
import tempfile


def counts(*numbers):
    """What a step of the examples prints of the three events that it counts."""
    events = "cbo.LLC_LOOKUP.ANY", "cbo.TOR_INSERTS.MISS_LOCAL", "imc.CAS_COUNT.RD"
    return "".join(f"  {event:26} {number:6} exact\n" for event, number in zip(events, numbers))


WANT = {
    # 1000 reads in 1000 clocks of 2.3 GHz, 2 look-ups in every other.
    "embed": """\
home agent 2f30, unknown MSR faults: 1
interrupt to cores 0x8 of socket 0 after 434783 ps, 1000 look-ups of modified lines
""",
    # 1000 lines are 62.5 KB, two in each of the 512 sets of an L2 with 8 ways.  Read for the first time each of them is looked
    # up, is not there and comes from memory; the second time L2 has it; another core finds it in the cache slices, and now both
    # share it; so for a write its core has to ask for it once more, and memory has no part in that.
    "access": "core 0 loads\n" + counts(1000, 1000, 1000) + "core 0 loads again\n" + counts(0, 0, 0) +
              "core 1 loads\n" + counts(1000, 0, 0) + "core 0 stores\n" + counts(1000, 0, 0),
    # Two cores with 1000 reads and a halt each, and one sleep, of the same lines: the second ones hit.
    "trace": "hsx,sockets=1 of 18 cores: 2003 records, 1000 and 1000 reads\n" + counts(2000, 1000, 1000),
    # The same steps from Python; a trace of 1000 reads, of lines 0x10000000 / 64 and on.
    "measure.py": """\
the memory controller's events: DCLOCKTICKS ACT_COUNT PRE_COUNT ...
core 0 loads: cbo.LLC_LOOKUP.ANY=1000 exact imc.CAS_COUNT.RD=1000 exact
core 0 loads again: cbo.LLC_LOOKUP.ANY=0 exact imc.CAS_COUNT.RD=0 exact
core 1 loads: cbo.LLC_LOOKUP.ANY=1000 exact imc.CAS_COUNT.RD=0 exact
hsx,sockets=1, 18 cores: 1000 records, the last of line 0x4003e7
replayed: 1000 reads of memory
no such machine: no family "hsy"; did you mean hsx?
""",
}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in sys.argv[1:]:
            name = os.path.basename(program)
            arguments = [f"{folder}/own.bxt"] if name in ("trace", "measure.py") else []
            python = [sys.executable, "-B"] if name.endswith(".py") else []
            got = subprocess.run([*python, program, *arguments], capture_output=True, text=True, check=False)
            if got.returncode or got.stdout != WANT[name] or got.stderr:
                failed += 1
                print(f"{name} exits with {got.returncode} and prints\n{got.stdout}{got.stderr}want\n{WANT[name]}")
    print(f"{len(sys.argv) - 1} checks, {failed} failed")
    return failed != 0 or len(sys.argv) < 2


if __name__ == "__main__":
    sys.exit(main())
