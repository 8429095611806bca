# SPDX-License-Identifier: BSD-2-Clause
"""Programs for IA-64 in assembly: what test_itanium.py counts by hand, and the counts.

A program gets a frame of eight registers of its own (r32 to r39) and `data`, 64 KiB of zeros at the start of a page.
"""
from checks import here

PROGRAMS = {}
COUNTS = []		# line, program, event, count


def program(name, body, counts=()):
    """counts: events and how many; (BODY, n): n more than a program of that body has."""
    at = here(above=1)
    PROGRAMS[name] = body
    for number, row in enumerate(counts):
        COUNTS.append((at, name, number, *row))


# Two pages are known to all data TLBs, and the lines that a program names are in the MLD and the FLD.
WARM = """
\tmovl r5 = data ;;
\tadds r6 = 256, r5
\tld8 r8 = [r5] ;;
\tmf ;;
\tadds r8 = 0, r8 ;;
\tld8 r8 = [r5]
\tld8 r9 = [r6] ;;
\tmf ;;
\tadds r9 = 0, r9 ;;
"""


def times(n, label, body):
    """A loop of n rounds; the branch stands in a bundle of its own group."""
    return f"\tmov r3 = {n - 1} ;;\n\tmov ar.lc = r3 ;;\n{label}:\n{body}\tbr.cloop.sptk.few {label} ;;\n"


program("loop", """
\tmov r3 = 99 ;;
\tmov ar.lc = r3
\tmov r4 = 0 ;;
again:
\tadd r4 = 1, r4 ;;
\tadd r4 = 1, r4
\tbr.cloop.sptk again ;;
""", [
    ("BR_PRED_DETAIL.ANY_ANY_PRED", 100),
    ("BR_PATH_PRED.ANY_OKPRED_TAKEN", 99),
    ("BR_PATH_PRED.ANY_MISPRED_NOT_TAKEN", 1),
    ("CYC_BE_WB2_FLUSH.BRU", 10),
    ("DATA_REF.ANY", 0),
    ("DPFQ_ENQ.ANY", 0),
    ("MLD_OZQ_COUNT.MSB", 0),
])
program("chase", """
\taddl r4 = @gprel(data), r0
\tmov r3 = 63
\tmovl r5 = data ;;
\tst8 [r5] = r5
\tmov ar.lc = r3 ;;
warm:
\tld8 r6 = [r5] ;;
\tmf
\tbr.cloop.sptk warm ;;
\tmov r3 = 99 ;;
\tmov ar.lc = r3 ;;
chase:
\tld8 r5 = [r5]
\tbr.cloop.sptk chase ;;
""", [
    # A load whose address is that of the load before waits one cycle more than the one of the FLD.
    ("CYC_BE_IBD_STALL.MTOM", 99),
    ("DATA_REF.LOAD_INT", 164),
    ("DATA_REF.STORE_INT", 1),
])
program("float", """
\tmov r3 = 49 ;;
\tmov ar.lc = r3 ;;
chain:
\tfma.d.s0 f6 = f6, f1, f1
\tbr.cloop.sptk chain ;;
""", [
    # Six cycles from an operation to the next that needs it: each waits five, four of them a replay.
    ("CYC_BE_EXE_REPLAY.FR_FR", 4 * 49),
    ("CYC_BE_IBD_STALL.FTOF", 49),
    # Times f1, which is 1: an addition alone, which counts once.
    ("FP_FLOP", 50),
    ("RETIRED_INST_FP", 50),
])
program("spill", """
\tmov r3 = 20
\tbr.call.sptk b0 = down ;;
back:
\tbr.few over ;;
down:
\talloc r33 = ar.pfs, 0, 40, 1, 0
\tmov r34 = b0
\tadd r3 = -1, r3 ;;
\tcmp.ne p6, p7 = 0, r3
(p6)\tbr.call.dptk b0 = down ;;
next:
\tmov b0 = r34
\tmov ar.pfs = r33 ;;
\tbr.ret.sptk b0 ;;
over:
""", [
    ("BR_PRED_DETAIL.RETURN_ANY_PRED", 20),
    # Twenty calls inside each other; seven frames of hints are kept, so thirteen returns find none.
    ("DAHS_UNDERFLOW", 13),
])
# Cycles in which nothing refers to data.
def idle(label):
    return times(400, label, "\tnop.i 0 ;;\n")


