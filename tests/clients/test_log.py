#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Logs, their replay, checks of what the manual forbids, and faults on demand, as a tool meets them."""
import re
import sys
import tempfile

from tools import Boxscore, check, check_that, done

SHAPE = ["-M", "hsx,sockets=1,cores=2"]

# What a tool does, one access a row, and what the log says of it from the operation on.
ACCESSES = [
    ("rdmsr 0xe00", "rdmsr 0 0xe00 0 ; s0.cbo0 C0_MSR_PMON_BOX_CTL"),
    ("wrmsr -p 3 0xe01 0x400334", "wrmsr 3 0xe01 0x400334 ; s0.cbo0 C0_MSR_PMON_CTL0 ev_sel=0x34 umask=3 en=1 "
                                  "(LLC_LOOKUP.DATA_READ)"),
    ("rdmsr 0xdead", "rdmsr 0 0xdead #GP"),
    ("wrmsr 0xdead 5", "wrmsr 0 0xdead 0x5 #GP"),
    ("setpci -s ff:14.0 d8.l=400304", "wrpci ff:14.0 0xd8 32 0x400304 ; s0.imc0 MC0_CH0_PCI_PMON_CTL0 "
                                      "ev_sel=4 umask=3 en=1 (CAS_COUNT.RD)"),
    ("setpci -s ff:14.0 d9.b", "rdpci ff:14.0 0xd9 8 0x3 ; s0.imc0 MC0_CH0_PCI_PMON_CTL0 umask=3"),
    ("rdmsr 0xce", "rdmsr 0 0xce 0xc0000001700 ; MSR_PLATFORM_INFO"),
    ("wrmsr -p 1 0x187 0x41412e", "wrmsr 1 0x187 0x41412e ; IA32_PERFEVTSEL1"),
    ("wrmsr 0x38f 7", "wrmsr 0 0x38f 0x7 ; IA32_PERF_GLOBAL_CTRL"),
    ("setpci -s 00:05.6 d8.w=1", "wrpci 00:05.6 0xd8 16 0x1 ; s0.irp IRP0_PCI_PMON_CTL0 ev_sel=1"),
]

