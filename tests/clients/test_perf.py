#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Linux's perf on the machine, unmodified: what it lists, what it counts, what it is refused; and a program that calls
perf_event_open() itself.

usage: test_perf.py BOXSCORE CALLS STATIC-CALLS
"""
import re
import sys

from steady import Steady
from tools import Boxscore, check, check_that, done

MACHINE = "hsx,sockets=2,cores=4"
LOAD = "stream:size=32M,op=read,threads=2,step=4,prefetch=0"
# By hand from the driver: as many CBos as a socket has cores, two SBos on a die of up to 8, of PCI functions those that answer (the
# part has two links, a home agent and a ring stop more); no number where the driver knows one box only.
PMUS = {"uncore_ubox", "uncore_pcu", "uncore_irp", "uncore_r2pcie", *(f"uncore_cbox_{n}" for n in range(4)),
        "uncore_sbox_0", "uncore_sbox_1", "uncore_qpi_0", "uncore_qpi_1", "uncore_ha_0", "uncore_ha_1", *(f"uncore_imc_{n}" for n in range(8)),
        *(f"uncore_r3qpi_{n}" for n in range(3))}
# Of Ivy Bridge-EP it knows two ring stops, and no number of its one IRP.
IVBEP = "ivbep,sockets=2,cores=4"
IVBEP_PMUS = {p for p in PMUS if "sbox" not in p} - {"uncore_r3qpi_2"}


def stat(b, events, seconds, options=(), arguments=(), machine=MACHINE):
    """{event: [(count, % of the time that it counted)]} of perf stat -a; None where perf says that it is not supported."""
    words = [w for e in events for w in ("-e", e)]
    got = b.run(["with", "-M", machine, "--machine-time", *options, "--", "perf", "stat", "-a", "-x", ";", *arguments, *words,
                 "sleep", str(seconds)])
    check(f"perf stat -e {' -e '.join(events)[:60]}", got.returncode, 0)
    counts = {}
    for line in got.stderr.splitlines():
        word = line.split(";")
        if len(word) > 4:
            count = 0 if word[0] == "<not counted>" else word[0]
            counts.setdefault(word[2], []).append(None if count == "<not supported>" else (float(count), float(word[4])))
    return counts


def files(b):
    """sysfs as the driver makes it."""
    top = "/sys/bus/event_source/devices"
    script = f"ls {top}; cd {top}/uncore_imc_0; cat cpumask events/cas_count_read events/cas_count_read.scale; echo; cat " \
             f"events/cas_count_read.unit; echo; cat ../uncore_cbox_3/format/filter_opc ../uncore_qpi_1/format/event " \
             f"perf_event_mux_interval_ms /proc/sys/kernel/perf_event_paranoid; cat {top}/*/type | sort | uniq -d"
    got = b.run(["with", "-M", MACHINE, "--", "sh", "-c", script])
    lines = got.stdout.split("\n")
    check("PMUs", {l for l in lines if l.startswith("uncore_")}, PMUS)
    check("files", [l for l in lines if l and not re.match("uncore_|software|cpu$", l)],
          ["0,4", "event=0x04,umask=0x036.103515625e-5", "MiB", "config1:52-60", "config:0-7,21", "4", "2"])


def ivbep_files(b):
    got = b.run(["with", "-M", IVBEP, "--", "sh", "-c", "cd /sys/bus/event_source/devices; ls; cat uncore_cbox_3/format/filter_state "
                 "uncore_imc_0/events/clockticks; echo; ls uncore_pcu/format"])
    lines = got.stdout.split()
    check("PMUs of ivbep", {l for l in lines if l.startswith("uncore_")}, IVBEP_PMUS)
    check("formats of ivbep", ["config1:17-22" in lines, "event=0xff,umask=0x00" in lines, "inv" in lines], [True, True, False])


def lists(b):
    got = b.run(["with", "-M", MACHINE, "--", "perf", "list", "--no-desc", "uncore"])
    check("perf list", got.returncode, 0)
    check_that("perf lists what the driver names", "uncore_imc_7/cas_count_write/" in got.stdout, got.stdout[:300])
    aliases = [w for line in got.stdout.splitlines() for w in re.findall(r"^  ((?:unc|llc|qpi)_\w[^ /]*) ", line)]
    check_that("and its own table for this processor", len(aliases) > 40 and "unc_m_cas_count.rd" in aliases,
               aliases)
    return aliases


def all_open(b, aliases):
    """Each alias that perf has for the processor opens and counts."""
    for n in range(0, len(aliases), 60):
        counts = stat(b, aliases[n:n + 60], 0.005)
        check("each is there", set(counts), set(aliases[n:n + 60]))
        check("supported", [name for name, rows in counts.items() if None in rows], [])


def right(s, b):
    """Each line that is read is a look-up of a CBo, a request of a home agent, a read of a channel and, here, of perf's table."""
    channels = [f"uncore_imc_{n}/cas_count_read/" for n in (0, 1, 4, 5)]
    agents = [f"uncore_ha_{n}/event=0x1,umask=0x3/" for n in (0, 1)]
    slices = [f"uncore_cbox_{n}/event=0x34,umask=0x3,filter_state=0x7f/" for n in range(4)]
    others = ["unc_m_cas_count.rd", "uncore_ubox/event=0xff/", "uncore_imc_0/clockticks/", "cache-misses", "instructions",
              "cpu/event=0xc0/", "ref-cycles"]
    counts = stat(b, channels + agents + slices + others, s.window, ("--load", LOAD))

    def total(names):
        return sum(value for name in names for value, _ in counts[name])
    lines = total(channels) * 2 ** 20 / 64      # perf shows what it counts 64 bytes of in MiB
    s.that("the load ran", lines > 1000, counts)
    for what, names in (("home agents", agents), ("CBos", slices)):
        s.near(what, total(names), lines)
    # The table's name stands for all channels; 64 bytes a count again.
    s.near("perf's own name", total(["unc_m_cas_count.rd"]), lines, 5)
    # Both clocks tell the same time: 1066.667 and 2300 MHz, of two sockets.
    s.near("clocks", total(["uncore_ubox/event=0xff/"]) / 2300, total(["uncore_imc_0/clockticks/"]) / 1066.667)
    # What misses the last-level cache is what memory reads, and instructions are the same by either name.
    s.near("misses of the cores", total(["cache-misses"]), lines)
    s.near("instructions", total(["instructions"]), total(["cpu/event=0xc0/"]), 5)
    s.near("clocks of the cores, two of which run", total(["ref-cycles"]), total(["uncore_ubox/event=0xff/"]))
    seconds = total(["uncore_ubox/event=0xff/"]) / 2 / 2.3e9
    want = b.run(["stat", "-M", MACHINE, "--kernel", LOAD, "-x", ",", "-m", "memory_read_bw"]).stdout.splitlines()[1].split(",")[1]
    s.near("GB/s, as boxscore stat has it", lines * 64 / seconds / 1e9, float(want), 5)


