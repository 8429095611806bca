# SPDX-License-Identifier: BSD-2-Clause
"""The machine: registers, signals, clocks, interrupts, accesses of one's own, as boxscore/machine.h and access.h have them."""
from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, NamedTuple, Optional

from ._library import Owner, Pair, U16, U32, U64, U8, Unsigned, WHY, check, from_c, prototype, structure, to_c

BARE = 1  #: no hardware that raises signals: who embeds it does


class Space(IntEnum):
    """Other spaces of registers than MSRs and PCI."""

    CSR = 0
    PMC = 1
    PMD = 2


class AccessKind(IntEnum):
    """What a core does to a line."""

    LOAD = 0
    LOAD_AFTER = 1
    STORE = 2
    LOCKED = 3
    FETCH = 4
    PREFETCH = 5
    STREAM = 6
    FLUSH = 7


class Tag(NamedTuple):
    """What an occurrence carries for filters to look at; all zero passes filters that are not programmed."""

    addr: U64 = 0
    packet: Pair = (0, 0)
    opc: U32 = 0
    nid: U16 = 0
    tid: U8 = 0
    state: U8 = 0
    link: U8 = 0
    nc: U8 = 0
    isoc: U8 = 0
    c6: U8 = 0
    freq: U8 = 0
    flags: str = ""


class Interrupt(NamedTuple):
    """An overflow's interrupt to the cores of a socket; when: picoseconds; cores: bit n for core n."""

    when: U64
    cores: U64
    socket: Unsigned
    wake: bool
    vector: Unsigned
    thread: Unsigned


STRUCTURES: dict[Any, Any] = {Tag: structure(Tag), Interrupt: structure(Interrupt)}

_P, _U, _S = ctypes.c_void_p, ctypes.c_uint, ctypes.c_char_p
_U32, _U64, _INT = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int
_OUT = ctypes.POINTER(_U64)

_new = prototype("bxs_machine_new", _INT, _S, _U, ctypes.POINTER(_P), _S, ctypes.c_size_t)
_free = prototype("bxs_machine_free", None, _P)
_why = prototype("bxs_why", _S, _P)
_note = prototype("bxs_note", _S, _P)
_dma = prototype("bxs_dma", _INT, _P, _S)
_fault = prototype("bxs_fault", _INT, _P, _S)
_sockets = prototype("bxs_sockets", _U, _P)
_cores = prototype("bxs_cores", _U, _P)
_rdmsr = prototype("bxs_rdmsr", _INT, _P, _U, _U32, _OUT)
_wrmsr = prototype("bxs_wrmsr", _INT, _P, _U, _U32, _U64)
_rdpci = prototype("bxs_rdpci", _INT, _P, _U, _U, _U, _U32, _U, _OUT)
_wrpci = prototype("bxs_wrpci", _INT, _P, _U, _U, _U, _U32, _U, _U64)
_rdreg = prototype("bxs_rdreg", _INT, _P, _INT, _U, _U32, _OUT)
_wrreg = prototype("bxs_wrreg", _INT, _P, _INT, _U, _U32, _U64)
_read = prototype("bxs_read", _INT, _P, _S, _S, _OUT)
_write = prototype("bxs_write", _INT, _P, _S, _S, _U64)
_pulse = prototype("bxs_pulse", _INT, _P, _S, _S, _U64, _P)
_level = prototype("bxs_level", _INT, _P, _S, _S, _U64, _P)
_tell = prototype("bxs_tell", _INT, _P, _S, _S)
_advance = prototype("bxs_advance", _INT, _P, _S, _U64)
_time = prototype("bxs_time", _U64, _P)
_take_interrupt = prototype("bxs_take_interrupt", ctypes.c_bool, _P, _P)
_access = prototype("bxs_access", _INT, _P, _U, _U64, _INT, _U32)
_idle = prototype("bxs_idle", _INT, _P, _U, _U64)
_core_time = prototype("bxs_core_time", _INT, _P, _U, _OUT)
_prefetchers = prototype("bxs_prefetchers", _INT, _P, ctypes.c_bool)

FOREVER = 2**64 - 1  #: a time that never comes


