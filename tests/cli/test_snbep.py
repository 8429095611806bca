#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sandy Bridge-EP under boxscore stat: what is conserved between boxes, bandwidths, links in trouble.

usage: test_snbep.py BOXSCORE
"""
import sys

from checks import done, here
from laws import check, readings, refused, row, test_laws

SMALL = "snbep,cores=2"                  # 5 MB of last-level cache
TURBO = "snbep:e5-2690,turbo=on"          # 2.9 GHz, one core 3.8; power control has 0.8, and the uncore 1.2 until a core has woken, 2 us
SWINGS = TURBO + ",cores=4,power_w=45"    # frequencies change while it works, not only as cores sleep and wake
TRIAD = "stream:size=16M,op=triad"
CHASE = "chase:size=16M"
FAR = "remote:size=8M"                   # 2**17 lines of the other socket's memory
MIXED = "random:size=32M,count=40000,threads=2,writes=40"
BURSTS = "burst:size=16M,count=10000,passes=6,time=700000,threads=4,node=1"
MISSES = "{cbo.TOR_INSERTS.MISS_ALL}"
READS, WRITES = "{imc.CAS_COUNT.RD}", "{imc.CAS_COUNT.WR}"
CLASSES = "HOM+SNP+NDR+DRS+NCB+NCS"


def each(event):
    """Of all classes of messages."""
    return f"{{{event}.{CLASSES}}}"


LAWS = [
    # A read that misses is one request of each box after another, and one line read from memory.
    row(SMALL, CHASE, f"{MISSES} == {{ha.REQUESTS.READS}} == {READS} == 2**18"),
    row(SMALL, CHASE, f"{{ha.TRACKER_INSERTS.ALL}} == {{imc.RPQ_INSERTS}} == 2**18 and {WRITES} == 0"),
    # Three arrays of 16 MB are read, one is written; the caches keep some of what was written.
    row(SMALL, TRIAD, f"{READS} * 64 == 3 * 16 * 2**20 and (16 - 7) * 2**20 <= {WRITES} * 64 <= 16 * 2**20"),
    row(SMALL, TRIAD, "{ha.REQUESTS.READS} + {ha.REQUESTS.WRITES} == {ha.TRACKER_INSERTS.ALL}"),
    row(SMALL, TRIAD, f"0 <= {{imc.WPQ_INSERTS}} - {WRITES} <= 8 * 32 and {{ha.IMC_WRITES.FULL}} == "
                      "{imc.WPQ_INSERTS} + {imc.WPQ_WRITE_HIT}"),
    # What was victimised has been filled, and modified lines go to memory.
    row(SMALL, MIXED, "{cbo.LLC_VICTIMS.M_STATE} == {ha.REQUESTS.WRITES} > 1000"),
    # Rows: each is opened once and closed once, but for those that are open at the end (2 sockets, 4 channels, 2 ranks, 8 banks)
    # and those that a refresh closes all at once.
    row(SMALL, MIXED, "-128 <= {imc.ACT_COUNT} - {imc.PRE_COUNT.PAGE_MISS} - {imc.PRE_COUNT.PAGE_CLOSE} <= 128 + 16 * {imc.DRAM_PRE_ALL}"),
    row(SMALL, MIXED, "{imc.MAJOR_MODES.READ} + {imc.MAJOR_MODES.WRITE} == {imc.CLOCKTICKS}"),
    # Little's law: a read waits for at least its first command, and not for others, in a chase.
    row(SMALL, CHASE, "4 <= {imc.RPQ_OCCUPANCY} / {imc.RPQ_INSERTS} <= 40 and {imc.RPQ_CYCLES_NE} <= {imc.RPQ_OCCUPANCY}"),
    # A line is nine flits, eight of them data; the request, the snoop and its answer are one each.
    row(SMALL, FAR, "{s1/qpi.TxL_FLITS_G0.DATA} == {s0/qpi.RxL_FLITS_G0.DATA} == {s0/qpi.RxL_FLITS_G1.DRS_DATA} == 8 * 2**17"),
    row(SMALL, FAR, "{s0/qpi.TxL_FLITS_G1.HOM_REQ} == {s0/qpi.TxL_FLITS_G1.SNP} == {s1/qpi.TxL_FLITS_G1.DRS_NONDATA} == 2**17"),
    row(SMALL, FAR, "{s0/qpi.TxL_FLITS_G0.NON_DATA} == {s1/qpi.RxL_FLITS_G0.NON_DATA} == 2 * 2**17 and {s0/qpi.TxL_FLITS_G0.DATA} == 0"),
    row(SMALL, FAR, "{s0/qpi.DIRECT2CORE.SUCCESS} == 2**17"),
    # Both links of the machine share what there is, and every flit that is sent arrives.
    row(SMALL, MIXED + ",node=1", "{qpi.TxL_FLITS_G0.DATA} == {qpi.RxL_FLITS_G0.DATA} > 0 and "
                                  "{qpi.TxL_FLITS_G0.NON_DATA} == {qpi.RxL_FLITS_G0.NON_DATA}"),
    row("snbep,sockets=1", MIXED, f"{{qpi.TxL_FLITS_G0.NON_DATA}} == 0 < {MISSES}"),
    row(SMALL + ",d2c=off", FAR, "{s0/qpi.DIRECT2CORE.SUCCESS} == 0 and {ha.DIRECT2CORE_CYCLES_DISABLED} == {ha.CLOCKTICKS}"),
    row(SMALL, CHASE, "{ha.DIRECT2CORE_CYCLES_DISABLED} == 0 and {ha.DIRECT2CORE_COUNT} == 2**18"),
    # The ring is as fast as the cores, unless it is told otherwise.
    row("snbep", "chase:size=2M", "abs({cbo.CLOCKTICKS} / 16 - (2.9 / 0.8 * {pcu.CLOCKTICKS} / 2 - 2 * 1700)) < 5"),
    row(TURBO, "chase:size=2M", "abs({cbo.CLOCKTICKS} / 16 - (3.8 / 0.8 * {pcu.CLOCKTICKS} / 2 - 2 * 2600)) < 5"),
    row(TURBO, "chase:size=2M", "{cbo.CLOCKTICKS} / 8 == {ha.CLOCKTICKS} == {r2pcie.CLOCKTICKS} == {ubox.CLOCKTICKS}"),
    row(TURBO + ",uclk_mhz=2900", "chase:size=2M", "abs({cbo.CLOCKTICKS} / 16 - (2.9 / 0.8 * {pcu.CLOCKTICKS} / 2 - 2 * 1700)) < 5"),
    row(SWINGS, BURSTS, "{pcu.FREQ_TRANS_CYCLES:thresh=1:edge} > 2 * 12 and 0 < {pcu.FREQ_MAX_POWER_CYCLES} < {pcu.CLOCKTICKS}"),
    row(SWINGS, BURSTS, f"{MISSES} == {{ha.REQUESTS.READS}} and "
                       "{ha.REQUESTS.READS} + {ha.REQUESTS.WRITES} == {ha.TRACKER_INSERTS.ALL}"),
    row(SWINGS, BURSTS, "{qpi.TxL_FLITS_G0.DATA} == {qpi.RxL_FLITS_G0.DATA} > 0"),
    # Links that run out of shared credits: who finds none takes the one of its class, or finds that gone, too.
    row(SMALL + ",vna=12", "remote:size=2M,threads=2",
        each("r3qpi.VN0_CREDITS_USED") + " == " + each("qpi.RxL_CREDITS_CONSUMED_VN0") + " > 0"),
    row(SMALL + ",vna=12", "remote:size=2M,threads=2", each("r3qpi.VN0_CREDITS_USED") + " <= " + each("r3qpi.VNA_CREDITS_REJECT")),
    row(SMALL + ",vna=12", "remote:size=2M,threads=2", "0 < {r3qpi.VN0_CREDITS_REJECT.DRS}"),
    row(SMALL, FAR, each("r3qpi.VNA_CREDITS_REJECT") + " == 0"),
    row(SMALL + ",vna=12", "remote:size=2M,threads=2", "0 < {r3qpi.VNA_CREDIT_CYCLES_OUT} < {r3qpi.VNA_CREDIT_CYCLES_USED}"),
    row(SMALL, FAR, "0 == {r3qpi.VNA_CREDIT_CYCLES_OUT} < {r3qpi.VNA_CREDIT_CYCLES_USED}"),
    # They rest: at half width all but while they send, in L1 while all sleep.
    row(SMALL + ",qpi_l0p=on", "burst:size=16M,count=20,passes=10,time=300000,node=1",
        "0 < {qpi.L1_POWER_CYCLES} < {qpi.TxL0P_POWER_CYCLES} + {qpi.L1_POWER_CYCLES} <= {qpi.CLOCKTICKS}"),
    row(SMALL, "idle:time=1000000", "0 == {qpi.TxL0P_POWER_CYCLES} < {qpi.L1_POWER_CYCLES} < {qpi.CLOCKTICKS}"),
]

# With an option of stat: damaged packets come again; ECC corrects one read in a hundred, here within five standard deviations.
TROUBLE = [
    (row(SMALL, FAR, "0 < {qpi.RxL_CRC_ERRORS.NORMAL_OP} < {qpi.TxL_CRC_NO_CREDITS.FULL}"), "--fault", "qpi-crc=1e-4"),
    (row(SMALL, FAR, "{s1/qpi.TxL_FLITS_G0.DATA} == {s0/qpi.RxL_FLITS_G0.DATA} == 8 * 2**17"), "--fault", "qpi-crc=1e-4"),
    (row(SMALL, CHASE, f"abs({{imc.ECC_CORRECTABLE_ERRORS}} - 0.01 * {READS}) < 5 * (0.01 * {READS}) ** 0.5"), "--fault", "ecc=1e-2"),
    # 5 us of every 40 from 50 us on, in clocks of 1.25 ns, on each of eight channels; the last one may be under way.
    (row(SMALL, CHASE, "0 <= 8 * 4000 * (({imc.CLOCKTICKS} / 8 - 40000) // 32000 + 1) - {imc.POWER_CRITICAL_THROTTLE_CYCLES} < 8 * 4000"),
     "--fault", "memcritical=50us+5us/40us"),
    (row(SMALL, CHASE, "{imc.POWER_CRITICAL_THROTTLE_CYCLES} == {imc.POWER_THROTTLE_CYCLES.RANK0} == 0"),),
    (row(SMALL + ",vna=8", "remote:size=2M,threads=2", "0 < {ha.IGR_NO_CREDIT_CYCLES.BL_QPI0} < {ha.CLOCKTICKS}"),),
    (row(SMALL, "burst:size=1M,count=10,passes=2,time=3000000", "0 < {imc.POWER_SELF_REFRESH} < {imc.CLOCKTICKS}"),),
    # Acknowledgements of a device's lines come faster than R2PCIe takes them, three devices' requests faster than one slice; each
    # that goes round takes its slot once more.
    (row(SMALL, "idle:time=100000", "0 < {r2pcie.RxR_AK_BOUNCES} < {r2pcie.RING_AK_USED.ANY}"), "--dma", "write=12G"),
    (row("snbep,cores=1", "idle:time=100000", "0 < {r2pcie.TxR_NACKS.AD}"), *3 * ("--dma", "write=12G")),
    # Two read more than the wire to them carries: the IRP fills up.
    (row(SMALL, "idle:time=100000", "0 < {r2pcie.IIO_CREDITS_REJECT.DRS} < {r2pcie.IIO_CREDITS_ACQUIRED.DRS}"), *2 * ("--dma", "read=12G")),
    (row(SMALL, FAR, "{r2pcie.RxR_AK_BOUNCES} == {r2pcie.TxR_NACKS.AD} == 0"),),
    (row(SMALL, FAR, "{r2pcie.IIO_CREDITS_REJECT.DRS} == 0"),),
    # Lines of two devices for one of the other socket come in over the links faster than its R2PCIe gives credits back.
    (row(SMALL, "idle:time=100000", "{s0/r3qpi.IIO_CREDITS_REJECT.NCB} == 0 < {s1/r3qpi.IIO_CREDITS_REJECT.NCB} < "
                                    "{r3qpi.IIO_CREDITS_ACQUIRED.NCB}"), *2 * ("--dma", "peer_write=8G,node=1")),
    (row(SMALL, "idle:time=100000", "0 < {s1/r3qpi.IIO_CREDITS_REJECT.NCS} < {r3qpi.IIO_CREDITS_ACQUIRED.NCS}"),
     *2 * ("--dma", "peer_read=8G,node=1")),
    # One after the other.
    (row(SMALL, "mmio:count=500,node=1", "{r3qpi.IIO_CREDITS_REJECT.NCB} == 0 < {r3qpi.IIO_CREDITS_ACQUIRED.NCB}"),),
    # A credit is back after 8 clocks to the ring, one stop, 8 in R2PCIe, and the stop back; a clock is now and then begun twice.
    (row(SMALL, "mmio:count=500,node=1", "18 <= {r3qpi.IIO_CREDITS_USED.NCS} / {r3qpi.IIO_CREDITS_ACQUIRED.NCS} < 18.1"),),
    (row(SMALL, CHASE, "{imc.ECC_CORRECTABLE_ERRORS} == {qpi.RxL_CRC_ERRORS.NORMAL_OP} == 0"),),
]


def test_constraints():
    refused(here(), "both need counter 0", "snbep", "-e", "cbo.TOR_OCCUPANCY.ALL,cbo.RxR_OCCUPANCY.IRQ")
    refused(here(), "different values of opc", "snbep", "-e", "cbo.TOR_INSERTS.OPCODE:opc=DRd,cbo.TOR_INSERTS.OPCODE:opc=RFO")
    refused(here(), "cores=10", "snbep,cores=10")
    refused(here(), "ddr_mts=1866", "snbep,ddr_mts=1866")


def test_default():
    """The default set on the default machine, and what the link rate allows."""
    rows = readings(here(), "snbep", TRIAD, [])
    for name in ("instructions", "ipc", "llc_lookups", "llc_misses", "llc_hit_ratio", "remote_share", "memory_read_bw", "memory_write_bw",
                 "memory_bytes", "qpi_data_bw", "qpi_utilisation"):
        check(here(), name in rows and rows[name]["validity"] == "exact", f"{name}: {rows.get(name)}")
    rows = readings(here(), "snbep,cores=8", "remote:size=4M,threads=8", ["qpi.TxL_FLITS_G0.DATA"])
    # Two links of 8 GT/s carry 32 GB/s of flits one way, eight of nine of a line's are data.
    sent = rows["s1/qpi.TxL_FLITS_G0.DATA"]
    check(here(), 10 < sent["value"] * 8 / sent["time_ns"] < 32 * 8 / 9, f"{sent}")


def main():
    test_laws(LAWS)
    test_laws([(*law, *options) for law, *options in TROUBLE])
    test_constraints()
    test_default()
    return done()


if __name__ == "__main__":
    sys.exit(main())
