#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The library in programs of one's own, by what pkg-config says: C, shared and static, C++ and Python.  A core that loads 1000
# lines for the first time, without prefetchers, reads 1000 of them from memory.
set -eu
cat >lines.c <<'END'
#include <stdio.h>
#include "boxscore.h"

static int print(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	printf("%s %.0f %s\n", r->name, r->value, bxs_validity_name(r->validity));
	return 0;
}

int main(void)
{
	bxs_machine *m;
	bxs_session *s;
	char why[200];

	if (bxs_machine_new("hsx,sockets=1", 0, &m, why, sizeof why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	if (bxs_session_new(m, &s) < 0 || bxs_prefetchers(m, false) < 0 || bxs_session_own(s) < 0 ||
	    bxs_session_add(s, "imc.CAS_COUNT.RD") < 0 || bxs_session_start(s) < 0)
		return 1;
	for (unsigned i = 0; i < 1000; i++)
		bxs_access(m, 0, 0x10000000 + i * 64, BXS_LOAD, 4);
	bxs_idle(m, 0, UINT64_MAX);
	if (bxs_session_read(s) < 0)
		return 1;
	bxs_session_each(s, BXS_BY_SUM, print, NULL);
	bxs_session_free(s);
	bxs_machine_free(m);
	return 0;
}
END
cat >lines.py <<'END'
import boxscore

with boxscore.Machine("hsx,sockets=1") as m, boxscore.Session(m) as s:
    s.add("imc.CAS_COUNT.RD")
    s.kernel("stream:size=1M")
    s.start()
    s.run()
    s.stop()
    r = s.each()[0]
    print(r.name, int(r.value), boxscore.Validity(r.validity).name.lower())
END
want='imc.CAS_COUNT.RD 1000 exact'
# shellcheck disable=SC2046 # flags are a list of words
{
	cc -o shared lines.c $(pkg-config --cflags --libs boxscore)
	cc -static -o static lines.c $(pkg-config --static --cflags --libs boxscore)
	cp lines.c lines.cc
	c++ -std=c++17 -o plus lines.cc $(pkg-config --cflags --libs boxscore)
}
for program in shared static plus; do
	got=$(./$program)
	echo "$program: $got"
	[ "$got" = "$want" ]
done
# Three arrays of 16384 lines.
got=$(python3 lines.py)
echo "python: $got"
[ "$got" = 'imc.CAS_COUNT.RD 49152 exact' ]
