#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""LIKWID on the machine, through its access daemon (its default) and directly: topology, power, and groups of
events whose truth follows from the instructions: the kernel `stream` with op=read takes six for each line.
What LIKWID counts is compared as rates: it starts and stops core and uncore one after the other.

usage: test_likwid.py BOXSCORE
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from accesses import Accesses
from steady import Steady, stay
from tools import Boxscore, check, check_that, die_with_us, done

MACHINE = "hsx,cores=4"
READ = "stream:size=32M,op=read,prefetch=0"  # more than the last-level cache holds
PER_LINE = 6  # instructions


def is_core(counter):
    return re.match(r"FIXC|PMC", counter)


class Likwid:
    def __init__(self, program, folder):
        self.b = Boxscore(program, "likwid-perfctr", "likwid-topology", "likwid-powermeter")
        self.folder = folder

    def perfctr(self, seconds, group, load, *more, machine=MACHINE, cpus=(0, 4), **run):
        """LIKWID's sleeps, half a second to learn the clock, are the world's; for how long it counts is the machine's time.
        Events of hardware threads (the sockets' first cores) in a microsecond of the machine, by the time that their
        counters ran: {(event, counter): [n, n]}."""
        path = f"{self.folder}/log"
        out = self.b.client(["-M", machine, "--load", load, "--log", path],
                            ["likwid-perfctr", "-O", "-C", ",".join(map(str, cpus)), *more, "-g", group,
                             *stay(seconds)], machine_time=False, **run)
        log = Accesses(path)
        core = [1e6 * log.running(str(cpu), "0x38f", lambda v: v != 0) for cpu in cpus]
        uncore = [1e6 * log.running(str(cpu), "0x700", lambda v: v == 1 << 29) for cpu in cpus]
        rates = {}
        for line in (out or "").splitlines():
            cells = line.split(",")
            if len(cells) >= 2 + len(cpus) and "STAT" not in cells[0] and \
               re.fullmatch(r"[A-Z]+[0-9A-Z]*(C\d+|FIX|\d)(:.*)?", cells[1]):
                ran = core if is_core(cells[1]) else uncore
                rates[cells[0], cells[1]] = [0 if c == "-" else float(c) / t for c, t in zip(cells[2:], ran)]
        check_that(f"{group} prints counts", rates, out)
        return rates


def total(counts, *events, thread=None):
    return sum(v[t] for (event, _), v in counts.items() if event in events
               for t in (range(len(v)) if thread is None else (thread,)))


def topology(likwid):
    out = likwid.b.client(["-M", MACHINE], ["likwid-topology"]) or ""
    fields = dict(re.findall(r"^([A-Z][A-Za-z ]+):\s+(.*)$", out, re.M))
    check("name", fields.get("CPU name"), "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz")
    check("type", fields.get("CPU type"), "Intel Xeon Haswell EN/EP/EX processor")
    check("shape", [fields.get(k) for k in ("Sockets", "Cores per socket", "Threads per core", "NUMA domains")],
          ["2", "4", "2", "2"])
    check("sockets", re.findall(r"^Socket \d:\s+(.*)$", out, re.M), ["( 0 8 1 9 2 10 3 11 )", "( 4 12 5 13 6 14 7 15 )"])
    check("caches", re.findall(r"^Size:\s+(.*)$", out, re.M), ["32 kB", "256 kB", "10 MB"])


def power(likwid):
    out = likwid.b.client(["-M", MACHINE], ["likwid-powermeter", "-i"]) or ""
    for line in ("Base clock:\t2300.00 MHz", "Minimal clock:\t1200.00 MHz", "C0 3600.00 MHz", "C2 3400.00 MHz",
                 "Thermal Spec Power: 145 Watt", "Maximal Uncore frequency: 2300 MHz"):
        check_that(f"powermeter says {line!r}", line in out, out)


def energy(s, likwid):
    """Of two packages, one after the other; the first works."""
    milliseconds = round(100000 * s.window)  # of the world
    out = likwid.b.client(["-M", MACHINE, "--load", READ], ["likwid-powermeter", "-s", f"{milliseconds}ms"], machine_time=False) or ""
    package = [float(x) for x in re.findall(r"Domain PKG:\nEnergy consumed: (\S+) Joules", out)]
    s.that("the package that works takes more", len(package) == 2 and package[0] > 2 * package[1] > 0, out)


