#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stay for some seconds of the machine's time, where sleeping is done in the world's.

usage: stay.py SECONDS
"""
import sys
import time

end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    time.sleep(0.002)
