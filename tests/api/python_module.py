#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python module says of structures, enumerators and calls what the C header says, and does what the calls do.

usage: python_module.py LIBRARY MODULES INCLUDE COMPILER [FLAG...]
"""
import ctypes
import enum
import inspect
import os
import re
import subprocess
import sys
import tempfile

os.environ["BOXSCORE_LIBRARY"] = sys.argv[1]
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import boxscore  # noqa: E402
from boxscore import _library, catalog, machine, session, trace  # noqa: E402

INCLUDE, COMPILER = sys.argv[3], sys.argv[4:]
checks = failures = 0


def check(what, got, want):
    global checks, failures
    checks += 1
    if got != want:
        failures += 1
        print(f"{os.path.basename(__file__)}:{sys._getframe(1).f_lineno}: {what}: {got!r}, want {want!r}")


def header():
    """All of the public header's text, without comments."""
    text = ""
    for name in sorted(os.listdir(f"{INCLUDE}/boxscore")):
        with open(f"{INCLUDE}/boxscore/{name}", encoding="utf-8") as f:
            text += f.read()
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


# The C structure of each of the module's.
LAYOUTS = {
    "bxs_family": catalog.ROWS[boxscore.Family], "bxs_box_type": catalog.ROWS[boxscore.BoxType],
    "bxs_register": catalog.ROWS[boxscore.Register], "bxs_event": catalog.ROWS[boxscore.Event],
    "bxs_subevent": catalog.ROWS[boxscore.Subevent], "bxs_metric": catalog.ROWS[boxscore.Metric],
    "bxs_tag": machine.STRUCTURES[boxscore.Tag], "bxs_interrupt": machine.STRUCTURES[boxscore.Interrupt],
    "bxs_reading": session.STRUCTURES[boxscore.Reading], "bxs_program": session.STRUCTURES["program"],
    "bxs_trace_record": trace.STRUCTURES[boxscore.TraceRecord],
}
# The C enumerators of each of the module's, by what stands ahead of their names.
ENUMS = {"BXS_": [machine.AccessKind, machine.Space, session.Validity], "BXS_BY_": [session.By], "BXS_TRACE_": [trace.TraceKind]}


def numbers():
    """(a C expression, what the module says it is)"""
    for name, c in LAYOUTS.items():
        yield f"sizeof(struct {name})", ctypes.sizeof(c)
        for field, _ in c._fields_:
            yield f"offsetof(struct {name}, {field})", getattr(c, field).offset
            yield f"sizeof(((struct {name} *)0)->{field})", getattr(c, field).size
    for prefix, enums in ENUMS.items():
        for one in enums:
            for member in one:
                yield f"{prefix}{member.name}", int(member)
    yield "BXS_TRACE_KINDS", len(trace.TraceKind)
    yield "BXS_FLUSH + 1", len(machine.AccessKind)
    yield "BXS_NOT_THERE + 1", len(session.Validity)
    yield "BXS_BARE", machine.BARE
    yield "BXS_ABSENT", catalog.ABSENT
    for code, error in _library.ERRORS.items():
        yield re.match(r"BXS_\w+", error.__doc__)[0], code


def check_numbers():
    rows = list(numbers())
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/numbers.c", "w", encoding="utf-8") as f:
            f.write('#include <stdio.h>\n#include <stddef.h>\n#include "boxscore.h"\nint main(void)\n{\n')
            f.writelines(f'\tprintf("%lld\\n", (long long)({c}));\n' for c, _ in rows)
            f.write("\tputs(BXS_VERSION);\n}\n")
        subprocess.run([*COMPILER, f"-I{INCLUDE}", f"{folder}/numbers.c", "-o", f"{folder}/numbers"], check=True)
        *got, version = subprocess.run([f"{folder}/numbers"], capture_output=True, text=True, check=True).stdout.split()
    check("how many", len(got), len(rows))
    for (c, want), value in zip(rows, got):
        check(c, int(value), want)
    check("version", boxscore.__version__, version)


def check_calls():
    """As many arguments as the header has; a method for every call on a machine and on a session but those named."""
    text = header()
    declared = {}
    for name, rest in re.findall(r"\b(bxs_\w+)\s*(\([^;{}]*\));", text):
        inner = re.sub(r"\([^()]*\)", "", rest[1:-1].replace("(*fn)", "fn"))
        declared[name] = 0 if inner.strip() == "void" else inner.count(",") + 1
    for name, arguments in _library.PROTOTYPES.items():
        check(f"arguments of {name}", len(arguments), declared.get(name))
    for name, owner, left_out in (
        ("bxs_session_", boxscore.Session, {"new", "programs", "add_equation", "scenario", "measurable", "status_of",
                                            "lost_threads", "killed", "untraced", "notes", "ending", "note", "witness"}),
    ):
        methods = {method for method in dir(owner) if not method.startswith("_")}
        check(name, sorted({call[len(name):] for call in declared if call.startswith(name)} - methods - left_out), [])


