#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs for IA-64 under `boxscore stat -M poulson`: counts worked out by hand, sums that have to close, clear ends.

usage: test_itanium.py BOXSCORE
"""
import os
import shutil
import subprocess
import sys
import tempfile

from checks import BOXSCORE, check, check_at, done
from itanium_programs import COUNTS, PROGRAMS
from itanium_sums import LIMITS, QUIET, SUMS
import itanium_threads

EXIT = """
\tmov r15 = 1025
\tmov r32 = %s ;;
\tbreak.i 0x100000 ;;
"""
HEAD = "\t.explicit\n\t.text\n\t.global _start\n_start:\n\talloc r2 = ar.pfs, 0, 0, 8, 0 ;;\n"


DATA = "\t.data\n\t.balign 16384\ndata:\n\t.skip 65536\n"


def build(folder, name, body, status=0):
    """A program of `body`, a frame of eight outputs around it, that ends with `status`."""
    source = os.path.join(folder, name + ".s")
    with open(source, "w", encoding="utf-8") as out:
        out.write(HEAD + body + EXIT % status + DATA)
    path = os.path.join(folder, name)
    subprocess.run(["ia64-linux-gnu-as", "-o", path + ".o", source], check=True)
    subprocess.run(["ia64-linux-gnu-ld", "-static", "-o", path, path + ".o"], check=True)
    return path


def stat(path, events, *options):
    """Readings by event's name, the exit status, and what was said."""
    asked = [word for event in events for word in ("-e", event)]
    run = subprocess.run([BOXSCORE, "stat", "-M", "poulson", "-x", ",", *options, *asked, "--", path],
                         capture_output=True, text=True, timeout=60, check=False)
    readings = {}
    for row in run.stderr.splitlines():
        words = row.split(",")
        for event in events:
            if event in words and words[1].isdigit():
                readings[event] = int(words[1])
    return readings, run.returncode, run.stderr


