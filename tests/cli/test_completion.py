#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completion answers with what the program knows, in each shell; each row is one press of the tab key.

usage: test_completion.py BOXSCORE COMPLETIONS [SHELL...]
"""
import os
import subprocess
import sys

# (line of this file, words typed so far, the last being completed; what must and must not be offered)
ROWS = []


def row(words, offered, not_offered=()):
    ROWS.append((sys._getframe(1).f_lineno, words, offered, not_offered))


row(["du"], ["dump"], ["list"])
row(["dump", "e"], ["events"], ["fields"])
row(["dump", "events", "--family", ""], ["hsx"])
row(["info", "cbo.LLC_LOOKUP.DATA"], ["cbo.LLC_LOOKUP.DATA_READ"], ["cbo.LLC_LOOKUP.ANY"])
row(["stat", "-e", "imc.CAS_COUNT.RD,imc.ACT"], ["imc.CAS_COUNT.RD,imc.ACT_COUNT"], ["imc.ACT_COUNT"])
row(["stat", "-e", ""], ["imc.CAS_COUNT.RD"], ["zbox.CLOCKS", "core.NOPS_RETIRED"])
row(["check", "-e", "imc.CAS_COUNT.RD_"], ["imc.CAS_COUNT.RD_WMM"], ["zbox.CLOCKS"])
row(["stat", "-M", "hsx:e7"], ["hsx:e7-8890v3"], ["hsx:e5-2699v3"])
row(["stat", "-M", "hsx,cores=2,snoo"], ["hsx,cores=2,snoop="], ["snoop="])
row(["with", "-M", "hsx,"], ["hsx,osb=", "hsx,d2c=", "hsx,ppd=", "hsx,bind="], ["hsx,hsx"])
row(["run", "false"], ["false-sharing"], ["locks"])
row(["stat", "--mem", "b"], ["bind=0", "bind=1"])
row(["stat", "--co-run", "tru"], ["true"])
row(["stat", "--co"], ["--co-run", "--cores"], ["-j"])
row(["repo"], ["report"])
row(["stat", "--ht"], ["--html"], ["--head"])
row(["stat", "--cores", "c"], ["compact"])
row(["with", "--load", "str"], ["stream"], ["chase"])
row(["with", "--fault", "gp=0x606,e"], ["gp=0x606,erratum=sbo-gp", "gp=0x606,erratum=write-twice", "gp=0x606,ecc="])
row(["stat", "--fault", ""], ["ecc=", "memhot=", "vmse-crc=", "seed="], ["hide=", "erratum=sbo-gp"])
row(["stat", "--dma", "read=1G,i"], ["read=1G,interrupt="], ["interrupt="])
row(["with", "--"], ["--load", "--native", "--check"], ["--background"])
row(["mount", "--b"], ["--background"])
row(["replay-log", "--on"], ["--once"])
row(["stat", "-m", "llc_h"], ["llc_hit_ratio"])
row(["stat", "-m", "MEM_BW"], ["MEM_BW_READS", "MEM_BW_TOTAL", "MEM_BW_WRITES"])


def complete_bash(words):
    """What bash offers after `boxscore WORDS`."""
    script = f'''source "{sys.argv[2]}/boxscore"
COMP_WORDS=("{sys.argv[1]}" "$@"); COMP_CWORD=$#; _boxscore; printf "%s\\n" "${{COMPREPLY[@]}}"'''
    return run("bash", "-c", script, "bash", *words)


def complete_zsh(words):
    """What zsh's function hands to compadd."""
    script = f'''compadd() {{ print -rl -- "${{@[$@[(i)--]+1,-1]}}" }}
_files() {{ print files }}
fpath=("{sys.argv[2]}") words=("{sys.argv[1]}" "$@") CURRENT=$(($# + 1))
autoload -Uz _boxscore && _boxscore'''
    return run("zsh", "-f", "-c", script, "zsh", *words)


def complete_fish(words):
    """What fish itself says it would offer."""
    line = " ".join([sys.argv[1], *words])
    return [row.split("\t")[0] for row in
            run("fish", "--no-config", "-c", f'source "{sys.argv[2]}/boxscore.fish"; complete -C "{line}"')]


def run(*command):
    got = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return got.stdout.splitlines()


SHELLS = {"bash": complete_bash, "zsh": complete_zsh, "fish": complete_fish}


def main():
    failures = 0
    shells = sys.argv[3:] or list(SHELLS)
    for shell in shells:
        for line, words, offered, not_offered in ROWS:
            got = SHELLS[shell](words)
            for name in offered:
                if name not in got:
                    print(f"{__file__}:{line}: {shell}: {name} is not offered, but {got[:8]}")
                    failures += 1
            for name in not_offered:
                if name in got:
                    print(f"{__file__}:{line}: {shell}: {name} is offered")
                    failures += 1
    print(f"{len(ROWS) * len(shells)} checks, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
