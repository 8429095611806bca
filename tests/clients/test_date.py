#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The date under a load: the machine's, or with --world-date this computer's, and what waits for it.

usage: test_date.py BOXSCORE
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

from tools import Boxscore, check, check_that, done

LOAD = ["-M", "hsx,cores=2", "--load", "stream:size=4M,threads=2"]
TICK = 0.011  # by which the kernel's time of files may be behind
PORT = 9738


def dates():
    """Under the machine: how far the date is from the kernel's own, which a new file has, and the longer way of two clocks."""
    before, monotonic = time.time(), time.monotonic()
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        time.sleep(0.01)
    with tempfile.NamedTemporaryFile() as f:
        made = os.stat(f.name).st_mtime
    after = time.time()
    print(before, made, after, time.monotonic() - monotonic)


def server():
    """Under the machine: what pcm-sensor-server answers."""
    with subprocess.Popen(["pcm-sensor-server", "-p", str(PORT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        request = urllib.request.Request(f"http://127.0.0.1:{PORT}/persecond/1", headers={"Accept": "application/json"})
        while p.poll() is None:
            try:
                with urllib.request.urlopen(request) as answer:
                    print(json.dumps(json.load(answer)))
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        p.terminate()


def inside(b, what, *options):
    return b.client([*LOAD, *options], [sys.executable, os.path.abspath(__file__), what], machine_time=False) or ""


def main(argv):
    b = Boxscore(argv[1], "pcm-sensor-server")
    before, made, after, passed = map(float, inside(b, "--dates", "--world-date").split())
    check_that("dates are the world's", before - TICK <= made <= after, (before, made, after))
    # The machine is slower than the world by far more than a half.
    check_that("durations are the machine's", 0.02 <= passed < (after - before) / 2, (passed, after - before))
    before, made, after, passed = map(float, inside(b, "--dates").split())
    check_that("else dates are the machine's", made - after > (made - before) / 2 and abs(after - before - passed) < passed / 2,
               (before, made, after, passed))
    answer = json.loads(inside(b, "--server", "--world-date") or "{}")
    check("pcm-sensor-server answers", (answer.get("Object"), answer.get("Number of sockets")), ("SystemRoot", 2))
    got = b.run(["with", "--native", "--world-date", "--", "true"])
    check("without clocks of the machine", (got.returncode, "--native leaves out" in got.stderr), (64, True))
    done()


if __name__ == "__main__":
    if sys.argv[1] in ("--dates", "--server"):
        {"--dates": dates, "--server": server}[sys.argv[1]]()
    else:
        main(sys.argv)
