/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses of the embedding program's own, and traces that it writes: what they count follows from the sizes of caches, and
 * what cannot be is refused with a sentence.
 */
#include <stdlib.h>
#include <unistd.h>

#include "boxscore.h"
#include "check.h"

enum { LINES = 1000, LINE_BYTES = 64 };

static const uint64_t array = 0x20000000;

static bxs_machine *machine_of(const char *spec, unsigned flags)
{
	bxs_machine *m = NULL;
	char why[200];

	CHECK_EQ(__LINE__, bxs_machine_new(spec, flags, &m, why, sizeof why), 0);
	return m;
}

static int add(void *ctx, const struct bxs_reading *r)
{
	*(double *)ctx += r->value;
	return 0;
}

static uint64_t sum(bxs_session *s)
{
	double all = 0;

	CHECK_EQ(__LINE__, bxs_session_each(s, BXS_BY_SUM, add, &all), 0);
	return (uint64_t)all;
}

static unsigned go_over(bxs_machine *m, unsigned core, enum bxs_access_kind kind, uint64_t lines)
{
	unsigned refused = 0;

	for (uint64_t i = 0; i < lines; i++)
		refused += bxs_access(m, core, array + i * LINE_BYTES, kind, 4) != 0;
	return refused + (bxs_idle(m, core, UINT64_MAX) != 0);
}

