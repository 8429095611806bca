#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Nehalem-EX under boxscore stat: what is conserved between boxes, bandwidths, constraints of its counters.

usage: test_nhmex.py BOXSCORE
"""
import sys

from checks import done, here
from laws import check, readings, refused, row, test_laws

SMALL = "nhmex,cores=2"                  # 6 MB of last-level cache
TRIAD = "stream:size=16M,op=triad"
CHASE = "chase:size=4M"
FAR = "remote:size=2M"
MIXED = "random:size=32M,count=40000,threads=2,writes=40"
MIXED_FAR = "random:size=32M,count=10000,writes=40,node=1"
MANY = "random:size=32M,count=3000,threads=8,writes=40"
MISSES, ASKED = "{cbox.LLC_MISSES.ALL}", "{sbox.TO_R_B_REQUESTS.ALL}"
EXTERNAL = ["port=0", "port=1"]         # of each half: 0, 1, 4 to other sockets, 5 to the I/O hub


def both(event):
    """An event of the router on all ports to other sockets."""
    return "(" + " + ".join(f"{{rbox.{event}:{p}}}" for p in EXTERNAL) + ")"


LAWS = [
    # A read that misses is one request of each box after another, and one line read from memory.
    row(SMALL, CHASE, f"{MISSES} == {ASKED} == {{bbox.IMT_INSERTS_RD}} == {{mbox.DRAM_CMD.CAS_RD_OPN}} == 2**16"),
    row(SMALL, CHASE, "{mbox.FVC_EV0.BBOX_CMDS_READS} == {mbox.FVC_EV1.BBOX_RSP_ACK} == {bbox.IMT_INSERTS_RD}"),
    row(SMALL, CHASE, "{mbox.PAGE_HIT} + {mbox.PAGE_MISS} + {mbox.PAGE_EMPTY} == {mbox.BBOX_CMDS_ALL} > 0"),
    # What is under way at the end has left one box and is not yet in the next.
    row(SMALL, TRIAD, "0 <= {bbox.IMT_INSERTS_WR} - {mbox.FVC_EV0.BBOX_CMDS_WRITES} <= 2"),
    row(SMALL, TRIAD, f"0 <= {MISSES} + {{bbox.IMT_INSERTS_WR}} - {ASKED} <= 2"),
    row(SMALL, TRIAD, f"0 <= {{cbox.TRANS_RWRF}} - {ASKED} <= 2 and 0 <= {ASKED} - {{mbox.BBOX_CMDS_ALL}} <= 2"),
    # Three arrays of 16 MB are read, one is written; the caches keep some of what was written.
    row(SMALL, TRIAD, "{mbox.FVC_EV0.BBOX_CMDS_READS} * 64 == 3 * 16 * 2**20"),
    row(SMALL, TRIAD, "(16 - 7) * 2**20 <= {bbox.IMT_INSERTS_WR} * 64 <= 16 * 2**20"),
    row(SMALL, MIXED, f"{{cbox.LLC_S_FILLS.ALL}} == {MISSES} == {{cbox.LLC_VICTIMS.ALL}} > 40000"),
    row(SMALL, MIXED, "{cbox.LLC_HITS.ALL} == {cbox.LLC_HITS.MODIFIED} + {cbox.LLC_HITS.EXCLUSIVE} + "
                      "{cbox.LLC_HITS.SHARED} + {cbox.LLC_HITS.FORWARD} > 0"),
    # Source snoops: each miss asks all other sockets, each answers the home agent.
    row(SMALL, MIXED, f"{{sbox.PKTS_SENT_SNP}} == {{sbox.PKTS_RCVD_SNP}} == {MISSES} == {{cbox.TRANS_RSPF}}"),
    row("nhmex,sockets=4", MANY,
        f"{{sbox.PKTS_SENT_SNP}} == 3 * {MISSES} == {{cbox.SNPS.REMOTE_ANY}} == {{cbox.TRANS_IPQ}} > 0"),
    row("nhmex,sockets=4", MANY, "{sbox.PKTS_SENT_HOM.ALL} == {cbox.TRANS_RWRF} + {cbox.TRANS_RSPF}"),
    row("nhmex,sockets=4", MANY, "{sbox.RBOX_SNP_BYPASS.SNP} == 0 < {sbox.RBOX_SNP_BYPASS.BIG_SNP}"),
    row("nhmex,sockets=1", MIXED, f"{{sbox.PKTS_SENT_SNP}} == 0 and {MISSES} > 0"),
    row("nhmex,sockets=1", MIXED,
        "{rbox.FLITS_SENT:port=0} == 0 and {rbox.FLITS_SENT:port=1} == {rbox.NULL_IDLE:port=1} > 0"),
    row(SMALL + ",snoop=home", MIXED, "{sbox.PKTS_SENT_SNP} == 0 and "
        f"{{bbox.SNPOQ_INSERTS}} == {{cbox.SNPS.REMOTE_ANY}} == {MISSES} > 0"),
    # A link at 6.4 GT/s sends a flit each 625 ps, six in ten clocks of the uncore (but for those in which it wakes); port 0 of
    # each half leads to a socket.  However the counters count: some only add, some look at every clock.
    row(SMALL, MIXED, "0 <= {rbox.FLITS_SENT:port=0} - 4 * 0.6 * {s0/wbox.UNCORE_CLOCK} < 8000 < {rbox.NULL_IDLE:port=0}"),
    row(SMALL, MIXED, "0 <= {rbox.FLITS_SENT:port=0} - 4 * 0.6 * {s0/wbox.UNCORE_CLOCK} < 8000 < {sbox.TO_R_DRS_MSGQ_CYCLES_NE.ALL}"),
    # What one socket sends the other receives: a line is nine flits, all else here is one.
    row(SMALL, FAR, f"{both('NEW_PACKETS_RECV.ANY_DRS')} == {MISSES} == {{sbox.PKTS_RCVD_DRS_FROM_R}} == 2**15"),
    row(SMALL, FAR, "2 * ({s1/rbox.FLITS_SENT:port=0} - {s1/rbox.NULL_IDLE:port=0}) == "
                    "9 * ({s0/rbox.FLITS_SENT:port=0} - {s0/rbox.NULL_IDLE:port=0}) > 0"),
    row(SMALL, FAR, f"{both('NEW_PACKETS_RECV.ANY_HOM')} == {{cbox.TRANS_RWRF}} == 2**15"),
    row(SMALL, FAR,
        f"{both('NEW_PACKETS_RECV.ANY_SNP')} == {{cbox.SNPS.REMOTE_ANY}} == {{s1/cbox.SNPS.REMOTE_RD}} > 0"),
    row(SMALL, FAR, "{s0/sbox.TO_R_B_REQUESTS.REMOTE} == {s1/bbox.IMT_INSERTS_ALL} > 0 == {s0/bbox.IMT_INSERTS_ALL}"),
    row(SMALL, MIXED_FAR,
        "{sbox.FLITS_SENT_DRS} == 9 * {sbox.PKTS_SENT_DRS.ALL} and 0 <= {sbox.PKTS_SENT_DRS.ALL} - {bbox.IMT_INSERTS_WR} <= 2"),
    # Each packet that comes into a port wins its way out, and bids once.
    row(SMALL, MIXED,
        "{rbox.INQUE_READ_WIN:port=2} == {rbox.NEW_PACKETS_RECV.ANY_ALL:port=2} == {rbox.LOCAL_ARB_BID:port=2} > 0"),
    row(SMALL, MIXED, "{rbox.GLOBAL_ARB_BID:port=2} == {rbox.NEW_PACKETS_RECV.ANY_ALL:port=2} > 0"),
    row(SMALL, MIXED,
        "{rbox.ALLOC_TO_ARB.ALL:port=3} == {rbox.NEW_PACKETS_RECV.ANY_ALL:port=3} > {rbox.QUE_ARB_BID.HOM:port=3} + "
                      "{rbox.QUE_ARB_BID.SNP:port=3} > 0"),
    # Match and mask, which let everything pass, see the same packets: data one way, requests and snoops the other; the
    # filter of the S-Box has classes of requests and responses only.
    row(SMALL, FAR, "{rbox.PORT0_4_XBR_SET1} + {rbox.PORT1_5_XBR_SET1} == 3 * 2**15"),
    row(SMALL, FAR, "{sbox.TO_R_PROG_EV} == {sbox.PKTS_SENT_HOM.RBOX} > 0"),
    row(SMALL, FAR,
        "{bbox.MSG_IN_MATCH} == 2 * {mbox.BBOX_CMDS_ALL} == 2**16 and {bbox.ADDR_IN_MATCH} == {bbox.MSG_IN_MATCH}"),
    # Little's law: entries x clocks of a table are what enters it times its latency.
    row(SMALL, CHASE,
        "150 < {sbox.REQ_TBL_OCCUPANCY.ALL} / {sbox.TO_R_B_REQUESTS.ALL} < {cbox.OCCUPANCY_MAF} / {cbox.TRANS_MAF} < 400"),
    # A line for the ring goes past the egress queue, or wins after it has lost once.
    row(SMALL, MIXED, "{sbox.EGRESS_BYPASS.BL_CW+BL_CCW} + {sbox.EGRESS_ARB_WINS.BL_CW+BL_CCW} == "
                      "{sbox.PKTS_RCVD_DRS_FROM_R} + {sbox.PKTS_RCVD_DRS_FROM_B} > 0"),
    row(SMALL, MIXED, "{sbox.EGRESS_ARB_LOSSES.BL_CW+BL_CCW} == {sbox.EGRESS_ARB_WINS.BL_CW+BL_CCW} > 0"),
    row(SMALL, TRIAD, "0 < {sbox.TO_R_B_HOM_MSGQ_CYCLES_NE.ALL} <= {sbox.TO_R_B_HOM_MSGQ_OCCUPANCY.ALL}"),
    # The sum of the tracker, in overflows of 256 of each of two boxes, is the latency of what enters it.
    row(SMALL, CHASE,
        "100 < {bbox.TF_ALL} / {bbox.IMT_INSERTS_ALL} < 300 and {bbox.IMT_NE_CYCLES} <= {bbox.TF_ALL} + 2 * 256"),
    # What leaves the ring at cores and slices: a line in two halves, requests and answers in one.
    row(SMALL, CHASE,
        f"{{cbox.SINKS_S2P_BL}} == 2 * {MISSES} == {{cbox.SINKS_S2C.BL}} and {{cbox.SINKS_P2C.IV}} == {{cbox.TRANS_IRQ}}"),
    row(SMALL, CHASE, "{cbox.INGRESS_BYPASS_WINS_AD.IRQ_BYP0} <= {cbox.TRANS_IRQ} and 0 < {cbox.ARB_WINS.ALL}"),
    row(SMALL, CHASE,
        "{wbox.UNCORE_CLOCK} == {mbox.MBOX_CLOCKTICKS} / 2 > 0 and {mbox.CYCLES_PGT_STATE.OPEN} == {mbox.MBOX_CLOCKTICKS}"),
    row(SMALL, MIXED, "{wbox.C_CYCLES_TURBO.C_ALL} == 0"),
    row(SMALL + ",turbo=on", MIXED, "{wbox.C_CYCLES_TURBO.C_ALL} == {wbox.C_CYCLES_TURBO.C0} + {wbox.C_CYCLES_TURBO.C1} > 0"),
]


# Of these a machine may keep numbers and tell them late; with the others it tells everything at its time.
SUMS = ["cbox.LLC_MISSES.ALL", "cbox.LLC_HITS.MODIFIED+EXCLUSIVE", "mbox.BBOX_CMDS_ALL", "rbox.FLITS_SENT:port=0", "bbox.TF_ALL",
        "sbox.PKTS_SENT_HOM.ALL", "rbox.NEW_PACKETS_RECV.ANY_DRS:port=1", "bbox.IMT_INSERTS_WR"]
ALL = ["cbox.OCCUPANCY_IRQ", "cbox.ARB_WINS.ALL", "mbox.DRAM_CMD.RAS"]


def test_watching():
    """What is watched changes nothing: neither the machine's time nor what others count."""
    for kernel in ("stream:size=4M,op=triad,threads=4", "random:size=32M,count=6000,threads=4,writes=40,node=1",
                   "pingpong:count=2000,threads=2,step=2", "mmio:count=500", "lock:count=200", "flush:size=256K", "scatter:size=512K"):
        few = readings(here(), "nhmex,cores=2,sockets=3", kernel, SUMS)
        more = readings(here(), "nhmex,cores=2,sockets=3", kernel, SUMS + ALL)
        both = {k: (few[k]["value"], few[k]["time_ns"]) for k in few}
        check(here(), len(few) == 3 * len(SUMS), f"{kernel}: {list(few)}")
        check(here(), both == {k: (more[k]["value"], more[k]["time_ns"]) for k in few}, f"{kernel}: {few} {more}")


