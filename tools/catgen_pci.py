# SPDX-License-Identifier: BSD-2-Clause
"""The file `pci` of a family: the functions of a socket's configuration space that hold no counters."""
from catgen_box import parse_base
from catgen_model import Function, read_lines

BUSES = "uncore iio".split()
# What a dword of a function may hold, by name; src/pmu/pci.c works it out.
DWORDS = "node node_map die".split()
OPTIONS = "x same cores".split()


def parse_function(family, line):
    words = line.tokens[1:]
    if len(words) < 3:
        line.fail("expected: function BUS D<device>:F<function> ID [xCOUNT] [same] [cores FIRST]")
    got = Function(line, line.one_of("no bus", words[0], BUSES), parse_base(line, "pci", words[1]),
                   line.number_at(words[2], "device id"))
    rest = words[3:]
    while rest:
        word = rest.pop(0)
        if word.startswith("x"):
            got.count = line.number_at(word[1:], "count")
        elif word == "same":
            got.same = True
        elif word == "cores" and rest:
            got.core0 = line.number_at(rest.pop(0), "first core")
        else:
            line.unknown(f"do not understand {word!r}", word, OPTIONS)
    family.functions.append(got)


def parse_dword(family, line):
    words = line.tokens[1:]
    if len(words) != 3:
        line.fail("expected: dword ID OFFSET WHAT")
    family.dwords.append((line.number_at(words[0], "device id"), line.number_at(words[1], "offset"),
                          DWORDS.index(line.one_of("no dword", words[2], DWORDS))))


def parse_ids(family, line):
    ids = [line.number_at(word, "device id") for word in line.tokens[1:]]
    if line.tokens[0] == "odd":
        family.odd_functions += ids
    elif len(ids) == 1:
        family.buses_id = ids[0]
    else:
        line.fail("expected: buses ID")


DIRECTIVES = {"function": parse_function, "dword": parse_dword, "odd": parse_ids, "buses": parse_ids}


def parse_pci(catalog, family, path):
    for line in read_lines(catalog, path):
        DIRECTIVES[line.one_of("no directive", line.tokens[0], DIRECTIVES)](family, line)
