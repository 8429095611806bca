# SPDX-License-Identifier: BSD-2-Clause
"""Facts about a family's products other than their counters: the files `design`, `cpu`, `likwid` and `errata`."""
from catgen_box import parse_base
from catgen_keys import number, take_key
from catgen_model import NAME, Text, check_text, read_lines

HARDWARE = "none xeon itanium".split()
MEMORIES = "ddr3 ddr4".split()
# Keys of a machine's specification that change nothing in some families.
LACKS = "vmse osb vna l0p erms".split()
# What a box type may play: the boxes that the hardware of a Xeon is made of, by the names that most families give them.
ROLES = "cbo sbo ha imc irp pcu qpi r2pcie r3qpi ubox".split()
TRAITS = "clusters ring_at_core one_ring bridged".split()
CACHES = "l1d l1i l2".split()
# Where the asking processor's number stands in a leaf of CPUID.
OWN = "nothing apic x2apic".split()
# What an erratum does to accesses; src/virtual/fault_errata.c has them.
MISBEHAVIOURS = "one_bit_at_a_time second_write low_bits".split()
LEAVES = 32         # of a family, at most


def numbers(*keys):
    return {key: number for key in keys}


CORE_KEYS = numbers("fill_buffers", "super_queue", "reorder", "stores", "l1_load", "l2_load", "locked")
MEMORY_KEYS = numbers("fastest", "serial")
LINK_KEYS = numbers("fastest", "transfers")
UNCORE_KEYS = numbers("core_out", "core_in", "tag", "hit", "r3_out", "r3_in")
LIMIT_KEYS = numbers("cores", "sockets")
CPUID_KEYS = numbers("highest", "address_bits")
CACHE_KEYS = numbers("kb", "ways")
LEAF_KEYS = {**numbers("eax", "ebx", "ecx", "edx"), "own": lambda line, key, value: line.one_of(key, value, OWN[1:])}


def pairs(line, words, keys, required=()):
    """`key=value` words as a dictionary."""
    got = {}
    for word in words:
        take_key(line, word, keys, got)
    for key in required:
        if key not in got:
            line.fail(f"{key}= is missing")
    return got


def put(line, table, key, value, what):
    if key in table:
        line.fail(f"{what} {key} given twice")
    table[key] = value


def one_word(line, what):
    if len(line.tokens) != 2:
        line.fail(f"expected: {line.tokens[0]} {what}")
    return line.tokens[1]


def parse_memory(family, line):
    if len(line.tokens) < 2:
        line.fail("expected: memory KIND fastest=MTS [serial=CLOCKS]")
    family.design["memory"] = (line.one_of("no memory", line.tokens[1], MEMORIES),
                               pairs(line, line.tokens[2:], MEMORY_KEYS, ["fastest"]))


def parse_words(family, line, choices, what):
    for word in line.tokens[1:]:
        line.one_of(what, word, choices)
    family.design[line.tokens[0]] = line.tokens[1:]


def parse_plays(family, line):
    """`plays TYPE as ROLE`: the hardware behind boxes of this type is what other families call ROLE."""
    words = line.tokens
    if len(words) != 4 or words[2] != "as":
        line.fail("expected: plays TYPE as NAME")
    line.one_of("no box type", words[1], family.box_names)
    put(line, family.plays, words[1], line.one_of("no role", words[3], ROLES), "role of")


DESIGN = {
    "hardware": lambda f, l: f.design.update(hardware=l.one_of("no hardware", one_word(l, "KIND"), HARDWARE[1:])),
    "core": lambda f, l: f.design.update(core=pairs(l, l.tokens[1:], CORE_KEYS, list(CORE_KEYS)[:-1])),
    "memory": parse_memory,
    "links": lambda f, l: f.design.update(links=pairs(l, l.tokens[1:], LINK_KEYS, LINK_KEYS)),
    "uncore": lambda f, l: f.design.update(uncore=pairs(l, l.tokens[1:], UNCORE_KEYS)),
    "hitme": lambda f, l: f.design.update(hitme=l.number_at(one_word(l, "ENTRIES"), "entries")),
    "limits": lambda f, l: f.design.update(limits=pairs(l, l.tokens[1:], LIMIT_KEYS, LIMIT_KEYS)),
    "lacks": lambda f, l: parse_words(f, l, LACKS, "no key"),
    "has": lambda f, l: parse_words(f, l, TRAITS, "no trait"),
    "plays": parse_plays,
}


