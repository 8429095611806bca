#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The scripts of this folder in a clean Debian that has nothing but our packages, what they ask for, and compilers.

usage: check_root.py PACKAGES ROOT   (as root: PACKAGES is a folder of ours; ROOT is made anew by debootstrap, and stays)
"""
import glob
import os
import shutil
import subprocess
import sys

RELEASE, MIRROR = "bookworm", os.environ.get("MIRROR", "http://deb.debian.org/debian")
# What the guides ask of a stranger beside our packages.
WANTED = "gcc", "g++", "libc6-dev", "pkg-config", "fuse3"
OURS = "boxscore", "libboxscore0", "libboxscore-dev", "python3-boxscore"
# Mounts go with the namespace, whatever becomes of us.  The root has to be a mount of its own, as any system's is.
INSIDE = '''
set -eu
mount --bind "$1" "$1"; mount --bind /dev "$1/dev"; mount -t proc proc "$1/proc"; mount -t sysfs sysfs "$1/sys"; mount -t tmpfs tmpfs "$1/tmp"
root=$1; shift
exec chroot "$root" "$@"
'''
SKIPPED = 77


def run(*command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if p.returncode:
        sys.exit(f"{' '.join(command)}: exit status {p.returncode}\n{p.stdout[-3000:]}")


def inside(root, *command):
    """A command in the clean system, with its own mounts and processes."""
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c", INSIDE, "sh", root, *command], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def prepare(packages, root):
    shutil.rmtree(root, ignore_errors=True)
    run("debootstrap", "--variant=minbase", RELEASE, root, MIRROR)
    os.mkdir(f"{root}/packages")
    for name in OURS:
        found = glob.glob(f"{packages}/{name}_*.deb")
        if len(found) != 1:
            sys.exit(f"{packages} has {len(found)} packages {name}: make deb builds them")
        shutil.copy(found[0], f"{root}/packages/{name}.deb")
    for command in (["apt-get", "update"],
                    ["apt-get", "install", "-y", "--no-install-recommends", *WANTED, *(f"/packages/{n}.deb" for n in OURS)]):
        p = inside(root, *command)
        if p.returncode:
            sys.exit(f"in {root}: {' '.join(command)}: exit status {p.returncode}\n{p.stdout[-3000:]}")


def main():
    packages, root = map(os.path.abspath, sys.argv[1:])
    if os.getuid() != 0 or not shutil.which("debootstrap"):
        sys.exit("a clean root is made by root, with debootstrap (the package of that name)")
    prepare(packages, root)
    failed = skipped = 0
    scripts = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.sh")))
    for path in scripts:
        name = os.path.basename(path)
        shutil.copy(path, f"{root}/packages/{name}")
        p = inside(root, "sh", "-c", f"mkdir /tmp/{name} && cd /tmp/{name} && sh /packages/{name}")
        print(f"{name}: exit status {p.returncode}\n{p.stdout}", end="")
        skipped += p.returncode == SKIPPED
        failed += p.returncode not in (0, SKIPPED)
    print(f"{len(scripts)} scripts in a clean root: {failed} failed, {skipped} skipped")
    return failed > 0 or not scripts


if __name__ == "__main__":
    sys.exit(main())
