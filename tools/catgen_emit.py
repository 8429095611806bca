# SPDX-License-Identifier: BSD-2-Clause
"""The catalogue as C: tables of small numbers and one string pool (src/catalog/catalog.h)."""

import re

from catgen_check import find_filter
from catgen_keys import BY, CHOICES, SCOPES
from catgen_linux import add_pmus
from catgen_model import (ATTRS, HOLDS, KINDS, MATCHES, MECHANISMS, ROLES, RULES, SHARED_BY, SPACES, TAGS, UNITS)
from catgen_names import KINDS as ALIAS_KINDS, TOOLS
from catgen_product import add_products

BINDINGS = ["none", "signal", "clock", "counter0", "own"]
ABSENT = 0xFFFFFFFF
NOSIG = 0xFFFF
NOTYPE = 0xFFFF
NONE = 0xFFFF       # an index of 16 bits that leads nowhere
NOBIT = 0xFF


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
    """What a write stores, a read shows, a 1 clears, a 1 faults, a change faults."""
    write = read = w1c = gp = same = reset = 0
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
        if entry.same:
            same |= mask
    return {"reset": reset, "write": write, "read": read, "w1c": w1c, "gp": gp, "same": same}


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


def bit_mask(words, names):
    return sum(1 << names.index(w) for w in words)


def add_fields(tables, reg, fields, where):
    first = tables.count("fields")
    for entry in fields:
        value0 = tables.count("values")
        for value, text in entry.values:
            tables.add("values", value=value, text=tables.strings(text))
        where[id(entry)] = tables.add(
            "fields", name=tables.strings(entry.name), text=tables.strings(entry.text),
            **{"as": tables.strings(entry.role or entry.name)},
            tag=1 + TAGS.index(entry.tag) if entry.tag else 0, part=entry.part,
            reset=entry.reset, hi=entry.hi, lo=entry.lo, attr=ATTRS.index(entry.attr),
            match=MATCHES.index(entry.match), keep=int(entry.keep), gp=int(entry.gp),
            same=int(entry.same), preset=entry.preset or 0, has_preset=int(entry.preset is not None),
            narrows=bit_mask(entry.narrows or reg.values.get("narrows", []), SCOPES),
            value0=value0, values=len(entry.values))
    return first


def add_layouts(tables, reg, where):
    rows = [{"name": tables.strings(one.name), "text": tables.strings(one.text), "fields": len(one.fields),
             "field0": add_fields(tables, reg, one.fields, where)} for one in reg.layouts]
    first = tables.count("layouts")
    for row in rows:
        tables.add("layouts", **row)
    return first


def add_takes(tables, reg, where):
    first = tables.count("takes")
    for entry in reg.fields:
        for kind, conds in entry.takes:
            cond0, count = add_conds(tables, conds)
            tables.add("takes", field=where[id(entry)], kind=kind, cond0=cond0, conds=count)
    return first


