/* SPDX-License-Identifier: BSD-2-Clause */
/* A living machine: who reads it at any moment finds what one long run would have counted. */
#include <pthread.h>
#include <time.h>

#include "base/error.h"
#include "check.h"
#include "feed/feed.h"
#include "machine/machine.h"
#include "make_machine.h"
#include "virtual/identity.h"
#include "virtual/virtual.h"

#define LOAD "stream:size=512K,op=read"

enum { CHANNELS = 8, BOX_CTL = 0xf4, CTL0 = 0xd8, CTR0 = 0xa0, CAS_READS = 0x304, ENABLE = 1 << 22 };

static const uint8_t channel_function[] = { 20 << 3, 20 << 3 | 1, 23 << 3, 23 << 3 | 1 };

static void nap(void)
{
	struct timespec t = { .tv_nsec = 1000000 };

	nanosleep(&t, NULL);
}

/* Program all channels of socket 0 to count reads; the sum of what they count. */

static void count_reads(struct access *a)
{
	for (size_t i = 0; i < LEN(channel_function); i++) {
		struct access_address at = virtual_function(0, CAT_BUS_UNCORE, channel_function[i]);

		at.offset = CTL0;
		CHECK(access_write(a, &at, ENABLE | CAS_READS) == 0);
	}
}

static uint64_t reads_in_one_run(void)
{
	struct machine *m = make_machine("hsx,sockets=1,cores=2");
	uint64_t sum = 0, value;
	struct feed *f;
	char why[200];

	count_reads(machine_registers(m));
	CHECK(kernel_open(m, LOAD, &f, why, sizeof why) == 0);
	CHECK(feed_run(f, UINT64_MAX) == FEED_ENDED);
	machine_drain(m);
	for (size_t i = 0; i < LEN(channel_function); i++) {
		struct access_address at = virtual_function(0, CAT_BUS_UNCORE, channel_function[i]);

		at.offset = CTR0;
		CHECK(access_read(machine_registers(m), &at, &value) == 0);
		sum += value;
	}
	feed_close(f);
	machine_free(m);
	return sum;
}

static uint64_t reads_so_far(struct virtual *v)
{
	uint64_t sum = 0, value = 0;

	for (size_t i = 0; i < LEN(channel_function); i++) {
		struct access_address at = virtual_function(0, CAT_BUS_UNCORE, channel_function[i]);

		at.offset = CTR0;
		CHECK(virtual_read(v, 0, &at, &value) == 0);
		sum += value;
	}
	return sum;
}

static void busy(void)
{
	struct virtual_config config = { .load = LOAD, .once = true, .load_output = -1 };
	struct machine *m = make_machine("hsx,sockets=1,cores=2");
	uint64_t want = reads_in_one_run(), last = 0, now = 0;
	struct virtual *v = NULL;
	char why[200];

	/* 512 KB are 8192 lines, and prefetchers run a little past the end. */
	CHECK(want >= 8192 && want < 8192 + 64);
	count_reads(machine_registers(m));
	CHECK(virtual_new(m, &config, &v, why, sizeof why) == 0);
	CHECK(reads_so_far(v) == 0);
	CHECK(virtual_start(v) == 0);
	for (unsigned i = 0; i < 20000 && now < want; i++) {
		last = now;
		now = reads_so_far(v);
		CHECK(now >= last);
		if (i % 16 == 0)
			nap();
	}
	nap();
	CHECK_EQ(__LINE__, reads_so_far(v), want);
	virtual_free(v);
	machine_free(m);
}

/* Time, and what an idle machine answers. */

static void idle(void)
{
	struct virtual_config config = { .load_output = -1 };
	struct machine *m = make_machine("hsx");
	struct access_address at;
	uint64_t first = 0, second = 0, value = 1;
	struct virtual *v = NULL;
	char why[200];

	CHECK(virtual_new(m, &config, &v, why, sizeof why) == 0);
	CHECK_EQ(__LINE__, virtual_cpus(v), 72);
	CHECK_EQ(__LINE__, virtual_bus(v, 0, CAT_BUS_IIO), 0x00);
	CHECK_EQ(__LINE__, virtual_bus(v, 0, CAT_BUS_UNCORE), 0x7f);
	CHECK_EQ(__LINE__, virtual_bus(v, 1, CAT_BUS_IIO), 0x80);
	CHECK_EQ(__LINE__, virtual_bus(v, 1, CAT_BUS_UNCORE), 0xff);
	CHECK(virtual_msr(v, 72, 0x10, &at) == BXS_ENOENT);
	CHECK(virtual_msr(v, 71, 0x10, &at) == 0);
	CHECK_EQ(__LINE__, at.socket, 1);
	CHECK_EQ(__LINE__, at.thread, 35);
	CHECK(virtual_read(v, 0, &at, &first) == 0);
	CHECK_EQ(__LINE__, first, 0);
	CHECK(virtual_start(v) == 0);
	for (unsigned i = 0; i < 1000 && second < 23000000; i++) {
		nap();
		CHECK(virtual_read(v, 0, &at, &second) == 0);
		CHECK(second > first);
		first = second;
	}
	CHECK(second >= 23000000);	/* 10 ms came to pass */
	at.offset = 0xdead;
	CHECK(virtual_read(v, 0, &at, &value) == BXS_EFAULT);
	CHECK_EQ(__LINE__, value, 1);
	CHECK(virtual_write(v, 0, &at, 0) == BXS_EFAULT);
	virtual_free(v);
	machine_free(m);
}

