#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A metric of one's own: an equation over events, metrics and time.  Its value is that of its parts.
set -eu
equations='secs=SECONDS,bw=imc.CAS_COUNT.RD * 64 / SECONDS,mpki=llc_misses * 1000 / INST_RETIRED.ALL'
boxscore stat -x , -o readings -e imc.CAS_COUNT.RD -m "$equations" -m llc_misses,instructions --kernel stream:threads=2
cat readings
awk -F, '{ value[$8] = $2 }
	function near(a, b) { return a > 0.9999 * b && a < 1.0001 * b && b > 0 }
	END { exit !(near(value["bw"], value["imc.CAS_COUNT.RD"] * 64 / value["secs"]) &&
		     near(value["mpki"], value["llc_misses"] * 1000 / value["instructions"])) }' readings

# What is misspelt is refused, with what was meant.
if boxscore stat -m 'bw=imc.CAS_COUNT.RT * 64' --kernel stream 2>said; then
	echo 'an event that does not exist is measured' >&2
	exit 1
fi
cat said
grep -q 'did you mean RD' said
