#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Put the report's page together and write it as two C arrays: what stands before its data, and what stands behind.

usage: pagegen.py OUT.h PAGE.html FILE...

Lines of PAGE.html that are `@styles@`, `@licenses@`, `@library@`, `@scripts@` or `@data@` stand for the style sheets, the licence
texts, scripts of others (*.min.js), our scripts, and the data.
"""
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def without_map(text):
    """A library without the address of its source map, which a browser would look for."""
    return "\n".join(line.split("/*# sourceMappingURL")[0] for line in text.splitlines()
                     if not line.startswith("//# sourceMappingURL"))


def script(text, name):
    if "</script" in text.lower() or "<!--" in text:
        sys.exit(f"{name}: the text would end the element that it is to stand in")
    return without_map(text)


def assemble(page, paths):
    """The text before the data and behind them."""
    kinds = {"@styles@": [], "@licenses@": [], "@library@": [], "@scripts@": []}
    for path in paths:
        kind = ("@styles@" if path.endswith(".css") else "@licenses@" if path.endswith(".txt") else
                "@library@" if path.endswith(".min.js") else "@scripts@")
        text = read(path)
        kinds[kind].append(script(text, path) if path.endswith(".js") else without_map(text))
    for kind, texts in kinds.items():
        if page.count(f"{kind}\n") != 1:
            sys.exit(f"{kind} is not one line of the page")
        page = page.replace(f"{kind}\n", "\n".join(texts) + "\n")
    before, mark, after = page.partition("@data@\n")
    if not mark:
        sys.exit("@data@ is not a line of the page")
    return before, after


def c_array(name, text):
    data = text.encode()
    rows = [", ".join(str(byte) for byte in data[i:i + 32]) for i in range(0, len(data), 32)]
    return (f"static const unsigned char {name}[] = {{\n\t" + ",\n\t".join(rows) +
            f"\n}};\nstatic const size_t {name}_size = sizeof {name};\n")


def main(argv):
    before, after = assemble(read(argv[2]), argv[3:])
    with open(argv[1], "w", encoding="utf-8") as out:
        out.write("/* Made by tools/pagegen.py. */\n#include <stddef.h>\n" + c_array("page_before", before) +
                  c_array("page_after", after))


if __name__ == "__main__":
    main(sys.argv)