# (what a tool does, the rules that it breaks)
RULES = [
    ("wrmsr 0xe00 0x30100", ""),
    ("wrmsr 0xe00 0x30103", ""),
    ("wrmsr 0xe00 0x10103", "wanted-ones"),
    ("wrmsr 0xe01 0x400000", ""),
    ("wrmsr 0xe01 0x410000", "reserved"),
    ("wrmsr 0xe01 0x440000", "threshold"),
    ("wrmsr 0xe01 0xc00000", "threshold"),
    ("wrmsr 0xe01 0x1440000", ""),
    ("wrmsr 0xe01 0x4000ff", "unknown-event"),
    ("wrmsr 0xe02 0x400836", "wrong-counter"),
    ("wrmsr 0xe01 0x400334", "empty-filter"),
    # LLC_VICTIMS without a subevent; RxR_INSERTS with a bit that is none; the occupancy of cores in no state, which is what is
    # left when LIKWID has lost its occ_sel; then each as it should be.
    ("wrmsr 0xe01 0x400037", "empty-mask"),
    ("wrmsr 0xe01 0x408037", "empty-mask"),
    ("wrmsr 0x711 0x400080", "empty-mask"),
    ("wrmsr 0xe01 0x400137", ""),
    ("wrmsr 0x711 0x404080", ""),
    ("wrmsr 0xe05 0xfe0000; wrmsr 0xe01 0x400334", ""),
    ("wrmsr 0xe05 0xfe0000; wrmsr 0xe01 0x400334; wrmsr 0xe05 0x20000", "filter-in-use"),
    ("wrmsr 0x721 0x400101", "write-twice"),
    ("wrmsr 0x721 0x101; wrmsr 0x721 0x400101", ""),
    ("wrmsr 0x186 0x41412e", ""),
    ("wrmsr 0x186 0x4100c4", "not-modelled"),
    ("wrmsr 0x186 0x0100c4", ""),
    ("wrmsr 0x186 0x42412e", "not-modelled"),
    ("wrmsr 0x186 0x45412e", "not-modelled"),
    ("wrmsr 0x186 0x141412e", "not-modelled"),
    ("wrmsr 0x187 0x410fb0", "not-modelled"),
    ("wrmsr 0x187 0x4106b0", ""),
    ("wrmsr 0x187 0x4101b7", ""),
    ("wrmsr 0x187 0x4102b7", "not-modelled"),
    ("wrmsr -p 1 0x189 0x4100c4; wrmsr -p 0 0x186 0x4100c4", "not-modelled"),
    ("wrmsr 0x186 0x4100c4; wrmsr 0x187 0x4100c5", "not-modelled not-modelled"),
    ("wrmsr 0x186 0x410148", "wrong-counter"),
    ("wrmsr 0x188 0x410148; wrmsr 0x189 0x411048", "not-modelled"),
    ("wrmsr 0x187 0xc410ca3", "wrong-counter"),
    ("wrmsr 0x188 0xc410ca3; wrmsr 0x187 0x4101c0", ""),
    ("wrmsr 0xdead 0", "fault"),
    ("rdmsr 0xdead", "fault"),
    ("setpci -s ff:14.0 d8.l=400304; setpci -s ff:14.0 a0.l", "half-read"),
    ("setpci -s ff:14.0 d8.l=400304 f4.l=30100; setpci -s ff:14.0 a0.l", ""),
    ("setpci -s ff:14.0 a0.l", ""),
    ("setpci -s ff:14.0 dc.l=400304; setpci -s ff:14.0 a0.l; setpci -s ff:14.0 a8.l", "half-read"),
    ("setpci -s ff:14.0 d0.l", ""),
    ("setpci -s ff:14.0 f0.l=400000; setpci -s ff:14.0 d0.l", "half-read"),
    ("lspci -xxxx >/dev/null", ""),
    ("wrmsr 0x700 0xa0000000", "freeze"),
    ("python3 -c 'import os; f = os.open(\"/dev/cpu/0/msr\", 2); os.pwrite(f, b\"\\0\\0\\x40\\0\\0\\0\\0\\0\", 0xe01); "
     "os.system(\"wrmsr 0xe01 0x400000\")'", "in-use"),
]

# (fault, what a tool does, what it prints)
FAULTS = [
    ("hide=D20:F0", "lspci -n -s 14.0 | wc -l; cat /proc/bus/pci/ff/14.0", "0"),
    ("hide=D20:F0", "lspci -n -s 14.1 | wc -l", "1"),
    ("gp=0x606", "rdmsr 0x606 || echo no", "no"),
    ("gp=0x606,gp=0x607", "rdmsr 0x607 || echo no", "no"),
    ("stuck=cbo1.CTR1", "wrmsr 0xe19 0x77; wrmsr 0xe12 0x400000; rdmsr 0xe19", "77"),
    ("stuck=imc0.CTR0", "setpci -s ff:14.0 a0.l=12345678; setpci -s ff:14.0 d8.l=400000; setpci -s ff:14.0 a2.b a0.l",
     "34\n12345678"),
    ("phantom=imc5", "setpci -s ff:14.0 a0.l=1234; setpci -s ff:17.1 a0.l 2.w", "00001234\n2fd1"),
    ("erratum=sbo-gp", "wrmsr 0x720 0x10003 || echo no; wrmsr 0x720 1; wrmsr 0x720 3; wrmsr 0x720 0x10003; echo yes",
     "no\nyes"),
    ("erratum=write-twice", "wrmsr 0x721 0x400001; rdmsr 0x721; wrmsr 0x721 0x400001; rdmsr 0x721", "400000\n400001"),
]

REFUSED = [
    ("hide", 65), ("hide=20.0", 65), ("hide=D32:F0", 65), ("hide=s1.D20:F0", 65), ("gp=x", 65), ("gp=", 65),
    ("stuck=cbo19.CTR1", 65), ("stuck=cbo1", 65), ("phantom=imc0", 65), ("phantom=imc9", 65), ("erratum=sbo", 65),
    ("erratum=wbox-read", 65), ("mice=3", 65), ("ecc=2", 65), ("seed", 65), ("thermal=1ms", 65), (",".join(["gp=1"] * 40), 65),
]


