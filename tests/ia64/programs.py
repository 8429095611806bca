#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Well-known programs that nobody wrote for this model: built for IA-64 and for this computer, they print the same.

usage: programs.py CC RUNNER FOLDER [NAME...]

CC makes a static program for IA-64 of C sources, as `cc` does; RUNNER is a command line that runs one.  Sources are those of
Debian's source packages, which apt-get brings into FOLDER (sources.list needs no change).  docs/reference/model-ia64.md says how to make CC.
"""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import time

APT_SOURCES = "/etc/apt/sources.list.d/debian.sources"

EXPAT_CONFIG = """#define BYTEORDER 1234
#define HAVE_GETRANDOM 1
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_NS 1
#define XML_GE 1
#define PACKAGE_STRING "expat"
"""


def sql_script():
    """A thousand statements: tables, rows, an index, joins, sums, deletions, a transaction rolled back."""
    lines = ["CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INT);", "CREATE TABLE kind(id INT, label TEXT);"]
    lines += [f"INSERT INTO kind VALUES({k}, 'kind-{k}');" for k in range(17)]
    lines += [f"INSERT INTO item VALUES({n}, 'item {n * 7919 % 1000}', {n * 37 % 991}.25, {n % 17});" for n in range(900)]
    lines += ["CREATE INDEX by_name ON item(name);", "BEGIN;", "DELETE FROM item WHERE id % 3 = 0;", "SELECT count(*) FROM item;",
              "ROLLBACK;", "SELECT count(*) FROM item;"]
    lines += [f"SELECT label, count(*), sum(price), avg(price) FROM item JOIN kind ON kind.id = item.kind WHERE price > {n} "
              "GROUP BY label ORDER BY 2 DESC, 1 LIMIT 3;" for n in range(0, 800, 10)]
    lines += ["SELECT name FROM item WHERE name LIKE '%99%' ORDER BY name;", "PRAGMA integrity_check;"]
    return "\n".join(lines) + "\n"


def prepare_expat(folder):
    with open(os.path.join(folder, "expat", "lib", "expat_config.h"), "w", encoding="utf-8") as out:
        out.write(EXPAT_CONFIG)


def prepare_sqlite(folder):
    subprocess.run("./configure -q --disable-tcl >configure.log 2>&1 && make -s sqlite3.c shell.c >make.log 2>&1", shell=True,
                   cwd=folder, check=True)
    with open(os.path.join(folder, "script.sql"), "w", encoding="utf-8") as out:
        out.write(sql_script())


class Program:
    """One of a source package: what it is made of, and command lines within the sources, of which {} is the program."""

    def __init__(self, name, package, sources, *runs, flags="", libs="-lm", prepare=None):
        self.name, self.package, self.sources, self.runs = name, package, sources, runs
        self.flags, self.libs, self.prepare = flags, libs, prepare


ZSTD = "lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c"
# Threads of another machine take other turns, so what they print comes in another order.
THREADS = "rm -f tt4-test*; {} --%s 3 | grep -v Joined | sort"
BZIP2 = "blocksort.c bzip2.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c"
CJSON_TESTS = ("parse_examples", "parse_number", "parse_string", "print_number", "print_string", "print_value", "compare_tests",
               "minify_tests", "misc_tests", "cjson_add", "readme_examples")

PROGRAMS = [
    Program("zlib-example", "zlib", "*.c test/example.c", "{} example.gz", flags="-I. -DHAVE_UNISTD_H"),
    Program("minigzip", "zlib", "*.c test/minigzip.c", "{} -c -9 ChangeLog", "{} -c -1 deflate.c | {} -d -c",
            flags="-I. -DHAVE_UNISTD_H"),
    Program("bzip2", "bzip2", BZIP2, "{} -1c sample1.ref", "{} -dc sample2.bz2", "{} -3c sample3.ref", "{} -tv sample1.bz2",
            flags="-D_FILE_OFFSET_BITS=64"),
    Program("lua", "lua5.1", "src/l*.c", *(f"{{}} test/{name}.lua" for name in (
        "bisect", "cf", "echo", "factorial", "fibfor", "hello", "sieve", "sort", "trace-calls", "xd")),
            "{} test/printf.lua", "{} test/env.lua", flags="-DLUA_USE_POSIX -Isrc"),
    Program("sqlite3", "sqlite3", "sqlite3.c shell.c", "{} :memory: <script.sql", "rm -f t.db; {} t.db <script.sql && {} t.db .dump",
            flags="-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I.", prepare=prepare_sqlite),
    Program("sqlite3-threads", "sqlite3", "sqlite3.c test/threadtest4.c", THREADS % "multithread", THREADS % "serialized",
            flags="-DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -I.", prepare=prepare_sqlite),
    Program("zstd", "libzstd", ZSTD, "{} -q -19 -c CHANGELOG", "{} -q -T4 -B512KB -5 -c lib/compress/zstd_compress.c",
            "{} -q -T3 -c TESTING.md | {} -q -d -c", "{} -q --train -f -o dictionary lib/common/*.c && cat dictionary",
            flags="-DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -Ilib"),
    *(Program("cjson-" + name, "cjson", f"tests/unity/src/unity.c tests/{name}.c", "cd tests && {}", flags="-I. -Itests/unity/src")
      for name in CJSON_TESTS),
    Program("expat-runtests", "expat", "expat/lib/xml*.c expat/tests/chardata.c expat/tests/memcheck.c expat/tests/minicheck.c "
            "expat/tests/structdata.c expat/tests/runtests.c", "{}", flags="-Iexpat/lib -DXML_TESTING", prepare=prepare_expat),
]
# Files that a source glob matches and that have a main() of their own, or are included.
NOT_SOURCES = {"luac.c", "xmltok_impl.c", "xmltok_ns.c"}


def apt(folder, *words):
    for part in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(folder, "apt", part), exist_ok=True)
    sources = os.path.join(folder, "apt", "debian.sources")
    if not os.path.exists(sources):
        with open(APT_SOURCES, encoding="utf-8") as src, open(sources, "w", encoding="utf-8") as out:
            out.write(src.read().replace("Types: deb\n", "Types: deb-src\n"))
    options = [f"-oDir::Etc::SourceList={sources}", "-oDir::Etc::SourceParts=/dev/null",
               f"-oDir::State::Lists={folder}/apt/lists", f"-oDir::Cache={folder}/apt/cache", "-oAPT::Sandbox::User=root"]
    subprocess.run(["apt-get", "-q", *options, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def sources_of(folder, package):
    """The unpacked sources of a package, fetched when they are not there."""
    into = os.path.join(folder, package)
    if not os.path.isdir(into):
        if not glob.glob(f"{folder}/{package}_*.orig.tar.*"):
            if not os.path.exists(os.path.join(folder, "apt", "debian.sources")):
                apt(folder, "update")
            apt(folder, "source", "--download-only", package)
        archive = sorted(p for p in glob.glob(f"{folder}/{package}_*.orig.tar.*") if not p.endswith(".asc"))[0]
        os.makedirs(into + ".new")
        subprocess.run(["tar", "xf", archive, "-C", into + ".new", "--strip-components=1"], check=True)
        os.rename(into + ".new", into)
    return into


def build(compiler, program, folder, suffix):
    files = [f for pattern in program.sources.split() for f in sorted(glob.glob(os.path.join(folder, pattern)))
             if os.path.basename(f) not in NOT_SOURCES]
    out = os.path.join(folder, program.name + suffix)
    subprocess.run([*compiler, "-w", "-O2", *shlex.split(program.flags), *(os.path.relpath(f, folder) for f in files), "-o", out,
                    *shlex.split(program.libs)], cwd=folder, check=True)
    return out


def run(line, command, folder):
    began = time.monotonic()
    done = subprocess.run(line.replace("{}", command), shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False, timeout=3600)
    return done, time.monotonic() - began


def test(program, compiler, runner, folder):
    sources = sources_of(folder, program.package)
    if program.prepare and not os.path.exists(os.path.join(sources, ".prepared")):
        program.prepare(sources)
        open(os.path.join(sources, ".prepared"), "w", encoding="utf-8").close()
    here, there = build(["cc"], program, sources, ".host"), build(compiler, program, sources, ".ia64")
    wrong = 0
    for line in program.runs:
        want, _ = run(line, here, sources)
        got, took = run(line, f"{runner} {there}", sources)
        right = (got.returncode, got.stdout) == (want.returncode, want.stdout)
        wrong += not right
        print(f"{'ok  ' if right else 'FAIL'} {program.name}: {line.replace('{}', program.name)} ({len(want.stdout)} bytes, {took:.1f} s)"
              + ("" if right else f": status {got.returncode} for {want.returncode}: {got.stderr.decode(errors='replace')[-300:]}"))
    return wrong


def main(argv):
    if len(argv) < 4 or not shutil.which(shlex.split(argv[1])[0]):
        print(f"usage: programs.py CC RUNNER FOLDER [NAME...]; no such compiler: {argv[1] if len(argv) > 1 else ''}")
        return 2
    folder = os.path.abspath(argv[3])
    os.makedirs(folder, exist_ok=True)
    chosen = [p for p in PROGRAMS if not argv[4:] or p.name in argv[4:]]
    wrong = sum(test(p, shlex.split(argv[1]), argv[2], folder) for p in chosen)
    print(f"{len(chosen)} programs, {sum(len(p.runs) for p in chosen)} runs, {wrong} wrong")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