program("neighbours", WARM + "\tmovl r5 = data + 4096 ;;\n\tadds r7 = 0, r5 ;;\n" + times(24, "bring", """
\tldfd f6 = [r7], 64 ;;
""") + idle("idle1") + times(20, "line", """
\tld8 r8 = [r5], 64 ;;
""" + "\tnop.i 0 ;;\n" * 24), [
    # The MLD has 24 lines, the FLD none.  The first load misses, and starts neighbours both ways; those behind it hit what has
    # been fetched ahead, each as the last of a run forwards.  WARM has two loads that miss with a translation: r6's, and the
    # first one's again.
    ("DPFQ_ENQ.FLD_FWD", 19),
    ("FLD_HWPREF_INS.REL_OP", 0),
    ("DPFQ_ENQ_OVERFLOW.ANY", 0),
])
program("counted", WARM + "\tmovl r5 = data + 4096 ;;\n\tlfetch.count [r5], 8, 64 ;;\n" + idle("idle2"), [
    # Eight lines from one entry: four misses, and their buddies, which are on their way when their turn comes.
    # In WARM it depends on when the memory answers whether a buddy is still on its way.
    ("DPFQ_ENQ.LFETCH_COUNT", 1),
    ("DPFQ_DEQ.LFETCH_COUNT", 8),
    ("DATA_REF.LFETCH", 8),
    ("FLD_FILL_REQ.LFETCH", 4),
    ("MLD_REF.SECONDARY_DROP", (WARM, 4)),
])
program("release", WARM + "\tadds r7 = 32, r5 ;;\n" + times(2, "round", """
\tst8.rel [r5] = r0
\tst8.rel [r7] = r0 ;;
""" * 6 + "\tnop.i 0 ;;\n" * 40), [
    # Two in each of six groups, whose memory pipes are taken, twice: eight find room, and four push one out.
    ("FLD_HWPREF_INS.REL_OP", 24),
    ("RETIRED_INST_M.REL", 24 + 2),
    ("DPFQ_ENQ_OVERFLOW.FLD_TARGET", 2 * 4),
])
program("hints", WARM + """
\tmovl r5 = data + 4096 ;;
\tadds r6 = 1024, r5
\tadds r7 = 2048, r5 ;;
\tld8.nt1 r8 = [r5]
\tld8.d2 r9 = [r6] ;;
\tld8.d7 r10 = [r7] ;;
\tmf ;;
""", [
    # Three lines that the MLD has not, each with its DAHR's default hints: none goes to the FLD, no neighbour follows; the
    # second is not marked as used, nor is its buddy; the third does not stay in the MLD, nor comes its buddy, and the ring is
    # told that it will not be used again.
    ("FLD_HINT_NOALLOC", 3),
    ("FLD_HINT_NO_MULTI_HWPREF", 3),
    ("MLD_HINT_NRU", 2),
    ("MLD_HINT_NOALLOC", 1),
    ("MLD_NOALLOC_FILL", 1),
    ("MLD_HINT_NO_BUDDY", 1),
    ("MLD_NOALLOC_CASTOUT", 0),
    ("RIL_REQ_HINT_NRU", 1),
])
program("castout", WARM + "\tadds r7 = 2048, r5 ;;\n\tst8.d7 [r7] = r0 ;;\n" + idle("idle12"), [
    # A store whose line does not stay in the MLD: it goes back to the ring at once.
    ("MLD_NOALLOC_CASTOUT", 1),
    ("MLD_NOALLOC_FILL", 1),
    ("RIL_REQ_OTHER.WRTBCK_WRQ", 1),
    ("RIL_RESP.WRITEPULL", 1),
])
program("banks", WARM + times(50, "pairs", """
\tldfd f6 = [r5]
\tldfd f7 = [r6] ;;
""" + "\tnop.i 0 ;;\n" * 12) + times(30, "stores", """
\tstfd [r5] = f0
\tstfd [r6] = f0 ;;
\tnop.i 0 ;;
\tnop.i 0 ;;
"""), [
    # Addresses 256 bytes apart share a bank.  Two more in WARM: its pair; and of what is fetched ahead r5's next line, which waits
    # a cycle for the return port, meets r6's.
    ("MLD_CYC_STALL.SPLIT_RR_BANK", 50 + 2),
    ("MLD_CYC_STALL.SPLIT_WW_BANK", 30),
])
program("behind", WARM + "\tadds r7 = 32, r5 ;;\n\tmov dahr4 = 0x220 ;;\n" + times(40, "line_behind", """
\tstfd [r5] = f0 ;;
\tnop.i 0 ;;
\tld8.d4 r8 = [r7] ;;
""" + "\tnop.i 0 ;;\n" * 24) + times(30, "bank_behind", """
\tstfd [r5] = f0 ;;
\tnop.i 0 ;;
\tnop.i 0 ;;
\tnop.i 0 ;;
\tldfd f6 = [r6] ;;
""" + "\tnop.i 0 ;;\n" * 24), [
    # Two cycles behind a store, of whose line it wants another part for the FLD, a load waits the other two of four; each store
    # has taken the line from the FLD, and DAHR4 forbids neighbours.
    ("MLD_CYC_STALL.RAW", 2 * 40),
    ("FLD_SPEC_INVAL.INST", 40 + 1),
    ("FLD_HINT_NO_MULTI_HWPREF", 40),
    # Four cycles behind a store in the same bank: one more.
    ("MLD_CYC_STALL.RW_BANK", 30),
])
program("preempt", WARM + "\tadds r7 = 512, r5\n\tmov r4 = 50 ;;\n" + times(50, "taken", """
\tld8 r8 = [r5]
\tld8 r9 = [r6]
(p6)\tlfetch [r7]
\tadds r4 = -1, r4 ;;
\tld8 r10 = [r5]
\tld8 r11 = [r6]
\tcmp.eq p6, p0 = 25, r4 ;;
""" + """
\tld8 r10 = [r5]
\tld8 r11 = [r6]
\tnop.i 0 ;;
""" * 5 + """
\tld8 r10 = [r5]
\tld8 r11 = [r6]
""") + idle("idle3"), [
    # Loads take both memory pipes in every group; the one lfetch that is not squashed goes by way of an A port into the queue,
    # is refused sixteen times, and then takes the second pipe from a load.
    ("DPFQ_ENQ.LFETCH", 1),
    ("DPFQ_DEQ_REJECT.LFETCH", 16),
    ("DPFQ_DEQ_PREEMPT.LFETCH", 1),
    ("DPFQ_DEQ.LFETCH", 0),
    ("IBL_ISSUE_STOP.FLD_DMND_M1", 1),
    ("FLD_FILL_REQ.LFETCH", 1),
])
program("deferred", WARM + """
\tmovl r7 = data + 16384 ;;
\tlfetch.d4 [r7] ;;
""" + idle("idle4") + """
\tmovl r7 = data + 32768 ;;
\tlfetch [r7] ;;
""" + idle("idle5"), [
    # A page that no TLB knows, with hints that defer: it waits in the queue for its walk, and its line for the FLDTLB.
    ("FLD_HWPREF_INS.DTLB_MISS_LFETCH", 1),
    # And another whose hints make the pipeline wait, as for WARM's first load.
    ("DTLB_HPWHINT_BLK", 1),
    ("CYC_BE_WB2_REPLAY.BLK_HPW", 2 * 7),
    ("DTLB_HPWREQ_BLK_MISS.SUCCEED", 2),
    ("FLD_HWPREF_INS.FLDTLB_MISS_LFETCH", 2),
    ("FLDTLB_INS_REQ.NON_RETIRED", 1),
    ("FLD_FILL_REQ.LFETCH", 0),
    ("DATA_REF.LOAD_HPW", 3),
])
program("cancelled", WARM + """
\tadds r7 = 1024, r5 ;;
\tld8 r8 = [r7] ;;
\tst8 [r7] = r0 ;;
""" + idle("idle6"), [
    # The line that the load waits for is written before it comes to the FLD.
    ("FLD_FILL_CANCEL.INFAB", 1),
    ("FLD_HWPREF_INS.CANCEL_FILL", 1),
])
program("acquired", WARM + """
\tadds r7 = 1024, r5
\tadds r10 = 2048, r5 ;;
\tld8.acq r8 = [r7] ;;
\tld8 r9 = [r10] ;;
\tld8 r11 = [r5] ;;
""" + idle("idle7"), [
    # Behind the acquire: a load that misses, which is fetched ahead, and one that hits, which waits for it.
    ("FLD_HWPREF_INS.ACQ_PEND", 1),
    ("CYC_BE_WB2_REPLAY.LOAD_ACQ", 7),
])
program("switch", """
\tflushrs ;;
\tmov ar.rsc = 0 ;;
\tmov r4 = ar.bspstore ;;
\tmov ar.bspstore = r4 ;;
""" + idle("idle8"), [
    ("RETIRED_INST_M.MOVTOBSPST", 1),
    ("DPFQ_ENQ.MOV_BSPST", 1),
    ("DPFQ_DEQ.MOV_BSPST", 1),
])
program("special", WARM + """
\tmovl r4 = 0x9804c0270033f ;;
\tmov ar.fpsr = r4 ;;
\tfadd.s0 f7 = f1, f1 ;;
\tmov ar.rsc = 0 ;;
\tmov r4 = ar.rsc ;;
\tadds r4 = 0, r4 ;;
\thint.m 0 ;;
\thint.i 1 ;;
\tadds r10 = 8, r5 ;;
\tst8 [r10] = r4 ;;
\tmovl r4 = 0x000fffffffffffff ;;
\tst8 [r10] = r4 ;;
""" + idle("idle9") + """
\tldfd f8 = [r10] ;;
""" + idle("idle10") + """
\tfma.d.s0 f9 = f8, f1, f1 ;;
\tfmpy.d.s0 f9 = f8, f1 ;;
\tfsetc.s1 0x7f, 1 ;;
\tfmpy.d.s1 f9 = f8, f1 ;;
\tfc r10 ;;
""" + idle("idle11"), [
    # A pause replays, another hint does not.
    ("CYC_BE_WB2_REPLAY.PAUSE", 7),
    # An operation right behind a write of its status, and a read of a register just written.
    ("CYC_BE_EXE_REPLAY.FPSR", 4),
    ("CYC_BE_EXE_REPLAY.ARCR", 4),
    # A denormal double: the sum has to normalize it, the product has not.
    ("FP_DENORMAL", 1),
    # The product is tiny; so is the one of a status field that flushes to zero.
    ("FP_FLUSH_TO_ZERO.FTZ_POSS", 1),
    ("FP_FLUSH_TO_ZERO.FTZ_REAL", 1),
    ("CYC_BE_WB2_REPLAY.FP_DEN", 7),
    # The end asks the operating system.
    ("CPU_CPL_CHANGE.FROM3", 1),
    ("CPU_CPL_CHANGE.ANY", 2),
    # The line that fc flushes has been written.
    ("RIL_REQ_OTHER.WRTBCK_MLD_FC", 1),
    ("RIL_BL_WRITE.WLB", 1),
])
program("paused", times(50, "pause", "\thint.m 0 ;;\n"), [
    # Each would give the core to its other thread, which is halted.
    ("MT_BE_THRSW_DROP", (times(50, "pause", "\thint.m 1 ;;\n"), 50)),
])


