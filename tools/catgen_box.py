# SPDX-License-Identifier: BSD-2-Clause
"""A .box file read: registers with their fields, events with their subevents."""
import re

from catgen_check import check_box
from catgen_keys import REG_KEYS, SCOPES, parse_options, several, take_key
from catgen_model import (ATTRS, BRACES, FIELDS, KINDS, MATCHES, MECHANISMS, ROLES, RULES, SPACES, TAGS, UNITS, Box,
                          CatalogError, Event, Field, Layout, Reg, Text, Umask, Window, check_text, read_lines, take_text)


def parse_ranges(line, text):
    if text.startswith("0x"):
        return line.number_at(text, "counter mask")
    mask = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        lo = line.number_at(first, "counter")
        hi = line.number_at(last, "counter") if last else lo
        if hi < lo or hi > 31:
            line.fail(f"counter range {part}")
        for i in range(lo, hi + 1):
            mask |= 1 << i
    return mask


def parse_base(line, space, token):
    if space != "pci":
        return line.number_at(token, "base")
    match = re.match(r"^D(\d+):F(\d)(=0x[0-9a-fA-F]{4})?$", token)
    if not match:
        line.fail(f"base {token!r}, expected D<device>:F<function>, with =0x<device id> if known")
    return int(match[1]) << 3 | int(match[2])


def device_id(token):
    """The PCI device id of a base written D8:F2=0x2f32, or None."""
    _, _, text = token.partition("=")
    return int(text, 16) if text else None


def parse_window(box, line):
    words = line.tokens[1:]
    if len(words) < 3:
        line.fail("expected: window NAME SPACE BASE...")
    name, space = words[0], words[1]
    rest = words[2:]
    line.one_of("no space", space, SPACES)
    bus, devices = "uncore", None
    if space == "pci" and not rest[0].startswith("D"):
        bus = line.one_of("no bus", rest.pop(0), ["iio"])
    if len(rest) == 2 and rest[1].startswith("+"):
        base, step = parse_base(line, space, rest[0]), line.number_at(rest[1][1:], "step")
        bases = [base + i * step for i in range(box.count)]
    else:
        bases = [parse_base(line, space, r) for r in rest]
        if space == "pci":
            devices = [device_id(r) for r in rest]
    if len(bases) != box.count:
        line.fail(f"{len(bases)} bases for {box.count} boxes")
    if any(w.name == name for w in box.windows):
        line.fail(f"window {name} stands twice")
    box.windows.append(Window(name, space, bus, bases, devices))


def parse_reg(box, line):
    words = line.tokens[1:]
    values, role = {}, "plain"
    while "=" in words[-1]:
        take_key(line, words.pop(), REG_KEYS, values)
    if len(words) > 2 and not words[-1].isdigit():
        line.one_of("do not understand", words[-2], ["role"])
        role = line.one_of("no role", words.pop(), ROLES)
        words.pop()
    if len(words) not in (4, 6):
        line.fail("expected: reg TYPE INSTANCE WINDOW+OFFSET [xCOUNT +STEP] WIDTH [role ROLE] [key=value ...]")
    name, pattern, where = words[:3]
    window, plus, offset = where.partition("+")
    if not plus or not any(w.name == window for w in box.windows):
        line.unknown(f"address {where!r}, expected a window of this box and an offset", window,
                     [w.name for w in box.windows])
    offsets = [line.number_at(o, "offset") for o in offset.split(",")]
    if len(words) == 6:
        if len(offsets) != 1 or not words[3].startswith("x") or not words[4].startswith("+"):
            line.fail("an array is one offset, xCOUNT +STEP")
        count, step = line.number_at(words[3][1:], "count"), line.number_at(words[4][1:], "step")
        offsets = [offsets[0] + i * step for i in range(count)]
    width = line.number_at(words[-1], "width")
    if width not in (8, 16, 32, 64):
        line.fail(f"width {width}")
    if "," in pattern and len(pattern.split(",")) != len(offsets):
        line.fail(f"{len(pattern.split(','))} names for {len(offsets)} elements")
    if "{" in BRACES.sub("", pattern):
        line.fail(f"instance name {pattern!r}, expected sums of b, i and numbers in braces")
    if len(offsets) > 1 and "," not in pattern and not any("i" in b for b in BRACES.findall(pattern)):
        line.fail("an array needs {i} in the instance name")
    if "thresh" in values and "counts" not in values or "counts" in values and role != "free":
        line.fail("`counts` belongs to role free, and `thresh` to `counts`")
    reg = Reg(line, name, pattern, window, offsets, width, role, values)
    box.regs.append(reg)
    return reg


