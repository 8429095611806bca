/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of cores and sockets through access.h, resting, and who answers what: rows are
 * single accesses to a fresh machine of two sockets of two cores at 2.3 GHz.
 */
#include "probe.h"

#define FIXED(n) (0x309u + (n))
#define FIXED_CTRL 0x38d
#define GLOBAL_CTRL 0x38f

static struct access_address msr(unsigned socket, unsigned thread, uint32_t number)
{
	return (struct access_address){
		.space = CAT_MSR, .socket = (uint16_t)socket, .thread = (uint16_t)thread,
		.offset = number, .width = 64,
	};
}

static const struct row {
	int line;
	struct access_address at;
	bool write;
	uint64_t value;			/* written, or read if it works */
	int want;
} rows[] = {
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0xce, 64 }, false, UINT64_C(12) << 40 | 23 << 8, 0 },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0xce, 64 }, true, 0, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x10, 64 }, false, 0, 0 },
	{ LINE, { CAT_MSR, 0, 1, 1, 0, 0x309, 64 }, false, 0, 0 },
	{ LINE, { CAT_MSR, 0, 1, 1, 0, 0x30b, 64 }, true, 1, 0 },
	{ LINE, { CAT_MSR, 0, 1, 1, 0, 0x30c, 64 }, false, 0, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 1, 1, 0, 0x30b, 64 }, true, UINT64_C(1) << 48, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x38d, 64 }, true, 0xfff, 0 },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x38d, 64 }, true, 0x1000, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x38f, 64 }, true, UINT64_C(7) << 32 | 0xf, 0 },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x38f, 64 }, true, UINT64_C(8) << 32, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 0, 0, 0, 0x12345, 64 }, false, 0, BXS_EFAULT },
	/* Threads 2 and 3 are the second ones of cores 0 and 1; there is neither thread 4 nor socket 2. */
	{ LINE, { CAT_MSR, 0, 0, 3, 0, 0x10, 64 }, false, 0, 0 },
	{ LINE, { CAT_MSR, 0, 0, 4, 0, 0x10, 64 }, false, 0, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 2, 0, 0, 0x10, 64 }, false, 0, BXS_EFAULT },
	{ LINE, { CAT_MSR, 0, 1, 0, 0, 0x704, 64 }, false, 0, 0 },
	/* Registers of cores are MSRs only. */
	{ LINE, { CAT_PCI, CAT_BUS_UNCORE, 0, 0, 31 << 3 | 7, 0x10, 32 }, false, 0, BXS_EFAULT },
};

static void check_rows(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct machine *m = make_machine("hsx,cores=2");
		struct access *a = machine_registers(m);
		uint64_t value = UINT64_MAX;

		if (r->write) {
			CHECK_EQ(r->line, access_write(a, &r->at, r->value), r->want);
			if (r->want == 0) {
				CHECK_EQ(r->line, access_read(a, &r->at, &value), 0);
				CHECK_EQ(r->line, value, r->value);
			}
		} else {
			CHECK_EQ(r->line, access_read(a, &r->at, &value), r->want);
			CHECK_EQ(r->line, value, r->want == 0 ? r->value : UINT64_MAX);
		}
		machine_free(m);
	}
}

static uint64_t read_msr(struct machine *m, unsigned socket, unsigned thread, uint32_t number)
{
	struct access_address at = msr(socket, thread, number);
	uint64_t value = 0;

	CHECK_EQ(__LINE__, access_read(machine_registers(m), &at, &value), 0);
	return value;
}

static void write_msr(struct machine *m, unsigned socket, unsigned thread, uint32_t number,
		      uint64_t value)
{
	struct access_address at = msr(socket, thread, number);

	CHECK_EQ(__LINE__, access_write(machine_registers(m), &at, value), 0);
}

/* On an idle machine time lets the clocks run, and nothing else. */
static void check_rest(void)
{
	struct machine *m = make_machine("hsx,cores=2");

	write_msr(m, 0, 0, FIXED_CTRL, 0x333);
	write_msr(m, 0, 0, GLOBAL_CTRL, UINT64_C(7) << 32);
	write_msr(m, 1, 0, 0x703, 1 << 22);	/* UBox: fixed counter of uclk */
	probe_rest(m, 1000, __LINE__);
	CHECK_EQ(__LINE__, machine_time(m), 1000000);
	CHECK_EQ(__LINE__, read_msr(m, 0, 0, 0x10), 2300);
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, 0x10), 2300);
	CHECK_EQ(__LINE__, read_msr(m, 1, 0, 0x704), 1200);	/* nothing runs: the uncore rests */
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(__LINE__, read_msr(m, 0, 0, FIXED(i)), 0);
	/* The time stamp counter can be set, each core's own. */
	write_msr(m, 0, 0, 0x10, 7);
	CHECK_EQ(__LINE__, read_msr(m, 0, 0, 0x10), 7);
	CHECK_EQ(__LINE__, read_msr(m, 0, 1, 0x10), 2300);
	machine_free(m);
}

/*
 * read of 64 KB: 1024 lines, 2 times 3 instructions each; on core 1 of socket 1.  Clocks and
 * reference clocks run at the same 2.3 GHz; both while the core was awake.
 */
