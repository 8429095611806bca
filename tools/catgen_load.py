# SPDX-License-Identifier: BSD-2-Clause
"""The catalogue put together: signals, bindings, metrics, packets and families around the boxes."""
import os
import re

from catgen_box import parse_box
from catgen_check import check_filters, check_keys, check_units, find_field, owners
from catgen_keys import PART_KEYS
from catgen_linux import parse_linux
from catgen_model import (HOLDS, TAKES, THREAD_SPACES, Catalog, CatalogError, Family, Signal, Text, Value, check_text,
                          read_lines, unique)
from catgen_names import parse_names
from catgen_pci import parse_pci
from catgen_product import PRODUCT_FILES


def parse_signals(catalog, path):
    stem = os.path.basename(path)[:-4]
    signals, values, seen = [], [], {}
    for line in read_lines(catalog, path):
        words = line.tokens
        if words[0] == "value":
            values.append(parse_value(line, stem, values))
            continue
        if words[0] != "signal" or len(words) < 4 or words[2] not in ("pulse", "level"):
            line.fail('expected: signal TYPE.NAME pulse|level FLAG... "text", or value TYPE.NAME "text"')
        box, _, name = words[1].partition(".")
        if box != stem or not re.match(r"^[a-z][a-z0-9_]*$", name):
            line.fail(f"signal {words[1]}, expected {stem}.name in lower case")
        unique(line, name, seen, "signal")
        flags = words[3:-1]
        if len(flags) > 64 or len(set(flags)) != len(flags):
            line.fail("at most 64 flags, each once")
        for flag in flags:
            if not re.match(r"^[a-z][a-z0-9_]*$", flag):
                line.fail(f"flag {flag!r}")
        signals.append(Signal(line, name, words[2] == "level", flags, check_text(line, words[-1])))
    catalog.signals[stem], catalog.values[stem] = signals, values


def parse_value(line, stem, values):
    """`value TYPE.NAME "text"`: what hardware knows and a register shows."""
    words = line.tokens
    if len(words) != 3 or not re.match(rf"^{stem}\.[a-z][a-z0-9_]*$", words[1]):
        line.fail(f'expected: value {stem}.NAME "text"')
    name = words[1].partition(".")[2]
    unique(line, name, {v.name: v.line for v in values}, "value")
    return Value(line, name, check_text(line, words[2]))


def parse_condition(line, words, signal):
    """`a !b | c` into (care, want) pairs."""
    conds = []
    for alternative in " ".join(words).split("|"):
        care = want = 0
        terms = alternative.split()
        if not terms:
            line.fail("empty alternative in the condition")
        for term in terms:
            flag = term.lstrip("!")
            if flag not in signal.flags:
                line.unknown(f"signal {signal.name} has no flag {flag}", flag, signal.flags)
            bit = 1 << signal.flags.index(flag)
            care |= bit
            want |= 0 if term.startswith("!") else bit
        conds.append((care, want))
    return conds


def parse_bind(catalog, box, path):
    events = {e.name: e for e in box.events}
    free = {r.name: r for r in box.regs if r.role == "free"}
    regs = {r.name: r for r in box.regs}
    seen = {}
    for line in read_lines(catalog, path):
        words = line.tokens
        if words[0] in regs and words[1:2] in (["<-"], ["starts"]):
            unique(line, words[0], seen, "binding of")
            bind_value(catalog, box, regs[words[0]], line)
            continue
        if words[1:2] == ["takes"]:
            bind_field(box, line, seen)
            continue
        if words[0] in free:
            unique(line, words[0], seen, "binding of")
            line.one_of("no binding of a register", " ".join(words[1:]), ["none"])
            free[words[0]].undriven = True
            continue
        if words[0] == "signals" and len(words) == 2 and not seen:
            if words[1] not in catalog.signals:
                line.unknown(f"no signals of {words[1]} are declared", words[1], catalog.signals)
            box.signals = words[1]
            continue
        name, _, sub = words[0].partition(".")
        if words[0] in events:
            name, sub = words[0], ""
        event = events.get(name)
        if event is None:
            unbound(line, regs, f"{box.name} has no event {name}", [*events, *regs, "signals"])
        unique(line, words[0], seen, "binding of")
        if len(words) >= 3 and words[1] in ("<-", "none<-") and not sub:
            bind_event(catalog, box, event, line)
            event.undriven = words[1] == "none<-"
        elif len(words) >= 3 and words[1] in ("?", "none?") and sub:
            umask = next((u for u in event.umasks if u.name == sub), None)
            if umask is None:
                line.unknown(f"{event.name} has no subevent {sub}", sub, [u.name for u in event.umasks])
            if event.signal is None:
                line.fail(f"bind {event.name} first")
            umask.conds = parse_condition(line, words[2:], event.signal)
            umask.undriven = words[1] == "none?"
        else:
            line.unknown("expected: EVENT <- SIGNAL [? condition] or EVENT.SUBEVENT ? condition",
                         words[1] if len(words) > 1 else "", ["?", "none?"] if sub else ["<-", "none<-"])


