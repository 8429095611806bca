#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""boxscore stat: readings whose values are known by hand or from each other, whole and in intervals.

usage: test_readings.py BOXSCORE
"""
import csv
import io
import sys

from checks import check, done, lines, refused, run

RD = "imc.CAS_COUNT.RD"
KERNEL = ["--kernel", "stream:size=1M"]


def test_truth():
    """Counted all the time: no difference; in turns: the truth is what the program did."""
    many = f"{RD},imc.CAS_COUNT.WR,imc.ACT_COUNT.RD,imc.PRE_COUNT.PAGE_MISS,imc.RPQ_INSERTS"
    got = run("stat", "--truth", "-j", "--multiplex", "-e", many, "-m", "imc.MEM_BW_READS", *KERNEL)
    check(got.returncode == 0 and not got.stderr, f"exit {got.returncode}, {got.stderr!r}")
    rows = {r.get("event", r.get("metric")): r for r in lines(got.stdout)}
    check(rows[RD]["validity"] == "scaled" and rows[RD]["truth"] == 49152, f"{rows[RD]}")
    check(rows["imc.MEM_BW_READS"]["truth"] == 49152 * 64, f"{rows['imc.MEM_BW_READS']}")
    for r in rows.values():
        check(abs(r["value"] - r["truth"] - r["difference"]) <= 1e-6 * abs(r["value"]), f"{r}")
    check(rows[RD]["difference"] != 0, "in turns, and exact all the same?")
    exact = lines(run("stat", "--truth", "-j", "-e", RD, *KERNEL).stdout)[0]
    check(exact["truth"] == exact["value"] == 49152 and exact["difference"] == 0, f"{exact}")
    check("truth" not in lines(run("stat", "-j", "-e", RD, *KERNEL).stdout)[0], "not asked for")
    # A part with one home agent and one memory controller has no second ones.
    small = lines(run("stat", "-j", "-M", "hsx:e5-2407v3", "-e", f"ha1.CLOCKTICKS,imc4.DCLOCKTICKS,{RD}", *KERNEL).stdout)
    check([r["validity"] for r in small] == ["absent", "absent", "exact"] and small[2]["value"] == 49152, f"{small}")
    none = lines(run("stat", "--truth", "-j", "-e", f"imc.MAJOR_MODES.ISOCH,{RD}", *KERNEL).stdout)[0]
    check(none["validity"] == "not-modelled" and "truth" not in none and "difference" not in none, f"{none}")

    got = run("stat", "--truth", "-x", ";", "-e", RD, *KERNEL).stdout
    row = list(csv.DictReader(io.StringIO(got), delimiter=";"))[0]
    check((row["truth"], row["difference"], row["difference_percent"]) == ("49152", "0", "0"), f"{row}")
    got = run("stat", "--truth", "-e", RD, *KERNEL).stdout.splitlines()
    check(got[0].split()[:3] == ["reading", "truth", "difference"], got[0])
    check(got[1].split()[:4] == ["49,152", "49,152", "0", "+0.00%"], got[1])


def stated(r):
    """How the table shows the error of a scaled reading."""
    error = 100 * r["error"] / abs(r["value"]) if r["value"] else r["error"]
    if r["value"] and error > 100:
        return ">+-100%"
    return f"+-{error:{'.2g' if error < 10 else '.0f'}}{'%' if r['value'] else ''}"


def test_stated_error():
    """The error stands beside the reading, in words a reader knows; nothing seen in its turns is not nothing for sure."""
    args = ["-M", "hsx,cores=2", "--multiplex", "-e", "imc0.*,cbo0.TOR_INSERTS.*", "--kernel", "stream:size=8M,op=copy"]
    got = run("stat", *args)
    table = got.stdout.splitlines()[1:]
    want = [stated(r) for r in lines(run("stat", "-j", *args).stdout) if r["validity"] == "scaled"]
    stderr = got.stderr
    got = [words[words.index("scaled") + 1] for words in map(str.split, table) if "scaled" in words]
    check(got == want, f"{list(zip(got, want))[:5]}")
    vague = want.count(">+-100%")
    check(vague and f"note: {vague} readings are scaled from too short a time to mean anything" in stderr, stderr)
    check(any(w[-1] != "%" and w != "+-0" for w in want), "no reading of 0 with an error")


def test_hit_ratio():
    """Stores past the caches miss without a look-up of a read: they hit nothing, and are not less than nothing."""
    got = {r["metric"]: r["value"] for r in lines(run("run", "streaming-stores", "-j", "-m",
                                                      "llc_hit_ratio,llc_lookups,llc_misses").stdout)}
    check(got["llc_hit_ratio"] == 0 and got["llc_lookups"] == got["llc_misses"] > 0, f"{got}")


def test_memory():
    """Where the pages are: with them on the other socket every miss goes there."""
    for option, share in ((["--mem", "bind=1"], 1), (["--mem", "bind=0"], 0), ([], 0)):
        got = lines(run("stat", "-j", *option, "--kernel", "chase:size=256K,passes=1").stdout)
        value = [r["value"] for r in got if r["metric"] == "remote_share" and "socket" not in r]
        check(value == [share], f"{option}: remote share {value}, want {share}")


def test_links():
    """Many cores that read the other socket's memory all but fill the links; nothing can fill them twice."""
    for threads in (8, 18):
        got = lines(run("stat", "-j", "--per-socket", "-m", "qpi_utilisation", "--kernel",
                        f"stream:size=2M,threads={threads},node=1").stdout)
        value = [r["value"] for r in got if r["socket"] == 1]
        check(len(value) == 1 and 0.8 < value[0] <= 1, f"utilisation {value} with {threads} threads")


