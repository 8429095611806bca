#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The page in a real browser: its numbers are those that `stat` prints, to the digit; slider, readings, two runs, keys, themes.

usage: page.py BOXSCORE

Without Chromium and its driver the test is skipped (exit status 77).
"""
import json
import os
import subprocess
import sys
import tempfile

from browser import KEYS, Browser, missing

BOXSCORE = os.path.abspath(sys.argv[1])
MADE = {"count": 0, "failed": 0}


def check(cond, what):
    MADE["count"] += 1
    if not cond:
        MADE["failed"] += 1
        print(f"{sys.argv[0]}:{sys._getframe(1).f_lineno}: {what}")


def boxscore(*args):
    return subprocess.run([BOXSCORE, *args], capture_output=True, text=True, check=True, timeout=120)


ASKED = ("-A", "-I", "20us", "--multiplex", "-e", "imc.CAS_COUNT.*,cbo.RING_BL_USED.UP,cbo.RING_BL_USED.DOWN",
         "-m", "memory_read_bw,memory_write_bw,cbo.AVG_TOR_DRD_MISS_LATENCY,llc_hit_ratio,ipc")
NEAR = ("--kernel", "stream:size=1M,threads=8")
FAR = ("--kernel", "remote:size=1M,threads=4")


def printed(*command):
    """The rows of the table that `stat` prints, by time, name and place: reading, unit, validity."""
    rows = {}
    for line in boxscore("stat", *ASKED, *command).stdout.splitlines()[1:]:
        ms, reading, rest = line[:12].strip(), line[13:33].strip(), line[35:]
        unit, validity, name = rest[:12].strip(), rest[14:30].strip(), rest[32:].split("  ")[0].strip()
        rows[ms, name] = (reading, unit, validity.replace("+-", "\u00b1").replace("scaled >", "scaled \u00b1>").replace("\u00b1>\u00b1", "\u00b1>"))
    return rows


TABLE = """
const rows = {};
for (const tr of document.querySelectorAll("#table-body tbody tr")) {
  const cells = [...tr.children].map(td => td.textContent);
  const head = [...document.querySelectorAll("#table-body th button")].map(b => b.dataset.key);
  const by = key => cells[head.indexOf(key)];
  rows[tr.dataset.name + " " + tr.dataset.place.replace(/^all$/, "")] = [by("value"), by("unit"), by("validity"), by("other") ?? null];
}
return rows;"""


def label_of(row):
    """As the table of `stat` has it: NAME sN.box, or NAME."""
    return " ".join(row.replace(".", ".").split())


def clean(b):
    noise = b.console()
    check(not noise, f"the console has {noise}")


def move(b, interval):
    b.drawn('const s = document.getElementById("slider"); s.value = arguments[0]; s.dispatchEvent(new Event("input"))', interval)


def choose(b, name):
    """The reading of that name."""
    b.drawn('const s = document.getElementById("measure");'
            's.value = [...s.options].find(o => o.textContent.startsWith(arguments[0] + " (")).value;'
            's.dispatchEvent(new Event("change"))', name)


def numbers_equal(b):
    """In each interval, each row of the page is a row of the terminal."""
    want, times = printed(*NEAR), []
    for ms, _ in want:
        if ms not in times:
            times.append(ms)
    check(b.run("return document.getElementById('slider').max") == str(len(times) - 1), "the slider has another length")
    for i, ms in enumerate(times):
        move(b, i)
        b.drawn("refreshTable()" if i else "drawTable()")
        got = {label_of(name): row for name, row in b.run(TABLE).items()}
        rows = {name: row for (at, name), row in want.items() if at == ms}
        check(len(got) == len(rows), f"{ms} ms: {len(got)} rows, want {len(rows)}")
        for name, (reading, unit, validity) in rows.items():
            if name not in got:
                check(False, f"{ms} ms: {name} is missing, there are {list(got)[:3]}")
                continue
            value, its_unit, its_validity, _ = got[name]
            check((value, its_unit) == (reading, unit), f"{ms} ms: {name} is {value} {its_unit}, want {reading} {unit}")
            check(its_validity == validity, f"{ms} ms: {name} is {its_validity}, want {validity}")


def map_follows(b):
    """The boxes of the map show the chosen reading of the chosen interval."""
    for name, box in (("imc.CAS_COUNT.RD", "s0.imc0"), ("memory_read_bw", "s0.imc4"), ("cbo.RING_BL_USED.UP", "s0.cbo7")):
        choose(b, name)
        seen = set()
        for i in (0, 1, 2):
            move(b, i)
            value = b.run(f"return runs[0].series.find(s => s.measure.name === '{name}' && s.place === '{box}').value({i})")
            label = b.run(f"return document.querySelector('[data-box=\"{box}\"]').getAttribute('aria-label')")
            check(label.startswith(f"{box}: {b.run('return shown(arguments[0])', value)} "), f"{name} {i}: {label}, want {value}")
            seen.add(b.run(f"return document.querySelector('[data-box=\"{box}\"] rect').style.fill"))
        check(all(fill.startswith("rgb(") for fill in seen), f"{name}: colours {seen}")
    tiles = b.run("return tiles.map(t => t.place)")
    check(len(tiles) == len(set(tiles)), "a box is drawn twice")
    # Each socket: 18 cores and slices, 4 SBos, 2 home agents, 4 channels, 2 links, 3 R3QPIs, R2PCIe, IRP, UBox, PCU.
    check(len(tiles) == 2 * (36 + 4 + 2 + 4 + 2 + 3 + 4), f"{len(tiles)} boxes are drawn")


CONTRAST = """
const light = c => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
return Array.from({ length: 201 }, (_, k) => {
  const back = light(colour(k / 200).match(/\\d+/g).map(Number).map(linear)), text = ink(k / 200) === "#000" ? 0 : 1;
  return [back, (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05)];
});"""


def scale_is_readable(b):
    """Each step of the scale is lighter than the one before, and its text has the contrast that WCAG asks for (4.5)."""
    steps = b.run(CONTRAST)
    check(all(a[0] <= b_[0] for a, b_ in zip(steps, steps[1:])), "the scale does not become lighter")
    check(min(s[1] for s in steps) >= 4.5, f"the least contrast is {min(s[1] for s in steps)}")


OVERLAP = """
const hits = [];
for (const a of tiles) for (const b of tiles)
  if (a !== b && a.socket === b.socket && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h) hits.push(a.place + " " + b.place);
