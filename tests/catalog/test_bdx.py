#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of bdx that of hsx but for what its sources say?  Every difference stands here.

usage: test_bdx.py BOXSCORE
"""
from rows import Catalogue, finish, row

KINDS = ("registers", "fields", "events", "subevents", "metrics", "packets", "messages")
BDX, HSX = Catalogue("bdx", *KINDS), Catalogue("hsx", *KINDS)


def apart(kind, *leave):
    """Rows of one that the other has not, but for the columns to leave out: (only bdx, only hsx)."""
    def keys(catalogue):
        return {tuple(v for k, v in r.items() if k not in leave) for r in catalogue[kind]}
    return keys(BDX) - keys(HSX), keys(HSX) - keys(BDX)


def names(rows, *columns):
    return sorted(tuple(r[c] for c in columns) for r in rows)


for kind in ("registers", "fields", "metrics", "packets", "messages"):
    row(apart(kind, "family", "device"), (set(), set()))
# Linux's driver: each function of Haswell-EP, by an id of its own.
row([r["device"] for r in BDX["registers"]], [r["device"].replace("0x2f", "0x6f") for r in HSX["registers"]])
row({BDX.reg(name, "device") for name in ("HA1_PCI_PMON_CTL0", "MC1_CH3_PCI_PMON_CTR0", "R3_L2_PCI_PMON_CTL0")},
    {"0x6f38", "0x6fd5", "0x6f3e"})

# Intel's event files: what is new, what is gone, and the clock of a channel, which is the fixed counter's name now.
def events(catalogue):
    return {(r["box"], r["event"]) for r in catalogue["events"]}


row(events(BDX) - events(HSX), {("imc", "CLOCKTICKS_P")})
row(events(HSX) - events(BDX), {("pcu", "UFS_TRANSITIONS_NO_CHANGE")})
row(BDX.one("events", box="imc", event="CLOCKTICKS_P").get("code"), "0x00")
row("counter=fixed" in BDX.one("events", box="imc", event="CLOCKTICKS").get("keys", ""), True)


def subevents(catalogue):
    return {(r["box"], r["event"], r["subevent"]) for r in catalogue["subevents"]}


row(subevents(HSX) - subevents(BDX), set())
row(sorted(subevents(BDX) - subevents(HSX)),
    sorted((box, f"RING_{ring}_USED", "ALL") for box in ("ha", "r2pcie", "r3qpi", "sbo") for ring in ("AD", "AK", "BL")
           if (box, ring) != ("ha", "AD")))
row({BDX.umask(box, "RING_BL_USED", "ALL") for box in ("ha", "r2pcie", "r3qpi", "sbo")}, {"0x0f"})

finish()
