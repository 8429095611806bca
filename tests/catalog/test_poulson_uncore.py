#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the uncore of the Itanium 9500 whole in the catalogue?

Counts of what chapter 5 of the manual holds, addresses worked out from its tables 5-4 and 5-5, and rules that tie its
tables to each other: codes of message classes, bits of opcodes, masks of messages.

usage: test_poulson_uncore.py BOXSCORE
"""
import re
from collections import Counter

from rows import dump, finish, row


def uncore(kind):
    return [r for r in dump("poulson", kind) if r.get("box") != "core"]


REGISTERS, FIELDS, EVENTS, SUBEVENTS, PACKETS, MESSAGES = (
    uncore(k) for k in ("registers", "fields", "events", "subevents", "packets", "messages"))
ADDRESS = {r["register"]: int(r["address"], 0) for r in REGISTERS}
OPCODE = {(p["class"], p["name"]): int(p["opcode"], 0) for p in PACKETS}


def boxes(rows):
    return dict(Counter(r["box"] for r in rows))


def keys(box, event, sub=None):
    """The keys of an event or of one of its subevents as a dictionary."""
    rows = [r for r in (EVENTS if sub is None else SUBEVENTS)
            if r["box"] == box and r["event"] == event and (sub is None or r["subevent"] == sub)]
    return dict(k.split("=", 1) for k in rows[0]["keys"].split() if "=" in k) if len(rows) == 1 else {}


def code(box, event):
    return next(int(e["code"], 0) for e in EVENTS if e["box"] == box and e["event"] == event)


# How many, box by box.  Two fields fill holes of the manual's field tables.
row(boxes(REGISTERS), {"ubox": 2, "bbox": 2 * 36, "cbox": 8 * 15, "rbox": 163, "sbox": 2 * 19, "wbox": 13, "zbox": 2 * 20})
row(len(REGISTERS), 448)
row(boxes([f for f in FIELDS if f["field"] != "hole"]),
    {"ubox": 10, "bbox": 98, "cbox": 25, "rbox": 67, "sbox": 85, "wbox": 33, "zbox": 51})
row(len(FIELDS), 369 + 2)
row(boxes(EVENTS), {"bbox": 51, "cbox": 34, "rbox": 27 + 2, "sbox": 52, "wbox": 8 + 1, "zbox": 58})
row(boxes(SUBEVENTS), {"bbox": 330, "cbox": 144, "rbox": 57 + 13 + 36, "sbox": 109, "wbox": 6, "zbox": 176 + 10 + 18})
row(len(SUBEVENTS), 881 + 18)
# Table 5-102 is one for all four selections: 16 codes, of which 0xb and 0xf stand in no row and 4 is empty.
FVC = [{int(re.search(rf"evnt{n}:(\w+)", s["keys"])[1], 0) for s in SUBEVENTS if s["event"] == f"FVC_EV{n}"} for n in range(4)]
row(FVC, [set(range(16)) - {0xb, 0xf}] * 4)
row(keys("zbox", "FVC_EV3", "ECC_CORR_ERR_MAP").get("needs"), "evnt3:0xe")
row(len(MESSAGES), 18)
row(len([p for p in PACKETS if "." not in p["class"] and p["class"] != "MC"]), 60 + 2)
# The tables of packets, 249 rows with the 60 opcodes of table 5-111 that 5-112 has again.
row(len([p for p in PACKETS if p["class"].startswith("B.")]), 7 + 44)
row(len([p for p in PACKETS if p["class"].startswith("S.")]), 32)
row([len([p for p in PACKETS if p["class"] == c]) for c in ("MC", "Z.RESP", "Z.BCMD")], [7, 7, 12])
row(len(PACKETS) + len(MESSAGES) + 60, 249)

# Addresses.  The manual's example is B_CSR_PERF_CTL0 of Bbox 0.
row(ADDRESS["B0_CSR_PERF_CTL0"], 0x3808)
row(ADDRESS["B1_CSR_DC_PERF_MASK_WR2"], 0xb9c8)
row([ADDRESS[f"C{b}_CSR_PMON_PERF_MASTER"] >> 8 for b in range(8)], [0x40, 0x48, 0x50, 0x58, 0xd8, 0xd0, 0xc8, 0xc0])
row([ADDRESS[f"C{7 - b}_CSR_PMON_CTR_5"] - ADDRESS[f"C{b}_CSR_PMON_CTR_5"] for b in range(4)], [0x8000] * 4)
row(ADDRESS["W_CSR_PMON_CTR_2"], 0x74b8)
row(ADDRESS["S1_CSR_QEAR_CTL"], 0xf8f8)
row(ADDRESS["S0_CSR_PMON_PERF_MASTER"] in (0x78c8, 0x78c0, 0x78b8), True)
row(ADDRESS["Z1_CSR_PMU_CNT_CTL_5"], 0xb098)
row(ADDRESS["R_CSR_PERF_CNT_7"], 0x2ab8)
row(ADDRESS["R_CSR_PERF_CNT_CTRL_8"], 0x8a40)
row([ADDRESS[f"R_CSR_P0{p}_IPERF1"] for p in (0, 4, 5, 8)], [0x2078, 0x2878, 0x8078, 0x8678])
row([ADDRESS[f"R_CSR_P0{p}_MASK_LSB_0"] for p in (1, 9)], [0x2280, 0x8880])
row(ADDRESS["R_CSR_P07_ARB_PERF7"], 0x8410)
row(len(set(ADDRESS.values())), 448)

# Fields, and events by code and by what they need.
row({(f["hi"], f["lo"]) for f in FIELDS if f["field"] in ("arbq_sel1", "arbq_wmark")}, {("11", "6"), ("17", "12")})
row([f["reset"] for f in FIELDS if f["field"] == "ARB_MSGSEL"], ["0x4"])
row([code("zbox", e) for e in ("CKE_CYCLES_7", "CKE_ENTERED_0", "DSP_INSERT_ADDR_CNF")], [0x32, 0x33, 0x25])
row(code("wbox", "PSTATE_CHANGE"), 5)
row(keys("rbox", "ET_ACC").get("needs"), "ev{s}_type:0xc")
row(keys("rbox", "TARGET_AVAILABLE", "VN1.VSM").get("needs"), "ev{s}_cls:6,ev{s}_sub:1")
row([keys("bbox", f"ARB_Q0_{e}", "WIAQ").get("needs") for e in ("OCCUPANCY", "INSERTS")], ["arbq_sel0:0x32"] * 2)
row(keys("bbox", "ARB_Q1_NE_CYCLES", "CFL43").get("needs"), "arbq_sel1:0x2b")
row(keys("bbox", "DC_EVENT3", "CYCLES_TRANS_OUT.THRESH_GE").get("needs"), "event3:0x3,wmark_ge_le:1,dc_en:1")
row(keys("zbox", "FVC_EV3", "BBOX_CMDS.V2F").get("needs"), "evnt3:0x5,bcmd:0x3")
row(keys("zbox", "DRAM_CMD", "CAS_WR_CLS.WRPRIO").get("needs"), "dram_cmd:0x1c,cmd:1,sched_mode_pld_trig:4")

# A queue's number in its name is the value that selects it, and the four lists of queues agree.
QUEUES = [[(s["subevent"], re.sub(r"arbq_sel\d:", "", s["keys"])) for s in SUBEVENTS
           if s["box"] == "bbox" and s["event"] == event] for event in
          ("ARB_Q0_INSERTS", "ARB_Q0_REMOVE", "ARB_Q0_NE_CYCLES", "ARB_Q1_NE_CYCLES")]
row([q == QUEUES[0] for q in QUEUES], [True] * 4)
row([int(re.match(r"needs=(\w+)", k)[1], 0) for n, k in QUEUES[0] if re.match(r"CFL\d", n)], list(range(48)))

# A mask of several rings, states or Cboxes is the sum of those with one bit.
row([(s["event"], s["subevent"]) for s in SUBEVENTS if s["box"] in ("cbox", "sbox") and s["kind"] == "exact"
     and s["subevent"] in ("ALL", "ANY") and int(s["umask"], 0) !=
     sum(int(b["umask"], 0) for b in SUBEVENTS if b["event"] == s["event"] and b["box"] == s["box"] and b["kind"] == "bit")], [])

# The Bbox takes a bit for each code, NCB apart, and for each opcode.
row({n: OPCODE["B.MC", n] for (c, n), v in OPCODE.items() if c == "MC" and OPCODE["B.MC", n] != 1 << v}, {"NCB": 0x800})
row([n for (c, n), v in OPCODE.items() if c[:2] == "B." and c != "B.MC" and
     v != 1 << OPCODE[c[2:], n.replace("EIMS", "FEIMS")]], [])
# The Sbox's bits of the non-coherent classes go up with the opcodes.
for cls in ("NCB", "NCS"):
    by_bit = sorted((v, OPCODE[cls, n]) for (c, n), v in OPCODE.items() if c == "S." + cls)
    row([o for _, o in by_bit], sorted(o for _, o in by_bit))

# A message's match lies within its mask, and its class is that of its name.
for m in MESSAGES:
    match, mask = int(m["match0"], 0), int(m["mask0"], 0)
    cls = m["name"].partition(".")[0]
    want = {"HOM": OPCODE["MC", "HOM1" if m["name"] == "HOM.AnyResp" else "HOM0"]}.get(cls, OPCODE.get(("MC", cls)))
    row((m["name"], match & ~mask, match >> 9 & 15, mask >> 9 & 15), (m["name"], 0, want, 15))
row([m["match1"] for m in MESSAGES if m["name"] == "DRS.DataC_M"], ["0x80000"])


finish()