def test_constraints():
    """Two events that one register or one selection of a port cannot hold at once; parts that are too big."""
    refused(here(), "different values of bcmd in M_MSR_PMU_ZDP_CTL_FVC", "nhmex", "-e",
            "mbox.FVC_EV0.BBOX_CMDS_READS,mbox.FVC_EV1.BBOX_CMDS_WRITES")
    refused(here(), "different values of cmd in M_MSR_PMU_PLD", "nhmex", "-e", "mbox.DRAM_CMD.RAS,mbox.DRAM_CMD.PRE")
    refused(here(), "both need counter 1", "nhmex", "-e", "bbox.IMT_INSERTS_RD,bbox.IMT_INSERTS_WR")
    refused(here(), "counters and selections of a port", "nhmex", "-e",
            "{rbox.FLITS_SENT:port=1,rbox.NULL_IDLE:port=1,rbox.RETRYQ_NE:port=1}")
    refused(here(), "nhmex has at most 4 and 8", "nhmex,sockets=8")
    refused(here(), "nhmex has at most 4 and 8", "nhmex,cores=10")
    refused(here(), "qpi_links=1: a socket of nhmex has 2 to 4", "nhmex,qpi_links=1")
    refused(here(), "ddr_mts=1333", "nhmex,ddr_mts=1333")
    turns = readings(here(), "nhmex", "stream:size=4M,op=triad", ["mbox.FVC_EV0.BBOX_CMDS_READS", "mbox.FVC_EV0.BBOX_CMDS_WRITES"],
                     "--multiplex")
    check(here(), all(r["validity"] == "scaled" for r in turns.values()), f"{turns}")
    none = readings(here(), "nhmex", "stream:size=1M", ["rbox.FLITS_RECV_ERR:port=0", "sbox.PKTS_SENT_NDR", "sbox.PKTS_SENT_SNP"])
    gone = [r for k, r in none.items() if not k.endswith("SNP")]
    check(here(), gone and all(r["validity"] == "not-modelled" and "value" not in r for r in gone), f"{none}")