def check_documented():
    for module in (catalog, machine, session, trace):
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != module.__name__:
                continue
            check(f"docstring of {name}", bool(thing.__doc__), True)
            members = vars(thing).items() if inspect.isclass(thing) and not issubclass(thing, (tuple, enum.Enum)) else ()
            for member, function in [(name, thing), *members]:
                if not inspect.isfunction(function) or member.startswith("_") and member != "__init__":
                    continue
                check(f"docstring of {name}.{member}", bool(function.__doc__) or member == "__init__", True)
                signature = inspect.signature(function)
                typed = [p.annotation is not p.empty for p in signature.parameters.values() if p.name != "self"]
                check(f"types of {name}.{member}", all(typed) and signature.return_annotation is not signature.empty, True)


def raised(call, *arguments):
    try:
        call(*arguments)
    except (boxscore.Error, ValueError) as e:
        return type(e).__name__, str(e)
    return None


def check_machine():
    m = boxscore.Machine("hsx", boxscore.BARE)
    check("unknown MSR", raised(m.rdmsr, 0, 0x1234), ("Fault", "#GP"))
    check("no such CPU", raised(m.wrmsr, 72, 0xe01, 0), ("NotFound", "no CPU 72, there are 72"))
    check("no hardware", raised(m.access, 0, 0)[0], "NotSupported")
    # The embedding example's schedule: two look-ups in each of three clocks, of which one passes the filter.
    m.write("cbo0", "FILTER0", 0x100000)
    m.wrmsr(0, 0xe01, 0x401134)
    for i in range(3):
        m.pulse("cbo0", "LLC_LOOKUP.ANY", 2, boxscore.Tag(state=3) if i == 1 else None)
        m.advance("uclk", 1)
    check("look-ups", m.rdmsr(0, 0xe08), 2)
    check("by name", m.read("cbo0", "CTR0"), 2)
    # An overflow: home agent 0's counter is one below the end, and asks cores 3's interrupt.
    m.wrmsr(0, 0x700, 1 << 3)
    m.wrpci(0, 18, 1, 0xa0, 64, (1 << 48) - 1)
    m.wrpci(0, 18, 1, 0xd8, 32, 0x500301)
    check("none yet", m.take_interrupt(), None)
    m.pulse("ha0", "REQUESTS.READS")
    m.advance("uclk", 1)
    pmi = m.take_interrupt()
    check("interrupt", (pmi.cores, pmi.socket, pmi.wake), (8, 0, False))
    m.free()
    check("freed", raised(m.rdmsr, 0, 0xe08), ("ValueError", "the machine has been freed"))
    check("freed", raised(m.access, 0, 0), ("ValueError", "the machine has been freed"))


def check_session():
    m = boxscore.Machine("hsx,cores=2")
    s = boxscore.Session(m)
    check("no such event", raised(s.add, "imc.CAS_COUNT.RR")[0], "NotFound")
    check("nothing drives it", raised(s.start), ("Invalid", "nothing drives the machine"))
    s.add("imc.CAS_COUNT.RD")
    s.kernel("stream:size=1M")
    s.start()
    check("more", s.run(10000), True)
    check("the end", s.run(), False)
    s.stop()
    # Three arrays of 16384 lines are read from memory once.
    got = s.each()[0]
    check("reading", (got.name, got.value, got.validity, got.socket), ("imc.CAS_COUNT.RD", 49152, boxscore.Validity.EXACT, -1))
    check("by box", sum(r.value for r in s.each(boxscore.By.BOX)), 49152)
    m.free()
    check("its machine is gone", raised(s.read)[0], "ValueError")
    s.free()
    check("no such program", raised(boxscore.Session(boxscore.Machine("hsx")).program, ["/nowhere"])[0], "NotFound")


def check_rest():
    check("families", sorted(f.name for f in boxscore.each_family()), ["bdx", "hsx", "ivbep", "nhmex", "poulson", "snbep"])
    check("no such family", raised(boxscore.each_event, "hsy")[0], "NotFound")
    check("events", any(e.name == "CAS_COUNT" and e.live and e.code == 4 for e in boxscore.each_event("hsx")), True)
    with tempfile.TemporaryDirectory() as folder:
        with boxscore.TraceWriter(f"{folder}/t.bxt", "hsx,cores=2") as w:
            check("no such core", raised(w.write, boxscore.TraceRecord(boxscore.TraceKind.DRD, core=4)),
                  ("Invalid", "no core 4, there are 0 to 3"))
            w.write(boxscore.TraceRecord(boxscore.TraceKind.SLEEP, core=3, sleep=7))
        check("finished", raised(w.write, boxscore.TraceRecord(0))[0], "ValueError")
        with boxscore.TraceReader(f"{folder}/t.bxt") as r:
            check("read", list(r), [boxscore.TraceRecord(boxscore.TraceKind.SLEEP, core=3, sleep=7)])
        os.truncate(f"{folder}/t.bxt", 40)
        check("damaged", raised(lambda: list(boxscore.TraceReader(f"{folder}/t.bxt")))[0], "Invalid")
        check("none", raised(boxscore.TraceReader, f"{folder}/u.bxt")[0], "NotFound")


check_numbers()
check_calls()
check_documented()
check_machine()
check_session()
check_rest()
print(f"{checks} checks, {failures} failed")
sys.exit(failures != 0)
