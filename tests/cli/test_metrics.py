#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Metrics: each of the catalogue computes on a run in which everything happens, and `info` says what it takes.

usage: test_metrics.py BOXSCORE
"""
import json
import math
import os
import re
import sys
import tempfile

from checks import check, done, run

MANUAL = 93		# metrics that the manual prints for Haswell-EP
SCENARIO = """scenario all "Cores, devices and links at work, then sleep"
machine hsx,cores=9
dma read=2G,write=2G,socket=0
dma write=50M,size=24,align=8,socket=1
dma peer_read=100M,peer_write=100M,socket=0,node=1
phase work
  run random:size=4M,count=4000,threads=9,writes=30
  run remote:size=1M,threads=4,core=9,node=0
  run mmio:count=200,core=14
  run scatter:size=64K,core=15
  run stream:size=256K,op=copy,nt=1,core=16
phase sleep
  rest 1ms
"""


def info(name):
    """The lines of `info` about a metric of hsx by their first word; "events" has all that follow."""
    found, key = {}, None
    for line in run("info", "-f", "hsx", name).stdout.splitlines():
        if not line.startswith(" "):
            if found:
                break
            continue
        key = line[2:12].strip() or key
        found.setdefault(key, []).append(line[12:])
    return found


def test_all(tmp):
    path = os.path.join(tmp, "all.scenario")
    with open(path, "w", encoding="ascii") as f:
        f.write(SCENARIO)
    got = run("run", path, "--truth", "-j", "-m", "*")
    check(got.returncode == 0 and not got.stderr, f"exit {got.returncode} {got.stderr[:300]}")
    readings = {r["metric"]: r for r in map(json.loads, got.stdout.splitlines())}
    rows = [line.split("\t") for line in run("dump", "metrics", "--family", "hsx").stdout.splitlines()[1:]]
    check(sum(r[2] == r[2].upper() or "x" in r[2] or "DataC" in r[2] or "Wb" in r[2] for r in rows) >= MANUAL,
          f"{len(rows)} metrics")
    for _, box, name, _, unit, _ in rows:
        pattern = re.compile(re.escape(f"{box}.{name}").replace("x", r"(x|\d)") + "$")
        mine = [r for m, r in readings.items() if pattern.match(m)]
        check(mine, f"{box}.{name} has no reading")
        missing = any("(not modelled)" in e for e in info(f"{box}.{name}").get("events", []))
        for r in mine:
            if r["validity"] == "not-modelled":
                check(missing and "value" not in r and "truth" not in r, f"{r}")
                continue
            check(r["validity"] in ("exact", "scaled") and not missing, f"{r}")
            check(math.isfinite(r["value"]) and math.isfinite(r["truth"]) and r["truth"] >= 0, f"{r}")
            check(unit != "ratio" or r["truth"] <= 1, f"a share above 1: {r}")
    truth = {m: r["truth"] for m, r in readings.items() if "truth" in r}
    check(truth["imc.MEM_BW_TOTAL"] == truth["imc.MEM_BW_READS"] + truth["imc.MEM_BW_WRITES"] > 0, "total of memory")
    check(abs(truth["ha.PCT_RD_REQUESTS"] + truth["ha.PCT_WR_REQUESTS"] - 1) < 1e-9, "reads and writes")
    check(0 < truth["cbo.AVG_TOR_DRD_HIT_LATENCY"] < truth["cbo.AVG_TOR_DRD_MISS_LATENCY"], "hits are quicker")
    check(truth["cbo.AVG_TOR_DRD_LOC_MISS_LATENCY"] < truth["cbo.AVG_TOR_DRD_REM_MISS_LATENCY"], "near is quicker")


def test_own():
    """Equations of one's own take metrics by name, with what they are relative to, and fields as -e writes them."""
    asked = ("lookups=llc_misses*1000/INST_RETIRED.ALL,both=imc.MEM_BW_TOTAL+cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd*64,"
             "sum=AVG_TOR_DRD_MISS_LATENCY+ha.PCT_RD_REQUESTS,tor=cbo.AVG_INGRESS_DEPTH,node=DATA_FROM_QPI_TO_NODE0")
    parts = "llc_misses,instructions,imc.MEM_BW_TOTAL,AVG_TOR_DRD_MISS_LATENCY,ha.PCT_RD_REQUESTS,AVG_INGRESS_DEPTH,DATA_FROM_QPI_TO_NODE0"
    kernel = ("--kernel", "remote:size=1M,threads=2")
    got = run("stat", "--multiplex", "--truth", "-j", "-m", asked, "-m", parts, "-e", "cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd", *kernel)
    check(got.returncode == 0, got.stderr)
    v = {r.get("metric", r.get("event")): r.get("truth") for r in map(json.loads, got.stdout.splitlines())}
    check(v["lookups"] == v["llc_misses"] * 1000 / v["instructions"] > 0, f"{v}")
    check(v["both"] == v["imc.MEM_BW_TOTAL"] + 64 * v["cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd"] > 0, f"{v}")
    check(v["sum"] == v["cbo.AVG_TOR_DRD_MISS_LATENCY"] + v["ha.PCT_RD_REQUESTS"] > 1, f"{v}")
    check(abs(v["tor"] - v["cbo.AVG_INGRESS_DEPTH"]) < 1e-12 and v["tor"] > 0, f"{v}")
    check(v["node"] == v["qpi.DATA_FROM_QPI_TO_NODE0"] > 0, f"{v}")