static void check_fixed(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	uint64_t clocks, awake;

	write_msr(m, 1, 1, FIXED_CTRL, 0x323);		/* clocks: other rings only */
	write_msr(m, 1, 1, GLOBAL_CTRL, UINT64_C(7) << 32);
	write_msr(m, 1, 0, FIXED_CTRL, 0x333);
	probe_run(m, "stream:size=64K,op=read,core=3");
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, FIXED(0)), 1024 * 6);
	clocks = read_msr(m, 1, 1, FIXED(1));
	/* It woke at 0, which takes 2 us, and has run since. */
	awake = machine_core_time(m, 3) - 2000000;
	CHECK_EQ(__LINE__, clocks, awake * 2300 / 1000000);
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, FIXED(2)), clocks);
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, 0xe7), clocks);
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, 0xe8), clocks);
	/* Without the global bit, or on the other core, nothing. */
	CHECK_EQ(__LINE__, read_msr(m, 1, 0, FIXED(0)), 0);
	CHECK_EQ(__LINE__, read_msr(m, 0, 1, FIXED(0)), 0);
	/* Stopped, it keeps its value; set, it goes on from there. */
	write_msr(m, 1, 1, GLOBAL_CTRL, 0);
	probe_run(m, "stream:size=64K,op=read,core=3");
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, FIXED(0)), 1024 * 6);
	write_msr(m, 1, 1, FIXED(0), bits_low(48) - 1);
	write_msr(m, 1, 1, GLOBAL_CTRL, UINT64_C(1) << 32);
	probe_run(m, "stream:size=64K,op=read,core=3");
	CHECK_EQ(__LINE__, read_msr(m, 1, 1, FIXED(0)), 1024 * 6 - 2);
	machine_free(m);
}

/*
 * Frequency bands: the filter takes effect when the uncore starts to work, at 2.3 GHz.  Until
 * then it is still 0, and every frequency reaches that; from then on at least 2.0 GHz,
 * never 2.5.  Clocks of 800 MHz: 2 us to wake, 50 asleep in C1, 2 to wake, 20 of waiting; the 5 us
 * of the change belong to no band.
 */
static void check_bands(void)
{
	struct probes p = { .m = make_machine("hsx,cores=2") };
	unsigned low, high, clocks, cores;

	p.family = machine_spec(p.m)->family;
	low = probe_add(&p, "pcu", "FREQ_BAND0_CYCLES", NULL, 0);
	high = probe_add(&p, "pcu", "FREQ_BAND1_CYCLES", NULL, 1);
	clocks = probe_add(&p, "pcu", "CLOCKTICKS", NULL, 2);
	cores = probe_add(&p, "pcu", "POWER_STATE_OCCUPANCY", "CORES_C0", 3);
	probe_filter(&p, "pcu", 0x1914);
	probe_count(&p, "idle:time=50000");
	CHECK_EQ(__LINE__, probe_socket(&p, clocks, 0), 74 * 800);
	CHECK_EQ(__LINE__, probe_socket(&p, low, 0), (74 - 5) * 800);
	CHECK_EQ(__LINE__, probe_socket(&p, high, 0), 2 * 800);
	CHECK_EQ(__LINE__, probe_socket(&p, cores, 0), 2 * 74 * 800);
	machine_free(p.m);
}

/* With turbo a core alone runs at the top of the table: 3.6 GHz where the time stamp counter has 2.3. */
static void check_turbo(void)
{
	struct machine *m = make_machine("hsx,turbo=on,sockets=1");
	uint64_t awake;

	write_msr(m, 0, 3, FIXED_CTRL, 0x222);
	write_msr(m, 0, 3, GLOBAL_CTRL, UINT64_C(7) << 32);
	probe_run(m, "stream:size=1M,op=read,core=3");
	awake = machine_core_time(m, 3) - 2000000;
	CHECK_EQ(__LINE__, read_msr(m, 0, 3, FIXED(1)), awake * 3600 / 1000000);
	CHECK_EQ(__LINE__, read_msr(m, 0, 3, FIXED(2)), awake * 2300 / 1000000);
	machine_free(m);
}

/*
 * Between steps of what drives the machine each read sees more, none sees a step twice, and when the program
 * has ended waiting still lets time pass.
 */
static void check_steps(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	struct feed *feed = NULL;
	char why[200] = "";
	uint64_t last = 0, steps = 0, now;
	int more;

	write_msr(m, 0, 0, FIXED_CTRL, 0x2);
	write_msr(m, 0, 0, GLOBAL_CTRL, UINT64_C(1) << 32);
	CHECK_EQ(__LINE__, kernel_open(m, "stream:size=1M,op=read", &feed, why, sizeof why), 0);
	do {
		uint64_t until = machine_horizon(m) + 10000000;

		more = feed_run(feed, until);
		machine_drain(m);
		CHECK(more == 0 || machine_time(m) >= until);
		/* A step ends soon after it should: one miss, or one round of the kernel. */
		CHECK(machine_time(m) < until + 2000000);
		now = read_msr(m, 0, 0, FIXED(0));
		CHECK(now >= last);
		steps += now > last;
		last = now;
	} while (more == 1 && steps < 100);
	CHECK_EQ(__LINE__, more, 0);
	CHECK_EQ(__LINE__, last, 16384 * 6);
	CHECK(steps > 5);
	now = machine_time(m);
	probe_rest(m, 10000, __LINE__);
	CHECK_EQ(__LINE__, machine_time(m), now + 10000000);
	feed_close(feed);
	machine_free(m);
}

int main(void)
{
	check_rows();
	check_rest();
	check_fixed();
	check_bands();
	check_turbo();
	check_steps();
	return check_done();
}
