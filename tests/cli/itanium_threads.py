# SPDX-License-Identifier: BSD-2-Clause
"""Programs for IA-64 with threads, which run on cores of their own, and their counts worked out by hand.

Each has two threads: `parent` goes on in the one that began, `child` in the other; the first waits for the end of the second.  They
share `flag` and `other`, lines of a page of their own, 2 KiB apart.
"""
from checks import here

THREADED = {}
COUNTS = []		# line, program, row, event, count

# CLONE_VM, FS, FILES, SIGHAND, THREAD, PARENT_SETTID, CHILD_CLEARTID.
START = """
\tmovl r32 = 0x350f00
\tmovl r33 = stack
\tmovl r34 = 65536
\tmovl r35 = id
\tmovl r36 = cleared
\tmov r37 = 0
\tmov r15 = 1213 ;;
\tbreak.i 0x100000 ;;
\tmovl r5 = flag
\tmovl r9 = other
\tmov r6 = 0
\tcmp.eq p6, p7 = 0, r8 ;;
(p6)\tbr child ;;
"""
JOIN = """
\tmovl r5 = cleared ;;
join:
\tld4 r34 = [r5] ;;
\tcmp4.eq p6, p7 = 0, r34
(p6)\tbr joined ;;
\tmov r32 = r5
\tmov r33 = 0
\tmov r35 = 0
\tmov r15 = 1230 ;;
\tbreak.i 0x100000 ;;
\tbr join ;;
child:
"""
END = """
\tmov r15 = 1025
\tmov r32 = 0 ;;
\tbreak.i 0x100000 ;;
\t.data
\t.balign 16384
flag:\t.skip 2048
other:\t.skip 14336
id:\t.skip 4096
cleared:
\tdata8 1
\t.balign 16384
stack:\t.skip 65536
\t.text
joined:
"""


def program(name, parent, child, counts):
    at = here(above=1)
    THREADED[name] = START + parent + JOIN + child + END
    for number, row in enumerate(counts):
        COUNTS.append((at, name, number, *row))


def wait_for(label, register):
    """Until flag is what the register holds."""
    return f"{label}:\n\tld8 r7 = [r5] ;;\n\tcmp.ne p6, p7 = r7, {register}\n(p6)\tbr {label} ;;\n"


def turns(label):
    """A hundred times: wait for r6, and store the next number."""
    return ("\tmov r3 = 99 ;;\n\tmov ar.lc = r3 ;;\n" + wait_for(label, "r6") +
            f"\tadds r7 = 1, r6\n\tadds r6 = 2, r6 ;;\n\tst8 [r5] = r7\n\tbr.cloop.sptk {label} ;;\n")


program("ping_pong", turns("parent"), "\tmov r6 = 1 ;;\n" + turns("answers"), [
    # 200 stores by turns.  The one that stores has read what the other stored: both have the line shared, and the store takes it from
    # the other's MLD and FLD; but for the first, which nobody has read yet.
    ("RIL_SNOOP_REQ.INVAL_SIBLING", 199),
    ("RIL_SNOOP_REQ.INVAL_ANY", 199),
    ("RIL_SNOOP_RESP.MLD_HIT_S", 199),
    ("FLD_SPEC_INVAL.SNOOP", 199),
    ("FLI_READ.SNOOP", 199),
    ("FLI_READ.SNOOP_HIT", 0),
    ("MLI_SNOOP_HIT", 0),
    ("M_ASYNC_OP_ISSUE.SNOOP", 199),
    # Each store but the last is read by the other, whose line is modified until then.
    ("RIL_SNOOP_RESP.MLD_HIT_M", 199),
    ("RIL_BL_WRITE.SLB", 199),
    ("LLC_REF_HIT.SNOOP_FWD", 199),
    # Beside that the child's walk for the page finds its line and buddy exclusive in the parent's MLD, and the buddy of flag.
    ("RIL_SNOOP_RESP.MLD_HIT_E", 3),
    ("RIL_SNOOP_REQ.DATA_SIBLING", 199 + 3),
    ("RIL_SNOOP_REQ.DATA_ANY", 199 + 3),
    ("M_ASYNC_OP_ISSUE.SNOOP_S", 199 + 3),
    ("LLC_REF_HIT.SNOOP", 199 + 3),
    ("RIL_SNOOP_RESP.MLD_MISS", 0),
    ("RIL_SNOOP_REQ.CODE_ANY", 0),
    ("RIL_SNOOP_REQ.INVAL_LLC_EVICT", 0),
    ("RIL_SNOOP_REQ.ANY", 2 * 199 + 3),
    ("MLD_ISSUE_SRC.SNOOP", 2 * 199 + 3),
])
# 128 bytes of their own that both execute and write: a routine, and words behind it.
ROUTINE = """
\t.section .both, "awx"
\t.balign 128
routine:
\tnop.m 0
\tnop.i 0
\tbr.ret.sptk.few b0 ;;
words:\t.skip 112
\t.text
"""
CALL = "\tbr.call.sptk.few b0 = routine ;;\n"
SET = "\tmov r7 = %d ;;\n\tst8 [r5] = r7 ;;\n"
program("patched", "\tmov r6 = 1 ;;\n" + wait_for("called", "r6") + "\tmovl r8 = words ;;\n\tst8 [r8] = r0 ;;\n\tmf ;;\n" + SET % 2,
        CALL + SET % 1 + "\tmov r6 = 2 ;;\n" + wait_for("patched", "r6") + ROUTINE, [
    # The child has fetched the routine and the line behind it, which the parent then stores to, and brings as its buddy.
    ("FLI_READ.SNOOP_HIT", 2),
    ("MLI_SNOOP_HIT", 2),
    ("RIL_SNOOP_RESP.MLD_MISS", 2),
    ("RIL_SNOOP_REQ.CODE_ANY", 0),
    # The child's store takes flag and its buddy from the parent, who waits for it; the parent's next one takes flag back.
    ("RIL_SNOOP_REQ.INVAL_SIBLING", 2 + 2 + 1),
    ("FLI_READ.SNOOP", 2 + 2 + 1),
])
program("fetched", "\tmovl r8 = words ;;\n\tst8 [r8] = r0 ;;\n\tmf ;;\n" + SET % 1 + "\tmov r6 = 2 ;;\n" + wait_for("called", "r6"),
        "\tmov r6 = 1 ;;\n" + wait_for("stored", "r6") + CALL + SET % 2 + ROUTINE, [
    # The parent has written the routine's line, and has the one behind it for itself; the child fetches both as code.
    ("RIL_SNOOP_REQ.CODE_SIBLING", 2),
    ("RIL_SNOOP_REQ.CODE_ANY", 2),
])
# As much as two cores do at once: 20000 rounds of one cycle each, and a flag at the end.
BUSY = "\tmovl r3 = 19999 ;;\n\tmov ar.lc = r3 ;;\n%s:\n\tbr.cloop.sptk %s ;;\n"
program("busy", BUSY % ("here", "here"), BUSY % ("there", "there"), [
    # One more behind each return of clone; the parent looks for the end twice, and goes back between.
    ("BR_PRED_DETAIL.IPREL_ANY_PRED", 2 * 20000 + 2 + 3),
])
# A load that is done ahead does not outlive another's store to its line, and does outlive one to another line.
program("advanced", "\tmov r6 = 1 ;;\n" + wait_for("ready", "r6") + "\tst8 [r9] = r6 ;;\n\tmf ;;\n" + SET % 2 +
        "\tmov r6 = 3 ;;\n" + wait_for("again", "r6") + "\tadds r8 = 512, r9 ;;\n\tst8 [r8] = r6 ;;\n\tmf ;;\n" + SET % 4,
        "\tld8.a r8 = [r9] ;;\n" + SET % 1 + "\tmov r6 = 2 ;;\n" + wait_for("stored", "r6") + "\tld8.c.nc r8 = [r9] ;;\n" + SET % 3 +
        "\tmov r6 = 4 ;;\n" + wait_for("stored2", "r6") + "\tld8.c.nc r8 = [r9] ;;\n", [
    ("DSPEC_CHKA_LDC.ANY", 2),
    ("DSPEC_CHKA_LDC_FAIL.INT", 1),
    ("DSPEC_LDC.HIT", 1),
])


