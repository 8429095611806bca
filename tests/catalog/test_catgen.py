#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The generator refuses what it does not understand, with file:line; each row is one slip.

usage: test_catgen.py TOOLS-DIR
"""
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
from catgen_emit import emit_signal_ids, emit_tables  # noqa: E402
from catgen_load import load  # noqa: E402
from catgen_model import CatalogError  # noqa: E402

GOOD = {
    "signals/cbo.sig": 'signal cbo.lookup pulse read write "Look-ups"\n',
    "t/family": 'family t "T"\nclock uclk 1000\nbus 100000\nboxes cbo\npart p default cores=2\n',
    "t/cbo.box": '''box cbo x2 clock uclk "A box"
window pmon msr 0xe00 +0x10
reg CTL C{b}_CTL{i} pmon+0x1 x2 +1 32 role ctl
  31:8 umask rw 0 "M"
  7:0 ev_sel rw 0 "E"
reg CTR C{b}_CTR{i} pmon+0x8,0xa 64 role ctr
  63:48 rsv rv 0
  47:0 event_count rw 0 "C"
reg FILTER F{b} pmon+0x5 32 role filter
  31:0 state rw 0 "S" match bits state
event A 0x1 ctr 0-1 max 1 filter state "A"
  bit R 0x1 "R"
  umask ALL 0x3 "All"
event NEEDY 0x2 ctr 0 needs=state:0x1 "B"
  pick P needs=umask:|0x2 param=CTL.umask "P"
  pick Q message=Rd.Any "Q"
''',
    "t/cbo.bind": "A <- cbo.lookup\nA.R ? read | !write\n",
    "t/metrics": 'metric cbo M = A.R / A.ALL\n  "Mean"\n',
    "t/defaults": 'default all i = INST_RETIRED.ALL / cbo.A\n  "I"\n  unit "u"\n'
                  'default cbo n = A.R{state=2} / SECONDS\n  "Mean"\n  unit "u"\n',
    "t/packets": 'packet HOM0 0x1 Rd "Read"\nmessage Rd.Any match0 0 mask0 1 match1 0 mask1 0 "Any"\n',
    "t/linux": '''pmu cbox cbo x2 width 48 accepts 0xff cores init 0x1 0x3
  format event config:0-7,21
  event clockticks "event=0x1" scale 0.5 unit MiB
  only 0x3 0x1 0x2
  filter fields 0 FILTER
  part 0xff
  looks 0x1 0xff 0x1
''',
}

# (line of this file, file, text to replace, replacement, expected message)
ROWS = []


def row(name, old, new, message):
    ROWS.append((sys._getframe(1).f_lineno, name, old, new, message))


row("t/cbo.box", "  7:0 ev_sel", "  6:0 ev_sel", "t/cbo.box:5: field ev_sel starts at bit 6, expected 7")
row("t/cbo.box", "7:0 ev_sel", "7:1 ev_sel", "t/cbo.box:3: CTL ends with bits 0:0 not described")
row("t/cbo.box", "31:8 umask rw 0", "31:8 umask rx 0", "t/cbo.box:4: attribute rx, expected one of rw")
row("t/cbo.box", "31:8 umask rw 0", "31:8 umask rw 0x1000000", "t/cbo.box:4: reset value of umask does not fit")
row("t/cbo.box", ' rw 0 "M"', " rw 0", "t/cbo.box:4: field umask has no text")
row("t/cbo.box", '"M"', '"M."', "t/cbo.box:4: text ends with a full stop")
row("t/cbo.box", '"M"', '"' + "m" * 100 + '"', "t/cbo.box:4: text has 100 characters, at most 99")
row("t/cbo.box", "pmon+0x8,0xa", "pmon+0x8,0x1", "t/cbo.box:6: CTR of cbo0 lies on CTL of cbo0")
row("t/cbo.box", "pmon+0x8,0xa", "pmon+0x8", "t/cbo.box:1: 2 controls, but 1 counters")
row("t/cbo.box", "pmon+0x5", "other+0x5", "t/cbo.box:9: address 'other+0x5', expected a window of this box")
row("t/cbo.box", "32 role ctl", "31 role ctl", "t/cbo.box:3: width 31")
row("t/cbo.box", "role filter", "role sieve", "t/cbo.box:9: no role sieve; nearest: free")
row("t/cbo.box", "C{b}_CTL{i}", "C{b}_CTL", "t/cbo.box:3: an array needs {i} in the instance name")
row("t/cbo.box", "C{b}_CTL{i}", "C{c}_CTL{i}", "t/cbo.box:3: instance name 'C{c}_CTL{i}', expected sums")
row("t/cbo.box", "C{b}_CTL{i}", "C{b}_CTL{i/0}", "t/cbo.box:3: instance name 'C{b}_CTL{i/0}', expected sums")
row("t/cbo.box", "C{b}_CTL{i}", "C{b*8+}_CTL{i}", "t/cbo.box:3: instance name 'C{b*8+}_CTL{i}', expected sums")
row("t/cbo.box", '"E"\n', '"E"\n  value 0x100 "V"\n', "t/cbo.box:6: 0x100 does not fit field ev_sel")
row("t/cbo.box", '"E"\n', '"E"\n  value 1 "V"\n  value 1 "V"\n', "t/cbo.box:7: 0x1 of ev_sel stands twice")
row("t/cbo.box", '"E"\n', '"E"\n  layout o "O"\n', "t/cbo.box:6: layout o has no fields")
row("t/cbo.box", '"E"\n', '"E"\n  layout o "O"\n  32 a rw 0 "A"\n', "t/cbo.box:7: field a starts at bit 32, expected 31")
row("t/cbo.box", "msr 0xe00 +0x10", "msr 0xe00", "t/cbo.box:2: 1 bases for 2 boxes")
row("t/cbo.box", "msr 0xe00 +0x10", "mmio 0xe00 +0x10", "t/cbo.box:2: no space mmio, expected one of msr")
row("t/cbo.box", "needs=state:", "needs=stat:", "t/cbo.box:14: stat is the name of 0 fields of cbo")
row("t/cbo.box", "needs=state:0x1", "needs=state", "t/cbo.box:14: needs 'state', expected FIELD:VALUE")
row("t/cbo.box", "state:0x1", "state:0x100000000", "t/cbo.box:14: 0x100000000 does not fit field state")
row("t/cbo.box", "state:0x1", "state:2-1", "t/cbo.box:14: 2-1 does not fit field state")
row("t/cbo.box", "needs=umask:|0x2 ", "", "t/cbo.box:15: nothing picks P: it has no needs")
row("t/cbo.box", "param=CTL.umask", "param=CTR.umask", "t/cbo.box:15: CTR.umask is the name of 0 fields of cbo")
row("t/cbo.box", "param=CTL.umask", "param=CTL.umask:0x100000000", "t/cbo.box:15: 0x100000000 does not fit field CTL.umask")
row("t/cbo.box", "ctr 0 needs", "ctr 0 sub=CTL,CTX needs", "t/cbo.box:14: cbo has no register CTX")
row("t/cbo.box", "param=CTL.umask", "sub=CTL", "t/cbo.box:15: no key sub, expected one of src")
row("t/cbo.box", "match bits state", "match bits state preset 0x100000000",
    "t/cbo.box:10: preset of state does not fit")
row("t/cbo.box", "role filter", "role filter holds=match2", "t/cbo.box:9: holds match2, expected one of match0")
row("t/cbo.box", "window pmon msr", "ports x by 2\nwindow pmon msr", "t/cbo.box:2: ports is 'x', expected a number")
row("t/cbo.box", "window pmon msr", "ports 2 by evnt\nwindow pmon msr", "t/cbo.box:2: no field evnt in the control")
row("t/cbo.box", "message=Rd.Any", "message=Rd.All", "t/cbo.box:16: no message Rd.All")
row("t/cbo.box", "event A", 'event B 0x1 ctr 1 "B"\nevent A',
    "t/cbo.box:12: event code (1, 0, '', 1) stands already at line 11")
row("t/cbo.box", "clock uclk", "clock vclk", "t/cbo.box:1: no clock vclk, expected one of uclk")
row("t/family", "bus 100000\n", "", "t/family:1: the family has no bus")
row("t/cbo.box", "ctr 0-1", "ctr 0-2", "t/cbo.box:11: A names a counter that cbo has not")
row("t/cbo.box", "ctr 0-1 ", "", "t/cbo.box:11: event A has no ctr")
row("t/cbo.box", "ctr 0-1", "ctr 0-1 alias=B", "t/cbo.box:11: A is an alias of B, which cbo has not")
row("t/cbo.box", "max 1", "max 1 unit cycles", "t/cbo.box:11: unit cycles, expected one of events clocks entry-clocks")
row("t/cbo.box", "  bit R 0x1", "  bit R 0x1 unit clock", "t/cbo.box:12: unit clock, expected one of events clocks")
row("t/cbo.box", "max 1", "max 1 scale=64", "t/cbo.box:11: A counts events, but what drives it gives entry-clocks")
row("signals/cbo.sig", "pulse", "level", "t/cbo.box:11: A counts events, but what drives it gives clocks or entry-clocks")
row("t/cbo.bind", "A <- cbo.lookup\nA.R ? read | !write", "A <- clock",
    "t/cbo.box:11: A counts events, but what drives it gives clocks")
row("t/cbo.box", "filter state", "filter colour", "t/cbo.box:11: filter colour is no field with `match` of cbo")
row("t/cbo.box", "match bits state", "match some state", "t/cbo.box:10: no match some, expected one of eq")
row("t/cbo.box", "umask ALL 0x3", "umask R 0x3", "t/cbo.box:13: subevent of A R stands already at line 12")
row("t/cbo.box", "  bit R 0x1", "  bit R 0", "t/cbo.box:12: an OR-able mask of 0")
row("t/cbo.box", "  bit R 0x1", "\tbit R 0x1", "t/cbo.box:12: tab; indent with two spaces")
row("t/cbo.box", "  bit R", " bit R", "t/cbo.box:12: indent with two spaces, or not at all")
row("t/cbo.box", "event A", "evnet A", "t/cbo.box:11: no directive 'evnet'")
row("t/cbo.box", 'box cbo x2', "# no box line", "t/cbo.box:2: the first line must be `box`")
row("t/cbo.box", '"A box"', '"A b\u00f6x"', "t/cbo.box:1: not ASCII")
row("t/cbo.bind", "A.R ? read", "A.R ? red", "t/cbo.bind:2: signal lookup has no flag red, expected one of read write; nearest: read")
row("t/cbo.bind", "A.R ?", "A.X ?", "t/cbo.bind:2: A has no subevent X")
row("t/cbo.bind", "A <- cbo.lookup", "A <- cbo.look", "t/cbo.bind:1: no signal cbo.look is declared")
row("t/cbo.bind", "A <- cbo.lookup", "B <- cbo.lookup", "t/cbo.bind:1: cbo has no event B")
row("t/cbo.bind", "| !write", "|", "t/cbo.bind:2: empty alternative in the condition")
row("signals/cbo.sig", "cbo.lookup", "ha.lookup", "signals/cbo.sig:1: signal ha.lookup, expected cbo.name")
row("signals/cbo.sig", "read write", "read read", "signals/cbo.sig:1: at most 64 flags, each once")
row("signals/cbo.sig", " pulse ", " blip ", "signals/cbo.sig:1: expected: signal TYPE.NAME pulse|level")
row("t/family", "boxes cbo", "boxes cbo sbo", "sbo.box is missing")
row("t/family", "cores=2", "cores", "t/family:5: parameter 'cores', expected key=number")
row("t/family", 'family t "T"', 'family u "T"', "the family is not called t")
row("t/metrics", '  "Mean"\n', "", "t/metrics:1: metric M has no text")
row("t/defaults", "cbo.A\n", "A\n", "t/defaults:1: A needs a box type")
row("t/defaults", "cbo.A\n", "ha.A\n", "t/defaults:1: ha.A needs a box type")
row("t/defaults", "cbo.A\n", "cbo.X\n", "t/defaults:1: no event X in cbo")
row("t/defaults", "A.R", "A.X", "t/defaults:4: A has no subevent X")
row("t/defaults", "state=2", "sate=2", "t/defaults:4: cbo has no field sate")
row("t/defaults", "SECONDS", "MINUTES", "t/defaults:4: no event MINUTES in cbo")
row("t/defaults", "default cbo n", "default cbo i", "t/defaults:4: default i stands already at line 1")
row("t/defaults", "default cbo", "default ha", "t/defaults:4: no box type ha")
row("t/defaults", '  "I"\n', "", "t/defaults:1: default i has no text")
row("t/defaults", '  unit "u"\n', "", "t/defaults:1: default i has no unit")
row("t/defaults", "default all", "defaults all", "t/defaults:1: expected: default BOX NAME = EQUATION")
row("t/metrics", "metric cbo", "metric ha", "t/metrics:1: no box type ha")
row("t/linux", "pmu cbox", "pnu cbox", "t/linux:1: no directive pnu")
row("t/linux", "pmu cbox cbo", "pmu cbox sbo", "t/linux:1: no box type sbo")
row("t/linux", "pmu cbox cbo", "pmu Cbox cbo", "t/linux:1: PMU 'Cbox', expected a name in lower case")
row("t/linux", "x2 width", "x3 width", "t/linux:1: 3 boxes, cbo has 2")
row("t/linux", "width 48", "width 65", "t/linux:1: width 65")
row("t/linux", "width 48", "wide 48", "t/linux:1: expected: pmu NAME BOX xBOXES")
row("t/linux", "init 0x1 0x3", "init 0x1 x", "t/linux:1: value is 'x', expected a number")
row("t/linux", "cores init", "cores inits", "t/linux:1: do not understand inits")
row("t/linux", "config:0-7,21", "config:0-", "t/linux:2: expected: format NAME config:BITS")
row("t/linux", "config:0-7,21", "config3:0-7", "t/linux:2: expected: format NAME config:BITS")
row("t/linux", '"event=0x1"', '"evnt=0x1"', "t/linux:3: cbox has no format evnt")
row("t/linux", "scale 0.5 ", "", "t/linux:3: expected: event NAME")
row("t/linux", "only 0x3", "only 0", "t/linux:4: counters 0x0")
row("t/linux", "only 0x3 0x1 0x2", "only 0x3 0x1 0x1", "t/linux:4: a limit of only 0x1 stands already at line 4")
row("t/linux", "filter fields", "filter field", "t/linux:5: no filter field, expected one of fields bands match whole")
row("t/linux", "0 FILTER", "0 FILTERS", "t/linux:5: cbo has no register FILTERS")
row("t/linux", "0 FILTER", "0 FILTER FILTER FILTER", "t/linux:5: a filter fields has 1 to 2 registers")
row("t/linux", "filter fields 0 FILTER", "filter whole 1 FILTER", "t/linux:6: expected below a filter of fields")
row("t/linux", "looks 0x1", "looks 0x2", "t/linux:7: parts 0x2, cbox has 1")
row("t/linux", "looks 0x1 0xff 0x1", "looks 0x1 0xff 0x101", "t/linux:7: code 0x101 has bits outside of 0xff")
row("t/linux", "  part 0xff", "part 0xff", "t/linux:6: no directive part")
row("t/packets", "0x1 Rd", "Rd", "t/packets:1: expected: packet CLASS OPCODE NAME")


# A family that is like the one above: its own files, then slips in them.
LIKE = {
    "u/family": 'family u "U"\nlike t\nclock uclk 2000\nbus 100000\nboxes cbo\npart p default cores=1\n',
    "u/cbo.box": '''like t
window pmon msr 0xd00 +0x20
add event A
  bit S 0x4 "S"
without event NEEDY
event B 0x3 ctr 1 "B"
''',
    "u/cbo.bind": "like t\nA.S ? read write\n",
    "u/metrics": 'like t\nwithout metric cbo\nmetric cbo N = A.R / A.ALL\n  "Mean"\n',
}
LIKE_ROWS = []


def like(name, old, new, message):
    LIKE_ROWS.append((sys._getframe(1).f_lineno, name, old, new, message))


LIKE["u/cpu"] = '''stepping 1
emulator "E"
cpuid highest=1 address_bits=46
flags fpu
cache l1d kb=32 ways=8
cache l1i kb=32 ways=8
cache l2 kb=256 ways=8
socket 0x2b
leaf 1 any eax=1
'''
like("u/cpu", "socket 0x2b", "socket", "u/cpu:8: expected: socket NUMBER")
like("u/cpu", "socket 0x2b", "socket 0x2b\nsocket 0x2c", "u/cpu:9: socket of")
like("u/cpu", "stepping 1", "stepping 1 of x", "u/cpu:1: no part is called x...")
like("u/cpu", "stepping 1", "stepping 1\nstepping 2", "u/cpu:2: line stepping given twice")
like("u/cpu", "leaf 1 any", "leaf 1 some", "u/cpu:9: subleaf is 'some', expected a number or any")
like("u/cpu", "leaf 1 any", "leaf 1 any eax=2\nleaf 1 any", "u/cpu:10: leaf (1, None) given twice")
like("u/cpu", "flags fpu\n", "", "u/cpu has no line `flags`")
like("u/cpu", "cache l2 kb=256 ways=8\n", "", "u/cpu has no line `cache l2`")
like("u/cpu", "kb=256 ways=8", "kb=256", "u/cpu:7: ways= is missing")
like("u/family", "like t", "like v", "u/family:1: no family v, expected one of signals t u")
like("u/cbo.box", "like t\n", "like v\n", "v/cbo.box is missing")
like("u/cbo.box", "like t\n", "like\n", "u/cbo.box:1: expected: like FAMILY")
like("u/cbo.box", "add event A", "add event AA", "u/cbo.box:3: nothing to change: there is no event AA")
like("u/cbo.box", "without event NEEDY", "without event NEED", "u/cbo.box:5: nothing to change: there is no event NEED")
like("u/cbo.box", "bit S 0x4", "bit R 0x4", "u/cbo.box:4: subevent of A R stands already at line 12")
like("u/cbo.bind", "A.S ?", "without A\nA.S ?", "u/cbo.bind:3: bind A first")
like("u/metrics", "metric cbo\n", "metric ha\n", "u/metrics:2: nothing to change: there is no metric ha")
like("u/cbo.bind", "A.S ?", "A.X ?", "u/cbo.bind:2: A has no subevent X")


def write_tree(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def outcome(files):
    """What load says: "" or the message."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, files)
        try:
            load(root)
        except CatalogError as err:
            return str(err)
        return ""


