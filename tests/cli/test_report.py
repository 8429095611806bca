#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""boxscore report and what stat writes for it: files, heads, notes, exit statuses; what the page holds.

usage: test_report.py BOXSCORE
"""
import json
import os
import re
import sys
import tempfile

sys.argv[1] = os.path.abspath(sys.argv[1])  # tests change the folder

from checks import check, check_at, done, here, lines, refused, run

KERNEL = ("--kernel", "stream:size=256K,threads=2")
ASKED = ("-e", "imc.CAS_COUNT.*", "-m", "llc_hit_ratio,MEM_BW_READS")


def data_of(path):
    """What the page of a file holds."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check_at(here(above=1), text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>"), "the page is not whole")
    found = re.findall(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)
    check_at(here(above=1), len(found) == 1, f"{len(found)} blocks of data")
    return json.loads(found[0])


def page_is_alone():
    """Nothing of the page would be fetched from anywhere, and its own code is small."""
    got = run("stat", "--html", "one.html", "-A", *ASKED, *KERNEL)
    check(got.returncode == 0 and "imc.CAS_COUNT.RD" in got.stdout, f"{got}")
    with open("one.html", encoding="utf-8") as f:
        text = f.read()
    for pattern in (r'\b(?:src|href)\s*=\s*["\'](?!#|data:)', r"@import", r"url\((?!data:)", r"sourceMappingURL"):
        check(not re.search(pattern, text.split("@licenses@")[0]), f"{pattern} is in the page")
    check(len(text) - len(json.dumps(data_of("one.html"))) < 500_000, f"the page without its data has {len(text)} bytes")
    check("Permission is hereby granted" in text, "the licence of the plotting library is missing")


def head_and_notes():
    """The head says what the machine is made of, and other lines stay as they are without it."""
    plain = run("stat", "-j", "-A", *ASKED, *KERNEL)
    got = run("stat", "-j", "--head", "-A", *ASKED, *KERNEL)
    first, *rest = lines(got.stdout)
    check(got.stdout.split("\n", 1)[1] == plain.stdout, "the readings differ from those without --head")
    check(list(first)[:2] == ["boxscore", "format"] and first["format"] == 1, f"{first}")
    check((first["family"], first["machine"], first["rows"]) == ("hsx", "hsx", "box"), f"{first}")
    check(first["keys"]["sockets"] == 2 and first["keys"]["snoop"] == "early", f"{first['keys']}")
    # An E5 v3 has pins for two of each agent's four channels, and two links.
    check(first["boxes"]["imc"] == [0, 1, 4, 5] and first["boxes"]["qpi"] == [0, 1], f"{first['boxes']}")
    check(first["boxes"]["cbo"] == list(range(18)) and first["command"] == ["--kernel stream:size=256K,threads=2"], f"{first}")
    for spec, boxes in (("snbep", {"imc": 4, "ha": 1, "cbo": 8, "qpi": 2}), ("nhmex", {"cbox": 8, "mbox": 2, "rbox": 2}),
                        ("hsx:e7-8890v3,sockets=1", {"imc": 8, "qpi": 3}), ("hsx,cores=6", {"cbo": 6, "sbo": 2})):
        head = lines(run("stat", "-M", spec, "-j", "--head", "-m", "instructions", *KERNEL).stdout)[0]
        check(all(len(head["boxes"][box]) == n for box, n in boxes.items()), f"{spec}: {head['boxes']}")
    got = run("stat", "-j", "--head", "-e", "cbo.TOR_INSERTS.*", *KERNEL)
    notes = [r["note"] for r in lines(got.stdout) if "note" in r]
    check(len(notes) == 1 and notes[0].startswith("note: ") and notes[0] in got.stderr, f"{notes}, {got.stderr}")


def readings_are_there():
    """Each line of the file is a series of the page, with its unit and its description."""
    run("stat", "-j", "--head", "-A", "-I", "20us", "-o", "run.jsonl", *ASKED, *KERNEL)
    got = run("report", "run.jsonl", "-o", "run.html")
    check(got.returncode == 0 and not got.stdout and not got.stderr, f"{got}")
    data = data_of("run.html")
    with open("run.jsonl", encoding="utf-8") as f:
        readings = [r for r in map(json.loads, f) if "box" in r]
    (page,) = data["runs"]
    times = sorted({r["time_ns"] for r in readings})
    check(page["count"] == len(times) and len(times) > 1, f"{page['count']} intervals, want {len(times)}")
    names = {(data["names"][s["name"]]["name"], s["box"], s["socket"], s["unit"]) for s in page["series"]}
    check(names == {(r.get("event", r.get("metric")), r["box"], r["socket"], r["unit"]) for r in readings}, "other series")
    about = {n["name"]: n for n in data["names"]}
    check(about["imc.CAS_COUNT.RD"]["text"] and ["code", "0x04"] in about["imc.CAS_COUNT.RD"]["more"], f"{about}")
    check("equation" in dict(about["imc.MEM_BW_READS"]["more"]), f"{list(about)}")
    check(run("report", "run.jsonl", "-o", "-").stdout == open("run.html", encoding="utf-8").read(), "-o - differs")