def test_strings():
    """The events that `info` names are event strings, and count as the metric's own do."""
    rows = [line.split("\t") for line in run("dump", "metrics", "--family", "hsx").stdout.splitlines()[1:]]
    events = {e for r in rows for e in info(f"{r[1]}.{r[2]}").get("events", []) if "(not modelled)" not in e}
    check(len(events) > 80 and "imc.ACT_COUNT.RD|WR|BYP" in events, f"{len(events)} events")
    watchers = {e for e in events if "COUNTER0_OCCUPANCY" in e}		# follow another event in the list
    events -= watchers
    for event in sorted(events):
        got = run("stat", "-j", "-e", event, "--kernel", "remote:size=16K")
        check(got.returncode == 0 or '"absent"' in got.stdout, f"{event}: exit {got.returncode} {got.stderr}")
    # 1024 lines read from the other socket come as DataC_E or DataC_F, all for this node, 64 bytes each.
    names = info("qpi.DRS_F_OR_E_FROM_QPI")["events"]
    check(len(names) == 6 and all(" with:{Q_Py_PCI_PMON_PKT_Rx_MATCH1[" in n for n in names), f"{names}")
    counts = [json.loads(run("stat", "-j", "-e", n, "--kernel", "remote:size=64K").stdout)["value"] for n in names]
    check(sum(counts) == 1024, f"{counts}")


def test_rate():
    """Names that differ in case alone: a rate, and the manual's bytes."""
    got = run("stat", "-j", "-m", "qpi_data_bw,QPI_DATA_BW,qpi.qpi_data_bw", "--kernel", "remote:size=1M")
    rate, amount, again = [json.loads(line) for line in got.stdout.splitlines()]
    check(rate["unit"] == "GB/s" and amount["unit"] == "bytes", f"{rate} {amount}")
    check(amount["value"] == 1 << 20, f"{amount}")
    check(abs(rate["value"] * rate["time_ns"] / amount["value"] - 1) < 0.02, f"{rate} {amount}")
    check(again["value"] == rate["value"], f"{again}")


def test_info():
    """What the manual's equations take: an occupancy needs counter 0, a look-up's state is one filter for all."""
    for name, events, passes in (
            ("imc.MEM_BW_READS", ["imc.CAS_COUNT.RD"], "1"),
            ("imc.MEM_BW_TOTAL", ["imc.CAS_COUNT.RD", "imc.CAS_COUNT.WR"], "1"),
            ("imc.memory_bandwidth_total", ["imc.CAS_COUNT.RD", "imc.CAS_COUNT.WR"], "1"),
            ("cbo.AVG_TOR_DRD_LATENCY", ["cbo.TOR_OCCUPANCY.OPCODE:opc=0x182", "cbo.TOR_INSERTS.OPCODE:opc=0x182"], "1"),
            ("cbo.AVG_TOR_DRD_HIT_LATENCY", ["cbo.TOR_OCCUPANCY.OPCODE:opc=0x182", "cbo.TOR_OCCUPANCY.MISS_OPCODE:opc=0x182",
                                             "cbo.TOR_INSERTS.OPCODE:opc=0x182",
                                             "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182"], "2"),
            ("cbo.LLC_DRD_MISS_PCT", ["cbo.LLC_LOOKUP.DATA_READ:state=0x1", "cbo.LLC_LOOKUP.DATA_READ:state=0x3f"], "2"),
            ("imc.PCT_CYCLES_DRAM_RANKx_IN_CKE", ["imc.POWER_CKE_CYCLES.RANK0", "imc.MC_CHy_PCI_PMON_FIXED_CTR"], "1"),
            ("cbo.llc_hit_ratio", ["cbo.LLC_LOOKUP.READ{state=0x7e}:state=0x7e", "cbo.TOR_INSERTS.MISS_LOCAL",
                                   "cbo.TOR_INSERTS.MISS_REMOTE"], "1")):
        got = info(name)
        check(got.get("events") == events, f"{name}: {got.get('events')}")
        check(got.get("passes", [""])[0].startswith(passes + ":"), f"{name}: {got.get('passes')}")
        check("equation" in got and "unit" in got, f"{name}: {got}")
    # Nothing of it comes from counters of boxes.
    check("events" not in info("ipc") and "equation" in info("ipc"), f"{info('ipc')}")
    check(run("info", "NO_SUCH_METRIC").returncode == 65, "a metric that is not there")


def test_clock_enabled():
    """CKE on is a rank that works: all the time on the busy node, less on the one that nobody reads, and so says the text."""
    name = "imc.PCT_CYCLES_DRAM_RANK0_IN_CKE"
    got = run("run", "remote-read", "-A", "-j", "-m", name).stdout
    share = {(r["socket"], r["box"]): r["value"] for r in map(json.loads, filter(lambda line: line[:1] == "{", got.splitlines()))}
    check(share[1, "imc0"] > 0.99 and share[0, "imc0"] < 0.5, f"{share}")
    check("rank x is enabled" in run("info", "imc.PCT_CYCLES_DRAM_RANKx_IN_CKE").stdout, "text")


def test_missing():
    """Nothing to divide by: no number, and the reason."""
    got = run("stat", "-M", "hsx,sockets=1", "-m", "cbo.AVG_TOR_DRD_REM_MISS_LATENCY", "--kernel",
              "stream:size=64K").stdout
    check("nan" not in got and "inf" not in got, got)
    check(re.search(r"^ +- .*absent .*nothing to divide by", got, re.M), got)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        test_all(tmp)
    test_own()
    test_strings()
    test_rate()
    test_info()
    test_clock_enabled()
    test_missing()
    return done()


sys.exit(main())
