#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`--on local`: our own tool as the client, on a machine in place of a real server.  Both ways to the registers count the same, what was
changed is put back, and what somebody else uses is not taken.

usage: test_local.py BOXSCORE
"""
import re
import shlex
import subprocess
import sys

from steady import Steady
from tools import Boxscore, check, check_that, done

LOAD = "stream:size=32M,op=copy,threads=2,step=4"
# What a line of each list counts under the load does not stand still, so each list is measured by each way for as long.
LISTS = {
    "hsx": ["imc.CAS_COUNT.RD,imc.CAS_COUNT.WR", "cbo.LLC_LOOKUP.ANY,cbo.LLC_LOOKUP.READ", "cbo.TOR_INSERTS.OPCODE:opc=DRd",
            "cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd", "ha.REQUESTS.READS,ha.REQUESTS.WRITES", "ubox.CLOCKTICKS", "pcu.CLOCKTICKS",
            "sbo.CLOCKTICKS", "imc.DCLOCKTICKS,imc.ACT_COUNT.RD", "qpi.CLOCKTICKS,r2pcie.CLOCKTICKS",
            "core.INST_RETIRED.ANY_P,core.CPU_CLK_UNHALTED.THREAD_P"],
    "snbep": ["imc.CAS_COUNT.RD,imc.CAS_COUNT.WR", "cbo.LLC_LOOKUP.DATA_READ", "cbo.TOR_INSERTS.OPCODE:opc=DRd", "cbo.CLOCKTICKS",
              "ha.REQUESTS.READS,ha.REQUESTS.WRITES", "ha.CLOCKTICKS", "pcu.CLOCKTICKS", "imc.ACT_COUNT,imc.CLOCKTICKS",
              "qpi.CLOCKTICKS", "r2pcie.CLOCKTICKS,r3qpi.CLOCKTICKS"],
}
MACHINE = {family: family + ",cores=5" for family in ("hsx", "ivbep", "snbep", "nhmex")}


def rows(text):
    """{event: counts a second} of stat -x ';'."""
    found = {}
    for line in text.splitlines():
        word = line.split(";")
        if len(word) > 8 and word[0].isdigit():
            found[word[7]] = float(word[1]) * 1e9 / int(word[0]) if word[3] == "exact" else word[3]
    return found


def stat(b, via, events, seconds):
    return " ".join(["%s stat --on local --via %s -x ';' -o -" % (shlex.quote(b.program), via), *(f"-e {e}" for e in events),
                     f"--timeout {seconds * 1000:g}ms"])


def ways(s, b, family):
    """Each list by perf and by the devices, one after the other, under a load that stays the same."""
    # Nothing is written back before the caches are full.
    script = "sleep 0.02\n" + "\n".join(f"echo @{via}; {stat(b, via, [events], s.window)}" for events in LISTS[family] for via in ("perf", "direct"))
    out = b.client(["-M", MACHINE[family], "--load", LOAD], ["sh", "-c", script])
    if not out:
        return
    found = {"perf": {}, "direct": {}}
    for part in out.split("@")[1:]:
        via, _, text = part.partition("\n")
        found[via].update(rows(text))
    names = [e for events in LISTS[family] for e in events.split(",")]
    check(f"{family}: each is counted by each way", [sorted(found[v]) for v in found], [sorted(names)] * 2)
    for name in names:
        direct, perf = found["direct"].get(name, 0), found["perf"].get(name, 0)
        check_that(f"{family} {name} is a number", isinstance(direct, float) and isinstance(perf, float), (direct, perf))
        if "INSERTS" in name or "CLOCK" in name:
            s.that(f"{family} {name} counts", direct > 0, direct)
        s.near(f"{family} {name}", perf, direct, 4)


def clocks(s, b):
    """By hand: the power control unit has 800 MHz; a memory channel 1,066.667 MHz, and all eight have counters, populated or not."""
    out = b.client(["-M", MACHINE["hsx"]], ["sh", "-c", "\n".join(
        stat(b, via, ["pcu.CLOCKTICKS", "imc.DCLOCKTICKS"], s.window) for via in ("direct", "perf"))])
    if not out:
        return
    for n, text in enumerate(out.split("time_ns")[1:]):
        found = rows(text)
        s.near(f"clocks of the PCUs, way {n}", found.get("pcu.CLOCKTICKS", 0), 2 * 800e6, 2)
        s.near(f"clocks of the channels, way {n}", found.get("imc.DCLOCKTICKS", 0), 2 * 8 * 1066.667e6, 2)


# Two bits of a box's control have to be written 1 each time, which out of reset they are not: 30000 is 0.
# Registers that are not as out of reset, on both sockets: controls that are off, a filter, a counter, a box's and the cores' controls.
SETTING = """
wrmsr -p 0 0xe01 0x334; wrmsr -p 0 0xe05 0x20000; wrmsr -p 0 0xe08 0x1234; wrmsr -p 5 0xe15 0x40000; wrmsr -p 0 0x38d 0
setpci -s 7f:14.0 d8.l=304; setpci -s 7f:14.0 a0.l=77; setpci -s ff:14.0 dc.l=c04
"""
READING = """
for p in 0 5; do for r in 0xe00 0xe01 0xe02 0xe05 0xe08 0xe09 0xe11 0xe15 0x710 0x711 0x721 0x38d 0x38f; do rdmsr -c -p $p $r; done; done
for f in 7f:14.0 ff:14.0 7f:14.1; do for o in a0 a8 d8 dc f4 f0; do setpci -s $f $o.l; done; done
"""


def put_back(b):
    """At the end of a run, after Ctrl-C and SIGTERM, and after kill -9 at several moments by whoever comes next."""
    program = shlex.quote(b.program)
    run = f"{program} stat --on local --via direct -o /dev/null"
    script = SETTING + f"""