/* Loads that cannot be. */

static const struct row {
	int line;
	const char *load;
	int err;
} rows[] = {
	{ LINE, "stream:size=x", BXS_EINVAL },
	{ LINE, "stream:sise=1M", BXS_ENOENT },
	{ LINE, "stream:threads=3", BXS_EINVAL },
	{ LINE, "/nowhere/trace.bxt", BXS_ENOENT },
	{ LINE, "/nowhere/program", BXS_ENOENT },
	{ LINE, "", BXS_EINVAL },
	{ LINE, "'open quote", BXS_EINVAL },
	{ LINE, "$(date)", BXS_EINVAL },
};

static void refused(void)
{
	struct machine *m = make_machine("hsx,sockets=1,cores=2");

	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct virtual_config config = { .load = r->load, .load_output = -1 };
		struct virtual *v = NULL;
		char why[200];

		CHECK_EQ(r->line, virtual_new(m, &config, &v, why, sizeof why), r->err);
		CHECK_EQ(r->line, why[0] != 0, 1);
		CHECK_EQ(r->line, v == NULL, 1);
	}
	machine_free(m);
}

/* Who the processors are: names as CPUID of such a processor has them. */

static const struct name { int line; const char *spec, *name; } names[] = {
	{ LINE, "hsx:e7-8890v3,cores=2", "Intel(R) Xeon(R) CPU E7-8890 v3 @ 2.50GHz" },
	{ LINE, "snbep,cores=2", "Intel(R) Xeon(R) CPU E5-2690 0 @ 2.90GHz" },
	{ LINE, "nhmex,cores=2", "Intel(R) Xeon(R) CPU X7560 @ 2.27GHz" },
	{ LINE, "nhmex:x7542", "Intel(R) Xeon(R) CPU X7542 @ 2.67GHz" },
	{ LINE, "hsx,cores=2,base_mhz=2999", "Intel(R) Xeon(R) CPU E5-2699 v3 @ 3.00GHz" },
};

static uint64_t machine_ps(struct virtual *v)
{
	struct access_address tsc = { .space = CAT_MSR, .offset = 0x10, .width = 64 };
	uint64_t value = 0;

	CHECK(virtual_read(v, 1, &tsc, &value) == 0);
	return value;
}

/* A machine under a load that nobody looks at stands, and goes on when somebody does. */
static void left_alone(void)
{
	const struct virtual_config config = { .load = LOAD, .load_output = -1, .patience = 100000000 };
	struct machine *m = make_machine("hsx,sockets=1,cores=2");
	struct virtual *v;
	uint64_t before, stands;
	char why[200];

	CHECK(virtual_new(m, &config, &v, why, sizeof why) == 0);
	CHECK(virtual_start(v) == 0);
	for (before = stands = machine_ps(v); stands == before; stands = machine_ps(v))
		nap();
	/* Once it stands it stands, however long the computer takes to get there: its horizon is nobody's question. */
	for (unsigned same = 0; same < 100; before = stands) {
		nap();
		stands = machine_horizon(m);
		same = stands == before ? same + 1 : 0;
	}
	for (unsigned i = 0; i < 200; i++)
		nap();
	CHECK_EQ(__LINE__, machine_horizon(m), stands);
	before = machine_ps(v);
	while (machine_ps(v) == before)
		nap();
	virtual_free(v);
	machine_free(m);
}

static void identities(void)
{
	struct machine *m = make_machine("hsx,sockets=2,cores=6");
	struct identity id;

	CHECK(identity_of(m, &id));
	CHECK_EQ(__LINE__, id.model, 63);
	CHECK_STR(__LINE__, id.name, "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz");
	CHECK_EQ(__LINE__, id.cache[3].size_kb, 6 * 2560);
	CHECK_EQ(__LINE__, id.cache[3].sets, 6 * 2048);
	CHECK_EQ(__LINE__, identity_core_bits(&id), 3);
	CHECK_EQ(__LINE__, identity_apic_id(&id, 0), 0);
	CHECK_EQ(__LINE__, identity_apic_id(&id, 7), 0x12);
	CHECK_EQ(__LINE__, identity_apic_id(&id, 12 + 11), 0x1b);
	CHECK_EQ(__LINE__, identity_place(&id, 23).thread, 1);
	machine_free(m);
	for (const struct name *n = names; n < names + LEN(names); n++) {
		m = make_machine(n->spec);
		CHECK(identity_of(m, &id));
		CHECK_STR(n->line, id.name, n->name);
		machine_free(m);
	}
	m = make_machine("poulson");
	CHECK(!identity_of(m, &id));
	machine_free(m);
}

int main(void)
{
	idle();
	busy();
	left_alone();
	refused();
	identities();
	return check_done();
}
