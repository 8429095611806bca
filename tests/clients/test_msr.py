#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rdmsr and wrmsr program counters of a CBo by hand and read the right counts."""
import sys

from tools import Boxscore, check, check_that, done

# The power control unit counts its clocks: 800 MHz against 2300 MHz of the time stamp counter.
CLOCK = """
set -e
t0=$(rdmsr -d -p 0 0x10)
wrmsr -p 0 0x711 0x400000
t1=$(rdmsr -d -p 0 0x10)
sleep 0.05
t2=$(rdmsr -d -p 0 0x10)
wrmsr -p 0 0x700 0x80000000
t3=$(rdmsr -d -p 0 0x10)
echo $t0 $t1 $t2 $t3 $(rdmsr -d -p 0 0x717)
sleep 0.02
rdmsr -d -p 0 0x717
"""

# Look-ups of data reads in all four CBos (0xe01 + 0x10 each, filter: any state), and reads of memory, at a standstill.
COUNTS = """
set -e
wrmsr -p 0 0x700 0x80000000
for c in 0 1 2 3; do
	wrmsr -p 0 $((0xe05 + 16 * c)) 0xfe0000
	wrmsr -p 0 $((0xe01 + 16 * c)) 0x400334
	wrmsr -p 0 $((0xe02 + 16 * c)) 0x401134
done
for f in 14.0 14.1 17.0 17.1; do setpci -s ff:$f d8.l=400304; done
wrmsr -p 0 0x700 0x20000000
sleep 0.005
wrmsr -p 0 0x700 0x80000000
for c in 0 1 2 3; do rdmsr -d -p 0 $((0xe08 + 16 * c)); done
for f in 14.0 14.1 17.0 17.1; do printf '%d\\n' 0x$(setpci -s ff:$f a4.l)$(setpci -s ff:$f a0.l); done
"""


def clock(b):
    out = b.client(["-M", "hsx,sockets=1,cores=1"], ["sh", "-c", CLOCK])
    if not out:
        return
    t0, t1, t2, t3, count, later = map(int, out.split())
    check_that("time passed", t2 > t1, f"{t2 - t1} clocks")
    low, high = ((t2 - t1) * 8 / 23, (t3 - t0) * 8 / 23)
    check_that("clocks counted", low - 2 <= count <= high + 2, f"{low} <= {count} <= {high}")
    check("a frozen counter", later, count)


def nodes(b):
    """Cluster-on-die: half of a socket's cores and memory is a node."""
    out = b.client(["-M", "hsx,cores=4,snoop=cod,memory=1G"],
                   ["sh", "-c", "cd /sys/devices/system/node; cat online node*/cpulist node2/distance; grep -o '[0-9]* kB' "
                    "node3/meminfo | head -1; cd ../cpu/cpu6; echo node*"])
    if not out:
        return
    check("nodes", out.split("\n")[:7], ["0-3", "0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15", "31 31 10 21",
                                        "524288 kB"])
    check("the node of a core", out.split("\n")[7], "node3")


def counts(b):
    out = b.client(["-M", "hsx,sockets=1,cores=4", "--load", "stream:op=read"], ["sh", "-c", COUNTS])
    if not out:
        return
    got = list(map(int, out.split()))
    lookups, reads = sum(got[:4]), sum(got[4:])
    check_that("the load ran", lookups > 1000, got)
    # Each look-up of a stream misses and becomes one read of memory; some hundred are on their way.
    check_that("look-ups are reads", abs(lookups - reads) < 200 + lookups / 100, got)
    check_that("slices share the load", max(got[:4]) < 2 * min(got[:4]), got)
    check_that("channels share the load", max(got[4:]) < 1.2 * min(got[4:]) + 100, got)


def looked_at(b):
    """A CPU at rest runs while one of its registers is read: turbostat starts anew when APERF or MPERF have not moved."""
    out = b.client(["-M", "hsx,sockets=1,cores=2"], ["sh", "-c", "for i in 1 2; do rdmsr -a -d 0xe7; rdmsr -a -d 0xe8; sleep 0.01; done"])
    got = list(map(int, (out or "").split()))
    check_that("moves on each CPU", len(got) == 16 and all(later > sooner > 0 for sooner, later in zip(got[:8], got[8:])), got)
    check_that("by a microsecond or two at most", all(later - sooner <= 2 * 2300 for sooner, later in zip(got[:8], got[8:])), got)


def faults(b):
    got = b.run(["with", "-M", "hsx,sockets=1,cores=1", "--", "rdmsr", "-p", "0", "0xdead"])
    check("exit status of an unknown register", got.returncode, 4)
    check("what rdmsr says", got.stderr, "rdmsr: CPU 0 cannot read MSR 0x0000dead\n")
    got = b.run(["with", "-M", "hsx,sockets=1,cores=1", "--", "wrmsr", "-p", "0", "0xce", "0"])
    check("exit status of writing what is read only", got.returncode, 4)
    got = b.run(["with", "-M", "hsx,sockets=1,cores=1", "--", "rdmsr", "-p", "2", "0x10"])
    check_that("no such CPU", got.returncode not in (0, 69, 70), got.stderr)
    out = b.client(["-M", "hsx,sockets=2,cores=3"], ["rdmsr", "-a", "0xe00"])
    check("all CPUs", (out or "").split(), ["0"] * 12)


def main():
    b = Boxscore(sys.argv[1], "rdmsr", "wrmsr", "setpci")
    clock(b)
    nodes(b)
    counts(b)
    looked_at(b)
    faults(b)
    done()


main()
