/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the configuration controller, by hand at 2 GHz: a register request is on its way for 150 ns. */
#include <string.h>

#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/io/ubox.h"

enum { KHZ = 2000000, NS = 1000, TRIP = 300 };

static const struct row {
	int line;
	unsigned sig;
	uint64_t flags, want;
} rows[] = {
	/* Requests at 100, 1000, 1050 and 1100 ns: the third and fourth wait for those before, one at a time. */
	{ LINE, SIG_UBOX_RACU, 0, 4 * TRIP },
	/* A doorbell is for no core in particular; the filter of threads is off, so both kinds pass. */
	{ LINE, SIG_UBOX_EVENT, UBOX_EVENT_DOORBELL, 3 }, { LINE, SIG_UBOX_EVENT, 0, 3 },
	{ LINE, SIG_UBOX_MATCH, UBOX_MATCH_DISABLE, 3 }, { LINE, SIG_UBOX_MATCH, UBOX_MATCH_U2C_DISABLE, 1 + 2 + 4 },
	{ LINE, SIG_UBOX_MATCH, UBOX_MATCH_ENABLE, 0 }, { LINE, SIG_UBOX_MATCH, UBOX_MATCH_U2C_ENABLE, 0 },
	{ LINE, SIG_UBOX_U2C, UBOX_U2C_MONITOR_T0, 1 }, { LINE, SIG_UBOX_U2C, UBOX_U2C_CMC, 2 },
	{ LINE, SIG_UBOX_U2C, UBOX_U2C_OTHER, 4 }, { LINE, SIG_UBOX_U2C, 0, 1 + 2 + 4 },
	/* Asked at 5000 ns, granted at 5600, given back at 5650. */
	{ LINE, SIG_UBOX_PHOLD, UBOX_PHOLD_ASKED, 1200 }, { LINE, SIG_UBOX_PHOLD, UBOX_PHOLD_HELD, 100 },
};

int main(void)
{
	static const unsigned requests[] = { 100, 1000, 1050, 1100 };
	static const enum ubox_message told[] = {
		UBOX_MONITOR, UBOX_MACHINE_CHECK, UBOX_MACHINE_CHECK, UBOX_OTHER, UBOX_OTHER, UBOX_OTHER, UBOX_OTHER,
	};
	struct meter m;
	struct ubox u = { .port = &m.port };

	meter_init(&m, KHZ, SIG_UBOX_COUNT);
	for (unsigned i = 0; i < LEN(rows); i++)
		meter_add(&m, rows[i].sig, rows[i].flags);
	for (unsigned i = 0; i < LEN(requests); i++)
		ubox_request(&u, requests[i] * NS, 4);
	for (unsigned i = 0; i < 3; i++)
		ubox_doorbell(&u, (2000 + i) * NS);
	for (unsigned i = 0; i < LEN(told); i++)
		ubox_tell_core(&u, told[i], (3000 + i) * NS);
	ubox_hold(&u, 5000 * NS, 5600 * NS, 5650 * NS);
	meter_close(&m, 10000 * NS);
	for (unsigned i = 0; i < LEN(rows); i++)
		CHECK_EQ(rows[i].line, m.sum[i], rows[i].want);
	meter_free(&m);
	return check_done();
}