def logs(b, folder):
    path = f"{folder}/log"
    script = "; ".join(tool for tool, _ in ACCESSES)
    b.run(["with", *SHAPE, "--log", path, "--", "sh", "-c", script])
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    check("header", lines[:1], ["# boxscore log 1 hsx,sockets=1,cores=2"])
    check("lines", len(lines), 1 + len(ACCESSES))
    for line, (tool, want) in zip(lines[1:], ACCESSES):
        time, run, pid, rest = line.split(" ", 3)
        check_that("times", re.fullmatch(r"\d+\.\d{12}", time) and re.fullmatch(r"\d+\.\d{12}", run), line)
        check_that("a process", int(pid) > 1, line)
        check(tool, rest, want)
    got = b.run(["replay-log", path])
    check("replay", (got.returncode, got.stdout, got.stderr),
          (0, "10 accesses, 4 of them reads, 0 came out differently\n", ""))
    got = b.run(["replay-log", "--fault", "gp=0xe00", path])
    check("replay with a fault", (got.returncode, got.stdout.splitlines()[0].split("; ")[0]),
          (1, "line 2: now #GP"))
    for text, why in (("", "is no log"), (lines[0] + "\n0.1 0.1 1 rdmsr 0\n", ":2: cannot be understood"),
                      (lines[0] + "\n0.1 0.1 1 rdpci 7e:14.0 0xd8 32 0\n", ":2: cannot be understood"),
                      (lines[0] + "\nx 0.1 1 rdmsr 0 0x10 0\n", ":2: cannot be understood")):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        got = b.run(["replay-log", path])
        check("a bad log", got.returncode, 65)
        check_that("a reason", why in got.stderr, got.stderr)
    got = b.run(["replay-log", f"{folder}/none"])
    check("no log", got.returncode, 65)
    got = b.run(["with", *SHAPE, "--log", f"{folder}/none/log", "--", "true"])
    check("a log that cannot be written", (got.returncode, "none/log cannot be written" in got.stderr), (65, True))
    got = b.run(["with", *SHAPE, "--log", "/dev/full", "--", "sh", "-c", "rdmsr 0xce; exit 3"])
    check("a log that finds no room", (got.returncode, got.stdout, got.stderr),
          (65, "c0000001700\n", "boxscore with: the log could not be written to its end\n"))


def busy(b, folder):
    """A load of one thread is repeated step by step: every count comes out as it did."""
    path = f"{folder}/busy"
    script = ("wrmsr 0xe05 0xfe0000; wrmsr 0xe01 0x401134; setpci -s ff:14.0 d8.l=400304; "
              "for i in 1 2 3 4 5; do sleep 0.005; rdmsr 0xe08; rdmsr 0x10; setpci -s ff:14.0 a0.l; done")
    out = b.client([*SHAPE, "--load", "chase:size=4M", "--log", path], ["sh", "-c", script]) or ""
    check("readings", len(out.split()), 15)
    check_that("counts rise", out.split()[0] < out.split()[12] or len(out.split()[0]) < len(out.split()[12]), out)
    got = b.run(["replay-log", path])
    check("replay under load", (got.returncode, got.stdout), (0, "18 accesses, 15 of them reads, 0 came out differently\n"))