def parse_layout(reg, line):
    """`layout NAME "when"`: the fields that follow describe the register once more."""
    if len(line.tokens) != 3:
        line.fail('expected: layout NAME "when"')
    reg.layouts.append(Layout(line, line.tokens[1], check_text(line, line.tokens[2])))


def parse_value(reg, line):
    """`value N "text"`: what the field above means when it is N."""
    fields = (reg.layouts[-1] if reg.layouts else reg).fields
    if len(line.tokens) != 3 or not fields:
        line.fail('expected, behind a field: value N "text"')
    value, entry = line.number_at(line.tokens[1], "value"), fields[-1]
    if value >> (entry.hi - entry.lo + 1):
        line.fail(f"{value:#x} does not fit field {entry.name}")
    if any(value == v for v, _ in entry.values):
        line.fail(f"{value:#x} of {entry.name} stands twice")
    entry.values.append((value, check_text(line, line.tokens[2])))


IN_REGISTER = {"layout": parse_layout, "value": parse_value}


def parse_field(reg, line):
    if line.tokens[0] in IN_REGISTER:
        IN_REGISTER[line.tokens[0]](reg, line)
        return
    words = list(line.tokens)
    fields = (reg.layouts[-1] if reg.layouts else reg).fields
    match = re.match(r"^(\d+)(?::(\d+))?$", words[0])
    if words[0].isalpha():
        line.unknown(f"do not understand {words[0]!r}", words[0], IN_REGISTER)
    if not match or len(words) < 4:
        line.fail('expected: BITS NAME ATTR [keep] [gp] [same] RESET ["text"] [as ROLE] [match KIND TAG] [preset N] '
                  '[narrows KEY,KEY]')
    hi = int(match[1])
    lo = int(match[2]) if match[2] is not None else hi
    line.one_of("attribute", words[2], ATTRS)
    entry = Field(line, words[1], hi, lo, words[2])
    words = words[3:]
    while words and words[0] in FLAGS:
        setattr(entry, words.pop(0), True)
    if not words:
        line.fail("reset value missing")
    if words[0].isalpha():
        line.unknown(f"reset value is {words[0]!r}, expected a number", words[0], FLAGS)
    entry.reset = line.number_at(words.pop(0), "reset value")
    if words and isinstance(words[0], Text):
        entry.text = check_text(line, words.pop(0))
    elif entry.attr != "rv":
        line.fail(f"field {entry.name} has no text")
    parse_field_tail(entry, line, words)
    expected = fields[-1].lo - 1 if fields else reg.width - 1
    # Another layout has only what differs.
    if hi > expected or hi < expected and not reg.layouts:
        line.fail(f"field {entry.name} starts at bit {hi}, expected {expected}")
    if lo > hi:
        line.fail(f"field {entry.name} ends at bit {lo}, above its start")
    if entry.reset >> (hi - lo + 1):
        line.fail(f"reset value of {entry.name} does not fit")
    fields.append(entry)


FLAGS = ["keep", "gp", "same"]
TAIL = {"as": 2, "match": 3, "narrows": 2, "preset": 2}     # words of each


def parse_field_tail(entry, line, words):
    while words:
        word, count = words[0], TAIL.get(words[0])
        if count is None:
            line.unknown(f"do not understand {' '.join(words)!r}", word, TAIL)
        if len(words) < count:
            line.fail(f"{word} ends too early")
        if word == "as":
            entry.role = line.one_of("no field of the engine is called", words[1], FIELDS)
        elif word == "match":
            parse_match(entry, line, words[1], words[2])
        elif word == "narrows":
            entry.narrows = several(SCOPES)(line, "narrows", words[1])
        else:
            entry.preset = line.number_at(words[1], "preset")
            if entry.preset >> (entry.hi - entry.lo + 1):
                line.fail(f"preset of {entry.name} does not fit")
        words = words[count:]


def parse_match(entry, line, kind, tag):
    """`match KIND TAG`; `match part TAG+BIT`: the field is the tag from that bit on."""
    tag, plus, bit = tag.partition("+")
    entry.match = line.one_of("no match", kind, MATCHES[1:])
    entry.tag = line.one_of("no tag", tag, TAGS)
    if bool(plus) != (kind == "part"):
        line.fail(f"`match {kind}` of {tag}: a bit stands behind the tag for `part`, and only there")
    entry.part = line.number_at(bit, "bit") if plus else 0


def split_list(options, key):
    return options[key].split(",") if key in options else []


def take_unit(line, options, default):
    return line.one_of("unit", options.get("unit", default), UNITS)


