#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Several runs (-r), and a part of one (--delay, --timeout): what is counted, exit codes, wrong inputs.

usage: test_runs.py BOXSCORE
"""
import csv
import io
import json
import os
import re
import statistics
import sys
import tempfile

sys.argv[1] = os.path.abspath(sys.argv[1])  # some programs run in a folder of their own
from checks import check, done, lines, refused, run  # pylint: disable=wrong-import-position

RD = "imc.CAS_COUNT.RD"
KERNEL = ["--kernel", "stream:size=1M"]		# three arrays of 1 MB, read once: 49152 lines
SLOW = ["--kernel", "stream:size=8M"]		# 24 MB: 393216 lines, which takes more than 2 ms
# What it does depends on how often it has run before: so many rounds of a loop.
GROWS = 'read n < count; echo $((n * 2)) > count; while [ $n -gt 0 ]; do n=$((n - 1)); done'


def test_refusals():
    for wrong in ("0", "-1", "", "x", "3x", "1.5", "1001", "99999999999999999999"):
        refused(64, f"-r: {wrong} is no number of runs from 1 to 1000", "stat", "-r", wrong, *KERNEL)
    refused(64, "-r needs a value", "stat", *KERNEL, "-r")
    refused(64, "without intervals (-I)", "stat", "-r", "2", "-I", "1ms", *KERNEL)
    refused(64, "without a trace", "record", "--repeat", "2", "-o", "/no/such", *KERNEL)
    for option in ("--delay", "--timeout"):
        refused(64, f"{option}: 5 is no time; write 500us", "stat", option, "5", *KERNEL)
        refused(64, f"{option}: 0ms is no time", "stat", option, "0ms", *KERNEL)
        refused(64, f"{option} needs a value", "stat", *KERNEL, option)
    for timeout in ("1ms", "500us"):
        refused(64, "this one ends before --delay", "stat", "--delay", "1ms", "--timeout", timeout, *KERNEL)
    refused(64, "replay it with --delay", "record", "--delay", "1ms", "-o", "/no/such", *KERNEL)
    refused(65, "no event foo", "stat", "-r", "3", "-e", "foo", *KERNEL)


def test_same():
    """Runs that agree exactly have spread 0, and the very readings of one, in all formats."""
    one = lines(run("stat", "-j", "-A", "--truth", *KERNEL).stdout)
    got = run("stat", "-j", "-A", "--truth", "-r", "5", *KERNEL)
    check(got.returncode == 0 and not got.stderr, f"{got}")
    mean = lines(got.stdout)
    check(all(r.pop("runs") == 5 and r.pop("spread", "value" in r) == 0 for r in mean), got.stdout)
    check(one == mean, "means of equal runs are not what one run reads")
    got = run("stat", "-x", ";", "-r", "2", "-e", RD, *KERNEL).stdout
    rows = list(csv.DictReader(io.StringIO(got), delimiter=";"))
    check([(r["value"], r["runs"], r["spread"]) for r in rows] == [("49152", "2", "0")], got)
    got = run("stat", "-r", "2", "-e", RD, *KERNEL).stdout
    check(re.search(r"^ +reading +spread  unit", got) and re.search(r"^ +49,152 +0  events", got, re.M) and
          got.endswith("mean of 2 runs\n"), got)
    got = lines(run("stat", "-j", "-r", "2", "-e", "imc.MAJOR_MODES.ISOCH," + RD, *KERNEL).stdout)
    check("spread" not in got[0] and got[0]["validity"] == "not-modelled" and got[1]["spread"] == 0, f"{got}")


def test_differing(folder):
    """Mean and deviation are those of the runs, one by one."""
    def command(*options):
        return run("stat", "-j", "-m", "instructions", *options, "--", "sh", "-c", GROWS, cwd=folder)

    def begin():
        with open(os.path.join(folder, "count"), "w", encoding="ascii") as f:
            f.write("1\n")

    begin()
    single = [json.loads(command().stderr)["value"] for _ in range(4)]
    check(len(set(single)) == 4 and single == sorted(single), f"the runs do not differ: {single}")
    begin()
    mean = json.loads(command("-r", "4").stderr)
    check(mean["runs"] == 4 and abs(mean["value"] - statistics.mean(single)) < 1e-6, f"{mean} {single}")
    check(abs(mean["spread"] - statistics.stdev(single)) < 1e-6 * mean["spread"], f"{mean} {single}")
    begin()
    got = run("stat", "-m", "instructions", "-r", "4", "--", "sh", "-c", GROWS, cwd=folder).stderr
    percent = float(re.search(r"\+-([0-9.e+-]+)%", got)[1])
    check(abs(percent / (100 * mean["spread"] / mean["value"]) - 1) < 0.06, f"{got}")
    with open(os.path.join(folder, "count"), encoding="ascii") as f:
        check(f.read() == "16\n", "it has not run four times")


def test_status(folder):
    """The first status that is not 0; all runs are made, but none after one that a signal has ended."""
    got = run("stat", "-e", RD, "-r", "3", "--", "sh", "-c", "echo x >> status; exit $(wc -l < status)", cwd=folder)
    check(got.returncode == 1 and got.stderr.endswith("mean of 3 runs\n"), f"{got}")
    got = run("stat", "-e", RD, "-r", "3", "--", "sh", "-c", "echo x >> killed; kill -TERM $$", cwd=folder)
    check(got.returncode == 128 + 15 and got.stderr.endswith("mean of 1 run\n"), f"{got}")
    got = run("stat", "-e", RD, "-r", "3", "-o", "/dev/full", *KERNEL)
    check(got.returncode == 65 and "cannot be written to the end" in got.stderr and "49,152" in got.stderr, f"{got}")


def value(*options):
    got = run("stat", "-j", "-e", RD, *options)
    check(got.returncode == 0, f"{got}")
    return [r["value"] for r in lines(got.stdout)]


def test_parts(folder):
    """What was read before a moment and what is read after it make up the whole, wherever the moment lies."""
    check(value(*SLOW) == [393216], "the whole")
    for moment in ("300us", "1ms", "1.7ms"):
        before, after = value("--timeout", moment, *SLOW)[0], value("--delay", moment, *SLOW)[0]
        check(0 < before < 393216 and before + after == 393216, f"{moment}: {before} + {after}")
    both = value("--delay", "300us", "--timeout", "1ms", *SLOW)[0]
    check(both == value("--timeout", "1ms", *SLOW)[0] - value("--timeout", "300us", *SLOW)[0] > 0, f"{both}")
    check(sum(value("--delay", "300us", "-I", "200us", *SLOW)) == value("--delay", "300us", *SLOW)[0], "intervals after the delay")
    truth = lines(run("stat", "-j", "--truth", "-e", RD, "--delay", "1ms", *SLOW).stdout)[0]
    check(truth["value"] == truth["truth"], f"{truth}")
    table = run("stat", "-e", RD, "--delay", "300us", "--timeout", "1ms", *SLOW).stdout
    total, counted = map(float, re.search(r"([0-9.]+)  ms of machine time on hsx, ([0-9.]+) of them counted", table).groups())
    check(abs(total - 1) < 0.01 and abs(counted - 0.7) < 0.01, table)
    trace = os.path.join(folder, "trace")
    run("record", "-o", trace, *SLOW)
    parts = [lines(run("replay", "-j", "-e", RD, option, "1ms", trace).stdout)[0]["value"] for option in ("--timeout", "--delay")]
    check(sum(parts) == 393216 and all(parts), f"replayed: {parts}")


def test_ends(folder):
    """A program that has not ended by then is ended: 124, with what was counted; a kernel simply stops: 0."""
    forever = ["--", "sh", "-c", "echo begun; while :; do :; done"]
    got = run("stat", "-j", "-e", RD, "--timeout", "2ms", *forever)
    check(got.returncode == 124 and got.stdout == "begun\n", f"{got}")
    check(abs(lines(got.stderr)[0]["time_ns"] - 2e6) < 2e4, got.stderr)
    got = run("stat", "-j", "-e", RD, "--timeout", "2ms", "-r", "3", *forever)
    check(got.returncode == 124 and json.loads(got.stderr)["runs"] == 3, f"{got}")
    left = os.path.join(folder, "left")
    run("stat", "-e", RD, "--timeout", "1ms", "--", "sh", "-c", f"while :; do :; done; touch {left}")
    check(not os.path.exists(left), "it went on")
    got = run("stat", "-j", "-e", RD, "--timeout", "10s", "--", "sh", "-c", "exit 3")
    check(got.returncode == 3 and len(lines(got.stderr)) == 1, "a program that ends before")
    # All is over before counting begins: no reading, and no success.
    got = run("stat", "-e", RD, "--delay", "10s", *KERNEL)
    check(got.returncode == 69 and not got.stdout and "before counting began (--delay)" in got.stderr, f"{got}")
    got = run("stat", "-e", RD, "-r", "3", "--delay", "10s", "--", "sh", "-c", "echo x; exit 4")
    check(got.returncode == 4 and got.stdout == "x\n" and "before counting began (--delay)" in got.stderr, f"{got}")


def main():
    test_refusals()
    test_same()
    with tempfile.TemporaryDirectory() as folder:
        test_differing(folder)
        test_status(folder)
        test_parts(folder)
        test_ends(folder)
    return done()


sys.exit(main())
