#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turn the catalogue (catalog/, grammar in docs/reference/catalogue.md) into constant C tables.

usage: catgen.py CATALOG-DIR TABLES.c SIGNAL_IDS.h DEPFILE

Strict: every line that is not understood, every gap in a register, every name used twice stops the
build with file:line.  Python standard library only.
"""
import os
import sys

from catgen_emit import emit_signal_ids, emit_tables
from catgen_load import load
from catgen_model import CatalogError


def write_if_changed(path, text):
    """Keep the time stamp of an unchanged output, so nothing is rebuilt for it."""
    try:
        with open(path, encoding="ascii") as old:
            if old.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def main(argv):
    if len(argv) != 5:
        sys.exit(__doc__)
    root, tables, ids, depfile = argv[1:]
    try:
        catalog = load(root)
    except CatalogError as err:
        sys.exit(str(err))
    write_if_changed(tables, emit_tables(catalog))
    write_if_changed(ids, emit_signal_ids(catalog))
    with open(depfile, "w", encoding="utf-8") as dep:
        dep.write(f"{tables} {ids}: {' '.join(os.path.abspath(f) for f in catalog.files)}\n")


if __name__ == "__main__":
    main(sys.argv)