def parse_event(box, line):
    words = line.tokens[1:]
    text = take_text(line, words)
    if len(words) < 4:
        line.fail('expected: event NAME CODE ctr LIST [max N] [unit WORD] [ext N] [filter F,F] [key=word] "text"')
    name, code = words[0], line.number_at(words[1], "event code")
    options, values, keys = parse_options(line, words[2:], "event")
    if "ctr" not in options:
        line.fail(f"event {name} has no ctr")
    if not re.match(r"^[A-Za-z0-9_.]+$", name):
        line.fail(f"event name {name!r}")
    event = Event(line, name, code, line.number_at(options.get("ext", "0"), "ext"),
                  parse_ranges(line, options["ctr"]),
                  line.number_at(options["max"], "max") if "max" in options else None,
                  take_unit(line, options, "events"),
                  split_list(options, "filter"), keys, values, text)
    box.events.append(event)
    return event


def parse_umask(event, line):
    words = list(line.tokens)
    text = take_text(line, words)
    if words[0] == "pick":
        words.insert(2, "0")
    if len(words) < 3:
        line.fail(f'expected: {words[0]} NAME MASK [zero MASK] [ctr LIST] [unit WORD] [filter F,F] [key=word] "text"')
    kind, name = words[0], words[1]
    mask = line.number_at(words[2], "mask")
    options, values, keys = parse_options(line, words[3:], "umask")
    zero = line.number_at(options.get("zero", "0"), "zero")
    if not re.match(r"^[A-Za-z0-9_.]+$", name):
        line.fail(f"subevent name {name!r}")
    if kind == "bit" and mask == 0:
        line.fail("an OR-able mask of 0")
    if mask & zero:
        line.fail("mask and zero overlap")
    if kind == "pick" and "needs" not in values and "message" not in values:
        line.fail(f"nothing picks {name}: it has no needs")
    counters = parse_ranges(line, options["ctr"]) if "ctr" in options else 0
    if counters & ~event.counters:
        line.fail(f"{name} names a counter that {event.name} has not")
    event.umasks.append(Umask(line, kind, name, mask, zero, take_unit(line, options, event.unit),
                              split_list(options, "filter"), keys, values, text, counters))


def parse_status(box, line):
    words = line.tokens[1:]
    if len(words) > 2 and not words[-2].isdigit() and words[-2] != "-":
        line.one_of("do not understand", words[-2], ["fixed"])
        box.fixed_status = line.number_at(words.pop(), "status bit")
        words.pop()
    if len(words) != box.count:
        line.fail(f"{len(words)} status bits for {box.count} boxes")
    box.status = [None if w == "-" else line.number_at(w, "status bit") for w in words]


def parse_sets(box, line):
    if len(line.tokens) != 2:
        line.fail("expected: sets COUNT")
    box.sets = line.number_at(line.tokens[1], "sets")
    if box.sets < 1:
        line.fail("at least one set")


def parse_ports(box, line):
    words = line.tokens
    if len(words) != 4 or words[2] != "by":
        line.unknown("expected: ports COUNT by STEP|FIELD", words[2] if len(words) > 2 else "", ["by"])
    box.ports, box.port_by, box.port_line = line.number_at(words[1], "ports"), words[3], line


def parse_uses(box, line):
    box.uses = [line.one_of("no mechanism", w, MECHANISMS) for w in line.tokens[1:]]


def parse_rules(box, line):
    box.rules = [line.one_of("no rule", w, RULES) for w in line.tokens[1:]]


DIRECTIVES = {"window": parse_window, "status": parse_status, "sets": parse_sets, "ports": parse_ports,
              "uses": parse_uses, "rules": parse_rules}


def new_box(line):
    if len(line.tokens) != 6 or line.tokens[3] != "clock":
        line.fail('expected, once: box NAME xCOUNT clock NAME "text"')
    return Box(line, line.tokens[1], line.number_at(line.tokens[2][1:], "count"), line.tokens[4],
               check_text(line, line.tokens[5]))


def parse_box(catalog, path):
    box = reg = event = None
    for line in read_lines(catalog, path):
        word = line.tokens[0]
        if line.indented:
            if event:
                line.one_of("no kind of subevent", word, KINDS)
                parse_umask(event, line)
            elif reg:
                parse_field(reg, line)
            else:
                line.fail(f"{word!r} belongs to nothing")
        elif box is None:
            if word != "box":
                line.fail("the first line must be `box`")
            box = new_box(line)
        elif word == "reg":
            reg, event = parse_reg(box, line), None
        elif word == "event":
            event = parse_event(box, line)
        elif word in DIRECTIVES:
            DIRECTIVES[word](box, line)
        else:
            line.unknown(f"no directive {word!r}", word, ["reg", "event", *DIRECTIVES])
    if box is None:
        raise CatalogError(f"{path}:1: empty")
    check_box(box)
    return box
