#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Intel PCM, unmodified, measures what the machine's truth says."""
import json
import re
import shutil
import sys
import tempfile

from accesses import Accesses
from steady import Steady
from tools import Boxscore, check, check_that, done, table

SHAPE = ["-M", "hsx,cores=2"]
STREAM = "stream:size=16M,op=read,threads=2,step=2,passes=1000000"
REMOTE = "remote:size=16M,passes=1000000"
LINE = 64


def truth(b, kernel, *options):
    """Readings of `stat` by box and name, of the machine under the same kernel, once around."""
    got = b.run(["stat", "-M", "hsx,cores=2", "--kernel", kernel.replace("passes=1000000", "passes=1"), "-j", *options])
    check("stat", got.returncode, 0)
    rows = [json.loads(line) for line in got.stdout.splitlines() if line.startswith("{")]
    return {(r.get("event") or r.get("metric"), r.get("socket"), r.get("box")): r for r in rows}


def memory(s, b, folder):
    """PCM divides by whole milliseconds; how many these were, and how long each channel counted, is in the log."""
    want = truth(b, STREAM, "-e", "imc.CAS_COUNT.RD", "-A")
    text = b.client([*SHAPE, "--load", STREAM, "--log", f"{folder}/log"], ["pcm-memory", str(s.window), "-i=1", "-csv"])
    got, log = table(text), Accesses(f"{folder}/log")
    seconds, lines = log.between("7f:14.0", "0xa0")
    divisor = lines * LINE / 1e6 / float(got["SKT0", "Ch0Read"])
    s.that("it divides by milliseconds that passed", abs(divisor - seconds) < 0.0011 < seconds, (divisor, seconds))
    for socket, bus in ((0, "7f"), (1, "ff")):
        for channel, function in ((0, "14.0"), (1, "14.1"), (4, "17.0"), (5, "17.1")):
            reading = want["imc.CAS_COUNT.RD", socket, f"imc{channel}"]
            rate = reading["value"] * LINE / reading["time_ns"] * 1000
            seconds, _ = log.between(f"{bus}:{function}", "0xa0")
            bytes_read = float(got[f"SKT{socket}", f"Ch{channel}Read"]) * divisor
            s.near(f"reads of socket {socket} channel {channel}", bytes_read / seconds, rate)
            s.few("writes", float(got[f"SKT{socket}", f"Ch{channel}Write"]), rate)
        for channel in (2, 3, 6, 7):
            check("a channel without memory", got[f"SKT{socket}", f"Ch{channel}Read"], "")


def printed(s, b):
    """What it prints by itself, when its interval is long in the machine's time."""
    want = truth(b, STREAM, "-e", "imc.CAS_COUNT.RD", "-A")
    got = table(b.client([*SHAPE, "--load", STREAM], ["pcm-memory", str(s.window), "-i=1", "-csv"]))
    for socket in (0, 1):
        for channel in (0, 1, 4, 5):
            reading = want["imc.CAS_COUNT.RD", socket, f"imc{channel}"]
            s.near("printed", float(got[f"SKT{socket}", f"Ch{channel}Read"]),
                   reading["value"] * LINE / reading["time_ns"] * 1000)


def idle(b):
    text = b.client(SHAPE, ["pcm-memory", "0.2", "-i=1"])
    for name in ("Read", "Write"):
        total = re.search(rf"System {name} Throughput\(MB/s\): +([\d.]+)", text or "")
        check_that(f"idle {name} near zero", total and float(total[1]) < 1, total)


