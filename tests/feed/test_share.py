#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Threads and processes that share memory: counts worked out by hand, and the same in every run.

usage: test_share.py BOXSCORE SHARE [REDUCE]
"""
import re
import sys

sys.path.insert(0, sys.path[0] + "/../cli")
from checks import check, check_at, done, here, refused, run  # pylint: disable=wrong-import-position

SHARE = sys.argv[2]
ONE, TWO = "hsx,sockets=1", "hsx"


def output(machine, what, threads, rounds, *more):
    """The readings of a program, or of a kernel where places for threads and rounds are left in its parameters."""
    if "{}" in what:
        got = run("stat", "-M", machine, *more, "-x", ",", "--kernel", what.format(threads, rounds))
        check(got.returncode == 0, got)
        return got.stdout
    program = sys.argv[3:4] if what == "reduce" else [SHARE, what]
    got = run("stat", "-M", machine, *more, "-x", ",", "--", *program, str(threads), str(rounds))
    check(got.returncode == 0, got)
    return got.stderr


def lookups(*args):
    found = re.search(r"^\d+,(\d+),events,exact,,cbo,,llc_lookups", output(*args, "-m", "llc_lookups"), re.MULTILINE)
    return int(found[1]) if found else -1


def costs(what, threads, few, many, want, machine=ONE, options=()):
    """What a round costs: two runs differ by nothing but rounds.  Within 2 %, or a look-up in a thousand rounds."""
    got = (lookups(machine, what, threads, many, *options) - lookups(machine, what, threads, few, *options)) / (many - few)
    check_at(here(above=1), abs(got - want) <= max(0.02 * want, 0.001), f"{what}, {threads} threads: {got} look-ups a round, want {want}")


def readings(machine, what, threads, rounds, events):
    """(event, socket) -> value, all of them exact."""
    text = output(machine, what, threads, rounds, "--per-socket", "-e", ",".join(events))
    rows = [line.split(",") for line in text.splitlines() if re.match(r"\d+,", line)]
    check(rows and all(row[3] == "exact" for row in rows), text)
    return {(row[7], int(row[6])): int(row[1]) for row in rows}


def together(wants):
    """Which events are counted in one run: each box has four counters."""
    runs = []
    for event in wants:
        box = event.split(".")[0]
        place = next((r for r in runs if sum(e.startswith(box + ".") for e in r) < 4), None)
        if place is None:
            runs.append(place := [])
        place.append(event)
    return runs


def rounds_of(machine, what, threads, few, many, events):
    """What a round does in each socket: event -> a value a socket."""
    made = {event: [] for event in events}
    for some in together(events):
        less, more = (readings(machine, what, threads, n, some) for n in (few, many))
        for (event, _), value in sorted(more.items()):
            made[event].append((value - less[event, len(made[event])]) / (many - few))
    return made


def compare(at, who, made, wants):
    """Within 2 %, or an event in fifty rounds."""
    for event, values in wants.items():
        got = made[event]
        check_at(at, len(got) == len(values) and all(abs(g - v) <= max(0.02 * v, 0.02) for g, v in zip(got, values)),
                 f"{who}: {event} a round in each socket: {got}, want {values}")


def moves(machine, what, threads, few, many, wants):
    compare(here(above=1), f"{what}, {threads} threads on {machine}", rounds_of(machine, what, threads, few, many, wants), wants)


def alike(machine, kernel, what, threads, few, many, events):
    """A kernel and a program that does the same: sums over the sockets."""
    sums = [{event: [sum(values)] for event, values in rounds_of(machine, w, threads, few, many, events).items()} for w in (kernel, what)]
    compare(here(above=1), f"{what} on {machine} as {kernel}", sums[1], sums[0])


# A token is handed over twice a round.  Who waits for it reads a line that the other core has modified; adding to it takes the
# line from that core.  The processes have it at addresses of their own, but it is one line.
costs("token", 2, 100, 1100, 2 * 2)
costs("token-apart", 3, 100, 1100, 2 * 2)
costs("fork-token", 2, 100, 600, 2 * 2)
# Across sockets the adding core finds the line shared in its own slice, which is a look-up that hits, and has to ask the line's
# home for it, which is a miss.
costs("token-apart", 3, 100, 600, 2 * 3, TWO)
costs("token", 2, 100, 600, 2 * 3, TWO)
# Whoever waits at a line of its own reads it once after it has been written; who writes it, asks for it.
costs("ring", 2, 100, 600, 2 * 2)
costs("ring", 8, 50, 300, 8 * 2)
costs("ring", 36, 2, 12, 36 * 3, TWO)
costs("fork-ring", 3, 100, 400, 3 * 2)
# Each slot of the queue goes there and back: read and asked for on either side.
costs("queue", 2, 100, 1100, 4)
# One writes, one reads that, adds to a count, which the first one reads.
costs("writer", 2, 100, 600, 4)
# However long its turns are, a thread does not pass the other one's use of a line.
costs("token", 2, 100, 600, 2 * 2, options=("--quantum", "50ns"))
costs("token", 2, 100, 600, 2 * 2, options=("--quantum", "14us"))
for quantum in ("49ns", "15us", "0s", "1"):
    refused(64, "--quantum", "stat", "--quantum", quantum, "--", "true")
refused(64, "after --", "stat", "--quantum", "1us", "--kernel", "idle")
# Besides the token, a store that misses asks for its line; the pair prefetcher asks for the other half of its 128 bytes.
costs("token-line", 2, 100, 600, 2 * (2 + 2))
# A team reads its part of 2 MB in each pass, which no L2 holds.
if sys.argv[3:]:
    costs("reduce", 4, 2, 4, (2 << 20) // 64)
# Each of two threads reads and then writes 1024 lines that the other has written.
costs("baton", 2, 10, 30, 2 * 1024 * 2)
# A line of its own costs nothing, however often it is written.
costs("lines", 2, 1000, 101000, 0)
costs("fork-lines", 2, 1000, 101000, 0)

# The token in all boxes.  In one socket its line is modified in the other core when it is read: the slice looks it up, asks that
# core (IV), which answers (AK) with the line (BL), and sends it on (BL, and a go-ahead on AK).  Adding to it is a look-up that
# finds the line with two cores: the other one is asked to drop it and answers without data.  Twice that is a round.
IN_ONE = {
    "cbo.LLC_LOOKUP.ANY": [4], "cbo.LLC_LOOKUP.READ": [4], "cbo.LLC_LOOKUP.DATA_READ": [2], "cbo.LLC_LOOKUP.WRITE": [0],
    "cbo.TOR_INSERTS.ALL": [4], "cbo.TOR_INSERTS.MISS_LOCAL": [0], "cbo.RxR_INSERTS.IRQ": [4], "cbo.MISC.RSPI_WAS_FSE": [0],
    "cbo.TxR_INSERTS.AD_CORE": [4], "cbo.TxR_INSERTS.IV_CACHE": [2 + 2], "cbo.TxR_INSERTS.AK_CORE": [2 + 2],
    "cbo.TxR_INSERTS.BL_CORE": [2], "cbo.TxR_INSERTS.BL_CACHE": [2 + 2], "cbo.TxR_INSERTS.AK_CACHE": [2 + 2],
    "ha.REQUESTS.READS": [0], "ha.REQUESTS.WRITES": [0], "imc.CAS_COUNT.ALL": [0],
}
moves(ONE, "token", 2, 100, 600, IN_ONE)
moves(ONE, "pingpong:threads={},count={}", 2, 100, 600, IN_ONE)

# Across sockets, with source snoops; socket 0 is the home of the line.  Who reads it misses (SNP to the other socket; HOM_REQ if
# the home is there).  That socket's slice finds it modified in its core (IV, AK, BL), keeps it shared, tells the home so (RspSWb)
# and sends the line there (DRS, 9 flits if the home is the other socket).  The home writes it to memory, which it has read
# meanwhile in vain, and sends it to who asked: by way of the slice in its own socket, else over the link straight to the core (DRS).
# Adding to it hits a shared line: InvItoE without data.  The other socket's core drops its copy (IV, AK; RspI), and the home
# completes (NDR, if it goes over the link).  So of a round, in which each socket asks for both once:
#   cbo: 2 look-ups of its own, 2 of snoops; AD: 2 snoops and 2 requests sent, 2 answers to those of the other.
#   BL: data to the core that adds, the line that goes home, and in socket 0 that which comes from home by way of the slice, with
#   a go-ahead on AK; the other go-ahead is for adding.
#   links: from 0 to 1 two snoops, a line and a completion; from 1 to 0 two snoops, two requests, two answers and a line.
ACROSS = {
    "cbo.LLC_LOOKUP.ANY": [4, 4], "cbo.LLC_LOOKUP.READ": [2, 2], "cbo.LLC_LOOKUP.DATA_READ": [1, 1],
    "cbo.LLC_LOOKUP.REMOTE_SNOOP": [2, 2], "cbo.LLC_LOOKUP.WRITE": [0, 0], "cbo.TOR_INSERTS.ALL": [4, 4],
    "cbo.TOR_INSERTS.MISS_LOCAL": [2, 0], "cbo.TOR_INSERTS.MISS_REMOTE": [0, 2], "cbo.TOR_INSERTS.EVICTION": [0, 0],
    "cbo.RxR_INSERTS.IRQ": [2, 2], "cbo.RxR_INSERTS.IPQ": [2, 2], "cbo.MISC.RFO_HIT_S": [1, 1], "cbo.MISC.RSPI_WAS_FSE": [0, 0],
    "cbo.TxR_INSERTS.AD_CORE": [2, 2], "cbo.TxR_INSERTS.IV_CACHE": [2, 2], "cbo.TxR_INSERTS.AK_CORE": [2, 2],
    "cbo.TxR_INSERTS.BL_CORE": [1, 1], "cbo.TxR_INSERTS.AD_CACHE": [6, 6], "cbo.TxR_INSERTS.BL_CACHE": [3, 2],
    "cbo.TxR_INSERTS.AK_CACHE": [2, 1],
    "ha.REQUESTS.READS_LOCAL": [1, 0], "ha.REQUESTS.READS_REMOTE": [1, 0], "ha.REQUESTS.INVITOE_LOCAL": [1, 0],
    "ha.REQUESTS.INVITOE_REMOTE": [1, 0],
    "ha.SNOOP_RESP.RSP_WB": [2, 0], "ha.SNOOP_RESP.RSPI": [2, 0], "ha.SNOOP_RESP.RSPS": [0, 0], "ha.SNOOP_RESP.RSPIFWD": [0, 0],
    "ha.SNOOP_RESP.RSPSFWD": [0, 0], "ha.SNP_RESP_RECV_LOCAL.RSPxWB": [1, 0], "ha.SNP_RESP_RECV_LOCAL.RSPI": [1, 0],
    "ha.TxR_AK.NDR": [1, 0], "ha.TxR_AD.HOM": [1, 0], "ha.TxR_BL.DRS_CACHE": [1, 0], "ha.TxR_BL.DRS_CORE": [0, 0],
    "ha.TxR_BL.DRS_QPI": [1, 0], "ha.IMC_WRITES.FULL": [2, 0], "imc.RPQ_INSERTS": [2, 0], "imc.WPQ_INSERTS": [2, 0],
    "qpi.TxL_FLITS_G1.SNP": [2, 2], "qpi.TxL_FLITS_G1.HOM_REQ": [0, 2], "qpi.TxL_FLITS_G1.HOM_NONREQ": [0, 2],
    "qpi.TxL_FLITS_G1.DRS_DATA": [8, 8], "qpi.TxL_FLITS_G1.DRS_NONDATA": [1, 1], "qpi.TxL_FLITS_G2.NDR_AK": [1, 0],
    "qpi.TxL_FLITS_G2.NDR_AD": [0, 0], "qpi.RxL_FLITS_G1.SNP": [2, 2], "qpi.RxL_FLITS_G1.HOM": [4, 0],
    "qpi.RxL_FLITS_G1.DRS": [9, 9], "qpi.RxL_FLITS_G2.NDR_AK": [0, 1], "qpi.DIRECT2CORE.SUCCESS_RBT_HIT": [0, 1],
}
moves(TWO, "token", 2, 100, 600, ACROSS)
moves(TWO, "pingpong:threads={},step=18,count={}", 2, 100, 600, ACROSS)

# Four cores of two sockets, the scenario false-sharing: all others read what one has written.  A socket's first reader asks the
# other socket, where that is, and the next one finds the line in its own slice; who adds has the other socket's copies dropped.
BOTH = {
    "cbo.LLC_LOOKUP.READ": [2 * 3 + 2, 2 * 3 + 2], "cbo.LLC_LOOKUP.DATA_READ": [2 * 3, 2 * 3], "cbo.MISC.RFO_HIT_S": [2, 2],
    "cbo.LLC_LOOKUP.REMOTE_SNOOP": [2 + 2, 2 + 2], "ha.REQUESTS.READS": [4, 0], "ha.SNOOP_RESP.RSP_WB": [4, 0],
    "ha.SNOOP_RESP.RSPI": [4, 0], "qpi.TxL_FLITS_G1.DRS_DATA": [2 * 8, 2 * 8], "qpi.TxL_FLITS_G1.SNP": [4, 4],
}
moves("hsx,cores=2", "pingpong:threads={},count={}", 4, 100, 300, BOTH)
# Where the code of threads lies does not depend on which of them ends first.
moves("hsx,cores=2", "token-warm", 4, 100, 700, BOTH)
# In one socket, all but who passed it on read it, and who is next takes it.
for T in (3, 4, 8):
    costs("token", T, 100, 200, T * T)
# Four sockets, the scenario migratory.  A line that is two links away may be written again before a reader has it.
MIGRATORY = "hsx:e7-8890v3,cores=1,llc_ways=2,snoop=directory"
alike(MIGRATORY, "pingpong:threads={},count={}", "token", 4, 100, 400, [
    "cbo.LLC_LOOKUP.READ", "cbo.LLC_LOOKUP.REMOTE_SNOOP", "ha.HITME_LOOKUP.ALL", "ha.HITME_HIT.ALL", "ha.SNOOP_RESP.RSP_WB"])

# In some hundred rounds the threads of a lock have all begun, and wait for it.  A ticket lock that T threads wait for, each hold:
# its ticket is taken from another core and the word it protects, too, each with the other half of its 128 bytes (pair prefetcher);
# the others read whose turn it is once each, and who lets go writes that.
costs("ticket", 2, 300, 500, 2 * (2 + 2 + 1 + 1))
costs("ticket", 4, 300, 400, 4 * (2 + 2 + 3 + 1))
# With these lines in a row the streamer hears of ticket, turn and word, and asks for the next two lines to be in the LLC: 5 is
# the other half of the word's, which others take; 6 stays in the L2 of one core, which need not ask.
costs("ticket-near", 4, 300, 400, 4 * (2 + 2 + 3 + 1 + 1) + 3)
# Mellor-Crummey and Scott's lock with T > 3 waiting: a thread sets up its node, which who follows it has read (1), takes the
# lock's word (2: with the other half), links its node into that of the thread before (2), reads its own after who follows has done
# so (2) and after it has been let go (2), takes the word that is protected (2), and lets go the node of who follows (2).
costs("mcs", 4, 100, 200, 4 * 13)
# A mutex: who comes while it is held reads it (1), tries to take it (1) and sleeps; who lets go reads it again (1) and takes it
# (1) to wake that one, which takes it (1).  The word that it protects has another half (2).
costs("mutex", 2, 20, 120, 2 * 7)
costs("mutex", 4, 20, 80, 4 * 7)
# A barrier: who comes reads it and takes it; all but the last one sleep, read it again and take it to leave.
costs("barrier", 2, 20, 320, 2 * 2 + 2 * 1)
costs("barrier", 4, 20, 120, 2 * 4 + 2 * 3)
# Who comes last is now of the one socket, now of the other.
moves(TWO, "barrier", 36, 2, 10, {"cbo.LLC_LOOKUP.READ": [2 * 18 + 35, 2 * 18 + 35]})

def witnessed(machine, name, threads, rounds, forwards):
    """--truth: what the accesses did is what the slices count, and no thread keeps a line that others have taken."""
    at, got = here(above=1), run("stat", "-M", machine, "--truth", "-m", "llc_lookups", "--", SHARE, name, str(threads), str(rounds))
    rows = [[int(n.replace(",", "")) for n in re.findall(r"\b\d[\d,]*\b", line)] for line in got.stderr.splitlines()
            if " requests left " in line or " of them were " in line or " were still there" in line]
    check_at(at, got.returncode == 0 and len(rows) == 3 and "warning" not in got.stderr, got.stderr)
    if len(rows) == 3:
        (requests, looked), (asked, answered), (lost, kept) = rows
        check_at(at, abs(requests - looked) <= requests // 1000, f"{name}: {requests} requests, {looked} look-ups")
        check_at(at, forwards <= asked <= answered, f"{name}: {asked} lines modified elsewhere, want {forwards}; {answered} answered")
        check_at(at, lost >= forwards and kept == 0, f"{name}: {lost} lines lost, {kept} of them kept")


# Each hand-over of the token finds it modified, but for the first one of all.
witnessed(ONE, "token", 2, 500, 2 * 500)
witnessed(TWO, "token", 2, 500, 2 * 500)
witnessed(TWO, "fork-token", 3, 200, 3 * 200 - 1)
witnessed(TWO, "baton", 2, 10, 2 * 10 * 900)
witnessed(TWO, "barrier", 36, 4, 4 * 35)
witnessed("snbep", "mutex", 4, 50, 4 * 50)
# More threads than cores: those of one core have caches of their own, of which the machine knows only together.
crowded = run("stat", "-M", ONE, "--truth", "-m", "llc_lookups", "--", SHARE, "token", "36", "4")
check("still in a thread's caches" in crowded.stderr, crowded.stderr)

# False sharing is seen: of so many look-ups beside those of the start, words in one line need over a hundred times as many.
start = lookups(ONE, "lines", 2, 1)
shared, padded = (lookups(ONE, what, 2, 100000) - start for what in ("line", "lines"))
check(shared > 100 * max(padded, 1), f"in one line {shared} look-ups, in two {padded}")

# The same in every run, to the byte; what the threads do to each other depends on their order alone.
for name, threads, rounds in (("token", 4, 20), ("word", 2, 2000), ("line", 8, 50), ("baton", 2, 3), ("pipes", 2, 5),
                              ("mutex", 4, 100), ("ticket", 8, 20), ("barrier", 4, 10), ("writer", 4, 20), ("token", 36, 2),
                              ("ring", 8, 10), ("queue", 2, 50), ("mcs", 4, 50),
                              ("barrier", 36, 1), ("fork-token", 3, 20), ("fork-lines", 4, 100)):
    same = {output("hsx", name, threads, rounds, "-m", "llc_lookups,memory_bytes,qpi_data_bw") for _ in range(2)}
    check(len(same) == 1, f"{name}, {threads} threads: {len(same)} different outputs")

sys.exit(done())
