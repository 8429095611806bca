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


def stat(spec, kernel, events, *more):
    return run("stat", "-j", "-M", spec, *(["--per-socket", "-e", events] if events else []), *more, "--kernel", kernel)


def readings(at, spec, kernel, events, *more):
    """Of a run: name -> row, and with --per-socket "sN/name"."""
    got = stat(spec, kernel, ",".join(events), *more)
    check(at, got.returncode == 0, f"{events}: exit {got.returncode}: {got.stderr[:300]}")
    return by_name(got.stdout)


def by_name(text):
    rows = {}
    for line in text.splitlines():
        r = json.loads(line)
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


def names_of(law):
    """What a law is about, and the events to count for it."""
    names = re.findall(r"{([^}]*)}", law)
    return names, list(dict.fromkeys(n.partition("/")[2] or n for n in names))


def test_law(at, spec, kernel, law, *more):
    """more: options of stat."""
    judge(at, law, readings(at, spec, kernel, names_of(law)[1], *more))


def test_laws(rows):
    """Those of one machine, kernel and options share runs."""
    groups = {}
    for at, spec, kernel, law, *more in rows:
        groups.setdefault((spec, kernel, *more), []).append((at, law))
    for (spec, kernel, *more), laws in groups.items():
        test_together(spec, kernel, more, laws)


def test_together(spec, kernel, more, laws):
    """A run in which the events of all are counted at once; if that cannot be, one for each half."""
    if len(laws) == 1:
        test_law(laws[0][0], spec, kernel, laws[0][1], *more)
        return
    events = list(dict.fromkeys(e for _, law in laws for e in names_of(law)[1]))
    got = stat(spec, kernel, "{" + ",".join(events) + "}", *more)
    if got.returncode:
        test_together(spec, kernel, more, laws[:len(laws) // 2])
        test_together(spec, kernel, more, laws[len(laws) // 2:])
        return
    for at, law in laws:
        judge(at, law, by_name(got.stdout))


def judge(at, law, rows):
    names, events = names_of(law)
    rows = {k: r for k, r in rows.items() if k in events or k.partition("/")[2] in events}
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
