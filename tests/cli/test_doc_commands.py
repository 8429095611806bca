#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each command line of README.md and docs/ runs as it is written, and prints what is written below it.

usage: test_doc_commands.py BOXSCORE ROOT BUILD PROGRAM alone|tools

A command is a line of an indented block that begins with boxscore, also behind `$ ` or `# `; with $ and lines below it these are
its output, in which numbers may differ by two percent.  `alone` are those that need nothing but boxscore; `tools` are those of
other tools, which are run but not compared: what they print goes with the speed of the computer.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from checks import check_at, done

# What is not run as it stands, by how it begins, with the reason.
NOT_HERE = {
    "boxscore report: run.jsonl:7": "a message",
    "boxscore mount DIR": "until somebody unmounts it: tests/clients/test_life.py",
    "boxscore with -M $machine": "a line of a script, which tests/clients/test_docs.py runs whole",
    "boxscore with: check:": "a message",
    "boxscore with -M hsx,cores=4 --ratio 0.001": "five seconds of a slow machine",
    "boxscore log 1": "the first line of a log",
    "boxscore-events 1": "the first line of an event file",
}
LOCAL = "--on local"  # programs this computer's own counters: a test of documents does not
DOCTOR = "boxscore doctor"  # looks whether it could
TOOLS = "boxscore with"
ENDLESS = re.compile(r" -- pcm-memory \d+$")  # measures again and again
ENDLESS_ROUND = "System Memory Throughput"  # ends what it prints of one measurement
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def blocks(path):
    """Indented blocks, with blank lines inside: the number of their first line, and their lines without the indentation."""
    found, first = [], 0
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate([*f, ""], 1):
            if line.startswith("    ") and not line.lstrip().startswith(("*", "-")):
                first = first or number
                found.append(line[4:].rstrip("\n"))
            elif found and line.strip() == "" and line:
                found.append("")
            elif found:
                yield first, found
                found, first = [], 0


def commands(path):
    """Line, command and the output below it, or None."""
    for first, lines in blocks(path):
        match = re.match(r"\$ (boxscore .*)", lines[0])
        if match and "<<END" in lines[0]:
            end = lines.index("END")
            yield first, "\n".join([match[1], *lines[1:end + 1]]), lines[end + 1:]
        elif match:
            yield first, match[1], lines[1:]
        else:
            for i, line in enumerate(lines):
                match = re.match(r"(?:# )?(boxscore .*?)(?:\s+# .*)?$", line)
                if match:
                    yield first + i, match[1], None


def alike(got, want):
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(line)] for line in (got, want)]
    return NUMBER.sub("#", got).split() == NUMBER.sub("#", want).split() and \
        all(abs(a - b) <= 0.02 * abs(b) for a, b in zip(*numbers))


def place(folder, boxscore, root, build, program):
    """What the documents' commands are about: programs, a scenario, a log."""
    os.mkdir(f"{folder}/bin")
    os.symlink(os.path.abspath(boxscore), f"{folder}/bin/boxscore")
    os.symlink(os.path.abspath(build), f"{folder}/build")
    shutil.copy(program, f"{folder}/program")
    shutil.copy(program, f"{folder}/noise")
    shutil.copy(f"{root}/share/scenarios/locks.scenario", f"{folder}/mine.scenario")
    with open(f"{root}/docs/guide/clients.md", encoding="utf-8") as f:
        log = re.search(r"^    (# boxscore log 1.*\n(?:    .*\n)+)", f.read(), re.M)[1]
    with open(f"{folder}/FILE", "w", encoding="utf-8") as f:
        f.write(log.replace("\n    ", "\n"))


def run(command, timeout, **more):
    return subprocess.run(command, capture_output=True, check=False, timeout=timeout, **more)


def until_it_has_measured(command, timeout, **more):
    """As run(), for a tool that goes on until it is ended: it is, after its first table."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more) as p:
        guard = threading.Timer(timeout, p.kill)
        guard.start()
        said, ended = "", False
        for line in p.stdout:
            said += line
            # Once: a second signal would find the tool cleaning up, with no handler.
            if ENDLESS_ROUND in line and not ended:
                p.terminate()
                ended = True
        guard.cancel()
    return subprocess.CompletedProcess(command, p.returncode, stdout=said, stderr="")


def run_one(folder, at, command, output):
    env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    # Memory that the C library paints is written twice.
    env.pop("MALLOC_PERTURB_", None)
    shell = ["sh", "-c", f"exec {command}"]
    call = until_it_has_measured if ENDLESS.search(command) else run
    got = call(shell, timeout=400, cwd=folder, env=env, stdin=subprocess.DEVNULL, text=True)
    printed = (got.stdout + got.stderr).splitlines()
    expected = (1,) if command.startswith("boxscore replay-log") else (124, 0) if "--timeout" in command else \
        (0, 69) if command.startswith(DOCTOR) else (0,)
    check_at(at, got.returncode in expected, f"{command}: exit status {got.returncode}: {got.stderr[-600:]}")
    check_at(at, printed or "-o " in command, f"{command}: prints nothing")
    if output is None or command.startswith(TOOLS):
        return
    want, got = [line for line in output if line], [line for line in printed if line]
    check_at(at, len(got) == len(want) and all(map(alike, got, want)),
             f"{command}: prints\n" + "\n".join(got) + "\nand not\n" + "\n".join(want))


def main(boxscore, root, build, program, kind):
    commands_run = set()
    documents = ["README.md"] + sorted(os.path.relpath(path, root) for path in glob.glob(f"{root}/docs/**/*.md", recursive=True))
    with tempfile.TemporaryDirectory(prefix="bxs-doc") as folder:
        place(folder, boxscore, root, build, program)
        for document in documents:
            for at, command, output in commands(f"{root}/{document}"):
                tool = command.split(" -- ")[-1].split()[0] if command.startswith(TOOLS) else None
                if command.startswith(tuple(NOT_HERE)) or LOCAL in command or (tool is not None) != (kind == "tools"):
                    continue
                if tool and not shutil.which(tool):
                    print(f"{document}:{at}: {tool} is not installed")
                    continue
                # What two documents show is run once, unless they say what it prints.
                if output is None and command in commands_run:
                    continue
                commands_run.add(command)
                run_one(folder, f"{document}:{at}", command, output)
    check_at("all", len(commands_run) >= (20 if kind == "alone" else 1), f"only {len(commands_run)} commands were found")
    return done()


sys.exit(main(*sys.argv[1:]))
