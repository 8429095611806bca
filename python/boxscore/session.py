# SPDX-License-Identifier: BSD-2-Clause
"""Measuring: what is asked for, what drives the machine, the readings, as boxscore/session.h has them."""
from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, NamedTuple, Sequence

from ._library import Int, Owner, Row, check, prototype, structure, walk
from .machine import FOREVER, Machine

__all__ = ["By", "Validity", "Reading", "Session"]


class By(IntEnum):
    """What readings are summed over."""

    SUM = 0
    SOCKET = 1
    BOX = 2


class Validity(IntEnum):
    """How far a reading can be trusted; from best to worst."""

    EXACT = 0
    SCALED = 1
    PARTIAL = 2
    SATURATED = 3
    WRAPPED = 4
    NOT_MODELLED = 5
    NOT_THERE = 6


class Reading(NamedTuple):
    """A reading.  `value` is 0 and `why` says what is missing where `validity` is NOT_MODELLED or NOT_THERE; the truth of a
    scaled one lies within `error`, 95 times in 100."""

    name: str
    box: str
    unit: str
    text: str
    why: str
    value: float
    error: float
    truth: float
    socket: Int
    metric: bool
    has_truth: bool
    validity: Int


class _Program(ctypes.Structure):
    _fields_ = [("argv", ctypes.POINTER(ctypes.c_char_p)), ("qemu", ctypes.c_char_p), ("plugin", ctypes.c_char_p),
                ("compact", ctypes.c_bool), ("machine_time", ctypes.c_bool), ("host_world", ctypes.c_bool), ("seeded", ctypes.c_bool), ("seed", ctypes.c_uint64), ("quantum", ctypes.c_uint64),
                ("instructions", ctypes.c_uint64), ("ns", ctypes.c_uint64)]


STRUCTURES: dict[Any, Any] = {Reading: structure(Reading), "program": _Program}

_P, _S, _INT, _U64, _BOOL = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_bool
_new = prototype("bxs_session_new", _INT, _P, ctypes.POINTER(_P))
_free = prototype("bxs_session_free", None, _P)
_turns = prototype("bxs_session_turns", None, _P, _BOOL, _U64)
_truth = prototype("bxs_session_truth", None, _P, _BOOL)
_cores = prototype("bxs_session_cores", _INT, _P, _S)
_region = prototype("bxs_session_region", _INT, _P, _S)
_entered = prototype("bxs_session_entered", _U64, _P)
_add = prototype("bxs_session_add", _INT, _P, _S)
_add_metrics = prototype("bxs_session_add_metrics", _INT, _P, _S)
_add_default = prototype("bxs_session_add_default", _INT, _P)
_left_out = prototype("bxs_session_left_out", _S, _P)
_program = prototype("bxs_session_program", _INT, _P, _P)
_kernel = prototype("bxs_session_kernel", _INT, _P, _S)
_trace = prototype("bxs_session_trace", _INT, _P, _S)
_record = prototype("bxs_session_record", _INT, _P, _S, _S)
_own = prototype("bxs_session_own", _INT, _P)
_start = prototype("bxs_session_start", _INT, _P)
_run = prototype("bxs_session_run", _INT, _P, _U64)
_read = prototype("bxs_session_read", _INT, _P)
_stop = prototype("bxs_session_stop", _INT, _P)
_next = prototype("bxs_session_next", None, _P)
_ns = prototype("bxs_session_ns", _U64, _P)
_interval_ns = prototype("bxs_session_interval_ns", _U64, _P)
_status = prototype("bxs_session_status", _INT, _P)
_each = prototype("bxs_session_each", _INT, _P, _INT, _P, _P)


