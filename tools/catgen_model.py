# SPDX-License-Identifier: BSD-2-Clause
"""A box of the catalogue read into Python objects and checked; see docs/catalogue.md for the grammar."""
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r'"([^"]*)"|(\S+)')
# What may stand in the braces of an instance name: a sum of terms like b, b*8, i%2 or 7.
TERM = r"(?:[bi]|\d+)(?:[*/%][1-9]\d*)?"
BRACES = re.compile(rf"{{({TERM}(?:\+{TERM})*)}}")
NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_.]*$")
ROLES = ("plain box_ctl status ctl ctr fixed_ctl fixed_ctr filter free global_ctl global_status "
         "global_config ovf_ctl").split()
ATTRS = "rw rwv ro rov wo rw1c rv".split()
MATCHES = "none eq bits any flag ge".split()
SPACES = "msr pci csr pmc pmd".split()
HOLDS = "match0 mask0 match1 mask1 match mask".split()
KINDS = {"bit": 0, "umask": 1, "mixed": 2, "pick": 3}
TAGS = "addr opc nid tid state link nc isoc c6 freq".split()
# The engine's own names of fields, for `as`.
FIELDS = ("ev_sel ev_sel_ext umask thresh invert edge_det en ov_en rst tid_en frz rst_ctrs rst_ctrl ov "
          "ev_sel_alt occ_sel occ_invert occ_edge_det frz_all frz_pmi unfrz_all glb_en event_count lock").split()


class CatalogError(Exception):
    """A line that is not understood; the message starts with file:line."""


class Text(str):
    """A quoted token."""


@dataclass
class Line:
    path: str
    number: int
    indented: bool
    tokens: list
    raw: str

    def fail(self, why):
        raise CatalogError(f"{self.path}:{self.number}: {why}")

    def number_at(self, token, what):
        try:
            return int(token, 0)
        except ValueError:
            return self.fail(f"{what} is {token!r}, expected a number")


@dataclass
class Field:
    line: Line
    name: str
    hi: int
    lo: int
    attr: str
    reset: int = 0
    keep: bool = False
    gp: bool = False
    text: str = ""
    role: str = ""
    match: str = "none"
    tag: str = ""
    preset: object = None
    narrows: str = ""


@dataclass
class Reg:
    line: Line
    name: str
    pattern: str
    window: str
    offsets: list
    width: int
    role: str
    src: str
    narrows: str = ""
    holds: str = ""
    fields: list = field(default_factory=list)
    undriven: bool = False


@dataclass
class Need:
    """One `FIELD:VALUES` of `needs`: in each slot a register and a field, and what it must hold."""
    fields: list
    lo: int
    hi: int
    bits: bool


@dataclass
class Umask:
    line: Line
    kind: str
    name: str
    umask: int
    zero: int
    filters: list
    keys: str
    text: str
    conds: list = field(default_factory=list)
    undriven: bool = False


@dataclass
class Event:
    line: Line
    name: str
    code: int
    ext: int
    counters: int
    max_inc: object
    filters: list
    keys: str
    text: str
    umasks: list = field(default_factory=list)
    binding: str = "none"
    signal: object = None
    conds: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    undriven: bool = False


@dataclass
class Window:
    name: str
    space: str
    bus: str
    bases: list
    devices: list


