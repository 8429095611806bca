#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of snbep whole?  Counts of what its sources hold, and spot checks by hand.

usage: test_snbep.py BOXSCORE
"""
from rows import Catalogue, finish, row

SNBEP = Catalogue("snbep", "registers", "fields", "events", "subevents", "metrics", "packets", "messages")
by_box, one, reg, bits, counters, umask = SNBEP.by_box, SNBEP.one, SNBEP.reg, SNBEP.bits, SNBEP.counters, SNBEP.umask

# Each box: its control, the controls and counters in pairs, and what else it has.
row(by_box("registers"), {"cbo": 8 * 10, "ubox": 6 + 4 + 2, "pcu": 12, "ha": 12, "imc": 4 * 11,
                          "qpi": 2 * 14, "r2pcie": 9, "r3qpi": 2 * 7, "core": 86})
row(len(SNBEP["registers"]), 211 + 86)
row(by_box("events"), {"ubox": 9, "cbo": 25, "ha": 38, "imc": 25, "pcu": 39, "qpi": 43,
                       "r2pcie": 14, "r3qpi": 24, "irp": 27, "core": 32})
row(len(SNBEP["events"]), 244 + 32)
row(len(SNBEP["subevents"]), 502 + 65)
row(len(SNBEP["metrics"]), 94)
row(sum(1 for p in SNBEP["packets"] if p["class"] == "IDI"), 19)
row(len(SNBEP["messages"]), 18)

# Table 2-84: the ports of the link layer.
row(reg("Q_P0_PCI_PMON_BOX_CTL"), "D8:F2+0xf4")
row(reg("Q_P1_PCI_PMON_CTL3"), "D9:F2+0xe4")
row(reg("Q_P1_PCI_PMON_CTR3"), "D9:F2+0xb8")
row(reg("Q_P0_PCI_PMON_CTR0", "width"), "64")
row(reg("Q_P0_PCI_PMON_PKT_MATCH0"), "D8:F6+0x228")
row(reg("Q_P1_PCI_PMON_PKT_MASK1"), "D9:F6+0x23c")
row([r["address"] for r in SNBEP["registers"] if r["register"] == "QPI_RATE_STATUS"],
    ["D8:F0+0xd4", "D9:F0+0xd4"])

# Tables 2-85 to 2-89: their fields.
row(bits("Q_Py_PCI_PMON_BOX_CTL", "frz_en"), "16:16 WO")
row(bits("Q_Py_PCI_PMON_BOX_CTL", "rst_ctrs"), "1:1 WO")
row(bits("Q_Py_PCI_PMON_CTL{3-0}", "thresh"), "31:24 RW-V")
row(bits("Q_Py_PCI_PMON_CTL{3-0}", "ev_sel_ext"), "21:21 RW-V")
row(bits("Q_Py_PCI_PMON_CTR{3-0}", "event_count"), "47:0 RW-V")
row(bits("Q_Py_PCI_PMON_PKT_MATCH1", "RDS"), "19:16 RW")
row(bits("Q_Py_PCI_PMON_PKT_MATCH0", "DNID"), "17:13 RW")
row(bits("Q_Py_PCI_PMON_PKT_MATCH0", "OPC"), "8:5 RW")
row(counters("qpi", "CTO_COUNT"), "0-3")
row(one("events", box="qpi", event="CTO_COUNT").get("code"), "0x38")
row(one("events", box="qpi", event="CTO_COUNT").get("ext"), "1")

# Section 2.3.2: 44 bits, and what each counter of a CBo can do.
row(reg("C7_MSR_PMON_CTR3"), "0xdf9")
row(reg("C3_MSR_PMON_BOX_FILTER"), "0xd74")
row(bits("Cn_MSR_PMON_CTR{3-0}", "event_count"), "43:0 RW-V")
row(sorted(e["event"] for e in SNBEP["events"] if e["box"] == "cbo" and e["counters"] == "0"),
    ["RxR_OCCUPANCY", "TOR_OCCUPANCY"])
row(sorted(e["event"] for e in SNBEP["events"] if e["box"] == "cbo" and e["counters"] == "2-3"),
    ["RING_AD_USED", "RING_AK_USED", "RING_BL_USED", "RING_IV_USED"])
row(counters("cbo", "COUNTER0_OCCUPANCY"), "1-3")
row(counters("cbo", "TOR_INSERTS"), "0-1")
row(one("events", box="cbo", event="TOR_OCCUPANCY").get("max_inc"), "20")
row(bits("Cn_MSR_PMON_BOX_FILTER", "opc"), "31:23 RW")
row(bits("Cn_MSR_PMON_BOX_FILTER", "state"), "22:18 RW")
row(bits("Cn_MSR_PMON_BOX_FILTER", "nid"), "17:10 RW")
row(bits("Cn_MSR_PMON_BOX_FILTER", "tid"), "4:0 RW")
row(one("subevents", box="cbo", event="TOR_INSERTS", subevent="NID_MISS_OPCODE").get("filter"), "opc,nid")
row(umask("cbo", "LLC_LOOKUP", "NID"), "0x41")
row(umask("cbo", "RxR_ISMQ_RETRY", "ADDR_CONFLICT"), "0x04")

# The other boxes.
row(reg("U_MSR_PMON_UCLK_FIXED_CTR"), "0xc09")
row(bits("U_MSR_PMON_UCLK_FIXED_CTR", "event_count"), "43:0 RW-V")
row(reg("GIDNIDMAP"), "D11:F0+0x54")
row(reg("MC_CH2_PCI_PMON_FIXED_CTR"), "D16:F4+0xd0")
row(reg("MC_CH3_PCI_PMON_BOX_CTL", "device"), "0x3cb5")
row(bits("MC_CHy_PCI_PMON_FIXED_CTL", "rst"), "19:19 WO")
row(one("fields", register="MC_CHy_PCI_PMON_BOX_CTL", field="rst_ctrs"), {})   # this box has no reset bits
row(one("fields", register="HA_PCI_PMON_BOX_CTL", field="rst_ctrs").get("lo"), "1")
row(reg("PCU_MSR_PMON_CTL0"), "0xc30")
row(reg("PCU_MSR_CORE_C6_CTR"), "0x3fd")
row(bits("PCU_MSR_PMON_CTL{3-0}", "occ_sel"), "15:14 RW-V")
row(reg("HA_PCI_PMON_BOX_ADDRMATCH1"), "D14:F1+0x44")
row(reg("R3_L1_PCI_PMON_CTL2"), "D19:F6+0xe0")
row(bits("R3_Ly_PCI_PMON_CTR{2-0}", "event_count"), "43:0 RW-V")
row(one("events", box="pcu", event="TOTAL_TRANSITION_CYCLES").get("ext"), "1")
row(one("events", box="pcu", event="DEMOTIONS_CORE0").get("ext"), "0")
row(one("events", box="pcu", event="FREQ_BAND2_CYCLES").get("code"), "0x0d")
row(counters("r2pcie", "TxR_CYCLES_NE"), "0")
row(counters("r3qpi", "CLOCKTICKS"), "0-2")
row(one("events", box="imc", event="WPQ_OCCUPANCY").get("max_inc"), "32")
row(umask("qpi", "TxL_FLITS_G1", "DRS"), "0x18")
row(umask("qpi", "RxL_FLITS_G2", "NCB"), "0x0c")
row(umask("imc", "CAS_COUNT", "WR"), "0x0c")
row(umask("r2pcie", "TxR_INSERTS", "NCS"), "0x20")
row(umask("ha", "IMC_WRITES", "ALL"), "0x0f")
row(one("metrics", box="pcu", metric="PCT_FREQ_THERMAL_LTD").get("expression"),
    "FREQ_MAX_LIMIT_THERMAL_CYCLES / CLOCKTICKS")
row(one("packets", **{"class": "IDI", "name": "PCIPRd"}).get("opcode"), "0x195")
row(one("packets", **{"class": "HOM0", "name": "InvXtoI"}).get("opcode"), "0x5")
row(one("messages", name="DRS.WbIData").get("match0"), "0x1c80")


finish()
