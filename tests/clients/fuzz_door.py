#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Open, read, write, seek and worse at random in a mounted machine: it answers all, loses nothing, ends well.

usage: fuzz_door.py BOXSCORE [SECONDS [SEED]]
"""
import ctypes
import errno
import fcntl
import mmap
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from tools import Boxscore, check, check_that, die_with_us, done

WORKERS = 4
# What a door may answer.  Anything else (EIO of a whole file system, a hang, ENOTCONN) is a find.
ALLOWED = {errno.EIO, errno.EINVAL, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTTY,
           errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EXDEV, errno.ENODEV, errno.ENXIO, errno.EFBIG, errno.ELOOP,
           errno.ENODATA, errno.EBADF, errno.ENOTEMPTY, errno.EROFS, errno.ESPIPE, errno.EFAULT, errno.EBUSY}
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 24, 64, 255, 256, 4095, 4096, 4097, 65536, 200000]
OFFSETS = [0, 1, 4, 8, 0x10, 0xa0, 0xd8, 0xf4, 0xce, 0x186, 0x38f, 0x606, 0x700, 0x720, 0xe00, 0xe01, 0xe05, 0xff8, 0xfff, 4096,
           0x80000000, 0x87f00000, 0x8ff40000, 0xc0000080, 2**32, 2**40, 2**63 - 1]
libc = ctypes.CDLL(None, use_errno=True)


def offset(r):
    return r.choice(OFFSETS) if r.random() < 0.7 else r.randrange(0, 1 << r.randrange(1, 63))


def one(r, paths, folder):
    """One thing that a client may do."""
    path = r.choice(paths)
    flags = r.choice([os.O_RDONLY, os.O_WRONLY, os.O_RDWR]) | r.choice([0, 0, os.O_TRUNC, os.O_APPEND, os.O_NONBLOCK])
    act = r.randrange(12)
    if act == 0:
        r.choice([os.listdir, os.stat, os.lstat, os.readlink, os.statvfs, os.listxattr])(path)
    elif act == 1:
        r.choice([os.unlink, os.rmdir, os.mkdir])(path if r.random() < 0.5 else path + "x")
    elif act == 2:
        r.choice([os.rename, os.link, os.symlink])(path, f"{folder}/{r.randrange(9)}")
    elif act == 3:
        r.choice([lambda: os.chmod(path, 0o777), lambda: os.chown(path, 1, 1), lambda: os.utime(path),
                  lambda: os.truncate(path, offset(r))])()
    else:
        fd = os.open(path, flags)
        try:
            for _ in range(r.randrange(1, 8)):
                on_file(r, fd)
        finally:
            os.close(fd)


def on_file(r, fd):
    act, size = r.randrange(9), r.choice(SIZES)
    if act <= 2:
        os.pread(fd, size, offset(r))
    elif act <= 4:
        os.pwrite(fd, r.randbytes(size), offset(r))
    elif act == 5:
        os.lseek(fd, offset(r), r.choice([os.SEEK_SET, os.SEEK_CUR, os.SEEK_END, os.SEEK_DATA, os.SEEK_HOLE]))
        r.choice([lambda: os.read(fd, size), lambda: os.write(fd, r.randbytes(size))])()
    elif act == 6:
        fcntl.ioctl(fd, r.choice([0x50434900, 0x50434901, 0x5401, r.randrange(1 << 32)]), 0)
    elif act == 7:
        os.fsync(fd)
        os.posix_fallocate(fd, 0, size + 1)
    else:
        with mmap.mmap(fd, 4096, prot=mmap.PROT_READ, flags=r.choice([mmap.MAP_PRIVATE, mmap.MAP_SHARED])) as m:
            # Looked at by the kernel: what is behind the end of a file may not be touched by us.
            libc.write(-1, m, 0)


def work(paths, folder, seed, until):
    r, bad = random.Random(seed), 0
    while time.monotonic() < until:
        try:
            one(r, paths, folder)
        except OSError as e:
            if e.errno not in ALLOWED:
                bad += 1
                print(f"seed {seed}: {e}")
        except (ValueError, OverflowError, TypeError, ctypes.ArgumentError):
            pass
    os._exit(bad > 0)


def files_of(folder):
    found = [folder]
    for top, dirs, names in os.walk(folder):
        found += [os.path.join(top, n) for n in dirs + names]
    interesting = [p for p in found if p.endswith(("/msr", "/config", "/mem")) or "proc" in p]
    return found + 3 * interesting


def main():
    b = Boxscore(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    folder = tempfile.mkdtemp(prefix="bxs-fuzz")
    log = tempfile.NamedTemporaryFile(prefix="bxs-fuzz-log")
    p = subprocess.Popen([b.program, "mount", "-M", "hsx,cores=2", "--load", "stream:size=1M", "--log", log.name,
                          "--fault", "stuck=cbo1.CTR1,phantom=imc5,gp=0x606,erratum=write-twice", folder],
                         stderr=subprocess.PIPE, text=True, preexec_fn=die_with_us)
    end = time.monotonic() + 200
    while not os.path.exists(f"{folder}/dev/cpu/0/msr") and time.monotonic() < end and p.poll() is None:
        time.sleep(0.02)
    paths = files_of(folder)
    check_that("the machine's files are there", len(paths) > 1000, len(paths))
    workers = []
    for i in range(WORKERS):
        pid = os.fork()
        if pid == 0:
            work(paths, folder, seed + i, time.monotonic() + seconds)
        workers.append(pid)
    for i, pid in enumerate(workers):
        check(f"worker {i}", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
    with open(f"{folder}/sys/devices/system/cpu/online", encoding="utf-8") as f:
        check("still right", f.read(), "0-7\n")
    with open(f"{folder}/dev/cpu/0/msr", "rb", buffering=0) as f:
        before, after = os.pread(f.fileno(), 8, 0x10), None
        while after in (None, before):
            after = os.pread(f.fileno(), 8, 0x10)
    check_that("time goes on", after != before)
    p.send_signal(signal.SIGTERM)
    _, err = p.communicate(timeout=200)
    check("its end", (p.returncode, err), (0, ""))
    os.rmdir(folder)
    done()


main()
