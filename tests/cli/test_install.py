#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is installed works where it lies, even below another root: the tool finds its parts, the library its users.

usage: test_install.py BUILD PREFIX EXAMPLE COMPILER [FLAG...]
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile


def run(*command, **more):
    p = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if p.returncode:
        print(f"{__file__}: {' '.join(command)}: exit status {p.returncode}\n{p.stdout}{p.stderr}")
        sys.exit(1)
    return p.stdout


def alone(boxscore, root, prefix):
    """A tool without its parts says where it has looked for them."""
    if glob.glob(f"{prefix}/**/boxscore-plugin.so", recursive=True):
        return 0
    os.mkdir(f"{root}/alone")
    shutil.copy(boxscore, f"{root}/alone")
    probe = subprocess.run([boxscore, "with", "--", "true"], capture_output=True, check=False)
    wants = [("boxscore-plugin.so", "stat", "--qemu", "/bin/true")]
    if probe.returncode != 69:
        wants.append(("likwid-accessD", "with", "--native"))
    for part, *command in wants:
        p = subprocess.run([f"{root}/alone/boxscore", *command, "--", "true"], capture_output=True, text=True, check=False)
        if p.returncode != 69 or f"{part} is neither in {root}/alone/ or" not in p.stderr or f"nor in {prefix}/" not in p.stderr:
            print(f"{__file__}: alone: {p.returncode} {p.stderr}")
            return 1
    return 0


def main():
    build, prefix, example, *compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
        below = root + prefix
        run(f"{below}/bin/boxscore", "stat", "--", "/bin/true", cwd=root)
        if alone(f"{below}/bin/boxscore", root, prefix):
            return 1
        run(f"{below}/bin/boxscore", "run", "false-sharing", "-e", "imc.CAS_COUNT.RD", cwd=root)
        places = [where for where, _, files in os.walk(below) if "boxscore.pc" in files]
        path = os.pathsep.join(places + [os.environ.get("PKG_CONFIG_PATH", "")])
        flags = run("pkg-config", f"--define-variable=prefix={below}", "--cflags", "--libs", "boxscore",
                    env={**os.environ, "PKG_CONFIG_PATH": path}).split()
        run(*compiler, example, "-o", f"{root}/embed", *flags)
        if "interrupt to cores" not in run(f"{root}/embed"):
            print(f"{__file__}: the example does not tell of its interrupt")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
