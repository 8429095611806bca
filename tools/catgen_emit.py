# SPDX-License-Identifier: BSD-2-Clause
"""The catalogue as C: tables of small numbers and one string pool (src/catalog/catalog.h)."""

from catgen_check import find_filter, key_words
from catgen_model import ATTRS, KINDS, MATCHES, ROLES, SPACES, UNITS

BINDINGS = ["none", "signal", "clock", "counter0"]
ABSENT = 0xFFFFFFFF
NOSIG = 0xFFFF
NOTYPE = 0xFFFF


class Pool:
    """Strings laid end to end; offset 0 is the empty string; equal strings are stored once."""

    def __init__(self):
        self.offsets = {"": 0}
        self.parts = [""]
        self.size = 1

    def __call__(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.parts.append(text)
            self.size += len(text) + 1
        return self.offsets[text]

    def bytes(self):
        return b"".join(p.encode("ascii") + b"\0" for p in self.parts)


class Tables:
    """Rows of each C array, in the order in which the families stand."""

    def __init__(self):
        self.strings = Pool()
        self.rows = {}
        self.numbers = []

    def add(self, table, **members):
        rows = self.rows.setdefault(table, [])
        rows.append(members)
        return len(rows) - 1

    def count(self, table):
        return len(self.rows.get(table, []))

    def number_list(self, values):
        self.numbers += [ABSENT if v is None else v for v in values]
        return len(self.numbers) - len(values)


def attr_masks(reg):
    """What a write stores, a read shows, a 1 clears and a 1 faults."""
    write = read = w1c = gp = reset = 0
    for entry in reg.fields:
        mask = ((1 << (entry.hi - entry.lo + 1)) - 1) << entry.lo
        reset |= entry.reset << entry.lo
        if entry.attr in ("rw", "rwv") or entry.keep:
            write |= mask
        if entry.attr in ("rw", "rwv", "ro", "rov", "rw1c") or entry.keep:
            read |= mask
        if entry.attr == "rw1c":
            w1c |= mask
        if entry.gp:
            gp |= mask
    return {"reset": reset, "write": write, "read": read, "w1c": w1c, "gp": gp}


def add_conds(tables, conds):
    first = tables.count("conds")
    for care, want in conds:
        tables.add("conds", care=care, want=want)
    return first, len(conds)


def add_filters(tables, box, where, names):
    first = tables.count("filters")
    for name in names:
        reg, entry = find_filter(box, name)
        tables.add("filters", reg=where[id(reg)], field=where[id(entry)])
    return first, len(names)


def add_regs(tables, box, type_index, where):
    for reg in box.regs:
        first = tables.count("fields")
        for entry in reg.fields:
            where[id(entry)] = tables.add(
                "fields", name=tables.strings(entry.name), text=tables.strings(entry.text),
                **{"as": tables.strings(entry.role or entry.name)}, tag=tables.strings(entry.tag),
                reset=entry.reset, hi=entry.hi, lo=entry.lo, attr=ATTRS.index(entry.attr),
                match=MATCHES.index(entry.match), keep=int(entry.keep), gp=int(entry.gp),
                preset=entry.preset or 0, has_preset=int(entry.preset is not None),
                narrows=tables.strings(entry.narrows or reg.narrows))
        where[id(reg)] = tables.add(
            "regs", name=tables.strings(reg.name), pattern=tables.strings(reg.pattern),
            src=tables.strings(reg.src), type=type_index, window=where[reg.window],
            count=len(reg.offsets), width=reg.width, role=ROLES.index(reg.role),
            offset0=tables.number_list(reg.offsets), field0=first, fields=len(reg.fields),
            undriven=int(reg.undriven), holds=tables.strings(reg.holds),
            **attr_masks(reg))


def add_needs(tables, where, needs):
    """What an event or subevent needs of other registers; field1 is that of slot 1."""
    first = tables.count("needs")
    for need in needs:
        reg, entry = need.fields[0]
        tables.add("needs", reg=where[id(reg)], field=where[id(entry)],
                   field1=where[id(need.fields[-1][1])], lo=need.lo, hi=need.hi,
                   bits=int(need.bits))
    return first, len(needs)


# Keys of events and subevents that measuring acts on, beside the code and the mask.
ACTED_ON = "needs param scale message choose each sub".split()


def is_plain(owner):
    return not owner.filters and not any(key_words(owner, key) for key in ACTED_ON)


def add_events(tables, box, type_index, where, signals):
    plain = not box.ports and not any(r.narrows or f.narrows for r in box.regs for f in r.fields)
    for n, event in enumerate(box.events):
        umask0 = tables.count("umasks")
        for umask in event.umasks:
            filter0, filters = add_filters(tables, box, where, umask.filters)
            cond0, conds = add_conds(tables, umask.conds)
            need0, needs = add_needs(tables, where, umask.needs)
            tables.add("umasks", name=tables.strings(umask.name), text=tables.strings(umask.text),
                       keys=tables.strings(umask.keys), umask=umask.umask, zero=umask.zero,
                       kind=KINDS[umask.kind], unit=UNITS.index(umask.unit), plain=int(plain and is_plain(umask)),
                       filter0=filter0, filters=filters, cond0=cond0, conds=conds, undriven=int(umask.undriven),
                       need0=need0, needs=needs)
        filter0, filters = add_filters(tables, box, where, event.filters)
        cond0, conds = add_conds(tables, event.conds)
        need0, needs = add_needs(tables, where, event.needs)
        signal = signals.index(event.signal) if event.binding == "signal" else len(signals) + n
        tables.add("events", name=tables.strings(event.name), text=tables.strings(event.text),
                   keys=tables.strings(event.keys), code=event.code,
                   max_inc=ABSENT if event.max_inc is None else event.max_inc,
                   counters=box.all_sets(event.counters), type=type_index, umask0=umask0,
                   umasks=len(event.umasks), filter0=filter0, filters=filters, ext=event.ext,
                   unit=UNITS.index(event.unit), plain=int(plain and is_plain(event)),
                   binding=BINDINGS.index(event.binding), signal=signal, cond0=cond0, conds=conds, need0=need0, needs=needs, undriven=int(event.undriven))


def add_box(tables, family_index, family, box, catalog):
    where = {}
    window0 = tables.count("windows")
    for window in box.windows:
        where[window.name] = tables.add(
            "windows", name=tables.strings(window.name), space=SPACES.index(window.space),
            bus=int(window.bus == "iio"), base0=tables.number_list(window.bases),
            device0=tables.number_list(window.devices) if window.devices else ABSENT)
    type_index = tables.count("types")
    reg0, event0 = tables.count("regs"), tables.count("events")
    add_regs(tables, box, type_index, where)
    add_events(tables, box, type_index, where, catalog.signals.get(box.signals, []))
    clock0 = sum(len(f.clocks) for f in catalog.families[:family_index])
    sigtypes = list(catalog.signals)
    tables.add("types", name=tables.strings(box.name), text=tables.strings(box.text),
               family=family_index, boxes=box.count,
               clock=clock0 + [c for c, _ in family.clocks].index(box.clock),
               counters=box.array("ctl"), sets=box.sets, ports=box.ports,
               port_step=int(box.port_by) if (box.port_by or "").isdigit() else 0,
               port_field=tables.strings("" if (box.port_by or "0").isdigit() else box.port_by),
               sigtype=sigtypes.index(box.signals) if box.signals in sigtypes else NOSIG,
               window0=window0, windows=len(box.windows), reg0=reg0, regs=len(box.regs),
               event0=event0, events=len(box.events),
               status0=tables.number_list(box.status) if box.status else ABSENT)


def add_family(tables, index, family, catalog):
    first = {t: tables.count(t) for t in ("clocks", "types", "parts", "metrics", "defaults", "packets", "messages")}
    for name, khz in family.clocks:
        tables.add("clocks", name=tables.strings(name), khz=khz)
    for name, default, params in family.parts:
        param0 = tables.count("params")
        for key, value in params:
            tables.add("params", key=tables.strings(key), value=value)
        tables.add("parts", name=tables.strings(name), param0=param0, params=len(params),
                   is_default=int(default))
    for box in family.boxes:
        add_box(tables, index, family, box, catalog)
    for metric in family.metrics:
        tables.add("metrics", name=tables.strings(metric["name"]),
                   text=tables.strings(metric["text"]), unit=tables.strings(metric["unit"]),
                   equation=tables.strings(metric["equation"]),
                   type=first["types"] + family.box_names.index(metric["box"]))
    for row in family.defaults:
        tables.add("defaults", name=tables.strings(row["name"]), text=tables.strings(row["text"]),
                   unit=tables.strings(row["unit"]), equation=tables.strings(row["equation"]), detail=row["detail"],
                   type=NOTYPE if row["box"] == "all" else first["types"] + family.box_names.index(row["box"]))
    for cls, opcode, name, text in family.packets:
        tables.add("packets", cls=tables.strings(cls), name=tables.strings(name),
                   text=tables.strings(text), opcode=opcode)
    for name, masks, text in family.messages:
        tables.add("messages", name=tables.strings(name), text=tables.strings(text),
                   match0=masks[0], mask0=masks[1], match1=masks[2], mask1=masks[3])
    members = {"name": tables.strings(family.name), "text": tables.strings(family.text),
               "source": tables.strings(family.source), "bus_khz": family.bus_khz}
    for table, start in first.items():
        members[table[:-1] + "0"] = start
        members[table] = tables.count(table) - start
    tables.add("families", **members)


def add_signals(tables, catalog):
    for box, signals in catalog.signals.items():
        first = tables.count("signals")
        for signal in signals:
            flag0 = tables.count("flags")
            for flag in signal.flags:
                tables.add("flags", value=tables.strings(flag))
            tables.add("signals", name=tables.strings(f"{box}.{signal.name}"),
                       text=tables.strings(signal.text), flag0=flag0, flags=len(signal.flags),
                       level=int(signal.level))
        tables.add("sigtypes", name=tables.strings(box), signal0=first, signals=len(signals))


def c_number(value):
    return f"UINT64_C({value:#x})" if value > 0xFFFFFFFF else str(value)


def c_row(members):
    if not members:
        return "{ 0 }"
    if list(members) == ["value"]:
        return str(members["value"])
    return "{ " + ", ".join(f".{k} = {c_number(v)}" for k, v in members.items()) + " }"


ARRAYS = [("struct cat_family", "families"), ("struct cat_clock", "clocks"),
          ("struct cat_part", "parts"), ("struct cat_param", "params"), ("struct cat_type", "types"),
          ("struct cat_window", "windows"), ("struct cat_reg", "regs"),
          ("struct cat_field", "fields"), ("struct cat_event", "events"),
          ("struct cat_umask", "umasks"), ("struct cat_cond", "conds"),
          ("struct cat_filter", "filters"), ("struct cat_need", "needs"), ("struct cat_sigtype", "sigtypes"),
          ("struct cat_signal", "signals"), ("uint32_t", "flags"), ("struct cat_metric", "metrics"), ("struct cat_default", "defaults"),
          ("struct cat_packet", "packets"), ("struct cat_message", "messages")]


EMPTY = {"uint32_t": {"value": 0}}


def emit_tables(catalog):
    """The text of the C file with all tables."""
    tables = Tables()
    add_signals(tables, catalog)
    for index, family in enumerate(catalog.families):
        add_family(tables, index, family, catalog)
    out = ["/* Generated from catalog/ by tools/catgen.py. */", '#include "catalog/catalog.h"', ""]
    for ctype, name in ARRAYS:
        rows = tables.rows.get(name, [])
        if any(v > 0xFFFF and k in ("field0", "umask0", "cond0", "filter0", "need0") for r in rows
               for k, v in r.items()):
            raise OverflowError(f"cat_{name}: an index needs more than 16 bits")
        # C has no empty array; a table without rows is never indexed.
        body = ",\n".join("\t" + c_row(r) for r in rows or [EMPTY.get(ctype, {})])
        out.append(f"const {ctype} cat_{name}[] = {{\n{body}\n}};\n")
    numbers = tables.numbers or [0]
    out.append("const uint32_t cat_numbers[] = {\n" + lines_of(numbers) + "\n};\n")
    out.append("const char cat_strings[] = {\n" + lines_of(tables.strings.bytes()) + "\n};\n")
    out.append(f"const unsigned cat_family_count = {len(catalog.families)};")
    return "\n".join(out) + "\n"


def lines_of(values):
    values = list(values)
    return ",\n".join("\t" + ",".join(str(v) for v in values[i:i + 24])
                      for i in range(0, len(values), 24))


def emit_signal_ids(catalog):
    """The text of the header that hardware includes: signal numbers and flags."""
    out = ["/* Generated from catalog/signals by tools/catgen.py. */", "#ifndef BXS_SIGNAL_IDS_H",
           "#define BXS_SIGNAL_IDS_H", "", "#include <stdint.h>", ""]
    for box, signals in catalog.signals.items():
        out.append("enum {")
        out += [f"\tSIG_{box.upper()}_{s.name.upper()},\t/* {s.text} */" for s in signals]
        out += [f"\tSIG_{box.upper()}_COUNT,", "};", ""]
        for signal in signals:
            for bit, flag in enumerate(signal.flags):
                name = f"{box}_{signal.name}_{flag}".upper()
                out.append(f"#define {name} (UINT64_C(1) << {bit})")
        out.append("")
    out.append("#endif")
    return "\n".join(out) + "\n"