def everything(s, b, folder):
    want = truth(b, REMOTE)
    links = truth(b, REMOTE, "-m", "qpi_utilisation", "--per-socket")
    got = table(b.client([*SHAPE, "--load", REMOTE, "--log", f"{folder}/log"], ["pcm", str(s.window), "-i=1", "-csv"]))
    log = Accesses(f"{folder}/log")
    s.near("IPC", float(got["Socket 0", "IPC"]), want["ipc", None, "all"]["value"], 5)
    s.that("L3 hit ratio", float(got["Socket 0", "L3HIT"]) <= want["llc_hit_ratio", None, "cbo"]["value"] + 0.05)
    s.that("all accesses are remote", got["Socket 1", "LOCAL"] == "0")
    for socket, bus in ((0, "7f"), (1, "ff")):
        # A link moves 9.6 GT/s of 2 bytes.
        rate = links["qpi_utilisation", socket, "qpi"]["value"] * 19.2e9
        for port, function in (("QPI0", "08.2"), ("QPI1", "09.2")):
            seconds, _ = log.between(f"{bus}:{function}", "0xa0")
            s.near(f"traffic out of socket {socket} {port}",
                   float(got[f"SKT{socket}trafficOut", port]) * 1e6 / seconds, rate, 5)
    s.that("energy", float(got["System", "Proc Energy (Joules)"]) > 0)
    s.that("memory energy", float(got["System", "DRAM Energy (Joules)"]) > 0)
    s.that("the core that works", got["Core0 (Socket 0)", "IPC"] == got["Socket 0", "IPC"])
    s.that("a core that does not", got["Core3 (Socket 1)", "EXEC"] == "0.00")


def others(b):
    """They run and print what they are for."""
    # It sleeps for a second at least; of the machine's that would be long.
    out = b.client([*SHAPE, "--load", REMOTE], ["pcm-numa", "1", "-i=1"], machine_time=False) or ""
    row = re.search(r"^ +0 +([\d.]+) .*$", out, re.M)
    check_that("pcm-numa: core 0 reads remote memory only", row and re.search(r" 0 +\d+ [KM] *$", row[0]), out[-800:])
    out = b.client(SHAPE, ["pcm-power", "0.2", "-i=1"]) or ""
    check_that("pcm-power: energy", re.search(r"S1; Consumed energy units: \d+; .*Watts: [\d.]+", out), out[-800:])
    check_that("pcm-power: degrees below the limit", re.search(r"Thermal headroom below TjMax: \d\d$", out, re.M), out[-800:])
    check_that("pcm-power: clocks of memory", re.search(r"S0CH0; DRAMClocks: \d{6,}", out), out[-800:])
    out = b.client(SHAPE, ["pcm-pcie", "0.2", "-i=1"]) or ""
    check_that("pcm-pcie: a table", re.search(r"^ \* +0 ", out, re.M), out[-800:])
    out = b.client([*SHAPE, "--load", REMOTE], ["pcm-raw", "-e", "imc/config=0x0304", "0.02", "-i=1"]) or ""
    check_that("pcm-raw: reads of the other socket's memory",
               re.search(r"^[^,]*,[^,]*,\d+(,0){8},\d{3,},\d{3,},0,0,\d{3,},\d{3,},0,0", out, re.M), out[-800:])


def latency(s, b):
    """Each load waits for the one before, so what one takes is the time of all divided by their number."""
    chase = "chase:size=16M,prefetch=0,passes=1000000"
    [reading] = truth(b, chase, "-e", "imc.CAS_COUNT.RD").values()
    want = reading["time_ns"] / (16 << 20) * LINE
    out = b.client([*SHAPE, "--load", chase], ["pcm-latency", str(s.window), "-i=1"]) or ""
    cores = dict(re.findall(r"Core(\d+): (\S+)", out))
    s.that("pcm-latency: core 0 has loaded", cores.get("0", "-nan") != "-nan", out[-800:])
    s.near("pcm-latency: nanoseconds of a load", float(cores["0"]), want, 2)
    s.that("pcm-latency: others have not", cores["1"] == "-nan", cores)


# Tools for what this processor has not, and what they say.
REFUSE = [
    (["pcm-iio", "0.1", "-i=1"], "unknown platform"),
    (["pcm-lspci"], "Unsupported processor model (63)"),
    (["pcm-tsx", "0.1", "-i=1"], "No RTM support detected"),
]


def refuse(b):
    for command, words in REFUSE:
        if shutil.which(command[0]):
            got = b.run(["with", *SHAPE, "--", *command])
            check(f"{command[0]} says why not", (got.returncode, words in got.stdout + got.stderr), (1, True))


def main():
    b = Boxscore(sys.argv[1], "pcm", "pcm-memory", "pcm-numa", "pcm-power", "pcm-pcie", "pcm-raw", "pcm-latency")
    with tempfile.TemporaryDirectory(prefix="bxs-pcm") as folder:
        for scenario in (memory, everything):
            Steady().run(scenario, b, folder)
    Steady(scale=8).run(printed, b)
    Steady().run(latency, b)
    idle(b)
    others(b)
    refuse(b)
    done()


main()