def all_columns():
    """Errors, the truth and the spread of runs are columns of the page."""
    got = run("stat", "--html", "runs.html", "-A", "-r", "2", "--truth", "--multiplex", *ASKED, *KERNEL)
    columns = set().union(*data_of("runs.html")["runs"][0]["series"])
    check(got.returncode == 0 and {"value", "error", "truth", "spread"} <= columns, f"{columns}")


def two_and_supplied():
    run("stat", "-j", "-A", "-o", "bare.jsonl", *ASKED, *KERNEL)
    check(run("report", "bare.jsonl", "-o", "bare.html").returncode == 0, "a file without a head is refused")
    check("head" not in data_of("bare.html")["runs"][0] or data_of("bare.html")["runs"][0]["head"] is None, "a head from nowhere")
    check(run("report", "-M", "hsx:e5-2680v3", "bare.jsonl", "run.jsonl", "-o", "two.html").returncode == 0, "two runs")
    first, second = data_of("two.html")["runs"]
    check(first["head"]["machine"] == "hsx:e5-2680v3" and second["head"]["machine"] == "hsx", "-M is for what has no head alone")
    with open("bare.jsonl", encoding="utf-8") as f:
        got = run("report", "-", "--output=pipe.html", stdin=f)
    check(got.returncode == 0 and data_of("pipe.html")["runs"][0]["file"] == "standard input", f"{got}")


def dangerous_text():
    """Names from a file end no element of the page."""
    with open("evil.jsonl", "w", encoding="utf-8") as f:
        f.write('{"event":"</script><script>alert(1)</script><!--","box":"<b>","unit":"&","value":1,"validity":"exact","time_ns":1}\n')
    check(run("report", "evil.jsonl", "-o", "evil.html").returncode == 0, "a strange name is refused")
    check(data_of("evil.html")["names"][0]["name"] == "</script><script>alert(1)</script><!--", "the name is another one")
    with open("evil.html", encoding="utf-8") as f:
        check("alert" not in f.read().replace("\\u003cscript>alert(1)", ""), "the name is in the page as it was")


def names_of_any_bytes():
    """A file whose name is not UTF-8 is read, and its page says so as well as it can."""
    name = os.fsdecode(b"r\xe9sum\xe9.jsonl")
    os.rename("bare.jsonl", name)
    check(run("report", name, "-o", "odd.html").returncode == 0 and data_of("odd.html")["runs"][0]["file"] == "r?sum?.jsonl", "a name of bytes")
    os.rename(name, "bare.jsonl")


def bad_input():
    with open("run.jsonl", encoding="utf-8") as f:
        whole = f.read()
    with open("half.jsonl", "w", encoding="utf-8") as f:
        f.write(whole[:-30])
    count = whole.count("\n")
    got = run("report", "half.jsonl", "-o", "half.html")
    check(got.returncode == 65 and f"half.jsonl:{count}:" in got.stderr and "too early" in got.stderr, f"{got}")
    half = data_of("half.html")["runs"][0]
    check(len(half["series"]) == len(data_of("run.html")["runs"][0]["series"]) and len(half["problems"]) == 1, "half of it is lost")
    with open("text", "w", encoding="utf-8") as f:
        f.write("no JSON\n" * 100)
    got = run("report", "text", "-o", "text.html")
    check(got.returncode == 65 and "text:1:2: " in got.stderr and "100 lines were left out in all" in got.stderr, f"{got.stderr}")
    check("text has no reading that can be shown" in got.stderr and not os.path.exists("text.html"), f"{got.stderr}")
    refused(65, "none.jsonl cannot be read: No such file", "report", "none.jsonl", "-o", "x.html")
    refused(65, ". cannot be read: Is a directory", "report", ".", "-o", "x.html")
    refused(65, "/no/x.html cannot be written: No such file", "report", "run.jsonl", "-o", "/no/x.html")
    refused(65, "/dev/full cannot be written: No space", "report", "run.jsonl", "-o", "/dev/full")
    refused(65, "-M: ", "report", "bare.jsonl", "-M", "none", "-o", "x.html")
    refused(64, "of which run?", "report", "-o", "x.html")
    refused(64, "into which file?", "report", "run.jsonl")
    refused(64, "one argument too many", "report", "a", "b", "c", "-o", "x.html")
    refused(64, "-o needs a value", "report", "run.jsonl", "-o")
    refused(64, "--light is no option", "report", "run.jsonl", "--light", "-o", "x.html")
    refused(64, "--head: of what?", "stat", "--head", *KERNEL)
    refused(64, "--html: standard output", "stat", "--html", "-", *KERNEL)
    refused(65, "/no/x.html cannot be written", "stat", "--html", "/no/x.html", *KERNEL)
    refused(64, "a trace has no readings", "record", "-o", "t.bxt", "--html", "x.html", "--", "true")
    refused(65, "no event", "stat", "--html", "x.html", "-e", "imc.NONE", *KERNEL)
    check(not os.path.exists("x.html"), "a page without a run is left behind")


def main():
    with tempfile.TemporaryDirectory(prefix="bxs-report") as folder:
        os.chdir(folder)
        for test in (page_is_alone, head_and_notes, readings_are_there, all_columns, two_and_supplied, dangerous_text, names_of_any_bytes, bad_input):
            test()
        os.chdir("/")
    return done()


sys.exit(main())
