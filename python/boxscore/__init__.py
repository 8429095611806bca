# SPDX-License-Identifier: BSD-2-Clause
"""Boxscore: performance-monitoring hardware as software, from Python.

The names are those of boxscore.h without `bxs_`: bxs_machine_new() is Machine(), bxs_rdmsr(m, ...) is m.rdmsr(...),
bxs_session_add(s, ...) is s.add(...), bxs_each_event() is each_event().  What fails raises an Error with the library's
sentence about it.  Nothing has to be built: the module finds libboxscore.so.0 where it is installed, or where
BOXSCORE_LIBRARY says.

    with boxscore.Machine("hsx,sockets=1") as m, boxscore.Session(m) as s:
        s.add("imc.CAS_COUNT.RD")
        s.kernel("stream:size=1M")
        s.start()
        s.run()
        s.stop()
        print(s.each()[0].value)
"""
from ._library import (Bug, Conflict, Error, Fault, Invalid, NeedsTurns, NoMemory, NotFound, NotSupported,
                       SystemFailed)
from .catalog import (ABSENT, BoxType, Event, Family, Metric, Register, Subevent, each_box_type, each_default_metric,
                      each_event, each_family, each_metric, each_register, each_subevent)
from .machine import BARE, FOREVER, AccessKind, Interrupt, Machine, Space, Tag
from .session import By, Reading, Session, Validity
from .trace import TraceKind, TraceReader, TraceRecord, TraceWriter

__version__ = "0.1.0"
__all__ = [
    "ABSENT", "AccessKind", "BARE", "BoxType", "Bug", "By", "Conflict", "Error", "Event", "FOREVER", "Family", "Fault",
    "Interrupt", "Invalid", "Machine", "Metric", "NeedsTurns", "NoMemory", "NotFound", "NotSupported", "Reading", "Register",
    "Session", "Space", "Subevent", "SystemFailed", "Tag", "TraceKind", "TraceReader", "TraceRecord", "TraceWriter",
    "Validity", "each_box_type", "each_default_metric", "each_event", "each_family", "each_metric", "each_register",
    "each_subevent",
]
