#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does each event of hsx hear the signal, and each subevent the flags, that its name says?  And does docs/reference/model-uncore.md say of each that our
machine never raises why?

Where names of the manual have numbers, classes, rings or states in them, what they are driven by has to have the same;
the rules below read the manual's names, and never the catalogue's bindings.  A subevent that no rule reads is driven by the
flag of its own name, or stands in OTHERS, worked out from its description.
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
from rows import finish, row

CLASS = "(DRS|NCB|NCS|HOM|SNP|NDR)"

# Event name, what it is driven by; \1 and so on as in the name.
EVENTS = [
    (r"DEMOTIONS_CORE(\d+)", r"pcu.demotion ? core\1"),
    (r"CORE(\d+)_TRANSITION_CYCLES", r"pcu.transition ? core\1"),
    (r"PKG_RESIDENCY_(\w+)_CYCLES", r"pcu.package ? \1"),
    (r"PROCHOT_(\w+)_CYCLES", r"pcu.prochot ? \1"),
    (r"RD_CAS_RANK(\d)", r"imc.cas ? !wr rank\1"),
    (r"WR_CAS_RANK(\d)", r"imc.cas ? wr rank\1"),
    (rf"RxL_INSERTS_{CLASS}", r"qpi.rx_insert ? \1"),
    (rf"RxL_OCCUPANCY_{CLASS}", r"qpi.rxq ? \1"),
    (rf"RxL_CYCLES_NE_{CLASS}", r"qpi.rxq_ne_class ? \1"),
    (rf"TxR_(AD|AK|BL)_{CLASS}_CREDIT_ACQUIRED", r"qpi.credit ? \1_\2"),
    (rf"TxR_(AD|AK|BL)_{CLASS}_CREDIT_OCCUPANCY", r"qpi.credit_free ? \1_\2"),
    (r"(Tx|Rx)L_FLITS_G\d", r"qpi.\1_flit"),
    (r"(Tx|Rx)L(0P?)_POWER_CYCLES", r"qpi.power ? \1_l\2"),
    (rf"RxR_BL_{CLASS}_INSERTS", r"irp.rxr_insert ? \1"),
    (rf"RxR_BL_{CLASS}_CYCLES_FULL", r"irp.rxr_full ? \1"),
    (rf"RxR_BL_{CLASS}_OCCUPANCY", r"irp.rxr ? \1"),
    (rf"TxR_DATA_INSERTS_{CLASS}", r"irp.outbound_insert ? \1"),
    (r"TxR_(AD|BL)_STALL_CREDIT_CYCLES", r"irp.stall ? \1"),
    (r"QPI(\d)_(AD|BL)_CREDITS_EMPTY", r"r3qpi.empty ? link\1"),
    (r"(VNA?\d?)_CREDITS_REJECT", r"r3qpi.\1_reject"),
    (r"(VN\d)_CREDITS_USED", r"r3qpi.\1_used"),
    (r"RxL_CREDITS_CONSUMED_(\w+)", r"qpi.\1_used"),
    (r"RxL_STALLS_(VN\d)", r"qpi.stall_\1"),
    (r"RING_(AD|AK|BL|IV)_USED", r"BOX.ring_\1"),
    (r"TxR_(AD|AK|BL)_INSERTS", r"ha.tx_\1"),
    (r"TxR_(AD|AK|BL)_CYCLES_(NE|FULL)", r"ha.tx_\1_\2"),
    (r"TxR_BL_OCCUPANCY", r"ha.tx_bl_occupancy"),
    (r"(RPQ|WPQ)_CYCLES_(NE|FULL)", r"imc.\1_\2"),
    (r"(RPQ|WPQ)_INSERTS", r"imc.\1_insert"),
    (r"WPQ_(READ|WRITE)_HIT", r"imc.wpq_\1_hit"),
]