R=$(mktemp); reading() {{ {{ {READING} }} | sed 's/0*30000$/0/; s/^0*//' > $R; cksum < $R; cat $R >&2; }}
echo before $(reading)
{run} -a 0.01; echo end $(reading)
{run} -e 'cbo.*' --multiplex -a 0.05 >/dev/null 2>&1; echo turns $(reading)
for end in "INT 0.2" "TERM 0.2" "TERM 0.03" "TERM 0.05" "TERM 0.08"; do
	set -- $end; sh -c 'trap - INT; exec {run} -a 100' & sleep $2; kill -$1 $!; wait $!; echo $1 $(reading)
done
for moment in 0.002 0.005 0.01 0.02 0.03 0.05 0.08 0.15; do
	{run} -a 100 & sleep $moment; kill -9 $!; wait $! 2>/dev/null
	{run} -e ubox.CLOCKTICKS -a 0.001 2>/dev/null; echo kill $(reading)
done
ls /run/boxscore /tmp/boxscore-run-* 2>/dev/null | grep -c journal
"""
    got = b.run(["with", "-M", MACHINE["hsx"], "--", "bash", "-c", script])
    lines = re.findall(r"^(before|end|turns|INT|TERM|kill) (.*)$", got.stdout, re.M)
    check("readings of registers", [what for what, _ in lines], ["before", "end", "turns", "INT"] + ["TERM"] * 4 + ["kill"] * 8)
    check("registers afterwards", [what for what, sum_ in lines if sum_ != lines[0][1]], [])
    check_that("they were not all 0", "334" in got.stderr and "20000" in got.stderr, got.stderr[:300])
    check("journals that are left", got.stdout.splitlines()[-1], "0")


def in_use(b):
    program = shlex.quote(b.program)
    script = f"""
wrmsr -p 0 0xe01 0x400334
{program} stat --on local --via direct -e cbo.LLC_LOOKUP.ANY -a 0.001; echo $?
rdmsr -p 0 0xe01
{program} stat --on local --via direct -e pcu.CLOCKTICKS -o /dev/null -a 0.001; echo $?
{program} stat --on local --via direct --force -e cbo.LLC_LOOKUP.ANY -o /dev/null -a 0.001; echo $?
rdmsr -p 0 0xe01
"""
    got = b.run(["with", "-M", MACHINE["hsx"], "--", "sh", "-c", script])
    check("a box in use", got.stdout.split(), ["65", "400334", "0", "0", "400334"])
    check("and what is said of it", got.stderr.strip(), "boxscore stat: somebody else counts there: C0_MSR_PMON_CTL0 of socket 0 holds "
          "0x400334 (--force takes it all the same)")


def manners(b, family, via):
    """No access that the manual forbids or warns of, but for looking which boxes there are, and for what Linux's driver does (process 0)."""
    got = b.run(["with", "-M", MACHINE[family], "--check", "--", b.program, "stat", "--on", "local", "--via", via, "-a", "0.002"])
    said = [line for line in got.stderr.splitlines() if "check:" in line and not re.search(r"\[not-modelled\]|process 0 |reads .*\[fault\]", line)]
    check(f"{family} by {via}", (got.returncode, said), (0, []))


