/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults on the whole machine: as often as they were asked for, at the times asked for, again with the same seed. */
#include "machine/faults.h"
#include "probe.h"

#define SMALL "hsx,cores=2"

static void fail(struct machine *m, const char *faults)
{
	char why[400] = "";

	CHECK_EQ(__LINE__, machine_fault(m, faults, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
}

/* Every read of memory is wrong, or none; each error is a message to a core of that socket. */
static const struct ecc { int line; const char *fault; unsigned of_1000, within; } eccs[] = {
	{ LINE, "ecc=1", 1000, 0 }, { LINE, "ecc=0", 0, 0 }, { LINE, "qpi-crc=0.1", 0, 0 },
	/* 100000 reads: a standard deviation of 0.1 is 95. */
	{ LINE, "ecc=0.1,seed=3", 100, 50 }, { LINE, "ecc=1e-1,seed=4", 100, 50 },
};

static void check_ecc(const struct ecc *e)
{
	struct probes p = { .m = make_machine(SMALL) };
	unsigned errors, reads, told;
	uint64_t want;

	p.family = machine_spec(p.m)->family;
	errors = probe_add(&p, "imc", "ECC_CORRECTABLE_ERRORS", NULL, 0);
	reads = probe_add(&p, "imc", "CAS_COUNT", "RD", 1);
	told = probe_add(&p, "ubox", "U2C_EVENTS", "CMC", 0);
	fail(p.m, e->fault);
	probe_count(&p, "random:size=16M,count=100000");
	want = probe_read(&p, reads) * e->of_1000 / 1000;
	if (e->within)
		CHECK_NEAR(e->line, probe_read(&p, errors), want, e->within);
	else
		CHECK_EQ(e->line, probe_read(&p, errors), want);
	for (unsigned s = 0; s < 2; s++)
		CHECK_EQ(e->line, probe_socket(&p, told, s), probe_socket(&p, errors, s));
	machine_free(p.m);
}

/* The same seed, the same errors: to the last one, channel by channel, and on each link. */
static void check_seeds(void)
{
	static const char *const faults[] = { "ecc=1e-2,qpi-crc=1e-3,seed=5", "qpi-crc=1e-3,ecc=1e-2,seed=5",
					      "ecc=1e-2,qpi-crc=1e-3,seed=6" };
	uint64_t seen[3][2];

	for (unsigned run = 0; run < 3; run++) {
		struct probes p = { .m = make_machine(SMALL) };
		unsigned ecc, crc;

		p.family = machine_spec(p.m)->family;
		ecc = probe_add(&p, "imc", "ECC_CORRECTABLE_ERRORS", NULL, 0);
		crc = probe_add(&p, "qpi", "RxL_CRC_ERRORS", "NORMAL_OP", 0);
		fail(p.m, faults[run]);
		probe_count(&p, "remote:size=16M");
		seen[run][0] = probe_box(&p, ecc, 1, 0);
		seen[run][1] = probe_box(&p, crc, 0, 1);
		CHECK_EQ(__LINE__, seen[run][0] > 0, 1);
		CHECK_EQ(__LINE__, seen[run][1] > 0, 1);
		machine_free(p.m);
	}
	CHECK_EQ(__LINE__, seen[0][0], seen[1][0]);
	CHECK_EQ(__LINE__, seen[0][1], seen[1][1]);
	CHECK_EQ(__LINE__, seen[0][0] != seen[2][0], 1);
	CHECK_EQ(__LINE__, seen[0][1] != seen[2][1], 1);
}

/* Damaged flits are sent again but counted once: what one end sends the other receives, as without. */
static void check_links(void)
{
	uint64_t flits[2];

	for (unsigned run = 0; run < 2; run++) {
		struct probes p = { .m = make_machine(SMALL) };
		unsigned tx, rx;

		p.family = machine_spec(p.m)->family;
		tx = probe_add(&p, "qpi", "TxL_FLITS_G1", "DRS_DATA", 0);
		rx = probe_add(&p, "qpi", "RxL_FLITS_G1", "DRS_DATA", 1);
		if (run)
			fail(p.m, "qpi-crc=1e-2");
		probe_count(&p, "remote:size=4M,prefetch=0");
		flits[run] = probe_socket(&p, tx, 1);
		CHECK_EQ(__LINE__, probe_socket(&p, rx, 0), flits[run]);
		machine_free(p.m);
	}
	CHECK_EQ(__LINE__, flits[0], 65536 * 8);
	CHECK_EQ(__LINE__, flits[1], flits[0]);
}

/* Clocks of 800 MHz in the spells of 3 ms: the die from 500 us on for 200, three times; outside 50, a regulator
 * 100; heat is the limit in all of these. */
static void check_heat(void)
{
	struct probes p = { .m = make_machine(SMALL ",sockets=1") };
	unsigned inside, outside, limit, vr;

	p.family = machine_spec(p.m)->family;
	inside = probe_add(&p, "pcu", "PROCHOT_INTERNAL_CYCLES", NULL, 0);
	outside = probe_add(&p, "pcu", "PROCHOT_EXTERNAL_CYCLES", NULL, 1);
	limit = probe_add(&p, "pcu", "FREQ_MAX_LIMIT_THERMAL_CYCLES", NULL, 2);
	vr = probe_add(&p, "pcu", "VR_HOT_CYCLES", NULL, 3);
	machine_drain(p.m);
	fail(p.m, "thermal=500us+200us/1ms,prochot=800us+50us,vrhot=2100us+100us");
	probe_global(&p, PROBE_FREEZE);
	probe_zero(&p);
	probe_global(&p, PROBE_UNFREEZE);
	probe_rest(p.m, 3000000, __LINE__);
	probe_global(&p, PROBE_FREEZE);
	CHECK_EQ(__LINE__, probe_read(&p, inside), 3 * 200 * 800);
	CHECK_EQ(__LINE__, probe_read(&p, outside), 50 * 800);
	CHECK_EQ(__LINE__, probe_read(&p, vr), 100 * 800);
	CHECK_EQ(__LINE__, probe_read(&p, limit), (600 + 50 + 100) * 800);
	machine_free(p.m);
}

static uint64_t get(struct machine *m, unsigned core, uint32_t number)
{
	struct access_address at = { .space = CAT_MSR, .thread = (uint16_t)core, .offset = number, .width = 64 };
	uint64_t value = 0;

	CHECK_EQ(__LINE__, access_read(machine_registers(m), &at, &value), 0);
	return value;
}

static void set(struct machine *m, unsigned core, uint32_t number, uint64_t value)
{
	struct access_address at = { .space = CAT_MSR, .thread = (uint16_t)core, .offset = number, .width = 64 };

	CHECK_EQ(__LINE__, access_write(machine_registers(m), &at, value), 0);
}

/* The die from 500 us on for 200, outside from 800 for 100, a regulator from 1100 for 100: what the registers say at times. */
static const struct word {
	int line;
	unsigned us;
	uint32_t write, value;			/* before that, to core 0's; 0: nothing */
	uint64_t core[2], package, limits;	/* without temperatures */
	bool limit;				/* no degree is left to it */
} words[] = {
	{ LINE, 400, 0, 0, { 0, 0 }, 0, 0, false },
	{ LINE, 600, 0, 0, { 3, 3 }, 3, 0x20002, true },
	{ LINE, 750, 0, 0, { 2, 2 }, 2, 0x20000, false },
	{ LINE, 820, 0, 0, { 0xe, 0xe }, 0xe, 0x30001, false },
	/* Each register has its own logs; they take a 0, whether the word still stands or not. */
	{ LINE, 830, 0x19c, 0x2, { 0x6, 0xe }, 0xe, 0x30001, false },
	{ LINE, 840, 0x690, 0x10000, { 0x6, 0xe }, 0xe, 0x10001, false },
	{ LINE, 850, 0x1b1, 0xaa8, { 0x6, 0xe }, 0xc, 0x10001, false },
	{ LINE, 950, 0x19c, 0, { 0, 0xa }, 0x8, 0x10000, false },
	{ LINE, 1150, 0, 0, { 0, 0xa }, 0x8, 0x410040, false },
	{ LINE, 1250, 0x690, 0, { 0, 0xa }, 0x8, 0, false },
};

static void check_words(void)
{
	struct machine *m = make_machine(SMALL ",sockets=1");
	const uint64_t valid = UINT64_C(1) << 31 | 1 << 27, margin = 0x7f << 16;
	unsigned now = 0;

	fail(m, "thermal=500us+200us,prochot=800us+100us,vrhot=1100us+100us");
	for (const struct word *w = words; w < words + LEN(words); now = w++->us) {
		probe_rest(m, (w->us - now) * 1000, w->line);
		if (w->write)
			set(m, 0, w->write, w->value);
		for (unsigned core = 0; core < 2; core++) {
			CHECK_EQ(w->line, get(m, core, 0x19c) & ~margin, valid | w->core[core]);
			CHECK_EQ(w->line, (get(m, core, 0x19c) & margin) == 0, w->limit);
			CHECK_EQ(w->line, get(m, core, 0x1b1) & ~margin, valid | w->package);
			CHECK_EQ(w->line, get(m, core, 0x690), w->limits);
		}
		CHECK_EQ(w->line, (get(m, 0, 0x1b1) & margin) == 0, w->limit);
	}
	machine_free(m);
}

/*
 * Turbo of six cores is less than the highest.  All at 2.8 GHz take 0.3 + 0.7 * (2.8 / 2.3)^3 = 1.56 of what the part is made
 * for: then it is power that limits them, unless there is plenty.  Logs stay when all sleep.
 */
static void check_limits(void)
{
	static const struct { int line; const char *machine; unsigned threads; uint64_t limits, core; } rows[] = {
		{ LINE, "hsx,cores=6,sockets=1,turbo=on", 1, 0, 0 },
		{ LINE, "hsx,cores=6,sockets=1", 6, 0, 0 },
		{ LINE, "hsx,cores=6,sockets=1,turbo=on,power_w=400", 6, 1 << 26, 0 },
		{ LINE, "hsx,cores=6,sockets=1,turbo=on", 6, 1 << 18, 1 << 11 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct probes p = { .m = make_machine(rows[i].machine) };
		char kernel[80];

		p.family = machine_spec(p.m)->family;
		snprintf(kernel, sizeof kernel, "stream:size=8M,threads=%u", rows[i].threads);
		probe_count(&p, kernel);
		CHECK_EQ(rows[i].line, get(p.m, 0, 0x690) & 0xffff0000, rows[i].limits);
		CHECK_EQ(rows[i].line, get(p.m, 0, 0x19c) & 0xaaa, rows[i].core);
		CHECK_EQ(rows[i].line, get(p.m, 0, 0x1b1) & 0xaaa, rows[i].core);
		machine_free(p.m);
	}
}

/* Memory is held back in spells of 2 ms: far too hot for 50 us, by power control while something off the die is too hot for
 * 100, module 1 of each channel too hot for 20.  1066.667 clocks in a microsecond, four channels. */
static void check_memory(void)
{
	struct probes p = { .m = make_machine(SMALL ",sockets=1,dimms_per_channel=2") };
	unsigned critical, pcu, ranks[2];

	p.family = machine_spec(p.m)->family;
	critical = probe_add(&p, "imc", "POWER_CRITICAL_THROTTLE_CYCLES", NULL, 0);
	pcu = probe_add(&p, "imc", "POWER_PCU_THROTTLING", NULL, 1);
	ranks[0] = probe_add(&p, "imc", "POWER_THROTTLE_CYCLES", "RANK0", 2);
	ranks[1] = probe_add(&p, "imc", "POWER_THROTTLE_CYCLES", "RANK5", 3);
	machine_drain(p.m);
	fail(p.m, "memcritical=500us+50us,prochot=800us+100us,memhot=1100us+20us,memdimm=1");
	probe_global(&p, PROBE_FREEZE);
	probe_zero(&p);
	probe_global(&p, PROBE_UNFREEZE);
	probe_rest(p.m, 2000000, __LINE__);
	probe_global(&p, PROBE_FREEZE);
	CHECK_NEAR(__LINE__, probe_read(&p, critical), 4 * 53333, 4);
	CHECK_NEAR(__LINE__, probe_read(&p, pcu), 4 * 106667, 4);
	CHECK_NEAR(__LINE__, probe_read(&p, ranks[0]), 4 * 160000, 8);
	CHECK_NEAR(__LINE__, probe_read(&p, ranks[1]), 4 * 181333, 12);
	machine_free(p.m);
}

/* Throttled modules move 32 lines of a rank in 1024 clocks: two ranks on each of two channels no more than 8.5 GB/s. */
static void check_held_back(void)
{
	uint64_t time[2], reads;

	for (unsigned run = 0; run < 2; run++) {
		struct probes p = { .m = make_machine(SMALL ",sockets=1,has=1,channels=2") };
		unsigned cas;

		p.family = machine_spec(p.m)->family;
		cas = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
		if (run)
			fail(p.m, "memhot=0us+1s");
		probe_count(&p, "stream:size=8M,op=read,threads=2");
		reads = probe_read(&p, cas);
		time[run] = machine_horizon(p.m);
		machine_free(p.m);
	}
	CHECK_EQ(__LINE__, time[1] > 2 * time[0], 1);
	/* 960 ns a window for 128 lines. */
	CHECK_EQ(__LINE__, time[1] >= reads / 128 * 960000 * 95 / 100, 1);
}

static const struct bad { int line; const char *fault, *why; } bads[] = {
	{ LINE, "", "no fault; name one: ecc=1e-6" },
	{ LINE, "ec=1", "no key \"ec\" of faults; did you mean ecc?" },
	{ LINE, "ecc", "ecc: a key needs a value: ecc=value" },
	{ LINE, "ecc=", "ecc=: has to be a probability, such as 1e-6" },
	{ LINE, "ecc=x", "ecc=x: has to be a probability, such as 1e-6" },
	{ LINE, "ecc=-1", "ecc=-1: has to be a probability, such as 1e-6" },
	{ LINE, "ecc=1.5", "ecc=1.5: has to be a probability from 0 to 1, such as 1e-6" },
	{ LINE, "ecc=0x1", "ecc=0x1: has to be a probability from 0 to 1, such as 1e-6" },
	{ LINE, "qpi-crc=1e-6z", "qpi-crc=1e-6z: has to be a probability from 0 to 1, such as 1e-6" },
	{ LINE, "ecc=1e-6,seed=2,ecc=1e-6", "ecc is given twice" },
	{ LINE, "seed=-1", "seed=-1: has to be a number from 0 to 18446744073709551614" },
#define SPELL "has to be a time and a length, such as 1ms+200us, and a longer period, such as 1ms+200us/2ms"
	{ LINE, "thermal=1ms", "thermal=1ms: " SPELL },
	{ LINE, "thermal=1+2", "thermal=1+2: " SPELL },
	{ LINE, "thermal=1ms+0us", "thermal=1ms+0us: " SPELL },
	{ LINE, "vrhot=1ms+2ms/1ms", "vrhot=1ms+2ms/1ms: " SPELL },
	{ LINE, "prochot=1ms+2ms/3ms4", "prochot=1ms+2ms/3ms4: " SPELL },
	{ LINE, "memhot=1ms", "memhot=1ms: " SPELL },
	{ LINE, "memdimm=1", "memdimm=1: a channel has 1 modules, from 0" },
	{ LINE, "memdimm=0", "memdimm=0: says which module is hot, but not when: memhot= is missing" },
	{ LINE, "memdimm=0,memcritical=1us+1ms", "memdimm=0: says which module is hot, but not when: memhot= is missing" },
	{ LINE, "memdimm=x", "memdimm=x: has to be a number from 0 to 18446744073709551614" },
	{ LINE, "prochot=99999999999999s+1s", "prochot=99999999999999s+1s: " SPELL },
};

static void check_bad(void)
{
	struct machine *m = make_machine(SMALL), *none = make_machine("poulson");
	char why[400] = "";

	for (const struct bad *b = bads; b < bads + LEN(bads); b++) {
		CHECK_EQ(b->line, machine_fault(m, b->fault, why, sizeof why), BXS_EINVAL);
		CHECK_STR(b->line, why, b->why);
	}
	CHECK_EQ(__LINE__, machine_fault(m, "vmse-crc=1", why, sizeof why), BXS_ENOTSUP);
	CHECK_STR(__LINE__, why, "vmse-crc: this machine has no memory buffers; vmse=on has");
	CHECK_EQ(__LINE__, machine_fault(m, "ecc=1e-3,smi-crc=1", why, sizeof why), BXS_ENOTSUP);
	CHECK_EQ(__LINE__, machine_fault(none, "qpi-crc=1", why, sizeof why), BXS_ENOTSUP);
	machine_free(none);
	machine_free(m);
}

/* A list that is refused does nothing, not even what stands ahead of the wrong word. */
static void check_refused(void)
{
	static const char *const refused[] = { "ecc=1,memdimm=1", "ecc=1,vmse-crc=1", "ecc=1,memhot=1" };
	struct probes p = { .m = make_machine(SMALL) };
	char why[400] = "";
	unsigned errors;

	p.family = machine_spec(p.m)->family;
	errors = probe_add(&p, "imc", "ECC_CORRECTABLE_ERRORS", NULL, 0);
	for (unsigned i = 0; i < LEN(refused); i++)
		CHECK_EQ(__LINE__, machine_fault(p.m, refused[i], why, sizeof why) < 0, 1);
	probe_count(&p, "random:size=1M,count=1000");
	CHECK_EQ(__LINE__, probe_read(&p, errors), 0);
	machine_free(p.m);
}

/* Lists of one moment add up; what stands in two of them is a slip.  Later it is a change. */
static void check_twice(void)
{
	struct machine *m = make_machine(SMALL);
	char why[400] = "";

	CHECK_EQ(__LINE__, machine_fault(m, "ecc=1e-6,seed=2", why, sizeof why), 0);
	CHECK_EQ(__LINE__, machine_fault(m, "reread=1e-6,seed=3", why, sizeof why), 0);
	CHECK_EQ(__LINE__, machine_fault(m, "qpi-crc=1e-6,ecc=1e-5", why, sizeof why), BXS_EINVAL);
	CHECK_STR(__LINE__, why, "ecc is given twice");
	CHECK_EQ(__LINE__, machine_fault(m, "qpi-crc=1e-6", why, sizeof why), 0);
	machine_advance(m, 1000000);
	CHECK_EQ(__LINE__, machine_fault(m, "ecc=1e-5", why, sizeof why), 0);
	machine_free(m);
}

int main(void)
{
	for (const struct ecc *e = eccs; e < eccs + LEN(eccs); e++)
		check_ecc(e);
	check_seeds();
	check_twice();
	check_links();
	check_heat();
	check_words();
	check_limits();
	check_memory();
	check_held_back();
	check_bad();
	check_refused();
	return check_done();
}
