#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn the instruction encodings of IA-64 into a const C table.

usage: ia64gen.py ENCODINGS.txt OUTPUT.h

The input's head and docs/reference/model-ia64.md describe the format.  Anything that is not understood, a field that does not exist, bits
given twice and two forms that claim the same bits stop with FILE:LINE.
"""
import re
import sys

GROUP = re.compile(r"\{([^}]*)\}@(\w+)")
UNITS = "AIMBFX"
FLAGS = ("alias", "always")
MAX_GROUPS = 4


class Wrong(Exception):
    pass


class Form:
    def __init__(self, line):
        self.line, self.mask, self.match, self.same = line, 0, 0, False
        self.groups, self.flags = [], []


def field_bits(field, value):
    """The value's bits where the field's pieces have them."""
    bits, shift = 0, 0
    for pos, width in field:
        bits |= (value >> shift & ((1 << width) - 1)) << pos
        shift += width
    if value >> shift:
        raise Wrong(f"value {value} does not fit its field of {shift} bits")
    return bits


def field_mask(field):
    return field_bits(field, (1 << sum(width for _, width in field)) - 1)


def parse_field(words, fields):
    numbers = [int(word, 0) for word in words[1:]]
    if len(numbers) < 2 or len(numbers) % 2 or len(numbers) > 6:
        raise Wrong("a field is NAME POS WIDTH, with up to three pieces")
    if words[0] in fields:
        raise Wrong(f"field {words[0]} is there already")
    fields[words[0]] = list(zip(numbers[::2], numbers[1::2]))


def find_field(fields, name):
    if name not in fields:
        raise Wrong(f"no field {name}")
    return fields[name]


def parse_group(text, field):
    alternatives, value = [], 0
    for word in text.split("|"):
        if word != "~":
            name, given, number = word.partition("=")
            value = int(number, 0) if given else value
            field_bits(field, value)
            alternatives.append((value, name))
        value += 1
    return alternatives


def claim(form, mask, match):
    if form.mask & mask:
        raise Wrong("bits are given twice")
    form.mask |= mask
    form.match |= match


def parse_bits(form, words, fields):
    for word in words:
        if word == "f2==f3":
            form.same = True
            continue
        name, equals, value = word.partition("=")
        if not equals:
            raise Wrong(f"{word} is not FIELD=VALUE")
        field = find_field(fields, name)
        claim(form, field_mask(field), field_bits(field, int(value, 0)))


def parse_name(form, name, fields):
    taken = 0
    for text, field_name in GROUP.findall(name):
        field = find_field(fields, field_name)
        if taken & field_mask(field) or form.mask & field_mask(field):
            raise Wrong(f"field {field_name} has its value already")
        taken |= field_mask(field)
        form.groups.append((parse_group(text, field), field))
    if len(form.groups) > MAX_GROUPS:
        raise Wrong(f"more than {MAX_GROUPS} completers")
    count = iter(range(1, MAX_GROUPS + 1))
    form.name = GROUP.sub(lambda _: f"\\{next(count)}", name)
    if re.search(r"[{}@|]", form.name):
        raise Wrong("a completer is {a|b}@FIELD")


def parse_form(line, text, fields):
    parts = [part.split() for part in text.split(";")]
    if len(parts) != 3 or len(parts[0]) != 3 or not parts[2]:
        raise Wrong("a form is UNIT NAME OPERANDS ; BITS ; RUN [FLAG]")
    form = Form(line)
    form.unit, name, form.operands = parts[0]
    if form.unit not in UNITS:
        raise Wrong(f"no unit {form.unit}")
    parse_bits(form, parts[1], fields)
    parse_name(form, name, fields)
    form.run, form.flags = parts[2][0], parts[2][1:]
    if set(form.flags) - set(FLAGS):
        raise Wrong(f"flags are {', '.join(FLAGS)}")
    return form


def may_be(form, field, other):
    """Whether the other form's fixed bits leave one of the alternatives of a completer."""
    alternatives, pieces = field
    mask = field_mask(pieces) & other.mask
    return any(field_bits(pieces, value) & mask == other.match & mask for value, _ in alternatives)


