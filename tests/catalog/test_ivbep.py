#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the catalogue of ivbep what its sources say, where it is neither that of snbep nor that of hsx?

usage: test_ivbep.py BOXSCORE
"""
from kin import Kin
from rows import finish, row

KIN = Kin("ivbep", "snbep", "hsx")
IVBEP, SNBEP, HSX = KIN.own, *KIN.others

# Linux and LIKWID: the MSRs of Sandy Bridge-EP with a second filter six above the first, and a global control.
for register, address in (
        ("C0_MSR_PMON_BOX_CTL", "0xd04"), ("C0_MSR_PMON_BOX_FILTER0", "0xd14"), ("C0_MSR_PMON_BOX_FILTER1", "0xd1a"),
        ("C14_MSR_PMON_CTL0", "0xed0"), ("C14_MSR_PMON_CTR3", "0xed9"), ("C14_MSR_PMON_BOX_FILTER1", "0xeda"),
        ("U_MSR_PMON_GLOBAL_CTL", "0xc00"), ("U_MSR_PMON_GLOBAL_STATUS", "0xc01"), ("U_MSR_PMON_GLOBAL_CONFIG", "0xc06"),
        ("U_MSR_PMON_UCLK_FIXED_CTL", "0xc08"), ("U_MSR_PMON_CTL1", "0xc11"), ("U_MSR_PMON_BOX_STATUS", "0xc15"),
        ("PCU_MSR_PMON_BOX_FILTER", "0xc34"), ("PCU_MSR_PMON_BOX_STATUS", "0xc35"), ("PCU_MSR_PMON_CTR3", "0xc39")):
    row((register, IVBEP.reg(register)), (register, address))
# Functions: devices of Sandy Bridge-EP, and those of a second home agent; a channel's number is that of its function as PCM has it.
for register, address, device in (
        ("HA0_PCI_PMON_CTL0", "D14:F1+0xd8", "0x0e30"), ("HA1_PCI_PMON_CTL3", "D28:F1+0xe4", "0x0e38"),
        ("MC0_CH0_PCI_PMON_CTL0", "D16:F4+0xd8", "0x0eb4"), ("MC0_CH2_PCI_PMON_CTL0", "D16:F0+0xd8", "0x0eb0"),
        ("MC1_CH1_PCI_PMON_FIXED_CTR", "D30:F5+0xd0", "0x0ef5"), ("MC1_CH3_PCI_PMON_CTR0", "D30:F1+0xa0", "0x0ef1"),
        ("Q_P1_PCI_PMON_CTL0", "D9:F2+0xd8", "0x0e33"), ("Q_P2_PCI_PMON_CTL0", "D24:F2+0xd8", "0x0e3a"),
        ("Q_P1_PCI_PMON_RX_PKT_MATCH0", "D9:F6+0x228", "0x0e96"), ("R2_PCI_PMON_CTL0", "D19:F1+0xd8", "0x0e34"),
        ("R3_L2_PCI_PMON_CTL0", "D18:F5+0xd8", "0x0e3e"), ("IRP0_PCI_PMON_CTL1", "D5:F6+0xdc", "0x0e39"),
        ("IRP0_PCI_PMON_CTR1", "D5:F6+0xb0", "0x0e39"), ("IRP1_PCI_PMON_CTR1", "D5:F6+0xc0", "0x0e39")):
    row((register, IVBEP.reg(register), IVBEP.reg(register, "device")), (register, address, device))
row(IVBEP.by_box("registers").get("core"), SNBEP.by_box("registers")["core"])

# No comparison is turned round, and only the CBos and the IRP do not tell of their overflows.
row({r["box"] for r in IVBEP["fields"] if r["field"] == "invert"}, set())
row({r["box"] for r in IVBEP["fields"] if r["field"] == "ov_en"}, {"ubox", "ha", "imc", "pcu", "qpi", "r2pcie", "r3qpi"})
for register, field, bits in (
        ("Cn_MSR_PMON_BOX_FILTER0", "state", "22:17 RW"), ("Cn_MSR_PMON_BOX_FILTER0", "link", "8:5 RW"),
        ("Cn_MSR_PMON_BOX_FILTER0", "tid", "4:0 RW"), ("Cn_MSR_PMON_BOX_FILTER1", "opc", "28:20 RW"),
        ("Cn_MSR_PMON_BOX_FILTER1", "nid", "15:0 RW"), ("Cn_MSR_PMON_CTR{3-0}", "event_count", "43:0 RW-V"),
        ("R2_PCI_PMON_CTR{3-0}", "event_count", "43:0 RW-V"), ("IRP{0,1}_PCI_PMON_CTR{1-0}", "event_count", "47:0 RW-V"),
        ("U_MSR_PMON_GLOBAL_CTL", "frz_all", "31:31 WO"), ("U_MSR_PMON_GLOBAL_CTL", "unfrz_all", "29:29 WO"),
        ("U_MSR_PMON_GLOBAL_CTL", "pmi_core_sel", "14:0 RW"), ("U_MSR_PMON_GLOBAL_STATUS", "ov_h1", "19:19 RW1C"),
        ("U_MSR_PMON_GLOBAL_STATUS", "ov_rp", "26:26 RW1C")):
    row((register, field, IVBEP.bits(register, field)), (register, field, bits))

# Intel's event files: 7, 25, 55, 45, 27, 72, 65, 16 and 27 events of the uncore.  The two of QPI that name messages, and have no match
# and mask for them, are left out; a register of the UBox and two of the PCU, by LIKWID's names, and two of R3QPI's egress are added.
row(IVBEP.by_box("events"), {"ubox": 8, "cbo": 25, "ha": 55, "imc": 45, "irp": 27, "pcu": 74, "qpi": 63, "r2pcie": 16, "r3qpi": 29,
                             "core": 31})
row(KIN.events(IVBEP) - KIN.events(SNBEP) - KIN.events(HSX),
    {("ha", e) for e in ("IGR_AD_QPI2_ACCUMULATOR", "IGR_CREDITS_AD_QPI2", "IGR_BL_QPI2_ACCUMULATOR", "IGR_CREDITS_BL_QPI2",
                         "IODC_INSERTS", "IODC_CONFLICTS", "IODC_OLEN_WBMTOI")}
    | {("pcu", f"DELAYED_C_STATE_ABORT_CORE{n}") for n in range(15)}
    | {("pcu", f"PKG_C_STATE_RESIDENCY_{s}_CYCLES") for s in ("C0", "C2", "C3", "C6")}
    | {("pcu", "PKG_C_EXIT_LATENCY"), ("pcu", "PKG_C_EXIT_LATENCY_SEL"), ("r2pcie", "TxR_NACK_CCW"),
       ("r3qpi", "TxR_NACK_CW"), ("r3qpi", "TxR_NACK_CCW"), ("r3qpi", "RxR_AD_BYPASSED")})
row(KIN.events(SNBEP) - KIN.events(IVBEP),
    {("core", "MEM_LOAD_UOPS_MISC_RETIRED"), ("cbo", "ISMQ_DRD_MISS_OCC"), ("ubox", "MSG_CHNL_SIZE_COUNT"),
     ("ha", "TRACKER_INSERTS"), ("ha", "TxR_AK_NDR"), ("imc", "CLOCKTICKS"), ("imc", "RPQ_CYCLES_FULL"), ("imc", "RPQ_OCCUPANCY"),
     ("imc", "WPQ_OCCUPANCY"), ("qpi", "QPI_RATE"), ("qpi", "QPI_SLOW_MODE"), ("qpi", "RxL_STALLS"), ("r2pcie", "TxR_INSERTS"),
     ("r2pcie", "TxR_NACKS"), ("r3qpi", "IIO_CREDITS_ACQUIRED"), ("r3qpi", "IIO_CREDITS_REJECT"), ("r3qpi", "IIO_CREDITS_USED"),
     ("r3qpi", "TxR_INSERTS"), ("r3qpi", "TxR_NACK"), ("r3qpi", "VNA_CREDITS_CYCLES_OUT"), ("r3qpi", "VNA_CREDITS_CYCLES_USED")})
for box, event, code, ext, counters in (
        ("cbo", "TOR_INSERTS", "0x35", "0", "0-1"), ("cbo", "RING_IV_USED", "0x1e", "0", "2-3"), ("cbo", "QLRU", "0x3c", "0", "0-1"),
        ("irp", "TRANSACTIONS", "0x15", "0", "0-1"), ("pcu", "DEMOTIONS_CORE8", "0x40", "0", "0-3"),
        ("pcu", "CORE14_TRANSITION_CYCLES", "0x7e", "0", "0-3"), ("pcu", "FREQ_TRANS_CYCLES", "0x60", "0", "0-3"),
        ("pcu", "DELAYED_C_STATE_ABORT_CORE14", "0x25", "1", "0-3"), ("r2pcie", "TxR_NACK_CCW", "0x28", "0", "0-1"),
        ("r3qpi", "QPI1_BL_CREDITS_EMPTY", "0x2e", "0", "0-1"), ("r3qpi", "HA_R2_BL_CREDITS_EMPTY", "0x2f", "0", "0-1"),
        ("ubox", "RACU_REQUESTS", "0x46", "0", "0-1"), ("qpi", "RxL_STALLS_VN1", "0x3a", "1", "0-3")):
    e = IVBEP.one("events", box=box, event=event)
    row((event, *(e.get(k) for k in ("code", "ext", "counters"))), (event, code, ext, counters))
for box, event, subevent, umask in (
        ("cbo", "RING_BL_USED", "DOWN_VR1_ODD", "0x80"), ("cbo", "RING_AD_USED", "UP", "0x33"), ("cbo", "RING_BOUNCES", "IV", "0x10"),
        ("cbo", "TOR_INSERTS", "MISS_REMOTE", "0x8a"), ("cbo", "LLC_VICTIMS", "MISS", "0x08"), ("ha", "RING_AK_USED", "CCW", "0xcc"),
        ("ha", "DIRECTORY_LOOKUP", "STATE_A", "0x80"), ("imc", "RD_CAS_RANK7", "BANK7", "0x80"), ("imc", "WR_CAS_RANK0", "BANK0", "0x01"),
        ("r2pcie", "RING_IV_USED", "ANY", "0xff"), ("r3qpi", "C_HI_AD_CREDITS_EMPTY", "CBO14", "0x40"),
        ("core", "MEM_LOAD_UOPS_LLC_MISS_RETIRED", "REMOTE_DRAM", "0x0c")):
    row((event, subevent, IVBEP.umask(box, event, subevent)), (event, subevent, umask))
row({s["subevent"] for s in IVBEP["subevents"] if s["box"] == "imc" and s["event"] == "RD_CAS_RANK3"}, {f"BANK{n}" for n in range(8)})
row({m["metric"] for m in IVBEP["metrics"] if m["box"] == "cbo"} - {m["metric"] for m in HSX["metrics"]},
    {"LLC_DRD_RFO_MISS_TO_LOC_MEM", "LLC_DRD_RFO_MISS_TO_REM_MEM", "LLC_PCIE_DATA_BYTES", "PARTIAL_PCI_READS", "PCIE_DATA_BYTES"})

finish()
