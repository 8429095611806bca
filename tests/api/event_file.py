#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Event files: right and wrong ones, recorded and played again, and torn ones.

    event_file.py BOXSCORE SAMPLING
"""
import inspect
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = "boxscore-events 1\nmachine poulson\n"
failures = checks = 0


def check(line, got, want):
    global failures, checks
    checks += 1
    if got != want:
        print(f"{__file__}:{line}: got {got!r}, want {want!r}")
        failures += 1


def here():
    return inspect.currentframe().f_back.f_back.f_lineno


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, errors="replace", capture_output=True, timeout=120,
                          check=False)


def replay(boxscore, text, events, *options):
    with tempfile.NamedTemporaryFile("wb", suffix=".events") as out:
        out.write(text if isinstance(text, bytes) else text.encode())
        out.flush()
        done = run(boxscore, "replay", *options, "-e", events, "-x", ",", out.name)
        return done, done.stderr.replace(out.name, "FILE")


def readings(boxscore, text, events, *options):
    """The values of a comma list of events."""
    done, said = replay(boxscore, text, events, *options)
    if done.returncode:
        return said
    head, *table = [row.split(",") for row in done.stdout.splitlines()]
    return [row[head.index("value")] for row in table]


def right(boxscore, body, events, *values, head=HEAD, options=()):
    check(here(), readings(boxscore, head + body, events, *options), list(values))


def wrong(boxscore, body, said, head=HEAD, events="core.CPU_OP_CYCLES"):
    """`said`: how the message goes on behind the command and FILE:."""
    done, text = replay(boxscore, head + body, events)
    line = here()
    check(line, done.returncode, 65)
    check(line, text.split("FILE:", 1)[-1].strip()[:len(said)], said)


def rows(b):
    inst = "core.IA64_INST_RETIRED"
    # Times: each clock counts what falls into it, the last one too.
    right(b, "retire 0 ip=0x10\n", f"{inst},core0.CPU_OP_CYCLES", "1", "1")
    right(b, "@7 retire 0 ip=0x10\n+3 retire 0 n=4\nretire 0\n", f"{inst},core0.CPU_OP_CYCLES", "6", "11")
    right(b, "@7 retire 0\n@20 end\n", f"{inst},core0.CPU_OP_CYCLES", "1", "20")
    right(b, "@1000ps retire 0\n@3948ps end # 10 clocks of 2533 MHz\n", f"{inst},core0.CPU_OP_CYCLES", "1", "10")
    right(b, "", f"{inst},core0.CPU_OP_CYCLES", "0", "1")
    right(b, "\n  # nothing\n\t\n@5 end\n\n# more\n", "core0.CPU_OP_CYCLES", "5")
    right(b, "retire 0\r\n@4 end\r\n", f"{inst},core0.CPU_OP_CYCLES", "1", "4")
    right(b, "retire 0\n@4 end", f"{inst},core0.CPU_OP_CYCLES", "1", "4")
    # A threshold sees the clocks one by one: more than 1 in a clock, twice.
    right(b, "retire 0 n=2\n+1 retire 0\n+1 retire 0\nretire 0\n", f"{inst}:thresh=1", "2")
    # Levels, runs of cycles, privilege on the line itself, boxes of the uncore.
    right(b, "cycles 0 n=9 event=CYC_BE_EXE_REPLAY.GR_GR\n@5 end\n", "core.CYC_BE_EXE_REPLAY.GR_GR", "5")
    right(b, "retire 0 cpl=3\nretire 0\nretire 0 cpl=1 n=3\nretire 0\n",
          f"{inst}:plm=8,{inst}:plm=2,core.CPU_CPL_CHANGE.ANY", "2", "4", "2")
    right(b, "level bbox1 IMT_OCCUPANCY 3\n@1000 end\n",
          "bbox.IMT_OCCUPANCY,wbox.W_CSR_PMON_FIXED_CTR,bbox0.B_CYCLES,zbox.CYCLES", "2841", "947", "947", "1894")
    right(b, "pulse rbox MASK_MATCH_0 5 link=3 packet=0x1c00\npulse rbox MASK_MATCH_0 1 link=3 packet=0\n+2 end\n",
          "rbox.MASK_MATCH_0.DRS.AnyDataC:port=3", "5")
    # Machines: of the file, another, none named.
    right(b, "retire 4\n", inst, "1", head="boxscore-events 1\nmachine poulson,cores=3\n")
    right(b, "retire 16\n", inst, "1", options=("-M", "poulson,sockets=2"))
    right(b, "retire 15\n", inst, "1", head="boxscore-events 1\nthread 15 fg=both\n")

    wrong(b, "retire\n", "3: expected: retire THREAD [attribute=value...]")
    wrong(b, "retire 0 ip\n", "3: 'ip', expected attribute=value")
    wrong(b, "retire 0 ipp=1\n", "3: no attribute ipp")
    wrong(b, "\n@4 retire 16\n", "4: no thread 16, there are 16")
    wrong(b, "retire 1\n", "3: the thread is in the background")
    wrong(b, "jump 0\n", "3: a core does no jump")
    wrong(b, "@10 retire 0\n@9 retire 0\n", "4: time '@9' goes back")
    wrong(b, "@10 retire 0\n@3947ps retire 0\n", "4: time '@3947ps' goes back")
    wrong(b, "@ retire 0\n", "3: time '@', expected @CYCLE, @NUMBERps or +CYCLES")
    wrong(b, "@-1 retire 0\n", "3: time '@-1', expected")
    wrong(b, "+5ps retire 0\n", "3: time '+5ps', expected")
    wrong(b, "@5us retire 0\n", "3: time '@5us', expected")
    wrong(b, "@99999999999999999999 end\n", "3: time '@99999999999999999999', expected")
    wrong(b, "@9999999999999999999 end\n", "3: time '@9999999999999999999' is more than 100 days away")
    wrong(b, "@5\n", "3: a time without an occurrence; write `end` to let time pass")
    wrong(b, "@5 end now\n", "3: 'now' after end")
    wrong(b, "@5 end\nretire 0\n", "4: something stands behind `end`")
    wrong(b, "pulse bbox0 IMT_ALLOC\n", "3: expected: pulse BOX EVENT[.SUBEVENT] N [tag=value...]")
    wrong(b, "level bbox0 IMT_ALLOC x\n", "3: expected: level BOX EVENT[.SUBEVENT] N [tag=value...]")
    wrong(b, "pulse bbox0 IMT_ALLOK 1\n", "3: bbox0: no event IMT_ALLOK; did you mean IMT_ALLOC?")
    wrong(b, "pulse bbox0 IMT_ALLOC 1 colour=3\n", "3: no such tag or value: colour=3")
    wrong(b, "pulse bbox0 B_CYCLES 1 packet=x\n", "3: no such tag or value: packet=x")
    wrong(b, "retire 0 ip=" + "0" * 5000 + "\n", "3: the line is longer than 4095 characters")
    wrong(b, "retire 0" + " n=1" * 60 + "\n", "3: more than 48 words")
    wrong(b, "retire\0 0\n", "3: the line holds a byte 0")
    wrong(b, "machine poulson\n", "3: a core does no machine")
    wrong(b, "", "2: expected: machine SPECIFICATION", head="boxscore-events 1\nmachine\n")
    wrong(b, "", "1: no event file: its first line is not 'boxscore-events 1'", head="boxscore-events 2\n")
    wrong(b, "retire 0\n", "the machine of this trace: no family \"poulsen\"", head="boxscore-events 1\nmachine poulsen\n")
    # A Xeon's cores are simulated, or not there.
    wrong(b, "retire 0\n", "3: the PMU of this family does not follow its cores",
          head="boxscore-events 1\nmachine nhmex\n", events="wbox.PROCHOT")


def random_lines(rng, count):
    """Console lines that any thread in front can do, with time between them."""
    lines = []
    for _ in range(count):
        thread = rng.choice([0, 0, 2])
        address = 0x4000 + 16 * rng.randrange(64)
        lines.append(rng.choice([
            f"retire {thread} ip={address:#x} n={rng.randrange(1, 7)} op={rng.randrange(1 << 41):#x} itype=m",
            f"dataref {thread} ip={address:#x} type=load_int addr={rng.randrange(1 << 20):#x} latency={rng.randrange(300)}",
            f"branch {thread} ip={address:#x} target=0x8000 taken={rng.randrange(2)}",
            f"thread {thread} cpl={rng.randrange(4)}",
            f"cycles {thread} n={rng.randrange(1, 30)} event=CYC_BE_DET_REPLAY.LOAD_ACQ,DTLB_REF.ANY",
            f"interrupt {thread} offset=0x{rng.randrange(128):x}00",
            f"thread {thread} i=1 ic=1",
            f"fetch {thread} ip={address:#x} latency={rng.randrange(99)}",
            f"pulse sbox{rng.randrange(2)} TO_R_PROG_EV {rng.randrange(1, 9)} mc={rng.randrange(4)} opc={rng.randrange(16)}",
            f"level bbox0 IMT_OCCUPANCY {rng.randrange(30)}",
            f"pulse s0.cbox{rng.randrange(8)} LLC_MISSES.ALL {rng.randrange(5)} tid=3 addr=0x40",
            f"advance uclk {rng.randrange(1, 20)}",
            f"advance core {rng.randrange(1, 20)}"]))
    return lines


PROGRAM = """wrpmc 0 48 0x492
wrpmc 0 40 0x200000000000000
wrpmc 0 49 0xf
wrpmc 0 50 0x18
wrpmc 0 4 0x5000f
wrpmc 0 5 0x1dd010f
wrpmc 0 6 0x20000000f
wrpmc 0 37 0x7ff0f
wrpmc 0 34 0x20f
wrcsr 0 0x3880 9
wrcsr 0 0x3808 0x200
wrcsr 0 0x3840 4
wrcsr 0 0x3848 0x25
wrcsr 0 0x78c8 1
wrcsr 0 0x7840 0x8000000000000000
wrcsr 0 0x7878 0
"""
READ = "".join(f"rdpmd {t} {n}\n" for t in (0, 2) for n in list(range(4, 20)) + [34, 35, 36, 37] + list(range(64, 88)))
READ += "rdcsr 0 0x38c0\nrdcsr 0 0x38c8\nrdcsr 0 0x38a0\nrdcsr 0 0x7880\npending\n"


def again(boxscore, folder):
    """What was recorded does the same again, on monitors that were programmed the same."""
    for seed in range(12):
        rng = random.Random(seed)
        path = os.path.join(folder, "again.events")
        lines = [f"record {path}"] + random_lines(rng, 300) + ["record"]
        first = run(boxscore, "shell", "-M", "poulson", text=PROGRAM + "\n".join(lines) + "\n" + READ)
        second = run(boxscore, "shell", "-M", "poulson", text=PROGRAM + f"play {path}\n" + READ)
        check(here(), (second.returncode, second.stdout), (0, first.stdout))
        # Runs of cycles that overlap are refused, and not recorded.
        check(here(), [e for e in first.stderr.splitlines() if not e.endswith("have their reason already")], [])
        # A recording of a recording is the same file.
        copy = path + ".copy"
        run(boxscore, "shell", "-M", "poulson", text=f"record {copy}\nplay {path}\n")
        with open(path, encoding="ascii") as a, open(copy, encoding="ascii") as b:
            check(here(), b.read(), a.read())


def torn(boxscore, folder):
    """Whatever a file holds, the answer is a number or a message that names the line."""
    rng = random.Random(77)
    good = (HEAD + "@3 retire 0 ip=0x4000 n=3\ndataref 0 type=load_fp addr=0x88 latency=40\n"
            "+4 cycles 0 n=3 event=CYC_BE_EXE_REPLAY.GR_GR\n@90 pulse bbox0 IMT_ALLOC 3 opc=1\n"
            "level cbox1 LLC_MISSES.ALL 1\n@4000ps branch 0 target=0x90\n@120 end\n").encode()
    for _ in range(150):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            what = rng.randrange(4)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                del data[at:at + rng.randrange(1, 30)]
            elif what == 2:
                data[at:at] = bytes(rng.choice(b"0123456789=@+#.\n x") for _ in range(rng.randrange(1, 20)))
            else:
                data[at:at] = data[rng.randrange(len(data)):][:40]
            data = data or bytearray(b" ")
        done, said = replay(boxscore, bytes(data), "core.IA64_INST_RETIRED,bbox.IMT_ALLOC")
        ok = done.returncode == 0 or done.returncode == 65 and ("FILE:" in said or "FILE" in said)
        check(here(), ok, True)
        if not ok:
            print(done.returncode, said, bytes(data))


def recording_fails(boxscore):
    done = run(boxscore, "shell", "-M", "poulson", text="record /nowhere/x\nretire 0\n")
    check(here(), (done.returncode, done.stderr),
          (2, "error: line 1: /nowhere/x cannot be written: No such file or directory\n"))
    done = run(boxscore, "shell", "-M", "poulson", text="play /nowhere/x\n")
    check(here(), (done.returncode, done.stderr), (2, "error: line 1: /nowhere/x: No such file or directory\n"))
    done = run(boxscore, "shell", "-M", "poulson", text="record /dev/full\nretire 0\nrecord\n")
    check(here(), (done.returncode, done.stderr),
          (2, "error: line 3: /dev/full cannot be written: No space left on device\n"))


def sampling(example, folder):
    """The profiler's samples are every 1000th of the loads that its event file has, by a count of our own."""
    path = os.path.join(folder, "sampling.events")
    done = run(example, path, "30000")
    samples, count = [], 0
    with open(path, encoding="ascii") as lines:
        for line in lines:
            got = re.search(r"type=load_int op=0xc0c0000000 addr=0x60000000000(\w+) latency=(\d+) ip=(\w+)", line)
            if got and int(got[2]) >= 64:
                count += 1
                if count % 1000 == 0:
                    samples.append((f"0x60000000000{got[1]}", got[2], got[3]))
    check(here(), (done.returncode, len(samples)), (0, 5))
    check(here(), done.stdout.splitlines()[:5], [f"ip {ip}  data {addr}  latency {latency}" for addr, latency, ip in samples])
    table = {row[:24].strip(): row[24:].split() for row in done.stdout.splitlines()[7:]}
    by_site = {name: [0, 0] for name in table}
    for _, _, ip in samples:
        by_site[list(table)[int(ip, 16) // 16 % 256]][0] += 1
    check(here(), {k: int(v[0]) for k, v in table.items()}, {k: v[0] for k, v in by_site.items()})


def opcodes(boxscore):
    """Opcodes by name, on both sides; options may follow the file, as the documents write it."""
    head = "boxscore-events 1\nmachine hsx\n"
    body = ("@0 pulse cbo0 TOR_INSERTS.OPCODE 5 opc=drd\n+1 pulse cbo0 TOR_INSERTS.OPCODE 7 opc=RFO\n"
            "+1 pulse cbo0 TOR_INSERTS.OPCODE 11 opc=0x182\n@400 end\n")
    # 5 and 11 are DRd, 0x182; 7 are RFO, 0x180.
    right(boxscore, body, "cbo0.TOR_INSERTS.OPCODE:opc=DRd", "16", head=head)
    right(boxscore, body, "cbo0.TOR_INSERTS.OPCODE:opc=0x180", "7", head=head)
    right(boxscore, body, "uncore_cbox_0/event=0x35,umask=0x1,filter_opc=RFO/", "7", head=head)
    # An event by the names that Intel's files, the driver, libpfm4 and LIKWID have for it.
    body = ("@0 pulse imc0 CAS_COUNT.RD 1\n@10 pulse imc0 UNC_M_CAS_COUNT.RD 2\n@20 pulse imc0 cas_count_read 4\n"
            "@30 pulse imc0 hswep_unc_imc::UNC_M_CAS_COUNT:RD 8\n@40 pulse imc0 CAS_COUNT_RD:MBOX0C1 16\n@400 end\n")
    right(boxscore, body, "imc0.CAS_COUNT.RD", "31", head=head)
    wrong(boxscore, "@0 pulse imc0 UNC_C_LLC_LOOKUP.ANY 5\n", "3: imc0: no event UNC_C_LLC_LOOKUP", head=head, events="imc0.CAS_COUNT.RD")
    wrong(boxscore, "@0 pulse imc0 cas_count_reed 5\n", "3: imc0: no event cas_count_reed", head=head, events="imc0.CAS_COUNT.RD")
    # WbMtoI is a request, 0x1c4, and in class HOM0 of the link 0xc.
    body = "@0 pulse cbo0 TOR_INSERTS.OPCODE 3 opc=WbMtoI\n+1 pulse cbo0 TOR_INSERTS.OPCODE 2 opc=HOM0.WbMtoI\n@400 end\n"
    right(boxscore, body, "cbo0.TOR_INSERTS.OPCODE:opc=0x1c4", "3", head=head)
    right(boxscore, body, "cbo0.TOR_INSERTS.OPCODE:opc=0xc", "2", head=head)
    wrong(boxscore, "@0 pulse cbo0 TOR_INSERTS.OPCODE 5 opc=DRx\n", "3: no such tag or value: opc=DRx; it takes a number or a packet's name, DRd", head=head, events="cbo0.CLOCKTICKS")
    with tempfile.NamedTemporaryFile("w", suffix=".events") as out:
        out.write(head + body)
        out.flush()
        done = run(boxscore, "replay", out.name, "-e", "cbo0.TOR_INSERTS.OPCODE:opc=WbMtoI", "-j")
        check(here(), (done.returncode, '"value": 3' in done.stdout.replace(":3", ": 3")), (0, True))


def main(boxscore, example):
    rows(boxscore)
    opcodes(boxscore)
    with tempfile.TemporaryDirectory() as folder:
        again(boxscore, folder)
        sampling(example, folder)
        torn(boxscore, folder)
    recording_fails(boxscore)
    print(f"{checks} checks, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
