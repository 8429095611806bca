#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The embedding example says what its schedule implies: 1000 reads in 1000 clocks of 2.3 GHz, 2 look-ups in every other."""
import subprocess
import sys

WANT = """\
home agent 2f30, unknown MSR faults: 1
interrupt to cores 0x8 of socket 0 after 434783 ps, 1000 look-ups of modified lines
"""

got = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=False)
if got.returncode or got.stdout != WANT:
    print(f"embed exits with {got.returncode} and prints\n{got.stdout}{got.stderr}want\n{WANT}")
    sys.exit(1)
print("2 checks, 0 failed")