def unbound(line, regs, why, choices):
    """The line binds no event: perhaps it binds a register, or a field of one, in other words."""
    name, word = line.tokens[0], line.tokens[1] if len(line.tokens) > 1 else ""
    if name in regs:
        line.unknown(f"no binding of a register {word}", word, ["<-", "starts"])
    if name.partition(".")[0] in regs:
        line.unknown(f"no binding of a field {word}", word, ["takes"])
    line.unknown(why, name.partition(".")[0], choices)


def bind_value(catalog, box, reg, line):
    """`REGISTER <- TYPE.VALUE`, or `starts`, where it is so only until it is written."""
    names = [f"{box.signals}.{v.name}" for v in catalog.values.get(box.signals, [])]
    if len(line.tokens) != 3:
        line.fail("expected: REGISTER <- VALUE or REGISTER starts VALUE")
    reg.shows = names.index(line.one_of("no value", line.tokens[2], names))
    reg.starts = line.tokens[1] == "starts"


def bind_field(box, line, seen):
    """`REGISTER.FIELD takes KIND [? condition]`: of the signal of the event that the register narrows by `sub`."""
    words = line.tokens
    where, entry = find_field(box, line, words[0])
    event = next((e for e in box.events if where in e.named.subs), None)
    if event is None or event.signal is None:
        line.fail(f"{where.name} narrows no event that is bound above")
    if len(words) < 3 or len(words) > 3 and (words[3] != "?" or len(words) < 5):
        line.fail("expected: REGISTER.FIELD takes KIND [? condition]")
    kind = line.one_of("no kind", words[2], TAKES)
    unique(line, f"{words[0]} takes {kind}", seen, "binding")
    entry.takes.append((TAKES.index(kind), parse_condition(line, words[4:], event.signal) if len(words) > 3 else []))


def bind_event(catalog, box, event, line):
    target = line.tokens[2]
    if target in ("clock", "counter0", "own"):
        event.binding = target
        return
    names = [f"{box.signals}.{signal.name}" for signal in catalog.signals.get(box.signals, [])]
    if target not in names:
        line.unknown(f"no signal {target} is declared for {box.signals}", target, ["clock", "counter0", "own", *names])
    event.binding, event.signal = "signal", catalog.signals[box.signals][names.index(target)]
    if len(line.tokens) > 3:
        if line.tokens[3] != "?":
            line.fail(f"do not understand {line.tokens[3]!r}")
        event.conds = parse_condition(line, line.tokens[4:], event.signal)


def take_unit(line, row):
    """The indented line `unit NAME` of a row; False: the line is another."""
    words = line.tokens
    if words[0] != "unit" or len(words) != 2:
        return False
    row["unit"] = str(words[1])
    return True


EACH = ["nodes", "ranks"]       # what `x` in the name and the equation of a metric stands for


def parse_metrics(catalog, family, path):
    current, seen = None, {}
    for line in read_lines(catalog, path):
        words = line.tokens
        if line.indented and current is not None:
            if isinstance(words[0], Text):
                current["text"] = check_text(line, words[0])
            elif words[0] == "each" and len(words) == 2:
                current["each"] = line.one_of("no variable of", words[1], EACH)
            elif not take_unit(line, current):
                line.unknown(f"a metric has no {words[0]}", words[0], ["unit", "each"])
        elif words[0] == "metric" and len(words) >= 5 and words[3] == "=":
            line.one_of("no box type", words[1], family.box_names)
            unique(line, (words[1], words[2]), seen, "metric")
            current = {"line": line, "box": words[1], "name": words[2], "text": "", "unit": "", "each": "",
                       "equation": line.raw.partition(" = ")[2].strip()}
            family.metrics.append(current)
        else:
            line.fail("expected: metric BOX NAME = EQUATION")
    for metric in family.metrics:
        if not metric["text"]:
            metric["line"].fail(f"metric {metric['name']} has no text")


# What equations name that is no event: see src/measure/metric.h.
QUANTITIES = {"SECONDS", "INST_RETIRED.ALL", "CORE_CYCLES"}
OPERAND = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)(?:{([^}]*)})?")


