#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""boxscore stat, record and replay: exit codes, messages, formats, what survives a mishap.

usage: test_stat.py BOXSCORE
"""
import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checks import BOXSCORE, check, check_at, done, here, lines, refused, run

HAVE_QEMU = shutil.which("qemu-x86_64") is not None
RD = "imc.CAS_COUNT.RD"
KERNEL = ["--kernel", "stream:size=1M"]


def test_refusals():
    refused(64, "which program?", "stat")
    refused(64, "not both", "stat", *KERNEL, "--", "true")
    refused(64, "-Z is no option", "stat", "-Z")
    refused(64, "JSON (-j) or separated values (-x), not both", "stat", "-j", "-x", ";", *KERNEL)
    refused(64, "JSON (-j) or separated values (-x), not both", "stat", "-x", ";", "-j", *KERNEL)
    refused(64, "for boxes (-A) or for sockets (--per-socket), not both", "stat", "-A", "--per-socket", *KERNEL)
    refused(64, "-e needs a value", "stat", "-e")
    refused(64, "-I: 5 is no time; write 500us", "stat", "-I", "5", *KERNEL)
    refused(64, "--mem: elsewhere is not", "stat", "--mem", "elsewhere", *KERNEL)
    refused(64, "--cores: some is neither", "stat", "--cores", "some", *KERNEL)
    refused(65, "hsx: no event instructons; did you mean instructions? (at character 1 of ", "stat", "-e", "instructons", *KERNEL)
    refused(65, "cbo: no event TOR_INSERT; did you mean TOR_INSERTS?", "stat", "-e", "cbo.TOR_INSERT", *KERNEL)
    refused(65, "no metric NO_SUCH", "stat", "-m", "NO_SUCH", *KERNEL)
    refused(65, "which box? write r2pcie.RING_THRU_DN_BYTES", "stat", "-m", "RING_THRU_DN_BYTES", *KERNEL)
    refused(65, "different values of opc in Cn_MSR_PMON_BOX_FILTER1", "stat", "-e",
            "cbo.TOR_INSERTS.MISS_OPCODE:opc=DRd,cbo.TOR_INSERTS.MISS_OPCODE:opc=RFO", *KERNEL)
    refused(65, "both need counter 0", "stat", "-e", "cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ", *KERNEL)
    refused(65, "no socket 7; there are 2", "stat", "-e", "s7.cbo.CLOCKTICKS", *KERNEL)
    refused(65, '--fault: no key "ec" of faults; did you mean ecc?', "stat", "--fault", "ec=1", *KERNEL)
    refused(65, "--fault: ecc=2: has to be a probability from 0 to 1, such as 1e-6", "stat", "--fault", "ecc=2",
            *KERNEL)
    refused(65, "--fault: thermal=1ms: has to be a time and a length, such as 1ms+200us", "stat", "--fault",
            "thermal=1ms", *KERNEL)
    refused(64, "--dma needs a value", "stat", *KERNEL, "--dma")
    refused(64, "--fault is given twice; one takes several, separated by commas", "stat", "--fault", "ecc=1e-6",
            "--fault", "reread=1e-6", *KERNEL)
    refused(65, '--dma: no key "raed" of a DMA engine; did you mean read?', "stat", "--dma", "raed=1G", *KERNEL)
    refused(65, "--dma: socket=2: the machine has sockets 0 to 1", "stat", "--dma", "read=1G,socket=2", *KERNEL)
    refused(65, 'no family "hsz"', "stat", "-M", "hsz", *KERNEL)
    refused(65, "cores=99", "stat", "-M", "hsx,cores=99", *KERNEL)
    refused(69, "this machine has no I/O that devices could use", "stat", "-M", "poulson", "--dma", "read=1G", *KERNEL)
    refused(69, "is a program for x86-64, which the cores of poulson do not execute", "stat", "-M", "poulson", "--", "/bin/true")
    refused(65, "no kernel", "stat", "--kernel", "nothing")
    refused(65, "/no/such/x cannot be written", "stat", "-o", "/no/such/x", *KERNEL)
    refused(65, "/no/such", "replay", "/no/such")
    refused(65, "not a trace", "replay", __file__)
    refused(64, "one trace file", "replay")
    refused(64, "to which file?", "record", *KERNEL)
    if HAVE_QEMU:
        refused(65, "/no/such: ", "stat", "--", "/no/such")
        refused(65, "directory", "stat", "--", "/")
        with open("/bin/true", "rb") as f:
            program = f.read()
        arm = program[:18] + b"\xb7\0" + program[20:]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            for code, why, content in ((65, f"{path} is cut off", program[:100]), (65, f"{path} is cut off", program[:800]),
                                       (69, f"{path} is a program for 64-bit Arm, not for x86-64", arm),
                                       (69, f"{path} is neither a program nor a script", b"")):
                with open(path, "wb") as f:
                    f.write(content)
                os.chmod(path, 0o755)
                refused(code, why, "stat", "--", path)
        refused(69, "/no/qemu", "stat", "--qemu", "/no/qemu", "--", "true")
        refused(69, "/no/plugin", "stat", "--plugin", "/no/plugin", "--", "true")


VALIDITIES = {"exact", "scaled", "wrapped", "saturated", "not-modelled", "absent"}


def check_schema(r, kind, per_box):
    """The keys of a JSON line are those that the design fixes, no more and no fewer."""
    keys = {kind, "box", "unit", "validity", "time_ns"}
    if per_box:
        keys.add("socket")
    if r["validity"] not in ("not-modelled", "absent"):
        keys.add("value")
    if r["validity"] == "scaled":
        keys.add("error")
    check(set(r) == keys, f"keys {sorted(r)}, want {sorted(keys)}")
    check(r["validity"] in VALIDITIES, f"validity {r['validity']}")
    check(isinstance(r["time_ns"], int) and r["time_ns"] > 0, f"time {r['time_ns']}")
    check("value" not in r or isinstance(r["value"], (int, float)), f"value {r.get('value')!r}")


def test_validity():
    """What cannot be measured is said, and is no success; what a pattern leaves out is named."""
    got = run("stat", "-j", "-e", "qpi2.CLOCKTICKS", *KERNEL)
    check(got.returncode == 69 and "can be measured on hsx" in got.stderr, f"{got}")
    check(lines(got.stdout)[0]["validity"] == "absent", got.stdout)
    got = run("stat", "-j", "-e", "imc.MAJOR_MODES.ISOCH", "-m", "x=imc.MAJOR_MODES.ISOCH*2", *KERNEL)
    check(got.returncode == 69 and {r["validity"] for r in lines(got.stdout)} == {"not-modelled"}, f"{got}")
    # Memory behind buffers is the E7's alone.
    for machine, status, validity in (("hsx", 69, "absent"), ("hsx:e7-8890v3,sockets=1,cores=2", 0, "exact")):
        got = run("stat", "-j", "-M", machine, "-e", "imc.VMSE_WR_PUSH.WMM", *KERNEL)
        check((got.returncode, lines(got.stdout)[0]["validity"]) == (status, validity), f"{got}")
    got = run("stat", "-j", "-e", f"imc.MAJOR_MODES.ISOCH,{RD}", *KERNEL)
    check(got.returncode == 0 and not got.stderr, "something has a value")
    if HAVE_QEMU:
        got = run("stat", "-j", "-e", "imc.MAJOR_MODES.ISOCH", "true")
        check(got.returncode == 69 and "can be measured on hsx" in got.stderr, f"{got}")
        got = run("stat", "-j", "-e", "imc.MAJOR_MODES.ISOCH", "false")
        check(got.returncode == 1, "what the program returns goes first")
    got = run("stat", "-j", "-e", "cbo.TOR_INSERTS.*", *KERNEL)
    check(got.returncode == 0 and "note: cbo.TOR_INSERTS.*: 8 events left out (cbo.TOR_INSERTS.OPCODE, " in
          got.stderr and "needs a value for opc" in got.stderr, got.stderr)
    check("cbo.TOR_INSERTS.OPCODE" not in got.stdout, "left out, but measured")
    got = run("stat", "-j", "-e", "cbo.TOR_INSERTS.*OPC*:opc=DRd", *KERNEL)
    check(not got.stderr and "cbo.TOR_INSERTS.OPCODE:opc=DRd" in got.stdout, got.stderr)


def test_scenarios():
    listed = run("run", "--list").stdout
    names = [line.split()[0] for line in listed.splitlines()]
    check(len(names) >= 20 and names == sorted(names), f"{names}")
    refused(65, "no scenario false-sharin; did you mean false-sharing?", "run", "false-sharin")
    refused(65, "/no/such.scenario: No such file", "run", "/no/such.scenario")
    refused(65, ":3: no statement", "run", __file__ if "/" in __file__ else "./" + __file__)
    refused(64, "which scenario?", "run")
    refused(64, "one scenario is expected", "run", "locks", "mmio")
    refused(64, "-Z is no option", "run", "locks", "-Z")
    refused(65, ".scenario:7: core=0,threads=2,step=2: the machine has", "run", "locks", "-M", "hsx,cores=1")
    for setting, why in (("machine foo", "no family"), ("events foo", "hsx: no event foo"), ("metrics foo", "hsx: no metric foo"),
                         ("dma read=4X", "dma: read=4X: has to be"), ("fault foo=1", "fault: no key")):
        with tempfile.NamedTemporaryFile("w", suffix=".scenario", encoding="ascii") as f:
            f.write(f'scenario x "a"\n{setting}\nphase p\n rest 1us\n')
            f.flush()
            refused(65, f"{f.name}:2: {why}", "run", f.name)
    got = lines(run("run", "locks", "-j").stdout)
    check([r["event"] for r in got] == ["ubox.PHOLD_CYCLES.ASSERT_TO_ACK"] and got[0]["value"] > 0, f"{got}")
    before = run("run", "--truth", "-j", "-e", RD, "remote-read").stdout
    behind = run("run", "remote-read", "--truth", "-j", "-e", RD).stdout
    check(before == behind, "options before and behind the name")
    # 8 MB, each line read once.
    check(lines(before)[0]["value"] == lines(before)[0]["truth"] == 131072, before)


def test_public_metrics():
    """Half of the reads go to each node; rates are counts over time."""
    kernel = ["-M", "hsx,cores=2", "--mem", "interleave", "--kernel", "random:size=16M,count=20000,threads=2"]
    names = ("memory_bandwidth_read,memory_bandwidth_write,memory_bandwidth_total,numa_reads_addressed_to_local_dram,"
             "numa_reads_addressed_to_remote_dram,uncore_frequency")
    rows = {r["metric"].split(".")[1]: r.get("value") for r in lines(run("stat", "-j", "-m", names, *kernel).stdout)}
    check(abs(rows["memory_bandwidth_read"] + rows["memory_bandwidth_write"] - rows["memory_bandwidth_total"]) < 1, f"{rows}")
    check(abs(rows["numa_reads_addressed_to_local_dram"] + rows["numa_reads_addressed_to_remote_dram"] - 100) < 1e-6, f"{rows}")
    check(abs(rows["numa_reads_addressed_to_local_dram"] - 50) < 3, f"{rows}")
    check(0.8 < rows["uncore_frequency"] < 3.7, f"{rows}")
    reads = lines(run("stat", "-j", "-e", RD, "-m", "memory_bandwidth_read,s=SECONDS*1000000000", *kernel).stdout)
    want = reads[0]["value"] * 64 / reads[2]["value"] * 1000
    check(abs(reads[1]["value"] - want) < 1e-6 * want, f"{reads}")
    near = lines(run("stat", "-j", "-m", "llc_data_read_miss_latency_local,llc_data_read_miss_latency_remote", *kernel).stdout)
    check(near[0]["value"] + 30 < near[1]["value"], f"{near}")


def test_formats():
    got = run("stat", "-j", "-e", f"{RD},imc.CAS_COUNT.ALL", *KERNEL)
    check(got.returncode == 0 and not got.stderr, f"exit {got.returncode}, {got.stderr!r}")
    rows = lines(got.stdout)
    check([r["event"] for r in rows] == [RD, "imc.CAS_COUNT.ALL"], f"{rows}")
    for r in rows:
        check_schema(r, "event", False)
        check(r["box"] == "imc" and r["validity"] == "exact", f"{r}")
    # Three arrays of 1 MB, read once: 49152 lines; they stay in the cache after that.
    check(rows[0]["value"] == 49152, f"{rows[0]}")

    per_box = lines(run("stat", "-j", "-A", "-e", RD, *KERNEL).stdout)
    for r in per_box:
        check_schema(r, "event", True)
    check(sum(r["value"] for r in per_box) == 49152, "boxes do not add up to the sum")
    per_socket = lines(run("stat", "-j", "--per-socket", "-e", RD, *KERNEL).stdout)
    check([(r["socket"], r["value"]) for r in per_socket] == [(0, 49152), (1, 0)], f"{per_socket}")
    one = lines(run("stat", "-j", "-e", "s0.imc0." + RD[4:], *KERNEL).stdout)
    check(one[0]["value"] == per_box[0]["value"] and one[0]["event"] == "s0.imc0.CAS_COUNT.RD", f"{one}")

    metrics = lines(run("stat", "-j", "-m", "imc.MEM_BW_READS,lines=ROUND(imc.CAS_COUNT.RD * 2,0)", *KERNEL).stdout)
    check([(m["metric"], m.get("value")) for m in metrics] ==
          [("imc.MEM_BW_READS", 49152 * 64), ("lines", 49152 * 2)], f"{metrics}")
    check_schema(metrics[0], "metric", False)

    got = run("stat", "-x", ";", "-e", RD, *KERNEL).stdout
    rows = list(csv.DictReader(io.StringIO(got), delimiter=";"))
    check(len(rows) == 1 and rows[0]["value"] == "49152" and rows[0]["name"] == RD, f"{rows}")

    default = run("stat", "-j", *KERNEL)
    names = {r["metric"] for r in lines(default.stdout)}
    for name in ("instructions", "llc_hit_ratio", "remote_share", "memory_read_bw", "memory_write_bw",
                 "qpi_utilisation", "qpi_data_bw"):
        check(name in names, f"{name} is not in the default set")
    check(all(r["validity"] != "scaled" for r in lines(default.stdout)), "the default set does not fit")
    named = lines(run("stat", "-j", "-m", "llc_lookups,LLC_HIT_RATIO", *KERNEL).stdout)
    check(named == [r for r in lines(default.stdout) if r["metric"] in ("llc_lookups", "llc_hit_ratio")
                    and "socket" not in r], f"by name: {named}")
    cycles = lines(run("stat", "-j", "-e", "pcu.FREQ_MAX_OS_CYCLES,cbo.TOR_OCCUPANCY.ALL", *KERNEL).stdout)
    check([r["unit"] for r in cycles] == ["clocks", "entry-clocks"], f"{cycles}")
    # What lasts and is no queue counts its clocks; a queue's entries add up, whatever the manual's greatest increment.
    for machine, events, units in (
            ("hsx", "r2pcie.IIO_CREDITS_USED.NCB,qpi.RxL_STALLS_VN0.BGF_DRS,cbo.TxR_STARVED.BL_BOTH,qpi.TxL_OCCUPANCY",
             ["clocks"] * 3 + ["entry-clocks"]),
            ("snbep", "imc.MAJOR_MODES.READ,r3qpi.IIO_CREDITS_USED.NCS,imc.RPQ_OCCUPANCY",
             ["clocks"] * 2 + ["entry-clocks"]),
            ("hsx", "ubox.RACU_REQUESTS,cbo.RING_AD_USED.UP,cbo.LLC_LOOKUP.ANY:thresh=1,cbo.CLOCKTICKS:thresh=1,edge",
             ["entry-clocks", "clocks", "clocks", "times"]),
            ("nhmex", "bbox.IMT_FULL,mbox.BCMD_SCHEDQ_OCCUPANCY.ALL,bbox.TF_ALL", ["clocks"] * 2 + ["entry-clocks"])):
        shown = lines(run("stat", "-M", machine, "--multiplex", "-j", "-e", events, *KERNEL).stdout)
        check([r["unit"] for r in shown] == units, f"{machine}: {shown}")
    table = run("stat", *KERNEL).stdout
    check("reading" in table and "ms of machine time on hsx" in table, table)


def test_turns():
    """What is counted in turns says so, and the truth lies within a few errors."""
    got = lines(run("stat", "-j", "--multiplex", "-e", "cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ,"
                    "cbo.LLC_LOOKUP.READ,cbo.TOR_INSERTS.ALL,cbo.CLOCKTICKS,cbo.LLC_LOOKUP.READ:state=I",
                    "--kernel", "stream:size=8M").stdout)
    true = lines(run("stat", "-j", "-e", "cbo.LLC_LOOKUP.READ", "--kernel", "stream:size=8M").stdout)[0]
    for r in got:
        check_schema(r, "event", False)
        check(r["validity"] == "scaled", f"{r}")
    read = got[2]
    check(abs(read["value"] - true["value"]) < 4 * read["error"] + 1, f"{read}, truth {true['value']}")
    check(0 < read["error"] < 0.2 * read["value"], f"{read}")


def test_files(tmp):
    path = os.path.join(tmp, "out")
    got = run("stat", "-j", "-o", path, "-e", RD, *KERNEL)
    with open(path, encoding="utf-8") as f:
        check(lines(f.read())[0]["value"] == 49152 and not got.stdout, "-o FILE")
    run("stat", "-M", "hsx:none", "-o", path, *KERNEL)
    run("stat", "-e", "cbo.NONE", "-o", path, *KERNEL)
    with open(path, encoding="utf-8") as f:
        check(lines(f.read())[0]["value"] == 49152, "a refused run empties the file of the last one")
    run("stat", "-j", "-o", path, "-e", RD, *KERNEL)
    with open(path, encoding="utf-8") as f:
        check(len(lines(f.read())) == 1, "-o FILE adds to what was there")
    got = run("stat", "-j", "-o", "/dev/full", "-e", RD, *KERNEL)
    check(got.returncode == 65 and "/dev/full cannot be written" in got.stderr, f"{got}")
    check(lines(got.stderr.splitlines()[0])[0]["value"] == 49152, "a full disk swallows readings")

    trace = os.path.join(tmp, "trace")
    check(run("record", "-o", trace, *KERNEL).returncode == 0, "record")
    live = run("stat", "-j", "-e", "*.CLOCKTICKS," + RD, *KERNEL).stdout
    check(run("replay", "-j", "-e", "*.CLOCKTICKS," + RD, trace).stdout == live, "a replay differs")
    with open(trace, "r+b") as f:
        f.truncate(os.path.getsize(trace) // 2)
    got = run("replay", "-j", "-e", RD, trace)
    check(got.returncode == 65 and f"{trace}: the trace ends at byte" in got.stderr, f"damaged trace: {got.stderr!r}")
    for byte, part in ((b"\x1b", "damaged at byte 20: no part of a specification"),
                       (b"x", "the machine of this trace: no family")):
        with open(trace, "r+b") as f:
            f.seek(20)
            f.write(byte)
        refused(65, f"{trace}: {part}", "replay", trace)


def limited(shell, tmp):
    """A run of the shell's `stat -- PROGRAM` ($@) under what it says before."""
    return subprocess.run(["sh", "-c", shell, "sh", os.path.abspath(BOXSCORE), "stat", "-e", RD, "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 3"],
                          cwd=tmp, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def test_surroundings(tmp):
    """Standard files that are closed, and limits: readings go where they belong, or it is said why not."""
    for at, shell, code, out, part in (
            (here(), '"$@" <&-', 3, "out\n", "err\n"),
            (here(), '"$@" 2>&-', 65, "out\n", ""),
            (here(), '"$@" <&- >&- 2>&-', 65, "", ""),
            (here(), 'ulimit -S -f 0; "$@"', 3, "out\n", "ms of machine time"),
            (here(), 'ulimit -f 0; "$@"', 65, "", "File too large (ulimit -f counts it)"),
            (here(), 'ulimit -n 4; "$@"', 65, "", "Too many open files"),
            (here(), 'ulimit -n 6; "$@"', 65, "", "Too many open files"),
    ):
        got = limited(shell, tmp)
        check_at(at, got.returncode == code, f"{shell}: exit {got.returncode}, want {code}: {got.stderr[:300]!r}")
        check_at(at, got.stdout == out and part in got.stderr, f"{shell}: {got}")
    path = os.path.join(tmp, "small")
    got = subprocess.run(["sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh", BOXSCORE, "stat", "-j", "-o", path, "-e", RD, *KERNEL],
                         capture_output=True, text=True, check=False)
    check(got.returncode == 65 and "cannot be written" in got.stderr, f"{got}")
    check(lines(got.stderr.splitlines()[0])[0]["value"] == 49152, "a limit swallows readings")


def test_interrupt():
    """An interrupted kernel prints what was counted so far."""
    p = subprocess.Popen([BOXSCORE, "stat", "-j", "-e", RD, "--kernel", "stream:size=256M,passes=1000"],
                         stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=60)
    check(p.returncode == 128 + signal.SIGINT, f"exit {p.returncode}")
    check(lines(out)[0]["value"] > 0, f"{out!r}")


def test_programs():
    got = run("stat", "-j", "-e", RD, "--", "sh", "-c", "cat; echo to-err >&2; exit 7", input="to-out\n")
    check(got.returncode == 7, f"exit {got.returncode}")
    check(got.stdout == "to-out\n" and got.stderr.startswith("to-err\n"), f"{got}")
    check(lines(got.stderr.splitlines()[-1])[0]["value"] > 0, f"{got.stderr!r}")
    got = run("stat", "-j", "-e", RD, "--", "sh", "-c", "kill -9 $$")
    check(got.returncode == 137 and lines(got.stderr)[0]["value"] > 0 and lines(got.stderr)[0]["validity"] == "exact", f"{got}")
    got = run("stat", "-j", "-o", "-", "-e", RD, "--", "true")
    check(lines(got.stdout)[0]["event"] == RD and not got.stderr, f"{got}")
    with tempfile.TemporaryDirectory() as tmp:
        script = os.path.join(tmp, "script")
        with open(script, "w", encoding="ascii") as f:
            f.write("#!/no/such/interpreter\n")
        os.chmod(script, 0o755)
        refused(65, f"{script}: its interpreter /no/such/interpreter: No such", "stat", "--", script)
    got = run("stat", "-e", RD, "true", "--help")
    check(got.returncode == 0 and RD in got.stderr, "an option of the program is not ours")


def test_hollow():
    """Boxes whose registers answer with nothing behind them are in no sum: slices without a core, channels without pins."""
    for machine, event, boxes in (("hsx", "imc.CLOCKTICKS", (0, 1, 4, 5)), ("hsx:e5-2407v3", "imc.CLOCKTICKS", (0, 1, 2)),
                                  ("hsx:e7-8890v3", "imc.CLOCKTICKS", range(8)),
                                  ("hsx:e5-2680v3", "cbo.CLOCKTICKS", range(12)), ("hsx,cores=3", "cbo.CLOCKTICKS", range(3)),
                                  ("snbep:e5-2620", "cbo.CLOCKTICKS", range(6)), ("snbep", "imc.CLOCKTICKS", range(4))):
        each = lines(run("stat", "-j", "-A", "-M", machine, "-e", f"s0.{event}", *KERNEL).stdout)
        whole = lines(run("stat", "-j", "-M", machine, "-e", f"s0.{event}", *KERNEL).stdout)[0]
        box = event.split(".", maxsplit=1)[0]
        check([r["box"] for r in each] == [f"{box}{b}" for b in boxes], f"{machine} {event}: {[r['box'] for r in each]}")
        check(len({r["value"] for r in each}) == 1 and each[0]["value"] > 0, f"{machine}: one clock, {each}")
        check(whole["value"] == len(boxes) * each[0]["value"], f"{machine}: {whole}, {len(boxes)} of {each[0]}")
    got = run("stat", "-j", "--truth", "-e", "imc2.CLOCKTICKS", *KERNEL)
    check(got.returncode == 69 and lines(got.stdout)[0]["validity"] == "absent", f"{got}")


def main():
    test_refusals()
    test_validity()
    test_hollow()
    test_scenarios()
    test_public_metrics()
    test_formats()
    test_turns()
    with tempfile.TemporaryDirectory() as tmp:
        test_files(tmp)
    test_interrupt()
    if HAVE_QEMU:
        test_programs()
        with tempfile.TemporaryDirectory() as tmp:
            test_surroundings(tmp)
    return done()


sys.exit(main())
