#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stat --region: what is counted between the marks of a program, worked out by hand, under both emulators.

usage: test_region.py BOXSCORE REGION THREADS
"""
import re
import shutil
import subprocess
import sys

from checks import check, check_at, done, here, lines, refused, run

REGION, THREADS = sys.argv[2:4]
MACHINE = ["-M", "hsx,cores=2,sockets=1"]
RD = "imc.CAS_COUNT.RD"
QEMU = shutil.which("qemu-x86_64")


def row(name, rounds, instructions, reads, times=1):
    return here(above=1), name, rounds, instructions, reads, times


#
# Between two marks n lines are read by 1 + 4 n instructions; the jump that ends a region still belongs to it, the one that begins it
# does not.  Each array fills whole pages, which no prefetch leaves, and each line is read for the first time, so memory is read n
# times.  reads None: lines of code are fetched as well, where nothing has done that before.
#
ROWS = [
    row("far", 0, 2 + 4 * 2048, 2048),
    row("far", 3, 2 + 4 * 2048, 2048),
    row("near", 1, 2 + 4 * 1024, 1024),
    row("near", 8, 8 * (2 + 4 * 1024), 8 * 1024, 8),
    row("between", 5, 5 * (2 + 4 * 512), 5 * 512, 5),
    # The second beginning, a loop, the first end, a loop, the second end: 1 + 201 + 1 + 201 + 1.
    row("nested", 1, 405, None),
    # It ends before it has begun, and after that only with the program: two moves and the system call.
    row("open", 1, 3, None),
]


def measured(name, rounds, *options):
    got = run("stat", *MACHINE, "--region", name, "-j", "--truth", "-m", "instructions", "-e", RD, *options, "--", REGION, str(rounds))
    check_at(here(above=1), got.returncode == 0, f"{name}: {got}")
    return lines(got.stderr)


def test_rows(*options):
    for at, name, rounds, instructions, reads, _ in ROWS:
        got = measured(name, rounds, *options)
        check_at(at, got[0]["value"] == instructions, f"{name}: {got[0]}, want {instructions}")
        check_at(at, got[1]["value"] == got[1]["truth"], f"{name}: {got[1]}")
        check_at(at, got[1]["value"] == reads if reads else got[1]["value"] <= 8, f"{name}: {got[1]}, want {reads}")
        check_at(at, {r["validity"] for r in got} == {"exact"}, f"{name}: {got}")


def test_times():
    """How often it was entered, and for how long, stands below the table."""
    for at, name, rounds, _, _, times in ROWS:
        got = run("stat", *MACHINE, "--region", name, "-e", RD, "--", REGION, str(rounds))
        check_at(at, re.search(rf" of them counted \({name}, {times} time{'s' * (times > 1)}\)\n$", got.stderr), got.stderr)


def test_without():
    """Unless they are asked for, marks are instructions like others: one more region changes nothing but by its own work."""
    def whole(rounds):
        return [r["value"] for r in lines(run("stat", *MACHINE, "-j", "-m", "instructions", "-e", RD, "--", REGION, str(rounds)).stderr)]

    one, two = whole(1), whole(2)
    # Two regions of 3 + 4 n with the jumps that begin them; the loop around them takes up to 12 more.  Lines of code differ.
    work = 3 + 4 * 1024 + 3 + 4 * 512
    check(work < two[0] - one[0] <= work + 12, f"{one} {two}")
    check(abs(two[1] - one[1] - (1024 + 512)) <= 8, f"{one} {two}")
    check(subprocess.run([REGION, "8"], check=False).returncode == 0, "it runs without us")


def test_with_others():
    """Intervals, turns, delays and repeated runs are of the region's time alone."""
    got = run("stat", *MACHINE, "--region", "near", "-j", "-I", "5us", "-e", RD, "--", REGION, "8")
    values = [r["value"] for r in lines(got.stderr)]
    check(len(values) > 3 and sum(values) == 8 * 1024, f"{values}")
    got = measured("near", 4, "-r", "3")
    check(all((r["runs"], r["spread"]) == (3, 0) for r in got) and got[1]["value"] == 4096, f"{got}")
    got = lines(run("stat", *MACHINE, "--region", "near", "-j", "--truth", "--multiplex", "-e", "cbo.LLC_LOOKUP.*", "--", REGION, "8").stderr)
    check(all(r["validity"] in ("exact", "scaled") and abs(r["value"] - r["truth"]) <= r.get("error", 0) for r in got), f"{got}")
    check("scaled" in {r["validity"] for r in got}, f"no turns: {got}")
    check(measured("near", 4, "--delay", "1us")[1]["value"] == 4096, "a delay that ends before the region begins")
    got = run("stat", *MACHINE, "--region", "near", "-j", "-e", RD, "--timeout", "20us", "--", REGION, "8")
    check(got.returncode == 124 and 0 < lines(got.stderr)[0]["value"] < 8192, f"{got}")


def test_threads():
    """Marks of all threads and processes: each of four does 1,000,000 rounds of two instructions within, and 3,000,000 outside."""
    for how in ("threads", "processes"):
        got = run("stat", "--region", "work", "-j", "-m", "instructions", "--", THREADS, how)
        check(got.returncode == 0, f"{got}")
        value = lines(got.stderr)[0]["value"]
        check(8e6 <= value < 8.2e6, f"{how}: {value}")


def test_refusals():
    for wrong in ("", "a b", "a%", 'a"', "x" * 64):
        refused(64, f"--region: {wrong} is no name of a region: that has 1 to 63 letters, digits, and _ - .", "stat", "--region", wrong,
                "--", REGION, "1")
    refused(64, "--region needs a value", "stat", "--region")
    refused(64, "--region: of which program?", "stat", "--region", "near", "--kernel", "stream")
    refused(64, "--region: of which program?", "record", "--region", "near", "-o", "/no/such", "--", REGION, "1")
    refused(69, "a single program for x86-64", "stat", "--region", "near", "--co-run", "true", "--", REGION, "1")
    refused(69, "a single program for x86-64", "stat", "-M", "poulson", "--region", "near", "--", REGION, "1")
    for name in ("Near", "nea", "nearer", "x" * 63):
        refused(69, f"no region {name} has begun (BXS_REGION_BEGIN", "stat", "--region", name, "--", REGION, "1")
    got = run("stat", "-j", "--region", "x", "--", "false")
    check(got.returncode == 1 and "no region x has begun" in got.stderr and "{" not in got.stderr, f"{got}")


def main():
    test_rows()
    if QEMU:
        test_rows("--qemu", QEMU)
    test_times()
    test_without()
    test_with_others()
    test_threads()
    test_refusals()
    return done()


sys.exit(main())
