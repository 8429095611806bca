#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of a family whole?  Counts of what its documents hold, and spot checks by hand.

usage: test_whole.py BOXSCORE
"""
from rows import Catalogue, dump, finish, row

HSX = Catalogue("hsx", "registers", "fields", "events", "subevents", "metrics", "packets", "messages")
one = HSX.one


def manual(row):
    return "src=" not in row.get("keys", "") and row.get("source", "manual") == "manual"


def count(kind, test=manual):
    return sum(1 for row in HSX[kind] if test(row))


def subevent_is_manual(sub):
    event = one("events", box=sub["box"], event=sub["event"])
    return manual(sub) and manual(event)


row(count("registers"), 510 + 90)  # the uncore's, and those of a logical CPU
row(count("events"), 312 + 31)
row(count("subevents", subevent_is_manual), 1003 + 80)
row(len(HSX["metrics"]), 93 + 12)  # the manual's, and names of public metric files
row(sum(1 for p in HSX["packets"] if p["class"] == "IDI"), 20)
row(sum(1 for p in HSX["packets"] if p["class"] != "IDI"), 75)
row(len(HSX["messages"]), 18)

row(one("registers", register="C17_MSR_PMON_CTR3").get("address"), "0xf1b")
row(one("registers", register="S3_MSR_PMON_CTL0").get("address"), "0x73f")
row(one("registers", register="HA1_PCI_PMON_BOX_STATUS").get("address"), "D18:F5+0xf8")
row(one("registers", register="MC1_CH3_PCI_PMON_CTL0").get("device"), "0x2fd5")
row(one("registers", register="PCU_MSR_PMON_BOX_FILTER").get("address"), "0x715")
row(one("registers", register="U_MSR_PMON_GLOBAL_CONFIG").get("reset"), "0x12")
row(one("fields", register="Cn_MSR_PMON_BOX_FILTER0", field="state").get("hi"), "23")
row(one("fields", register="Q_Py_PCI_PMON_CTL{3-0}", field="ev_sel_ext").get("lo"), "21")
row(one("events", box="cbo", event="TOR_OCCUPANCY").get("counters"), "0")
row(one("events", box="cbo", event="TOR_OCCUPANCY").get("max_inc"), "20")
row(one("events", box="qpi", event="CTO_COUNT").get("ext"), "1")
row(one("events", box="ha", event="CONFLICT_CYCLES").get("counters"), "1")
row([one("events", box=b, event=e).get("unit") for b, e in (
    ("cbo", "TOR_OCCUPANCY"), ("cbo", "COUNTER0_OCCUPANCY"), ("cbo", "TOR_INSERTS"), ("cbo", "RING_AD_USED"),
    ("cbo", "CLOCKTICKS"), ("ubox", "RACU_REQUESTS"), ("pcu", "POWER_STATE_OCCUPANCY"))],
    ["entry-clocks", "entry-clocks", "events", "clocks", "clocks", "entry-clocks", "entry-clocks"])
row(one("events", box="r2pcie", event="IIO_CREDIT").get("counters"), "0-1")
row(one("subevents", box="imc", event="CAS_COUNT", subevent="RD").get("umask"), "0x03")
row(one("subevents", box="imc", event="RD_CAS_RANK4", subevent="BANKG3").get("umask"), "0x14")
row(one("subevents", box="cbo", event="TOR_INSERTS", subevent="MISS_OPCODE").get("umask"), "0x03")
row(one("subevents", box="irp", event="TRANSACTIONS", subevent="ORDERINGQ").get("umask"), "0x40")
row(one("metrics", box="imc", metric="MEM_BW_READS").get("expression"), "(CAS_COUNT.RD * 64)")
row(one("packets", **{"class": "SNP", "name": "SnpInvOwn"}).get("opcode"), "0x4")
row(one("messages", name="DRS.DataC_E_Cmp").get("match0"), "0x1c40")

# What a text says is counted is the unit: a new row of the catalogue is soon without its own.
for family in ("hsx", "ivbep", "snbep", "nhmex", "poulson"):
    for e in dump(family, "events") + dump(family, "subevents"):
        if e["text"].startswith(("Clocks ", "Cycles ", "DRAM clocks ", "Overflows of the sum ")):
            row((family, e["box"], e["event"], e["unit"]), (family, e["box"], e["event"],
                "entry-clocks" if e["text"].startswith("Overflows") else "clocks"))

finish()
