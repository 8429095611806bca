#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every uncore name that libpfm4 and LIKWID have on these machines is read as they encode it.

usage: test_names.py BOXSCORE ENCODE_NAMES [PERFMON]

The names and their encodings come from the tools themselves: libpfm4 is asked through its library, LIKWID lists them on
the machine.  A name has to encode to the tool's event, unit mask, page and CBo filter, or to stand in names.txt with the
reason why it does not.  PERFMON, a checkout of Intel's event files (github.com/intel/perfmon), is compared the same way,
also in the notations of perf and pcm-raw; no package has it, so that is for those who change the catalogue's names.
"""
import ctypes
import fnmatch
import json
import os
import re
import subprocess
import sys

from tools import Boxscore, check_that, done

HERE = os.path.dirname(os.path.abspath(__file__))
EXT = 1 << 21  # the second page of events
TID = 1 << 19
MASK = EXT | 0xFFFF
# An event that compares an opcode, or a frequency, has to be given what with.
NEEDED = [("opc", ":opc=0x182"), *((f"filt{b}", f":filt{b}=0xc") for b in ("7_0", "15_8", "23_16", "31_24"))]


class Exceptions:
    """Lines `TOOL FAMILY GLOB REASON`."""

    def __init__(self, path):
        self.rows, self.used = [], set()
        with open(path, encoding="utf-8") as src:
            for number, line in enumerate(src, 1):
                if line.strip() and not line.startswith("#"):
                    self.rows.append((number, *line.split(None, 3)))

    def has(self, tool, family, name):
        for number, of, where, glob, reason in self.rows:
            if of == tool and where in (family, "all") and fnmatch.fnmatchcase(name, glob) and reason.strip():
                self.used.add(number)
                return True
        return False


class Encoder:
    def __init__(self, program, exceptions):
        self.program, self.exceptions = program, exceptions

    def __call__(self, family, names):
        out = subprocess.run([self.program, family], input="\n".join(names) + "\n", text=True, stdout=subprocess.PIPE,
                             check=True).stdout.split("\n")[:len(names)]
        for i, text in enumerate(out):
            more = "".join(value for field, value in NEEDED if f"needs a value for {field}:" in text)
            if more:
                out[i] = self(family, [names[i] + more])[0]
        return out

    def compare(self, tool, family, rows):
        """rows: (name, control, filter words or None).  How many there were."""
        for (name, control, words), text in zip(rows, self(family, [row[0] for row in rows])):
            match = re.match(r"(0x[0-9a-f]+|0)(?: |$)", text)
            got = int(match[1], 0) & MASK if match else None
            same = got == control & MASK and words in (None, filter_words(text))
            check_that(f"{tool} {family} {name}", same or self.exceptions.has(tool, family, name),
                       f"it has {control:#x} {words or ''}, and is read as {text}")
        return len(rows)


def filter_words(text):
    """The two words of a CBo's filters: FILTER and FILTER0, FILTER1."""
    words = [0, 0]
    for reg, lo, value in re.findall(r"(\S+)\[\d+:(\d+)\]=(\w+)", text):
        words[reg.endswith("FILTER1")] |= int(value, 0) << int(lo)
    return words


# ---------------------------------------------------------------- libpfm4

class Info(ctypes.Structure):
    """The heads of pfm_pmu_info_t, and with more behind them of pfm_event_info_t and pfm_event_attr_info_t."""
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pmu", ctypes.c_int),
                ("type", ctypes.c_int), ("nevents", ctypes.c_int), ("first", ctypes.c_int), ("rest", ctypes.c_uint64 * 8)]


class EventInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("code", ctypes.c_uint64), ("pmu", ctypes.c_int), ("dtype", ctypes.c_int), ("idx", ctypes.c_int),
                ("nattrs", ctypes.c_int), ("rest", ctypes.c_uint64 * 8)]


class AttrInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("code", ctypes.c_uint64), ("type", ctypes.c_int), ("idx", ctypes.c_int), ("rest", ctypes.c_uint64 * 8)]


class Libpfm4:
    ALL, NO_OS, UMASK = 8, 0, 1  # PFM_PLM3, PFM_OS_NONE, PFM_ATTR_UMASK

    def __init__(self):
        os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
        self.lib = ctypes.CDLL("libpfm.so.4")
        if self.lib.pfm_initialize() != 0:
            raise OSError("libpfm4 does not start")

    def encode(self, name):
        """Control and filter words; None: the library does not take it so."""
        codes, count = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_int(0)
        if self.lib.pfm_get_event_encoding(name.encode(), self.ALL, None, None, ctypes.byref(codes), ctypes.byref(count)) != 0:
            return None
        got = [codes[i] for i in range(count.value)] + [0, 0]
        return got[0], [got[1] & 0xFFFFFFFF, got[1] >> 32 | got[2]]

    def pmus(self, prefix):
        for number in range(2048):
            info = Info()
            if self.lib.pfm_get_pmu_info(number, ctypes.byref(info)) == 0 and info.name.decode().startswith(prefix):
                yield info

    def names(self, pmu):
        """Each event without unit masks, or with each of them, beside another where it only sets a filter."""
        index = pmu.first
        while index >= 0:
            event = EventInfo()
            self.lib.pfm_get_event_info(index, self.NO_OS, ctypes.byref(event))
            base = f"{pmu.name.decode()}::{event.name.decode()}"
            attrs = [AttrInfo() for _ in range(event.nattrs)]
            for i, attr in enumerate(attrs):
                self.lib.pfm_get_event_attr_info(index, i, self.NO_OS, ctypes.byref(attr))
            masks = [a.name.decode() for a in attrs if a.type == self.UMASK]
            yield from ([base] if not masks else [])
            for mask in masks:
                # A value of the opcode filter says something only beside what looks at that.
                of_opcode = ["OPCODE"] if mask.startswith("OPC_") else []
                tried = [f"{base}:{':'.join(w)}" for w in [*([o, mask] for o in of_opcode), [mask], *([o, mask] for o in masks if o != mask)]]
                yield next((t for t in tried if self.encode(t)), f"{base}:{mask}")
            index = self.lib.pfm_get_event_next(index)