@dataclass
class Box:
    line: Line
    name: str
    count: int
    clock: str
    text: str
    signals: str = ""           # of which box type's hardware its events are
    windows: list = field(default_factory=list)
    status: object = None
    sets: int = 1
    ports: int = 0
    port_by: object = None
    regs: list = field(default_factory=list)
    events: list = field(default_factory=list)

    def all_sets(self, mask):
        """A mask of counters within a set as a mask of the box's counters."""
        size = self.array("ctl") // self.sets
        return sum(mask << i * size for i in range(self.sets))

    def array(self, role):
        """How many elements the registers of a role have together."""
        return sum(len(r.offsets) for r in self.regs if r.role == role)

    def window(self, reg):
        return next(w for w in self.windows if w.name == reg.window)

    def counter_numbers(self):
        """Bits that `ctr` may have: 0 upwards within a set, or the numbers of the controls in pmc."""
        mask = (1 << self.array("ctl") // self.sets) - 1
        for reg in self.regs:
            window = self.window(reg)
            if reg.role == "ctl" and window.space == "pmc":
                mask = sum(1 << window.bases[0] + offset for offset in reg.offsets)
        return mask


@dataclass
class Signal:
    line: Line
    name: str
    level: bool
    flags: list
    text: str


@dataclass
class Family:
    line: Line
    name: str
    text: str
    source: str = ""
    clocks: list = field(default_factory=list)
    box_names: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    boxes: list = field(default_factory=list)
    metrics: list = field(default_factory=list)
    defaults: list = field(default_factory=list)
    packets: list = field(default_factory=list)
    messages: list = field(default_factory=list)


@dataclass
class Catalog:
    families: list = field(default_factory=list)
    signals: dict = field(default_factory=dict)
    files: list = field(default_factory=list)


def tokenize(line):
    """Split into words and quoted texts; '#' at the start of a word begins a comment."""
    tokens = []
    for match in TOKEN.finditer(line.raw):
        text, word = match.groups()
        if text is not None:
            tokens.append(Text(text))
        elif word.startswith("#"):
            break
        elif '"' in word:
            line.fail(f"stray quote in {word!r}")
        else:
            tokens.append(word)
    return tokens


def read_lines(catalog, path):
    """The lines of a file that say something."""
    catalog.files.append(path)
    with open(path, encoding="utf-8") as src:
        for number, raw in enumerate(src, 1):
            raw = raw.rstrip("\n")
            line = Line(path, number, raw.startswith("  "), [], raw)
            if not raw.isascii():
                line.fail("not ASCII")
            if "\t" in raw:
                line.fail("tab; indent with two spaces")
            line.tokens = tokenize(line)
            if not line.tokens:
                continue
            if raw.startswith(" ") and not line.indented:
                line.fail("indent with two spaces, or not at all")
            yield line


def check_text(line, text):
    if not isinstance(text, Text):
        line.fail(f"expected a quoted text, found {text!r}")
    if len(text) >= 100:
        line.fail(f"text has {len(text)} characters, at most 99")
    if text.endswith("."):
        line.fail("text ends with a full stop")
    return str(text)


def take_text(line, tokens):
    """The quoted text that ends a line."""
    if not tokens:
        line.fail("text missing at the end")
    return check_text(line, tokens.pop())


def unique(line, name, seen, what):
    if name in seen:
        line.fail(f"{what} {name} stands already at line {seen[name].number}")
    seen[name] = line


# ---------------------------------------------------------------- .box

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
    if space not in SPACES:
        line.fail(f"no space {space}, expected one of {' '.join(SPACES)}")
    bus, devices = "uncore", None
    if space == "pci" and rest[0] == "iio":
        bus = rest.pop(0)
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
    options, role = {"src": "", "narrows": "", "holds": ""}, "plain"
    while "=" in words[-1] and words[-1].partition("=")[0] in options:
        key, _, options[key] = words.pop().partition("=")
    if options["holds"] and options["holds"] not in HOLDS:
        line.fail(f"holds {options['holds']}, expected one of {' '.join(HOLDS)}")
    if len(words) > 2 and words[-2] == "role":
        role = words.pop()
        words.pop()
        if role not in ROLES:
            line.fail(f"no role {role}, expected one of {' '.join(ROLES)}")
    if len(words) not in (4, 6):
        line.fail("expected: reg TYPE INSTANCE WINDOW+OFFSET [xCOUNT +STEP] WIDTH [role ROLE] "
                  "[narrows=KEY,KEY] [holds=PART] [src=WORD]")
    name, pattern, where = words[:3]
    window, plus, offset = where.partition("+")
    if not plus or not any(w.name == window for w in box.windows):
        line.fail(f"address {where!r}, expected a window of this box and an offset")
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
    reg = Reg(line, name, pattern, window, offsets, width, role, **options)
    box.regs.append(reg)
    return reg


def parse_field(reg, line):
    words = list(line.tokens)
    match = re.match(r"^(\d+)(?::(\d+))?$", words[0])
    if not match or len(words) < 4:
        line.fail('expected: BITS NAME ATTR [keep] [gp] RESET ["text"] [as ROLE] [match KIND TAG] [preset N] '
                  '[narrows KEY,KEY]')
    hi = int(match[1])
    lo = int(match[2]) if match[2] is not None else hi
    if words[2] not in ATTRS:
        line.fail(f"attribute {words[2]}, expected one of {' '.join(ATTRS)}")
    entry = Field(line, words[1], hi, lo, words[2])
    words = words[3:]
    while words and words[0] in ("keep", "gp"):
        setattr(entry, words.pop(0), True)
    if not words:
        line.fail("reset value missing")
    entry.reset = line.number_at(words.pop(0), "reset value")
    if words and isinstance(words[0], Text):
        entry.text = check_text(line, words.pop(0))
    elif entry.attr != "rv":
        line.fail(f"field {entry.name} has no text")
    parse_field_tail(entry, line, words)
    expected = reg.fields[-1].lo - 1 if reg.fields else reg.width - 1
    if hi != expected:
        line.fail(f"field {entry.name} starts at bit {hi}, expected {expected}")
    if lo > hi:
        line.fail(f"field {entry.name} ends at bit {lo}, above its start")
    if entry.reset >> (hi - lo + 1):
        line.fail(f"reset value of {entry.name} does not fit")
    reg.fields.append(entry)


def parse_field_tail(entry, line, words):
    while words:
        if words[0] == "as" and len(words) >= 2 and words[1] in FIELDS:
            entry.role = words[1]
            words = words[2:]
        elif words[0] == "match" and len(words) >= 3 and words[1] in MATCHES and words[2] in TAGS:
            entry.match, entry.tag = words[1:3]
            words = words[3:]
        elif words[0] == "narrows" and len(words) >= 2:
            entry.narrows = words[1]
            words = words[2:]
        elif words[0] == "preset" and len(words) >= 2:
            entry.preset = line.number_at(words[1], "preset")
            if entry.preset >> (entry.hi - entry.lo + 1):
                line.fail(f"preset of {entry.name} does not fit")
            words = words[2:]
        else:
            line.fail(f"do not understand {' '.join(words)!r}")


def parse_options(line, words, allowed):
    """`max 2 filter a,b key=word` into a dict; `keys` collects the key=word pairs."""
    got = {"keys": []}
    while words:
        word = words.pop(0)
        if "=" in word and NAME.match(word.partition("=")[0]):
            got["keys"].append(word)
        elif word in allowed and words:
            if word in got:
                line.fail(f"{word} given twice")
            got[word] = words.pop(0)
        else:
            line.fail(f"do not understand {word!r}")
    got["keys"] = " ".join(got["keys"])
    return got


def split_list(options, key):
    return options[key].split(",") if key in options else []


def parse_event(box, line):
    words = line.tokens[1:]
    text = take_text(line, words)
    if len(words) < 4:
        line.fail('expected: event NAME CODE ctr LIST [max N] [ext N] [filter F,F] [key=word] "text"')
    name, code = words[0], line.number_at(words[1], "event code")
    options = parse_options(line, words[2:], ("ctr", "max", "ext", "filter"))
    if "ctr" not in options:
        line.fail(f"event {name} has no ctr")
    if not re.match(r"^[A-Za-z0-9_.]+$", name):
        line.fail(f"event name {name!r}")
    event = Event(line, name, code, line.number_at(options.get("ext", "0"), "ext"),
                  parse_ranges(line, options["ctr"]),
                  line.number_at(options["max"], "max") if "max" in options else None,
                  split_list(options, "filter"), options["keys"], text)
    box.events.append(event)
    return event


def parse_umask(event, line):
    words = list(line.tokens)
    text = take_text(line, words)
    if words[0] == "pick":
        words.insert(2, "0")
    if len(words) < 3:
        line.fail(f'expected: {words[0]} NAME MASK [zero MASK] [filter F,F] [key=word] "text"')
    kind, name = words[0], words[1]
    mask = line.number_at(words[2], "mask")
    options = parse_options(line, words[3:], ("zero", "filter"))
    zero = line.number_at(options.get("zero", "0"), "zero")
    if not re.match(r"^[A-Za-z0-9_.]+$", name):
        line.fail(f"subevent name {name!r}")
    if kind == "bit" and mask == 0:
        line.fail("an OR-able mask of 0")
    if mask & zero:
        line.fail("mask and zero overlap")
    if kind == "pick" and "needs=" not in options["keys"] and "message=" not in options["keys"]:
        line.fail(f"nothing picks {name}: it has no needs")
    event.umasks.append(Umask(line, kind, name, mask, zero, split_list(options, "filter"),
                              options["keys"], text))


def parse_status(box, line):
    words = line.tokens[1:]
    if len(words) != box.count:
        line.fail(f"{len(words)} status bits for {box.count} boxes")
    box.status = [None if w == "-" else line.number_at(w, "status bit") for w in words]


def parse_box(catalog, path):
    box = reg = event = None
    for line in read_lines(catalog, path):
        word = line.tokens[0]
        if line.indented:
            if word in KINDS and event:
                parse_umask(event, line)
            elif reg and event is None:
                parse_field(reg, line)
            else:
                line.fail(f"{word!r} belongs to nothing")
        elif word == "box":
            if box or len(line.tokens) != 6 or line.tokens[3] != "clock":
                line.fail('expected, once: box NAME xCOUNT clock NAME "text"')
            box = Box(line, line.tokens[1], line.number_at(line.tokens[2][1:], "count"),
                      line.tokens[4], check_text(line, line.tokens[5]))
        elif box is None:
            line.fail("the first line must be `box`")
        elif word == "window":
            parse_window(box, line)
        elif word == "status":
            parse_status(box, line)
        elif word == "sets" and len(line.tokens) == 2:
            box.sets = line.number_at(line.tokens[1], "sets")
            if box.sets < 1:
                line.fail("at least one set")
        elif word == "ports" and len(line.tokens) == 4 and line.tokens[2] == "by":
            box.ports, box.port_by = line.number_at(line.tokens[1], "ports"), line.tokens[3]
        elif word == "reg":
            reg, event = parse_reg(box, line), None
        elif word == "event":
            event = parse_event(box, line)
        else:
            line.fail(f"no directive {word!r}")
    if box is None:
        raise CatalogError(f"{path}:1: empty")
    check_box(box)
    return box


def check_alias(box, event):
    for key in event.keys.split():
        word, _, target = key.partition("=")
        if word == "alias" and not any(e.name == target and e is not event for e in box.events):
            event.line.fail(f"{event.name} is an alias of {target}, which {box.name} has not")


def check_box(box):
    seen = {}
    for reg in box.regs:
        unique(reg.line, reg.name, seen, "register")
        last = reg.fields[-1].lo if reg.fields else reg.width
        if last != 0:
            reg.line.fail(f"{reg.name} ends with bits {last - 1}:0 not described")
    if box.array("ctl") != box.array("ctr"):
        box.line.fail(f"{box.array('ctl')} controls, but {box.array('ctr')} counters")
    counters = box.array("ctl") // box.sets
    if counters * box.sets != box.array("ctl"):
        box.line.fail(f"{box.array('ctl')} counters are not {box.sets} equal sets")
    seen, codes = {}, {}
    for event in box.events:
        unique(event.line, event.name, seen, "event")
        if "alias=" not in event.keys:
            # The same code may mean another event on another counter.
            for counter in [c for c in range(32) if event.counters >> c & 1] or [None]:
                unique(event.line, (event.code, event.ext, event.keys, counter), codes, "event code")
        if counters and event.counters & ~box.counter_numbers():
            event.line.fail(f"{event.name} names a counter that {box.name} has not")
        masks = {}
        for umask in event.umasks:
            unique(umask.line, umask.name, masks, f"subevent of {event.name}")
        check_alias(box, event)


# ---------------------------------------------------------------- what a box names

def find_filter(box, name):
    """A filter field by its name: the register it lies in and the field."""
    for reg in box.regs:
        for entry in reg.fields:
            if entry.name == name and (entry.match != "none" or reg.role == "filter"):
                return reg, entry
    return None


def check_filters(box):
    for event in box.events:
        for owner in [event] + event.umasks:
            for name in owner.filters:
                if find_filter(box, name) is None:
                    owner.line.fail(f"filter {name} is no field with `match` of {box.name}")


def find_field(box, owner, name):
    """A field by its name, or by REGISTER.FIELD: the register and the field."""
    reg_name, dot, field_name = name.rpartition(".")
    found = [(r, f) for r in box.regs for f in r.fields
             if f.name == field_name and (not dot or r.name == reg_name) and f.attr != "rv"]
    if len(found) != 1:
        owner.line.fail(f"{name} is the name of {len(found)} fields of {box.name}")
    return found[0]


def parse_need(box, owner, word):
    """FIELD:N, FIELD:N-M or FIELD:|N; {s} in FIELD is the slot, 0 or 1, that the control selects."""
    name, colon, value = word.partition(":")
    bits = value.startswith("|")
    first, _, last = value.lstrip("|").partition("-")
    if not colon:
        owner.line.fail(f"needs {word!r}, expected FIELD:VALUE")
    lo = owner.line.number_at(first, name)
    hi = owner.line.number_at(last, name) if last else lo
    slots = [name.replace("{s}", slot) for slot in ("01" if "{s}" in name else "0")]
    need = Need([find_field(box, owner, slot) for slot in slots], lo, hi, bits)
    for _, entry in need.fields:
        if hi < lo or hi >> (entry.hi - entry.lo + 1):
            owner.line.fail(f"{value} does not fit field {entry.name}")
    return need


def key_words(owner, key):
    """The comma list behind `key=` of an event or subevent."""
    return [word for pair in owner.keys.split() if pair.startswith(key + "=")
            for word in pair[len(key) + 1:].split(",")]


def check_needs(box):
    for event in box.events:
        for owner in [event] + event.umasks:
            owner.needs = [parse_need(box, owner, w) for w in key_words(owner, "needs")]
            for name in key_words(owner, "rest"):
                find_field(box, owner, name)
            for word in key_words(owner, "param"):
                check_param(box, owner, word)
            for name in key_words(owner, "sub"):
                if not any(r.name == name for r in box.regs):
                    owner.line.fail(f"{box.name} has no register {name}")
    check_ports(box)


def check_param(box, owner, word):
    """FIELD or FIELD:N; N is what measuring sets when nobody says otherwise."""
    name, colon, value = word.partition(":")
    for slot in ("01" if "{s}" in name else "0"):
        _, entry = find_field(box, owner, name.replace("{s}", slot))
        if colon and owner.line.number_at(value, name) >> (entry.hi - entry.lo + 1):
            owner.line.fail(f"{value} does not fit field {name}")


def check_ports(box):
    """`ports N by STEP|FIELD`: the field is one of the control's."""
    if box.ports % box.sets:
        box.line.fail(f"{box.ports} ports for {box.sets} sets of counters")
    if box.ports and not box.port_by.isdigit() and not any(
            f.name == box.port_by for r in box.regs if r.role == "ctl" for f in r.fields):
        box.line.fail(f"no field {box.port_by} in the control")
