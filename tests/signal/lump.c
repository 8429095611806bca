/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may be told in lumps, and what a lump adds. */
#include "signal/lump.h"

#include "check.h"

enum { SIG = 1, OTHER = 2, SIGNALS = 4 };

static const struct signal_test state = { .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_STATE, .value = 1 << 2 };
static const struct signal_test node = { .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_NID, .mask = 1, .value = 0 };
static const struct signal_test packet = { .kind = SIGNAL_TEST_PACKET, .tag = SIGNAL_TAG_STATE };

static const struct signal_alt told = { .care = 3, .want = 3 }, untold = { .care = 4, .want = 4 };

static const struct row {
	int line;
	struct signal_watch watch;
	struct signal_alt alt;
	const struct signal_alt *second;	/* another alternative */
	const struct signal_test *test;		/* of the first one */
	bool exact;
	bool lumps;		/* flags 0 to 3 and the state are known */
	int64_t sum;		/* after 5 with flags 1 and state 2, 7 with flags 3 and state 1 */
} rows[] = {
	{ LINE, .alt = { 0 }, .lumps = true, .sum = 12 },
	{ LINE, .alt = { .care = 3, .want = 1 }, .lumps = true, .sum = 5 },
	{ LINE, .alt = { .any = 2 }, .lumps = true, .sum = 7 },
	{ LINE, .alt = { .any = 6 }, .lumps = false },
	{ LINE, .alt = { .care = 5, .want = 1 }, .lumps = false },
	{ LINE, .test = &state, .lumps = true, .sum = 5 },
	{ LINE, .test = &node, .lumps = false },
	{ LINE, .test = &packet, .lumps = false },
	{ LINE, .alt = { .care = 3, .want = 1 }, .second = &told, .lumps = true, .sum = 12 },
	{ LINE, .alt = { .care = 3, .want = 2 }, .second = &told, .lumps = true, .sum = 7 },
	{ LINE, .alt = { .care = 3, .want = 1 }, .second = &untold, .lumps = false },
	{ LINE, .watch = { .chain = { .threshold = 1 } }, .lumps = false },
	{ LINE, .watch = { .once = true }, .lumps = false },
	{ LINE, .exact = true, .lumps = false },
};

int main(void)
{
	static const uint16_t but[] = { SIG };
	struct signal_clock clock;
	struct signal_port port;

	signal_clock_init(&clock, 1000000);
	CHECK(signal_port_init(&port, SIGNALS, &clock) == 0);
	CHECK(signal_lumps(&port, SIG, 0, 0));
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct signal_watch w = r->watch;
		struct signal_alt alt[2] = { r->alt };
		const struct signal_tag e = { .state = 2 }, s = { .state = 1 };

		alt[0].test = r->test;
		alt[0].tests = r->test != NULL;
		if (r->second)
			alt[1] = *r->second;
		w.alt = alt;
		w.alts = r->second ? 2 : 1;
		signal_watch_hang(&port, SIG, &w);
		port.exact = r->exact;
		CHECK_EQ(r->line, signal_lumps(&port, SIG, 3, 1 << SIGNAL_TAG_STATE), r->lumps);
		CHECK_EQ(r->line, signal_lumps(&port, OTHER, 0, 0), true);
		CHECK_EQ(r->line, signal_quiet(&port, but, 1), true);
		CHECK_EQ(r->line, signal_quiet(&port, NULL, 0), false);
		if (r->lumps) {
			signal_lump(&port, SIG, 5, 1, &e);
			signal_lump(&port, SIG, 7, 3, &s);
			signal_lump(&port, OTHER, 9, 3, NULL);
			CHECK_EQ(r->line, (uint64_t)signal_watch_close(&port, &w, port.closed + 1), (uint64_t)r->sum);
			signal_port_close(&port, port.closed + 1);
			CHECK_EQ(r->line, (uint64_t)signal_watch_close(&port, &w, port.closed + 1), 0);
		}
		signal_watch_unhang(&port, SIG, &w);
		signal_watch_free(&w);
	}
	CHECK(signal_quiet(&port, NULL, 0));
	signal_port_free(&port);
	return check_done();
}
