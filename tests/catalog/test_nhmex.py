#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of nhmex whole?  Counts of what its sources hold, and spot checks by hand.

usage: test_nhmex.py BOXSCORE
"""
from rows import Catalogue, finish, row

NHMEX = Catalogue("nhmex", "registers", "fields", "events", "subevents", "metrics")
by_box, one, reg, bits, umask = NHMEX.by_box, NHMEX.one, NHMEX.reg, NHMEX.bits, NHMEX.umask


def needs(box, event, name=None):
    """What an event or subevent needs of its sub-control registers."""
    found = one("subevents", box=box, event=event, subevent=name) if name else one("events", box=box, event=event)
    return next((k[6:] for k in found.get("keys", "").split() if k.startswith("needs=")), "")


def encoding(box, event, name=None):
    """The value of the sub-control register, from what event and subevent need and where the fields lie."""
    value = 0
    for need in ",".join(filter(None, [needs(box, event), name and needs(box, event, name)])).split(","):
        field, wanted = need.replace("{s}", "0").split(":")
        value |= int(wanted.lstrip("|"), 0) << int(one("fields", box=box, field=field)["lo"])
    return hex(value)


# Each box: enable, overflow and clear, then controls and counters in pairs, then what else it has.
row(by_box("registers"), {"ubox": 3 + 2, "wbox": 3 + 2 * 4 + 2, "cbox": 10 * (3 + 2 * 6),
                          "sbox": 2 * (3 + 2 * 4 + 3), "bbox": 2 * (3 + 2 * 4 + 2),
                          "mbox": 2 * (3 + 2 * 6 + 1 + 7 + 3), "rbox": 2 * (3 + 2 * 8) + 8 * (3 + 6), "core": 46})
row(len(NHMEX["registers"]), 384 + 46)
row(by_box("events"), {"ubox": 12, "wbox": 8, "cbox": 34, "sbox": 76, "bbox": 50, "mbox": 36,
                       "rbox": 24 + 22, "core": 24})
row(len(NHMEX["events"]), 262 + 24)
# The tables have 600 rows, of which 35 say that an event has no subevent.
row(by_box("subevents"), {"wbox": 6 * 9, "cbox": 117, "sbox": 124, "mbox": 199 - 21, "rbox": 106 - 14, "core": 51})
row(len(NHMEX["metrics"]), 12)

# Global control, and the U-Box: tables 2-6 to 2-8.
row(reg("U_MSR_PMON_GLOBAL_OVF_CTL"), "0xc02")
row(reg("U_MSR_PMON_EV_SEL"), "0xc10")
row(bits("U_MSR_PMON_GLOBAL_CTL", "en_all"), "28:28 RW")
row(bits("U_MSR_PMON_GLOBAL_CTL", "pmi_core_sel"), "4:1 RW")
row(bits("U_MSR_PMON_EV_SEL", "ev_sel"), "8:0 RW")
row(bits("U_MSR_PMON_CTR", "event_count"), "47:0 RW-V")
row({e["event"]: e["code"] for e in NHMEX["events"] if e["box"] == "ubox" and e["event"] != "FATAL_ERR"},
    {"BUF_VALID_LOCAL_INT": "0x00", "BUF_VALID_REMOTE_INT": "0x01", "BUF_VALID_LOCK": "0x02",
     "BUF_VALID_STST": "0x03", "BUF_VALID_SPC_CYCLES": "0x04", "U2R_REQUESTS": "0x50",
     "U2B_REQUEST_CYCLES": "0x51", "WOKEN": "0xf8", "IPIS_SENT": "0xf9", "RECOV": "0x1df",
     "CORRECTED_ERR": "0x1e4"})

# C-Boxes do not lie in the order of their addresses.
row([reg(f"C{b}_MSR_PMON_GLOBAL_CTL") for b in range(10)],
    ["0xd00", "0xd80", "0xd40", "0xdc0", "0xd20", "0xda0", "0xd60", "0xde0", "0xf40", "0xfc0"])
row(reg("C7_MSR_PMON_CTR5"), "0xdfb")
row(bits("C_MSR_PMON_EVT_SEL{5-0}", "umask"), "15:8 RW")
row(bits("C_MSR_PMON_GLOBAL_OVF_CTL", "clr_ov"), "5:0 WO")
row(one("events", box="cbox", event="ARB_WINS").get("code"), "0x09")
row(umask("cbox", "LLC_VICTIMS", "ALL"), "0x1f")
row(umask("cbox", "SNP_HITS", "REMOTE_HITF"), "0x88")

# W, S and B.
row(reg("W_MSR_PMON_FIXED_CTR"), "0x394")
row(bits("W_MSR_PMON_GLOBAL_CTL", "fixed_en"), "31:31 RW")
row(umask("wbox", "TM1_ON", "C_ALL"), "0xff")
row(reg("S1_MSR_PMON_CTL3"), "0xcd6")
row(reg("S0_MSR_MM_CFG"), "0xe48")
row(reg("B1_MSR_MASK"), "0xe4e")
row(bits("B_MSR_MATCH_REG", "opc_in"), "55:52 RW")
row(bits("B_MSR_PMON_EVT_SEL{3-0}", "ev_sel"), "5:1 RW")
# One code, three events: which one it is depends on the counter.
row(sorted((e["counters"], e["event"]) for e in NHMEX["events"] if e["box"] == "bbox" and e["code"] == "0x17"),
    [("0", "DIRQ_OCCUPANCY"), ("1", "DIRQ_INSERTS"), ("3", "CONFLICTS")])
row(one("events", box="bbox", event="IMT_INSERTS_WR").get("code"), "0x0c")
row(umask("sbox", "TO_R_NCS_MSGQ_OCCUPANCY", "ALL"), "0x0f")

# M-Box: Linux has inc_sel 0xd with 0x2800 and 0x2820 in the FVC for reads and writes.
row(reg("M1_MSR_PMU_CNT_3"), "0xcf7")
row(reg("M0_MSR_PMU_ZDP_CTL_FVC"), "0xcab")
row(one("events", box="mbox", event="FVC_EV0").get("code"), "0x0d")
row(encoding("mbox", "FVC_EV0", "BBOX_CMDS_READS"), "0x2800")
row(encoding("mbox", "FVC_EV0", "BBOX_CMDS_WRITES"), "0x2820")
row(encoding("mbox", "FVC_EV3", "BBOX_RSP_SPEC_ACK"), hex(6 << 20 | 4 << 8))
row(encoding("mbox", "THERM_TRP_DN", "ALL_GT_LO"), hex(1 << 9 | 1 << 3))
row(encoding("mbox", "CYCLES_DSP_FILL", "WRQ_EMPTY"), hex(8 << 7))
row(encoding("mbox", "FRM_TYPE", "1CMD"), "0xc")
row(needs("mbox", "BCMD_SCHEDQ_OCCUPANCY", "ALL"), "bcmd_queue_sel:8")
row(needs("mbox", "DRAM_CMD", "RAS_WRPRIO"), "cmd:0x02,dep_sched_mode:1,sched_mode_pld_trig:2")
row(bits("M_MSR_PMU_CNT_CTL{5-0}", "inc_sel"), "13:9 RW")
row(bits("M_MSR_PMU_CNT_CTL{5-0}", "set_flag_sel"), "21:19 RW")
row(one("events", box="mbox", event="BCMD_SCHEDQ_OCCUPANCY").get("ext"), "1")
row(one("events", box="mbox", event="BCMD_SCHEDQ_OCCUPANCY").get("unit"), "clocks")
row(one("events", box="bbox", event="TF_ALL").get("unit"), "entry-clocks")
row(bits("M_MSR_PMU_ADDR_MASK", "mask"), "27:0 RW")

# R-Box: two halves, eight ports; the encodings are those that PCM and LIKWID write.
row(reg("R_MSR_PMON_CTR15"), "0xe3f")
row(reg("R_MSR_PMON_GLOBAL_STATUS_15_8"), "0xe21")
row(reg("R_MSR_PORT5_IPERF_CFG1"), "0xe29")
row(reg("R_MSR_PORT3_QLX_CFG"), "0xe0f")
row(reg("R_MSR_PORT4_QLX_CFG"), "0xe2c")
row(reg("R_MSR_PORT6_XBR_SET2_MATCH"), "0xe99")
row(bits("R_MSR_PORT{7-0}_XBR_SET{2-1}_MM_CFG", "mm_trig_en"), "21:21 RW")
row(one("events", box="rbox", event="PORT3_7_XBR_SET2").get("code"), "0x17")
for event, name, value in [line.split() for line in """
FLITS_SENT - 0x80000000
NULL_IDLE - 0x40000000
RETRYQ_NE - 0x10000000
EOT_NE_CYCLES - 0x10000
NEW_PACKETS_RECV ANY_DRS 0xc4
NEW_PACKETS_RECV VN1_ALL 0x7f
ALLOC_TO_ARB ALL 0xfe00
EOT_INSERTS DRS_VN1 0x300000
EOT_OCCUPANCY NDR 0x60000
LOCAL_ARB_BID_FAIL - 0x4
GLOBAL_ARB_BID_FAIL VN1_NDR 0xa5
QUE_ARB_BID DRS 0x40
TARGET_AVAILABLE VN1_VLG 0xf9
""".strip().split("\n")]:
    row(f"{event} {encoding('rbox', event, None if name == '-' else name)}", f"{event} {value}")


finish()
