#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Misspelling any word of the catalogue stops the generator at its line, with the right word.

A small catalogue uses every key, flag, option and directive that there is, once at least.  Of each of its lines each
word that names something, rather than giving it its name, is misspelt in turn; nothing is passed over but remarks
and the equations of metrics.  Then the same is done to one use of each key in the real catalogue.

usage: test_words.py TOOLS-DIR CATALOG-DIR
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import catgen_box  # noqa: E402
import catgen_keys  # noqa: E402
import catgen_names  # noqa: E402
import catgen_pci  # noqa: E402
import catgen_product  # noqa: E402
from catgen_load import load  # noqa: E402
from catgen_model import ATTRS, KINDS, CatalogError  # noqa: E402

FILES = {
    "signals/cbo.sig": '''signal cbo.lookup pulse read write "Look-ups"
signal cbo.queue level deep "Entries"
''',
    "t/family": '''family t "T"
default
source "A manual"
clock uclk 1000
bus 100000
boxes cbo core
part p default sockets=1 cores=2 vmse=1
part q cores=4
''',
    "t/cbo.box": '''box cbo x2 clock uclk "A box"
window pmon msr 0xe00 +0x40
window conf pci iio D1:F0=0x1234 D2:F0
status 1 - fixed 3
sets 1
ports 2 by pt
uses link_match pmon_chain
rules sums by_signal
reg CTL C{b}_CTL{i} pmon+0x1 x2 +1 32 role ctl
  31:12 rsv rv 0
  11 pt rw 0 "P"
  10 inv rw keep gp 0 "I" as invert
  9:8 thresh rwv 0 "T" preset 1
  7:4 umask rw 0 "M"
  3:0 ev_sel rw 0 "E"
reg CTR C{b}_CTR{i} pmon+0x8,0xa 64 role ctr
  63:48 rsv rv 0
  47:0 event_count rw 0 "C"
reg FILTER F{b} pmon+0x5 32 role filter narrows=dar,dref holds=match src=linux
  31:8 state rw 0 "S" match bits state narrows iar
  7:0 lo rw 0 "A" match part addr+6
reg FREE_CTR R{b} pmon+0xc 32 role free counts=A.R thresh=1
  31:0 count ro 0 "N"
reg CONF X{b} conf+0x40 32
  31:0 id ro 7 "N"
  value 7 "Seven"
  layout other "In another mode"
  7:0 part ro 0 "P"
event A 0x1 ctr 0-1 max 1 unit events filter state by=packet,class part=vmse each=0x1 once area=LLC section=2.1 "A"
  bit R 0x1 within=ALL src=perfmon unit events "R"
  bit S 0x2 qualifies=others filter lo alone "S"
  mixed W 0x4 zero 0x2 note=odd "W"
  umask ALL 0x3 implied=0x2 alias=R "All"
event NEEDY 0x2 ext 0 ctr 0 needs=state:0x1 sub=FILTER choose=both also=OTHER occupancy=tally "B"
  pick P needs=CTL.umask:|0x2 param=CONF.id:1 "P"
  pick Q message=Rd.Any "Q"
  pick N needs=umask:1 nothing "N"
event SUM 0x3 ctr 0-1 unit entry-clocks scale=64 rest=FREE_CTR.count live=CONF.id "S"
event NAMED 0x4 ctr 0 mask=ignored reg=FREE_CTR within=A "N"
event FIXED 0x5 ctr 0 unit clocks counter=fixed within_other=A "F"
event CORE 0x6 ctr 0 mt=F iar=yes opc=no dar=some dref=no ipear_l=5 ipear_p=-2 param=lo "C"
event TWICE 0x6 ctr 0 alias=CORE "C"
''',
    "t/cbo.bind": '''A <- cbo.lookup
A.R ? read | !write
A.W none? write
SUM none<- cbo.queue ? deep
FIXED <- clock
FREE_CTR none
''',
    "signals/xcore.sig": '''signal xcore.request pulse read far "Requests"
value xcore.tsc "Clocks"
value xcore.ratio "Ratio"
''',
    "t/core.box": '''box core x1 clock uclk "A core"
window cpu cpu 0 +0
uses cpu
reg SEL SEL cpu+0x186 64 role ctl
  63:16 rsv rv gp 0
  15:8 umask rw 0 "M"
  7:0 ev_sel rw 0 "E"
reg CNT CNT cpu+0xc1 64 role ctr
  63:0 event_count rwv 0 "C"
reg WHOLE WHOLE cpu+0x4c1 64 role ctr_full
  63:0 event_count rwv 0 "C"
reg TSC TSC cpu+0x10 64 per=package write=gp
  63:0 clocks rov 0 "C"
reg RATIO RATIO cpu+0x20 64 per=core
  63:8 rsv rv 0
  7:0 ratio ro same 0 "R"
reg RSP RSP cpu+0x1a6 64
  63:2 rsv rv gp 0
  1 far rw 0 "F"
  0 near rw 0 "N"
event E 0x1 ctr 0 sub=RSP "E"
  bit R 0x1 ctr 0 "R"
''',
    "t/core.bind": '''signals xcore
TSC <- xcore.tsc
RATIO starts xcore.ratio
E <- xcore.request
E.R ? read
RSP.far takes supplier ? far
RSP.near takes request
''',
    "t/metrics": '''metric cbo M_NODEx = A.R / A.ALL
  "Mean"
  unit "ratio"
  each nodes
''',
    "t/defaults": '''default all i = INST_RETIRED.ALL / cbo.A
  "I"
  unit "u"
default cbo n = A.R{state=2} / SECONDS
  "Mean"
  unit "u"
''',
    "t/packets": '''packet HOM0 0x1 Rd "Read"
message Rd.Any match0 0 mask0 1 match1 0 mask1 0 "Any"
''',
    "t/pci": '''function iio D3:F0 0x10
function uncore D4:F0 0x11 x2 same cores 0
buses 0x10
odd 0x11
dword 0x10 0x40 node
''',
    "t/design": '''hardware xeon
core fill_buffers=10 super_queue=16 reorder=192 stores=42 l1_load=4 l2_load=12 locked=20
memory ddr4 fastest=3200 serial=8
links fastest=9600 transfers=4
uncore core_out=3 core_in=5 tag=5 hit=4 r3_out=1 r3_in=1
hitme 4096
limits cores=8 sockets=4
lacks vmse osb vna l0p erms
has clusters ring_at_core one_ring bridged
plays cbo as imc
''',
    "t/cpu": '''stepping 2
stepping 4 of p
socket 0x2b
socket 0x2c of q
microcode 0x49
energy 14
version " 0"
emulator "Haswell"
cpuid highest=0xf address_bits=46
flags fpu vme
cache l1d kb=32 ways=8
cache l1i kb=32 ways=8
cache l2 kb=256 ways=8
leaf 0x1 any own=apic eax=1 ebx=2 ecx=3 edx=4
leaf 0xb 0 own=x2apic
''',
    "t/likwid": '''device 1 D11:F1
''',
    "t/errata": '''erratum odd one_bit_at_a_time cbo "Odd"
erratum odder second_write cbo,core "Odder"
erratum oddest low_bits core "Oddest"
''',
    "t/names": '''called cbo perf=box json=UNC_C libpfm4=t_unc_cbo
alias likwid cbo OTHER* = A.* src=likwid
never pcm - core/ "Counted elsewhere"
lacks json cbo NEEDY A.R
''',
}

