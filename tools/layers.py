#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fail when an #include points where its layer may not look (README.md has the picture), or a C file names a family of Xeons,
whose facts belong in its folder of the catalogue.

usage: layers.py SOURCE-ROOT
"""
import os
import re
import sys

# Who may include whom; the public header counts as `boxscore`.
ALLOWED = {
    "base": {"boxscore"},
    "catalog": {"base"},
    "signal": {"base", "ids"},
    "pmu": {"base", "catalog", "signal"},
    "xcore": {"base", "signal", "ids"},
    "uncore": {"base", "signal", "ids", "xcore"},
    "ia64": {"base"},
    "icore": {"base", "signal", "ids", "ia64"},
    "access": {"base", "catalog"},
    "measure": {"base", "catalog", "access"},
    # Linux's part for perf: sees registers only, as measuring does.
    "perf": {"base", "catalog", "access"},
    # The registers of the computer that this runs on.
    "local": {"base", "catalog", "access"},
    "machine": {"base", "catalog", "signal", "ids", "pmu", "xcore", "uncore", "ia64", "icore", "access"},
    "feed": {"base", "catalog", "signal", "xcore", "ia64", "icore", "machine"},
    # Inside an emulator: what it shares with the machine's process are the rings and the names of targets.
    "plugin": {"base", "xcore", "feed"},
    "emulator": {"base", "xcore", "feed", "plugin"},
    "virtual": {"base", "catalog", "signal", "pmu", "access", "perf", "machine", "feed", "plugin"},
    "api": {"base", "catalog", "signal", "pmu", "access", "measure", "local", "machine", "feed", "virtual",
            "boxscore"},
    # Readings become a page; what it says of events is in the catalogue.
    "report": {"boxscore"},
    "cli": {"boxscore", "report"},
}
# An Itanium is hardware of its own, with code of its own.
OF_ITS_OWN = {"poulson"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def target_of(name, layer):
    if name == "boxscore.h":
        return "boxscore"
    if name == "signal_ids.h":
        return "ids"
    folder, _, rest = name.partition("/")
    return folder if rest else layer


def families(root):
    """A pattern of the families' names."""
    catalog = os.path.join(root, "catalog")
    names = [n for n in sorted(os.listdir(catalog)) if os.path.exists(os.path.join(catalog, n, "family"))]
    return re.compile("|".join(n for n in names if n not in OF_ITS_OWN))


def check_file(path, layer, family, problems):
    with open(path, encoding="utf-8") as src:
        for number, line in enumerate(src, 1):
            if family.search(line):
                problems.append(f"{path}:{number}: names the family {family.search(line)[0]}; say it in its catalogue")
            match = INCLUDE.match(line)
            if not match:
                continue
            target = target_of(match[1], layer)
            if target != layer and target not in ALLOWED[layer]:
                problems.append(f"{path}:{number}: layer {layer} may not include {match[1]}")


def main(argv):
    root = argv[1]
    family, problems = families(root), []
    for base, layers in (("src", sorted(os.listdir(os.path.join(root, "src")))), (".", ["cli"])):
        for layer in layers:
            top = os.path.join(root, base, layer)
            if layer not in ALLOWED:
                problems.append(f"{top}: no such layer")
                continue
            for folder, _, files in os.walk(top):
                for name in sorted(files):
                    if name.endswith((".c", ".h")):
                        check_file(os.path.join(folder, name), layer, family, problems)
    print("\n".join(problems) if problems else "layers: clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