def groups(path, names):
    """The events in groups that the counters can take at once."""
    rest, out = [names[at:at + 12] for at in range(0, len(names), 12)], []
    while rest:
        group = rest.pop()
        if len(group) == 1 or len(stat(path, group)[0]) == len(group):
            out.append(group)
        else:
            rest += [group[:len(group) // 2], group[len(group) // 2:]]
    return out


def readings_of(path, names):
    values = {}
    for group in groups(path, names):
        readings, status, text = stat(path, group)
        check(status == 0, f"{path}: exit status {status} ({text.splitlines()[-1]})")
        values.update(readings)
    missing = [e for e in names if e not in values]
    check(not missing, f"{path}: events without a reading: {missing}")
    return values


def test_sums(folder):
    """In one program that does what all do, one after the other."""
    value = check_sums(build(folder, "all", "".join(PROGRAMS.values())))
    silent = sorted(e for e, n in value.items() if n == 0 and e not in QUIET)
    check(not silent, f"events of sums that no program raises: {silent}")


def check_sums(path):
    value = readings_of(path, sorted({e for _, left, right in SUMS + LIMITS for e in left + right}))
    for at, left, right in SUMS:
        check_at(at, sum(value[e] for e in left) == sum(value[e] for e in right),
                 f"{' + '.join(left)} = {sum(value[e] for e in left)}, {' + '.join(right)} = {sum(value[e] for e in right)}")
    for at, left, right in LIMITS:
        check_at(at, sum(value[e] for e in left) <= sum(value[e] for e in right),
                 f"{' + '.join(left)} = {sum(value[e] for e in left)} is more than {' + '.join(right)}")
    return value


def test_modes(folder):
    """Told one by one, as a threshold makes the core do, events come to as many as in lumps."""
    path = build(folder, "all", "".join(PROGRAMS.values()))
    events = ["MLD_OZQ_COUNT.LSB", "MLD_OZQ_COUNT.MSB", "MLD_FAB_COUNT.LSB", "DPFQ_DEQ.ANY", "FLD_FILL", "RIL_DRQ_VALID.LSB"]
    lumps = stat(path, events)[0]
    single = stat(path, events, "-e", "CYC_BE_BUBBLE.ANY:thresh=1")[0]
    check(len(lumps) == len(events) and single == lumps, f"told in lumps {lumps}, one by one {single}")


def test_counts(folder):
    for name, body in PROGRAMS.items():
        rows = [row for row in COUNTS if row[1] == name]
        value = readings_of(build(folder, name, body), sorted({row[3] for row in rows}))
        for at, _, number, event, want in rows:
            if isinstance(want, tuple):
                want = readings_of(build(folder, "part", want[0]), [event])[event] + want[1]
            check_at(at, value[event] == want, f"{name}, row {number + 1}: {event}: {value[event]}, expected {want}")


def test_threads(folder):
    """Threads on cores of their own: what each asks of the others."""
    for name, body in itanium_threads.THREADED.items():
        path = build(folder, name, body)
        rows = [row for row in itanium_threads.COUNTS if row[1] == name]
        value = readings_of(path, sorted({row[3] for row in rows}))
        for at, _, number, event, want in rows:
            check_at(at, value[event] == want, f"{name}, row {number + 1}: {event}: {value[event]}, expected {want}")


def test_threads_time(folder):
    """The sums close over all cores; readings repeat, and are the same told one by one; two threads take the time of one."""
    events = ["CPU_OP_CYCLES", "CYC_BE_BUBBLE.ANY", "RIL_SNOOP_REQ.ANY", "IA64_INST_RETIRED"]
    for name in ("many", "handed", "ping_pong"):
        path = build(folder, name, itanium_threads.THREADED[name])
        check_sums(path)
        first, single = stat(path, events)[0], stat(path, events, "-e", "RIL_SNOOP_REQ.ANY:thresh=1")[0]
        check(len(first) == len(events) and stat(path, events)[0] == first, f"{name}: not the same again: {first}")
        check(single == first, f"{name}: told in lumps {first}, one by one {single}")
    # No cycle of a core has two reasons, whose ever its instructions are.
    text = stat(path, ["CYC_BE_BUBBLE.ANY:thresh=1"])[2]
    check(",0,clocks," in text, f"cycles with two reasons: {text}")
    # 9 cycles, which is 8 clocks of the uncore, for each snoop.
    value = readings_of(path, ["RIL_SNQ_VALID.MSB", "RIL_SNQ_VALID.LSB", "RIL_SNOOP_REQ.ANY"])
    check(2 * value["RIL_SNQ_VALID.MSB"] + value["RIL_SNQ_VALID.LSB"] == 9 * value["RIL_SNOOP_REQ.ANY"], f"snoops at work: {value}")


def test_evictions(folder):
    """The last-level cache, 524288 lines, has all that its cores have: each line that it drives out the core hears of."""
    path = build(folder, "big", """
\tmovl r5 = big
\tmovl r3 = 299999 ;;
\tmov ar.lc = r3 ;;
run:
\tld8 r8 = [r5], 128 ;;
\tbr.cloop.sptk run ;;
\t.bss
\t.balign 16384
big:\t.skip 38400000
\t.text
""")
    events = ["RIL_SNOOP_REQ.INVAL_LLC_EVICT", "LLC_VICTIMS.E", "LLC_VICTIMS.I", "RIL_SNOOP_RESP.MLD_MISS"]
    told, driven, free, missed = (stat(path, events)[0].get(e) for e in events)
    # 600000 lines of data, and at least one for each two pages of 16 KiB, by which the walker finds them.
    check(free == 524288 and driven is not None and driven >= 600000 + 1171 - 524288, f"of the slices: {free} free ways, {driven} evictions")
    check(told == driven and missed == driven, f"{driven} evictions: {told} snoops, {missed} long gone from the MLD")


def test_ends(folder):
    check(stat(build(folder, "seven", "", 7), [])[1] == 7, "exit status")
    _, status, text = stat(build(folder, "wild", "\tmov r3 = 64 ;;\n\tld8 r3 = [r3] ;;\n"), [])
    check(status == 128 + 11 and "not mapped" in text, f"a wild load: {status}, {text}")
    _, status, text = stat(build(folder, "endless", "self:\n\tbr.few self ;;\n"), [], "--limit", "10000")
    check(status == 128 + 24 and "limit of 10000 instructions" in text, f"an endless program: {status}, {text}")
    path = os.path.join(folder, "cut")
    with open(os.path.join(folder, "seven"), "rb") as source, open(path, "wb") as out:
        out.write(source.read()[:100])
    os.chmod(path, 0o755)
    check(stat(path, [])[1] not in (0, 70), "a program that is cut off")
    other = subprocess.run([BOXSCORE, "stat", "-M", "hsx", "--", os.path.join(folder, "seven")], capture_output=True, text=True,
                           timeout=60, check=False)
    check(other.returncode == 69, f"a Xeon: {other.returncode}")


def main():
    if not shutil.which("ia64-linux-gnu-as"):
        print("no ia64-linux-gnu-as: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        test_sums(folder)
        test_modes(folder)
        test_counts(folder)
        test_threads(folder)
        test_threads_time(folder)
        test_evictions(folder)
        test_ends(folder)
    return done()


sys.exit(main())