def check_operand(line, family, own, name, settings):
    """`box.EVENT.SUBEVENT{field=value}`, or without box of the own one, names what there is."""
    box, _, rest = name.partition(".")
    if box not in family.box_names:
        box, rest = own, name
    boxes = {b.name: b for b in family.boxes}
    if box not in boxes:
        line.unknown(f"{name} needs a box type", name, [*sorted(QUANTITIES), *(f"{b}.{rest}" for b in boxes)])
    # Events have dots in their names themselves.
    found = max((e for e in boxes[box].events if f"{rest}.".startswith(f"{e.name}.")), key=lambda e: len(e.name),
                default=None)
    if found is None:
        line.unknown(f"no event {rest} in {box}", rest, [e.name for e in boxes[box].events] + sorted(QUANTITIES))
    sub = rest[len(found.name) + 1:]
    if sub and all(u.name != sub for u in found.umasks):
        line.unknown(f"{found.name} has no subevent {sub}", sub, [u.name for u in found.umasks])
    fields = [f.name for r in boxes[box].regs for f in r.fields] + HOLDS[1:] + ["port"]
    for setting in settings.split(",") if settings else []:
        name = setting.partition("=")[0]
        if name not in fields:
            line.unknown(f"{box} has no field {name}", name, fields)


def parse_defaults(catalog, family, path):
    current, seen = None, {}
    for line in read_lines(catalog, path):
        words = line.tokens
        if line.indented and current is not None:
            if isinstance(words[0], Text):
                current["text"] = check_text(line, words[0])
            elif not take_unit(line, current):
                line.unknown(f"a default has no {words[0]}", words[0], ["unit"])
        elif words[0] == "default" and len(words) >= 5 and words[3] == "=":
            line.one_of("no box type", words[1], family.box_names + ["all"])
            unique(line, words[2], seen, "default")
            current = {"line": line, "box": words[1], "name": words[2], "text": "", "unit": "",
                       "equation": line.raw.partition(" = ")[2].strip()}
            for name, settings in OPERAND.findall(current["equation"]):
                if name not in QUANTITIES:
                    check_operand(line, family, words[1], name, settings)
            family.defaults.append(current)
        else:
            line.fail("expected: default BOX NAME = EQUATION")
    for row in family.defaults:
        for part in ("text", "unit"):
            if not row[part]:
                row["line"].fail(f"default {row['name']} has no {part}")


def parse_packets(catalog, family, path):
    for line in read_lines(catalog, path):
        words = line.tokens
        if words[0] == "packet" and len(words) == 5:
            family.packets.append((words[1], line.number_at(words[2], "opcode"), words[3],
                                   check_text(line, words[4])))
        elif words[0] == "message" and len(words) == 11 and \
                words[2:9:2] == ["match0", "mask0", "match1", "mask1"]:
            numbers = [line.number_at(w, "mask") for w in words[3:10:2]]
            family.messages.append((words[1], numbers, check_text(line, words[10])))
        else:
            line.fail('expected: packet CLASS OPCODE NAME "text" or '
                      'message NAME match0 N mask0 N match1 N mask1 N "text"')


def parse_family(catalog, path):
    family = None
    for line in read_lines(catalog, path):
        words = line.tokens
        if words[0] == "family" and len(words) == 3 and family is None:
            family = Family(line, words[1], check_text(line, words[2]))
        elif family is None:
            line.fail('the first line must be: family NAME "text"')
        elif words == ["default"]:
            family.default = True
        elif words[0] == "like" and len(words) == 2:
            family.like = words[1]
        elif words[0] == "source" and len(words) == 2:
            family.source = str(words[1])
        elif words[0] == "clock" and len(words) == 3:
            family.clocks.append((words[1], line.number_at(words[2], "kHz")))
        elif words[0] == "bus" and len(words) == 2:
            family.bus_khz = line.number_at(words[1], "kHz")
        elif words[0] == "processor" and len(words) == 3 and words[1] == "model":
            family.model = line.number_at(words[2], "model")
        elif words[0] == "boxes":
            family.box_names += words[1:]
            family.boxes_line = line
        elif words[0] == "part" and len(words) >= 2:
            parse_part(family, line)
        else:
            line.unknown(f"do not understand {words[0]!r}", words[0], "family default like source clock bus processor boxes part".split())
    if family and not family.bus_khz:
        family.line.fail("the family has no bus")
    return family


def parse_part(family, line):
    words = line.tokens[2:]
    default = bool(words) and words[0] == "default"
    params = []
    for word in words[default:]:
        key, eq, value = word.partition("=")
        if not eq or key not in PART_KEYS:
            line.unknown(f"parameter {word!r}, expected key=number", key, ["default", *PART_KEYS])
        params.append((key, line.number_at(value, key)))
    family.parts.append((line.tokens[1], default, params))


# ---------------------------------------------------------------- the whole