class Machine(Owner):
    """A machine out of reset, "hsx" or "hsx:e7-8890v3,sockets=4"; flags: 0 or BARE.

    It ends with free(), at the end of a `with`, or with the object, after the sessions that measure on it.  Errors are
    raised: NotFound, Invalid, NotSupported, Fault (#GP), with the sentence about what was wrong.
    """

    def __init__(self, spec: str, flags: int = 0) -> None:
        self._m: Any = _P()
        why = ctypes.create_string_buffer(WHY)
        result = _new(spec.encode(), flags, ctypes.byref(self._m), why, WHY)
        check(result, why.value.decode())

    def free(self) -> None:
        """End it and all it owns."""
        _free(self._m)
        self._m = _P()

    _end = free

    @property
    def handle(self) -> Any:
        """The bxs_machine *, for calls that have no method here."""
        if not self._m:
            raise ValueError("the machine has been freed")
        return self._m

    def why(self) -> str:
        """What was wrong with the last call that failed."""
        return _why(self.handle).decode()

    def note(self) -> str:
        """What the manual says of the value that was read last: "" or why it is undefined."""
        return _note(self.handle).decode()

    def _check(self, result: int) -> int:
        return check(result, self.why)

    def _value(self, call: Any, *arguments: Any) -> int:
        value = _U64()
        self._check(call(self.handle, *arguments, ctypes.byref(value)))
        return value.value

    def dma(self, device: str) -> None:
        """Attach a device that reads and writes memory: "read=4G,socket=0"."""
        self._check(_dma(self.handle, device.encode()))

    def fault(self, faults: str) -> None:
        """Let hardware fail: "ecc=1e-6,seed=7"."""
        self._check(_fault(self.handle, faults.encode()))

    def sockets(self) -> int:
        """How many sockets it has."""
        return _sockets(self.handle)

    def cores(self) -> int:
        """How many cores one socket has."""
        return _cores(self.handle)

    def rdmsr(self, cpu: int, msr: int) -> int:
        """Read an MSR of a logical CPU."""
        return self._value(_rdmsr, cpu, msr)

    def wrmsr(self, cpu: int, msr: int, value: int) -> None:
        """Write an MSR of a logical CPU."""
        self._check(_wrmsr(self.handle, cpu, msr, value))

    def rdpci(self, socket: int, dev: int, fn: int, offset: int, width: int) -> int:
        """Read configuration space; width: 8, 16, 32 or 64 bits."""
        return self._value(_rdpci, socket, dev, fn, offset, width)

    def wrpci(self, socket: int, dev: int, fn: int, offset: int, width: int, value: int) -> None:
        """Write configuration space."""
        self._check(_wrpci(self.handle, socket, dev, fn, offset, width, value))

    def rdreg(self, space: Space, where: int, number: int) -> int:
        """Read a register of another space; where: a socket for CSR, a thread for PMC and PMD."""
        return self._value(_rdreg, space, where, number)

    def wrreg(self, space: Space, where: int, number: int, value: int) -> None:
        """Write a register of another space."""
        self._check(_wrreg(self.handle, space, where, number, value))

    def read(self, box: str, reg: str) -> int:
        """Read a register by name: "s1.cbo3", "CTR0"."""
        return self._value(_read, box.encode(), reg.encode())

    def write(self, box: str, reg: str, value: int) -> None:
        """Write a register by name."""
        self._check(_write(self.handle, box.encode(), reg.encode(), value))

    def _tell(self, call: Any, box: str, event: str, n: int, tag: Optional[Tag]) -> None:
        what = None
        if tag is not None:
            c = to_c(STRUCTURES[Tag], tag)
            c.flags = tag.flags.encode() or None
            what = ctypes.byref(c)
        self._check(call(self.handle, box.encode(), event.encode(), n, what))

    def pulse(self, box: str, event: str, n: int = 1, tag: Optional[Tag] = None) -> None:
        """The event happened n times in the current clock of the box."""
        self._tell(_pulse, box, event, n, tag)

    def level(self, box: str, event: str, n: int, tag: Optional[Tag] = None) -> None:
        """The event's queue holds n from now on."""
        self._tell(_level, box, event, n, tag)

    def tell(self, what: str, attributes: str = "") -> None:
        """What a core does, for a family whose PMU follows it (poulson)."""
        self._check(_tell(self.handle, what.encode(), attributes.encode()))

    def advance(self, clock: str, n: int) -> None:
        """Close n clocks of the domain: uclk, dclk, qclk, pclk, core."""
        self._check(_advance(self.handle, clock.encode(), n))

    def time(self) -> int:
        """Time since reset that is closed, in picoseconds."""
        return _time(self.handle)

    def take_interrupt(self) -> Optional[Interrupt]:
        """The oldest interrupt that was raised; None: none is pending."""
        c = STRUCTURES[Interrupt]()
        return from_c(Interrupt, c) if _take_interrupt(self.handle, ctypes.byref(c)) else None

    def access(self, core: int, address: int, kind: AccessKind = AccessKind.LOAD, instructions: int = 1) -> None:
        """An access by a core, which has retired so many instructions since the one before."""
        self._check(_access(self.handle, core, address, kind, instructions))

    def idle(self, core: int, when: int = FOREVER) -> None:
        """The core does nothing until `when` (picoseconds since reset), or until its next access."""
        self._check(_idle(self.handle, core, when))

    def core_time(self, core: int) -> int:
        """How far the core is, in picoseconds since reset."""
        return self._value(_core_time, core)

    def prefetchers(self, on: bool) -> None:
        """Hardware prefetchers on or off, before the first access."""
        self._check(_prefetchers(self.handle, on))
