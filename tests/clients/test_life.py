#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whoever is killed, and whenever: no process, no mount and no half state stays, and the next start works."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from tools import Boxscore, check, check_that, die_with_us, done

ID = str(uuid.uuid4())
MARK = f"BXS_LIFE={ID}"
SHAPE = ["-M", "hsx,sockets=1,cores=2"]
LEAVES_CHILDREN = "setsid sleep 1000 & (sleep 1000 &) ; echo ready; sleep 1000"


def marked():
    """Living processes that have our mark in their environment, with their command lines."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if MARK.encode() not in f.read():
                    continue
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    continue
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found[int(pid)] = f.read().replace(b"\0", b" ").decode().strip()
        except OSError:
            pass
    return found


def mounts():
    """What is mounted where everybody sees it, by us: others may run the same test."""
    with open("/proc/self/mounts", encoding="utf-8") as f:
        return [line for line in f if line.startswith("boxscore") and (ID in line or " /proc/" in line)]


def wait_for(what, holds, seconds=120):
    """What `holds` says as soon as it is true; what was true once need not be so when it is asked again."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            check_that(what, False, f"after {seconds} seconds")
            return None
        time.sleep(0.01)
    return found


def nothing_left(when):
    wait_for(f"nothing left {when}", lambda: not marked())
    check(f"processes left {when}", marked(), {})
    check(f"mounts left {when}", mounts(), [])