def memory(s, likwid):
    for mode in ([], ["-M", "0"]):
        n = likwid.perfctr(s.window, "MEM", READ, *mode)
        lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
        s.that("instructions retire", lines > 1, n)
        s.near("MEM reads", total(n, "CAS_COUNT_RD"), lines)
        s.few("MEM writes", total(n, "CAS_COUNT_WR"), lines)
        s.few("MEM of the other socket", total(n, "CAS_COUNT_RD", thread=1), lines)
    n = likwid.perfctr(s.window, "MEM", "stream:size=32M,op=copy,prefetch=0")
    s.near("MEM of a copy: half as many writes", 2 * total(n, "CAS_COUNT_WR"), total(n, "CAS_COUNT_RD"))
    n = likwid.perfctr(s.window, "HA", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("HA reads", total(n, "IMC_READS_NORMAL", "BYPASS_IMC_TAKEN"), lines)


def caches(s, likwid):
    n = likwid.perfctr(s.window, "CBOX", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("CBOX misses", total(n, "LLC_LOOKUP_ANY", thread=0), lines)
    s.near("CBOX of the other socket, which is snooped for each", total(n, "LLC_LOOKUP_ANY", thread=1), lines)
    s.few("CBOX dirty victims", total(n, "LLC_VICTIMS_M"), lines)
    n = likwid.perfctr(s.window, "L3", READ)
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    s.near("L3 lines in", total(n, "L2_LINES_IN_ALL"), lines)
    s.few("L3 lines out", total(n, "L2_TRANS_L2_WB"), lines)
    n = likwid.perfctr(s.window, "L3", "stream:size=32M,op=copy,prefetch=0")
    s.near("L3 of a copy: half go out", 2 * total(n, "L2_TRANS_L2_WB"), total(n, "L2_LINES_IN_ALL"))


def sockets(s, likwid):
    n = likwid.perfctr(s.window, "QPI", READ + ",node=1")
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    # Eight flits of data a line; request, snoop and the header of the data are three without.
    s.near("QPI data received", total(n, "RXL_FLITS_G0_DATA", thread=0), 8 * lines)
    s.near("QPI data sent by the other", total(n, "TXL_FLITS_G0_DATA", thread=1), 8 * lines)
    s.few("QPI data the other way", total(n, "TXL_FLITS_G0_DATA", thread=0), lines)
    s.near("QPI without data, both ways", total(n, "RXL_FLITS_G0_NON_DATA"), 3 * lines)
    for where, local in (("", True), (",node=1", False)):
        n = likwid.perfctr(s.window, "NUMA", READ + where)
        lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
        s.near("NUMA", total(n, "OFFCORE_RESPONSE_0_LOCAL_DRAM" if local else "OFFCORE_RESPONSE_1_REMOTE_DRAM"), lines)
        s.few("NUMA else", total(n, "OFFCORE_RESPONSE_1_REMOTE_DRAM" if local else "OFFCORE_RESPONSE_0_LOCAL_DRAM"), lines)


def clocks(s, likwid):
    n = likwid.perfctr(s.window, "CLOCK", READ)
    cycles = total(n, "CPU_CLK_UNHALTED_CORE", thread=0)
    s.near("the uncore's clock, of 2.3 GHz as well", n["UNCORE_CLOCK", "UBOXFIX"][0], cycles)
    s.near("the other socket's", n["UNCORE_CLOCK", "UBOXFIX"][1], n["UNCORE_CLOCK", "UBOXFIX"][0])
    n = likwid.perfctr(s.window, "SBOX_CLOCKTICKS:SBOX0C0,SBOX_CLOCKTICKS:SBOX1C3,UNCORE_CLOCK:UBOXFIX", READ)
    for box in ("SBOX0C0", "SBOX1C3"):
        s.near("SBOX", n["SBOX_CLOCKTICKS", box][0], n["UNCORE_CLOCK", "UBOXFIX"][0])


def daemon_only(s, likwid):
    """Neither root nor FUSE: the door of the daemon is all there is."""
    program = [likwid.b.program]
    if os.geteuid() == 0:
        program = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *program]
    inside = ("stat -f -c %T /proc/cpuinfo; ls /dev/cpu/*/msr 2>&1 | wc -l; "
              f"likwid-topology | grep -E '^(Sockets|Cores)'; likwid-perfctr -O -C 0,4 -g MEM sleep {100 * s.window}")
    got = subprocess.run([*program, "with", "--likwid", "-M", MACHINE, "--load", READ, "--", "sh", "-c", inside],
                         capture_output=True, text=True, check=False)
    if got.returncode == 69 or "Permission denied" in got.stderr:
        print(f"not as a user: {got.stderr.strip()}")
        return
    out = got.stdout.splitlines()
    check("no FUSE, no registers in files", out[:2], ["tmpfs", "1"])
    check("topology", [line.split() for line in out[2:4]], [["Sockets:", "2"], ["Cores", "per", "socket:", "4"]])
    counts = {(row[0], row[1]): row[2:4] for row in (line.split(",") for line in out) if len(row) >= 4}
    reads = sum(int(counts["CAS_COUNT_RD", f"MBOX{c}C0"][0]) for c in (0, 1, 4, 5))
    lines = int(counts["INSTR_RETIRED_ANY", "FIXC0"][0]) / PER_LINE
    s.that("reads of memory", lines > 1000 and abs(reads - lines) < lines / 4, (reads, lines))


def busy(likwid):
    """More processes that want to run than there are processors: clocks and counters are those of one moment of the machine."""
    path = f"{likwid.folder}/busy"
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=die_with_us) for _ in range(3 * os.cpu_count())]
    try:
        out = likwid.b.client(["-M", MACHINE, "--load", READ, "--log", path],
                              ["likwid-perfctr", "-O", "-C", "0,4", "-g", "MEM", "sleep", "1"], machine_time=False) or ""
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    ran = Accesses(path).running("0", "0x700", lambda v: v == 1 << 29)
    reads = sum(map(int, re.findall(r"^CAS_COUNT_RD,MBOX\dC0,(\d+),", out, re.M)))
    lines = sum(map(int, re.findall(r"^INSTR_RETIRED_ANY,FIXC0,(\d+),", out, re.M))) / PER_LINE
    said = [float(s) for s in re.findall(r"^Memory read bandwidth \[MBytes/s\],([\d.]+)", out, re.M)]
    check("CPU clock on a busy computer", re.findall(r"CPU clock:,?\s*([\d.]+)", out)[:1], ["2.30"])
    check_that("as many reads as lines", lines and abs(reads - lines) <= lines / 100, (reads, lines))
    check_that("LIKWID's rate is that of the machine", said and ran and abs(said[0] * 1e6 * ran - 64 * reads) <= 64 * reads / 100,
               (said, reads, ran))


