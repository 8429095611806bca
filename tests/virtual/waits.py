#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever in the C library waits for a time is taken over by the preloaded library, or stands here with the reason.

usage: waits.py LIBRARY
"""
import re
import subprocess
import sys

# Names of functions that wait or wake, as POSIX, C and Linux form them.
WAITS = re.compile(r"timed|clock(wait|lock|join|rdlock|wrlock)|sleep|^_*p?poll(_chk)?$|select$|epoll_p?wait|_suspend$|_settime$|alarm|"
                   r"[gs]etitimer|recvmmsg|thrd_sleep")
# Why these go to the C library as they are.
OTHERS = {
    "__nanosleep": "an old spelling, in no header", "__poll": "an old spelling, in no header",
    "__select": "an old spelling, in no header", "__sigtimedwait": "an old spelling, in no header",
    "alarm": "a timer, in the world's time from now on", "ualarm": "a timer, in the world's time from now on",
    "setitimer": "a timer, in the world's time from now on", "getitimer": "what is left of one",
    "clock_settime": "sets a clock; the system refuses", "aio_suspend": "from now on, in the world's time",
    "aio_suspend64": "from now on, in the world's time", "gai_suspend": "from now on, in the world's time",
    "recvmmsg": "its time is looked at between messages only",
}


def exported(path):
    """Names of functions that an object exports."""
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[2].split("@")[0] for line in out.splitlines() if line.split()[1] in "TWi"}


def c_library():
    with open("/proc/self/maps", encoding="ascii") as maps:
        return next(line.split()[-1] for line in maps if re.search(r"/libc[.-][^/]*so", line))


def main():
    ours, theirs = exported(sys.argv[1]), exported(c_library())
    waits = {name for name in theirs if WAITS.search(name)}
    failed = 0
    for name in sorted(waits - ours - set(OTHERS)):
        failed += 1
        print(f"{name} of the C library waits, and nothing takes it over")
    for name in sorted(set(OTHERS) & ours) + sorted(name for name in OTHERS if name not in theirs):
        failed += 1
        print(f"{name} has a reason that it does not need")
    if len(waits) < 30:
        failed += 1
        print(f"the C library has {len(waits)} waits only: {sorted(waits)}")
    print(f"{len(waits)} functions, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
