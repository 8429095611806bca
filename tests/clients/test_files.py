#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files of a mounted machine answer as the drivers of Linux do, and whom the owner lets.

usage: test_files.py BOXSCORE
"""
import ctypes
import errno
import os
import subprocess
import sys
import tempfile
import time

from tools import Boxscore, check, check_that, die_with_us, done

NOBODY = 65534
MSR, PCI, TEXT = "dev/cpu/0/msr", "proc/bus/pci/ff/14.0", "sys/devices/system/cpu/online"
UNKNOWN = 0xdead
ONES = b"\xff" * 8

# (line of the file, file, offset, what is read or written, what comes: bytes, their number, or an error)
READS = [
    (MSR, 0xce, 8, 8), (MSR, 0xce, 0, 0), (MSR, 0xce, 4, errno.EINVAL), (MSR, 0xce, 12, errno.EINVAL),
    (MSR, 0xce, 24, 24), (MSR, UNKNOWN, 8, errno.EIO), (MSR, UNKNOWN, 16, errno.EIO), (MSR, UNKNOWN, 3, errno.EINVAL),
    (MSR, 0xcf, 8, errno.EIO), (MSR, 1 << 33, 8, errno.EIO),
    (PCI, 0, 4, b"\x86\x80\xb0\x2f"), (PCI, 1, 2, b"\x80\xb0"), (PCI, 3, 3, 3), (PCI, 0, 4096, 4096), (PCI, 4094, 8, 2),
    (PCI, 4096, 4, b""), (PCI, 1 << 40, 4, b""),
    (TEXT, 0, 100, b"0-3\n"), (TEXT, 2, 100, b"3\n"), (TEXT, 4, 1, b""),
]
WRITES = [
    (MSR, 0xe01, ONES[:4], errno.EINVAL), (MSR, 0xe01, ONES + ONES[:1], errno.EINVAL), (MSR, 0xe01, bytes(8), 8),
    (MSR, 0xe01, bytes(24), 24), (MSR, UNKNOWN, bytes(8), errno.EIO), (MSR, 0xce, bytes(8), errno.EIO),
    (MSR, 0x38f, ONES, errno.EIO), (PCI, 0xd8, bytes(4), 4), (PCI, 0xd9, bytes(1), 1), (PCI, 4095, bytes(4), 1),
    (TEXT, 0, b"0\n", errno.EACCES),
]


class Mounted:
    def __init__(self, b, *options):
        self.folder = tempfile.mkdtemp(prefix="bxs-files")
        os.chmod(self.folder, 0o755)
        self.process = subprocess.Popen([b.program, "mount", "-M", "hsx,sockets=1,cores=2", *options, self.folder],
                                        stderr=subprocess.PIPE, text=True, preexec_fn=die_with_us)
        end = time.monotonic() + 200
        while not os.path.exists(f"{self.folder}/{MSR}") and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.02)

    def __enter__(self):
        return self.folder

    def __exit__(self, *unused):
        self.process.terminate()
        _, err = self.process.communicate(timeout=200)
        check("its end", (self.process.returncode, err), (0, ""))
        os.rmdir(self.folder)


def attempt(act, *arguments):
    """What comes of it, or the number of the error."""
    try:
        return act(*arguments)
    except OSError as e:
        return e.errno


def on_file(path, flags, act, *arguments):
    fd = attempt(os.open, path, flags)
    if fd in (errno.EACCES, errno.ENOENT):
        return fd
    try:
        return attempt(act, fd, *arguments)
    finally:
        os.close(fd)


def answers(folder):
    for path, offset, size, want in READS:
        got = on_file(f"{folder}/{path}", os.O_RDONLY, os.pread, size, offset)
        check(f"{size} bytes of {path} at {offset:#x}", len(got) if isinstance(got, bytes) and isinstance(want, int) else got, want)
    for path, offset, value, want in WRITES:
        got = on_file(f"{folder}/{path}", os.O_WRONLY, os.pwrite, value, offset)
        check(f"{len(value)} bytes to {path} at {offset:#x}", got, want)
    three = on_file(f"{folder}/{MSR}", os.O_RDONLY, os.pread, 24, 0xce)
    fd = os.open(f"{folder}/{PCI}", os.O_RDONLY)
    check("PCIIOC_CONTROLLER: domain 0", ctypes.CDLL(None).ioctl(fd, 0x50434900, ctypes.create_string_buffer(1 << 14)), 0)
    os.close(fd)
    check("24 bytes are one register three times", three, three[:8] * 3)
    fd = os.open(f"{folder}/{MSR}", os.O_RDWR)
    os.pwrite(fd, (1).to_bytes(8, "little") + (2).to_bytes(8, "little"), 0xe08)
    check("16 bytes are two writes of one register", os.pread(fd, 8, 0xe08), (2).to_bytes(8, "little"))
    os.lseek(fd, 0xe08, os.SEEK_SET)
    check("the number of the register by seeking", os.read(fd, 8), (2).to_bytes(8, "little"))
    os.close(fd)
    for path in (MSR, "dev/mem"):
        check(f"a length of {path}", [attempt(os.truncate, f"{folder}/{path}", 0), on_file(f"{folder}/{path}", os.O_RDWR, os.ftruncate, 8)],
              [errno.EINVAL] * 2)
        check(f"{path} as a shell's > opens it", on_file(f"{folder}/{path}", os.O_WRONLY | os.O_TRUNC, os.pwrite, b"", 0), 0)
    check("a length of a function's file", on_file(f"{folder}/{PCI}", os.O_RDWR, os.ftruncate, 0), None)
    for act in (os.unlink, os.rmdir, os.mkdir, lambda p: os.rename(p, p + "x"), lambda p: os.chmod(p, 0o777)):
        check_that("the tree stays as it is", isinstance(attempt(act, f"{folder}/{MSR}"), int))


def modes(folder):
    return [oct(os.stat(f"{folder}/{path}").st_mode & 0o777) for path in (MSR, PCI, TEXT)]


def as_nobody(folder):
    """What another user gets of an MSR, a function and a text: number of bytes, or the error."""
    mine, theirs = os.pipe()
    if os.fork() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        got = [on_file(f"{folder}/{path}", flags, os.pread, 8, 0xce)
               for path, flags in ((MSR, os.O_RDWR), (PCI, os.O_RDWR), (TEXT, os.O_RDONLY))]
        os.write(theirs, repr([len(g) if isinstance(g, bytes) else -g for g in got]).encode())
        os._exit(0)
    os.close(theirs)
    os.wait()
    with os.fdopen(mine) as f:
        return f.read()


def processor_time(pid):
    """Of a process, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alone(pid, seconds=3):
    """What a machine that nobody reads takes of a processor: less than 2 %."""
    before = processor_time(pid)
    time.sleep(seconds)
    took = processor_time(pid) - before
    check_that("a machine that nobody reads sleeps", took < 0.02 * seconds, took)


def main(argv):
    b = Boxscore(argv[1])
    mounted = Mounted(b)
    with mounted as folder:
        alone(mounted.process.pid)
        answers(folder)
        check("modes", modes(folder), ["0o600", "0o644", "0o444"])
        check("owner", os.stat(f"{folder}/{MSR}").st_uid, os.geteuid())
        if os.geteuid() == 0:
            check("another user", as_nobody(folder), repr([-errno.EACCES] * 3))
    if os.geteuid() == 0:
        with Mounted(b, "--allow-other") as folder:
            check("another user who may", as_nobody(folder), "[8, 8, 0]")
    done()


if __name__ == "__main__":
    main(sys.argv)