def slips(good, rows):
    """How many of the rows do not end with their message."""
    failures = 0
    if outcome(good):
        print(f"{__file__}: the good catalogue is refused: {outcome(good)}")
        failures += 1
    for line, name, old, new, message in rows:
        if old not in good[name]:
            print(f"{__file__}:{line}: {old!r} is not in {name}")
            failures += 1
            continue
        got = outcome({**good, name: good[name].replace(old, new, 1)})
        if message not in got:
            print(f"{__file__}:{line}: got {got!r}, want {message!r}")
            failures += 1
    return failures


def overlaid():
    """What a family has that is like another, and the names of both."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, {**GOOD, **LIKE})
        families = load(root).families
        box = families[1].boxes[0]
        return ([f.name for f in families], [(e.name, [u.name for u in e.umasks]) for e in box.events],
                box.windows[0].bases, families[1].box_names, [m["name"] for m in families[1].metrics])


def main():
    failures = slips(GOOD, ROWS) + slips({**GOOD, **LIKE}, LIKE_ROWS)
    want = (["t", "u"], [("A", ["R", "ALL", "S"]), ("B", [])], [0xd00, 0xd20], ["cbo"], ["N"])
    if overlaid() != want:
        print(f"{__file__}: the family that is like another: {overlaid()}, want {want}")
        failures += 1
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, GOOD)
        catalog = load(root)
        wanted = [(emit_signal_ids(catalog), "#define CBO_LOOKUP_WRITE (UINT64_C(1) << 1)"),
                  (emit_tables(catalog), "{ .care = 2, .want = 0 }")]
        for text, part in wanted:
            if part not in text:
                print(f"{__file__}: {part!r} is missing in the output")
                failures += 1
    print(f"{len(ROWS) + len(LIKE_ROWS) + 5} checks, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