def hands(label):
    """Twenty times: sleep until flag is r6, store the next number, and wake the other."""
    return ("\tmov r3 = 19 ;;\n\tmov ar.lc = r3 ;;\n" + f"""
{label}:
\tld8.acq r7 = [r5] ;;
\tcmp.eq p6, p7 = r7, r6
(p6)\tbr {label}_on ;;
\tmov r32 = r5
\tmov r33 = 0
\tmov r34 = r7
\tmov r35 = 0
\tmov r15 = 1230 ;;
\tbreak.i 0x100000 ;;
\tbr {label} ;;
{label}_on:
\tadds r7 = 1, r6
\tadds r6 = 2, r6 ;;
\tst8.rel [r5] = r7
\tmov r32 = r5
\tmov r33 = 1
\tmov r34 = 1
\tmov r15 = 1230 ;;
\tbreak.i 0x100000 ;;
\tbr.cloop.sptk {label} ;;
""")


# Each store is released once; a core that sleeps is halted.
program("handed", hands("parent"), "\tmov r6 = 1 ;;\n" + hands("answers"), [
    ("RETIRED_INST_M.REL", 2 * 20),
])
# Ten threads on eight cores: nine add a hundred times each, tell that they have, and end; the first yields until then.
MANY = """
\tmov r4 = 9 ;;
make:
\tmovl r33 = stacks
\tshl r34 = r4, 12 ;;
\tadd r33 = r33, r34
\tmovl r32 = 0x350f00
\tmov r34 = 4096
\tmovl r35 = id
\tmovl r36 = ended
\tmov r37 = 0
\tmov r15 = 1213 ;;
\tbreak.i 0x100000 ;;
\tmovl r5 = flag
\tmovl r9 = other
\tcmp.eq p6, p7 = 0, r8
(p6)\tbr adds ;;
\tadds r4 = -1, r4 ;;
\tcmp.ne p6, p7 = 0, r4
(p6)\tbr make ;;
all:
\tmov r15 = 1164 ;;
\tbreak.i 0x100000 ;;
\tld8.acq r7 = [r9] ;;
\tcmp.ne p6, p7 = 9, r7
(p6)\tbr all ;;
\tld8 r7 = [r5]
\tmovl r8 = 900
\tmov r32 = 0 ;;
\tcmp.ne p6, p7 = r7, r8 ;;
(p6)\tmov r32 = 1
\tmov r15 = 1236 ;;
\tbreak.i 0x100000 ;;
adds:
\tmov r3 = 99 ;;
\tmov ar.lc = r3 ;;
add:
\tfetchadd8.acq r7 = [r5], 1
\tbr.cloop.sptk add ;;
\tfetchadd8.rel r7 = [r9], 1
\tmov r32 = 0
\tmov r15 = 1025 ;;
\tbreak.i 0x100000 ;;
\t.data
\t.balign 16384
flag:\t.skip 2048
other:\t.skip 2048
id:\t.skip 2048
ended:\t.skip 2048
\t.balign 16384
stacks:\t.skip 65536
\t.text
"""
THREADED["many"] = MANY
COUNTS.append((here(), "many", 0, "DATA_REF.SEMAPHORE", 9 * 101))
