# SPDX-License-Identifier: BSD-2-Clause
"""Does a box hold together?  What its events and subevents name has to be there, and once."""
from catgen_model import UNITS, Need, unique


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


def check_units(box):
    """What drives an event says what it can count: a clock its own clocks, what lasts clocks or entries."""
    for event in box.events:
        units = {"clock": ["clocks"], "counter0": ["entry-clocks"]}.get(event.binding, UNITS)
        if event.signal and event.signal.level:
            units = ["clocks", "entry-clocks"]
        for owner in [event] + event.umasks:
            wanted = ["entry-clocks"] if key_words(owner, "scale") else units
            if owner.unit not in wanted:
                owner.line.fail(f"{owner.name} counts {owner.unit}, but what drives it gives {' or '.join(wanted)}")


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
