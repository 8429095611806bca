#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of bdx that of hsx but for what its sources say?  Every difference stands here.

usage: test_bdx.py BOXSCORE
"""
from kin import Kin
from rows import finish, row

KIN = Kin("bdx", "hsx")
BDX, HSX = KIN.own, KIN.others[0]

for kind in ("registers", "fields", "metrics", "packets", "messages"):
    row(KIN.apart(kind, "family", "device"), (set(), set()))
# Linux's driver: each function of Haswell-EP, by an id of its own.
row([r["device"] for r in BDX["registers"]], [r["device"].replace("0x2f", "0x6f") for r in HSX["registers"]])
row({BDX.reg(name, "device") for name in ("HA1_PCI_PMON_CTL0", "MC1_CH3_PCI_PMON_CTR0", "R3_L2_PCI_PMON_CTL0")},
    {"0x6f38", "0x6fd5", "0x6f3e"})

# Intel's event files: what is new, what is gone, and the clock of a channel, which is the fixed counter's name now.
row(KIN.events(BDX) - KIN.events(HSX), {("imc", "CLOCKTICKS_P")})
row(KIN.events(HSX) - KIN.events(BDX), {("pcu", "UFS_TRANSITIONS_NO_CHANGE")})
row(BDX.one("events", box="imc", event="CLOCKTICKS_P").get("code"), "0x00")
row("counter=fixed" in BDX.one("events", box="imc", event="CLOCKTICKS").get("keys", ""), True)
row(KIN.subevents(HSX) - KIN.subevents(BDX), set())
row(sorted(KIN.subevents(BDX) - KIN.subevents(HSX)),
    sorted((box, f"RING_{ring}_USED", "ALL") for box in ("ha", "r2pcie", "r3qpi", "sbo") for ring in ("AD", "AK", "BL")
           if (box, ring) != ("ha", "AD")))
row({BDX.umask(box, "RING_BL_USED", "ALL") for box in ("ha", "r2pcie", "r3qpi", "sbo")}, {"0x0f"})

finish()
