#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is the core of the Itanium 9500 whole in the catalogue?

Counts of what the manual holds, the affinity rule of its section 4.1.3 with the exceptions that it prints, and the example
reports of its appendix B: what our equations make of the printed event counts must be the printed results.

usage: test_poulson.py BOXSCORE
"""
import re
import sys

from rows import dump, finish, row


def core(kind):
    return [r for r in dump("poulson", kind) if r["box"] == "core"]


REGISTERS, FIELDS, EVENTS, METRICS = (core(k) for k in ("registers", "fields", "events", "metrics"))
EVENT = {e["event"]: e for e in EVENTS}
EQUATION = {m["metric"]: m["expression"] for m in METRICS}


def key(event, name):
    return dict(k.split("=") for k in EVENT[event]["keys"].split()).get(name)


def affinity_breaks_rule(event):
    """Section 4.1.3: the class of the code says which pairs, its lowest bit even or odd ones."""
    code, mask = int(event["code"], 0), int(event["counters"], 0)
    if code >> 10 == 3:
        return bool(mask & ~0xfff00)
    candidates = 0xffff0 if code >> 10 == 0 else 0xf0ff0
    return mask != candidates & (0xaaaaa if code & 1 else 0x55555)


aliases = [e for e in EVENTS if "alias=" in e["keys"]]
row(sorted({r["instance"] for r in REGISTERS}), ["0", "1"])
row(len({(r["space"], r["address"]) for r in REGISTERS}), 103)
row(len(REGISTERS), 2 * 103)
row(len([f for f in FIELDS if not f["layout"]]), 189 + 7)
# Table 3-23's hints one by one, and what a register holds in another mode: figure 3-27, tables 3-17, 3-22 and 3-30.
row([(f["field"], f["hi"], f["lo"]) for f in FIELDS if f["register"] == "PMD_DEAR_STAT"][1:8],
    [("BIAS", "42", "42"), ("PIPE", "41", "41"), ("PF_DROP", "40", "39"), ("HWPF", "38", "37"), ("LLC_LOC", "36", "36"),
     ("MLD_LOC", "35", "34"), ("FLD_LOC", "33", "32")])
row([(f["register"], f["layout"], f["field"], f["hi"], f["lo"]) for f in FIELDS if f["layout"].startswith("ipear")],
    [("PMD_ETB{23-0}", "ipear", "addr", "63", "0"), ("PMD_ETB{23-0}", "ipear_ef", "addr", "63", "8"),
     ("PMD_ETB{23-0}", "ipear_ef", "delay", "7", "0"), ("PMD_ETBEXT{23-0}", "ipear", "tid", "15", "15"),
     ("PMD_ETBEXT{23-0}", "ipear", "f", "14", "14"), ("PMD_ETBEXT{23-0}", "ipear", "ef", "13", "13"),
     ("PMD_ETBEXT{23-0}", "ipear", "cycles", "12", "0")])
row([f["layout"] + "." + f["field"] for f in FIELDS if f["register"] == "PMC_DEAR_CFG" and f["layout"]],
    ["cache.umask", "tlb.hpw_miss", "tlb.hpw_hit", "tlb.ml_hit", "tlb.fl_hit"])
# Encodings of tables 3-16, 3-18, 3-20, 3-21 and 3-23: the least latencies of both registers differ in one row alone.
VALUES = core("values")
LEAST = {reg: [(int(v["value"], 0), v["text"]) for v in VALUES if v["register"] == reg and v["layout"] == "cache"]
         for reg in ("PMC_IEAR_CFG", "PMC_DEAR_CFG")}
row([[v for v, _ in rows] for rows in LEAST.values()], [list(range(16))] * 2)
row(sorted(set(LEAST["PMC_IEAR_CFG"]) ^ set(LEAST["PMC_DEAR_CFG"])), [(1, "At least 16 cycles"), (1, "At least 4 cycles")])
row([len([v for v in VALUES if v["register"] == "PMD_" + r + "_STAT" and v["field"] == f])
     for r, f in (("IEAR", "resp"), ("DEAR", "resp"), ("DEAR", "req"), ("DEAR", "tstat"))], [2 + 16, 5 + 16, 16, 5])
row(len({e["code"] for e in EVENTS}), 791)
row(len(aliases), 10)
row(len(EVENTS), 801)
row([e["event"] for e in aliases if EVENT[key(e["event"], "alias")]["code"] != e["code"]], [])
row(len(METRICS), 150 + 24)
row(sum("ipear_l=" in e["keys"] for e in EVENTS), 397)
row(sum("iar=" in e["keys"] for e in EVENTS), 801 - 42)
row(sorted(e["event"] for e in EVENTS if affinity_breaks_rule(e)), sorted("""
CPU_REF_CYCLES CPU_OP_CYCLES IA64_INST_RETIRED RETIRED_INST_TAGGED.IAM0_OPM0 RETIRED_INST_TAGGED.IAM1_OPM1
RETIRED_INST_TAGGED.IAM2_OPM0 RETIRED_INST_TAGGED.IAM3_OPM1 RETIRED_INST_M.MOVTODAHR RETIRED_INST_M.MOVTOBSPST
RETIRED_INST_M.ACQ CYC_BE_EXE_REPLAY.GR_LOAD_WAW IBL_ISSUE.M_PIPE IBL_ISSUE_STOP.9PLUS3 IBL_ISSUE_LOST_BW.OVRSUB_I
FLDTLB_LOAD_MISS.INT M_ASYNC_OP_ISSUE.RSE_LOAD FLI_READ_MISS.DMND FLI_PREF_STALL.FLOW DATA_REF.LOAD_UC DATA_REF.STORE_UC
MT_BE_BGND_CYC_IN_STATE.HU MT_BE_BGND_CYC_IN_STATE.HW MT_BE_BGND_CYC_IN_STATE.NU MT_BE_BGND_CYC_IN_STATE.NW
MT_BE_BGND_CYC_IN_STATE.LU MT_BE_BGND_CYC_IN_STATE.LW""".split()))

row(EVENT["CPU_OP_CYCLES"]["code"], "0x02")
row(EVENT["MLD_OZDATA_COUNT.MSB"]["code"], "0xcff")
row(EVENT["RIL_CRDT_PRI_BLK.AK_ALL"]["counters"], "0x24900")
row(EVENT["CYC_FE_FET_REPLAY.BRQ_WAIT"]["counters"], "0x50550")
row(EVENT["IA64_INST_RETIRED"]["max_inc"], "12")
row(key("FP_FLUSH_TO_ZERO.FTZ_REAL", "ipear_p"), "-2")
row(key("RIL_REQ.ANY", "dref"), "some")
row(key("FLD_SPEC_INVAL.SNOOP", "iar"), "no")
row(key("FLD_SPEC_INVAL.SNOOP", "dar"), "yes")
row(key("EAR_EVENT_DATA", "mt"), "F")
row([r["address"] for r in REGISTERS if r["register"] == "PMD_ETBEXT23"], ["PMD151"] * 2)


# ---------------------------------------------------------------- appendix B


def types(text):
    """The data reference types of a with-clause, as one word: `lfetch+hw_pref`."""
    return "+".join(sorted(re.findall(r"type_(\w+)", text)))


TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<name>[A-Z][A-Z0-9_.]+)(?P<types>\s+with:[^\s()]+)?|(?P<op>[-+*/()]))")


def to_python(equation, counts):
    """An equation with numbers in place of events and metrics."""
    out, at = "", 0
    while at < len(equation.rstrip()):
        match = TOKEN.match(equation, at)
        at = match.end()
        name = match["name"]
        if not name:
            out += match[0]
        elif name in EQUATION:
            out += f"({to_python(EQUATION[name], counts)})"
        else:
            kinds = types(match["types"] or "")
            out += repr(counts[name, kinds])
    return out


def example(metric, counts, want, tolerance=5e-5):
    """A row: the metric from these counts, and the printed result (the counts are rounded)."""
    got = eval(to_python(EQUATION[metric], counts), {"__builtins__": {}})  # numbers and signs only
    line = sys._getframe(1).f_lineno
    row(f"{metric} {want if abs(got - want) < tolerance else got}", f"{metric} {want}", line)


LOAD = "load_fp+load_hpw+load_int+load_rse"
STORE = "store_fp+store_int+store_rse"


def parse(text):
    counts = {}
    for line in text.strip().split("\n"):
        name, *kinds, count = line.split()
        kinds = kinds[0] if kinds else ""
        kinds = "+".join(sorted(kinds.replace("LOAD", LOAD).replace("STORE", STORE).split("+")))
        counts[name, kinds] = float(count)
    return counts


# B.2 and B.3: 1000 instructions.
CYCLES = parse("""
IA64_INST_RETIRED 1000
DATA_REF.LOAD_INT 112.98697
DATA_REF.LOAD_FP 0.41451
DATA_REF.STORE_FP 0.85462
DATA_REF.STORE_INT 34.65163
RETIRED_INST_NOP 199.95968
RETIRED_PREDICATE_SQUASHED 13.02020
RETIRED_INST_FP 0.16913
BR_PRED_DETAIL.ANY_ANY_PRED 147.17533
CPU_OP_CYCLES 541.38471
CYC_BE_BUBBLE.ANY 273.56386
CYC_BE_IBD_STALL.THRSW 0
CYC_BE_WB2_REPLAY.PAUSE 0
CYC_BE_WB2_FLUSH.XPN 0.00648
CYC_BE_IBD_STALL.QFULL 0.00050
CYC_BE_IBD_STALL.FEBUB 93.27100
CYC_BE_WB2_FLUSH.BRU 110.73518
CYC_BE_EXE_REPLAY.GR_GR 0.08005
CYC_BE_IBD_STALL.FTOF 2.47294
CYC_BE_EXE_REPLAY.FR_FR 3.53623
CYC_BE_EXE_REPLAY.FCMP 3.61864
CYC_BE_EXE_REPLAY.NOTN 0.18442
CYC_BE_EXE_REPLAY.PRED 3.24837
CYC_BE_IBD_STALL.RSE_ST 1.85476
CYC_BE_IBD_STALL.RSE_CFLE 1.81191
CYC_BE_IBD_STALL.RSE_LOAD 0
CYC_BE_IBD_STALL.RSE_WAIT 1.20183
CYC_BE_EXE_REPLAY.ARCR 0.17374
CYC_BE_DET_REPLAY.DCS_HZRD 0
CYC_BE_DET_REPLAY.HPW_HZRD 0
CYC_BE_WB2_REPLAY.MOV_PSR_UM 0
CYC_BE_EXE_REPLAY.FPSR 0
CYC_BE_IBD_STALL.GR_LOAD 17.14045
CYC_BE_DET_REPLAY.GR_LOAD 13.54817
CYC_BE_EXE_REPLAY.GR_LOAD_RAW 4.00399
CYC_BE_EXE_REPLAY.GR_LOAD_WAW 0.08480
CYC_BE_IBD_STALL.FR_LOAD 2.96305
CYC_BE_EXE_REPLAY.FR_LOAD_RAW 4.94232
CYC_BE_EXE_REPLAY.FR_LOAD_WAW 0.05605
CYC_BE_IBD_STALL.OZQFULL 1.18762
CYC_BE_WB2_REPLAY.OZQ_FULL 1.06271
CYC_BE_WB2_REPLAY.DAHR_HZRD 0
CYC_BE_DET_REPLAY.WRITE_HIT_VS_FILL 0.08636
CYC_BE_DET_REPLAY.WRITE_MISS_VS_FILL 0.02427
CYC_BE_DET_REPLAY.LOAD_AFTER_WRITE 0.55691
CYC_BE_DET_REPLAY.STORE_VS_STORE 1.37919
CYC_BE_DET_REPLAY.FLUSH_STORE 0
CYC_BE_IBD_STALL.FLD_DMND 0.11389
CYC_BE_IBD_STALL.MTOM 0.23841
CYC_BE_DET_REPLAY.MT1 0.00019
CYC_BE_IBD_STALL.HPW 3.04420
CYC_BE_WB2_REPLAY.BLK_HPW 0.78179
CYC_BE_WB2_REPLAY.STORE_ALIAS 0.00008
CYC_BE_IBD_STALL.ACQ 0
CYC_BE_DET_REPLAY.LOAD_ACQ 0
CYC_BE_WB2_REPLAY.LOAD_ACQ 0
CYC_BE_IBD_STALL.REL 0
CYC_BE_EXE_REPLAY.REL 0
CYC_BE_IBD_STALL.SRLZ 0
CYC_BE_EXE_REPLAY.SRLZ 0
CSPEC_CHKS_FAIL.ANY 0
CYC_BE_WB2_REPLAY.NAT_HZRD 0
CYC_BE_WB2_REPLAY.LDC 0.00004
CYC_BE_IBD_STALL.DEBUG 0
CYC_BE_EXE_REPLAY.MT1_HIGH 0.24824
CYC_BE_EXE_REPLAY.MT1_LOW 0
CYC_BE_WB2_REPLAY.VIRT_INT 0
CYC_BE_WB2_REPLAY.SER 0
CYC_BE_WB2_REPLAY.MT1 0.00064
CYC_BE_WB2_REPLAY.FP_SIR 0
CYC_BE_WB2_REPLAY.FP_DEN 0
BR_PRED_DETAIL.ANY_CORR_PRED 116.44928
BR_BE_PRED_DETAIL.ANY_RETIRED 0.00133
BR_PRED_DETAIL.IPREL_WRONG_PATH 5.14521
BR_PRED_DETAIL.NON_RETIND_WRONG_PATH 0.00051
BR_PRED_DETAIL.RETURN_WRONG_PATH 0.01418
BR_PRED_DETAIL.IPREL_WRONG_TARGET 0.00006
BR_PRED_DETAIL.NON_RETIND_WRONG_TARGET 0.55617
BR_PRED_DETAIL.RETURN_WRONG_TARGET 0.01658
FLI_FETCH_RAB_HIT.DMND 0.70470
FLI_FETCH_RAB_HIT.PREF 0.45624
FLI_READ.DMND 257.73625
FLI_READ_MISS.DMND 3.29686
FLI_READ_MISS.PREF 5.29934
FLI_READ.PREF 6.45260
MLI_READ.HIT_DMND_LRU 0.01806
MLI_READ.HIT_DMND_NOLRU 2.56941
MLI_READ.HIT_PREF_LRU 0.02427
MLI_READ.HIT_PREF_NOLRU 4.80719
RIL_REQ_REF_INST.WB_ANY 0.01362
LLC_REF_MISS_INST.ANY 0.00303
""")

for name, want in [line.split() for line in """
LOADS_RETIRED 113.40148
STORES_RETIRED 35.50626
NON_USEFUL_INSTRS_RETIRED 212.97988
USEFUL_INSTRS_RETIRED 787.02012
OTHER_INSTRS_RETIRED 490.76791
UNSTALLED_EXE 267.82085
TSWITCH 0
MISC_FLUSH 0.00648
INSTR_ACCESS 204.00668
INSTR_FETCH 93.27150
REG_HAZARD 18.18289
FR_FR_HAZARD 6.00917
PR_HAZARD 7.05143
RSE 4.86850
RSE_UNDERFLOW 1.81191
MISC_REG_HAZARD 0.17374
HPW_REG_REPLAY 0
DATA_ACCESS 51.21450
GR_LOAD_HAZARD 34.77740
FR_LOAD_HAZARD 7.96142
BACK_PRESSURE 2.25033
MLD_BACK_PRESSURE 2.25033
FLD_CONFLICT 2.39922
FLD_FILL_CONFLICT 0.11063
FLD_WRITE_CONFLICT 1.93610
FLD_CONFLICT_OTHER 0.35249
DATA_TLB_ACCESS 3.82608
VHPT_WALKER 3.82600
ORDERING_HAZARD 0
ACQUIRE_HAZARD 0
RELEASE_HAZARD 0
SRLZ_HAZARD 0
SPEC_PENALTIES 0.00004
SPEC_FAIL_FLUSH 0
SPEC_HAZARD 0.00004
MISC_CYCLES 0.24888
BR_PRED 122.18199
BR_PRED_CORRECT 116.44795
BR_PRED_WRONG 5.73404
BR_PRED_WRONG_PATH 5.15990
BR_PRED_WRONG_TARG 0.57281
FLI_IFETCH 256.75359
FLI_IFETCH_HIT 255.59265
FLI_IDMND_HIT 254.43939
FLI_IPREF_HIT 1.15326
FLI_IFETCH_SECONDARY 1.16094
MLI_IFETCH_HIT 7.41895
MLI_IDMND_HIT 2.58748
MLI_IPREF_HIT 4.83147
LLC_IFETCH_HIT 0.01058
""".strip().split("\n")]:
    example(name, CYCLES, float(want))

# B.4: what becomes of data references.  LOAD and STORE are all their kinds.
REFERENCES = parse("""
CSPEC_LOAD.NAT 0.01960
PREF_DROP.FLDTLB_MISS 0.00372
PREF_DROP.FLDTLB_MISS hw_pref 0.00372
PREF_DROP.FLD_HIT lfetch 1.38983
PREF_DROP.FLD_HIT hw_pref 3.43658
PREF_DROP.FLD_SECONDARY_MISS lfetch 0.03715
PREF_DROP.FLD_SECONDARY_MISS hw_pref 0.54597
FLD_LOAD.ANY 92.35311
FLD_LOAD.INT 91.05830
FLD_LOAD_MISS.ANY 10.76867
FLD_LOAD_MISS.INT 10.58467
MLD_REF.HIT load_int 7.22803
MLD_REF.HIT load_fp 0.30201
MLD_REF.HIT load_hpw 0.20939
MLD_REF.HIT lfetch 7.73774
MLD_REF.HIT hw_pref 8.08746
MLD_REF.HIT store_int 43.51066
MLD_REF.HIT store_fp 29.07523
MLD_REF.HIT store_rse 1.28744
MLD_REF.HIT semaphore 0
MLD_LOAD.ANY load_rse 0.18405
MLD_LOAD.MISS load_rse 0.00132
MLD_SMQ_REF.HIT 14.55208
MLD_SMQ_REF.HIT lfetch 0.08724
MLD_SMQ_REF.HIT hw_pref 0.35239
MLD_SMQ_REF.HIT store_int 1.49042
MLD_SMQ_REF.HIT store_fp 11.53583
MLD_SMQ_REF.HIT store_rse 0.00584
MLD_SMQ_REF.HIT semaphore 0
MLD_HINT_PREF_DROP hw_pref 4.54245
MLD_HINT_PREF_DROP lfetch 0
MLD_REF.SECONDARY_DROP hw_pref 0.01173
MLD_REF.SECONDARY_DROP lfetch 11.59196
MLD_SMQ_REF.SECONDARY_DROP hw_pref 0
MLD_SMQ_REF.SECONDARY_DROP lfetch 0.00127
MLD_REF.PRIMARY hw_pref 1.34891
RIL_REQ_REF_DATA.NC_WRITE_WC_MLD 0
RIL_REQ_REF_DATA.NC_WRITE_WC_ANY 0
RIL_REQ_REF_DATA.NC_WRITE_WC_MLD STORE 0
RIL_REQ_REF_DATA.NC_WRITE_WC_ANY STORE 0
RIL_REQ_REF_DATA.ANY hw_pref 12.70759
RIL_REQ_REF_DATA.ANY lfetch 3.07494
RIL_REQ_REF_DATA.ANY LOAD 2.33462
RIL_REQ_REF_DATA.ANY load_fp 0.00025
RIL_REQ_REF_DATA.ANY load_hpw 0.08633
RIL_REQ_REF_DATA.ANY load_int 2.24828
RIL_REQ_REF_DATA.ANY load_rse 0.00026
RIL_REQ_REF_DATA.ANY STORE 4.69776
RIL_REQ_REF_DATA.ANY store_fp 4.54502
RIL_REQ_REF_DATA.ANY store_int 0.15579
RIL_REQ_REF_DATA.ANY store_rse 0.00160
RIL_REQ_REF_DATA.ANY semaphore 0
RIL_REQ_REF_DATA.NC_WRITE_ANY store_fp 0
RIL_REQ_REF_DATA.NC_WRITE_ANY store_int 0
RIL_REQ_REF_DATA.NC_WRITE_ANY store_rse 0
RIL_REQ_REF_DATA.NC_WRITE_ANY semaphore 0
RIL_REQ_REF_DATA.WB_RFO store_fp 4.54502
RIL_REQ_REF_DATA.WB_RFO store_int 0.15579
RIL_REQ_REF_DATA.WB_RFO store_rse 0.00160
RIL_REQ_REF_DATA.WB_RFO semaphore 0
RIL_REQ_REF_DATA.WB_MLD_BUDDY 11.34639
RIL_REQ_REF_DATA.WB_MLD_BUDDY lfetch 3.07403
RIL_REQ_REF_DATA.WB_MLD_BUDDY LOAD 2.24789
RIL_REQ_REF_DATA.WB_MLD_BUDDY STORE 4.69616
RIL_REQ_REF_DATA.WB_MLD_BUDDY semaphore 0
LLC_REF_MISS_DATA.ANY hw_pref 0.62056
LLC_REF_MISS_DATA.ANY lfetch 0.11996
LLC_REF_MISS_DATA.ANY LOAD 0.35181
LLC_REF_MISS_DATA.ANY load_fp 0.00012
LLC_REF_MISS_DATA.ANY load_hpw 0.00121
LLC_REF_MISS_DATA.ANY load_int 0.34899
LLC_REF_MISS_DATA.ANY load_rse 0
LLC_REF_MISS_DATA.ANY STORE 0.08532
LLC_REF_MISS_DATA.ANY store_fp 0.05033
LLC_REF_MISS_DATA.ANY store_int 0.03493
LLC_REF_MISS_DATA.ANY store_rse 0.00001
LLC_REF_MISS_DATA.ANY semaphore 0
LLC_REF_MISS_DATA.ANY hw_pref+LOAD 1.31932
LLC_REF_MISS_DATA.ANY hw_pref+semaphore 0.61725
""")

for name, want in [line.split() for line in """
TLB_DREF 0.02332
FLD_DREF 86.99398
FLD_DREAD_HIT 86.41085
FLD_LOAD_HIT 81.58444
FLD_LOAD_INT_HIT 80.47364
FLD_LOAD_RSE_HIT 1.11080
FLD_DPREF_HIT 4.82641
FLD_DPREF_SECONDARY 0.58313
MLD_DREF 128.32017
MLD_DREF_HIT 97.62069
MLD_DREAD_HIT 23.74735
MLD_LOAD_RSE_HIT 0.18273
MLD_DPREF_HIT 15.82520
MLD_WRITE_HIT 73.87334
MLD_DREF_SECONDARY 14.55208
MLD_DPREF_SECONDARY 0.43963
MLD_WRITE_SECONDARY 13.03210
MLD_DPREF_MISS_DROP 16.14740
MLD_LFETCH_MISS_DROP 11.59322
MLD_HWDPREF_MISS_DROP 4.55417
MLD_WRITE_COALESCED 0
MLD_STORE_COALESCED 0
LLC_DREF_HIT 10.59260
LLC_DREAD_HIT 5.97546
LLC_LOAD_HIT 1.98280
LLC_LOAD_INT_HIT 1.89929
LLC_LOAD_FP_HIT 0.00013
LLC_LOAD_RSE_HIT 0.00026
LLC_LOAD_HPW_HIT 0.08512
LLC_DPREF_HIT 3.99265
LLC_LFETCH_HIT 2.95498
LLC_HWDPREF 2.68952
LLC_HWDPREF_BUDDY 1.34061
LLC_HWDPREF_NOBUDDY 1.34891
LLC_HWDPREF_NOBUDDY_HIT 1.03767
LLC_HWDPREF_BUDDY_HIT 1.03129
LLC_STORE_HIT 4.61244
LLC_STORE_INT 0.15579
LLC_STORE_INT_HIT 0.12085
LLC_STORE_FP 4.54502
LLC_STORE_FP_HIT 4.49469
LLC_STORE_RSE 0.00160
LLC_STORE_RSE_HIT 0.00159
LLC_SEMAPHORE 0
LLC_SEMAPHORE_HIT 0
LLC_WRITE 4.70241
LLC_WRITE_HIT 4.61714
LLC_BUDDY 11.35868
LLC_LOAD_BUDDY_HIT 1.90093
HWDPREF_BUDDY_FRACTION 0.49846
HWDPREF_NOBUDDY 18.32921
MEM_DREF 1.17760
MEM_DREAD 1.09233
MEM_LOAD 0.35181
MEM_DPREF 0.43120
MEM_WRITE 0.08527
MEM_HWDPREF_BUDDY 0.30932
MEM_HWDPREF_NOBUDDY 0.31124
MEM_LOAD_BUDDY 0.34695
MEM_SEMAPHORE_BUDDY -0.00331
""".strip().split("\n")]:
    example(name, REFERENCES, float(want))

# B.7.1 and B.7.2 have counts of their own.
LATENCIES = parse("""
CYC_BE_DET_REPLAY.GR_LOAD 70.07033
CYC_BE_EXE_REPLAY.GR_LOAD_RAW 12.47120
CYC_BE_EXE_REPLAY.GR_LOAD_WAW 0.21218
CYC_BE_IBD_STALL.GR_LOAD 704.92995
CYC_BE_EXE_REPLAY.FR_LOAD_RAW 32.51587
CYC_BE_EXE_REPLAY.FR_LOAD_WAW 0.15557
CYC_BE_IBD_STALL.FR_LOAD 78.61186
""")
example("AVG_GR_LOAD_REPLAY_LATENCY", LATENCIES, 45.83577, 5e-4)
example("AVG_FR_LOAD_REPLAY_LATENCY", LATENCIES, 13.62453, 5e-4)
EXPOSED = {**CYCLES, **parse("""
DATA_REF.LOAD_FP 0.63761
DATA_REF.LOAD_INT 95.32248
DATA_REF.SEMAPHORE 0
DATA_REF.STORE_FP 2.04434
DATA_REF.STORE_INT 35.15017
""")}
example("AVG_DATA_ACCESS_TOTAL_EXPOSED_LATENCY", EXPOSED, 0.38462)
example("AVG_LOAD_FP_EXPOSED_LATENCY", EXPOSED, 12.48634, 5e-4)
example("AVG_LOAD_INT_EXPOSED_LATENCY", EXPOSED, 0.36484)


def unknown_names(equation):
    return [m["name"] for m in TOKEN.finditer(equation)
            if m["name"] and m["name"] not in EVENT and m["name"] not in EQUATION]


row([m for m in EQUATION if unknown_names(EQUATION[m])], [])


finish()