def rules(b):
    for tool, rule in RULES:
        got = b.run(["with", *SHAPE, "--check", "--", "sh", "-c", tool])
        found = re.findall(r"\[([a-z-]+)\]$", got.stderr, re.M)
        check(f"{tool}: rules broken", found, rule.split())
    for tool, code, more in (("wrmsr 0xe01 0x400137", 0, ""), ("wrmsr 0xe01 0x400037; wrmsr 0xe01 0x400037", 65, "2 accesses against the manual"),
                             ("wrmsr 0xe01 0x400037; exit 3", 3, "1 access against the manual"),
                             ("wrmsr 0x186 0x4100c4", 0, "[not-modelled]")):
        got = b.run(["with", *SHAPE, "--check=error", "--", "sh", "-c", tool])
        check(f"{tool}: exit status", (got.returncode, got.stderr.strip().endswith(more)), (code, True))
    got = b.run(["with", *SHAPE, "--check=warn", "--", "true"])
    check("another kind of check", (got.returncode, "--check=warn" in got.stderr), (64, True))
    got = b.run(["with", *SHAPE, "--check", "--", "sh", "-c", "for i in 1 2 3; do rdmsr 0xdead; done"])
    check("told once", got.stderr.count("[fault]"), 1)
    got = b.run(["with", *SHAPE, "--check", "--", "sh", "-c", "wrmsr 0xe00 1; wrmsr 0xe10 1; wrmsr 0x720 1"])
    check("told once for all boxes of a type", got.stderr.count("[wanted-ones]"), 2)


def faults(b):
    for fault, tool, want in FAULTS:
        got = b.run(["with", *SHAPE, "--fault", fault, "--", "sh", "-c", tool])
        check(f"{fault}: {tool}", got.stdout.strip(), want)
    for fault, code in REFUSED:
        got = b.run(["with", *SHAPE, "--fault", fault, "--", "echo", "ran"])
        check(f"{fault[:20]} is refused", (got.returncode, got.stdout), (code, ""))
        check_that(f"{fault[:20]} has a reason", got.stderr.startswith("boxscore with: "), got.stderr)


def logged_faults(b, folder):
    """A log names the faults of its machine: replayed they are there again, or as the command line says."""
    path = f"{folder}/faults"
    b.run(["with", *SHAPE, "--fault", "gp=0x606,stuck=cbo1.CTR1", "--log", path, "--", "sh", "-c", "rdmsr 0x606; rdmsr 0xe19"])
    with open(path, encoding="utf-8") as f:
        check("a line of the header", f.read().splitlines()[1], "# fault gp=0x606,stuck=cbo1.CTR1")
    for more, differ in (([], 0), (["--fault", ""], 1), (["--fault", "gp=0xe19"], 2)):
        got = b.run(["replay-log", *more, path])
        check(f"replayed {more}", (got.returncode, f" {differ} came out differently" in got.stdout), (differ > 0, True))


def of_hardware(b):
    """Beside faults of registers those of hardware: too hot, a core runs at 1.2 of its 2.3 GHz (APERF, MPERF).

    Of many readings the one counts that a busy computer pulled apart least: APERF, MPERF, APERF again."""
    clocks = """
import os, time
f = os.open("/dev/cpu/0/msr", os.O_RDONLY)
def read():
    return [int.from_bytes(os.pread(f, 8, number), "little") for number in (0xe8, 0xe7, 0xe8)]
for _ in range(2):
    print(*min((read() for _ in range(50)), key=lambda r: r[2] - r[0])[:2])
    time.sleep(0.005)
"""
    out = b.client([*SHAPE, "--load", "stream:size=64K", "--fault", "gp=0x606,thermal=1us+1000s"],
                   ["sh", "-c", f"python3 -c '{clocks}'; rdmsr 0x606 || echo no"]) or ""
    word = out.split()
    check("a fault of registers beside it", word[4:], ["no"])
    ratio = (int(word[2]) - int(word[0])) / (int(word[3]) - int(word[1]))
    check_that("clocks of a hot core", abs(ratio - 1.2 / 2.3) < 0.01, ratio)
    got = b.run(["stat", "--fault", "hide=D20:F0", "--kernel", "stream:size=64K"])
    check("stat has no doors", (got.returncode, got.stdout), (65, ""))


def main():
    b = Boxscore(sys.argv[1], "rdmsr", "wrmsr", "setpci", "lspci")
    with tempfile.TemporaryDirectory(prefix="bxs-log") as folder:
        logs(b, folder)
        busy(b, folder)
        logged_faults(b, folder)
    rules(b)
    faults(b)
    of_hardware(b)
    done()


main()
