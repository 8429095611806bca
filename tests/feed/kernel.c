/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels: what is said about wrong ones, and that each does the work it was asked for. */
#include "machine/probe.h"

static const struct wrong {
	int line;
	const char *kernel;
	int err;
	const char *says;
} wrongs[] = {
	{ LINE, "", BXS_ENOENT, "no kernel \"\"; there are: stream, remote" },
	{ LINE, "streem", BXS_ENOENT, "did you mean stream?" },
	{ LINE, "stream:", BXS_ENOENT, "no key of this kernel \"\"" },
	{ LINE, "stream:sise=1M", BXS_ENOENT, "did you mean size?" },
	{ LINE, "stream:writes=3", BXS_ENOENT, "\"writes\"" },
	{ LINE, "stream:size", BXS_EINVAL, "size=value" },
	{ LINE, "stream:size=", BXS_EINVAL, "has to be a number" },
	{ LINE, "stream:size=1X", BXS_EINVAL, "size=1X" },
	{ LINE, "stream:size=1M,op=copy,size=1M", BXS_EINVAL, "size is given twice" },
	{ LINE, "stream:size=63", BXS_EINVAL, "1099511627776; K, M, G after it stand for 2^10, 2^20, 2^30" },
	{ LINE, "stream:size=63", BXS_EINVAL, "from 64 to" },
	{ LINE, "stream:op=mul", BXS_EINVAL, "copy scale add triad read" },
	{ LINE, "stream:threads=0", BXS_EINVAL, "threads=0" },
	{ LINE, "stream:threads=5", BXS_EINVAL, "cores 0 to 3" },
	{ LINE, "stream:core=3,threads=2", BXS_EINVAL, "cores 0 to 3" },
	{ LINE, "stream:threads=2,step=4", BXS_EINVAL, "cores 0 to 3" },
	{ LINE, "stream:node=2", BXS_EINVAL, "nodes 0 to 1" },
	{ LINE, "random:writes=101", BXS_EINVAL, "writes=101" },
	{ LINE, "chase:size=512G", BXS_EINVAL, "cannot start" },
	{ LINE, "scatter:bytes=64", BXS_EINVAL, "from 1 to 63" },
	{ LINE, "stride:stride=32", BXS_EINVAL, "from 64 to" },
	{ LINE, "stream:data=25", BXS_EINVAL, "from 0 to 24" },
};

/* Instructions of all cores, which is what the work comes to. */
static const struct row {
	int line;
	const char *kernel;
	uint64_t instructions;
} rows[] = {
	{ LINE, "stream:size=64K,op=copy", 1024 * 2 * 3 },
	{ LINE, "stream:size=64K,op=scale", 1024 * 2 * 4 },
	{ LINE, "stream:size=64K,op=triad,threads=4", 1024 * 2 * 5 },
	{ LINE, "stream:size=64K,op=triad,threads=3,passes=2", 2 * 1024 * 2 * 5 },
	{ LINE, "stream:size=64,threads=4,passes=1000000000000", 0 },	/* see below */
	{ LINE, "remote:size=64K", 1024 * 2 * 3 },
	{ LINE, "chase:size=64K,passes=3", 3 * 1024 * 3 },
	{ LINE, "chase:size=64", 3 },
	{ LINE, "random:size=64K,count=1000,writes=50", 1000 * 8 },
	{ LINE, "idle", 0 },
	{ LINE, "code:size=1M,count=1000", 1000 * 16 },
	{ LINE, "stride:size=1M,count=1000,writes=50,threads=2", 2 * 1000 * 8 },
	{ LINE, "burst:count=100,passes=3,time=10000", 3 * 100 * 8 },
	{ LINE, "mmio:count=50,threads=3,node=1", 3 * 50 * 8 },
	{ LINE, "lock:count=20", 20 * 400 },
	{ LINE, "pingpong:count=50,threads=1", 50 * 16 },	/* it is always its turn */
	{ LINE, "flush:size=64K,passes=2", 2 * 1024 * 12 },
	{ LINE, "flush", 16384 * 12 },
	{ LINE, "scatter:size=64K", 1024 * 4 },
};

static uint64_t instructions(struct machine *m)
{
	struct access *a = machine_registers(m);
	uint64_t sum = 0;

	for (unsigned c = 0; c < machine_cores(m); c++) {
		struct access_address at = {
			.space = CAT_MSR, .socket = (uint16_t)(c / 2), .thread = c % 2,
			.offset = 0x309, .width = 64,
		};
		uint64_t value = 0;

		CHECK_EQ(__LINE__, access_read(a, &at, &value), 0);
		sum += value;
	}
	return sum;
}