def parse_directives(catalog, family, path, directives, once=()):
    seen = {}
    for line in read_lines(catalog, path):
        word = line.one_of("no directive", line.tokens[0], directives)
        if word in once:
            put(line, seen, word, line, "line")
        directives[word](family, line)


def parse_design(catalog, family, path):
    parse_directives(catalog, family, path, DESIGN, [word for word in DESIGN if word != "plays"])
    for word in ("hardware", "core"):
        if word not in family.design:
            family.line.fail(f"{path} has no line `{word}`")
    if family.design["hardware"] == "xeon" and not {"memory", "links"} <= set(family.design):
        family.line.fail(f"{path} needs the lines `memory` and `links`")


def parse_stepping(family, line):
    words = line.tokens
    if len(words) not in (2, 4) or len(words) == 4 and words[2] != "of":
        line.fail("expected: stepping NUMBER [of PREFIX]")
    parts = [name for name, _, _ in family.parts]
    if len(words) == 4 and not any(name.startswith(words[3]) for name in parts):
        line.unknown(f"no part is called {words[3]}...", words[3], parts)
    key = "stepping of" if len(words) == 4 else "stepping"
    put(line, family.cpu, key, (line.number_at(words[1], "stepping"), words[3] if len(words) == 4 else ""), "line")


def parse_socket(family, line):
    """`socket NUMBER [of PREFIX]`: the socket of all parts, or of those with this prefix, as SMBIOS numbers it."""
    words = line.tokens
    if len(words) not in (2, 4) or len(words) == 4 and words[2] != "of":
        line.fail("expected: socket NUMBER [of PREFIX]")
    prefix = words[3] if len(words) == 4 else ""
    parts = [name for name, _, _ in family.parts]
    if not any(name.startswith(prefix) for name in parts):
        line.unknown(f"no part is called {prefix}...", prefix, parts)
    put(line, family.sockets, prefix, line.number_at(words[1], "socket"), "socket of")


def parse_cache(family, line):
    if len(line.tokens) < 2:
        line.fail("expected: cache LEVEL kb=N ways=N")
    level = line.one_of("no cache", line.tokens[1], CACHES)
    got = pairs(line, line.tokens[2:], CACHE_KEYS, CACHE_KEYS)
    put(line, family.cpu.setdefault("caches", {}), level, got, "cache")


def parse_leaf(family, line):
    """`leaf NUMBER SUBLEAF|any [own=apic|x2apic] eax=.. ebx=.. ecx=.. edx=..`: what is left out is 0."""
    words = line.tokens
    if len(words) < 3:
        line.fail("expected: leaf NUMBER SUBLEAF|any [own=apic|x2apic] [eax=N] [ebx=N] [ecx=N] [edx=N]")
    if words[2] != "any" and not words[2].isdigit():
        line.fail(f"subleaf is {words[2]!r}, expected a number or any")
    at = (line.number_at(words[1], "leaf"), None if words[2] == "any" else int(words[2]))
    leaves = family.cpu.setdefault("leaves", {})
    put(line, leaves, at, pairs(line, words[3:], LEAF_KEYS), "leaf")
    if len(leaves) > LEAVES:
        line.fail(f"more than {LEAVES} leaves")


def quoted(line):
    if len(line.tokens) != 2 or not isinstance(line.tokens[1], Text):
        line.fail(f'expected: {line.tokens[0]} "text"')
    return str(line.tokens[1])


CPU = {
    "stepping": parse_stepping,
    "microcode": lambda f, l: f.cpu.update(microcode=l.number_at(one_word(l, "REVISION"), "revision")),
    "energy": lambda f, l: f.cpu.update(energy=l.number_at(one_word(l, "EXPONENT"), "exponent")),
    "version": lambda f, l: f.cpu.update(version=quoted(l)),
    "emulator": lambda f, l: f.cpu.update(emulator=quoted(l)),
    "cpuid": lambda f, l: f.cpu.update(cpuid=pairs(l, l.tokens[1:], CPUID_KEYS, CPUID_KEYS)),
    "flags": lambda f, l: f.cpu.setdefault("flags", []).extend(l.tokens[1:]),
    "socket": parse_socket,
    "cache": parse_cache,
    "leaf": parse_leaf,
}


def parse_cpu(catalog, family, path):
    parse_directives(catalog, family, path, CPU, "microcode energy version emulator cpuid".split())
    for word in "stepping emulator cpuid flags".split():
        if word not in family.cpu:
            family.line.fail(f"{path} has no line `{word}`")
    for cache in CACHES:
        if cache not in family.cpu.get("caches", {}):
            family.line.fail(f"{path} has no line `cache {cache}`")


