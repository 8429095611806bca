# SPDX-License-Identifier: BSD-2-Clause
"""What tests of a family's machine share: conditions between readings of one run of `boxscore stat`.

A law is a row of a machine, a kernel, and a condition; {event} is the reading summed over the machine, {s1/event} that of
socket 1.
"""
import functools
import json
import re

from checks import check_at as check, here, run as run_briefly

run = functools.partial(run_briefly, timeout=240)


def row(spec, kernel, law):
    return here(above=1), spec, kernel, law


def readings(at, spec, kernel, events, *more):
    """Of a run: name -> row, and with --per-socket "sN/name"."""
    split = ["--per-socket", "-e", ",".join(events)] if events else []
    got = run("stat", "-j", "-M", spec, *split, *more, "--kernel", kernel)
    check(at, got.returncode == 0, f"{events}: exit {got.returncode}: {got.stderr[:300]}")
    rows = {}
    for text in got.stdout.splitlines():
        r = json.loads(text)
        name = r.get("event", r.get("metric"))
        if "socket" in r:
            rows[f"s{r['socket']}/{name}"] = r
        else:
            rows[name] = r
    return rows


def value(rows, name):
    if name in rows:
        return rows[name]["value"]
    parts = [r["value"] for k, r in rows.items() if k.partition("/")[2] == name]
    return sum(parts) if parts else None


def test_law(at, spec, kernel, law, *more):
    """more: options of stat."""
    names = re.findall(r"{([^}]*)}", law)
    events = list(dict.fromkeys(n.partition("/")[2] or n for n in names))
    rows = readings(at, spec, kernel, events, *more)
    values = {n: value(rows, n) for n in names}
    check(at, all(v is not None for v in values.values()), f"{values}")
    # Of sums that overflow into a counter the box does not show what is left over.
    exact = all(r["validity"] == "exact" for k, r in rows.items() if not k.endswith("TF_ALL"))
    check(at, exact, f"{[(k, r['validity']) for k, r in rows.items()]}")
    if None not in values.values():
        check(at, eval(re.sub(r"{([^}]*)}", lambda m: repr(values[m.group(1)]), law), {}), f"{law}: {values}")


def refused(at, part, *args, code=65):
    got = run("stat", "-M", *args, "--kernel", "stream:size=1M")
    check(at, got.returncode == code, f"{args}: exit {got.returncode}, want {code}")
    check(at, part in got.stderr, f"{args}: {part!r} is not in {got.stderr[:300]!r}")
