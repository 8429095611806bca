#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program sees the CPUs of the machine that it runs on, and runs where it asks to.

usage: test_cpus.py BOXSCORE CPUS
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import BOXSCORE, check, check_at, done, here, run  # pylint: disable=wrong-import-position

CPUS = sys.argv[2]
# Two sockets of four cores with two threads: CPUs 0 to 3 and 8 to 11 are node 0's, 4 to 7 and 12 to 15 node 1's.
MACHINE = "hsx,sockets=2,cores=4"


def stat(*command, machine=MACHINE, options=()):
    got = run("stat", "-M", machine, "-m", "instructions", *options, "--", *command)
    check_at(here(above=1), got.returncode == 0, got)
    return got.stdout


def told(*args, **more):
    return {name: int(value) for name, value in re.findall(r"^(\S+) (-?\d+)$", stat(CPUS, *map(str, args), **more), re.MULTILINE)}


def says(*args, machine=MACHINE, **want):
    got = told(*args, machine=machine)
    want = {name.replace("_", "-"): value for name, value in want.items()}
    check_at(here(above=1), got == want, (args, {name: (got.get(name), want.get(name)) for name in {*got, *want}
                                                 if got.get(name) != want.get(name)}))


def at(name, cpu, node):
    return {name: cpu, f"{name}-node": node, f"{name}-aux": 1}


# How many.  The kernel's masks are whole words: 16 CPUs and 144 of them take 1 and 3.
says("count", online=16, configured=16, allowed=16, bytes=8, **at("at", 0, 0))
says("count", machine="hsx,sockets=4,cores=18", online=144, configured=144, allowed=144, bytes=24, **at("at", 0, 0))
says("count", machine="snbep,sockets=1,cores=3,threads=1", online=3, configured=3, allowed=3, bytes=8, **at("at", 0, 0))
says("count", machine="nhmex,sockets=2,cores=2", online=8, configured=8, allowed=8, bytes=8, **at("at", 0, 0))
# Cluster on die: two nodes a socket.
says("go", 0, 1, 2, 3, machine="hsx,sockets=2,cores=4,snoop=cod", **at("to-0", 0, 0), **at("to-1", 1, 0), **at("to-2", 2, 1), **at("to-3", 3, 1))

# A thread goes where it asks to, second threads of cores included, and stays there.
says("go", 5, 0, 0, 15, 8, **at("to-5", 5, 1), **at("to-0", 0, 0), **at("to-15", 15, 1), **at("to-8", 8, 0))
# Threads that ask for nothing take the sockets in turn: number 1 is on CPU 4, where the one after it is again when it has ended.
says("threads", -1, 2, 7, **at("thread--1", 4, 1), **at("thread-2", 2, 0), **at("thread-7", 7, 1), **at("main", 0, 0))
says("send", 6, sent=0, there=6)
# Children and the programs they execute inherit it.
says("children", 6, **at("forked", 6, 1), forked_allowed=1, **at("here", 6, 1), here_allowed=1)
# Twenty threads beside the first one on sixteen CPUs: each core has two or three, and each CPU one or two.
got = told("crowd", 20)
check(sorted(got) == sorted(f"on-{n}" for n in range(16)) and set(got.values()) <= {1, 2} and sum(got.values()) == 20, got)
check(sum(got[f"on-{n}"] for n in (0, 8)) <= 3, got)
# EINVAL, EFAULT, ESRCH as the kernel has them.
says("wrong", none=22, not_there=22, nowhere=14, short=22, odd=22, no_room=14, no_thread=3, plain=0)

# taskset pins what it starts.
if shutil.which("taskset"):
    check(stat("taskset", "-c", "4-7", "nproc").split() == ["4"], "taskset: nproc")
    check(stat("taskset", "-c", "9", CPUS, "here").split()[:2] == ["here", "9"], "taskset -c 9")
check(stat("nproc").split() == ["16"], "nproc")
check(stat("nproc", options=["--host-world"]).split() == [str(len(os.sched_getaffinity(0)))], "nproc of this computer")

# Files: read one by one, listed, and looked up by their names.
check(stat("sh", "-c", "cat /sys/devices/system/cpu/online /sys/devices/system/node/node1/cpulist").split() == ["0-15", "4-7,12-15"], "cpulist")
check(stat("grep", "-c", "^processor.*:", "/proc/cpuinfo").split() == ["16"], "cpuinfo")
check("E5" in stat("grep", "-m1", "model name", "/proc/cpuinfo"), "model name")
check(stat("sh", "-c", "ls -d /sys/devices/system/cpu/cpu[0-9]* | wc -l; ls /sys/devices/system/node | grep -c node; "
           "test -e /sys/devices/system/cpu/cpu15/topology/core_id && test ! -e /sys/devices/system/cpu/cpu16 && echo fine; "
           "cd /sys/devices/system/node/node0/cpu8 && cat topology/thread_siblings_list").split() == ["16", "2", "fine", "0,8"], "folders")