def lines(used):
    """Four lines that no cache has; what comes is waited for if it is used."""
    return WARM + "\tadds r7 = 1024, r5 ;;\n" + "".join(
        f"\tld8 r8 = [r7] ;;\n\tadds r7 = 256, r7\n\tadds r9 = 0, {used} ;;\n" + idle(f"lines{i}") for i in range(4))


program("blocked", lines("r8"), [
    # As long as a line takes from memory the other thread could go on.
    ("MT_BE_THRSW_DROP", (lines("r0"), 4)),
])
program("shapes", "\tcmp.eq p7, p6 = r0, r0 ;;\n" + times(10, "shape", """
\t.balign 32
\t{ .bbb
(p6)\tbr.few shape_out
(p6)\tbr.few shape_out
\tnop.b 0 ;;
\t}
\t{ .mib
\tnop.m 0
\tnop.i 0
(p6)\tbr.few shape_out ;;
\t}
""") + "shape_out:\n", [
    # In each of ten rounds two branches of a bundle with one in slot 0; with the one of the other bundle they are too many for
    # the MLB.
    ("BR_ENC_PRED_DETAIL.ENC_ANY_PRED", 20),
    ("BR_ENC_PRED_DETAIL.OVRSUB_ANY_PRED", 30),
    ("BR_ENC_PRED_DETAIL.ENC_OVRSUB_ANY_PRED", 20),
])
program("replaced", WARM + "".join(f"\tld8.a r{8 + i} = [r5] ;;\n" for i in range(24)) +
        "".join(f"\tld8.a r{32 + i} = [r6] ;;\n" for i in range(8)) +
        "".join(f"\tldfd.a f{6 + i} = [r5] ;;\n" for i in range(5)) + "\tld8.a r32 = [r5] ;;\n", [
    # 37 registers, of which 32 have an entry; the last load finds its own.
    ("ALAT_ENTRY_REPLACED", 5),
])
program("frames", "\tmov r4 = 0 ;;\n" + times(6, "frame", """
\tmov dahr4 = 0 ;;
\tbr.call.sptk.few b0 = leaf ;;
""") + """
\tbr.few frames_out ;;
\t.balign 32
leaf:
\tbr.ret.sptk.few b0 ;;
frames_out:
""", [
    ("DAHS_UNDERFLOW", 0),
    # A write of hints, and a call, less than six cycles before a return, but for the first round, which waits for its bundles.
    ("CYC_BE_WB2_REPLAY.DAHR_HZRD", 7 * 5),
])
