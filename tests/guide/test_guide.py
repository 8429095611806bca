#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a stranger does in the first hour, from what is installed: each script of this folder, in an empty folder.

usage: test_guide.py BUILD PREFIX   installs below a folder of its own
"""
import glob
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def environment(root, prefix):
    """Of somebody who has installed below root: commands, libraries, pkg-config's files and Python's modules are found there."""
    below = root + prefix
    pkgconfig = [where for where, _, files in os.walk(below) if "boxscore.pc" in files]
    modules = glob.glob(f"{below}/**/boxscore/__init__.py", recursive=True)
    # Meson has tests' malloc() fill what it gives, which is memory traffic.
    own = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    return {**own, "PATH": f"{below}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": pkgconfig[0],
            "PKG_CONFIG_SYSROOT_DIR": root, "LD_LIBRARY_PATH": os.path.dirname(pkgconfig[0]),
            "PYTHONPATH": os.path.dirname(os.path.dirname(modules[0])), "PYTHONDONTWRITEBYTECODE": "1"}


def run_script(path, env):
    """What went wrong: "" nothing, None: the script was skipped."""
    with tempfile.TemporaryDirectory() as place:
        p = subprocess.run(["sh", path], cwd=place, env=env, capture_output=True, text=True, check=False)
    print(f"{os.path.basename(path)}:\n{p.stdout}", end="")
    if p.returncode == SKIPPED:
        return None
    return f"{path}: exit status {p.returncode}\n{p.stdout}{p.stderr}" if p.returncode else ""


def main():
    build, prefix = sys.argv[1:]
    scripts = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.sh")))
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", root], check=True, stdout=subprocess.DEVNULL)
        env = environment(root, prefix)
        failed = [said for said in (run_script(path, env) for path in scripts) if said]
    print("\n".join(failed))
    print(f"{len(scripts)} checks, {len(failed)} failed")
    return len(failed) > 0 or not scripts


if __name__ == "__main__":
    sys.exit(main())
