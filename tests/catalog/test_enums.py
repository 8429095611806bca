#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The generator numbers words as the enums of src/catalog do.

usage: test_enums.py TOOLS-DIR CATALOG-HEADER...
"""
import os
import re
import sys

sys.path.insert(0, sys.argv[1])
sys.path.insert(1, os.path.dirname(__file__))
from rows import finish, row  # noqa: E402
from catgen_emit import BINDINGS  # noqa: E402
from catgen_keys import BY, CHOICES, SCOPES  # noqa: E402
from catgen_model import (ATTRS, HOLDS, KINDS, MATCHES, MECHANISMS, ROLES, RULES, SPACES, TAGS, UNITS)  # noqa: E402
from catgen_names import KINDS as ALIASES, TOOLS as OTHER_TOOLS  # noqa: E402
from catgen_pci import BUSES, DWORDS  # noqa: E402
from catgen_product import HARDWARE, LACKS, MEMORIES, MISBEHAVIOURS, OWN  # noqa: E402

# Enum, what its names start with, the words in order; bits: the n-th word is bit n.
ENUMS = [
    ("cat_space", "CAT_", SPACES, False), ("cat_bus", "CAT_BUS_", BUSES, False), ("cat_role", "CAT_", ROLES, False),
    ("cat_attr", "CAT_", ATTRS, False), ("cat_match", "CAT_MATCH_", MATCHES, False),
    ("cat_tag", "CAT_TAG_", ["none", *TAGS], False), ("cat_holds", "CAT_HOLDS_", HOLDS, False),
    ("cat_scope", "CAT_SCOPE_", SCOPES, True), ("cat_choose", "CAT_CHOOSE_", CHOICES, False),
    ("cat_by", "CAT_BY_", BY, True), ("cat_mechanism", "CAT_USES_", MECHANISMS, False),
    ("cat_rule", "CAT_RULE_", RULES, True), ("cat_unit", "CAT_", UNITS, False),
    ("cat_umask_kind", "CAT_UMASK_", ["exact" if k == "umask" else k for k in KINDS], False),
    ("cat_binding", "CAT_BIND_", BINDINGS, False), ("cat_tool", "CAT_TOOL_", OTHER_TOOLS, False),
    ("cat_alias_kind", "CAT_ALIAS_", ALIASES, False), ("cat_dword_what", "CAT_DWORD_", DWORDS, False),
    ("cat_hardware", "CAT_HARDWARE_", HARDWARE, False), ("cat_memory", "CAT_MEMORY_", MEMORIES, False),
    ("cat_lacks", "CAT_LACKS_", LACKS, True), ("cat_leaf_own", "CAT_OWN_", OWN, False),
    ("cat_misbehaviour", "CAT_ERRATUM_", MISBEHAVIOURS, False),
]

text = ""
for path in sys.argv[2:]:
    with open(path, encoding="ascii") as header:
        text += re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
for enum, prefix, words, bits in ENUMS:
    body = re.search(rf"enum {enum} {{(.*?)}};", text, re.S)[1]
    got, value = {}, 0
    for item in filter(None, (i.strip() for i in body.split(","))):
        name, _, number = item.partition(" = ")
        value = eval(number) if number else value  # noqa: S307: numbers and shifts of our own header
        got[name] = value
        value += 1
    row(got, {prefix + w.upper().replace("-", "_"): 1 << n if bits else n for n, w in enumerate(words)})
row(list(KINDS.values()), list(range(len(KINDS))))

finish()
