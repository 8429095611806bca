#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is installed works where it lies, even below another root: the tool finds its parts, the library its users.

usage: test_install.py BUILD PREFIX EXAMPLE COMPILER [FLAG...]
"""
import os
import subprocess
import sys
import tempfile


def run(*command, **more):
    p = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if p.returncode:
        print(f"{__file__}: {' '.join(command)}: exit status {p.returncode}\n{p.stdout}{p.stderr}")
        sys.exit(1)
    return p.stdout


def main():
    build, prefix, example, *compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
        below = root + prefix
        run(f"{below}/bin/boxscore", "stat", "--", "/bin/true", cwd=root)
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