# The same of an event and subevent, event.subevent.
SUBEVENTS = [
    (r"TOR_\w+\.(?:NID_)?(\w*OPCODE|EVICTION|\w*ALL|WB|\w*LOCAL|\w*REMOTE)", None),  # see tor()
    (r"RING_\w+_USED\.(UP|CW|CCW)", r"\1_even | \1_odd"),
    (r"RING_\w+_USED\.(?:DN|DOWN)", r"down_even | down_odd"),
    (r"TxR_\w+\.ALL", r"sched0 | sched1"),
    (r"\w\w_CAS_RANK\d\.BANKG0", r"bank0 | bank1 | bank2 | bank3"),
    (r"\w\w_CAS_RANK\d\.BANKG1", r"bank4 | bank5 | bank6 | bank7"),
    (r"\w\w_CAS_RANK\d\.BANKG2", r"bank8 | bank9 | bank10 | bank11"),
    (r"\w\w_CAS_RANK\d\.BANKG3", r"bank12 | bank13 | bank14 | bank15"),
    (r"REQUESTS\.(READ|WRITE)S", r"\1_local | \1_remote"),
    (r"(?:REQUESTS|TRACKER_OCCUPANCY)\.(READ|WRITE)S_(\w+)", r"\1_\2"),
    (r"TRANSACTIONS\.(READ|WRITE)S", r"\1"),
    (r"MISC0\.2ND_(\w+)_INSERT", r"\1_second"),
    (r"SNOOP_RESP\.SNP(CODE|DATA|INV)", r"\1"),
    (r"POWER_STATE_OCCUPANCY\.CORES_(\w+)", r"\1"),
    (r"\w\wL_FLITS_G1\.HOM", r"hom_req | hom_nonreq"),
    (r"\w\wL_FLITS_G\d\.(DRS|NCB)", r"\1_data | \1_nondata"),
    (r"\w\wL_FLITS_G0\.NON_DATA", r"!data !idle"),
    (r"RxL_STALLS_VN\d\.BGF_(\w+)", r"\1"),
    (r"LLC_VICTIMS\.([MEF])_STATE", r"\1"),
    (r"IIO_CREDIT\.(PRQ|ISOCH)_QPI(\d)", r"\1\2"),
    (r"C_HI_AD_CREDITS_EMPTY\.CBO_?(\d+)_(\d+)", r"cbo\1 | cbo\2"),
    (r"CAS_COUNT\.WR_(WMM|RMM)", r"wr \1"),
    (r"CAS_COUNT\.RD_(WMM|RMM)", r"!wr \1"),
    (r"HITME_\w+\.HOM", r"read_or_invitoe | wbmtoi | ackcnfltwbi | wbmtoe_or_s"),
    (r"HITME_\w+\.INVALS", r"wbmtoi | ackcnfltwbi | rspfwdi_local"),
    (r"HITME_\w+\.EVICTS", r"wbmtoi | rspfwds"),
    (r"HITME_\w+\.ALLOCS", r"rspfwdi_remote | rspfwdi_local | rspfwds"),
]

