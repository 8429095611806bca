#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What keeps a machine busy: programs and traces beside kernels, again or once; and how its time goes."""
import shutil
import subprocess
import sys
import tempfile
import time

from steady import Steady
from tools import Boxscore, check, check_that, die_with_us, done

PYTHON = "/usr/bin/python3"
SHAPE = ["-M", "hsx,sockets=1,cores=2"]
# Memory reads so far in all channels, the time stamp counter, then the same later.
READINGS = """
for f in 14.0 14.1 17.0 17.1; do setpci -s ff:$f d8.l=400304; done
for i in 1 2; do
	rdmsr -d 0x10
	for f in 14.0 14.1 17.0 17.1; do printf '%d\\n' 0x$(setpci -s ff:$f a0.l); done
	sleep SECONDS
done
"""


def readings(b, *options, seconds=0.01):
    """Reads of memory and picoseconds between two moments."""
    out = b.client([*SHAPE, *options], ["sh", "-c", READINGS.replace("SECONDS", str(seconds))])
    n = list(map(int, (out or "0 " * 10).split()))
    return sum(n[6:]) - sum(n[1:5]), (n[5] - n[0]) / 2.3e-3


def time_goes(b):
    began = time.monotonic()
    _, ps = readings(b)
    check_that("time goes on, no faster than the world's", 0 < ps < (time.monotonic() - began) * 1e12, ps)
    began = time.monotonic()
    reads, ps = readings(b, "--ratio", "0.01")
    check_that("a hundredth, at most", 0 < ps < (time.monotonic() - began) * 1.01e10, ps)
    check("reads of an idle machine", reads, 0)
    for ratio in ("0", "-1", "x", "1e9", ""):
        got = b.run(["with", "--ratio", ratio, "--", "true"])
        check(f"ratio {ratio!r}", got.returncode, 64)


WAITS = """
import select, threading, time
def passes(wait):
    before = time.monotonic()
    wait()
    print(time.monotonic() - before >= .003)
passes(lambda: threading.Event().wait(.003))
passes(lambda: select.select([], [], [], .003))
lock = threading.Lock()
lock.acquire()
passes(lambda: lock.acquire(timeout=.003))
"""


def waits(b):
    """Python waits by sem_clockwait(), which no sleep is: three milliseconds of the machine."""
    out = b.client([*SHAPE, "--machine-time", "--load", "stream:threads=2"], [PYTHON, "-c", WAITS])
    check("waits of Python", out, "True\nTrue\nTrue\n")


def kernels(s, b):
    reads, ps = readings(b, "--load", "chase:size=4M", seconds=s.window)
    # A chase reads a line each 60 to 120 ns once the cache is too small for it: 4 MB are, for a slice of 5 MB, not.
    check_that("the load runs", ps > 0)
    reads, ps = readings(b, "--load", "random:size=256M,count=1000000000", seconds=s.window)
    # Ten misses at once, of some 100 ns each, and the line beside each fetched ahead: 0.1 to 0.2 a nanosecond.
    s.that("random reads", 0.5e-4 < reads / ps < 2.5e-4, (reads, ps))
    reads, _ = readings(b, "--load", "stream:size=64K", "--once", seconds=s.window)
    s.that("a load that has ended", reads == 0, reads)
    got = b.run(["with", *SHAPE, "--load", "stream:size=8", "--", "true"])
    check("a load that cannot be", (got.returncode, "has to be a number from 64" in got.stderr), (65, True))


# Channels of the machine, reads and writes of them and packets of a device so far, then the same later.
DEVICE = """
grep -c ^processor /proc/cpuinfo
for f in 14.0 14.1 17.0 17.1; do setpci -s ff:$f d8.l=400304 dc.l=400c04; done
setpci -s 00:05.6 d8.l=400012
for i in 1 2; do
	sleep 0.01
	for r in a0 a8; do printf '%d\n' 0x$(setpci -s ff:14.0 $r.l); done
done
"""


def scenarios(b, folder):
    """By name and by file: the scenario's machine, its kernels and its device; and again when it has ended."""
    text = """scenario ours "A device writes while a core reads"
machine hsx,sockets=1,cores=1
dma     write=4G,size=4K,buffer=64M
phase   read
  run   stream:size=4M,op=read
phase   rest
  rest  20us
"""
    path = f"{folder}/ours.scenario"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    out = b.client(["--load", path], ["sh", "-c", DEVICE]) or "0 0 0 0 0"
    cpus, reads, writes, more_reads, more_writes = map(int, out.split())
    check("its machine", cpus, 2)
    # 4 MB are more than its 2.5 MB of cache hold, and spread over four channels.
    check_that("its kernel, started again", more_reads > reads > 0 and more_reads > 1.1 * (4 << 20) / 64 / 4, out)
    check_that("its device", more_writes > writes > 0, out)
    out = b.client(["-M", "hsx,sockets=1,cores=2", "--load", path], ["sh", "-c", DEVICE]) or ""
    check("another machine", out.split()[:1], ["4"])
    out = b.client(["--load", "false-sharing.scenario"], ["grep", "-c", "^processor", "/proc/cpuinfo"]) or ""
    shipped = b.run(["run", "false-sharing", "-x", ","])
    check_that("a shipped one", int(out) > 0 and shipped.returncode == 0, out)
    with open(f"{folder}/bad.scenario", "w", encoding="utf-8") as f:
        f.write("scenario bad\nphase p\n  run nothing\n")
    for load, why in (("false-sharin.scenario", "did you mean false-sharing?"), (f"{folder}/none.scenario", "No such file"),
                      (f"{folder}/bad.scenario", "bad.scenario:1")):
        got = b.run(["with", "--load", load, "--", "true"])
        check(f"{load[-20:]} is refused", (got.returncode, why in got.stderr), (65, True))


def failed(b, program):
    """The client goes on when it has been said that the load has ended."""
    with subprocess.Popen([b.program, "with", *SHAPE, "--load", f"{program} exit 3", "--", "sh", "-c", "read line; rdmsr 0x10"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=die_with_us) as p:
        check("a program that fails", p.stderr.readline(),
              f"boxscore with: {program} exit 3: ended with exit status 3; the machine is idle from now on\n")
        _, err = p.communicate("go on\n", timeout=120)
        check("and then", (p.returncode, err), (0, ""))


def programs(b, program, folder):
    if not shutil.which("qemu-x86_64"):
        return
    reads, ps = readings(b, "--load", f"{program} spin x")
    check_that("time goes on while a program sleeps", ps > 0, ps)
    check_that("it reads little", reads < 10000, reads)
    _, ps = readings(b, "--load", f"{program} spin")
    check_that("time goes on while a program computes", ps > 0, ps)
    failed(b, program)
    got = b.run(["with", *SHAPE, "--load", "/nowhere/program", "--", "true"])
    check("no such program", (got.returncode, got.stdout), (65, ""))
    trace = f"{folder}/echo.bxt"
    got = b.run(["record", *SHAPE, "-o", trace, "--", program, "threads", "2"])
    check("record", got.returncode, 0)
    _, ps = readings(b, "--load", trace)
    check_that("time goes on with a trace", ps > 0, ps)
    got = b.run(["with", *SHAPE, "--load", f"{folder}/none.bxt", "--", "true"])
    check("no such trace", got.returncode, 65)


def main():
    b = Boxscore(sys.argv[1], "rdmsr", "setpci")
    time_goes(b)
    waits(b)
    Steady().run(kernels, b)
    with tempfile.TemporaryDirectory(prefix="bxs-load") as folder:
        scenarios(b, folder)
        programs(b, sys.argv[2], folder)
    done()


main()
