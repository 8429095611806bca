# SPDX-License-Identifier: BSD-2-Clause
"""The file `linux` of a family: how the uncore driver of Linux 6.1 shows its boxes and what it lets them count."""
import re

from catgen_model import Pmu, Text, read_lines, unique

FILTERS = "none fields bands match whole".split()
FORMAT = re.compile(r"^config[12]?:\d+(-\d+)?(,\d+(-\d+)?)*$")
NAME = re.compile(r"^[a-z][a-z0-9_]*$")


def parse_pmu(family, line, seen):
    """`pmu NAME BOX xBOXES width BITS accepts MASK [cores] [init VALUE...]`"""
    words = line.tokens[1:]
    if len(words) < 7 or words[3] != "width" or words[5] != "accepts" or not words[2].startswith("x"):
        line.fail("expected: pmu NAME BOX xBOXES width BITS accepts MASK [cores] [init VALUE...]")
    if not NAME.match(words[0]):
        line.fail(f"PMU {words[0]!r}, expected a name in lower case")
    unique(line, words[0], seen, "PMU")
    box = next(b for b in family.boxes if b.name == line.one_of("no box type", words[1], family.box_names))
    pmu = Pmu(line, words[0], box, line.number_at(words[2][1:], "number of boxes"), line.number_at(words[4], "width"),
              line.number_at(words[6], "mask"))
    if not 1 <= pmu.boxes <= box.count:
        line.fail(f"{pmu.boxes} boxes, {box.name} has {box.count}")
    if not 1 <= pmu.width <= 64:
        line.fail(f"width {pmu.width}")
    rest = words[7:]
    if rest and rest[0] == "cores":
        pmu.of_cores = bool(rest.pop(0))
    if rest:
        line.one_of("do not understand", rest[0], ["init"])
        pmu.inits = [line.number_at(word, "value") for word in rest[1:]]
    family.pmus.append(pmu)
    return pmu


def parse_format(pmu, line, words):
    if len(words) != 2 or not NAME.match(words[0]) or not FORMAT.match(words[1]):
        line.fail("expected: format NAME config:BITS")
    unique(line, words[0], pmu.seen, "format")
    pmu.formats.append((words[0], words[1]))


def parse_event(pmu, line, words):
    """`event NAME "VALUE" [scale FACTOR unit NAME]`"""
    if len(words) not in (2, 6) or not NAME.match(words[0]) or not isinstance(words[1], Text):
        line.fail('expected: event NAME "FORMAT=VALUE,..." [scale FACTOR unit NAME]')
    unique(line, "event " + words[0], pmu.seen, "an event")
    for term in words[1].split(","):
        line.one_of(f"{pmu.name} has no format", term.partition("=")[0], [name for name, _ in pmu.formats])
    scale = unit = ""
    if len(words) == 6:
        if words[2] != "scale" or words[4] != "unit":
            line.fail('expected: event NAME "FORMAT=VALUE,..." [scale FACTOR unit NAME]')
        scale, unit = words[3], words[5]
    pmu.events.append((words[0], str(words[1]), scale, unit))


def parse_only(pmu, line, words):
    """`only COUNTERS CODE...`: what these events are limited to, a bit for each counter."""
    if len(words) < 2:
        line.fail("expected: only COUNTERS CODE...")
    counters = line.number_at(words[0], "mask")
    if not 0 < counters < 1 << 16:
        line.fail(f"counters {counters:#x}")
    for word in words[1:]:
        code = line.number_at(word, "code")
        unique(line, f"only {code:#x}", pmu.seen, "a limit of")
        pmu.limits.append((code, counters))


def registers(pmu, line, words):
    names = [reg.name for reg in pmu.box.regs]
    return [names.index(line.one_of(f"{pmu.box.name} has no register", word, names)) for word in words]