# What neither a rule nor the name itself says.
# Subevents of the cores, by their descriptions in volume 3 of the SDM.
CORE = {
    "CPU_CLK_UNHALTED.THREAD_P": "core", "CPU_CLK_UNHALTED.REF_XCLK": "bus",
    "LONGEST_LAT_CACHE.REFERENCE": "demand l3_hit | demand l3_miss", "LONGEST_LAT_CACHE.MISS": "demand l3_miss",
    "L2_RQSTS.DEMAND_DATA_RD_MISS": "demand_data", "L2_RQSTS.RFO_MISS": "rfo", "L2_RQSTS.CODE_RD_MISS": "crd",
    "L2_RQSTS.ALL_DEMAND_MISS": "demand", "L2_RQSTS.L2_PF_MISS": "l2_prefetch | l3_prefetch",
    "L2_RQSTS.MISS": "demand | l2_prefetch | l3_prefetch", "L2_RQSTS.ALL_DEMAND_REFERENCES": "demand | l2_hit",
    "L2_TRANS.L2_WB": "wb_m", "L2_LINES_IN.ALL": "demand | l2_prefetch", "L2_LINES_OUT.DEMAND_DIRTY": "wb_m",
    "OFFCORE_REQUESTS.DEMAND_DATA_RD": "demand_data", "OFFCORE_REQUESTS.DEMAND_CODE_RD": "crd",
    "OFFCORE_REQUESTS.DEMAND_RFO": "rfo | itom", "OFFCORE_REQUESTS.ALL_DATA_RD": "demand_data | pf_drd | pf_llc_drd",
    "MEM_LOAD_UOPS_RETIRED.L2_HIT": "l2_hit", "MEM_LOAD_UOPS_RETIRED.L3_HIT": "drd l3_hit",
    "MEM_LOAD_UOPS_RETIRED.L1_MISS": "drd | l2_hit", "MEM_LOAD_UOPS_RETIRED.L1_MISS_HIT_LFB": "drd | l1_prefetch | l2_hit",
    "MEM_LOAD_UOPS_RETIRED.L2_MISS": "drd", "MEM_LOAD_UOPS_RETIRED.L3_MISS": "drd l3_miss",
    "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS": "drd core snoop_miss",
    "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HIT": "drd core snoop_hit",
    "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM": "drd core snoop_hitm", "MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_NONE": "drd llc",
    "MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM": "drd local !snoop_hitm",
    "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_DRAM": "drd remote !snoop_hitm",
    "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_HITM": "drd peer snoop_hitm | drd local snoop_hitm | drd remote snoop_hitm",
    "MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_FWD": "drd peer snoop_hit",
}
OTHERS = {
    **CORE,
    **{f"ha.SBO{i}_CREDIT{what}.{ring}": f"sbo{i}_{ring.lower()}"
       for i in (0, 1) for what in ("S_ACQUIRED", "_OCCUPANCY") for ring in ("AD", "BL")},
    "LLC_LOOKUP.ANY": "any | data_read | read | write | remote_snoop", "LLC_LOOKUP.READ": "read | data_read",
    "LLC_VICTIMS.I_STATE": "s",		# clean and shared: docs/reference/errata.md
    "TxR_STARVED.AK_BOTH": "ak", "TxR_STARVED.BL_BOTH": "bl",
    "DIRECTORY_UPDATE.ANY": "set | clear", "TxR_AD.HOM": "ndr",
    "SNP_RESP_RECV_LOCAL.RSPxWB": "rsp_wb", "SNP_RESP_RECV_LOCAL.RSPxFWDxWB": "rsp_fwd_wb",
    "BT_TO_HT_NOT_ISSUED.INCOMING_SNP_HAZARD": "response", "BT_TO_HT_NOT_ISSUED.INCOMING_BL_HAZARD": "data",
    "BT_TO_HT_NOT_ISSUED.RSPACKCFLT_HAZARD": "conflict", "BT_TO_HT_NOT_ISSUED.WBMDATA_HAZARD": "write_back",
    "CAS_COUNT.RD": "rd_reg | rd_underfill", "MISC0.PF_ACK_HINT": "pf_ack",
    "MISC1.SEC_RCVD_INVLD": "invalid", "MISC1.SEC_RCVD_VLD": "valid", "MISC1.DATA_THROTTLE": "throttle",
    "TxR_BL_DRS_CREDIT_OCCUPANCY.VN_SHR": "shared", "TxR_BL_DRS_CREDIT_ACQUIRED.VN_SHR": "shared",
    "TxL_CRC_NO_CREDITS.ALMOST_FULL": "almost", "RxL_CRC_ERRORS.LINK_INIT": "init", "RxL_CRC_ERRORS.NORMAL_OP": "normal",
    "RxL_STALLS_VN0.EGRESS_CREDITS": "egress", "EVENT_MSG.DOORBELL_RCVD": "doorbell",
    "DIRECT2CORE.SUCCESS_RBT_HIT": "success", "DIRECT2CORE.FAILURE_CREDITS": "credits !rbt_invalid !miss",
    "DIRECT2CORE.FAILURE_RBT_HIT": "rbt_invalid !credits !miss",
    "DIRECT2CORE.FAILURE_CREDITS_RBT": "credits rbt_invalid !miss",
    "DIRECT2CORE.FAILURE_MISS": "miss !credits !rbt_invalid",
    "DIRECT2CORE.FAILURE_CREDITS_MISS": "miss credits !rbt_invalid",
    "DIRECT2CORE.FAILURE_RBT_MISS": "miss rbt_invalid !credits",
    "DIRECT2CORE.FAILURE_CREDITS_RBT_MISS": "miss credits rbt_invalid",
}