# Words of a line that are names given here, or that nothing else has to agree with; by the line's first word.
FREE = [
    (r"(?:signal|value) \w+\.(\w+)", "a name"), (r"signal \S+ \S+ (.*)$", "flags"), (r"(?:family|box|part|window|layout|event|bit|umask|mixed|pick) (\S+)", "a name"),
    (r"reg (\S+ \S+)", "names"), (r"clock (\S+) \d", "a name"), (r"(?:note|also|section)=(\S+)", "a remark"),
    (r"^  [\d:]+ (\S+)", "a name"), (r"metric \S+ (.*)$", "an equation"), (r"default (?:all|cbo) (\w+) =", "a name"),
    (r"packet (.*)$", "names"), (r"flags (.*)$", "names"), (r"erratum (\S+)", "a name"), (r"message (\S+)", "a name"), (r"source (.*)$", "a text"), (r"unit (\".*)$", "a text"),
    (r"(?:perf|json|libpfm4)=(\S+)", "a name"), (r"alias \S+ \S+ (\S+ = \S+)", "names"), (r"never \S+ \S+ (\S+)", "a name"),
    (r"(D\d+:F\d)", "an address"), (r"\b(\d\w*|x\d+)\b", "a number"), (r"(\"[^\"]*\")", "a text"),
]
WORD = re.compile(r"[A-Za-z_]\w*(?:-[a-z]+)*")
failed = checked = 0


def complain(why):
    global failed
    failed += 1
    print(why)


def free_spans(line):
    return [m.span(1) for pattern, _ in FREE for m in re.finditer(pattern, line)]