def compatible(one, other):
    """Whether two completers have alternatives that agree where their fields share bits."""
    (values, pieces), (others, other_pieces) = one, other
    common = field_mask(pieces) & field_mask(other_pieces)
    return bool({field_bits(pieces, value) & common for value, _ in values} &
                {field_bits(other_pieces, value) & common for value, _ in others})


def overlap(a, b):
    common = a.mask & b.mask
    if a.match & common != b.match & common:
        return False
    for one, two in ((a, b), (b, a)):
        if not all(may_be(one, group, two) for group in one.groups):
            return False
    return all(compatible(one, other) for one in a.groups for other in b.groups)


def read(path):
    fields, forms = {}, []
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            text = line.split("#")[0].strip()
            if not text:
                continue
            try:
                words = text.split()
                if words[0] == "field":
                    parse_field(words[1:], fields)
                else:
                    forms.append(parse_form(number, text, fields))
            except (Wrong, ValueError) as wrong:
                raise Wrong(f"{path}:{number}: {wrong}") from None
    check(path, forms)
    return forms


def check(path, forms):
    for i, form in enumerate(forms):
        for later in forms[i + 1:]:
            units = {form.unit, later.unit}
            if len(units) > 1 and not (units & {"A"} and units & {"I", "M"}):
                continue
            if "alias" not in form.flags and overlap(form, later):
                raise Wrong(f"{path}:{later.line}: has the bits of line {form.line}")


def operand_words(forms):
    return sorted({word for form in forms for word in re.split(r"[=,\[\]]", form.operands) if word not in ("", "-")})


def emit_group(group):
    alternatives, pieces = group
    rows = ", ".join(f'{{ {value}, "{name}" }}' for value, name in alternatives)
    places = ", ".join(f"{{ {pos}, {width} }}" for pos, width in pieces)
    return f"{{ {len(alternatives)}, {{ {places} }}, (const struct alternative[]){{ {rows} }} }}"


def emit_operands(form, words):
    text = "" if form.operands == "-" else form.operands
    return re.sub(r"[^=,\[\]]+", lambda m: f'" "\\x{0x80 + words.index(m[0]):02x}" "', text)


def emit(forms, out):
    words = operand_words(forms)
    runs = sorted({form.run for form in forms})
    print("/* Generated from encodings.txt. */", file=out)
    print("#ifdef ENCODING_NAMES", file=out)
    print("enum operand {", *(f"\tOPERAND_{word.upper().replace('.', '_')}," for word in words), "};", file=out, sep="\n")
    print("enum run {", *(f"\tRUN_{run.upper()}," for run in runs), "\tRUNS\n};", file=out, sep="\n")
    print("#endif\n#ifdef ENCODING_RUN", *(f"ENCODING_RUN({run}, RUN_{run.upper()})" for run in runs), "#endif",
          file=out, sep="\n")
    print("#ifdef ENCODING_FORMS\nstatic const struct form forms[] = {", file=out)
    for form in forms:
        groups = ", ".join(emit_group(group) for group in form.groups)
        print(f"\t{{ '{form.unit}', {str(form.same).lower()}, {str('always' in form.flags).lower()}, "
              f"{str('alias' in form.flags).lower()}, RUN_{form.run.upper()}, {len(form.groups)}, {form.mask:#x}, "
              f"{form.match:#x}, \"{form.name}\", \"{emit_operands(form, words)}\", "
              f"{{ {groups or '{ 0, { { 0, 0 } }, 0 }'} }} }},", file=out)
    print("};\n#endif", file=out)


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__)
    try:
        forms = read(argv[1])
    except Wrong as wrong:
        sys.exit(str(wrong))
    with open(argv[2], "w", encoding="utf-8") as out:
        emit(forms, out)


if __name__ == "__main__":
    main(sys.argv)
