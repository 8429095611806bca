/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second opinion on shared lines: by hand, a record at a time; then of a program, which loses all that the machine asks of its
 * caches, as it did when that came too late.  Arguments: the program share.
 */
#include <stdlib.h>

#include "check.h"
#include "feed/run.h"
#include "feed/witness.h"
#include "machine/machine.h"
#include "make_machine.h"

enum { TOGETHER = 4, STEPS = 6, WHICH = 0x1234 };

/* Threads by their letters run on cores 0, 1 (a), ... of one socket, and on 4, 5, ... (A, B) of another. */
struct step {
	char who;			/* '!': the last-level cache drives the line out of `of`'s core */
	uint8_t kind;
	char of;
};

static const struct row {
	int line;
	struct step step[STEPS];
	unsigned requests, forwards;
	char looks;			/* whose turn begins then, */
	unsigned lost;			/* ... what it has to look for, */
	enum leave_snoop_kind kind;	/* ... and why */
} rows[] = {
	/* A line that is read by one, then written by another. */
	{ LINE, { { 'a', LEAVE_DRD, 0 }, { 'b', LEAVE_RFO, 0 } }, 2, 0, 'a', 1, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 'a', LEAVE_DRD, 0 }, { 'b', LEAVE_RFO, 0 } }, 2, 0, 'b', 0, LEAVE_SNOOP_INVALIDATE },
	/* ... and asked for again before the turn. */
	{ LINE, { { 'a', LEAVE_DRD, 0 }, { 'b', LEAVE_RFO, 0 }, { 'a', LEAVE_DRD, 0 } }, 3, 1, 'a', 0, 0 },
	/* Written, then read by another one: it is forwarded, and the first one shares it from then on. */
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_DRD, 0 } }, 2, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_DRD, 0 }, { 'c', LEAVE_DRD, 0 } }, 3, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_DRD, 0 }, { 'a', LEAVE_RFO, 0 } }, 3, 1, 'a', 0, 0 },
	/* Read exclusive, then written: nothing leaves for it, unless others have read it meanwhile. */
	{ LINE, { { 'a', LEAVE_DRD, 0 }, { 'a', LEAVE_DIRTY, 0 }, { 'A', LEAVE_DRD, 0 } }, 2, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	{ LINE, { { 'a', LEAVE_DRD, 0 }, { 'b', LEAVE_DRD, 0 }, { 'a', LEAVE_DIRTY, 0 } }, 3, 0, 'b', 1, LEAVE_SNOOP_INVALIDATE },
	/* Written back, or driven out: no core has it modified. */
	{ LINE, { { 'a', LEAVE_ITOM, 0 }, { 'a', LEAVE_WB_M, 0 }, { 'b', LEAVE_DRD, 0 } }, 2, 0, 'a', 0, 0 },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { '!', 0, 'a' }, { 'b', LEAVE_DRD, 0 } }, 2, 0, 'a', 0, 0 },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { '!', 0, 'b' }, { 'b', LEAVE_DRD, 0 } }, 2, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	/* A prefetch to own it is no write; one for the last-level cache asks a core of another socket only. */
	{ LINE, { { 'a', LEAVE_PF_RFO, 0 }, { 'b', LEAVE_DRD, 0 } }, 2, 0, 'a', 1, LEAVE_SNOOP_SHARE },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_PF_LLC_DRD, 0 }, { 'b', LEAVE_DRD, 0 } }, 3, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'A', LEAVE_PF_LLC_DRD, 0 }, { 'A', LEAVE_DRD, 0 } }, 3, 1, 'a', 1, LEAVE_SNOOP_SHARE },
	/* Stores past the caches and flushes leave it to nobody, and are not for data. */
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_WCILF, 0 }, { 'b', LEAVE_DRD, 0 } }, 2, 0, 'a', 1, LEAVE_SNOOP_INVALIDATE },
	{ LINE, { { 'a', LEAVE_RFO, 0 }, { 'b', LEAVE_CLFLUSH, 0 }, { 'b', LEAVE_DRD, 0 } }, 3, 0, 'a', 1, LEAVE_SNOOP_INVALIDATE },
	/* What is about no line. */
	{ LINE, { { 'a', LEAVE_TICK, 0 }, { 'b', LEAVE_HALT, 0 }, { 'a', LEAVE_WAKE, 0 } }, 0, 0, 'a', 0, 0 },
};

static unsigned ring_of(char who)
{
	return who >= 'a' ? (unsigned)(who - 'a') : TOGETHER + (unsigned)(who - 'A');
}