def add_regs(tables, box, type_index, where):
    for reg in box.regs:
        first = add_fields(tables, reg, reg.fields, where)
        layout0 = add_layouts(tables, reg, where)
        take0 = add_takes(tables, reg, where)
        where[id(reg)] = tables.add(
            "regs", name=tables.strings(reg.name), pattern=tables.strings(reg.pattern),
            src=tables.strings(reg.values.get("src", "")), type=type_index, window=where[reg.window],
            count=len(reg.offsets), width=reg.width, role=ROLES.index(reg.role),
            offset0=tables.number_list(reg.offsets), field0=first, fields=len(reg.fields),
            layout0=layout0, layouts=len(reg.layouts), take0=take0, takes=tables.count("takes") - take0,
            shows=NONE if reg.shows is None else reg.shows, starts=int(reg.starts),
            per=SHARED_BY.index(reg.values.get("per", "thread")), read_only=int("write" in reg.values),
            undriven=int(reg.undriven), holds=HOLDS.index(reg.values.get("holds", "none")),
            thresh=reg.values.get("thresh", 0), counts_umask=reg.counts[1].umask if reg.counts and reg.counts[1] else 0,
            counts=tables.count("events") + box.events.index(reg.counts[0]) if reg.counts else NONE,
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


def add_asks(tables, where, asks):
    first = tables.count("asks")
    for ask in asks:
        tables.add("asks", reg=where[id(ask.reg)], field=where[id(ask.field)], valued=int(ask.value is not None),
                   value=ask.value or 0)
    return first, len(asks)


def add_subs(tables, where, subs):
    first = tables.count("subs")
    for reg in subs:
        tables.add("subs", value=where[id(reg)])
    return first, len(subs)


# Keys of events and subevents that measuring acts on, beside the code and the mask.
ACTED_ON = "needs param scale message choose each sub".split()


def is_plain(owner):
    return not owner.filters and not any(key in owner.values for key in ACTED_ON)


def shared_columns(tables, box, where, owner):
    """What events and subevents both have."""
    named = owner.named
    filter0, filters = add_filters(tables, box, where, owner.filters)
    cond0, conds = add_conds(tables, owner.conds)
    need0, needs = add_needs(tables, where, named.needs)
    ask0, asks = add_asks(tables, where, named.asks)
    plain = not box.ports and not any(r.values.get("narrows") or f.narrows for r in box.regs for f in r.fields)
    return {"name": tables.strings(owner.name), "text": tables.strings(owner.text), "keys": tables.strings(owner.keys),
            "unit": UNITS.index(owner.unit), "plain": int(plain and is_plain(owner)),
            "undriven": int(owner.undriven), "filter0": filter0, "filters": filters, "cond0": cond0, "conds": conds,
            "need0": need0, "needs": needs, "ask0": ask0, "asks": asks, "scale": owner.values.get("scale", 0),
            "rest_reg": where[id(named.rest[0])] if named.rest else NONE,
            "rest": where[id(named.rest[1])] if named.rest else NONE,
            "live": where[id(named.live[1])] if named.live else NONE}


def add_umask(tables, box, where, umask, messages):
    values = umask.values
    tables.add("umasks", umask=umask.umask, counters=umask.counters and box.all_sets(umask.counters), zero=umask.zero, kind=KINDS[umask.kind],
               qualifies=int("qualifies" in values), alone=int("alone" in values), nothing=int("nothing" in values),
               implied=values.get("implied", 0), within=sum(1 << n for n in umask.named.within),
               message=messages.index(values["message"]) if "message" in values else NONE,
               **shared_columns(tables, box, where, umask))


def add_event(tables, box, event0, where, event, signal):
    values = event.values
    sub0, subs = add_subs(tables, where, event.named.subs)
    tables.add("events", **shared_columns(tables, box, where, event), code=event.code,
               max_inc=ABSENT if event.max_inc is None else event.max_inc, counters=box.all_sets(event.counters),
               type=tables.count("types"), umask0=tables.count("umasks") - len(event.umasks),
               umasks=len(event.umasks), ext=event.ext, binding=BINDINGS.index(event.binding), signal=signal,
               choose=CHOICES.index(values.get("choose", "any")), once=int("once" in values),
               mask_ignored=int("mask" in values), fixed=int("counter" in values),
               groups=(values.get("each", []) + [0, 0])[:2],
               reg=where[id(event.named.reg)] if event.named.reg else NONE, sub0=sub0, subs=subs,
               part=tables.strings(values.get("part", "")), by=bit_mask(values.get("by", []), BY),
               looks=bit_mask([s for s in SCOPES if values.get(s) in ("yes", "some")], SCOPES),
               looks_some=bit_mask([s for s in SCOPES if values.get(s) == "some"], SCOPES),
               mt=ord(values.get("mt", "\0")), late=values.get("ipear_l", 0) - values.get("ipear_p", 0),
               within=event0 + box.events.index(event.named.within[0]) if event.named.within else NONE,
               within_other=int("within_other" in values))


def add_events(tables, box, where, signals, messages):
    event0 = tables.count("events")
    for n, event in enumerate(box.events):
        for umask in event.umasks:
            add_umask(tables, box, where, umask, messages)
        signal = signals.index(event.signal) if event.binding == "signal" else len(signals) + n
        add_event(tables, box, event0, where, event, signal)


def add_uses(tables, box):
    first = tables.count("uses")
    for name in box.uses:
        tables.add("uses", value=MECHANISMS.index(name))
    return first, len(box.uses)


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
    message0 = tables.count("messages")
    names = [None] * message0 + [name for name, _, _ in family.messages]
    add_events(tables, box, where, catalog.signals.get(box.signals, []), names)
    use0, uses = add_uses(tables, box)
    clock0 = sum(len(f.clocks) for f in catalog.families[:family_index])
    sigtypes = list(catalog.signals)
    tables.add("types", name=tables.strings(box.name), text=tables.strings(box.text),
               family=family_index, boxes=box.count, plays=tables.strings(family.plays.get(box.name, box.name)),
               clock=clock0 + [c for c, _ in family.clocks].index(box.clock),
               counters=box.array("ctl"), sets=box.sets, ports=box.ports,
               port_step=int(box.port_by) if (box.port_by or "").isdigit() else 0,
               port_field=tables.strings("" if (box.port_by or "0").isdigit() else box.port_by),
               sigtype=sigtypes.index(box.signals) if box.signals in sigtypes else NOSIG,
               window0=window0, windows=len(box.windows), reg0=reg0, regs=len(box.regs),
               event0=event0, events=len(box.events), use0=use0, uses=uses, rules=bit_mask(box.rules, RULES),
               called=[tables.strings(family.called.get(box.name, {}).get(tool, "")) for tool in TOOLS],
               fixed_status=NOBIT if box.fixed_status is None else box.fixed_status,
               status0=tables.number_list(box.status) if box.status else ABSENT)


def add_functions(tables, family):
    for one in family.functions:
        tables.add("functions", bus=int(one.bus == "iio"), base=one.base, count=one.count, device=one.device,
                   same=int(one.same), per_core=int(one.core0 is not None), core0=one.core0 or 0)
    for device in family.odd_functions:
        tables.add("odds", value=device)
    for device, offset, what in family.dwords:
        tables.add("dwords", device=device, offset=offset, what=what)


def add_family(tables, index, family, catalog):
    first = {t: tables.count(t) for t in ("clocks", "types", "parts", "metrics", "defaults", "packets", "messages",
                                           "functions", "odds", "dwords", "aliases")}
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
                   type=first["types"] + family.box_names.index(metric["box"]),
                   of_nodes=int(metric["each"] == "nodes"))
    for row in family.defaults:
        tables.add("defaults", name=tables.strings(row["name"]), text=tables.strings(row["text"]),
                   unit=tables.strings(row["unit"]), equation=tables.strings(row["equation"]),
                   type=NOTYPE if row["box"] == "all" else first["types"] + family.box_names.index(row["box"]))
    for cls, opcode, name, text in family.packets:
        tables.add("packets", cls=tables.strings(cls), name=tables.strings(name),
                   text=tables.strings(text), opcode=opcode)
    for name, masks, text in family.messages:
        tables.add("messages", name=tables.strings(name), text=tables.strings(text),
                   match0=masks[0], mask0=masks[1], match1=masks[2], mask1=masks[3])
    for row in family.aliases:
        tables.add("aliases", name=tables.strings(row["name"]), to=tables.strings(row["to"]), tool=TOOLS.index(row["tool"]),
                   kind=ALIAS_KINDS.index(row["kind"]),
                   type=NOTYPE if row["box"] is None else first["types"] + family.box_names.index(row["box"]))
    add_functions(tables, family)
    add_pmus(tables, family, first["types"], {box.name: tables.rows["types"][first["types"] + n]["reg0"]
                                              for n, box in enumerate(family.boxes)})
    add_products(tables, index, family, first["types"])
    members = {"name": tables.strings(family.name), "text": tables.strings(family.text),
               "source": tables.strings(family.source), "bus_khz": family.bus_khz, "model": family.model,
               "buses_id": family.buses_id}
    for table, start in first.items():
        members["alias0" if table == "aliases" else table[:-1] + "0"] = start
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
    if isinstance(value, dict):
        return c_row(value)
    if isinstance(value, list):
        return "{ " + ", ".join(c_number(v) for v in value) + " }"
    return f"UINT64_C({value:#x})" if value > 0xFFFFFFFF else str(value)