/* Each kind alone on a machine of its own, with prefetchers off: 1000 lines for the first time. */
static void check_kinds(void)
{
	static const struct {
		int line;
		enum bxs_access_kind kind;
		const char *event;
		uint64_t want;
	} rows[] = {
		{ __LINE__, BXS_LOAD, "cbo.LLC_LOOKUP.DATA_READ", LINES },
		{ __LINE__, BXS_LOAD_AFTER, "cbo.LLC_LOOKUP.DATA_READ", LINES },
		{ __LINE__, BXS_PREFETCH, "cbo.LLC_LOOKUP.DATA_READ", LINES },
		{ __LINE__, BXS_FETCH, "cbo.TOR_INSERTS.OPCODE:opc=CRd", LINES },
		{ __LINE__, BXS_FETCH, "imc.CAS_COUNT.RD", LINES },
		{ __LINE__, BXS_STORE, "cbo.TOR_INSERTS.OPCODE:opc=RFO", LINES },
		{ __LINE__, BXS_LOCKED, "cbo.TOR_INSERTS.OPCODE:opc=RFO", LINES },
		{ __LINE__, BXS_LOAD, "cbo.TOR_INSERTS.OPCODE:opc=RFO", 0 },
		/* A whole line needs no read. */
		{ __LINE__, BXS_STREAM, "cbo.TOR_INSERTS.OPCODE:opc=WCiLF", LINES },
		{ __LINE__, BXS_STREAM, "imc.CAS_COUNT.RD", 0 },
		{ __LINE__, BXS_FLUSH, "imc.CAS_COUNT.RD", 0 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
		bxs_session *s = NULL;

		CHECK_EQ(rows[i].line, bxs_session_new(m, &s), 0);
		CHECK_EQ(rows[i].line, bxs_prefetchers(m, false), 0);
		CHECK_EQ(rows[i].line, bxs_session_add(s, rows[i].event), 0);
		CHECK_EQ(rows[i].line, bxs_session_own(s), 0);
		CHECK_EQ(rows[i].line, bxs_session_start(s), 0);
		CHECK_EQ(rows[i].line, go_over(m, 1, rows[i].kind, LINES), 0);
		CHECK_EQ(rows[i].line, bxs_session_stop(s), 0);
		CHECK_EQ(rows[i].line, sum(s), rows[i].want);
		bxs_session_free(s);
		bxs_machine_free(m);
	}
}

/* Registers say it too, without a session: fixed counter 0 of a core counts the instructions that it was told of. */
static void check_instructions(void)
{
	bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
	uint64_t value = 0;

	CHECK_EQ(__LINE__, bxs_wrmsr(m, 1, 0x38d, 0x3), 0);		/* IA32_FIXED_CTR_CTRL: counter 0 in all rings */
	CHECK_EQ(__LINE__, bxs_wrmsr(m, 1, 0x38f, UINT64_C(1) << 32), 0);	/* IA32_PERF_GLOBAL_CTRL */
	CHECK_EQ(__LINE__, go_over(m, 1, BXS_LOAD, LINES), 0);
	CHECK_EQ(__LINE__, bxs_access(m, 1, array, BXS_LOAD, 3000000), 0);
	CHECK_EQ(__LINE__, bxs_idle(m, 1, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_rdmsr(m, 1, 0x309, &value), 0);		/* IA32_FIXED_CTR0 */
	CHECK_EQ(__LINE__, value, 4 * LINES + 3000000);
	bxs_machine_free(m);
}

/* All kinds on all families, prefetchers on; each core's time only grows, and sleeping takes it where it says. */
static void check_families(void)
{
	static const char *const specs[] = { "hsx,cores=2", "snbep,cores=2", "nhmex,cores=2", "poulson" };

	for (unsigned i = 0; i < LEN(specs); i++) {
		bxs_machine *m = machine_of(specs[i], 0);
		uint64_t before, after;

		for (unsigned k = BXS_LOAD; k <= BXS_FLUSH; k++) {
			before = after = 0;
			CHECK_EQ(__LINE__, bxs_core_time(m, k % 3, &before), 0);
			CHECK_EQ(__LINE__, go_over(m, k % 3, (enum bxs_access_kind)k, LINES), 0);
			CHECK_EQ(__LINE__, bxs_core_time(m, k % 3, &after), 0);
			CHECK(after > before);
		}
		CHECK_EQ(__LINE__, bxs_idle(m, 1, after + 5000000000), 0);
		CHECK_EQ(__LINE__, bxs_access(m, 1, array, BXS_LOAD, 1), 0);
		CHECK_EQ(__LINE__, bxs_core_time(m, 1, &before), 0);
		/* It begins to wake then, out of C6, which takes the slowest of them 133 us. */
		CHECK(before > after + 5000000000 && before < after + 5134000000);
		bxs_machine_free(m);
	}
}

static void check_wrong(void)
{
	static const struct {
		int line;
		unsigned core;
		uint64_t address;
		int kind, want;
		const char *why;
	} rows[] = {
		{ __LINE__, 4, 0, BXS_LOAD, BXS_ENOENT, "no core 4, there are 0 to 3" },
		{ __LINE__, UINT32_MAX, 0, BXS_LOAD, BXS_ENOENT, "no core 4294967295, there are 0 to 3" },
		{ __LINE__, 3, UINT64_C(1) << 48, BXS_LOAD, BXS_EINVAL,
		  "address 0x1000000000000: addresses are below 0x1000000000000" },
		{ __LINE__, 3, UINT64_MAX, BXS_STORE, BXS_EINVAL,
		  "address 0xffffffffffffffff: addresses are below 0x1000000000000" },
		{ __LINE__, 3, 0, BXS_FLUSH + 1, BXS_EINVAL, "no kind of access 8, there are 0 to 7" },
		{ __LINE__, 3, 0, -1, BXS_EINVAL, "no kind of access -1, there are 0 to 7" },
		{ __LINE__, 3, (UINT64_C(1) << 48) - 1, BXS_LOAD, 0, "" },
		{ __LINE__, 0, 0, BXS_FETCH, 0, "" },
	};
	bxs_machine *m = machine_of("hsx,cores=2", 0), *bare = machine_of("hsx", BXS_BARE);
	uint64_t when = 7;

	for (unsigned i = 0; i < LEN(rows); i++) {
		CHECK_EQ(rows[i].line, bxs_access(m, rows[i].core, rows[i].address, (enum bxs_access_kind)rows[i].kind, 1),
			 rows[i].want);
		if (rows[i].want)
			CHECK_STR(rows[i].line, bxs_why(m), rows[i].why);
	}
	CHECK_EQ(__LINE__, bxs_prefetchers(m, false), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_idle(m, 4, 0), BXS_ENOENT);
	CHECK_EQ(__LINE__, bxs_core_time(m, 4, &when), BXS_ENOENT);
	CHECK_EQ(__LINE__, when, 7);
	CHECK_EQ(__LINE__, bxs_access(bare, 0, 0, BXS_LOAD, 1), BXS_ENOTSUP);
	CHECK_EQ(__LINE__, bxs_prefetchers(bare, true), BXS_ENOTSUP);
	bxs_machine_free(bare);
	bxs_machine_free(m);
}

/* Who drives the machine: the program, or something else, not both; and then the caches are empty again. */
static void check_drivers(void)
{
	bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
	bxs_session *own = NULL, *kernel = NULL;

	CHECK_EQ(__LINE__, bxs_prefetchers(m, false), 0);
	CHECK_EQ(__LINE__, go_over(m, 0, BXS_LOAD, LINES), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &kernel), 0);
	CHECK_EQ(__LINE__, bxs_session_add(kernel, "imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(kernel, "stream:size=64K"), 0);
	CHECK_EQ(__LINE__, bxs_session_own(kernel), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_start(kernel), 0);
	CHECK_EQ(__LINE__, bxs_access(m, 0, 0, BXS_LOAD, 1), BXS_ECONFLICT);
	CHECK_EQ(__LINE__, bxs_idle(m, 0, 0), BXS_ECONFLICT);
	CHECK_EQ(__LINE__, bxs_session_run(kernel, UINT64_MAX), 0);
	CHECK_EQ(__LINE__, bxs_access(m, 0, 0, BXS_LOAD, 1), BXS_ECONFLICT);
	bxs_session_free(kernel);

	/* The lines are in the cache slices still, no longer in L2: 1000 look-ups, all hit. */
	CHECK_EQ(__LINE__, bxs_session_new(m, &own), 0);
	CHECK_EQ(__LINE__, bxs_session_add(own, "cbo.LLC_LOOKUP.DATA_READ,imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_own(own), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(own, "stream:size=64K"), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_start(own), 0);
	CHECK_EQ(__LINE__, go_over(m, 0, BXS_LOAD, LINES), 0);
	CHECK_EQ(__LINE__, bxs_session_run(own, UINT64_MAX), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_session_stop(own), 0);
	CHECK_EQ(__LINE__, sum(own), LINES);
	bxs_session_free(own);
	bxs_machine_free(m);
}

/* Time passes while all sleep, of one core that has been awake as well. */
static void check_time(void)
{
	bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
	bxs_session *s = NULL;
	uint64_t when = 0, began;

	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "imc.CAS_COUNT.RD"), 0);
	CHECK_EQ(__LINE__, bxs_session_own(s), 0);
	CHECK_EQ(__LINE__, bxs_access(m, 0, array, BXS_LOAD, 4), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	began = bxs_time(m);
	CHECK_EQ(__LINE__, bxs_session_run(s, 5000000), 1);
	CHECK(bxs_session_ns(s) >= 5000000 && bxs_session_ns(s) < 5001000);
	CHECK_EQ(__LINE__, bxs_core_time(m, 0, &when), 0);
	CHECK(when >= began + UINT64_C(5000000000));
	bxs_session_free(s);
	bxs_machine_free(m);
}

struct turns {
	double most;
	unsigned scaled;
};

static int see_turns(void *ctx, const struct bxs_reading *r)
{
	struct turns *t = ctx;

	t->scaled += r->validity == BXS_SCALED;
	t->most = r->value > t->most ? r->value : t->most;
	return 0;
}

/* Two events want another value in one filter: they take turns, which the accesses themselves end. */
static void check_turns(void)
{
	enum { MANY = 400000 };
	bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
	bxs_session *s = NULL;
	struct turns seen = { 0 };

	CHECK_EQ(__LINE__, bxs_prefetchers(m, false), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_turns(s, true, 100000);
	CHECK_EQ(__LINE__, bxs_session_add(s, "cbo.TOR_INSERTS.OPCODE:opc=DRd,cbo.TOR_INSERTS.OPCODE:opc=RFO"), 0);
	CHECK_EQ(__LINE__, bxs_session_own(s), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, go_over(m, 0, BXS_LOAD, MANY), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	CHECK_EQ(__LINE__, bxs_session_each(s, BXS_BY_SUM, see_turns, &seen), 0);
	/* An even stream: turns of it scale to all of it. */
	CHECK_EQ(__LINE__, seen.scaled, 2);
	CHECK(seen.most > 0.95 * MANY && seen.most < 1.05 * MANY);
	bxs_session_free(s);
	bxs_machine_free(m);
}

/* What the program does is recorded like anything else: one DRD for each line, and a halt. */
static void check_recorded(const char *path)
{
	bxs_machine *m = machine_of("hsx,sockets=1,cores=2", 0);
	bxs_trace_reader *t = NULL;
	struct bxs_trace_record r;
	bxs_session *s = NULL;
	char why[200] = "";
	uint64_t reads = 0, halts = 0, others = 0, instructions = 0, misplaced = 0;

	CHECK_EQ(__LINE__, bxs_prefetchers(m, false), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	CHECK_EQ(__LINE__, bxs_session_record(s, path, "hsx,sockets=1,cores=2"), 0);
	CHECK_EQ(__LINE__, bxs_session_own(s), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	CHECK_EQ(__LINE__, go_over(m, 1, BXS_LOAD, LINES), 0);
	CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
	bxs_session_free(s);
	bxs_machine_free(m);

	CHECK_EQ(__LINE__, bxs_trace_open(path, &t, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_trace_cores(t), 2);
	CHECK_STR(__LINE__, bxs_trace_spec(t), "hsx,sockets=1,cores=2");
	while (bxs_trace_next(t, &r) == 1) {
		if (r.kind == BXS_TRACE_DRD)
			misplaced += r.line != array / LINE_BYTES + reads++ || r.core != 1;
		else if (r.kind == BXS_TRACE_HALT)
			halts++;
		else
			others++;
		instructions += r.instructions;
	}
	CHECK_STR(__LINE__, bxs_trace_why(t), "");
	CHECK_EQ(__LINE__, reads, LINES);
	CHECK_EQ(__LINE__, misplaced, 0);
	CHECK_EQ(__LINE__, halts, 1);
	CHECK_EQ(__LINE__, others, 0);
	CHECK_EQ(__LINE__, instructions, 4 * LINES);
	bxs_trace_close(t);
}

static void check_trace_wrong(const char *path)
{
	static const struct {
		int line;
		struct bxs_trace_record r;
		const char *why;
	} rows[] = {
		{ __LINE__, { .kind = BXS_TRACE_KINDS }, "no kind of record 24, there are 0 to 23" },
		{ __LINE__, { .kind = BXS_TRACE_DRD, .core = 4 }, "no core 4, there are 0 to 3" },
		{ __LINE__, { .kind = BXS_TRACE_DRD, .flags = 4 }, "flags 0x4, they are at most 3" },
		{ __LINE__, { .kind = BXS_TRACE_DRD, .space = 256 }, "address space 256, it is at most 255" },
		{ __LINE__, { .kind = BXS_TRACE_DRD, .line = UINT64_C(1) << 48 }, "line 0x1000000000000, lines are below 2^48" },
		{ __LINE__, { .kind = BXS_TRACE_SLEEP, .sleep = (UINT64_C(1) << 56) + 1 },
		  "a sleep of 72057594037927937 picoseconds, at most 72057594037927936 are possible" },
	};
	const struct bxs_trace_record full = {
		.kind = BXS_TRACE_RFO, .core = 3, .flags = 3, .space = 255, .line = (UINT64_C(1) << 48) - 1,
		.instructions = UINT32_MAX, .l2_hits = UINT16_MAX, .l1_misses = UINT16_MAX,
	}, sleep = { .kind = BXS_TRACE_SLEEP, .core = 2, .sleep = UINT64_C(1) << 56 };
	struct bxs_trace_record r = { .kind = 0 };
	bxs_trace_writer *w = NULL;
	bxs_trace_reader *t = NULL;
	char why[200] = "";

	CHECK_EQ(__LINE__, bxs_trace_create(path, "hsy", &w, why, sizeof why), BXS_ENOENT);
	CHECK(strstr(why, "hsy") != NULL);
	CHECK_EQ(__LINE__, bxs_trace_create("/nowhere/t.bxt", "hsx", &w, why, sizeof why), BXS_EIO);
	CHECK_STR(__LINE__, why, "/nowhere/t.bxt: cannot be written: No such file or directory");
	CHECK_EQ(__LINE__, bxs_trace_create(path, "hsx,sockets=2,cores=2", &w, why, sizeof why), 0);
	for (unsigned i = 0; i < LEN(rows); i++) {
		CHECK_EQ(rows[i].line, bxs_trace_write(w, &rows[i].r), BXS_EINVAL);
		CHECK_STR(rows[i].line, bxs_trace_write_why(w), rows[i].why);
	}
	CHECK_EQ(__LINE__, bxs_trace_write(w, &full), 0);
	CHECK_EQ(__LINE__, bxs_trace_write(w, &sleep), 0);
	CHECK_EQ(__LINE__, bxs_trace_finish(w), 0);

	/* What was refused is not in it, the rest comes back whole. */
	CHECK_EQ(__LINE__, bxs_trace_open(path, &t, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_trace_next(t, &r), 1);
	CHECK_EQ(__LINE__, r.kind == full.kind && r.core == full.core && r.flags == full.flags && r.space == full.space, 1);
	CHECK_EQ(__LINE__, r.line == full.line && r.instructions == full.instructions && r.l2_hits == full.l2_hits &&
		 r.l1_misses == full.l1_misses && r.sleep == 0, 1);
	CHECK_EQ(__LINE__, bxs_trace_next(t, &r), 1);
	CHECK_EQ(__LINE__, r.kind == BXS_TRACE_SLEEP && r.core == 2 && r.sleep == sleep.sleep && r.line == 0, 1);
	CHECK_EQ(__LINE__, bxs_trace_next(t, &r), 0);
	bxs_trace_close(t);

	CHECK_EQ(__LINE__, truncate(path, 30), 0);
	CHECK_EQ(__LINE__, bxs_trace_open(path, &t, why, sizeof why), BXS_EINVAL);
	CHECK_EQ(__LINE__, bxs_trace_open("/nowhere/t.bxt", &t, why, sizeof why), BXS_ENOENT);
	bxs_trace_close(NULL);
}

int main(void)
{
	char path[] = "/tmp/boxscore-own-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	check_kinds();
	check_instructions();
	check_families();
	check_wrong();
	check_drivers();
	check_time();
	check_turns();
	check_recorded(path);
	check_trace_wrong(path);
	unlink(path);
	return check_done();
}
