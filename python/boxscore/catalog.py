# SPDX-License-Identifier: BSD-2-Clause
"""The catalogue: what the hardware has, row by row, as boxscore/catalog.h has it."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Type

from ._library import U32, U64, Row, Unsigned, prototype, structure, walk

ABSENT = 0xffffffff  #: a number that the manual does not print


class Family(NamedTuple):
    """A family, and the manual that its rows are from."""

    name: str
    text: str
    source: str


class BoxType(NamedTuple):
    """A type of box: how many a socket has at most, what one of them has, and the clock that it counts in."""

    family: str
    name: str
    text: str
    clock: str
    boxes: Unsigned
    counters: Unsigned
    registers: Unsigned
    events: Unsigned


class Register(NamedTuple):
    """One instance of a register; width in bits."""

    family: str
    box: str
    name: str
    type: str
    space: str
    address: str
    source: str
    instance: Unsigned
    element: Unsigned
    width: Unsigned
    device: U32
    reset: U64


class Event(NamedTuple):
    """An event: counters "0-1,3" that can count it, fields that filter it; live: the machine drives it."""

    family: str
    box: str
    name: str
    counters: str
    filter: str
    keys: str
    text: str
    code: U32
    max_inc: U32
    ext: Unsigned
    live: bool
    unit: str


class Subevent(NamedTuple):
    """A unit mask of an event; kind: bit, exact, mixed or pick."""

    family: str
    box: str
    event: str
    name: str
    filter: str
    keys: str
    text: str
    kind: str
    umask: U32
    unit: str
    live: bool


class Metric(NamedTuple):
    """An equation over events, and the unit of what it gives."""

    family: str
    box: str
    name: str
    unit: str
    equation: str
    text: str


ROWS: dict[Any, Any] = {row: structure(row) for row in (Family, BoxType, Register, Event, Subevent, Metric)}


_P, _S = ctypes.c_void_p, ctypes.c_char_p
_families = prototype("bxs_each_family", ctypes.c_int, _P, _P)
_CALLS = {name: prototype(name, ctypes.c_int, _S, _P, _P) for name in (
    "bxs_each_box_type", "bxs_each_register", "bxs_each_event", "bxs_each_subevent", "bxs_each_metric",
    "bxs_each_default_metric")}


def _each(name: str, row: Type[Row], family: Optional[str]) -> list[Row]:
    text = family.encode() if family is not None else None
    return walk(lambda fn: _CALLS[name](text, ctypes.cast(fn, _P), None), row, ROWS[row])


def each_family() -> list[Family]:
    """All families."""
    return walk(lambda fn: _families(ctypes.cast(fn, _P), None), Family, ROWS[Family])


def each_box_type(family: Optional[str] = None) -> list[BoxType]:
    """Types of boxes of a family, or of all.  Raises NotFound: there is no such family; so do the ones below."""
    return _each("bxs_each_box_type", BoxType, family)


def each_register(family: Optional[str] = None) -> list[Register]:
    """Registers, one row an instance."""
    return _each("bxs_each_register", Register, family)


def each_event(family: Optional[str] = None) -> list[Event]:
    """Events."""
    return _each("bxs_each_event", Event, family)


def each_subevent(family: Optional[str] = None) -> list[Subevent]:
    """Subevents of events."""
    return _each("bxs_each_subevent", Subevent, family)


def each_metric(family: Optional[str] = None) -> list[Metric]:
    """Metrics."""
    return _each("bxs_each_metric", Metric, family)


def each_default_metric(family: Optional[str] = None) -> list[Metric]:
    """Those that `boxscore stat` prints by default."""
    return _each("bxs_each_default_metric", Metric, family)