def c_row(members):
    if not members:
        return "{ 0 }"
    if list(members) == ["value"]:
        return c_number(members["value"])
    return "{ " + ", ".join(f".{k} = {c_number(v)}" for k, v in members.items()) + " }"


ARRAYS = [("struct cat_family", "families"), ("struct cat_clock", "clocks"),
          ("struct cat_part", "parts"), ("struct cat_param", "params"), ("struct cat_type", "types"),
          ("struct cat_window", "windows"), ("struct cat_reg", "regs"),
          ("struct cat_field", "fields"), ("struct cat_layout", "layouts"), ("struct cat_value", "values"),
          ("struct cat_event", "events"),
          ("struct cat_umask", "umasks"), ("struct cat_cond", "conds"), ("struct cat_take", "takes"),
          ("struct cat_filter", "filters"), ("struct cat_need", "needs"), ("struct cat_ask", "asks"),
          ("uint16_t", "subs"), ("uint8_t", "uses"), ("struct cat_sigtype", "sigtypes"),
          ("struct cat_signal", "signals"), ("uint32_t", "flags"),
          ("struct cat_metric", "metrics"), ("struct cat_default", "defaults"),
          ("struct cat_packet", "packets"), ("struct cat_message", "messages"),
          ("struct cat_function", "functions"), ("uint16_t", "odds"), ("struct cat_dword", "dwords"),
          ("struct cat_alias", "aliases"),
          ("struct cat_design", "designs"), ("struct cat_cpu", "cpus"), ("struct cat_leaf", "leaves"),
          ("struct cat_likwid", "likwids"), ("struct cat_erratum", "errata"),
          ("struct cat_pmu", "pmus"), ("struct cat_pmu_format", "pmu_formats"), ("struct cat_pmu_event", "pmu_events"),
          ("struct cat_pmu_limit", "pmu_limits"), ("uint64_t", "pmu_parts"), ("struct cat_pmu_look", "pmu_looks")]