def tor(words):
    """OPCODE is of requests of the IRQ, whose opcode the filter names; NID adds a node by filter; ALL nothing."""
    words = words.replace("EVICTION", "evict").lower().split("_")
    return " ".join(["irq"] * ("opcode" in words) + [w for w in words if w not in ("opcode", "all")])


def driver(event, box, rules):
    """What an event or subevent of this name is driven by, by the first rule that reads it; None if none does."""
    for pattern, says in rules:
        m = re.fullmatch(pattern, event)
        if m:
            return m.expand(says).lower().replace("box.", box + ".") if says else tor(m[1])
    return None


def bindings(path):
    """Line number, event and what is after <- or ? of each line."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = re.match(r"(\S+)\s+(<-|(?:none)?\?)\s*(.*?)\s*(?:#.*)?$", line)
            if m and not line.startswith("#"):
                yield number, m[1], m[2], m[3]


def reasons(path):
    """(box, event, subevent or "") of each row of the table of what the machine does not drive."""
    with open(path, encoding="utf-8") as f:
        table = f.read().partition("### What the machine does not drive")[2].partition("\n## ")[0]
    for boxes, events in re.findall(r"^\| ([\w, ]+) \| (.+?) \| .+ \|$", table, re.M):
        if boxes == "box":
            continue
        for part in events.split("; "):
            names, _, subevents = part.partition(": ")
            for name in names.split(", "):
                for subevent in subevents.split(", "):
                    for box in boxes.split(", "):
                        yield box, name, subevent


def silent(root):
    """The same of the catalogue: events without a binding, or with one that says none, and subevents that do."""
    for path in sorted(glob.glob(root + "/catalog/hsx/*.bind")):
        box = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        bound = re.findall(r"^(\w+)\s+<-", text, re.M)
        with open(path[:-4] + "box", encoding="utf-8") as f:
            for name, rest in re.findall(r"^event (\w+) (.*)$", f.read(), re.M):
                if name not in bound and "counter=fixed" not in rest:
                    yield box, name, ""
        yield from ((box, name, "") for name in re.findall(r"^(\w+)\s+none$", text, re.M))
        yield from ((box, name, sub) for name, sub in re.findall(r"^(\w+)\.(\w+)\s+none\?", text, re.M))


why, known = set(reasons(sys.argv[1] + "/docs/reference/model-uncore.md")), set(silent(sys.argv[1]))
for who in sorted(known):
    row(who if who in why else None, who)
for who in sorted(why):
    # A row may be of several boxes, not all of which have the event.
    row(any(k[1:] == who[1:] for k in known) and who, who)
read = {"events": 0, "subevents": 0}
for path in sorted(glob.glob(sys.argv[1] + "/catalog/hsx/*.bind")):
    box = os.path.basename(path)[:-5]
    for number, name, kind, by in bindings(path):
        if kind == "<-":
            want = driver(name, box, EVENTS)
            if want is None:
                continue
            read["events"] += 1
        elif kind == "none?" and box == "core":
            continue            # what it would be driven by is nobody's business
        else:
            event, _, subevent = name.partition(".")
            want = OTHERS.get(name) or OTHERS.get(f"{box}.{name}") or driver(name, box, SUBEVENTS) or subevent.lower()
            read["subevents"] += 1
        row(f"{box}:{number} {name} {by}", f"{box}:{number} {name} {want}")
row(read["events"] > 150 and read["subevents"] > 1100, True)
finish()