class Session(Owner):
    """Measure on a machine, which stays until the session is freed: by free(), a `with` or the end of the object."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._s: Any = _P()
        check(_new(machine.handle, ctypes.byref(self._s)))
        self._region = b""

    def free(self) -> None:
        """End what is still running."""
        if self._s and self.machine._m:
            _free(self._s)
        self._s = _P()

    _end = free

    @property
    def handle(self) -> Any:
        """The bxs_session *, for calls that have no method here."""
        if not self._s or not self.machine._m:
            raise ValueError("the session or its machine has been freed")
        return self._s

    def _check(self, result: int) -> int:
        return check(result, self.machine.why)

    def turns(self, always: bool = True, turn_ns: int = 0) -> None:
        """Count in turns what cannot be counted at once; turn_ns: length of a turn in machine time, 0: as is best."""
        _turns(self.handle, always, turn_ns)

    def truth(self, on: bool = True) -> None:
        """Readings also say what each event really was.  Before anything is asked for."""
        _truth(self.handle, on)

    def cores(self, cores: str) -> None:
        """Measure only these, "0,2-5", and the uncore of their sockets.  Before start()."""
        self._check(_cores(self.handle, cores.encode()))

    def region(self, name: str) -> None:
        """Count only between the marks of this name in the program.  Before program()."""
        self._region = name.encode()  # the library keeps the address
        self._check(_region(self.handle, self._region))

    def entered(self) -> int:
        """How often the region has begun so far."""
        return _entered(self.handle)

    def add(self, events: str) -> None:
        """Ask for events: "cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.*"."""
        self._check(_add(self.handle, events.encode()))

    def add_metrics(self, metrics: str) -> None:
        """Ask for metrics, or equations with a name: "bytes=imc.CAS_COUNT.RD * 64"."""
        self._check(_add_metrics(self.handle, metrics.encode()))

    def add_default(self) -> None:
        """Ask for what `boxscore stat` prints by default."""
        self._check(_add_default(self.handle))

    def left_out(self) -> str:
        """What the last pattern left out and why, or ""."""
        return _left_out(self.handle).decode()

    def program(self, argv: Sequence[str], compact: bool = False, machine_time: bool = False, host_world: bool = False,
                seed: int | None = None, quantum: int = 0, instructions: int = 0, ns: int = 0) -> None:
        """A program drives the machine; see struct bxs_program."""
        words = (ctypes.c_char_p * (len(argv) + 1))(*(word.encode() for word in argv), None)
        p = _Program(argv=words, compact=compact, machine_time=machine_time, host_world=host_world, seeded=seed is not None, seed=seed or 0, quantum=quantum,
                     instructions=instructions, ns=ns)
        self._check(_program(self.handle, ctypes.byref(p)))

    def kernel(self, kernel: str) -> None:
        """A built-in kernel drives it: "stream:size=64M,threads=4"."""
        self._check(_kernel(self.handle, kernel.encode()))

    def trace(self, path: str) -> None:
        """A trace or an event file drives it."""
        self._check(_trace(self.handle, path.encode()))

    def own(self) -> None:
        """Machine.access() drives it."""
        self._check(_own(self.handle))

    def record(self, path: str, spec: str) -> None:
        """Write what is fed to the machine to a trace file as well."""
        self._check(_record(self.handle, path.encode(), spec.encode()))

    def start(self) -> None:
        """Program the counters and let them count, once."""
        self._check(_start(self.handle))

    def run(self, until_ns: int = FOREVER) -> bool:
        """Go on until machine time until_ns after the start, or to the end.  True: there is more."""
        return self._check(_run(self.handle, until_ns)) > 0

    def read(self) -> None:
        """Read all counters and go on: ends the interval that the readings are of."""
        self._check(_read(self.handle))

    def stop(self) -> None:
        """Read all counters and stay stopped."""
        self._check(_stop(self.handle))

    def next(self) -> None:
        """Begin the next interval."""
        _next(self.handle)

    def ns(self) -> int:
        """Machine time since the start."""
        return _ns(self.handle)

    def interval_ns(self) -> int:
        """Length of the interval that was read last."""
        return _interval_ns(self.handle)

    def status(self) -> int:
        """How the program ended, as os.waitpid() tells; -1: it has not, or there is none."""
        return _status(self.handle)

    def each(self, by: By = By.SUM) -> list[Reading]:
        """The readings of the interval, in the order in which they were asked for."""
        return self._walk(by, Reading)

    def _walk(self, by: By, row: type[Row]) -> list[Row]:
        handle = self.handle
        return walk(lambda fn: self._check(_each(handle, by, ctypes.cast(fn, _P), None)), row, STRUCTURES[row])