EMPTY = {ctype: {"value": 0} for ctype in ("uint8_t", "uint16_t", "uint32_t", "uint64_t")}


def emit_tables(catalog):
    """The text of the C file with all tables."""
    tables = Tables()
    add_signals(tables, catalog)
    for index, family in enumerate(catalog.families):
        add_family(tables, index, family, catalog)
    out = ["/* Generated from catalog/ by tools/catgen.py. */", '#include "catalog/catalog.h"', '#include "catalog/linux.h"', '#include "catalog/product.h"', ""]
    for ctype, name in ARRAYS:
        rows = tables.rows.get(name, [])
        if any(k in ("field0", "umask0", "cond0", "filter0", "need0", "ask0", "sub0", "value0", "take0") and v > 0xFFFF for r in rows
               for k, v in r.items()):
            raise OverflowError(f"cat_{name}: an index needs more than 16 bits")
        # C has no empty array; a table without rows is never indexed.
        body = ",\n".join("\t" + c_row(r) for r in rows or [EMPTY.get(ctype, {})])
        out.append(f"const {ctype} cat_{name}[] = {{\n{body}\n}};\n")
    numbers = tables.numbers or [0]
    out.append("const uint32_t cat_numbers[] = {\n" + lines_of(numbers) + "\n};\n")
    out.append("const char cat_strings[] = {\n" + lines_of(tables.strings.bytes()) + "\n};\n")
    out.append(f"const unsigned cat_family_count = {len(catalog.families)};")
    out += [f"const unsigned cat_{one}_count = {tables.count(many)};" for one, many in (("likwid", "likwids"), ("erratum", "errata"))]
    out.append(f"const unsigned cat_pmu_count = {tables.count('pmus')};")
    return "\n".join(out) + "\n"


def lines_of(values):
    values = list(values)
    return ",\n".join("\t" + ",".join(str(v) for v in values[i:i + 24])
                      for i in range(0, len(values), 24))


def own_codes(family, box):
    """Codes of the events that hardware tells by their codes, and a list of all for those that keep one count of each."""
    own = [e for e in box.events if e.binding == "own"]
    if not own:
        return []
    prefix = f"{family.name}_{box.name}".upper()
    return ["enum {", *(f"\t{prefix}_{re.sub(r'[^A-Z0-9]', '_', e.name.upper())} = {e.code:#x},\t/* {e.text} */" for e in own),
            "};", ""]


def emit_signal_ids(catalog):
    """The text of the header that hardware includes: signal numbers and flags."""
    out = ["/* Generated from catalog/signals by tools/catgen.py. */", "#ifndef BXS_SIGNAL_IDS_H",
           "#define BXS_SIGNAL_IDS_H", "", "#include <stdint.h>", ""]
    for box, signals in catalog.signals.items():
        out.append("enum {")
        out += [f"\tSIG_{box.upper()}_{s.name.upper()},\t/* {s.text} */" for s in signals]
        out += [f"\tSIG_{box.upper()}_COUNT,", "};", ""]
        if catalog.values[box]:
            out += ["enum {", *(f"\t{box.upper()}_VALUE_{v.name.upper()},\t/* {v.text} */" for v in catalog.values[box]), "};", ""]
        for signal in signals:
            for bit, flag in enumerate(signal.flags):
                name = f"{box}_{signal.name}_{flag}".upper()
                out.append(f"#define {name} (UINT64_C(1) << {bit})")
        out.append("")
    for family in catalog.families:
        for box in family.boxes:
            out += own_codes(family, box)
    out.append("#endif")
    return "\n".join(out) + "\n"