def sbox_as_shipped(likwid):
    """Its group SBOX asks for an event whose name its list has twice, and it takes the CBo's (docs/guide/likwid.md)."""
    got = likwid.b.run(["with", "-M", MACHINE, "--", "likwid-perfctr", "-C", "0", "-g", "SBOX", "true"])
    check("SBOX as shipped runs", got.returncode, 0)
    check("what LIKWID itself says of it", [line for line in got.stderr.splitlines() if "SBOX" in line],
          [f"WARN: Register SBOX{n}C0 not allowed for event RING_BL_USED_ANY (limit CBOX)" for n in (0, 1)])


def sbox_by_number(s, likwid):
    """The same group with the event's number, as docs/guide/likwid.md has it; the truth is what `stat` counts."""
    load, machine = "stream:size=128M,op=read,prefetch=0", "hsx,cores=12"
    home = f"{likwid.folder}/.likwid/groups/haswellEP"
    os.makedirs(home, exist_ok=True)
    with open("/usr/share/likwid/perfgroups/haswellEP/SBOX.txt", encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"SBOX(\d)C0(?= RING)|SBOX(\d)C0(?=[+)])", r"SBOX\1\2C0:CONFIG=0x1D:UMASK=0xF", text)
    with open(f"{home}/SBOXBL.txt", "w", encoding="utf-8") as f:
        f.write(text.replace("RING_BL_USED_ANY", "GENERIC_EVENT"))
    n = likwid.perfctr(s.window, "SBOXBL", load, machine=machine, cpus=(0,), env={**os.environ, "HOME": likwid.folder})
    got = likwid.b.run(["stat", "-M", machine, "--kernel", load, "-A", "-j", "-e",
                        "sbo.RING_BL_USED.UP,sbo.RING_BL_USED.DOWN,imc.CAS_COUNT.RD"])
    truth = {}
    for row in map(json.loads, got.stdout.splitlines()):
        name = row["box"] if row["box"].startswith("sbo") else "lines"
        if row["socket"] == 0:
            truth[name] = truth.get(name, 0) + row["value"]
    lines = total(n, "INSTR_RETIRED_ANY") / PER_LINE
    for box in range(4):
        used = n["GENERIC_EVENT", f"SBOX{box}C0:CONFIG=0x1D:UMASK=0xF"][0] / lines
        want = truth[f"sbo{box}"] / truth["lines"]
        if box < 2:
            s.near(f"data ring at SBo {box}, clocks a line", used, want)
        else:
            check(f"no ring at SBo {box}", (used, want), (0, 0))


def main(argv):
    with tempfile.TemporaryDirectory(prefix="bxs-likwid") as folder:
        likwid = Likwid(argv[1], folder)
        topology(likwid)
        power(likwid)
        sbox_as_shipped(likwid)
        busy(likwid)
        for scenario in (energy, daemon_only, memory, caches, sockets, clocks, sbox_by_number):
            Steady().run(scenario, likwid)
    done()


if __name__ == "__main__":
    main(sys.argv)
