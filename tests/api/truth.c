/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings beside the truth: what was counted all the time is the truth, event by event, for all
 * events of hsx that the machine drives; what took turns is not, and the truth is what the program
 * is known to have done.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "check.h"

enum { NAMES_MOST = 2048, TYPES_MOST = 16 };

/* All events and subevents by box type. */
struct type {
	char name[16];
	unsigned count, next;
	char *event[NAMES_MOST];
};

static struct type types[TYPES_MOST];
static unsigned types_count;

static struct type *type_named(const char *name)
{
	for (unsigned i = 0; i < types_count; i++)
		if (strcmp(types[i].name, name) == 0)
			return types + i;
	snprintf(types[types_count].name, sizeof types[0].name, "%s", name);
	return types + types_count++;
}

static void note(const char *box, const char *event, const char *sub)
{
	struct type *t = type_named(box);

	CHECK(t->count < NAMES_MOST);
	CHECK(asprintf(&t->event[t->count++], "%s.%s%s%s", box, event, sub ? "." : "", sub ? sub : "") > 0);
}

static int note_subevent(void *ctx, const struct bxs_subevent *s)
{
	const struct bxs_event *e = ctx;

	if (strcmp(s->box, e->box) == 0 && strcmp(s->event, e->name) == 0)
		note(s->box, s->event, s->name);
	return 0;
}

static int note_event(void *ctx, const struct bxs_event *e)
{
	struct type *t = type_named(e->box);
	unsigned before = t->count;

	(void)ctx;
	if (!e->live)
		return 0;
	bxs_each_subevent("hsx", note_subevent, (void *)e);
	if (t->count == before)
		note(e->box, e->name, NULL);
	return 0;
}

struct tally {
	unsigned exact, busy;
};

/* Measuring reads and writes registers, and that event counts these very accesses. */
static bool counts_measuring(const char *name)
{
	return strcmp(name, "ubox.RACU_REQUESTS") == 0;
}

static int check_reading(void *ctx, const struct bxs_reading *r)
{
	struct tally *t = ctx;

	if (r->validity != BXS_EXACT || counts_measuring(r->name))
		return 0;
	t->exact++;
	t->busy += r->value != 0;
	if (r->has_truth && r->value == r->truth)
		return 0;
	printf("%s: reads %.0f, the truth is %.0f\n", r->name, r->value, r->truth);
	check_failures++;
	return 0;
}

/* The next event of each box type, all in one session: each takes one counter. */
static bool add_next(bxs_session *s)
{
	bool any = false;

	for (unsigned i = 0; i < types_count; i++) {
		struct type *t = types + i;
		char name[200];

		if (t->next == t->count)
			continue;
		any = true;
		snprintf(name, sizeof name, "%s", t->event[t->next++]);
		if (bxs_session_add(s, name) == 0)
			continue;
		/* Some match an opcode, which has to be given; some watch another event. */
		snprintf(name, sizeof name, "%s:opc=0x182", t->event[t->next - 1]);
		if (bxs_session_add(s, name) < 0) {
			snprintf(name, sizeof name, "%s.TOR_OCCUPANCY.ALL,%s:thresh=1,edge", t->name,
				 t->event[t->next - 1]);
			bxs_session_add(s, name);
		}
	}
	return any;
}

static void check_all_events(void)
{
	struct tally tally = { 0 };
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[200];
	bool any = true;

	CHECK_EQ(__LINE__, bxs_each_event("hsx", note_event, NULL), 0);
	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=4", 0, &m, why, sizeof why), 0);
	while (any) {
		CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
		bxs_session_truth(s, true);
		any = add_next(s);
		CHECK_EQ(__LINE__, bxs_session_kernel(s, "random:size=1M,count=300,threads=4,step=2,writes=30"), 0);
		CHECK_EQ(__LINE__, any ? bxs_session_start(s) : 0, 0);
		if (any) {
			CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
			CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
			bxs_session_each(s, BXS_BY_BOX, check_reading, &tally);
		}
		bxs_session_free(s);
	}
	/* Several hundred subevents, each on all boxes of its type; a good part of them at work. */
	CHECK(tally.exact > 5000);
	CHECK(tally.busy > 1000);
	bxs_machine_free(m);
	for (unsigned i = 0; i < types_count; i++)
		for (unsigned k = 0; k < types[i].count; k++)
			free(types[i].event[k]);
}

/* Three arrays of 1 MB, each line read once. */
#define KERNEL "stream:size=1M"
#define LINES 49152

struct found {
	double truth, sum;
	unsigned scaled, known;
};

static int find_reads(void *ctx, const struct bxs_reading *r)
{
	struct found *f = ctx;

	f->scaled += r->validity == BXS_SCALED;
	f->known += r->has_truth;
	if (strcmp(r->name, "imc.CAS_COUNT.RD") == 0)
		f->truth = r->truth;
	if (strcmp(r->name, "bytes") == 0)
		f->sum += r->truth;
	return 0;
}

/* The truth does not take turns; metrics have one; intervals have their own, and these add up. */
static void check_turns(void)
{
	struct found f = { .truth = 0 };
	double bytes = 0;
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[200];
	int more;

	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=2", 0, &m, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, "imc.CAS_COUNT.*,imc.PRE_COUNT.*,imc.ACT_COUNT.*"), 0);
	CHECK_EQ(__LINE__, bxs_session_add_metrics(s, "bytes=imc.CAS_COUNT.RD*64"), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, KERNEL), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	for (uint64_t at = 20000;; at += 20000) {
		more = bxs_session_run(s, at);
		CHECK_EQ(__LINE__, more ? bxs_session_read(s) : bxs_session_stop(s), 0);
		f.sum = 0;
		bxs_session_each(s, BXS_BY_SUM, find_reads, &f);
		bytes += f.sum;
		if (!more)
			break;
		bxs_session_next(s);
	}
	CHECK_EQ(__LINE__, bytes, LINES * 64);
	CHECK(f.scaled > 0);
	CHECK(f.known > f.scaled);
	bxs_session_free(s);
	bxs_machine_free(m);
}

static int none_known(void *ctx, const struct bxs_reading *r)
{
	(void)ctx;
	CHECK_EQ(__LINE__, r->has_truth, false);
	CHECK_EQ(__LINE__, r->truth, 0);
	return 0;
}

/* Nothing is known of what nothing drives, of boxes that are not there, and if nobody asked. */
static void check_unknown(void)
{
	static const struct {
		bool truth;
		const char *events;
	} rows[] = { { true, "imc.MAJOR_MODES.ISOCH,qpi2.CLOCKTICKS" }, { false, "imc.CAS_COUNT.RD" } };

	for (unsigned i = 0; i < LEN(rows); i++) {
		bxs_machine *m = NULL;
		bxs_session *s = NULL;
		char why[200];

		CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=2", 0, &m, why, sizeof why), 0);
		CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
		bxs_session_truth(s, rows[i].truth);
		CHECK_EQ(__LINE__, bxs_session_add(s, rows[i].events), 0);
		CHECK_EQ(__LINE__, bxs_session_kernel(s, "idle:time=1000"), 0);
		CHECK_EQ(__LINE__, bxs_session_start(s), 0);
		CHECK_EQ(__LINE__, bxs_session_run(s, UINT64_MAX), 0);
		CHECK_EQ(__LINE__, bxs_session_stop(s), 0);
		bxs_session_each(s, BXS_BY_SUM, none_known, NULL);
		bxs_session_free(s);
		bxs_machine_free(m);
	}
}

int main(void)
{
	check_all_events();
	check_turns();
	check_unknown();
	return check_done();
}
