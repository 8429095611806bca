# SPDX-License-Identifier: BSD-2-Clause
"""Does a box hold together?  What its events and subevents name has to be there, and once."""
from catgen_model import UNITS, Ask, Need, unique


def owners(box):
    """Each event, and each of its subevents, with the event."""
    for event in box.events:
        yield event, event
        for umask in event.umasks:
            yield event, umask


def check_box(box):
    seen = {}
    for reg in box.regs:
        unique(reg.line, reg.name, seen, "register")
        last = reg.fields[-1].lo if reg.fields else reg.width
        if last != 0:
            reg.line.fail(f"{reg.name} ends with bits {last - 1}:0 not described")
        for layout in reg.layouts:
            if not layout.fields:
                layout.line.fail(f"layout {layout.name} has no fields")
    if box.array("ctl") != box.array("ctr"):
        box.line.fail(f"{box.array('ctl')} controls, but {box.array('ctr')} counters")
    counters = box.array("ctl") // box.sets
    if counters * box.sets != box.array("ctl"):
        box.line.fail(f"{box.array('ctl')} counters are not {box.sets} equal sets")
    check_events(box, counters)
    for reg in box.regs:
        if "counts" in reg.values:
            reg.counts = find_counted(box, reg)


def check_events(box, counters):
    seen, codes = {}, {}
    for event in box.events:
        unique(event.line, event.name, seen, "event")
        if "alias" not in event.values:
            # The same code may mean another event on another counter.
            for counter in [c for c in range(32) if event.counters >> c & 1] or [None]:
                unique(event.line, (event.code, event.ext, event.keys, counter), codes, "event code")
        if counters and event.counters & ~box.counter_numbers():
            event.line.fail(f"{event.name} names a counter that {box.name} has not")
        masks = {}
        for umask in event.umasks:
            unique(umask.line, umask.name, masks, f"subevent of {event.name}")


def filter_fields(box):
    """Fields that `filter` may name, each with its register."""
    return [(r, f) for r in box.regs for f in r.fields if f.match != "none" or r.role == "filter"]


def find_filter(box, name):
    return next((r, f) for r, f in filter_fields(box) if f.name == name)


def check_filters(box):
    filters = [f.name for _, f in filter_fields(box)]
    for _, owner in owners(box):
        for name in owner.filters:
            if name not in filters:
                owner.line.unknown(f"filter {name} is no field with `match` of {box.name}", name, filters)


def find_field(box, line, name):
    """A field by its name, or by REGISTER.FIELD: the register and the field."""
    reg_name, dot, field_name = name.rpartition(".")
    fields = [(r, f) for r in box.regs for f in r.fields if f.attr != "rv"]
    found = [(r, f) for r, f in fields if f.name == field_name and (not dot or r.name == reg_name)]
    if len(found) > 1:
        line.fail(f"{name} is the name of {len(found)} fields of {box.name}")
    if not found:
        line.unknown(f"{name} is the name of 0 fields of {box.name}", name,
                           [f"{r.name}.{f.name}" if dot else f.name for r, f in fields])
    return found[0]


def find_reg(box, owner, name):
    found = [r for r in box.regs if r.name == name]
    if not found:
        owner.line.unknown(f"{box.name} has no register {name}", name, [r.name for r in box.regs])
    return found[0]


def find_event(box, owner, name):
    found = [e for e in box.events if e.name == name]
    if not found:
        owner.line.unknown(f"{box.name} has no event {name}", name, [e.name for e in box.events])
    return found[0]


def find_umask(event, owner, name):
    found = [u for u in event.umasks if u.name == name]
    if not found:
        owner.line.unknown(f"{event.name} has no subevent {name}", name, [u.name for u in event.umasks])
    return found[0]


def find_counted(box, reg):
    """`counts=EVENT[.SUBEVENT]` of a free-running counter."""
    name, _, sub = reg.values["counts"].partition(".")
    if any(e.name == reg.values["counts"] for e in box.events):
        name, sub = reg.values["counts"], ""
    event = find_event(box, reg, name)
    return event, find_umask(event, reg, sub) if sub else None


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
    need = Need([find_field(box, owner.line, slot) for slot in slots], lo, hi, bits)
    for _, entry in need.fields:
        if hi < lo or hi >> (entry.hi - entry.lo + 1):
            owner.line.fail(f"{value} does not fit field {entry.name}")
    return need


def parse_ask(box, owner, word):
    """FIELD or FIELD:N; N is what measuring sets when nobody says otherwise."""
    name, colon, value = word.partition(":")
    reg, entry = find_field(box, owner.line, name)
    ask = Ask(reg, entry, owner.line.number_at(value, name) if colon else None)
    if colon and ask.value >> (entry.hi - entry.lo + 1):
        owner.line.fail(f"{value} does not fit field {name}")
    return ask


def check_alias(box, event, owner):
    target = owner.values.get("alias")
    if target is None:
        return
    rows = box.events if owner is event else event.umasks
    others = [r.name for r in rows if r is not owner]
    if target not in others:
        owner.line.unknown(f"{owner.name} is an alias of {target}, which {box.name} has not", target, others)


def check_within(box, event, owner):
    """Of a subevent: those of its event that take it in.  Of an event: the one that does."""
    for key in ("within", "within_other"):
        if owner is event and key in event.values:
            owner.named.within = [find_event(box, owner, event.values[key])]
        elif key in owner.values:
            owner.named.within = [event.umasks.index(find_umask(event, owner, n)) for n in owner.values[key]]
    if owner is not event and owner.named.within and len(event.umasks) > 64:
        owner.line.fail(f"{event.name} has more than 64 subevents")


def check_keys(box):
    """Look up what keys name."""
    for event, owner in owners(box):
        values, named = owner.values, owner.named
        named.needs = [parse_need(box, owner, w) for w in values.get("needs", [])]
        named.asks = [parse_ask(box, owner, w) for w in values.get("param", [])]
        named.subs = [find_reg(box, owner, n) for n in values.get("sub", [])]
        for key in ("rest", "live"):
            if key in values:
                setattr(named, key, find_field(box, owner.line, values[key]))
        if "rest" in values and "scale" not in values or "live" in values and "rest" not in values:
            owner.line.fail("`live` belongs to `rest`, and `rest` to `scale`")
        if "reg" in values:
            named.reg = find_reg(box, owner, values["reg"])
        check_alias(box, event, owner)
        check_within(box, event, owner)
    check_ports(box)


def check_units(box):
    """
    What drives an event says what it can count: a clock its own clocks, what lasts clocks or entries, and `by=queue` also
    how often it begins or ends.
    """
    for event, owner in owners(box):
        units = {"clock": ["clocks"], "counter0": ["entry-clocks"]}.get(event.binding, UNITS)
        if event.signal and event.signal.level:
            units = ["clocks", "entry-clocks"]
        if "queue" in event.values.get("by", []):
            units = ["events", "clocks"]
        wanted = ["entry-clocks"] if "scale" in owner.values else units
        if owner.unit not in wanted:
            owner.line.fail(f"{owner.name} counts {owner.unit}, but what drives it gives {' or '.join(wanted)}")


def check_ports(box):
    """`ports N by STEP|FIELD`: the field is one of the control's."""
    if box.ports % box.sets:
        box.port_line.fail(f"{box.ports} ports for {box.sets} sets of counters")
    fields = [f.name for r in box.regs if r.role == "ctl" for f in r.fields]
    if box.ports and not box.port_by.isdigit() and box.port_by not in fields:
        box.port_line.unknown(f"no field {box.port_by} in the control", box.port_by, fields)