static void count_instructions(struct machine *m)
{
	for (unsigned c = 0; c < machine_cores(m); c++) {
		CHECK_EQ(__LINE__, machine_core_write(m, c, 0x38d, 2), OUTCOME_OK);
		CHECK_EQ(__LINE__, machine_core_write(m, c, 0x38f, UINT64_C(1) << 32), OUTCOME_OK);
	}
}

/* Threads sleep in machine time, side by side: who looks in between finds them asleep. */
static void check_sleep(void)
{
	struct machine *m = make_machine("hsx,sockets=1,cores=4");
	struct feed *feed = NULL;
	char why[300] = "";
	uint64_t begun;

	CHECK_EQ(__LINE__, kernel_open(m, "idle:threads=4,time=500000", &feed, why, sizeof why), 0);
	CHECK_EQ(__LINE__, feed_run(feed, 50000000), FEED_MORE);
	begun = machine_core_time(m, 0);
	CHECK(machine_horizon(m) < 10000000);
	machine_advance(m, 50000000);
	CHECK_EQ(__LINE__, feed_run(feed, 499000000), FEED_MORE);
	machine_advance(m, 499000000);
	CHECK_EQ(__LINE__, feed_run(feed, UINT64_MAX), FEED_ENDED);
	machine_drain(m);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t c3 = 0, c6 = 0;

		/* 100 us in C1, 300 in C3, 100 and the way back (133) in C6, at 2300 MHz. */
		CHECK_EQ(__LINE__, machine_core_read(m, i, 0x3fc, &c3), 0);
		CHECK_EQ(__LINE__, machine_core_read(m, i, 0x3fd, &c6), 0);
		CHECK_EQ(__LINE__, c3, 300 * 2300);
		CHECK_EQ(__LINE__, c6, 233 * 2300);
		CHECK_EQ(__LINE__, machine_core_time(m, i) - begun, 633000000);
	}
	feed_close(feed);
	machine_free(m);
}

/* Stopped while its threads sleep: they stay asleep. */
static void check_stop(void)
{
	struct machine *m = make_machine("hsx,sockets=1,cores=2");
	struct feed *feed = NULL;
	char why[300] = "";
	uint64_t asleep;

	CHECK_EQ(__LINE__, kernel_open(m, "burst:threads=2,count=10,time=500000", &feed, why, sizeof why), 0);
	CHECK_EQ(__LINE__, feed_run(feed, 200000000), FEED_MORE);
	asleep = machine_core_time(m, 1);
	feed_stop(feed);
	CHECK_EQ(__LINE__, machine_core_time(m, 1), asleep);
	CHECK(asleep < 100000000);
	feed_close(feed);
	machine_free(m);
}

int main(void)
{
	check_sleep();
	check_stop();
	for (const struct wrong *w = wrongs; w < wrongs + LEN(wrongs); w++) {
		struct machine *m = make_machine("hsx,cores=2");
		struct feed *feed = NULL;
		char why[300] = "";

		CHECK_EQ(w->line, kernel_open(m, w->kernel, &feed, why, sizeof why), w->err);
		CHECK_EQ(w->line, feed != NULL, 0);
		CHECK_STR(w->line, strstr(why, w->says) ? w->says : why, w->says);
		machine_free(m);
	}
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct machine *m = make_machine("hsx,cores=2");
		struct feed *feed = NULL;
		char why[300] = "";

		count_instructions(m);
		CHECK_EQ(r->line, kernel_open(m, r->kernel, &feed, why, sizeof why), 0);
		if (strstr(r->kernel, "1000000000000")) {
			/* Only one of four threads has a line to work on, without end. */
			CHECK_EQ(r->line, feed_run(feed, 10000000), 1);
			CHECK_EQ(r->line, instructions(m) > 1000, 1);
		} else {
			CHECK_EQ(r->line, feed_run(feed, UINT64_MAX), 0);
			CHECK_EQ(r->line, instructions(m), r->instructions);
		}
		feed_close(feed);
		machine_free(m);
	}
	for (unsigned n = 0; kernel_name(n); n++) {
		CHECK(kernel_about(n) != NULL);
		CHECK(kernel_key(n, 0) != NULL);
	}
	CHECK(kernel_name(1000) == NULL);
	return check_done();
}