return hits;"""


def parts_are_drawn(b, folder):
    """Every box of every part has a place of its own."""
    for spec in ("hsx", "hsx:e7-8890v3,sockets=2", "hsx:e5-2680v3", "hsx:e5-2407v3", "hsx,snoop=cod", "snbep", "snbep:e5-2603", "nhmex", "nhmex:e6510", "bdx", "bdx:e5-2630v4", "ivbep", "ivbep:e7-8880v2,sockets=2",
                 "hsx,cores=4", "hsx,cores=4,has=2,channels=8", "poulson"):
        path = f"{folder}/part.jsonl"
        with open(path, "w", encoding="utf-8") as f:
            f.write(boxscore("stat", "-M", spec, "-j", "--head", "-A", "--multiplex", "--kernel", "stream:size=64K,threads=1").stdout)
        boxscore("report", path, "-o", f"{folder}/part.html")
        b.open(f"{folder}/part.html")
        b.drawn()
        with open(path, encoding="utf-8") as f:
            head = json.loads(f.readline())
        boxes = {f"s0.{kind}{n}" for kind, list_ in head["boxes"].items() for n in list_ if kind != "global"}
        drawn = set(b.run("return tiles.filter(t => t.socket === 0).map(t => t.place)"))
        check(boxes <= drawn, f"{spec}: {sorted(boxes - drawn)} are not drawn")
        check(b.run(OVERLAP) == [], f"{spec}: boxes lie on each other: {b.run(OVERLAP)[:4]}")
        clean(b)


def table_is_searched(b):
    b.drawn('const s = document.getElementById("search"); s.value = "cas_count.rd s1.imc0"; s.dispatchEvent(new Event("input"))')
    names = set(b.run(TABLE))
    check(names and all("CAS_COUNT.RD" in n and n.endswith("s1.imc0") for n in names), f"found {names}")
    check(b.text("#found").startswith(f"{len(names)} of "), b.text("#found"))
    b.drawn('const s = document.getElementById("search"); s.value = ""; s.dispatchEvent(new Event("input"))')
    b.click('#table-body button[data-key="value"]')
    values = b.run("return [...document.querySelectorAll('#table-body tbody tr')].map(r => r.children[2].textContent)")
    numbers = [float(v.replace(",", "")) for v in values if v != "-"]
    check(numbers == sorted(numbers) and values[len(numbers):] == ["-"] * (len(values) - len(numbers)), "the column is not in order")
    check(b.run("return document.activeElement.dataset.key") == "value", "the focus is lost")
    opened = b.run("const d = document.querySelector('#table-body details'); d.open = true; return d.textContent")
    check("counters" in opened or "equation" in opened, f"the catalogue says {opened!r}")


def keys_and_theme(b):
    choose(b, "imc.CAS_COUNT.RD")
    first = b.run("return tiles.find(t => t.group.getAttribute('tabindex') === '0').place")
    b.run("tiles.find(t => t.place === 's0.cbo0').group.focus()")
    b.press('[data-box="s0.cbo0"]', KEYS["Down"])
    check(b.run("return document.activeElement.dataset.box") == "s0.cbo1", f"from {first}: {b.run('return document.activeElement.dataset.box')}")
    b.press('[data-box="s0.cbo1"]', KEYS["Enter"])
    check(b.text("#box h3") == "s0.cbo1", b.text("#box"))
    before = b.run("return intervalOf(runs[0])")
    b.press("#slider", KEYS["Left"] if before else KEYS["Right"])
    check(b.run("return state.interval") != before, "the slider does not obey keys")
    colours = set()
    for theme in ("light", "dark", "system"):
        b.click("#theme")
        check(b.text("#theme") == f"Theme: {theme}", b.text("#theme"))
        colours.add(b.run("return getComputedStyle(document.body).backgroundColor"))
    check(len(colours) == 2, f"the themes have the colours {colours}")


def lines_are_drawn(b):
    b.drawn("document.getElementById('lines').scrollIntoView()")
    b.drawn()
    check(b.run("return plots.size") > 1, "no plot is drawn")
    value = b.run("const p = [...plots].find(p => p.measure.name === 'imc.CAS_COUNT.RD'); return p ? [p.graph.getValue(1, 1), p.measure.series[0][0].value(1)] : null")
    check(value and value[0] == value[1], f"the plot has {value}")
    constant = b.run("return measures.filter(m => m.domain.least === m.domain.most).map(m => m.name)")
    said = b.run("return document.querySelector('.constant')?.textContent ?? ''")
    check(constant and all(f"{name} (" in said for name in constant), f"{constant} are constant, the page says {said!r}")
    check("imc.CAS_COUNT.RD_UNDERFILL (0 events)" in said, f"the page says {said!r}")
    whole = b.run("return [...plots][0].graph.xAxisRange()")
    b.run("[...plots][0].canvas.focus()")
    b.press(".plot", "+")
    ranges = b.run("return [...plots].map(p => p.graph.xAxisRange())")
    check(all(r == ranges[0] and r[1] - r[0] < whole[1] - whole[0] for r in ranges), f"zoomed to {ranges}, from {whole}")
    b.press(".plot", "0")
    check(b.run("return stretch") is None, "0 does not show all")
    check(b.run("return document.querySelectorAll('#memory-body .dot').length") > 1, "no point of latency against bandwidth")
    b.drawn("document.getElementById('heat').scrollIntoView()")
    b.drawn()
    check(b.run("return heatCells.length") > 200, "the heat map is not whole")


def two_runs(b, folder):
    """Of two runs each has its own numbers, and the table their difference."""
    for name, command in (("near", NEAR), ("far", FAR)):
        boxscore("stat", "-j", "--head", *ASKED, "-o", f"{folder}/{name}.jsonl", *command)
    boxscore("report", f"{folder}/near.jsonl", f"{folder}/far.jsonl", "-o", f"{folder}/two.html")
    b.open(f"{folder}/two.html")
    b.drawn()
    near, far = ([json.loads(line) for line in open(f"{folder}/{name}.jsonl", encoding="utf-8")][1:] for name in ("near", "far"))
    first = [min(r["time_ns"] for r in rows if "time_ns" in r) for rows in (near, far)]
    move(b, 0)
    b.drawn("drawTable()")
    rows = b.run(TABLE)
    # The interval of B is the first that ends at or after that of A.
    at = min(t for t in {r["time_ns"] for r in far if "time_ns" in r} if t >= first[0])
    want = [next(r["value"] for r in rows_ if r.get("event") == "imc.CAS_COUNT.RD" and r["time_ns"] == t and (r["socket"], r["box"]) == (0, "imc0"))
            for rows_, t in ((near, first[0]), (far, at))]
    got = rows["imc.CAS_COUNT.RD s0.imc0"]
    shown = [b.run("return shown(arguments[0])", v) for v in want]
    check([got[0], got[3]] == shown, f"A and B are {got}, want {shown}")
    b.drawn('const s = document.getElementById("run"); s.value = 1; s.dispatchEvent(new Event("change"))')
    choose(b, "imc.CAS_COUNT.RD")
    label = b.run("return document.querySelector('[data-box=\"s0.imc0\"]').getAttribute('aria-label')")
    check(label.startswith(f"s0.imc0: {shown[1]} "), f"the map of B says {label}")
    b.drawn("document.getElementById('lines').scrollIntoView()")
    b.drawn()
    labels = b.run("return [...plots].find(p => p.measure.name === 'imc.CAS_COUNT.RD').graph.getLabels()")
    check("A s0.imc0" in labels and "B s0.imc0" in labels, f"the plot has {labels}")
    clean(b)


def states_without_data(b, folder):
    """One reading, no head, no latency: each part says what it would need."""
    with open(f"{folder}/sum.jsonl", "w", encoding="utf-8") as f:
        f.write(boxscore("stat", "-j", *NEAR).stdout)
    boxscore("report", f"{folder}/sum.jsonl", "-o", f"{folder}/sum.html")
    b.open(f"{folder}/sum.html")
    b.drawn()
    check(b.run("return getComputedStyle(document.getElementById('time-controls')).display") == "none", "a slider for one interval")
    for part, text in (("#lines-body", "stat -I"), ("#memory-body", "needs a latency"), ("#heat-body", "stat -A"), ("#map-about", "stat -A"),
                       ("#map-about", "does not say")):
        check(text in b.text(part), f"{part}: {b.text(part)!r}")
    clean(b)
    with open(f"{folder}/evil.jsonl", "w", encoding="utf-8") as f:
        f.write('{"event":"</script><img src=x onerror=boom()>","box":"cbo0","unit":"<u>","value":1.0625,"validity":"exact","time_ns":1}\n{"eve')
    subprocess.run([BOXSCORE, "report", f"{folder}/evil.jsonl", "-o", f"{folder}/evil.html"], check=False, capture_output=True)
    b.open(f"{folder}/evil.html")
    b.drawn("drawTable()")
    check(b.run("return document.querySelectorAll('img').length") == 0, "text of a file became an element")
    check("</script><img" in b.text("#table-body") and "1.062" in b.text("#table-body"), b.text("#table-body"))
    check("evil.jsonl:2:" in b.text("#remarks") and "too early" in b.text("#remarks"), b.text("#remarks"))
    clean(b)


def main():
    lacking = missing()
    if lacking:
        print(f"skipped: {lacking}")
        return 77
    with tempfile.TemporaryDirectory(prefix="bxs-page") as folder, Browser() as b:
        boxscore("stat", *ASKED, "--html", f"{folder}/page.html", *NEAR)
        b.open(f"{folder}/page.html")
        b.drawn()
        for test in (numbers_equal, map_follows, scale_is_readable, table_is_searched, keys_and_theme, lines_are_drawn):
            test(b)
            clean(b)
        two_runs(b, folder)
        states_without_data(b, folder)
        parts_are_drawn(b, folder)
    print(f"{MADE['count']} checks, {MADE['failed']} failed")
    return 1 if MADE["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
