#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program of one's own, compiled as always and measured: it writes one byte into each of 2^20 lines of memory that it has not
# used before, so each is read from memory once for ownership, and 64 MB is too much for the caches to keep.
set -eu
cat >touch.c <<'END'
#include <stdlib.h>

int main(void)
{
	enum { LINES = 1 << 20 };
	volatile char *p = malloc((size_t)LINES * 64);

	for (size_t i = 0; p && i < LINES; i++)
		p[i * 64] = 1;
	return !p;
}
END
cc -O2 -o touch touch.c

boxscore list CAS_COUNT >events
grep -q 'CAS_COUNT.RD' events
boxscore info imc.CAS_COUNT.RD >event
boxscore stat -o table -- ./touch
grep -q 'exact *memory_read_bw' table

for run in first second; do
	boxscore stat -x , -o "$run" -e imc.CAS_COUNT.RD,cbo.LLC_LOOKUP.WRITE -- ./touch
done
cmp first second
# What the C library does before and after the program adds less than a hundredth.
awk -F, '$8 == "imc.CAS_COUNT.RD" { print "lines read:", $2, $4; if ($2 >= 1048576 && $2 < 1059061 && $4 == "exact") good = 1 }
	END { exit !good }' first