def test_stays_in_intervals():
    """Reading often cuts no stay in the table short: 24000 reads of about 240 clocks each, whole or in bits of 2 us."""
    stay, came = "cbo.TOR_OCCUPANCY.OPCODE:opc=DRd", "cbo.TOR_INSERTS.OPCODE:opc=DRd"
    sums = []
    for interval in ("1s", "2us"):
        rows = lines(run("run", "page-conflicts", "-j", "-I", interval, "-e", f"{stay},{came}").stdout)
        sums.append([sum(r["value"] for r in rows if r["event"] == e) for e in (stay, came)])
    (whole, count), (bits, again) = sums
    check(count == again == 24000, sums)
    check(abs(bits - whole) < whole / 50, sums)


def test_intervals():
    whole = lines(run("stat", "-j", "-e", RD, *KERNEL).stdout)[0]
    parts = lines(run("stat", "-j", "-I", "100us", "-e", RD, *KERNEL).stdout)
    check(len(parts) == whole["time_ns"] // 100000 + 1, f"{len(parts)} intervals in {whole['time_ns']} ns")
    check(sum(p["value"] for p in parts) == whole["value"], "intervals do not add up")
    times = [p["time_ns"] for p in parts]
    short = lines(run("stat", "-j", "-I", "100ns", "-e", RD, "--kernel", "stream:size=16K").stdout)
    check(all(a["time_ns"] < b["time_ns"] for a, b in zip([{"time_ns": 0}] + short, short)), f"empty: {short}")
    check(times == sorted(set(times)) and abs(times[-1] - whole["time_ns"]) < 1000, f"{times}")


def test_same():
    events = ["-e", "cbo.*,imc.*,ha.*", *KERNEL]
    one, two = run("stat", "-j", *events), run("stat", "-j", *events)
    check(one.returncode == two.returncode == 0, f"exits {one.returncode}, {two.returncode}: {one.stderr}{two.stderr}")
    apart = [pair for pair in zip(one.stdout.splitlines(), two.stdout.splitlines()) if pair[0] != pair[1]]
    check(one.stdout and one.stdout == two.stdout, f"two runs differ: {apart[:3]}")


def reading(spec, *args):
    """Values by name of a run on a machine."""
    got = run("stat", "-j", "-M", spec, *args)
    check(got.returncode == 0, f"{spec} {args}: exit {got.returncode}: {got.stderr[:300]}")
    return {r.get("event", r.get("metric")): r for r in lines(got.stdout) if "socket" not in r}


def test_sandy_bridge():
    """The other Xeon: its default set, what its counters can do, bandwidth identities, what is not modelled."""
    kernel = ["--kernel", "stream:size=16M,op=triad"]
    default = reading("snbep", *kernel)
    for name in ("instructions", "llc_lookups", "llc_misses", "llc_hit_ratio", "remote_share", "memory_read_bw",
                 "qpi_utilisation"):
        check(name in default and default[name]["validity"] == "exact", f"{name}: {default.get(name)}")
    got = reading("snbep", "-e", "imc.CAS_COUNT.RD,imc.CAS_COUNT.WR,cbo.TOR_INSERTS.MISS_ALL,ha.REQUESTS.READS",
                  "-m", "imc.MEM_BW_TOTAL", *kernel)
    read, write = got[RD]["value"], got["imc.CAS_COUNT.WR"]["value"]
    check(got["imc.MEM_BW_TOTAL"]["value"] == 64 * (read + write), f"{got}")
    # Two passes over three arrays of 16 MB, less what the slices (20 MB) still hold of the first.
    check(3 * 2**18 <= read <= 2 * 3 * 2**18, f"{read} reads")
    check(got["cbo.TOR_INSERTS.MISS_ALL"]["value"] == got["ha.REQUESTS.READS"]["value"], f"{got}")

    # The other socket's memory: what one end sends the other receives; a line is 9 flits, 64 bytes of data.
    far = ["--kernel", "remote:size=16M"]
    got = reading("snbep", "-e", "qpi.TxL_FLITS_G0.DATA,qpi.RxL_FLITS_G0.DATA,qpi.RxL_FLITS_G1.DRS_NONDATA,"
                  + RD, "-m", "qpi.DRS_DATA_MSGS_FROM_QPI", *far)
    check(got["qpi.TxL_FLITS_G0.DATA"]["value"] == got["qpi.RxL_FLITS_G0.DATA"]["value"] == 8 * got[RD]["value"] > 0,
          f"{got}")
    check(got["qpi.RxL_FLITS_G1.DRS_NONDATA"]["value"] == got[RD]["value"], f"{got}")
    check(got["qpi.DRS_DATA_MSGS_FROM_QPI"]["value"] == 64 * got[RD]["value"], f"{got}")
    # The match registers see what is received: full lines of data.
    got = reading("snbep", "-e", RD, "-m", "qpi.DRS_FULL_CACHELINE_MSGS_FROM_QPI", *far)
    check(got["qpi.DRS_FULL_CACHELINE_MSGS_FROM_QPI"]["value"] == 64 * got[RD]["value"], f"{got}")

    # Little's law on the table of requests, on one counter and by way of counter 0's companion.
    got = reading("snbep", "-e", "cbo.TOR_OCCUPANCY.ALL,cbo.COUNTER0_OCCUPANCY,cbo.TOR_INSERTS.MISS_ALL", *kernel)
    latency = got["cbo.TOR_OCCUPANCY.ALL"]["value"] / got["cbo.TOR_INSERTS.MISS_ALL"]["value"]
    check(got["cbo.TOR_OCCUPANCY.ALL"]["value"] == got["cbo.COUNTER0_OCCUPANCY"]["value"], f"{got}")
    check(100 < latency < 1000, f"{latency} clocks in the table")

    clocks = reading("snbep", "-e", "ubox.UNCORE_CLOCK,pcu.CLOCKTICKS,qpi.CLOCKTICKS", *KERNEL)
    # Two ports in two sockets at 1 GHz, one PCU in each at 800 MHz.
    check(abs(clocks["qpi.CLOCKTICKS"]["value"] / clocks["pcu.CLOCKTICKS"]["value"] - 2.5) < 1e-3, f"{clocks}")
    none = reading("snbep", "-e", "pcu.FREQ_MIN_PERF_P_CYCLES," + RD, *KERNEL)["pcu.FREQ_MIN_PERF_P_CYCLES"]
    check(none["validity"] == "not-modelled" and "value" not in none, f"{none}")
    part = reading("snbep:e5-2603,sockets=1", "-e", "cbo.CLOCKTICKS", "-m", "qpi.QPI_SPEED", *KERNEL)
    check(part["qpi.QPI_SPEED"]["value"] == 6.4, f"{part}")

    on = ["stat", "-M", "snbep"]
    refused(65, "both need counter 0", *on, "-e", "cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ", *KERNEL)
    refused(65, "no event SBO_CREDITS_ACQUIRED", *on, "-e", "cbo.SBO_CREDITS_ACQUIRED", *KERNEL)
    refused(65, "no counter of the box", *on, "-e", "ubox.RACU_REQUESTS.COUNT", *KERNEL)
    refused(65, "no counter of the box", *on, "-e", "irp.TRANSACTIONS.READS", *KERNEL)
    refused(65, "OPC_DRD only sets a filter", *on, "-e", "cbo.TOR_INSERTS.OPC_DRD", *KERNEL)
    refused(65, "different values of opc", *on, "-e",
            "cbo.TOR_INSERTS.MISS_OPCODE+OPC_DRD,cbo.TOR_INSERTS.MISS_OPCODE+OPC_RFO", *KERNEL)
    refused(65, "cores=9", "stat", "-M", "snbep,cores=9", *KERNEL)


def main():
    test_truth()
    test_stated_error()
    test_hit_ratio()
    test_memory()
    test_links()
    test_intervals()
    test_stays_in_intervals()
    test_same()
    test_sandy_bridge()
    return done()


sys.exit(main())