def begin(b, arguments):
    environment = dict([MARK.split("=")], **os.environ)
    return subprocess.Popen([b.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True,
                            preexec_fn=die_with_us)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as f:
        return list(map(int, f.read().split()))


def kill_with(b, who, *options):
    """Kill one of the three processes of `with`, whose client has left children in the background."""
    p = begin(b, ["with", *SHAPE, *options, "--load", "stream", "--", "sh", "-c", LEAVES_CHILDREN])
    check(f"client, before {who} is killed", p.stdout.readline(), "ready\n")
    server = next(c for c in children_of(p.pid) if "boxscore" in marked()[c] and "sleep 1000" in marked()[c]
                  and "with" in marked()[c].split()[1])
    client = next(c for c in children_of(p.pid) if marked()[c].startswith("sh"))
    os.kill({"the front": p.pid, "the server": server, "the client": client}[who], signal.SIGKILL)
    out, err = p.communicate(timeout=120)
    if who == "the client":
        check("exit status, client killed", (p.returncode, err), (137, ""))
    if who == "the server":
        check("exit status, server killed", (p.returncode, err),
              (65, "boxscore with: the process of the files was killed\n"))
    nothing_left(f"after {who} was killed")
    check("output", out, "")


def kill_early(b):
    """At moments of the start that are not chosen well."""
    for ms in range(0, 60, 6):
        p = begin(b, ["with", *SHAPE, "--load", "stream", "--", "sh", "-c", LEAVES_CHILDREN])
        time.sleep(ms / 1000)
        p.kill()
        p.communicate(timeout=120)
        nothing_left(f"after being killed at {ms} ms")


def loads_of(processes):
    return [pid for pid, line in processes.items() if re.search("qemu|boxscore-native", line.split(" ")[0])]


def kill_load(b, program):
    if not shutil.which("qemu-x86_64"):
        return
    p = begin(b, ["with", *SHAPE, "--load", f"{program} spin", "--", "sh", "-c",
                  "echo ready; read line; rdmsr 0x10 >/dev/null; exit 3"])
    check("client, before the load is killed", p.stdout.readline(), "ready\n")
    loads = wait_for("a load", lambda: loads_of(marked()))
    if not loads:
        return
    os.kill(loads[0], signal.SIGKILL)
    said = p.stderr.readline()
    check_that(f"says that the load was killed: {said}",
               said.endswith("ended by signal 9; the machine is idle from now on\n") or
               said.endswith("never ran: its emulator ended before it, by signal 9; the machine is idle from now on\n"))
    p.communicate("go on\n", timeout=120)
    got = b.run(["with", *SHAPE, "--load", f"{program} spin", "--", "sleep", "0.2"])
    check("a load that lives to the end", (got.returncode, got.stderr), (0, ""))
    check("exit status, load killed", p.returncode, 3)
    nothing_left("after the load was killed")


def through(b):
    """What passes untouched: input, output, exit status, signals."""
    got = b.run(["with", *SHAPE, "--", "sh", "-c", "cat; echo err >&2; exit 42"], input="in\n")
    check("input, output, status", (got.stdout, got.stderr, got.returncode), ("in\n", "err\n", 42))
    got = b.run(["with", *SHAPE, "--", "sh", "-c", "kill -SEGV $$"])
    check("a signal that ends it", got.returncode, 128 + signal.SIGSEGV)
    got = b.run(["with", "--native", "--machine-time", "--", "true"])
    check("two that do not go together", (got.returncode, "--native" in got.stderr), (64, True))
    got = b.run(["with", *SHAPE, "--", "/nowhere/tool"])
    check("no such tool", (got.returncode, got.stderr), (65, "boxscore with: /nowhere/tool: no such program\n"))
    p = begin(b, ["with", *SHAPE, "--", "sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done"])
    check("client", p.stdout.readline(), "ready\n")
    p.terminate()
    p.communicate(timeout=120)
    check("a signal that is passed on", p.returncode, 5)
    p = begin(b, ["with", *SHAPE, "--", "sh", "-c", "trap 'n=$((n+1))' INT; echo ready; "
                  "until [ $n ]; do sleep 0.01; done; sleep 0.3; exit 1$n"])
    check("client", p.stdout.readline(), "ready\n")
    os.kill(p.pid, signal.SIGINT)
    p.communicate(timeout=120)
    check("a signal that comes once", p.returncode, 11)
    nothing_left("after the tests of signals")


def mounted(b):
    folder = tempfile.mkdtemp(prefix=f"bxs-life-{ID}")
    msr = f"{folder}/dev/cpu/0/msr"
    for how in ("terminate", "kill", "umount"):
        p = begin(b, ["mount", *SHAPE, "--load", "stream", folder])
        wait_for("mounted", lambda: os.path.exists(msr))
        check(f"a mount, before {how}", len(mounts()), 1)
        if how == "umount":
            check("umount", subprocess.run(["umount", folder], check=False).returncode, 0)
        else:
            getattr(p, how)()
        _, err = p.communicate(timeout=120)
        check(f"end by {how}", (p.returncode, err), (-9 if how == "kill" else 0, ""))
        wait_for(f"unmounted by {how}", lambda: not mounts())
        nothing_left(f"after {how}")
    got = b.run(["mount", "--background", *SHAPE, folder], env=dict([MARK.split("=")], **os.environ))
    check("in the background", (got.returncode, got.stdout, got.stderr), (0, "", ""))
    check_that("files are there at once", os.path.exists(msr))
    got = b.run(["mount", *SHAPE, folder])
    check("a second one on it", (got.returncode, got.stderr),
          (65, f"boxscore mount: on {folder} there is a machine already; fusermount3 -u {folder} takes it away\n"))
    os.kill(next(iter(pid for pid, line in marked().items() if "mount" in line)), signal.SIGTERM)
    wait_for("unmounted in the background", lambda: not mounts())
    nothing_left("after the background")
    os.rmdir(folder)
    got = b.run(["mount", *SHAPE, folder])
    check("no such directory", (got.returncode, got.stderr),
          (65, f"boxscore mount: {folder}: No such file or directory; an existing directory is expected\n"))


def copied(b):
    """A mount that a namespace has its own of, as that of a `with`, ends for all when it is taken away."""
    folder = tempfile.mkdtemp(prefix=f"bxs-life-{ID}")
    p = begin(b, ["mount", *SHAPE, folder])
    wait_for("mounted", lambda: os.path.exists(f"{folder}/dev/cpu/0/msr"))
    other = begin(b, ["with", *SHAPE, "--", "sh", "-c", f"rdmsr 0x34; read line; ls {folder}/dev 2>/dev/null || echo gone"])
    check("the other", other.stdout.readline(), "0\n")
    check("umount", subprocess.run(["umount", folder], check=False).returncode, 0)
    check("its process ends", (p.communicate(timeout=120)[1], p.returncode), ("", 0))
    check("gone there as well", other.communicate("go on\n", timeout=120)[0], "gone\n")
    nothing_left("after a mount that was copied")
    os.rmdir(folder)


def bare_systems(b):
    """Where the system has less than usual, as in a container: it works, or says what is missing."""
    def inside(setup, tool):
        return subprocess.run(["unshare", "-m", "sh", "-c", f'{setup} && exec "$0" with -M hsx -- {tool}',
                               os.path.abspath(b.program)], capture_output=True, text=True, check=False)

    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        return
    got = inside("mount -t tmpfs none /dev", "true")
    check("no /dev/fuse", (got.returncode, "this system has no /dev/fuse" in got.stderr), (69, True))
    got = inside("mount -t tmpfs none /sys && mkdir /sys/devices", "sh -c 'ls /sys/bus/pci/devices | wc -l; ls /sys/devices'")
    names = [name for name in got.stdout.split() if not name.startswith("uncore_")]
    check("an empty /sys", names, ["206", "cpu", "pci0000:00", "pci0000:7f", "pci0000:80", "pci0000:ff", "platform", "software", "system", "virtual"])


def as_a_user(b):
    """Without root: a user namespace of its own is enough."""
    if os.geteuid() == 0:
        got = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", os.path.abspath(b.program),
                              "with", *SHAPE, "--", "sh", "-c", "id -u; rdmsr -p 3 0xe00; lspci -n | wc -l"],
                             capture_output=True, text=True, check=False)
        if got.returncode == 69 or "Permission denied" in got.stderr:
            print(f"not as a user: {got.stderr.strip()}")
            return
        check("as a user", (got.returncode, got.stdout.split()[:2], got.stderr), (0, ["0", "0"], ""))


PTY = """
import os, pty
child, terminal = pty.fork()
if child == 0:
    os.execvp("tty", ["tty"])
print(os.read(terminal, 100).decode().strip(), os.waitpid(child, 0)[1])
"""


def terminals(b):
    """A tool makes terminals of its own, as script, expect and tmux do."""
    if os.geteuid() != 0:
        return
    got = b.run(["with", "--", "/usr/bin/python3", "-c", PTY])
    check_that("a terminal", re.fullmatch(r"/dev/pts/\d+ 0\n", got.stdout), got.stdout + got.stderr)


def main():
    b = Boxscore(sys.argv[1])
    terminals(b)
    bare_systems(b)
    as_a_user(b)
    through(b)
    for who in ("the front", "the server", "the client"):
        kill_with(b, who)
        kill_with(b, who, "--likwid")
    kill_early(b)
    kill_load(b, sys.argv[2])
    mounted(b)
    copied(b)
    done()


main()