def words_of(line):
    """Words of a line that name something, with their places."""
    spans = free_spans(line)
    for m in WORD.finditer(line):
        if not any(a <= m.start() < b for a, b in spans):
            yield m.group(), m.start(), m.end()


def message(root):
    try:
        load(root)
    except CatalogError as err:
        return str(err)
    return ""


def misspell(root, name, number, start, end):
    """Misspell what stands there; the generator has to name file, line and the right word."""
    global checked
    path = os.path.join(root, name)
    with open(path, encoding="ascii") as src:
        text = src.read()
    lines = text.split("\n")
    line = lines[number - 1]
    word = line[start:end]
    lines[number - 1] = line[:end] + "q" + line[end:]
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines))
    got = message(root)
    checked += 1
    where = f"{path}:{number}: "
    right = re.search(r"nearest: (\S+)$", got)
    if not got.startswith(where):
        complain(f"{name}:{number}: {word}q: {got or 'accepted'}")
    elif not (right and word in WORD.findall(right[1])) and not re.search(rf"(expected|must be).*\b{word}\b", got):
        complain(f"{name}:{number}: {word}q: no word of {word!r} in {got!r}")
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def write_tree(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as out:
            out.write(text)


def check_small():
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, FILES)
        if message(root):
            complain(f"the small catalogue is refused: {message(root)}")
            return
        for name, text in FILES.items():
            for number, line in enumerate(text.split("\n"), 1):
                for word, start, end in words_of(line):
                    misspell(root, name, number, start, end)


def product_words():
    """Those of the files that tell what a product is."""
    p = catgen_product
    keys = [k for name, keys in vars(p).items() if name.endswith("_KEYS") for k in keys]
    return [*p.DESIGN, *p.CPU, *keys, *p.HARDWARE[1:2], *p.LACKS, *p.TRAITS, *p.CACHES, *p.OWN[1:], *p.MISBEHAVIOURS]


def check_all_used():
    """Does the small catalogue use every word that opens something?"""
    used = {w for text in FILES.values() for line in text.split("\n") for w in WORD.findall(line)}
    wanted = {*catgen_keys.EVENT_KEYS, *catgen_keys.UMASK_KEYS, *catgen_keys.REG_KEYS, *catgen_keys.EVENT_FLAGS,
              *catgen_keys.UMASK_FLAGS, *catgen_box.DIRECTIVES, *catgen_box.TAIL, *catgen_box.IN_REGISTER, *catgen_pci.DIRECTIVES, *catgen_names.DIRECTIVES, "called", *KINDS,
              *product_words(),
              *(w for _, _, options in catgen_keys.WORDS.values() for w in options), "same", "cores", "rw", "ro", "rv"}
    for word in sorted(wanted - used):
        complain(f"the small catalogue does not use {word}")
    if not {"rw", "ro"} <= set(ATTRS):
        complain("rw and ro are attributes no more")


def is_like_another(folder):
    path = os.path.join(folder, "family")
    if not os.path.exists(path):
        return False
    with open(path, encoding="ascii") as src:
        return any(line.startswith("like ") for line in src)


def check_real(catalog):
    """One use of each key in the catalogue itself."""
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(os.path.join(catalog, "signals"), os.path.join(root, "signals"))
        seen, rows = set(), []
        for family in sorted(os.listdir(catalog)):
            folder = os.path.join(catalog, family)
            if is_like_another(folder):     # which is not there below, where each is alone
                continue
            for name in sorted(os.listdir(folder)):
                if not name.endswith(".box"):
                    continue
                with open(os.path.join(folder, name), encoding="ascii") as src:
                    for number, line in enumerate(src, 1):
                        bare = re.sub(r'"[^"]*"', lambda m: "." * len(m[0]), line).partition("#")[0]
                        for m in re.finditer(r" ([a-z_0-9]+)=", bare):
                            kind = bare.split()[0]
                            if (kind, m[1]) not in seen and not m[1].startswith("0x"):
                                seen.add((kind, m[1]))
                                rows.append((family, name, number, m.start(1), m.end(1)))
        for family in sorted({row[0] for row in rows}):
            shutil.copytree(os.path.join(catalog, family), os.path.join(root, family))
            for _, name, number, start, end in [row for row in rows if row[0] == family]:
                misspell(root, os.path.join(family, name), number, start, end)
            shutil.rmtree(os.path.join(root, family))


def main():
    check_all_used()
    check_small()
    check_real(sys.argv[2])
    print(f"{checked} words, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