check(re.search(r"^NUMA node1 CPU\(s\): +4-7,12-15$", stat("lscpu"), re.MULTILINE), "lscpu")


# What is written for those that look into folders goes when the machine's process ends; if that is killed, with the next one's.
def place(end):
    with subprocess.Popen([BOXSCORE, "stat", "-M", MACHINE, "--", "sh", "-c", "ls /sys/devices/system/cpu; read wait"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        p.stdout.readline()
        made = f"/tmp/boxscore-{p.pid}"
        check_at(here(above=1), os.path.isdir(made), made)
        end(p)
    return made


check(not os.path.exists(place(lambda p: p.communicate(b"\n"))), "it ends")
killed = place(subprocess.Popen.kill)
check(os.path.isdir(killed), "it is killed")
stat("ls", "/sys/devices/system/node")
check(not os.path.exists(killed), "the next one")


# What a thread has read on one core it reads again where it goes, in the same socket or in the other one, and again where it comes back:
# it finds 4,096 lines of its own there, and those of the program and its stack, which are fewer than 400.
def lookups(*cpus):
    got = run("stat", "-M", "hsx,sockets=2,cores=2,threads=1", "-m", "llc_lookups", "--per-socket", "-x", ",", "--", CPUS, "read", "4096", *map(str, cpus))
    check_at(here(above=1), got.returncode == 0, got)
    value = re.findall(r"^\d+,(\d+),events,exact,,cbo,\d,", got.stderr, re.MULTILINE)
    return [int(n) for n in value]


for came, went, socket in (([0], [0, 2], 1), ([0, 2], [0, 2, 0], 0), ([0, 2], [0, 2, 3], 1), ([0], [0, 1], 0)):
    before, after = lookups(*came), lookups(*went)
    check(4096 <= after[socket] - before[socket] <= 4096 + 400, (went, before, after))
check(lookups(0)[1] == 0 and lookups(0, 1, 0, 1)[1] == 0, "the other socket")

# Memory, where set_mempolicy() and mbind() want it.  MPOL_PREFERRED is 1, BIND 2, INTERLEAVE 3, LOCAL 4.
says("memory", 2, 2, 10, set=0, policy=0, mode=2, nodes=2, first=1, last=1)
says("memory", 4, 0, 10, set=0, policy=0, mode=4, nodes=0, first=0, last=0)
says("memory", 1, 2, 10, set=0, policy=0, mode=1, nodes=2, first=1, last=1)
says("memory", 3, 3, 10, set=0, policy=0, mode=3, nodes=3, first=told("memory", 3, 3, 10)["first"], last=1 - told("memory", 3, 3, 10)["first"])
says("half", 20, bound=0, untouched=0, first=0, before=0, behind=1, last=1)
says("inherit", policy=0, mode=2, nodes=2, thread=1)
got = stat(CPUS, "wrong-memory").split("\n")
check(got == """mode-77 22\nbind-none 22\ndefault-some 22\nlocal-some 22\nin-turn-none 22\nnot-there 22\nnowhere 14\nodd 22\nunmapped 14
short 22\nany 0\nall 3\nlocal 0\npolicy 0\nmode 4\nnodes 0\npreferred 0\npolicy 0\nmode 1\nnodes 2\ndefault 0\npolicy 0\nmode 0\nnodes 0
""".split("\n"), got)


# A store into every line of 500 pages asks for 32,000 lines of the node where they lie, each once: they fit into the last-level cache.
def reads(*args):
    got = run("stat", "-M", "hsx,sockets=2,cores=2,threads=1", "-e", "ha.REQUESTS.READS", "--per-socket", "-x", ",", "--", CPUS, *map(str, args))
    check_at(here(above=1), got.returncode == 0, got)
    return [int(n) for n in re.findall(r"^\d+,(\d+),events,exact,,ha,\d,", got.stderr, re.MULTILINE)]


few = [reads("memory", mode, nodes, 0) for mode, nodes in ((2, 1), (2, 2), (3, 3))]
many = [reads("memory", mode, nodes, 500) for mode, nodes in ((2, 1), (2, 2), (3, 3))]
for a, b, want in zip(few, many, ((32000, 0), (0, 32000), (16000, 16000))):
    grown = [n - m for n, m in zip(b, a)]
    # Some more of the program's own code runs.
    check(all(abs(n - m) <= 100 for n, m in zip(grown, want)), (grown, want))

# The same in every run.
for args in (("threads", -1, 2, 7), ("send", 6), ("crowd", 20), ("children", 6)):
    runs = {run("stat", "-M", MACHINE, "-x", ",", "--", CPUS, *map(str, args)).stderr for _ in range(3)}
    check(len(runs) == 1, f"{args}: {runs}")

sys.exit(done())
