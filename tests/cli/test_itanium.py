#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs for IA-64 under `boxscore stat -M poulson`: counts worked out by hand, sums that have to close, clear ends.

usage: test_itanium.py BOXSCORE
"""
import os
import shutil
import subprocess
import sys
import tempfile

BOXSCORE = sys.argv[1]
failed = 0

EXIT = """
\tmov r15 = 1025
\tmov r32 = %s ;;
\tbreak.i 0x100000 ;;
"""
HEAD = "\t.explicit\n\t.text\n\t.global _start\n_start:\n\talloc r2 = ar.pfs, 0, 0, 8, 0 ;;\n"


def check(line, what, got, want):
    global failed
    if got != want:
        failed += 1
        print(f"{__file__}:{line}: {what}: {got}, expected {want}")


def build(folder, name, body, status=0):
    """A program of `body`, a frame of eight outputs around it, that ends with `status`."""
    source = os.path.join(folder, name + ".s")
    with open(source, "w", encoding="utf-8") as out:
        out.write(HEAD + body + EXIT % status + "\t.data\n\t.align 64\ndata:\n\t.skip 65536\n")
    path = os.path.join(folder, name)
    subprocess.run(["ia64-linux-gnu-as", "-o", path + ".o", source], check=True)
    subprocess.run(["ia64-linux-gnu-ld", "-static", "-o", path, path + ".o"], check=True)
    return path


def stat(path, events, *options):
    """Readings by event's name, the exit status, and what was said."""
    asked = [word for event in events for word in ("-e", event)]
    run = subprocess.run([BOXSCORE, "stat", "-M", "poulson", "-x", ",", *options, *asked, "--", path],
                         capture_output=True, text=True, timeout=60, check=False)
    readings = {}
    for row in run.stderr.splitlines():
        words = row.split(",")
        for event in events:
            if event in words and words[1].isdigit():
                readings[event] = int(words[1])
    return readings, run.returncode, run.stderr


LOOP = """
\tmov r3 = 99 ;;
\tmov ar.lc = r3
\tmov r4 = 0 ;;
again:
\tadd r4 = 1, r4 ;;
\tadd r4 = 1, r4
\tbr.cloop.sptk again ;;
"""
CHASE = """
\taddl r4 = @gprel(data), r0
\tmov r3 = 63
\tmovl r5 = data ;;
\tst8 [r5] = r5
\tmov ar.lc = r3 ;;
warm:
\tld8 r6 = [r5] ;;
\tmf
\tbr.cloop.sptk warm ;;
\tmov r3 = 99 ;;
\tmov ar.lc = r3 ;;
chase:
\tld8 r5 = [r5]
\tbr.cloop.sptk chase ;;
"""
FLOAT = """
\tmov r3 = 49 ;;
\tmov ar.lc = r3 ;;
chain:
\tfma.d.s0 f6 = f6, f1, f1
\tbr.cloop.sptk chain ;;
"""
SPILL = """
\tmov r3 = 20
\tbr.call.sptk b0 = down ;;
back:
\tbr.few over ;;
down:
\talloc r33 = ar.pfs, 0, 40, 1, 0
\tmov r34 = b0
\tadd r3 = -1, r3 ;;
\tcmp.ne p6, p7 = 0, r3
(p6)\tbr.call.dptk b0 = down ;;
next:
\tmov b0 = r34
\tmov ar.pfs = r33 ;;
\tbr.ret.sptk b0 ;;
over:
"""
PROGRAMS = {"loop": LOOP, "chase": CHASE, "float": FLOAT, "spill": SPILL}

# What adds up to what: sums of events on both sides, of the manual's 4.2.4, 4.2.2.3, 4.2.3, 4.2.6, 4.2.7.
IDENTITIES = [
    (["CYC_BE_NO_BUBBLE", "CYC_BE_BUBBLE.ANY"], ["CPU_OP_CYCLES"]),
    (["CYC_BE_IBD_STALL.ANY", "CYC_BE_EXE_REPLAY.ANY", "CYC_BE_DET_REPLAY.ANY", "CYC_BE_WB2_REPLAY.ANY", "CYC_BE_WB2_FLUSH.ANY"],
     ["CYC_BE_BUBBLE.ANY"]),
    (["CYC_BE_IBD_STALL.RSE_CFLE", "CYC_BE_IBD_STALL.RSE_ST", "CYC_BE_IBD_STALL.RSE_LOAD", "CYC_BE_IBD_STALL.RSE_WAIT"],
     ["CYC_BE_IBD_STALL.RSE_ANY"]),
    (["CYC_BE_WB2_FLUSH.XPN", "CYC_BE_WB2_FLUSH.BRU"], ["CYC_BE_WB2_FLUSH.ANY"]),
    (["IBL_ISSUE_STOP.NONE"], ["CYC_BE_BUBBLE.ANY"]),
    (["CYC_FE_NO_BUBBLE", "CYC_FE_BUBBLE.ANY"], ["FE_OP_CYCLES"]),
    (["CYC_FE_RESTEER.ANY", "CYC_FE_FET_STALL.ANY"], ["CYC_FE_BUBBLE.ANY"]),
    (["DATA_REF.LOAD_INT", "DATA_REF.LOAD_FP", "DATA_REF.LOAD_RSE"], ["DATA_REF.LOAD_ANY"]),
    (["DATA_REF.STORE_INT", "DATA_REF.STORE_FP", "DATA_REF.STORE_RSE"], ["DATA_REF.STORE_ANY"]),
    (["MLD_REF.HIT", "MLD_REF.MISS"], ["MLD_REF.ANY"]),
    (["MLD_REF.PRIMARY", "MLD_REF.SECONDARY", "MLD_REF.SECONDARY_DROP"], ["MLD_REF.MISS"]),
    (["FLD_HIT.ANY", "FLD_LOAD_MISS.ANY"], ["FLD_LOAD.ANY"]),
    (["RSE_REF_RETIRED.LOAD", "RSE_REF_RETIRED.STORE"], ["RSE_REF_RETIRED.ANY"]),
    (["BR_PRED_DETAIL.ANY_CORR_PRED", "BR_PRED_DETAIL.ANY_WRONG_PATH", "BR_PRED_DETAIL.ANY_WRONG_TARGET"],
     ["BR_PRED_DETAIL.ANY_ANY_PRED"]),
    (["LLC_REF_HIT.ANY", "LLC_REF_MISS.ANY"], ["RIL_REQ_REF.ANY"]),
]

