# SPDX-License-Identifier: BSD-2-Clause
"""What the catalogue is made of, and the words of its lines; docs/reference/catalogue.md has the grammar."""
import os
import re
from dataclasses import dataclass, field

from catgen_like import overlay

TOKEN = re.compile(r'"([^"]*)"|(\S+)')
# What may stand in the braces of an instance name: a sum of terms like b, b*8, i%2 or 7.
TERM = r"(?:[bi]|\d+)(?:[*/%][1-9]\d*)?"
BRACES = re.compile(rf"{{({TERM}(?:\+{TERM})*)}}")
NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_.]*$")
ROLES = ("plain box_ctl status ctl ctr fixed_ctl fixed_ctr filter free global_ctl global_status "
         "global_config ovf_ctl ctr_full").split()
ATTRS = "rw rwv ro rov wo rw1c rv".split()
MATCHES = "none eq bits any flag ge part".split()
SPACES = "msr pci csr pmc pmd cpu".split()
# Those in which each thread has registers of its own, at the same addresses.
THREAD_SPACES = "pmc pmd cpu".split()
# Who shares a register of `cpu`.
SHARED_BY = "thread core package".split()
# What a set field of a register takes: of each of these that one of the register's fields speaks of, one has to.
TAKES = "request supplier snoop".split()
HOLDS = "none match0 mask0 match1 mask1 match mask".split()
KINDS = {"bit": 0, "umask": 1, "mixed": 2, "pick": 3}
UNITS = "events clocks entry-clocks".split()
TAGS = "addr opc nid tid state link nc isoc c6 freq".split()
# The engine's own names of fields, for `as`.
FIELDS = ("ev_sel ev_sel_ext umask thresh invert edge_det en ov_en rst tid_en frz rst_ctrs rst_ctrl ov "
          "ev_sel_alt occ_sel occ_invert occ_edge_det frz_all frz_pmi unfrz_all glb_en event_count lock usr any").split()


# What the engine does differently for a box type, by name; src/pmu/mechanism.c has them.
MECHANISMS = ("occupancy_select node_ids link_match pmon_chain pmon_chain_global pmon_chain_wrap agent_match "
              "controller_match bridge_match port_match thread perf_master home_agent router bridge memory cpu").split()
# Rules of a box type that need no code of their own.
RULES = "by_signal unmet_clocks sums".split()


class CatalogError(Exception):
    """A line that is not understood; the message starts with file:line."""


def distance(a, b):
    """Letters to change, add or leave out to make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def nearest(word, choices):
    """The choice that is most like a mistyped word."""
    return min(choices, key=lambda c: distance(word.lower(), c.lower()))


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

    def unknown(self, why, word, choices):
        """Fail with the nearest right word, and all of them where they are few."""
        choices = list(dict.fromkeys(choices))
        if choices and len(choices) <= 12:
            why += f", expected one of {' '.join(choices)}"
        self.fail(why + (f"; nearest: {nearest(word, choices)}" if choices else ""))

    def one_of(self, what, word, choices):
        if word not in choices:
            self.unknown(f"{what} {word}", word, choices)
        return word

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
    same: bool = False          # a write that would change it faults
    text: str = ""
    role: str = ""
    match: str = "none"
    tag: str = ""
    part: int = 0               # `match part`: the bit of the tag that bit 0 is compared with
    preset: object = None
    narrows: list = field(default_factory=list)
    values: list = field(default_factory=list)      # (value, what it means)
    takes: list = field(default_factory=list)       # (kind, conditions), see TAKES


@dataclass
class Layout:
    """The fields of a register in another mode."""
    line: Line
    name: str
    text: str
    fields: list = field(default_factory=list)


@dataclass
class Reg:
    line: Line
    name: str
    pattern: str
    window: str
    offsets: list
    width: int
    role: str
    values: dict = field(default_factory=dict)      # of its keys
    fields: list = field(default_factory=list)
    layouts: list = field(default_factory=list)
    undriven: bool = False
    counts: object = None       # a free-running counter: the event and the subevent or None
    shows: object = None        # number of the value that it shows
    starts: bool = False        # only until it is written


@dataclass
class Need:
    """One `FIELD:VALUES` of `needs`: in each slot a register and a field, and what it must hold."""
    fields: list
    lo: int
    hi: int
    bits: bool


@dataclass
class Ask:
    """One `FIELD[:VALUE]` of `param`: a field that is the user's to choose."""
    reg: object
    field: object
    value: object