static void do_step(struct witness *w, const struct step *s)
{
	struct leave_record rec = { .line = WHICH, .space = 7, .kind = s->kind & 63 };
	struct leave_snoop evict = { .line = WHICH, .space = 7, .kind = LEAVE_SNOOP_EVICT };

	if (s->who == '!')
		witness_evicted(w, ring_of(s->of), &evict);
	else
		witness_record(w, ring_of(s->who), ring_of(s->who), &rec);
}

static void test_row(const struct row *row)
{
	struct witness *w = witness_new(TOGETHER);
	struct leave_snoop lost[STEPS];
	unsigned n;

	for (unsigned i = 0; i < STEPS && row->step[i].who; i++)
		do_step(w, row->step + i);
	CHECK_EQ(row->line, witness_totals(w).requests, row->requests);
	CHECK_EQ(row->line, witness_totals(w).forwards, row->forwards);
	n = witness_lost(w, ring_of(row->looks), lost, STEPS);
	CHECK_EQ(row->line, n, row->lost);
	CHECK_EQ(row->line, witness_totals(w).lost, row->lost);
	if (n) {
		CHECK_EQ(row->line, lost[0].kind, row->kind);
		CHECK_EQ(row->line, lost[0].line, WHICH);
		CHECK_EQ(row->line, lost[0].space, 7);
	}
	/* They are told once. */
	CHECK_EQ(row->line, witness_lost(w, ring_of(row->looks), lost, STEPS), 0);
	witness_free(w);
}

/* Many lines, more than the table has room for at first: no line takes another one's place. */
static void test_many(void)
{
	enum { MANY = 100000, AT_ONCE = 512 };
	struct witness *w = witness_new(TOGETHER);
	static struct leave_snoop lost[AT_ONCE];
	unsigned found = 0, n;

	for (unsigned i = 0; i < MANY; i++)
		witness_record(w, 0, 0, &(struct leave_record){ .line = i, .kind = LEAVE_RFO });
	for (unsigned i = 0; i < MANY; i += 2)
		witness_record(w, 1, 1, &(struct leave_record){ .line = i, .kind = LEAVE_RFO });
	while ((n = witness_lost(w, 0, lost, AT_ONCE)) > 0) {
		for (unsigned i = 0; i < n; i++)
			CHECK(lost[i].line % 2 == 0 && lost[i].line < MANY);
		found += n;
	}
	CHECK_EQ(__LINE__, found, MANY / 2);
	CHECK_EQ(__LINE__, witness_totals(w).forwards, MANY / 2);
	CHECK(!witness_totals(w).blind);
	/* A thread that comes in its place has none of it. */
	witness_record(w, 1, 1, &(struct leave_record){ .line = 1, .kind = LEAVE_RFO });
	witness_forget(w, 0);
	CHECK_EQ(__LINE__, witness_lost(w, 0, lost, AT_ONCE), 0);
	witness_record(w, WITNESS_THREADS, 1, &(struct leave_record){ .line = 1, .kind = LEAVE_RFO });
	CHECK(witness_totals(w).blind);
	witness_free(w);
}

/* Two threads hand a token over 400 times, on two sockets.  drops: their caches hear of nothing. */
static struct witness_totals run_token(char *program, bool drops)
{
	char *argv[] = { program, (char *)(uintptr_t)"token", (char *)(uintptr_t)"2", (char *)(uintptr_t)"200", NULL };
	struct run_config cfg = { .argv = argv, .witness = true };
	struct machine *m = make_machine("hsx");
	struct witness_totals t = { 0 };
	struct feed *f = NULL;
	char why[5000];

	CHECK_EQ(__LINE__, run_open(m, &cfg, &f, why, sizeof why), 0);
	machine_snoops_drop(m, drops);
	CHECK_EQ(__LINE__, feed_run(f, UINT64_MAX), FEED_ENDED);
	CHECK_EQ(__LINE__, run_status(f), 0);
	CHECK(run_witness(f, &t));
	if (!drops)
		CHECK_EQ(__LINE__, machine_forwards(m), t.forwards);
	feed_close(f);
	machine_free(m);
	return t;
}

static void test_program(char *program)
{
	struct witness_totals t = run_token(program, false);

	CHECK(t.forwards >= 400 && t.lost >= 800);
	CHECK_EQ(__LINE__, t.kept, 0);
#ifndef BXS_CHECKED
	/* They read and write copies of their own.  A checked build ends the program for that. */
	t = run_token(program, true);
	CHECK(t.forwards < 100 && t.kept > 0);
#endif
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < LEN(rows); i++)
		test_row(rows + i);
	test_many();
	if (argc > 1)
		test_program(argv[1]);
	return check_done();
}