def parse_filter(pmu, line, words):
    """`filter KIND NUMBER REGISTER...`: see docs/reference/catalogue.md."""
    if len(words) < 3 or pmu.filter != "none":
        line.fail("expected once: filter KIND NUMBER REGISTER...")
    pmu.filter = line.one_of("no filter", words[0], FILTERS[1:])
    pmu.filter_number = line.number_at(words[1], "number")
    pmu.filter_regs = registers(pmu, line, words[2:])
    most = {"fields": (1, 2), "bands": (1, 1), "match": (4, 4), "whole": (1, 1)}[pmu.filter]
    if not most[0] <= len(words) - 2 <= most[1]:
        line.fail(f"a filter {pmu.filter} has {most[0]} to {most[1]} registers")


def parse_part(pmu, line, words):
    """`part MASK`: bits of config1 that events share or do not share together; the first is part 0."""
    if len(words) != 1 or pmu.filter != "fields" or len(pmu.parts) == 8:
        line.fail("expected below a filter of fields, at most 8 times: part MASK")
    pmu.parts.append(line.number_at(words[0], "mask"))


def parse_looks(pmu, line, words):
    """`looks PARTS MASK CODE...`: events, of which config & MASK is one of CODE, look at these parts."""
    if len(words) < 3:
        line.fail("expected: looks PARTS MASK CODE...")
    parts, mask = line.number_at(words[0], "parts"), line.number_at(words[1], "mask")
    if not 0 < parts < 1 << len(pmu.parts):
        line.fail(f"parts {parts:#x}, {pmu.name} has {len(pmu.parts)}")
    for word in words[2:]:
        code = line.number_at(word, "code")
        if code & ~mask:
            line.fail(f"code {code:#x} has bits outside of {mask:#x}")
        unique(line, f"looks {mask:#x} {code:#x}", pmu.seen, "what looks at parts")
        pmu.looks.append((code, mask, parts))


OF_PMU = {"format": parse_format, "event": parse_event, "only": parse_only, "filter": parse_filter, "part": parse_part,
          "looks": parse_looks}


def parse_linux(catalog, family, path):
    seen, pmu = {}, None
    for line in read_lines(catalog, path):
        if line.indented and pmu:
            OF_PMU[line.one_of("no directive", line.tokens[0], OF_PMU)](pmu, line, line.tokens[1:])
        else:
            line.one_of("no directive", line.tokens[0], ["pmu"])
            pmu = parse_pmu(family, line, seen)


def add_pmus(tables, family, type0, reg0):
    """reg0: of each box type, by name, the index of its first register."""
    text = tables.strings
    for pmu in family.pmus:
        first = {name: tables.count("pmu_" + name) for name in ("formats", "events", "limits", "parts", "looks")}
        for name, bits in pmu.formats:
            tables.add("pmu_formats", name=text(name), bits=text(bits))
        for name, value, scale, unit in pmu.events:
            tables.add("pmu_events", name=text(name), value=text(value), scale=text(scale), unit=text(unit))
        for code, counters in pmu.limits:
            tables.add("pmu_limits", code=code, counters=counters)
        for mask in pmu.parts:
            tables.add("pmu_parts", value=mask)
        for code, mask, parts in pmu.looks:
            tables.add("pmu_looks", code=code, mask=mask, parts=parts)
        members = {"name": text(pmu.name), "type": type0 + family.box_names.index(pmu.box.name), "boxes": pmu.boxes,
                   "width": pmu.width, "of_cores": int(pmu.of_cores), "accepts": pmu.accepts,
                   "filter": FILTERS.index(pmu.filter), "filter_number": pmu.filter_number,
                   "filter_reg": [reg0[pmu.box.name] + n for n in pmu.filter_regs] or [0], "filter_regs": len(pmu.filter_regs),
                   "init0": tables.number_list(pmu.inits), "inits": len(pmu.inits)}
        for name, start in first.items():
            members[name[:-1] + "0"] = start
            members[name] = tables.count("pmu_" + name) - start
        tables.add("pmus", **members)
