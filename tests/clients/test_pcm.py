#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Intel PCM, unmodified, measures what the machine's truth says."""
import json
import re
import sys
import tempfile

from accesses import Accesses
from tools import Boxscore, check, check_that, done, table

SHAPE = ["-M", "hsx,cores=2"]
STREAM = "stream:size=16M,op=read,threads=2,step=2,passes=1000000"
REMOTE = "remote:size=16M,passes=1000000"
LINE = 64


TRIES = 4


class Findings:
    """What one run of a tool showed.  On a busy computer a tool may be held up so much that hardly any time of the machine
    passes in its interval; then it is asked again."""

    def __init__(self):
        self.rows = []

    def that(self, what, holds, detail=""):
        self.rows.append((what, bool(holds), detail))

    def near(self, what, got, want, share):
        self.that(what, abs(got - want) <= share * abs(want), f"{got}, want {want} within {100 * share:.1f} %")


def settle(look):
    """Let look(findings) have TRIES goes; the last one counts."""
    for _ in range(TRIES):
        f = Findings()
        look(f)
        if all(holds for _, holds, _ in f.rows):
            break
    for row in f.rows:
        check_that(*row)


def truth(b, kernel, *options):
    """Readings of `stat` by box and name, of the machine under the same kernel, once around."""
    got = b.run(["stat", "-M", "hsx,cores=2", "--kernel", kernel.replace("passes=1000000", "passes=1"), "-j", *options])
    check("stat", got.returncode, 0)
    rows = [json.loads(line) for line in got.stdout.splitlines() if line.startswith("{")]
    return {(r.get("event") or r.get("metric"), r.get("socket"), r.get("box")): r for r in rows}


def memory(b, folder):
    """PCM divides by whole milliseconds; how many these were, and how long each channel counted, is in the log."""
    want = truth(b, STREAM, "-e", "imc.CAS_COUNT.RD", "-A")

    def look(f):
        text = b.client([*SHAPE, "--load", STREAM, "--machine-time", "--log", f"{folder}/log"],
                        ["pcm-memory", "0.01", "-i=1", "-csv"])
        got, log = table(text), Accesses(f"{folder}/log")
        seconds, lines = log.between("7f:14.0", "0xa0")
        divisor = lines * LINE / 1e6 / float(got["SKT0", "Ch0Read"])
        f.that("it divides by milliseconds that passed", abs(divisor - seconds) < 0.0011 < seconds, (divisor, seconds))
        for socket, bus in ((0, "7f"), (1, "ff")):
            for channel, function in ((0, "14.0"), (1, "14.1"), (4, "17.0"), (5, "17.1")):
                reading = want["imc.CAS_COUNT.RD", socket, f"imc{channel}"]
                rate = reading["value"] * LINE / reading["time_ns"] * 1000
                seconds, _ = log.between(f"{bus}:{function}", "0xa0")
                bytes_read = float(got[f"SKT{socket}", f"Ch{channel}Read"]) * divisor
                f.near(f"reads of socket {socket} channel {channel}", bytes_read / seconds, rate, 0.03)
                f.that("no writes", float(got[f"SKT{socket}", f"Ch{channel}Write"]) < rate / 100)
            for channel in (2, 3, 6, 7):
                f.that("a channel without memory", got[f"SKT{socket}", f"Ch{channel}Read"] == "")

    settle(look)


def printed(b):
    """What it prints by itself, when its interval is long in the machine's time: 60 of its milliseconds."""
    want = truth(b, STREAM, "-e", "imc.CAS_COUNT.RD", "-A")
    got = table(b.client([*SHAPE, "--load", STREAM, "--machine-time"], ["pcm-memory", "0.06", "-i=1", "-csv"]))
    for socket in (0, 1):
        for channel in (0, 1, 4, 5):
            reading = want["imc.CAS_COUNT.RD", socket, f"imc{channel}"]
            rate = reading["value"] * LINE / reading["time_ns"] * 1000
            value = float(got[f"SKT{socket}", f"Ch{channel}Read"])
            check_that("printed within 3 %", abs(value - rate) <= 0.03 * rate, (value, rate))