@dataclass
class Keyed:
    """What the keys of an event or subevent name, looked up in its box (catgen_check.py)."""
    needs: list = field(default_factory=list)
    asks: list = field(default_factory=list)
    subs: list = field(default_factory=list)        # registers
    rest: object = None                             # (register, field)
    live: object = None
    reg: object = None
    within: list = field(default_factory=list)      # numbers of subevents of its event; of an event: events


@dataclass
class Umask:
    line: Line
    kind: str
    name: str
    umask: int
    zero: int
    unit: str
    filters: list
    keys: str
    values: dict
    text: str
    counters: int = 0           # other than those of the event
    conds: list = field(default_factory=list)
    undriven: bool = False
    named: Keyed = field(default_factory=Keyed)


@dataclass
class Event:
    line: Line
    name: str
    code: int
    ext: int
    counters: int
    max_inc: object
    unit: str
    filters: list
    keys: str
    values: dict
    text: str
    umasks: list = field(default_factory=list)
    binding: str = "none"
    signal: object = None
    conds: list = field(default_factory=list)
    undriven: bool = False
    named: Keyed = field(default_factory=Keyed)


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
    fixed_status: object = None
    sets: int = 1
    uses: list = field(default_factory=list)
    rules: list = field(default_factory=list)
    ports: int = 0
    port_by: object = None
    port_line: object = None
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
class Value:
    """What hardware knows and a register shows."""
    line: Line
    name: str
    text: str


@dataclass
class Function:
    """Of PCI configuration space, or `count` functions from it on."""
    line: Line
    bus: str
    base: int
    device: int
    count: int = 1
    same: bool = False          # all have the same device id
    core0: object = None        # the first is there where this core is, and so on


@dataclass
class Pmu:
    """Boxes of a type as Linux's driver shows them (catgen_linux.py)."""
    line: Line
    name: str
    box: object
    boxes: int
    width: int
    accepts: int
    of_cores: bool = False      # no more boxes than cores
    inits: list = field(default_factory=list)
    formats: list = field(default_factory=list)
    events: list = field(default_factory=list)
    limits: list = field(default_factory=list)
    filter: str = "none"
    filter_number: int = 0
    filter_regs: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    looks: list = field(default_factory=list)
    seen: dict = field(default_factory=dict)


@dataclass
class Family:
    line: Line
    name: str
    text: str
    source: str = ""
    like: str = ""              # the family whose files stand for those that this one has not
    default: bool = False       # of the command line; it stands first
    bus_khz: int = 0
    model: int = 0
    clocks: list = field(default_factory=list)
    box_names: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    boxes: list = field(default_factory=list)
    metrics: list = field(default_factory=list)
    defaults: list = field(default_factory=list)
    packets: list = field(default_factory=list)
    messages: list = field(default_factory=list)
    called: dict = field(default_factory=dict)      # of a box type: what each tool calls it
    aliases: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    dwords: list = field(default_factory=list)
    odd_functions: list = field(default_factory=list)
    buses_id: int = 0
    boxes_line: object = None
    design: dict = field(default_factory=dict)      # of the files of catgen_product.py
    plays: dict = field(default_factory=dict)
    cpu: dict = field(default_factory=dict)
    likwid: dict = field(default_factory=dict)
    errata: dict = field(default_factory=dict)
    pmus: list = field(default_factory=list)


@dataclass
class Catalog:
    families: list = field(default_factory=list)
    signals: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)      # likewise by the name of the file
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
    """The lines of a file that say something, with those of the family that it is like."""
    lines = list(own_lines(catalog, path))
    if not lines or lines[0].tokens[0] != "like":
        return lines
    folder, name = os.path.split(path)
    if len(lines[0].tokens) != 2:
        lines[0].fail("expected: like FAMILY")
    other = os.path.join(os.path.dirname(folder), lines[0].tokens[1], name)
    if not os.path.exists(other):
        lines[0].fail(f"{other} is missing")
    return overlay(read_lines(catalog, other), lines[1:])


def own_lines(catalog, path):
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
