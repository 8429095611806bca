# SPDX-License-Identifier: BSD-2-Clause
"""Families that are like another: a file that begins `like FAMILY` says only what differs from that family's file.

A block is a line with the indented lines below it.  A block whose key stands in the other file replaces what stands
there; one with a new key comes at the end.  `without KEY` drops a block, or all whose keys begin so; `add KEY` puts its own indented
lines below those of the block.  The key of a block is its first word, and with it the words that tell it from others of its kind.
"""
KEY_WORDS = {"event": 2, "reg": 2, "window": 2, "called": 2, "leaf": 2, "cache": 2, "pmu": 2, "message": 2, "packet": 3,
             "device": 2, "function": 3, "dword": 3, "metric": 3, "default": 3, "alias": 4, "never": 4, "lacks": 4}


def key_of(tokens):
    return tuple(str(t) for t in tokens[:KEY_WORDS.get(tokens[0], 1)])


def blocks(lines):
    found = []
    for line in lines:
        if line.indented and found:
            found[-1].append(line)
        else:
            found.append([line])
    return found


def named(line, at, key):
    """The blocks with this key; it is an error if there are none."""
    if key not in at:
        line.unknown(f"nothing to change: there is no {' '.join(key)}", " ".join(key), [" ".join(k) for k in at])
    return at[key]


def begins(key, start):
    """Is this the key of a block that begins so?  The lines of an event's subevents begin with EVENT and a dot."""
    return key[:len(start)] == start or len(start) == 1 and key[0].startswith(start[0] + ".")


def overlay(base, own):
    """The lines of a file that is like another: both without the line that says so."""
    at = {}
    for block in blocks(base):
        at.setdefault(key_of(block[0].tokens), []).append(block)
    said = set()
    for block in blocks(own):
        head = block[0]
        key = key_of(head.tokens)
        if head.tokens[0] == "without":
            start = key_of(head.tokens[1:])
            gone = [k for k in at if begins(k, start)]
            named(head, at, gone[0] if gone else start)
            for k in gone:
                del at[k]
        elif head.tokens[0] == "add":
            named(head, at, key_of(head.tokens[1:]))[-1].extend(block[1:])
        else:
            at[key] = at[key] + [block] if key in said else [block]
            said.add(key)
    return [line for same in at.values() for block in same for line in block]