def ivbep_right(s, b):
    """The same of Ivy Bridge-EP, whose opcodes stand in the second filter."""
    lists = [[f"uncore_imc_{n}/cas_count_read/" for n in (0, 1, 4, 5)], [f"uncore_ha_{n}/event=0x1,umask=0x3/" for n in (0, 1)],
             [f"uncore_cbox_{n}/event=0x34,umask=0x3,filter_state=0x3f/" for n in range(4)],
             [f"uncore_cbox_{n}/event=0x35,umask=0x3,filter_opc=0x182/" for n in range(4)], ["unc_m_cas_count.rd"]]
    counts = stat(b, [e for events in lists for e in events], s.window, ("--load", LOAD), machine=IVBEP)
    lines, *others = (sum(value for e in events for value, _ in counts[e]) for events in lists)
    lines *= 2 ** 20 / 64
    s.that("the load ran", lines > 1000, counts)
    for what, n in zip(("home agents", "look-ups", "misses by opcode", "perf's own name"), others):
        s.near(f"{what} of ivbep", n, lines)


def scaled(s, b):
    """Eight of four counters: half the time each, and scaled they say what one alone would."""
    counts = stat(b, [f"uncore_pcu/event=0,thresh={n}/" for n in (0, 1)] * 4, 40 * s.window)
    rows = [row for rows in counts.values() for row in rows]
    check("eight of the PCU", len(rows), 8)
    s.that("they took turns", all(row and 35 < row[1] < 65 for row in rows), rows)
    for row in rows:
        s.near("scaled", row[0], rows[0][0], 10)


def refused(b):
    """A process has no uncore; events that no counter has are none."""
    for arguments in (["-e", "uncore_ha_0/config=0xff/", "-a"], ["-e", "uncore_imc_0/clockticks/", "--pid", "1"]):
        got = b.run(["with", "-M", MACHINE, "--", "perf", "stat", *arguments, "true"])
        check_that(f"refused: {arguments}", got.returncode != 0 or "not supported" in got.stderr, got.stderr)
    got = b.run(["with", "-M", MACHINE, "--", "perf", "record", "-o", "/dev/null", "-a", "-e", "uncore_imc_0/clockticks/", "true"])
    check("nothing samples", got.returncode, 255)


def calls(b, dynamic, static):
    for options, program in (([], dynamic), ([], static), (["--native"], static)):
        got = b.run(["with", "-M", MACHINE, *options, "--", program])
        check(f"{program}", (got.returncode, got.stderr), (0, ""))
        if got.returncode:
            print(got.stdout)


def main(argv):
    b = Boxscore(argv[1], "perf")
    files(b)
    ivbep_files(b)
    all_open(b, lists(b))
    refused(b)
    calls(b, argv[2], argv[3])
    Steady().run(right, b)
    Steady().run(ivbep_right, b)
    Steady().run(scaled, b)
    done()


if __name__ == "__main__":
    main(sys.argv)
