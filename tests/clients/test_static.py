#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A statically linked tool sees the machine's processor as well, through the emulator.

usage: test_static.py BOXSCORE CLIENT
"""
import os
import sys

from tools import Boxscore, check, done

MACHINE = ["with", "-M", "hsx,cores=2"]


def main(argv):
    b = Boxscore(argv[1], "qemu-x86_64")
    client = argv[2]
    got = b.run([*MACHINE, "--", client, "a b"])
    check("static", (got.returncode, got.stdout, got.stderr), (3, f"306f2 0 {client} a b\n", ""))
    path = {**os.environ, "PATH": os.path.dirname(client) + ":" + os.environ["PATH"]}
    got = b.run([*MACHINE, "--", os.path.basename(client)], env=path)
    check("static, from PATH", (got.returncode, got.stdout), (3, f"306f2 0 {os.path.basename(client)} \n"))
    got = b.run([*MACHINE, "--native", "--", client])
    check("static, native", (got.returncode, got.stdout == f"306f2 0 {client} \n"), (3, False))
    done()


if __name__ == "__main__":
    main(sys.argv)