def test_default():
    """The default set, and metrics, on the default machine."""
    rows = readings(here(), "nhmex", "stream:size=2M,op=triad", [])
    for name in ("instructions", "ipc", "llc_lookups", "llc_misses", "llc_hit_ratio", "remote_share", "memory_read_bw",
                 "memory_write_bw", "memory_bytes"):
        check(here(), name in rows and rows[name]["validity"] == "exact", f"{name}: {rows.get(name)}")
    # A port counts two of the three things that these need.
    for name in ("qpi_data_bw", "qpi_utilisation"):
        check(here(), rows[name]["validity"] == "scaled", f"{name}: {rows.get(name)}")
    for family in ("hsx", "snbep"):
        check(here(), list(readings(here(), family, "stream:size=64K", [])) == list(rows), f"{family} has other defaults than {rows}")
    # For each line 9 flits of data, a request and a snoop's answer, of 8 links that send 1.6 flits a nanosecond.
    alone = readings(here(), SMALL, FAR, [], "-m", "qpi_utilisation")["qpi_utilisation"]
    flits = alone["value"] * 8 * 1.6 * alone["time_ns"]
    check(here(), alone["validity"] == "exact" and abs(flits - 11 * 2**15) < 11 * 2**15 * 1e-5, f"{alone}: {flits}")
    rows = readings(here(), SMALL, FAR, [], "-m", "mbox.MEM_READ_BYTES", "-m", "cbox.L3_MISS_RATIO", "-m",
                    "wbox.UNCORE_CLOCK_MHZ")
    check(here(), rows["mbox.MEM_READ_BYTES"]["value"] == 64 * 2**15, f"{rows}")
    # Each line comes over one link, and is not counted again where it enters or leaves a router by a port of the socket.
    rows = readings(here(), SMALL, FAR, [], "-m", "rbox.QPI_DATA_RESPONSES")
    check(here(), rows["rbox.QPI_DATA_RESPONSES"]["value"] == 2**15, f"{rows}")
    # Links always carry something; the time stamp counter goes by multiples of 133.3 MHz.
    for part, mhz, rate in (("nhmex", 2266, 6.4), ("nhmex:x7550", 2000, 6.4), ("nhmex:x7542", 2666, 5.867)):
        rows = readings(here(), part, "stream:size=1M", [], "-m", "rbox.QPI_SPEED", "-m", "tsc=TSC_SPEED")
        check(here(), rows["tsc"]["value"] == mhz, f"{part}: {rows['tsc']}")
        check(here(), abs(rows["rbox.QPI_SPEED"]["value"] / rate - 1) < 1e-4, f"{part}: {rows['rbox.QPI_SPEED']}")


def main():
    test_laws(LAWS)
    test_watching()
    test_constraints()
    test_default()
    return done()


if __name__ == "__main__":
    sys.exit(main())
