#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Commands over the catalogue: exit codes and what they print; each row is one call.

usage: test_commands.py BOXSCORE
"""
import os
import subprocess
import sys

# (line of this file, arguments, exit code, part of standard output, part of standard error, not in the output)
ROWS = []


def row(args, code, out="", err="", without=None):
    ROWS.append((sys._getframe(1).f_lineno, args, code, out, err, without))


row("", 64, err="usage: boxscore COMMAND")
row("--help", 0, out="dump       the catalogue as tab-separated values")
row("--version", 0, out="boxscore 0.")
row("lsit", 64, err="boxscore: no command lsit")
row("dump --help", 0, out="usage: boxscore dump KIND [-f FAMILY]")
row("dump events --family hsx", 0, out="family\tbox\tevent\tcode\text\tcounters\tmax_inc\tsignal")
row("dump", 64, err="which kind?; expected registers, fields, values")
row("dump eggs --family hsx", 64, err="no kind eggs; expected registers")
row("dump events --family abc", 65, err="no family abc; there are hsx")
row("dump events extra", 64, err="'extra' is one argument too many; `boxscore dump --help` says more\n")
row("machines", 0, out="hsx:e5-2699v3  (default)")
row("machines hsx", 0, out="cores=18")
row("machines abc", 65, err="no family abc")
row("dump events --family", 64, err="--family needs the name of a family")
row("info 0xe01", 0, out="C0_MSR_PMON_CTL0  (hsx, register of cbo0)")
row("info d20:f0+0xd8", 0, out="MC0_CH0_PCI_PMON_CTL0")
row("info DATA_FROM_QPI_TO_NODE1", 0, out="DATA_FROM_QPI_TO_NODEx  (hsx, metric)")
row("info data_from_qpi_to_node1", 0, out="DATA_FROM_QPI_TO_NODEx  (hsx, metric)")
row("info DATA_FROM_QPI_TO_NODE64", 65, err="nothing is called DATA_FROM_QPI_TO_NODE64")
row("info DATA_FROM_QPI_TO_NODE", 65, err="nothing is called DATA_FROM_QPI_TO_NODE")
row("info DATA_FROM_QPI_TO_NODE1x", 65, err="nothing is called DATA_FROM_QPI_TO_NODE1x")
row("list TOR_INSERTS", 0, out="cbo.TOR_INSERTS.MISS_OPCODE")
row("list -f hsx TOR", 0, out="cbo.TOR_OCCUPANCY", without="DIRECTORY", err="more have TOR inside a word")
row("list -f hsx *.*CTOR*", 0, out="ha.DIRECTORY_LOOKUP")
row("list -f hsx IRECTOR", 0, out="ha.DIRECTORY_LOOKUP")
row("list -f hsx qpi txl", 0, out="qpi.TxL_FLITS_G0")
row("list -f hsx QPI RING_AD", 0, out="r3qpi.RING_AD_USED")
row("list zebra", 65, err="nothing of hsx matches zebra;")
row("list -f all zebra", 65, err="nothing matches zebra;")
row("list -f all ha. tracker", 0, out="snbep  ha.")
row("list REQUESTS", 0, out="hsx    ha.REQUESTS", without="snbep")
row("list latency read -m", 0, out="cbo.AVG_TOR_DRD_LATENCY", without=" event ")
row("-h", 0, out="usage: boxscore COMMAND")
row("version", 0, out="boxscore 0.")
row("stat -h", 0, out="usage: boxscore stat")
row("with -h", 0, out="usage: boxscore with")
row("stat --foo", 64, err="stat: --foo is no option of this command; `boxscore stat --help` says more\n")
row("list -q", 64, err="-q is no option of this command; `boxscore list --help` says more\n")
for command in ("list", "info", "explain", "dump", "machines", "stat", "run", "check", "record", "replay", "with", "mount",
                "replay-log", "shell"):
    row(f"{command} --version", 0, out="boxscore 0.1.0\n")
    row(f"{command} -h", 0, out=f"usage: boxscore {command} ")
    row(f"{command} --foo", 64, out="",
        err=f"boxscore {command}: --foo is no option of this command; `boxscore {command} --help` says more\n")
# A name of the wrong kind, and a wrong name: what would be right.
row("stat --kernel stream:size=1M -m foo", 65, err="no metric foo; there are instructions, ipc, llc_lookups")
row("stat --kernel stream:size=1M -m LLC_LOOKUP.ANYY", 65, err="it is an event: -e cbo.LLC_LOOKUP.ANYY")
for event in ("LLC_LOOKUP.ANY", "imc.CAS_COUNT.RD", "UNC_M_CAS_COUNT.RD", "uncore_imc_0/cas_count_read/", "cycles", "CAS_COUNT_RD:MBOX0C0"):
    row(f"stat --kernel stream:size=1M -m {event}", 65, err=f"hsx: no metric {event}; it is an event: -e {event}\n")
row("stat --kernel stream:size=1M -e ipc", 65, err="it is a metric: -m ipc")
# Would it be measured?
row("check -e imc.CAS_COUNT.RD -m a=imc.CAS_COUNT.RD*64", 0, out="1 event and 1 metric on hsx: all can be measured")
row("check -e imc.CAS_COUNT.RDX,", 65, err="check: imc.CAS_COUNT: no subevent RDX; did you mean RD? (at character 15 of ")
row("check -e cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ", 65, err="both need counter 0; they can only be measured in turns (--multiplex)")
row("check --multiplex -e cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ", 0, out="2 events and 0 metrics")
row("check -M nhmex -e rbox.STARVING:port=0", 69, err="nothing of it can be measured on nhmex")
row("check -M nhmex -e rbox.STARVING:port=0,rbox.FLITS_SENT:port=0", 0, out="all others can be measured", err="rbox.STARVING:port=0: not modelled")
row("check -M abc -e cbo.CLOCKTICKS", 65, err='no family "abc"')
row("check", 64, err="of what? -e, -m, or a file")
row("check -I 1ms", 64, err="-I is no option of this command")
row("check /nonexistent", 65, err="/nonexistent cannot be read")
# Names that other tools have.
row("stat --kernel stream:size=1M -e instructions", 0, out="  instructions  exact")
row("stat --kernel stream:size=1M -e uncore_imc/cas_count_read/,UNC_M_CAS_COUNT.WR", 0, out="UNC_M_CAS_COUNT.WR")
row("stat --kernel stream:size=1M -e UNC_M_CAS_COUNT.RDX", 65, err="no subevent RDX; did you mean RD? (at character 1 of ")
row("stat --kernel stream:size=1M -e LLC-loads", 65, err="no event LLC-loads: the cores count it")
row("stat --kernel stream:size=1M -m a=UNC_M_CAS_COUNT.RD*64", 0, out="a")
row("info imc.CAS_COUNT.RD", 0, out="libpfm4  hswep_unc_imc0::UNC_M_CAS_COUNT:RD")
row("info -f hsx imc.CAS_COUNT", 0, out="info imc.CAS_COUNT.SUBEVENT shows what other tools call it")
row("info -f snbep CAS_COUNT_RD:MBOX0C0", 0, out="CAS_COUNT_RD:MBOX0C0 is imc.CAS_COUNT.RD of snbep")
row("info uncore_imc_0/event=0x4,umask=0x3/", 0, out="LIKWID   CAS_COUNT_RD:MBOX0C0")
row("stat --kernel stream:size=1M -e imc.MEM_BW_TOTAL", 65, err="it is a metric: -m imc.MEM_BW_TOTAL")
row("stat --kernel stream:size=1M -m a=llc_mises", 65, err="did you mean llc_misses?")
row("stat --kernel stream:size=1M -m a=DATA_FROM_QPI_TO_NODEx", 65, err="a number stands in the place of x")
row("list -f abc", 65, err="no family abc")
row("info cbo.LLC_LOOKUP", 0, out="DATA_READ              0x03")
row("info llc_lookup", 0, out="cbo.LLC_LOOKUP  (hsx, event)")
row("info MEM_BW_READS", 0, out="(CAS_COUNT.RD * 64)")
row("info C0_MSR_PMON_CTL0", 0, out="31:24  thresh")
row("info RdInvOwn", 0, out="class HOM0, opcode 0x4")
row("info ha", 0, out="boxes     2 a socket")
row("info zebra", 65, err="nothing is called zebra")
row("info", 64, err="of what?")
row("info core.MLI_HIT_CONFLICT", 0, out="core.MLI_HIT_CONFLICT.DMND ")
row("info llc_hit_ratio", 0, out="cbo.llc_hit_ratio  (hsx, metric)")
row("info memory_bandwidth_total", 0, out="memory_bandwidth_read + memory_bandwidth_write")
row("info --family=hsx ha", 0, out="boxes     2 a socket")
row("list -f", 64, err="-f needs the name of a family")
row("explain --family", 64, err="--family needs the name of a family")
row("explain 0xe01 0x401134", 0, out="event cbo.LLC_LOOKUP")
row("explain -f poulson PMD_DEAR_STAT 0xa00000", 0, out="= Last-level cache, at its least latency")
row("explain -f poulson PMD_ETBEXT0 0x2005", 0, out="  13     ef             0x1 ")
row("explain -f poulson PMC_IEAR_CFG 0x50100", 0, out="= At least 96 cycles")
row("explain C0_MSR_PMON_CTL0 0x401134", 0, out="with ANY (0x11)")
# The manual's own example of an address in SAL's aperture, the same register of socket 5, and addresses that are in no window.
row("explain 0x8003fff3feb03808 0", 0, out="B0_CSR_PERF_CTL0 of bbox (poulson) = 0\n")
row("explain 0x8003fff3feb03808 0", 0, out="note: offset 0x3808 in the window of the current socket\n")
row("explain 0x8003FFF3FC053808 0", 0, out="note: offset 0x3808 in the window of socket 5\n")
row("explain 0x8003fff3fe003808 0", 65, err="no register 0x8003fff3fe003808")
row("explain 0x8003fff3feb00e01 0", 65, err="no register 0x8003fff3feb00e01")
row("explain D18:F1+0xd8 0x400301", 0, out="with READS (0x03)")
row("explain -f nhmex M0_MSR_PMU_CNT_CTL_0 0x2800c1", 0, out="event mbox.CYCLES_PGT_STATE")
row("explain -f nhmex 0xc34 0x5", 0, out="event bbox.MSGS_S_TO_B")
row("explain -f nhmex 0xc30 0x5", 0, out="event bbox.OPCODE_ADDR_IN_MATCH")
row("explain 0xd10 0x1", 0, out="note: 0xd10 is also C0_MSR_PMON_EVT_SEL0 of cbox (-f nhmex), C0_MSR_PMON_CTL0 of cbo (-f snbep)")
row("with -M poulson --native -- true", 69, err="the registers of this family are not reached through files")
row("explain 0xe01 0x4000fe", 0, out="event code 0xfe is not in the catalogue of cbo")
# A code of twelve bits in two fields, a select with another name, a mask that is no part of a code.
row("explain PMC5 0x9012f", 0, out="event core.EAR_EVENT_DATA")
row("explain PMC5 0xf012f", 0, out="event core.INTERRUPT_EVENT.MASKED")
row("explain PMC4 0xfff0f", 0, out="event code 0xfff is not in the catalogue of core")
row("explain Z0_CSR_PMU_CNT_CTL_0 0x1bc", 0, out="event zbox.CYCLES")
row("info core.MT_BE_THRSW_HOLD", 0, out="only a console or an event file raises it")
row("machines poulson", 0, out="core     x2   core   16 counters, 801 events")
row("explain 0xe01 0x10000", 0, out="note: reserved bits are set")
row("explain 0xe01 0x1ffffffff", 65, err="does not fit the 32 bits")
row("explain 0xe01 ten", 65, err="value ten is no number")
row("explain nothing 1", 65, err="no register nothing")
row("with --fault gp=1 --fault gp=2 -- true", 64, err="--fault is given twice; one takes several, separated by commas")
row("shell -M", 64, err="boxscore shell: -M needs a value")
row("shell -z", 64, err="boxscore shell: -z is no option")
row("explain 0xe01", 64, err="a register and a value are needed")


def main():
    failures = 0
    for line, args, code, out, err, without in ROWS:
        got = subprocess.run([sys.argv[1], *args.split()], capture_output=True, text=True, check=False)
        for what, seen, want in (("exit", got.returncode, code),):
            if seen != want:
                print(f"{__file__}:{line}: `{args}`: {what} {seen}, want {want}\n{got.stderr}")
                failures += 1
        for what, text, part in (("output", got.stdout, out), ("errors", got.stderr, err)):
            if part not in text:
                print(f"{__file__}:{line}: `{args}`: {part!r} is not in the {what}: {text[:300]!r}")
                failures += 1
        if without is not None and without in got.stdout:
            print(f"{__file__}:{line}: `{args}`: {without!r} is in the output")
            failures += 1
        if code and got.stdout:
            print(f"{__file__}:{line}: `{args}` fails but prints {got.stdout[:100]!r}")
            failures += 1
    with open("/dev/full", "w", encoding="ascii") as full:
        got = subprocess.run([sys.argv[1], "dump", "events"], stdout=full, stderr=subprocess.PIPE,
                             text=True, check=False)
    if got.returncode != 65 or "cannot be written" not in got.stderr:
        print(f"{__file__}: full disk: exit {got.returncode}, {got.stderr!r}")
        failures += 1
    folder = os.open("/", os.O_RDONLY)
    got = subprocess.run([sys.argv[1], "shell"], stdin=folder, capture_output=True, text=True, check=False)
    os.close(folder)
    if got.returncode != 65 or "cannot be read: Is a directory" not in got.stderr:
        print(f"{__file__}: input from a directory: exit {got.returncode}, {got.stderr!r}")
        failures += 1
    for bad, part in ((b"rdmsr 0\0", "the line holds a byte 0"), (b"x" * 9999, "longer than 4095")):
        got = subprocess.run([sys.argv[1], "shell"], input=bad + b"\nrdmsr 0 0xe01\n", capture_output=True,
                             check=False)
        if (got.returncode, got.stdout) != (2, b"0x0\n") or part.encode() not in got.stderr:
            print(f"{__file__}: {bad[:10]}: {got}")
            failures += 1
    print(f"{len(ROWS) + 3} checks, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
