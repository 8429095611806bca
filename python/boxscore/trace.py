# SPDX-License-Identifier: BSD-2-Clause
"""Trace files: what left the cores of a machine, as boxscore/trace.h has them."""
from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, Iterator, NamedTuple

from ._library import Int, Owner, U16, U32, U64, Unsigned, WHY, check, from_c, prototype, structure, to_c


class TraceKind(IntEnum):
    """What left the core."""

    TICK = 0
    DRD = 1
    RFO = 2
    CRD = 3
    PF_DRD = 4
    PF_RFO = 5
    PF_CRD = 6
    PF_LLC_DRD = 7
    PF_LLC_RFO = 8
    PF_LLC_CRD = 9
    ITOM = 10
    WB_M = 11
    WB_E = 12
    DIRTY = 13
    WCIL = 14
    WCILF = 15
    CLFLUSH = 16
    LOCK = 17
    UC_READ = 18
    UC_WRITE = 19
    HALT = 20
    AHEAD = 21
    WAKE = 22
    SLEEP = 23


class TraceRecord(NamedTuple):
    """A record; line: virtual address / 64; sleep: picoseconds, of a SLEEP."""

    kind: Int
    core: Unsigned = 0
    flags: Unsigned = 0
    space: Unsigned = 0
    line: U64 = 0
    instructions: U32 = 0
    l2_hits: U16 = 0
    l1_misses: U16 = 0
    sleep: U64 = 0


STRUCTURES: dict[Any, Any] = {TraceRecord: structure(TraceRecord)}

_P, _S, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
_create = prototype("bxs_trace_create", _INT, _S, _S, ctypes.POINTER(_P), _S, ctypes.c_size_t)
_write = prototype("bxs_trace_write", _INT, _P, _P)
_write_why = prototype("bxs_trace_write_why", _S, _P)
_finish = prototype("bxs_trace_finish", _INT, _P)
_open = prototype("bxs_trace_open", _INT, _S, ctypes.POINTER(_P), _S, ctypes.c_size_t)
_close = prototype("bxs_trace_close", None, _P)
_cores = prototype("bxs_trace_cores", ctypes.c_uint, _P)
_spec = prototype("bxs_trace_spec", _S, _P)
_next = prototype("bxs_trace_next", _INT, _P, _P)
_why = prototype("bxs_trace_why", _S, _P)


class TraceWriter(Owner):
    """A trace file of a machine, complete when finish() has returned, or at the end of a `with`."""

    def __init__(self, path: str, spec: str) -> None:
        self._w: Any = _P()
        why = ctypes.create_string_buffer(WHY)
        result = _create(path.encode(), spec.encode(), ctypes.byref(self._w), why, WHY)
        check(result, why.value.decode())

    def write(self, record: TraceRecord) -> None:
        """Append a record.  Raises Invalid: one of its values is out of its range; nothing is written."""
        if not self._w:
            raise ValueError("the trace has been finished")
        check(_write(self._w, ctypes.byref(to_c(STRUCTURES[TraceRecord], record))),
              lambda: _write_why(self._w).decode())

    def finish(self) -> None:
        """Complete the file.  Raises SystemFailed: it is not complete."""
        w, self._w = self._w, _P()
        if w:
            check(_finish(w))

    _end = finish


class TraceReader(Owner):
    """Iterate over the records of a trace file.  Raises NotFound, Invalid (damaged; the text says where), SystemFailed."""

    def __init__(self, path: str) -> None:
        self._r: Any = _P()
        why = ctypes.create_string_buffer(WHY)
        result = _open(path.encode(), ctypes.byref(self._r), why, WHY)
        check(result, why.value.decode())
        self.cores: int = _cores(self._r)  #: of the machine that it is of
        self.spec: str = _spec(self._r).decode()  #: that machine's specification

    def __iter__(self) -> Iterator[TraceRecord]:
        c = STRUCTURES[TraceRecord]()
        while self._r and check(_next(self._r, ctypes.byref(c)), lambda: _why(self._r).decode()):
            record = from_c(TraceRecord, c)
            yield record._replace(kind=TraceKind(record.kind))

    def close(self) -> None:
        """Close the file."""
        r, self._r = self._r, _P()
        _close(r)

    _end = close