# program, event, count: by hand.  Each program adds an alloc and, to end, two moves and a break; nops fill bundles.
BY_HAND = [
    ("loop", "BR_PRED_DETAIL.ANY_ANY_PRED", 100),
    ("loop", "BR_PATH_PRED.ANY_OKPRED_TAKEN", 99),
    ("loop", "BR_PATH_PRED.ANY_MISPRED_NOT_TAKEN", 1),
    ("loop", "CYC_BE_WB2_FLUSH.BRU", 10),
    ("loop", "DATA_REF.ANY", 0),
    # A load whose address is that of the load before waits one cycle more than the one of the FLD.
    ("chase", "CYC_BE_IBD_STALL.MTOM", 99),
    ("chase", "DATA_REF.LOAD_INT", 164),
    ("chase", "DATA_REF.STORE_INT", 1),
    # Six cycles from an operation to the next that needs it: each waits five, four of them a replay.
    ("float", "CYC_BE_EXE_REPLAY.FR_FR", 4 * 49),
    ("float", "CYC_BE_IBD_STALL.FTOF", 49),
    # Times f1, which is 1: an addition alone, which counts once.
    ("float", "FP_FLOP", 50),
    ("float", "RETIRED_INST_FP", 50),
    ("spill", "BR_PRED_DETAIL.RETURN_ANY_PRED", 20),
]


def test_counts(folder):
    paths = {name: build(folder, name, body) for name, body in PROGRAMS.items()}
    names = sorted({e for identity in IDENTITIES for side in identity for e in side} | {event for _, event, _ in BY_HAND})
    values = {}
    for name, path in paths.items():
        values[name] = {}
        for at in range(0, len(names), 4):
            readings, status, text = stat(path, names[at:at + 4])
            check(0, f"{name}: exit status ({text})", status, 0)
            values[name].update(readings)
    for name, value in values.items():
        check(0, f"{name}: events without a reading", [e for e in names if e not in value], [])
        for number, (left, right) in enumerate(IDENTITIES):
            check(number, f"{name}: {' + '.join(left)} = {' + '.join(right)}", sum(value[e] for e in left),
                  sum(value[e] for e in right))
    for name, event, want in BY_HAND:
        check(0, f"{name}: {event}", values[name][event], want)


def test_ends(folder):
    check(0, "exit status", stat(build(folder, "seven", "", 7), [])[1], 7)
    _, status, text = stat(build(folder, "wild", "\tmov r3 = 64 ;;\n\tld8 r3 = [r3] ;;\n"), [])
    check(0, "a wild load", (status, "not mapped" in text), (128 + 11, True))
    _, status, text = stat(build(folder, "endless", "self:\n\tbr.few self ;;\n"), [], "--limit", "10000")
    check(0, "an endless program", (status, "limit of 10000 instructions" in text), (128 + 24, True))
    path = os.path.join(folder, "cut")
    with open(os.path.join(folder, "seven"), "rb") as source, open(path, "wb") as out:
        out.write(source.read()[:100])
    os.chmod(path, 0o755)
    check(0, "a program that is cut off", stat(path, [])[1] not in (0, 70), True)
    other = subprocess.run([BOXSCORE, "stat", "-M", "hsx", "--", os.path.join(folder, "seven")], capture_output=True, text=True,
                           timeout=60, check=False)
    check(0, "a Xeon", other.returncode, 69)


def main():
    if not shutil.which("ia64-linux-gnu-as"):
        print("no ia64-linux-gnu-as: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        test_counts(folder)
        test_ends(folder)
    return 1 if failed else 0


sys.exit(main())
