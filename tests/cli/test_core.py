#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The core's box of each Xeon family: what the catalogue commands say of it, and readings of a program whose instructions
are counted by hand.

usage: test_core.py BOXSCORE COUNT
"""
import json
import sys

from checks import check, check_at, done, here, refused, run

COUNT = sys.argv[2]
FAMILIES = ["hsx", "snbep", "nhmex"]


def says(part, *args, but=None):
    at, got = here(above=1), run(*args)
    check_at(at, got.returncode == 0, f"{args}: exit {got.returncode}: {got.stderr[:300]}")
    check_at(at, part in got.stdout, f"{args}: {part!r} is not in {got.stdout[:600]!r}")
    if but:
        check_at(at, but not in got.stdout, f"{args}: {but!r} is in {got.stdout[:600]!r}")


def catalogue(family):
    f = ("-f", family)
    says(f"IA32_PERF_GLOBAL_CTRL of core ({family}) = 0x70000000f", "explain", *f, "0x38f", "0x70000000f")
    says("34     en_fixed2      0x1", "explain", *f, "0x38f", "0x70000000f", but="reserved bits are set")
    says("note: reserved bits are set", "explain", *f, "IA32_PERF_GLOBAL_CTRL", "0x100000000000")
    says("event core.INST_RETIRED: Instructions retired\n  with PREC_DIST (0x01)", "explain", *f, "0x186", "0x4301c0")
    says("with RFO_HIT (0x" if family == "hsx" else "with RFO_HIT (0x04): Reads for ownership that hit (not modelled)",
         "explain", *f, "0x186", "0x434224" if family == "hsx" else "0x430424")
    says("core.BR_INST_RETIRED: Branches retired (not modelled)", "explain", *f, "IA32_PERFEVTSEL2", "0x4300c4")
    says("core.INST_RETIRED.ANY_P                      subevent", "list", *f, "INST_RETIRED")
    says("core.BR_INST_RETIRED                         not modelled", "list", *f, "INST_RETIRED")
    says("core.BR_INST_RETIRED.ALL_BRANCHES            not modelled", "list", *f, "INST_RETIRED")
    says("reg=IA32_FIXED_CTR0", "info", *f, "core.INST_RETIRED.ANY")
    says("  machine   drives it", "info", *f, "core.LONGEST_LAT_CACHE")
    says("(not modelled)", "info", *f, "core.L2_RQSTS")
    says("11:8   pebs_format", "info", *f, "IA32_PERF_CAPABILITIES")
    # Every CPU has the register; it is printed once.
    rows = [line.split("\t") for line in run("dump", "registers", *f).stdout.splitlines()]
    check([r[2:6] for r in rows if r[3] == "IA32_PERF_GLOBAL_CTRL"] == [["0", "IA32_PERF_GLOBAL_CTRL", "msr", "0x38f"]],
          f"{family}: {[r for r in rows if 'GLOBAL_CTRL' in r[3]]}")


def readings(machine, events, *args, more=()):
    got = run("stat", "-M", machine, "-j", "--truth", *more, "-e", events, "--", COUNT, *args)
    return {r["event"]: r for r in (json.loads(li) for li in got.stderr.splitlines() if li.startswith("{"))}


# By how much a reading grows: 400000 rounds of two instructions, or 1000 lines that no cache has.
ROUNDS, LINES = ("0000100000", "00100"), ("0000500000", "00100")
FAR = ("0000100000", "01100")
MISSES = {"hsx": "core.MEM_LOAD_UOPS_RETIRED.L3_MISS", "snbep": "core.MEM_LOAD_UOPS_RETIRED.LLC_MISS",
          "nhmex": "core.MEM_LOAD_RETIRED.L3_MISS"}
RESPONSES = {"hsx": "core.OFFCORE_RESPONSE_0.RSP:dmnd_data_rd=1,local=1", "nhmex": "core.OFFCORE_RESPONSE_0.RSP:dmnd_data_rd=1,local_dram=1",
             "snbep": "core.OFFCORE_RESPONSE_0.RSP:dmnd_data_rd=1,local=1"}


def counted(family):
    machine = f"{family},cores=2,sockets=1"
    few, many = (readings(machine, "core.INST_RETIRED.ANY,core.INST_RETIRED.ANY_P", *a) for a in (ROUNDS, LINES))
    for event in ("core.INST_RETIRED.ANY", "core.INST_RETIRED.ANY_P"):
        for key in ("value", "truth"):
            grown = many[event][key] - few[event][key]
            check(grown == 800000, f"{family} {event} {key}: {grown} more, want 800000")
        check(many[event]["validity"] == "exact", f"{family} {event}: {many[event]}")
    events = f"{MISSES[family]},{RESPONSES[family]}"
    few, many = (readings(machine, events, *a) for a in (ROUNDS, FAR))
    for event in events.split(",core."):
        event = event if event.startswith("core.") else f"core.{event}"
        grown = {key: many[event][key] - few[event][key] for key in ("value", "truth")}
        check(grown == {"value": 1000, "truth": 1000}, f"{family} {event}: {grown}, want 1000 more")


def marked():
    """No number where the machine knows none."""
    for event in ("core.BR_INST_RETIRED.ALL_BRANCHES", "core.L2_RQSTS.RFO_HIT", "core.INST_RETIRED.ANY_P:cmask=2",
                  "core.INST_RETIRED.ANY_P:edge=1,thresh=1", "core.INST_RETIRED.ANY_P:usr=0", "core.L2_RQSTS.0x02", "core.0xfe"):
        got = readings("hsx,cores=2,sockets=1", f"{event},core.INST_RETIRED.ANY", *ROUNDS).get(event, {})
        check(got.get("validity") == "not-modelled" and got.get("value") is None, f"{event}: {got}")
    refused(65, "core: no field nothing", "stat", "-e", "core.INST_RETIRED.ANY_P:nothing=1", "--", COUNT, *ROUNDS)
    refused(65, "core: no box 72", "stat", "-e", "core72.INST_RETIRED.ANY", "--", COUNT, *ROUNDS)
    refused(65, "need different values of", "stat", "-e", "core.OFFCORE_RESPONSE_0.RSP:dmnd_rfo=1,"
            "core.OFFCORE_RESPONSE_0.RSP:dmnd_data_rd=1", "--", COUNT, *ROUNDS)


def assigned():
    """Some events have one counter only; five events are more than four counters."""
    both = "core.L1D_PEND_MISS.PENDING,core.CYCLE_ACTIVITY.STALLS_L1D_PENDING"
    refused(65, "need counter 2", "stat", "-M", "hsx", "-e", f"{{{both}}}", "--", COUNT, *ROUNDS)
    masks = ",".join(f"core.OFFCORE_REQUESTS.0x0{m}" for m in (1, 2, 3, 4, 5))
    check(all(r["validity"] == "scaled" for r in readings("hsx,cores=2", masks, *ROUNDS).values()), "five events in four counters")
    check(all(r["validity"] == "exact" for r in readings("hsx,cores=2,threads=1", masks, *ROUNDS).values()), "and in eight")


def raised():
    """A console raises what no core here does."""
    got = run("shell", "-M", "hsx", input="wrmsr 0 0x186 0x4300c4\npulse core0 BR_INST_RETIRED.ALL_BRANCHES 5\nrdmsr 0 0xc1\n"
              "pulse core0 BR_INST_RETIRED.CONDITIONAL 5\nrdmsr 0 0xc1\nread core0 IA32_A_PMC0\nrdmsr 1 0xc1\n")
    check(got.stdout.split() == ["0x5", "0x5", "0x5", "0x0"], f"{got.stdout!r} {got.stderr!r}")


for name in FAMILIES:
    catalogue(name)
    counted(name)
marked()
assigned()
raised()
sys.exit(done())
