#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stat -C and -a: which cores are measured, and with them which sockets.

usage: test_cores.py BOXSCORE
"""
import os
import sys
import tempfile

from checks import check, check_at, done, here, lines, refused, run

MACHINE = ["-M", "hsx,cores=4,sockets=2"]		# cores 0 to 3 in socket 0, 4 to 7 in socket 1
# Threads on cores 0, 2, 4 and 6; each reads three arrays of 64 KB = 1024 lines, its quarter of each: 768 lines, all of node 0's.
KERNEL = ["--kernel", "stream:size=64K,threads=4,step=2,node=0"]
ASKED = ["-m", "instructions", "-e", "imc.CAS_COUNT.RD,imc.CLOCKTICKS"]
EVENTS = """boxscore-events 1
machine poulson,sockets=2
@10  retire 0 ip=0x4000000000000000 op=0x10800000000 itype=m n=2
@12  retire 2 ip=0x4000000000000000 op=0x10800000000 itype=m n=3
@14  retire 16 ip=0x4000000000000000 op=0x10800000000 itype=m n=5
@15  pulse s1.bbox0 IMT_ALLOC 7
@400 end
"""


def stat(*options):
    got = run("stat", "-j", *MACHINE, *ASKED, *options, *KERNEL)
    check_at(here(above=1), got.returncode == 0, f"{got}")
    return [(r.get("socket"), r["value"]) for r in lines(got.stdout)]


def test_refusals():
    for wrong in ("x", "", "0,", ",0", "0-", "-1", "0x2", "1.5", "0 1", "0-1-2"):
        refused(64, f"-C: {wrong} is no list of cores; write 0,2-5", "stat", *MACHINE, "-C", wrong, *KERNEL)
    for wrong in ("8", "0-8", "0,8", "99999999999999999999"):
        refused(64, f"-C: {wrong}: the machine has cores 0 to 7", "stat", *MACHINE, "-C", wrong, *KERNEL)
    refused(64, "-C: 3-1: 3-1 runs backwards", "stat", *MACHINE, "-C", "3-1", *KERNEL)
    refused(64, "-C needs a value", "stat", *KERNEL, "-C")
    refused(64, "all cores (-a) or those of a list (-C), not both", "stat", "-a", "-C", "0", *KERNEL)
    refused(64, "replay it with -C", "record", "--cpu", "0", "-o", "/no/such", *KERNEL)


def test_cores():
    """Instructions are those of the listed cores; memory, whose channels are a socket's, is counted where one of its cores is."""
    whole = stat()
    each = whole[0][1] // 4
    clocks = whole[2][1] // 2
    check(whole[0][1] == 4 * each and whole[1][1] == 3072 and whole[2][1] == 2 * clocks, f"{whole}")
    for at, cores, threads, sockets in ((here(), "0", 1, (0,)), (here(), "0-3", 2, (0,)), (here(), "1,3", 0, (0,)), (here(), "1,2,0-2", 2, (0,)),
                                        (here(), "4", 1, (1,)), (here(), "7", 0, (1,)), (here(), "3-4", 1, (0, 1)),
                                        (here(), "0-7", 4, (0, 1)), (here(), "7,0", 1, (0, 1))):
        got = [v for _, v in stat("-C", cores)]
        want = [threads * each, 3072 if 0 in sockets else 0, len(sockets) * clocks]
        check_at(at, got == want, f"-C {cores}: {got}, want {want}")
        rows = stat("-C", cores, "--per-socket")
        check_at(at, [s for s, _ in rows] == list(sockets) * 3, f"-C {cores}: {rows}")
    check(stat("-a") == whole and stat("--all-cores", "--per-socket") == stat("--per-socket"), "all cores")
    rows = stat("-C", "4", "-A")
    check({s for s, _ in rows} == {None, 1}, f"boxes of another socket: {rows}")
    got = run("stat", "-j", *MACHINE, "-e", "s0.imc.CLOCKTICKS", "-C", "4", *KERNEL)
    check(got.returncode == 69 and lines(got.stdout)[0]["validity"] == "absent", f"{got}")


def test_threads(folder):
    """On an Itanium boxes are threads of cores: core 1 has threads 2 and 3, and core 8 is the first of socket 1."""
    path = os.path.join(folder, "events")
    with open(path, "w", encoding="ascii") as f:
        f.write(EVENTS)
    for at, cores, retired, allocated in ((here(), "0-15", 10, 7), (here(), "0", 2, 0), (here(), "1", 3, 0), (here(), "2-7", 0, 0),
                                          (here(), "8", 5, 7), (here(), "9", 0, 7), (here(), "1,8", 8, 7)):
        got = [r["value"] for r in lines(run("replay", path, "-j", "-C", cores, "-e", "core.IA64_INST_RETIRED,bbox.IMT_ALLOC").stdout)]
        check_at(at, got == [retired, allocated], f"-C {cores}: {got}")


def main():
    test_refusals()
    test_cores()
    with tempfile.TemporaryDirectory() as folder:
        test_threads(folder)
    return done()


sys.exit(main())
