# SPDX-License-Identifier: BSD-2-Clause
"""The keys of the catalogue's lines, `key=value`: a closed list for each kind of line, each key with a type.

A type reads the text of a value and refuses what it does not understand.  What a value names in its box, such as
a field or a register, is looked up once the whole box is read (catgen_check.py).
"""
import re

from catgen_model import HOLDS, SHARED_BY

SOURCES = "inferred libpfm4 likwid linux perfmon".split()
SCOPES = "iar opc dar dref".split()
# What an event is told apart by beside its mask; the mechanism that its box uses compares it.
BY = ("packet class opcode addr out snoops mark directory buffer dimm rank dispatch latency width prefetch "
      "ring queue").split()
CHOICES = "any one both".split()
# Keys of a machine's specification that switch a part of the hardware on, and all that describe a product.
SWITCHES = "vmse".split()
PART_KEYS = ("sockets cores threads base_mhz turbo_mhz turbo_all_mhz tdp_watts llc_slices llc_slice_kb llc_ways sbos "
             "has imcs channels ddr_mts dimms_per_channel ranks qpi_links qpi_mts vmse snoop").split()
AREAS = ("Basic Branch DPF Dispersal Execution FLD FLDTLB FLI FLITLB LLC MLD MLDTLB MLI MLITLB Multithreading RIL RSE "
         "Stall System arb bz cke commands cycles dc depth dispatch-queue dram fvc imt iob local-cc local-egr "
         "local-egress local-llc local-maf match mem-hint misc nsl page-table qlx queue-occupancy retry rfp "
         "ring-bound-credits ring-bound-enhancement ring-bound-queue ring-bound-transmission ring-egress ring-wir rix "
         "snp system-bound-credits system-bound-enhancement system-bound-queue system-bound-transmission "
         "thermal").split()


def number(line, key, value):
    return line.number_at(value, key)


def power(line, key, value):
    got = line.number_at(value, key)
    if got < 2 or got & (got - 1):
        line.fail(f"{key} is {value}, expected a power of two")
    return got


def masks(line, key, value):
    """One or two masks: `0x0f/0x70`."""
    got = [line.number_at(v, key) for v in value.split("/")]
    if len(got) > 2 or 0 in got:
        line.fail(f"{key} is {value}, expected MASK or MASK/MASK")
    return got


def enum(*words):
    def read(line, key, value):
        return line.one_of(key, value, words)
    return read


def several(words):
    def read(line, key, value):
        return [line.one_of(key, word, words) for word in value.split(",")]
    return read


def matching(pattern, what):
    def read(line, key, value):
        if not re.match(rf"^(?:{pattern})$", value):
            line.fail(f"{key} is {value!r}, expected {what}")
        return value
    return read


def names(line, key, value):
    """A comma list of names that the box, or the family, has to have."""
    if not all(value.split(",")):
        line.fail(f"{key} is {value!r}, expected a list of names")
    return value.split(",")


name = matching(r"[^,]+", "a name")
section = matching(r"\d+(\.\d+)*", "the number of a section")
note = matching(r"\S+", "a remark without blanks")

# For showing alone, in any line that has keys.
REMARKS = {"src": enum(*SOURCES), "note": note}

PARAMETERS = {"needs": names, "param": names, "scale": power, "rest": name, "live": name}

EVENT_KEYS = {
    **REMARKS, **PARAMETERS,
    "area": enum(*AREAS), "section": section, "also": names, "alias": name, "by": several(BY),
    "choose": enum("one", "both"), "counter": enum("fixed"), "each": masks, "mask": enum("ignored"),
    "occupancy": enum("tally"), "part": enum(*SWITCHES), "reg": name, "sub": names,
    "within": name, "within_other": name,
    "mt": enum("A", "C", "F"), "ipear_l": number, "ipear_p": number,
    **{scope: enum("no", "yes", "some") for scope in SCOPES},
}
EVENT_FLAGS = ["once"]

# `within` of a subevent names others of its event, which take in what it counts.
UMASK_KEYS = {**REMARKS, **PARAMETERS, "alias": name, "message": name, "qualifies": enum("others"), "within": names,
              "implied": number}
UMASK_FLAGS = ["alone", "nothing"]

REG_KEYS = {"src": enum(*SOURCES), "narrows": several(SCOPES), "holds": enum(*HOLDS[1:]), "counts": name,
            "thresh": number, "per": enum(*SHARED_BY), "write": enum("gp")}

WORDS = {"event": (EVENT_KEYS, EVENT_FLAGS, "ctr max unit ext filter".split()),
         "umask": (UMASK_KEYS, UMASK_FLAGS, "zero ctr unit filter".split())}


def take_key(line, word, keys, got):
    """`key=value` into got, read by its type; got[key] is there once at most."""
    key, _, value = word.partition("=")
    if key not in keys:
        line.unknown(f"no key {key}", key, keys)
    if key in got:
        line.fail(f"{key} given twice")
    if not value:
        line.fail(f"{key} has no value")
    got[key] = keys[key](line, key, value)


def parse_options(line, words, kind):
    """
    `max 2 filter a,b once key=value` into two dictionaries: options with their word, keys with their value; and the
    keys as they are written, for showing.
    """
    keys, flags, options = WORDS[kind]
    got, values, shown = {}, {}, []
    while words:
        word = words.pop(0)
        if "=" in word:
            take_key(line, word, keys, values)
            shown.append(word)
        elif word in flags:
            if word in values:
                line.fail(f"{word} given twice")
            values[word] = True
            shown.append(word)
        elif word in options and words:
            if word in got:
                line.fail(f"{word} given twice")
            got[word] = words.pop(0)
        else:
            line.unknown(f"do not understand {word!r}", word, options + flags + [k + "=" for k in keys])
    return got, values, " ".join(shown)
