#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Itanium 9500 under boxscore stat: what is conserved between boxes, bandwidth and latency.

usage: test_poulson.py BOXSCORE
"""
import json
import sys

from checks import done, here
from laws import check, readings, refused, row, run, test_laws

ONE, TWO, FOUR, EIGHT = "poulson", "poulson,sockets=2", "poulson,sockets=4", "poulson,sockets=8"
CHASE = "chase:size=4M,prefetch=0"
FAR = "chase:size=2M,prefetch=0,node=1"
LONG = "chase:size=2M,prefetch=0,passes=2"
TRIAD = "stream:size=2M,op=triad,threads=8"
MIXED = "random:size=64M,count=8000,threads=8,writes=40"
SPREAD = "random:size=2M,count=4000,threads=16,writes=40"
WIDE = "random:size=2M,count=1500,threads=32,writes=40"
CELLS = "random:size=1M,count=600,threads=64,writes=40"
ASKED, MISSES = "{cbox.TRANS_IRQ}", "{cbox.LLC_MISSES.ALL}"
HOMES = "{bbox.IMT_ALLOC} + {bbox.IMT_POP_CFL}"

LAWS = [
    # A load that misses is one request of each box after another: a line read, and fetched from its fill buffer.
    row(ONE, CHASE, f"{ASKED} == {MISSES} == {{bbox.IMT_ALLOC}} == {{zbox.FVC_EV0.BBOX_CMDS.READS}} == 2**16"),
    row(ONE, CHASE, f"{{zbox.DRAM_CMD.CAS_RD_OPN}} == {{zbox.TRANS_CMDS.INSERTS_RD}} == {MISSES}"),
    row(ONE, CHASE, f"{{sbox.PKTS_SENT_HOM}} == {{sbox.PKTS_RCVD_DRS_FROM_R}} == {MISSES} and {{bbox.SNP_REQ_ALL}} == 0"),
    row(ONE, CHASE, "{zbox.PAGE_HITS} + {zbox.PAGE_MISS} + {zbox.PAGE_COLLISION} == {zbox.INFLIGHT_CMDS} > 0"),
    # A line comes to its slice and straight to the core, half by half.
    row(ONE, CHASE, f"{{cbox.SINKS_S2C.BL}} == {{cbox.SINKS_S2P_BL}} == 2 * {MISSES} and {{cbox.SINKS_P2C.AD}} == {ASKED}"),
    row(ONE, MIXED, f"{ASKED} == {{cbox.LLC_HITS.ALL}} + {MISSES} == {{cbox.TRANS_MAF}}"),
    row(ONE, MIXED, "{cbox.LLC_HITS.ALL} == {cbox.LLC_HITS.M} + {cbox.LLC_HITS.E} + {cbox.LLC_HITS.S}"),
    row(ONE, MIXED, f"{HOMES} == {MISSES} + {{cbox.LLC_VICTIMS.M}}"),
    row(ONE, TRIAD, "{zbox.FVC_EV0.BBOX_CMDS.READS} * 64 == 3 * 8 * 2 * 2**20 / 8"),
    # Snoops are answered; nobody is asked for what only its own socket has.
    row(TWO, SPREAD, "{bbox.SNP_REQ_ALL} == {bbox.SNP_RSP_ALL} == {cbox.TRANS_IPQ} == {cbox.SNPS.REMOTE_ANY} > 0"),
    row(FOUR, WIDE, "{bbox.SNP_REQ_LOC} == {bbox.SNP_RSP_LOC} and {bbox.SNP_REQ_REM} == {bbox.SNP_RSP_REM} > 0"),
    row(TWO, FAR, f"{{s0/bbox.IMT_ALLOC}} == 0 and {{s1/bbox.IMT_ALLOC}} == {{s0/cbox.LLC_MISSES.ALL}} == 2**15"),
    # Each of these gets a line exclusive that nobody has had: memory's directory is written with the line.
    row(TWO, FAR, "{zbox.FVC_EV0.BBOX_CMDS.MEGAOP1} == {bbox.SNP_REQ_LOC} == {zbox.FVC_EV1.BBOX_CMDS.MEGAOP1} == 2**15"),
    # One read after another: the dispatch queue has one or none, and each is alone in its bank's turn.
    row(ONE, CHASE, "{zbox.DSPQ_CHANGES.NEMPTY} == {zbox.DSP_INSERT} == 2**16 and {zbox.DSP_INSERT_CNF} == 0"),
    row(ONE, CHASE, "{zbox.DSPQ_RD_CNT} == {zbox.CYCLES_DSP_FILL.NEMPTY} > 0 and {zbox.CYC_ZFULL} == 0"),
    row(ONE, CHASE, "{zbox.CYCLES_DSP_FILL.EMPTY} + {zbox.DSPQ_RD_CNT} == {zbox.CYCLES}"),
    # Two ranks of eight banks on each of two buses have an equal share of the lines of 4 MB.
    row(ONE, CHASE, "{zbox.DSP_INSERT_ADDR:pgtAddr=0x4b} == 2**16 / 32 and {zbox.DSP_INSERT_ADDR_CNF:pgtAddr=0x4b} == 0"),
    row(ONE, MIXED, "{zbox.DSP_INSERT} >= {zbox.DSP_INSERT_CNF} > 0 and {zbox.RETRIES.ALL} >= {zbox.RETRY_OPS} > 0"),
    row(ONE, MIXED, "{zbox.RETRIES.ALL} >= {zbox.RETRY_ZFULL} > 0 and 0 < {zbox.CYC_ZFULL} < {zbox.CYCLES}"),
    # What one end of a link sends, the other receives, idle flits and all.
    row(TWO, SPREAD, "{s0/rbox.FLITS_SENT:port=9} == {s1/rbox.FLITS_RCVD:port=9} > 0"),
    row(TWO, SPREAD, "{s1/rbox.FLITS_SENT_NSP:port=4} == {s0/rbox.FLITS_RCVD_NSP:port=4} > 0"),
    row(EIGHT, CELLS, "{s0/rbox.FLITS_SENT_NSP:port=5} == {s3/rbox.FLITS_RCVD_NSP:port=5} > 0"),
    row(EIGHT, CELLS, "{s0/rbox.OUTPUTQ_IN:port=5} == {s0/rbox.FLITS_SENT_NSP:port=5} > 0"),
    row(EIGHT, CELLS, "{s0/rbox.FLITS_SENT_NSP:port=0} == {s7/rbox.FLITS_RCVD_NSP:port=0} > 0"),
    row(ONE, CHASE, "{rbox.FLITS_SENT:port=9} == {rbox.FLITS_SENT:port=3} == 0"),
    # What the Sboxes send comes in at their ports of the router, with an idle flit for each packet taken.
    row(ONE, MIXED, "{rbox.FLITS_RCVD:port=2} + {rbox.FLITS_RCVD:port=7} == {sbox.PKTS_SENT_HOM} + {sbox.FLITS_SENT_DRS}"
                    " + {sbox.RBOX_CREDIT_RETURNS}"),
]

# What goes wrong on demand: a row and the options of stat.  The uncore has 2400 clocks in a microsecond.
FAULTS = [
    # Hot for 50 us from 20 us on, cores at 1.2 GHz; the voltage for their old clock takes 10 us more.
    (row(ONE, LONG, "{wbox.S_THROTTLE_TMP.ALL} == {wbox.S_PROCHOT} == 50 * 2400 and {wbox.PSTATE_CHANGE.ALL} == 2"),
     "--fault", "thermal=20us+50us"),
    (row(ONE, LONG, "{wbox.S_P0_REQUEST} - {wbox.S_P0_STATE} == (50 + 10) * 2400 and {wbox.RATIO_CHANGE_ABORT.ALL} == 0"),
     "--fault", "thermal=20us+50us"),
    # Pauses of 5 us are too short for the voltage: each spell but the first breaks a change off.
    (row(ONE, LONG, "{wbox.RATIO_CHANGE_ABORT.ALL} == ({wbox.S_FORCEPR} - 1) // (20 * 2400) > 5 and {wbox.PSTATE_CHANGE.ALL} == 1"),
     "--fault", "prochot=20us+20us/25us"),
    (row(ONE, LONG, "{wbox.S_THROTTLE_PROCHOT} == {wbox.S_FORCEPR} > 0 and {wbox.S_PROCHOT} == 0"),
     "--fault", "prochot=20us+20us/25us"),
    # Modules are hot for 40 us: each of the two buses of both controllers has one, which warms up and cools down once.
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.ALL.GT_LO} == 2"), "--fault", "memhot=20us+40us"),
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.DIMMn.GT_LO:dimm_trp_pt=4} == 2"), "--fault", "memhot=20us+40us"),
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.DIMMn.GT_LO:dimm_trp_pt=1} == 0"), "--fault", "memhot=20us+40us"),
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.ALL.GT_MID_RISE} == 2 and {zbox.THERM_TRP_DN.ALL.GT_MID_FALL} == 2"),
     "--fault", "memhot=20us+40us"),
    (row(ONE, LONG, "{zbox.THERM_TRP_DN.ALL.GT_LO} == 2"), "--fault", "memhot=20us+40us"),
    # Pauses of 5 us: each spell warms the modules above the middle point, from above the low one but for the first.
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.ALL.GT_MID_RISE} > 20 and {zbox.THERM_TRP_DN.ALL.GT_LO} > 20"),
     "--fault", "memhot=20us+20us/25us"),
    (row(ONE, LONG, "{zbox.THERM_TRP_UP.ALL.GT_LO} == 2"), "--fault", "memhot=20us+20us/25us"),
    # Nothing goes out for 30 us: the one read that comes meanwhile waits, 384 clocks of memory, 4.5 of the box each, until it
    # starves, and as many until it starves badly.
    (row(ONE, LONG, "{zbox.TT_CMD_CONFLICT.TT_RANK_ALL} == 1 <= {zbox.RETRY_OPS}"), "--fault", "memcritical=20us+30us"),
    (row(ONE, LONG, "{zbox.RETRY_STARVE} - {zbox.CYCLES_RETRYQ_STARVED} == 384 * 4.5 and 70000 < {zbox.RETRY_STARVE} < 72000"),
     "--fault", "memcritical=20us+30us"),
    # Something off the die is hot: both controllers are throttled for 20 us, 10666 clocks of memory.
    (row(ONE, LONG, "{zbox.CYCLES_THROTTLE} == 2 * 10666 * 4.5"), "--fault", "prochot=20us+20us"),
    # Every line has an error: ECC corrects it, the buffer that it is fetched from does.
    (row(ONE, LONG, "{zbox.FVC_EV0.MEM_ECC_ERR} == {zbox.FVC_EV1.ECC_CORR_ERR} == {zbox.INFLIGHT_CMDS} == 2**15"),
     "--fault", "ecc=1"),
    (row(ONE, LONG, "{zbox.FVC_EV0.BBOX_RSP.COR} == {zbox.INFLIGHT_CMDS}"), "--fault", "ecc=1"),
    (row(ONE, LONG, "{zbox.FVC_EV0.FILL_BUF_CORR_ERR} == {zbox.FVC_EV1.BBOX_CMDS.F2B} == 2**15"), "--fault", "buffer-ecc=1"),
    # Half the reads come back damaged, some of them again, from the link or from memory: each trial reads the line anew.
    (row(ONE, LONG, "{zbox.FVC_EV0.SMI_CRC_ERR} == {zbox.SMI_FAST_RESETS} == {zbox.DRAM_CMD.CAS_RD_OPN} - 2**15 > 2**14"),
     "--fault", "smi-crc=0.5"),
    (row(ONE, LONG, "{zbox.FVC_EV0.BBOX_RSP.RETRY} == {zbox.DRAM_CMD.CAS_RD_OPN} - 2**15 > 2**14"), "--fault", "reread=0.5"),
    # Socket 0 asks in packets of one flit, and gets lines in nine: those of a damaged packet come once more.
    (row(TWO, FAR, "{s1/rbox.RETRYQ_READS:port=9} == 9 * {s0/rbox.PCKT_ERR_IN:port=9} > 9 * 1000"), "--fault", "qpi-crc=1e-2"),
    (row(TWO, FAR, "{s0/rbox.RETRYQ_READS:port=4} == {s1/rbox.PCKT_ERR_IN:port=4} > 100"), "--fault", "qpi-crc=1e-2"),
    (row(TWO, FAR, "{s1/rbox.FLITS_SENT_NSP:port=4} == 9 * 2**14 + {s1/rbox.RETRYQ_READS:port=4}"), "--fault", "qpi-crc=1e-2"),
    # One of 100 flits is damaged, of 2**14 packets of 9 that use this link, and of those that come again; five standard
    # deviations off at most.
    (row(TWO, FAR, "abs({s0/rbox.PCKT_ERR_IN:port=9} - 2**14 * (1 / 0.99**9 - 1)) < 5 * (2**14 * 0.1)**0.5"), "--fault", "qpi-crc=1e-2"),
    (row(TWO, FAR, "{s0/rbox.FLITS_SENT:port=9} == {s1/rbox.FLITS_RCVD:port=9} > 0"), "--fault", "qpi-crc=1e-2"),
    # A socket whose cores rest is in C1E, and asks for nothing; a core wakes in 2 us.
    (row(TWO, CHASE, "{s1/wbox.S_C1E_STATE} == {s1/zbox.CYCLES} / 2 > 0 and {s1/wbox.S_P0_REQUEST} == 0"),),
    (row(ONE + ",core_mhz=1600", LONG, "{wbox.S_P0_REQUEST} == {wbox.S_P0_STATE} == 0 and {wbox.S_C1E_STATE} == 2 * 2400"),),
]


def test_bandwidth():
    """8 cores get more than half of the peak of section 5.1, 34.1 GB/s; and no more than it."""
    rows = readings(here(), ONE, "stream:size=8M,threads=8,op=read", [])
    check(here(), 17 < rows["memory_read_bw"]["value"] < 34.2, f"{rows['memory_read_bw']}")
    check(here(), rows["instructions"]["validity"] == "not-modelled", f"{rows['instructions']}")


def test_latency():
    """A dependent load out of the last-level cache takes about 50 clocks of the core (2.3.4.2.3)."""
    once, twice = (time_of(f"chase:size=4M,prefetch=0,passes={n}") for n in (1, 2))
    clocks = (twice - once) / 65536 * 2.533
    check(here(), 47 < clocks < 53, f"{clocks} clocks")


def time_of(kernel):
    got = run("stat", "-j", "-M", ONE, "-e", "cbox.TRANS_IRQ", "--kernel", kernel)
    return json.loads(got.stdout.splitlines()[-1])["time_ns"]


def test_refused():
    refused(here(), "the links of poulson join 1, 2, 4 or 8", "poulson,sockets=3")
    refused(here(), "they take snoop=directory", "poulson,snoop=early")
    refused(here(), "poulson has at most 1066 and 6400", "poulson,ddr_mts=1333")
    refused(here(), "llc_ways: poulson has nothing that this would change", "poulson,llc_ways=16")
    refused(here(), "a socket of poulson has at most 8", "poulson,cores=9")
    refused(here(), "channels=2: a socket of poulson has 2 and 4", "poulson,channels=2")
    refused(here(), "vmse-crc: this machine has nothing that could fail so", ONE, "--fault", "vmse-crc=1e-3", code=69)
    refused(here(), "different values of bcmd", ONE, "-e", "zbox.FVC_EV0.BBOX_CMDS.READS,zbox.FVC_EV1.BBOX_CMDS.WRITES")


def main():
    test_laws(LAWS)
    test_laws([(*law, *more) for law, *more in FAULTS])
    test_bandwidth()
    test_latency()
    test_refused()
    return done()


if __name__ == "__main__":
    sys.exit(main())