def doctor(b):
    for family, perf in (("hsx", "ready"), ("ivbep", "ready"), ("snbep", "ready"), ("nhmex", "Linux shows no uncore PMUs")):
        got = b.run(["with", "-M", MACHINE[family], "--", b.program, "doctor"])
        check(f"doctor of {family}", got.returncode, 0)
        for row in (rf"family +{family}, Xeon", r" +2 sockets of 5 cores, 20 CPUs online", rf"perf +{perf}", r"direct +ready",
                    r"socket 1 .*cbox? [0-9]", r"cost +[0-9.]+ us to read a counter"):
            check_that(f"doctor of {family}: {row}", re.search("^" + row, got.stdout, re.M), got.stdout)
    for family, boxes in (("hsx", "cbo 5, sbo 2, ha 2, imc 8"), ("ivbep", "cbo 5, ha 2, imc 8"), ("snbep", "cbo 5, ha 1, imc 4")):
        got = b.run(["with", "-M", MACHINE[family], "--", b.program, "doctor"])
        check(f"boxes of {family}", got.stdout.count(boxes), 4)
    got = b.run(["doctor"])
    ours = re.search("family +(hsx|bdx|ivbep|snbep|nhmex)", got.stdout)
    check_that("doctor of this computer", got.returncode in ((0, 69) if ours else (69,)) and "processor" in got.stdout, got)


WRONG = [  # arguments, exit status, what is said
    (["--via", "magic", "-a", "1"], 64, "--via: magic is no way to the registers; there are perf and direct"),
    (["-M", "snbep", "-a", "1"], 69, "this computer is hsx, not snbep"),
    (["-M", "hsx,cores=4", "-a", "1"], 64, "name the family alone"),
    (["-M", "hsx:e5-2699v3", "-a", "1"], 64, "name the family alone"),
    (["--kernel", "stream"], 64, "a kernel runs on a simulated machine alone"),
    (["--truth", "-a", "1"], 64, "this computer is not simulated"),
    (["--dma", "read=1G", "-a", "1"], 69, "nothing of it is simulated"),
    (["-e", "cbo.NONSENSE", "-a", "1"], 65, "no event NONSENSE"),
    (["--", "/does/not/exist"], 65, "/does/not/exist: No such file"),
    (["--", "/etc/passwd"], 65, "/etc/passwd: Permission denied"),
    (["-a", "0.01", "--timeout", "1s"], 65, "0.01: No such file"),
]


def wrong(b):
    for arguments, status, text in WRONG:
        got = b.run(["with", "-M", MACHINE["hsx"], "--", b.program, "stat", "--on", "local", *arguments])
        check_that(f"stat --on local {' '.join(arguments)}", got.returncode == status and text in got.stderr, (got.returncode, got.stderr))
    for arguments, text in ((["stat", "--on", "mars", "--", "true"], "mars is not local"),
                            (["stat", "--via", "perf", "--", "true"], "--via: of which computer?"),
                            (["stat", "--force", "--", "true"], "--force: of which computer?"), (["doctor", "me"], "no argument me")):
        got = b.run(arguments)
        check_that(" ".join(arguments), got.returncode == 64 and text in got.stderr, (got.returncode, got.stderr))


def programs(b):
    """What runs is the program, its output and its exit status."""
    for command, status, out in (("echo out; exit 3", 3, "out\n"), ("kill -9 $$", 137, ""), ("cat", 0, "given\n")):
        got = b.run(["with", "-M", MACHINE["hsx"], "--", b.program, "stat", "--on", "local", "-e", "pcu.CLOCKTICKS", "--", "sh", "-c", command],
                    input="given\n")
        check(command, (got.returncode, got.stdout), (status, out))
        check_that("readings", re.search(r"[1-9][0-9,]* +clocks +exact +pcu.CLOCKTICKS", got.stderr), got.stderr)
    got = b.run(["with", "-M", MACHINE["hsx"], "--", b.program, "stat", "--on", "local", "--timeout", "50ms", "--", "sleep", "100"])
    check("a program that lasts", got.returncode, 124)


def others(b):
    got = b.run(["with", "-M", MACHINE["hsx"], "--", b.program, "list", "--on", "local", "LLC_LOOKUP.ANY"])
    check("list", (got.returncode, got.stdout.split()[:2]), (0, ["hsx", "cbo.LLC_LOOKUP.ANY"]))
    lines = "wrmsr 0 0xe05 0x20000\nread cbo0 FILTER0\nrdpci 0 20:0 0xd8\nread s1.imc0 CTL0\npulse cbo0 LLC_LOOKUP.ANY 3\n"
    got = b.run(["with", "-M", MACHINE["hsx"], "--", b.program, "shell", "--on", "local", "--via", "direct"], input=lines)
    check("shell", (got.returncode, got.stdout.split()), (2, ["0x20000", "0x0", "0x0"]))
    check_that("and what it cannot do", "line 5: this computer is measured, and nothing of it is simulated" in got.stderr, got.stderr)


def main():
    b = Boxscore(sys.argv[1], "rdmsr", "setpci")
    steady = Steady()
    doctor(b)
    wrong(b)
    programs(b)
    others(b)
    in_use(b)
    put_back(b)
    for family in ("hsx", "ivbep", "snbep"):
        manners(b, family, "perf")
    for family in ("hsx", "ivbep", "snbep", "nhmex"):
        manners(b, family, "direct")
    Steady(10).run(clocks, b)
    for family in LISTS:
        steady.run(ways, b, family)
    done()


main()
