# SPDX-License-Identifier: BSD-2-Clause
"""The file `names` of a family: what other tools call its boxes and events."""
from catgen_keys import SOURCES
from catgen_model import check_text, read_lines, unique

TOOLS = "perf json libpfm4 likwid pcm".split()
ALL = "-"           # in place of a box: of none


def parse_called(family, line):
    """`called BOX TOOL=NAME[,NAME]...`"""
    words = line.tokens[1:]
    if len(words) < 2:
        line.fail("expected: called BOX TOOL=NAME ...")
    line.one_of("no box type", words[0], family.box_names)
    got = family.called.setdefault(words[0], {})
    for word in words[1:]:
        tool, _, name = word.partition("=")
        line.one_of("no tool", tool, TOOLS)
        if not name or tool in got:
            line.fail(f"{tool} given twice" if name else f"{tool} has no name")
        got[tool] = name


def parse_head(family, line, seen):
    """TOOL BOX NAME of a line about one name."""
    words = line.tokens
    if len(words) < 5:
        line.fail(f"expected: {words[0]} TOOL BOX NAME ...")
    tool, box, name = words[1:4]
    line.one_of("no tool", tool, TOOLS)
    line.one_of("no box type", box, [*family.box_names, ALL])
    unique(line, (tool, box, name.upper()), seen, "a name")
    return {"tool": tool, "box": None if box == ALL else box, "name": str(name)}


def parse_alias(family, line, seen):
    row = parse_head(family, line, seen)
    words = line.tokens[4:]
    if words[0] != "=" or len(words) < 2:
        line.fail("expected: alias TOOL BOX NAME = TARGET [src=SOURCE]")
    row["to"] = str(words[1])
    for word in words[2:]:
        key, _, value = word.partition("=")
        if key != "src":
            line.unknown(f"do not understand {word!r}", word, ["src="])
        line.one_of("src", value, SOURCES)
    if row["name"].endswith("*") != row["to"].endswith("*"):
        line.fail("name and target both end with *, or neither does")
    family.aliases.append(row | {"kind": "is"})


def parse_never(family, line, seen):
    row = parse_head(family, line, seen)
    if len(line.tokens) != 5:
        line.fail('expected: never TOOL BOX NAME "reason"')
    family.aliases.append(row | {"to": check_text(line, line.tokens[4]), "kind": "never"})


def parse_lacks(family, line, seen):
    """`lacks TOOL BOX EVENT[.SUBEVENT]...`: the tool has no such name, where a rule would make one."""
    words = line.tokens
    if len(words) < 4:
        line.fail("expected: lacks TOOL BOX EVENT...")
    tool = line.one_of("no tool", words[1], TOOLS)
    box = next(b for b in family.boxes if b.name == line.one_of("no box type", words[2], family.box_names))
    known = {e.name for e in box.events} | {f"{e.name}.{u.name}" for e in box.events for u in e.umasks}
    for name in words[3:]:
        if name not in known:
            line.unknown(f"{box.name} has no event {name}", name, known)
        unique(line, ("lacks", tool, box.name, name), seen, "a missing name")
        family.aliases.append({"tool": tool, "box": box.name, "name": name, "to": "", "kind": "lacks"})


KINDS = "is never lacks".split()
DIRECTIVES = {"alias": parse_alias, "never": parse_never, "lacks": parse_lacks}


def parse_names(catalog, family, path):
    seen = {}
    for line in read_lines(catalog, path):
        if line.tokens[0] == "called":
            parse_called(family, line)
        else:
            DIRECTIVES[line.one_of("no directive", line.tokens[0], [*DIRECTIVES, "called"])](family, line, seen)