def libpfm4(encoder):
    try:
        pfm = Libpfm4()
    except OSError as err:
        print(f"libpfm4: not compared, {err}")
        return
    for family, prefix in (("hsx", "hswep_unc_"), ("ivbep", "ivbep_unc_"), ("snbep", "snbep_unc_")):
        rows = []
        for pmu in pfm.pmus(prefix):
            if re.search(r"[1-9]\d*$|1\d$", pmu.name.decode()) and not pmu.name.decode().endswith("pcie"):
                continue  # the boxes of a type have the same events
            for name in pfm.names(pmu):
                got = pfm.encode(name)
                if got:
                    rows.append((name, got[0], got[1] if "_cbo" in name else None))
        check_that(f"names of libpfm4 for {family}", encoder.compare("libpfm4", family, rows) > 400, f"{len(rows)}")
        print(f"libpfm4 {family}: {len(rows)} names")


# ---------------------------------------------------------------- LIKWID

def counter_of(family, where):
    """One of the counters of a type as an event string has it."""
    first = where.split("|")[0]
    if re.search(r"\d|FIX", first):
        return first
    return first + ("0" if first in ("WBOX", "UBOX") or (first == "PBOX" and family == "hsx") else "0C0")


def likwid(encoder, box):
    for family in ("hsx", "ivbep", "snbep", "nhmex"):
        out = subprocess.run([box.program, "with", "-M", family, "--", "likwid-perfctr", "-e"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False).stdout
        rows, cores = [], []
        for name, code, mask, where in re.findall(r"^(\w+), (0x\w+), (0x\w+), ([\w|]+)", out, re.M):
            if not re.match(r"\w+_?BOX|[A-Z]BOX", where):
                cores.append(f"{name}:{where.split('|')[0]}" + ("0" if where.startswith("PMC") and not where[3:4].isdigit() else ""))
            elif name != "GENERIC_EVENT":
                rows.append((f"{name}:{counter_of(family, where)}", int(code, 0) | int(mask, 0) << 8, None))
        # What it says of the page is not in its list; sub-controls are not either.
        texts = encoder(family, [row[0] for row in rows])
        for (name, control, _), text in zip(rows, texts):
            match = re.match(r"(0x[0-9a-f]+|0)(?: |$)", text)
            same = match and (int(match[1], 0) & 0xFFFF == control or (family == "nhmex" and re.search(":[BMR]BOX", name)))
            check_that(f"likwid {family} {name}", same or encoder.exceptions.has("likwid", family, name),
                       f"it has {control:#x}, and is read as {text}")
        for name, text in zip(cores, encoder(family, cores)):
            check_that(f"likwid {family} {name}", re.match(r"error: \w+: no event \w+: ", text), text)
        check_that(f"names of LIKWID for {family}", len(rows) > 300, f"{len(rows)}")
        print(f"likwid {family}: {len(rows)} names, {len(cores)} of cores")


# ---------------------------------------------------------------- Intel's event files

UNITS = {"CBO": ("cbox", "cbo"), "HA": ("ha", "ha"), "IRP": ("irp", None), "PCU": ("pcu", "pcu"), "QPI": ("qpi", "qpi"),
         "R2PCIe": ("r2pcie", None), "R3QPI": ("r3qpi", "m3upi"), "SBO": ("sbox", None), "UBOX": ("ubox", "ubox"),
         "iMC": ("imc", "imc")}


def perfmon(encoder, root):
    for family, path in (("hsx", "HSX/events/haswellx_uncore.json"), ("snbep", "JKT/events/Jaketown_uncore.json"),
                         ("ivbep", "IVT/events/ivytown_uncore.json")):
        with open(os.path.join(root, path), encoding="utf-8") as src:
            events = json.load(src)["Events"]
        rows = {"json": [], "perf": [], "pcm": []}
        for e in events:
            code, mask, ext = (int(str(e.get(k) or "0").split(",")[0], 0) for k in ("EventCode", "UMask", "ExtSel"))
            pmu, pcm = UNITS[e["Unit"].split()[0]]
            word = code | mask << 8 | ext * EXT
            rows["json"].append((e["EventName"], word, None))
            umask = f"occ_sel={mask >> 6}" if pmu == "pcu" else f"umask={mask:#x}"
            rows["perf"].append((f"uncore_{pmu}/event={code | ext << 8:#x},{umask}/", word, None))
            if pcm:
                rows["pcm"].append((f"{pcm}/config={word | 1 << 22:#x}/", word, None))
        for tool, of in rows.items():
            print(f"{tool} {family}: {encoder.compare(tool, family, of)} names")


def main(argv):
    exceptions = Exceptions(os.path.join(HERE, "names.txt"))
    encoder = Encoder(argv[2], exceptions)
    box = Boxscore(argv[1], "likwid-perfctr")
    libpfm4(encoder)
    likwid(encoder, box)
    if len(argv) > 3:
        perfmon(encoder, argv[3])
    compared = {"libpfm4", "likwid"} | ({"json", "perf", "pcm"} if len(argv) > 3 else set())
    for number, tool, family, glob, _ in exceptions.rows:
        if tool in compared and number not in exceptions.used:
            print(f"names.txt:{number}: {tool} {family} {glob}: nothing needs it any more")
    done()


main(sys.argv)
