#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program's clocks and waits: the machine's, worked out by hand, and the same in every run.

usage: test_clock.py BOXSCORE CLOCKS
"""
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, check_at, done, here, refused, run  # pylint: disable=wrong-import-position

CLOCKS = sys.argv[2]
MS = 1000000
MACHINE = "hsx,sockets=1,cores=4"
# Between two looks at a clock lie the calls themselves and what a thread does to sleep: some hundred instructions, some of whose
# lines come from memory, and a few locked ones.  That is less than this; a C-state that is not left ahead of time takes 2 to 133 us more.
CALLS = 1500


def told(what, number, *more, machine=MACHINE):
    got = run("stat", "-M", machine, "-m", "instructions,memory_bytes", "-x", ",", *more, "--", CLOCKS, what, str(number))
    check_at(here(above=1), got.returncode == 0, got)
    return {name: int(value) for name, value in re.findall(r"^([a-z-]+) (-?\d+)$", got.stdout, re.MULTILINE)}, got.stderr


def passes(what, number, slack=CALLS, **want):
    """Each wait lasts as long as it says, or a little longer."""
    got, said = told(what, number)
    at = here(above=1)
    check_at(at, set(got) == {name.replace("_", "-") for name in want}, (what, got))
    for name, ns in want.items():
        have = got.get(name.replace("_", "-"), -1)
        check_at(at, ns <= have <= ns + slack, f"{what} {number}: {name} took {have} ns, want {ns} to {ns + slack}")
    check_at(at, "note:" not in said and "warning:" not in said, said)


# Looking at the clock twice takes time, but little: the loop between the looks is a few dozen instructions.
passes("nothing", 0, slack=200, nothing=1)
for ns in (50000, MS, 10 * MS, 3000 * MS):
    passes("sleep", ns, slept=ns)
passes("until", MS, until=MS, until_real=3 * MS)
# A timed wait that nobody ends, by each way to wait.
passes("poll", 3 * MS, poll=3 * MS, ppoll=3 * MS, select=3 * MS, pselect=3 * MS, epoll=3 * MS, sigtimedwait=3 * MS)
# Another thread, or process, ends it: after its own sleep, which begins when it has been made (a stack or tables of its own to begin
# with: some hundred misses, far less than 0.3 ms), and long before the 10 ms, 20 ms or 40 ms after which it would have ended by itself.
passes("cond", 2 * MS, slack=MS * 3 // 10, timed_out=2 * MS, woken=2 * MS)
passes("input", 2 * MS, slack=MS * 3 // 10, poll=2 * MS, sigtimedwait=2 * MS)
# Three that sleep at the same time do so beside each other.
passes("processes", 2 * MS, slack=MS * 3 // 10, three=2 * MS)

# One thread works for longer than the other sleeps: neither waits for the other.
got, _ = told("beside", MS)
check(MS // 4 <= got["slept"] <= MS // 4 + MS // 20, got)
check(got["worked"] > 2 * got["slept"], got)
check(got["worked"] <= got["all"] <= got["worked"] + MS * 3 // 10, got)

# A signal after a quarter of the sleep; what is left and what has passed, but for the handler's run between the looks at them (its code
# and its frame are new, some ten lines), make up the whole.
got, _ = told("signal", 4 * MS)
check(MS <= got["cut"] <= MS + MS * 3 // 10, got)
check(4 * MS <= got["cut"] + got["left"] <= 4 * MS + 20000, got)

# Clocks agree: the base clock of this part is 2.3 GHz, so RDTSC counts 23 in 10 ns; times() counts 100 a second.  Between the first and
# the last of eleven looks lie their costs.
got, _ = told("ways", 100 * MS)
for clock in ("monotonic", "real", "boot"):
    check(100 * MS <= got[clock] <= 100 * MS + 20000, (clock, got))
check(abs(got["tsc"] / 2.3 - 100 * MS) <= 20000, got)
check(100000 <= got["day"] <= 100020 and got["ticks"] == 10 and got["seconds"] == 0, got)
check(0 < got["ran"] < 30000, got)

# The processor's time is that of the work, not that of the sleep behind it.
got, _ = told("ran", 10 * MS)
check(got["wall"] <= got["process"] <= got["wall"] + 30000 and abs(got["thread"] - got["process"]) <= 1000, got)
check(abs(got["usage"]) <= 2000, got)

got, _ = told("wrong", 0)
check(len(got) == 7 and set(got.values()) == {1}, got)

# As STREAM times itself: an element is read in b and c, asked for in a and written there, 32 bytes of traffic.  Two runs differ by four
# passes over 2^20 elements.  The program's own rate and that of the reading are within 2 %.
few, many = told("triad", 2, machine="hsx,sockets=1,cores=2"), told("triad", 6, machine="hsx,sockets=1,cores=2")
reading = [re.search(r"^(\d+),(\d+),bytes,exact", said, re.MULTILINE) for _, said in (few, many)]
ns, moved = (int(reading[1][n]) - int(reading[0][n]) for n in (1, 2))
own = 4 * 32 * 2 ** 20 / (many[0]["ns"] - few[0]["ns"])
check(abs(own / (moved / ns) - 1) <= 0.02, f"{own} GB/s of its own, {moved / ns} by the counters")

# The same in every run, to the byte: what it prints, and the readings.
for what, number in (("sleep", MS), ("beside", MS), ("cond", MS), ("poll", MS), ("input", MS), ("processes", MS), ("signal", MS), ("ran", MS)):
    runs = {str(told(what, number)) for _ in range(10 if what in ("sleep", "beside") else 3)}
    check(len(runs) == 1, f"{what}: {len(runs)} different runs")

# What comes from outside comes, though another thread sleeps all the time; that ends, and that it may not repeat, is said.
with subprocess.Popen([BOXSCORE, "stat", "-M", MACHINE, "-m", "instructions", "--", CLOCKS, "outside", str(5 * MS)],
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
    p.stdin.write("x")
    p.stdin.flush()
    out, err = p.communicate(timeout=100)
check(p.returncode == 0 and out == "poll 1\nread 1\nread-end 0\n" and "waited for what comes from outside" in err, (p.returncode, out, err))

refused(69, "under boxscore-native only", "stat", "--machine-time", "--qemu", "/bin/true", "--", CLOCKS, "nothing")
refused(69, "for one program", "stat", "--machine-time", "--co-run", "/bin/true", "--", CLOCKS, "nothing")
refused(69, "for programs of x86-64", "stat", "--machine-time", "-M", "poulson", "--", CLOCKS, "nothing")
refused(64, "write the program after --", "stat", "--machine-time", "--kernel", "idle")
refused(64, "write it after --", "stat", "--host-world", "--kernel", "idle")
refused(64, "not both", "stat", "--host-world", "--machine-time", "--", CLOCKS, "nothing")

# With this computer's clocks a sleep takes its time, which the machine does not count; likewise under QEMU and beside other programs.
for more in (["--host-world"], ["--qemu", shutil.which("qemu-x86_64")] if shutil.which("qemu-x86_64") else [], ["--co-run", f"{CLOCKS} nothing 0"]):
    got = run("stat", *more, "-M", MACHINE, "-m", "instructions", "-x", ",", "--", CLOCKS, "sleep", str(20 * MS)) if more else None
    check(not got or (got.returncode == 0 and int(got.stderr.splitlines()[1].split(",")[0]) < MS), (more, got))

sys.exit(done())