def check_messages(family):
    """`message=NAME` of a subevent names a message of the family."""
    names = [name for name, _, _ in family.messages]
    for box in family.boxes:
        for _, owner in owners(box):
            name = owner.values.get("message")
            if name is not None and name not in names:
                owner.line.unknown(f"no message {name}", name, names)


def places(box, reg):
    """Where the registers of a row are: the number of a box, and what the family has there once only."""
    window = box.window(reg)
    for number, base in enumerate(window.bases):
        for offset in reg.offsets:
            if window.space == "pci":
                yield from ((number, (window.bus, base, offset + i)) for i in range(reg.width // 8))
            elif window.space in THREAD_SPACES:
                yield number, (window.space, number, base + offset)  # each thread has its own
            else:
                yield number, (window.space, base + offset)


def check_addresses(family):
    taken = {}
    for box in family.boxes:
        for reg in box.regs:
            for number, place in places(box, reg):
                name = f"{reg.name} of {box.name}{number}"
                if place in taken:
                    reg.line.fail(f"{name} lies on {taken[place]}")
                taken[place] = name


def check_order(family):
    """Boxes whose counters are asked for, not told, stand last: the engine tells none behind them."""
    asked = ["cpu" in box.uses for box in family.boxes]
    if asked != sorted(asked):
        family.boxes_line.fail(f"{family.box_names[asked.index(True)]} uses cpu, so it has to stand last")


def own_conditions(event):
    """An event without a signal gets one flag for each subevent, so that a console can still pulse
    it; a subevent takes its own flag and those of the subevents that its mask contains."""
    if event.binding == "signal" or len(event.umasks) > 64:
        return
    for k, umask in enumerate(event.umasks):
        umask.conds = [(1 << k, 1 << k)]
        for j, other in enumerate(event.umasks):
            if other.umask and other.umask & umask.umask == other.umask != umask.umask:
                umask.conds.append((1 << j, 1 << j))


def file_of(root, family, name):
    """A file of a family's folder; if it has none, of the family that it is like."""
    own = os.path.join(root, family.name, name)
    return own if os.path.exists(own) or not family.like else os.path.join(root, family.like, name)


def load_family(catalog, root, name):
    base = os.path.join(root, name)
    catalog.files.append(base)
    family = parse_family(catalog, os.path.join(base, "family"))
    if family is None or family.name != name:
        raise CatalogError(f"{base}/family:1: the family is not called {name}")
    if family.like and not os.path.exists(os.path.join(root, family.like, "family")):
        family.line.unknown(f"no family {family.like}", family.like, sorted(os.listdir(root)))
    clocks = [c for c, _ in family.clocks]
    for box_name in family.box_names:
        path = file_of(root, family, box_name + ".box")
        if not os.path.exists(path):
            stems = [f[:-len(".box")] for f in sorted(os.listdir(base)) if f.endswith(".box")]
            family.boxes_line.unknown(f"{path} is missing", box_name, stems)
        box = parse_box(catalog, path)
        if box.name != box_name:
            box.line.fail(f"the box is not called {box_name}")
        if box.clock not in clocks:
            box.line.unknown(f"no clock {box.clock}", box.clock, clocks)
        check_filters(box)
        check_keys(box)
        box.signals = box_name
        bind = file_of(root, family, box_name + ".bind")
        if os.path.exists(bind):
            parse_bind(catalog, box, bind)
        check_units(box)
        for event in box.events:
            own_conditions(event)
        family.boxes.append(box)
    check_addresses(family)
    check_order(family)
    for stem, parser in (("metrics", parse_metrics), ("defaults", parse_defaults), ("packets", parse_packets),
                         ("pci", parse_pci), ("names", parse_names), ("linux", parse_linux), *PRODUCT_FILES):
        path = file_of(root, family, stem)
        if os.path.exists(path):
            parser(catalog, family, path)
    check_messages(family)
    return family


def list_folder(catalog, path):
    """Sorted names in a folder; the folder is a dependency, so that a new file is noticed."""
    if not os.path.isdir(path):
        return []
    catalog.files.append(path)
    return sorted(os.listdir(path))


def load(root):
    """Read the whole catalogue below `root`; raises CatalogError."""
    catalog = Catalog()
    signals = os.path.join(root, "signals")
    for entry in list_folder(catalog, signals):
        if entry.endswith(".sig"):
            parse_signals(catalog, os.path.join(signals, entry))
    for name in list_folder(catalog, root):
        if os.path.exists(os.path.join(root, name, "family")):
            catalog.families.append(load_family(catalog, root, name))
    catalog.families.sort(key=lambda family: not family.default)
    for family in catalog.families[1:]:
        if family.default:
            family.line.fail(f"{catalog.families[0].name} is the default already")
    return catalog
