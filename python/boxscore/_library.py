# SPDX-License-Identifier: BSD-2-Clause
"""The shared library, its errors, and structures that cross the border."""
from __future__ import annotations

import ctypes
import glob
import os
from pathlib import Path
from typing import Annotated, Any, Callable, Type, TypeVar, get_args, get_type_hints

# What a number is in C; str is a char *, bool a bool, float a double.
Int = Annotated[int, ctypes.c_int]
Unsigned = Annotated[int, ctypes.c_uint]
U8 = Annotated[int, ctypes.c_uint8]
U16 = Annotated[int, ctypes.c_uint16]
U32 = Annotated[int, ctypes.c_uint32]
U64 = Annotated[int, ctypes.c_uint64]
Pair = Annotated[tuple[int, int], ctypes.c_uint64 * 2]

WHY = 512  # bytes of a sentence about what went wrong
Row = TypeVar("Row")


def _load() -> ctypes.CDLL:
    """The library that BOXSCORE_LIBRARY names, that of the tree this file is installed in, or the system's."""
    name = "libboxscore.so.0"
    named = os.environ.get("BOXSCORE_LIBRARY")
    if named:
        return ctypes.CDLL(named)
    for above in Path(__file__).resolve().parents:
        beside = glob.glob(f"{above}/lib/{name}") + glob.glob(f"{above}/lib*/*/{name}") + glob.glob(f"{above}/lib64/{name}")
        if beside:
            return ctypes.CDLL(beside[0])
    return ctypes.CDLL(name)


lib = _load()
lib.bxs_strerror.restype = ctypes.c_char_p


class Error(Exception):
    """A call failed; `code` is the negative enum bxs_err, the text says what was wrong."""

    code = 0

    def __init__(self, code: int, why: str = "") -> None:
        super().__init__(why or lib.bxs_strerror(code).decode())
        self.code = code


class NoMemory(Error):
    """BXS_ENOMEM: out of memory."""


class NotFound(Error):
    """BXS_ENOENT: no such family, box, event, register, file."""


class Invalid(Error):
    """BXS_EINVAL: it cannot be understood."""


class Conflict(Error):
    """BXS_ECONFLICT: each is possible, but not together."""


class Fault(Error):
    """BXS_EFAULT: the modelled hardware faulted, #GP."""


class SystemFailed(Error):
    """BXS_EIO: the system failed to read or write."""


class NotSupported(Error):
    """BXS_ENOTSUP: not available here."""


class Bug(Error):
    """BXS_EBUG: a fault of the library."""


class NeedsTurns(Error):
    """BXS_ETURNS: each is possible, together only in turns, which nobody has allowed."""


ERRORS: dict[int, Type[Error]] = {-1: NoMemory, -2: NotFound, -3: Invalid, -4: Conflict, -5: Fault, -6: SystemFailed,
                                  -7: NotSupported, -8: Bug, -9: NeedsTurns}


Me = TypeVar("Me", bound="Owner")


class Owner:
    """Owns an object of the library, which ends at the end of a `with` or with its owner, if it has not been ended before."""

    def _end(self) -> None:
        raise NotImplementedError

    def __enter__(self: Me) -> Me:
        return self

    def __exit__(self, *_: Any) -> None:
        self._end()

    def __del__(self) -> None:
        self._end()


def check(result: int, why: Callable[[], str] | str = "") -> int:
    """The result of a call, or its error raised with the sentence about it."""
    if result < 0:
        raise ERRORS.get(result, Error)(result, why() if callable(why) else why)
    return result


PROTOTYPES: dict[str, tuple[Any, ...]] = {}


def prototype(name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library with the types of its arguments."""
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    PROTOTYPES[name] = arguments
    return function


_PLAIN = {str: ctypes.c_char_p, bool: ctypes.c_bool, float: ctypes.c_double}


def structure(row: type) -> Type[ctypes.Structure]:
    """The C structure whose members are the row's fields."""
    hints = get_type_hints(row, include_extras=True)
    fields = [(name, get_args(hint)[1] if get_args(hint) else _PLAIN[hint]) for name, hint in hints.items()]
    return type(f"bxs_{row.__name__}", (ctypes.Structure,), {"_fields_": fields})


def from_c(row: Type[Row], c: ctypes.Structure) -> Row:
    """The row that a structure holds, with nothing of the library's memory in it."""
    def plain(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode()
        if value is None:
            return ""
        return tuple(value) if isinstance(value, ctypes.Array) else value

    return row(*(plain(getattr(c, name)) for name, _ in c._fields_))


def to_c(c: Type[ctypes.Structure], row: Any) -> ctypes.Structure:
    """The structure that a row stands for."""
    def raw(value: Any) -> Any:
        return value.encode() if isinstance(value, str) else value

    return c(**{name: (ctypes.c_uint64 * 2)(*value) if isinstance(value, tuple) else raw(value)
                for name, value in row._asdict().items()})


def walk(call: Callable[[Any], int], row: Type[Row], c: Type[ctypes.Structure]) -> list[Row]:
    """All rows for which call, given a callback, has it called."""
    rows: list[Row] = []

    def take(_: Any, one: Any) -> int:
        rows.append(from_c(row, one.contents))
        return 0

    check(call(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(c))(take)))
    return rows