def parse_device(family, line):
    words = line.tokens
    if len(words) != 3:
        line.fail("expected: device NUMBER D<device>:F<function>")
    put(line, family.likwid, line.number_at(words[1], "device"), parse_base(line, "pci", words[2]), "device")


def parse_likwid(catalog, family, path):
    parse_directives(catalog, family, path, {"device": parse_device})


def parse_erratum(family, line):
    """`erratum NAME MISBEHAVIOUR TYPE,TYPE "text"`"""
    words = line.tokens
    if len(words) != 5 or not isinstance(words[4], Text):
        line.fail('expected: erratum NAME MISBEHAVIOUR TYPE,... "text"')
    if not NAME.match(words[1].replace("-", "_")):
        line.fail(f"name {words[1]!r}")
    boxes = [line.one_of("no box type", box, family.box_names) for box in words[3].split(",")]
    act = line.one_of("no misbehaviour", words[2], MISBEHAVIOURS)
    put(line, family.errata, words[1], (act, boxes, check_text(line, words[4])), "erratum")


def parse_errata(catalog, family, path):
    parse_directives(catalog, family, path, {"erratum": parse_erratum})


PRODUCT_FILES = (("design", parse_design), ("cpu", parse_cpu), ("likwid", parse_likwid), ("errata", parse_errata))


# ---------------------------------------------------------------- tables

def bits(words, choices):
    return sum(1 << choices.index(word) for word in words)


def add_design(tables, family):
    design = family.design
    memory, of_memory = design.get("memory", (MEMORIES[0], {}))
    links, limits = design.get("links", {}), design.get("limits", {})
    tables.add("designs", hardware=HARDWARE.index(design.get("hardware", "none")), core=design.get("core", {}),
               memory=MEMORIES.index(memory), ddr_most=of_memory.get("fastest", 0), serial=of_memory.get("serial", 0),
               qpi_most=links.get("fastest", 0), link_transfers=links.get("transfers", 0),
               uncore=design.get("uncore", {}), hitme=design.get("hitme", 0), lacks=bits(design.get("lacks", []), LACKS),
               cores_most=limits.get("cores", 0), sockets_most=limits.get("sockets", 0),
               **{trait: int(trait in design.get("has", [])) for trait in TRAITS})


def add_leaves(tables, leaves):
    first = tables.count("leaves")
    for (leaf, subleaf), values in leaves.items():
        own = OWN.index(values.pop("own", OWN[0]))
        tables.add("leaves", leaf=leaf, subleaf=0xFFFFFFFF if subleaf is None else subleaf, own=own, **values)
    return first, len(leaves)


def add_cpu(tables, family):
    cpu = family.cpu
    stepping, other = cpu.get("stepping", (0, "")), cpu.get("stepping of", (0, ""))
    leaf0, leaves = add_leaves(tables, cpu.get("leaves", {}))
    tables.add("cpus", known=int(bool(cpu)), stepping=stepping[0], other_stepping=other[0], other=tables.strings(other[1]),
               microcode=cpu.get("microcode", 0), energy_unit=cpu.get("energy", 0), version=tables.strings(cpu.get("version", "")),
               emulator=tables.strings(cpu.get("emulator", "")), flags=tables.strings(" ".join(cpu.get("flags", []))),
               highest_leaf=cpu.get("cpuid", {}).get("highest", 0), address_bits=cpu.get("cpuid", {}).get("address_bits", 0),
               cache=[cpu["caches"][c] for c in CACHES] if cpu else [{}], leaf0=leaf0, leaves=leaves)


def add_errata(tables, index, family, type0):
    for name, (act, boxes, text) in family.errata.items():
        of = [type0 + family.box_names.index(box) for box in boxes]
        tables.add("errata", name=tables.strings(name), text=tables.strings(text), family=index,
                   act=MISBEHAVIOURS.index(act), type0=tables.number_list(of), types=len(of))


def add_products(tables, index, family, type0):
    add_design(tables, family)
    add_cpu(tables, family)
    add_errata(tables, index, family, type0)
    for prefix, socket in family.sockets.items():
        tables.add("sockets", family=index, part=tables.strings(prefix), socket=socket)
    for device, function in family.likwid.items():
        tables.add("likwids", family=index, device=device, function=function)
