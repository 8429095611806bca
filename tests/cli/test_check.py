#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`boxscore check FILE`: every wrong line of a file is told, with its number; each row is one file.

usage: test_check.py BOXSCORE
"""
import os
import sys
import tempfile

from checks import check_at, done, here, run

GOOD = """# what we watch
machine hsx,cores=4
imc.CAS_COUNT.RD,UNC_M_CAS_COUNT.WR     # ours, and Intel's name
  uncore_cbox/event=0x35,umask=0x3,filter_opc=DRd/
bw=imc.CAS_COUNT.RD*64/SECONDS
metrics llc_misses
events cbo.LLC_LOOKUP.ANY,cbo.TOR_INSERTS.OPCODE with:Cn_MSR_PMON_BOX_FILTER1.opc=DRd
"""
# (line here, file, options, exit code, standard output, parts of standard error)
ROWS = []


def row(text, code, out, *errors, options=()):
    ROWS.append((here(above=1), text, options, code, out, errors))


# Of the two that compare an opcode, both want the same one: 5 events, 2 metrics.
row(GOOD, 0, "FILE: 5 events and 2 metrics on hsx,cores=4: all can be measured\n")
row(GOOD, 0, "FILE: 5 events and 2 metrics on hsx:e5-2650v3: all can be measured\n", options=["-M", "hsx:e5-2650v3"])
row("imc.CAS_COUNT.RDX\n\nbw=imc.CAS_CONT.RD\n  UNC_C_FOO # no\nimc.CAS_COUNT.RD\n", 65, "",
    "FILE:1: imc.CAS_COUNT: no subevent RDX; did you mean RD? (at character 15 of ",
    "FILE:3: metric bw: imc: no event CAS_CONT; did you mean CAS_COUNT?", "FILE:4: cbo: no event FOO;")
row("imc.CAS_COUNT.RD\nmachine hsx\n", 65, "", "FILE:2: the machine is named before what is measured on it, once")
row("machine abc\nimc.CAS_COUNT.RD\n", 65, "", 'FILE:1: no family "abc"')
row("# nothing\n", 65, "", "nothing to measure stands in it")
row("boxscore-events 1\n@0 end\n", 65, "", "FILE:1: this is read by `boxscore replay`")
row("x" * 5000 + "\n", 65, "", "FILE:1: the line is longer than 4094 characters")
row("machine nhmex\nrbox.STARVING:port=0\n", 69, "", "FILE: rbox.STARVING:port=0: not modelled", "FILE: nothing of it can be measured on nhmex")
row("cbo.TOR_OCCUPANCY.ALL\ncbo.RxR_OCCUPANCY.IRQ\n", 65, "", "FILE: cbo.TOR_OCCUPANCY.ALL and cbo.RxR_OCCUPANCY.IRQ both need counter 0")
row("cbo.TOR_OCCUPANCY.ALL\ncbo.RxR_OCCUPANCY.IRQ\n", 0, "FILE: 2 events and 0 metrics on hsx: all can be measured\n", options=["--multiplex"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "watch")
        for line, text, options, code, out, errors in ROWS:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            got = run("check", *options, path)
            printed, told = got.stdout.replace(path, "FILE"), got.stderr.replace(path, "FILE")
            check_at(line, got.returncode == code, f"exit {got.returncode}, want {code}: {told}")
            check_at(line, printed == out, f"{printed!r}, want {out!r}")
            check_at(line, all(e in told for e in errors) and told.count("\n") == len(errors), f"{told!r}, want {errors}")
    return done()


sys.exit(main())
