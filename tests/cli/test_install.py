#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is installed works where it lies, even below another root: the tool finds its parts, the library its users.

usage: test_install.py BUILD PREFIX CHECK EXAMPLE... -- COMPILER [FLAG...]
"""
import glob
import os
import re
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


def completes(below):
    """The other shells' completions find bash's, which they ask."""
    words = f'"{below}/bin/boxscore" du'
    zsh = f'''compadd() {{ print -rl -- "${{@[$@[(i)--]+1,-1]}}" }}
fpath=("{below}/share/zsh/site-functions") words=({words}) CURRENT=2; autoload -Uz _boxscore && _boxscore'''
    fish = f"source '{below}/share/fish/vendor_completions.d/boxscore.fish'; complete -C '{words}'"
    for command in ["zsh", "-f", "-c", zsh], ["fish", "--no-config", "-c", fish]:
        if run(*command).split() != ["dump"]:
            print(f"{__file__}: {command[0]} does not complete du to dump, but: {run(*command)}")
            return 1
    return 0


def documented(below):
    """Licence, changes and all documents are there, and what they link to."""
    where = f"{below}/share/doc/boxscore"
    for path in ["LICENSE", "CHANGELOG.md", "README.md", "docs/guide/measuring.md", "examples/access.c", "examples/measure.py"]:
        if not os.path.exists(f"{where}/{path}"):
            print(f"{__file__}: {path} is not installed")
            return 1
    lost = [f"{page}: {link}" for page in ["README.md", *glob.glob("docs/**/*.md", root_dir=where, recursive=True)]
            for link in links(f"{where}/{page}") if not os.path.exists(os.path.join(where, os.path.dirname(page), link))]
    if lost:
        print(f"{__file__}: links to what is not installed: {lost}")
    return len(lost)


def links(page):
    with open(page, encoding="utf-8") as f:
        return re.findall(r"\]\(([^):#\s]+)[^):]*\)", f.read())


def gone(build, root):
    """`make uninstall` leaves nothing, also after two installations and a Python that has compiled the module."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
    modules = glob.glob(f"{root}/**/boxscore/__init__.py", recursive=True)
    run(sys.executable, "-m", "compileall", "-q", os.path.dirname(modules[0]))
    run("make", "--no-print-directory", "-C", source, "uninstall", f"BUILD={build}")
    left = [os.path.join(where, name) for where, _, files in os.walk(root) for name in files]
    left += [where for where, _, _ in os.walk(root) if os.path.basename(where) == "boxscore"]
    if left:
        print(f"{__file__}: after make uninstall there are still {left[:5]}")
        return 1
    again = subprocess.run(["make", "-C", source, "uninstall", f"BUILD={build}"], capture_output=True, text=True, check=False)
    if again.returncode == 0 or "nothing has been installed" not in again.stderr:
        print(f"{__file__}: make uninstall without an installation: {again.returncode} {again.stderr}")
        return 1
    return 0


def front(root):
    """`make install PREFIX=...` installs there, whatever prefix a build before was made for; told by what meson is told."""
    os.mkdir(f"{root}/bin")
    os.mkdir(f"{root}/build")
    open(f"{root}/build/build.ninja", "w", encoding="ascii").close()
    for name in "meson", "ninja":
        with open(f"{root}/bin/{name}", "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\necho {name} \"$@\"\n")
        os.chmod(f"{root}/bin/{name}", 0o755)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    env = {key: value for key, value in os.environ.items() if key not in ("PREFIX", "MAKEFLAGS")}
    env["PATH"] = f"{root}/bin:{env['PATH']}"
    build = f"{root}/build"
    made, to = [f"ninja -C {build}"], [f"meson install -C {build} --no-rebuild"]
    for given, want in (
        ([], made + to),
        ([f"PREFIX={root}/inst"], made + [f"meson configure {build} -Dprefix={root}/inst"] + made + to),
        (["PREFIX=/usr/local"], made + [f"meson configure {build} -Dprefix=/usr/local"] + made + to),
    ):
        told = run("make", "--no-print-directory", "-C", source, "install", f"BUILD={build}", *given, env=env).splitlines()
        if told != want:
            print(f"{__file__}: make install {given}: {told}, not {want}")
            return 1
    return 0


def embed(root, below, check, examples, compiler):
    """What pkg-config says links a program as it stands: with the shared library, and with all that it needs as archives."""
    places = [where for where, _, files in os.walk(below) if "boxscore.pc" in files]
    env = {**os.environ, "PKG_CONFIG_PATH": os.pathsep.join(places + [os.environ.get("PKG_CONFIG_PATH", "")])}
    env["LD_LIBRARY_PATH"] = os.path.dirname(places[0])

    def flags(*more):
        return run("pkg-config", f"--define-variable=prefix={below}", "--cflags", "--libs", *more, "boxscore", env=env).split()

    ways = [("shared", [], flags())]
    # A sanitizer has no archive to link with, and no place in a Python that is not sanitized.
    if not any(word.startswith("-fsanitize") for word in compiler):
        ways.append(("static", ["-static"], flags("--static")))
        modules = glob.glob(f"{below}/**/boxscore/__init__.py", recursive=True)
        run(sys.executable, "-B", check, *(e for e in examples if e.endswith(".py")),
            env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(modules[0]))})
    examples = [e for e in examples if e.endswith(".c")]
    for name, first, last in ways:
        os.mkdir(f"{root}/{name}")
        programs = [f"{root}/{name}/{os.path.basename(example)[:-2]}" for example in examples]
        for example, program in zip(examples, programs):
            run(*compiler, *first, example, "-o", program, *last)
        run(sys.executable, check, *programs, env=env)
        linked = run("readelf", "-d", programs[0])
        if ("libboxscore.so.0" in linked) != (name == "shared"):
            print(f"{__file__}: {name}: is linked with\n{linked}")
            return 1
    return 0


def main():
    build, prefix, check, *rest = sys.argv[1:]
    examples, compiler = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
        below = root + prefix
        run(f"{below}/bin/boxscore", "stat", "--", "/bin/true", cwd=root)
        if alone(f"{below}/bin/boxscore", root, prefix) or front(root):
            return 1
        run(f"{below}/bin/boxscore", "run", "false-sharing", "-e", "imc.CAS_COUNT.RD", cwd=root)
        if completes(below) or documented(below) or embed(root, below, check, examples, compiler):
            return 1
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
        return gone(build, root)


if __name__ == "__main__":
    sys.exit(main())