def idle(b):
    text = b.client(SHAPE, ["pcm-memory", "0.5", "-i=1"])
    for name in ("Read", "Write"):
        total = re.search(rf"System {name} Throughput\(MB/s\): +([\d.]+)", text or "")
        check_that(f"idle {name} near zero", total and float(total[1]) < 1, total)


def everything(b, folder):
    want = truth(b, REMOTE)

    def look(f):
        got = table(b.client([*SHAPE, "--load", REMOTE, "--log", f"{folder}/log"], ["pcm", "1", "-i=1", "-csv"]))
        log = Accesses(f"{folder}/log")
        f.near("IPC", float(got["Socket 0", "IPC"]), want["ipc", None, "all"]["value"], 0.05)
        f.that("L3 hit ratio", float(got["Socket 0", "L3HIT"]) <= want["llc_hit_ratio", None, "cbo"]["value"] + 0.05)
        f.that("all accesses are remote", got["Socket 1", "LOCAL"] == "0")
        for socket, bus in ((0, "7f"), (1, "ff")):
            # A link moves 9.6 GT/s of 2 bytes.
            rate = want["qpi_utilisation", socket, "qpi"]["value"] * 19.2e9
            for port, function in (("QPI0", "08.2"), ("QPI1", "09.2")):
                seconds, _ = log.between(f"{bus}:{function}", "0xa0")
                f.near(f"traffic out of socket {socket} {port}",
                       float(got[f"SKT{socket}trafficOut", port]) * 1e6 / seconds, rate, 0.05)
        f.that("energy", float(got["System", "Proc Energy (Joules)"]) > 0)
        f.that("memory energy", float(got["System", "DRAM Energy (Joules)"]) > 0)
        f.that("the core that works", got["Core0 (Socket 0)", "IPC"] == got["Socket 0", "IPC"])
        f.that("a core that does not", got["Core3 (Socket 1)", "EXEC"] == "0.00")

    settle(look)


def others(b):
    """They run and print what they are for."""
    out = b.client([*SHAPE, "--load", REMOTE], ["pcm-numa", "0.5", "-i=1"]) or ""
    row = re.search(r"^ +0 +([\d.]+) .*$", out, re.M)
    check_that("pcm-numa: core 0 reads remote memory only", row and re.search(r" 0 +\d+ [KM] *$", row[0]), out[-800:])
    out = b.client(SHAPE, ["pcm-power", "0.5", "-i=1"]) or ""
    check_that("pcm-power: energy", re.search(r"S1; Consumed energy units: \d+; .*Watts: [\d.]+", out), out[-800:])
    check_that("pcm-power: clocks of memory", re.search(r"S0CH0; DRAMClocks: \d{6,}", out), out[-800:])
    out = b.client(SHAPE, ["pcm-pcie", "0.5", "-i=1"]) or ""
    check_that("pcm-pcie: a table", re.search(r"^ \* +0 ", out, re.M), out[-800:])
    out = b.client([*SHAPE, "--load", REMOTE], ["pcm-raw", "-e", "imc/config=0x0304", "0.5", "-i=1"]) or ""
    check_that("pcm-raw: reads of the other socket's memory",
               re.search(r"^[^,]*,[^,]*,\d+(,0){8},\d{3,},\d{3,},0,0,\d{3,},\d{3,},0,0", out, re.M), out[-800:])


def main():
    b = Boxscore(sys.argv[1], "pcm", "pcm-memory", "pcm-numa", "pcm-power", "pcm-pcie", "pcm-raw")
    with tempfile.TemporaryDirectory(prefix="bxs-pcm") as folder:
        memory(b, folder)
        everything(b, folder)
    printed(b)
    idle(b)
    others(b)
    done()


main()
