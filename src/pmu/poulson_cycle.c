/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500: what a run of cycles had for a reason.  A cycle has one of each kind: one for being lost, or
 * for not being; one for where its issue group ends.
 */
#include <stdio.h>

#include "pmu/poulson_core.h"

enum {
	EV_NO_BUBBLE = 0x023, EV_RSE_STALL = 0x026, EV_MT1_HIGH = 0x041, EV_MT1_LOW = 0x049, EV_DET_MT1 = 0x054,
	EV_WB2_MT1 = 0x063, EV_STOP = 0x06a, EV_STOP_LAST = 0x079, EV_LOST = 0x07a,
	EV_FET_REPLAY = 0x8ab, EV_FET_MT1 = 0x8b1, EV_FET_STALL = 0x8b2, EV_STALL_MT1 = 0x8b6,
};

/*
 * 3.2.1.4: a lost cycle belongs to what is latest in the pipeline: exceptions, WB2 replays, mispredicted branches, DET
 * replays, EXE replays, issue stalls.  A replay empties the stages up to its own.
 */
static const struct stage {
	uint16_t first, last;
	uint16_t any;		/* counts with all of them; 0: none */
	uint8_t cycles;		/* of a replay */
} stages[] = {
	{ EV_FLUSH_XPN, EV_FLUSH_XPN, EV_WB2_FLUSH, 7 },
	{ EV_WB2_REPLAY, EV_WB2_FLUSH - 1, EV_WB2_REPLAY, 7 },
	{ EV_WB2_FLUSH, EV_FLUSH_BRU, EV_WB2_FLUSH, 7 },
	{ EV_DET_REPLAY, EV_WB2_REPLAY - 1, EV_DET_REPLAY, 5 },
	{ EV_EXE_REPLAY, EV_DET_REPLAY - 1, EV_EXE_REPLAY, 4 },
	{ EV_IBD_STALL, EV_EXE_REPLAY - 1, EV_IBD_STALL, 1 },
	{ EV_NO_BUBBLE, EV_NO_BUBBLE, 0, 1 },
};

/* 4.2.4.3, 4.2.4.2, 4.2.4.7, 4.2.5: two reasons of these are "more than one", and no longer themselves. */
static const struct {
	uint16_t first, last, many;
} sets[] = {
	{ EV_EXE_REPLAY + 1, EV_MT1_HIGH - 1, EV_MT1_HIGH }, { 0x045, EV_MT1_LOW - 1, EV_MT1_LOW },
	{ EV_DET_REPLAY + 1, EV_DET_MT1 - 1, EV_DET_MT1 }, { EV_WB2_REPLAY + 1, EV_WB2_FLUSH - 1, EV_WB2_MT1 },
	{ EV_FET_REPLAY + 1, EV_FET_MT1 - 1, EV_FET_MT1 }, { EV_FET_STALL + 1, EV_STALL_MT1 - 1, EV_STALL_MT1 },
};

/*
 * 4.2.2.3: what the compiler can see before what comes from outside; the manual gives no order within these.
 * Nothing was issued; explicit stop; 9PLUS3, OVRSUB, ASYM, STRUCT, BUNDLE; replay, FLD demand, power.
 */
static const uint8_t stops[] = {
	0x6a, 0x6c, 0x79, 0x75, 0x76, 0x74, 0x73, 0x6f, 0x70, 0x77, 0x78, 0x6b, 0x71, 0x72, 0x6d, 0x6e,
};

/* IBL_ISSUE_LOST_BW of each reason from EV_STOP on; 0: nothing is lost by it. */
static const uint8_t lost[] = {
	0, 0, 0, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0x84, 0x83, 0x81, 0x82, 0x85, 0, 0x86,
};

/* 4.2.4.4: of several issue stalls the first of these: THRSW to REL, RSE, MTOM, FTOF, DEBUG, QFULL, FEBUB, FLD_DMND, WB2_TRAP. */
static const uint8_t stalls[] = {
	0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x32, 0x27, 0x28, 0x29, 0x2a, 0x26, 0x33, 0x34, 0x39,
	0x37, 0x38, 0x35, 0x36, EV_IBD_STALL,
};

static const struct stage *stage_of(uint32_t code)
{
	for (const struct stage *s = stages; s < stages + LEN(stages); s++)
		if (code >= s->first && code <= s->last)
			return s;
	return NULL;
}

/* The place of a code that the list has. */
static unsigned place(const uint8_t *list, uint32_t code)
{
	unsigned i = 0;

	while (list[i] != code)
		i++;
	return i;
}

/* What a line says of its cycles. */
struct reasons {
	const struct stage *stage;	/* NULL: nothing of the pipeline */
	uint32_t code, stop;		/* 0: none */
};

/* Does it go before what was found so far?  Within a stage issue stalls have an order, others that of their codes. */
static bool earlier(const struct stage *s, uint32_t code, const struct reasons *r)
{
	if (!r->stage || s != r->stage)
		return !r->stage || s < r->stage;
	if (s->first == EV_IBD_STALL)
		return place(stalls, code) < place(stalls, r->code);
	return r->code == s->any || (code < r->code && code != s->any);
}

static bool is_stop(uint32_t code)
{
	return code >= EV_STOP && code <= EV_STOP_LAST;
}

static struct reasons find(const struct door *d)
{
	struct reasons r = { .stage = NULL };

	for (unsigned i = 0; i < d->events; i++) {
		uint32_t code = d->event[i];
		const struct stage *s = stage_of(code);

		if (is_stop(code) && (!r.stop || place(stops, code) < place(stops, r.stop)))
			r.stop = code;
		if (s && earlier(s, code, &r)) {
			r.stage = s;
			r.code = code;
		}
	}
	/* While issue stalls nothing is issued. */
	if (r.stop && r.stage && r.stage->first == EV_IBD_STALL)
		r.stop = EV_STOP;
	return r;
}

/* The code, or "more than one" if the line has another of its set. */
static uint32_t alone(const struct door *d, uint32_t code)
{
	for (size_t s = 0; s < LEN(sets); s++)
		for (unsigned i = 0; i < d->events && code >= sets[s].first && code <= sets[s].last; i++)
			if (d->event[i] != code && d->event[i] >= sets[s].first &&
			    d->event[i] <= sets[s].last)
				return sets[s].many;
	return code;
}

/* The front end's reasons: each once, or "more than one". */
static bool is_front(uint32_t code)
{
	return code > EV_FET_REPLAY && code <= EV_STALL_MT1 && code != EV_FET_STALL;
}

/* Runs of one kind do not overlap: the end of the last one, and its new end. */
static bool claim(struct core_thread *t, uint64_t *until, bool wanted, uint64_t n)
{
	uint64_t clock = core_clock(t);

	if (!wanted)
		return true;
	if (clock < *until)
		return false;
	*until = clock + n;
	return true;
}

static void pipeline(struct core_thread *t, const struct door *d, const struct reasons *r, uint64_t n)
{
	uint32_t code = alone(d, r->code);

	if (r->stage->any) {
		core_count_span(t, EV_BE_BUBBLE, 1, n, NULL);
		core_count_span(t, r->stage->any, 1, n, NULL);
	}
	if (code >= EV_RSE_STALL + 1 && code <= EV_RSE_STALL + 4)
		core_count_span(t, EV_RSE_STALL, 1, n, NULL);
	if (code != r->stage->any)
		core_count_span(t, code, 1, n, NULL);
}

static void issue(struct core_thread *t, const struct door *d, const struct reasons *r, uint64_t n,
		  const struct core_tags *tags)
{
	uint64_t slots = d->v[DOOR_LOST_];

	core_count_span(t, r->stop, 1, n, tags);
	if (!lost[r->stop - EV_STOP])
		return;
	core_count_span(t, EV_LOST, slots, n, tags);
	core_count_span(t, lost[r->stop - EV_STOP], slots, n, tags);
}

int core_account(struct core_thread *t, const struct door *d, const struct core_tags *tags, char *why,
		size_t size)
{
	struct reasons r = find(d);
	uint64_t n = d->v[DOOR_N_];

	if (!door_has(d, DOOR_IP_))
		tags = NULL;
	if (door_has(d, DOOR_REPLAYS_) && (!r.stage || r.stage->cycles == 1)) {
		snprintf(why, size, "replays= counts replays and flushes, of 4 cycles in EXE, 5 in DET, 7 in WB2");
		return BXS_EINVAL;
	}
	if (door_has(d, DOOR_REPLAYS_))
		n = d->v[DOOR_REPLAYS_] * r.stage->cycles;
	if (core_clock(t) < t->reasons_until && r.stage) {
		snprintf(why, size, "the thread's next %llu cycles have their reason already",
			 (unsigned long long)(t->reasons_until - core_clock(t)));
		return BXS_EINVAL;
	}
	if (!claim(t, &t->stops_until, r.stop != 0, n)) {
		snprintf(why, size, "the thread's next %llu cycles have their issue stop already",
			 (unsigned long long)(t->stops_until - core_clock(t)));
		return BXS_EINVAL;
	}
	claim(t, &t->reasons_until, r.stage != NULL, n);
	if (r.stage)
		pipeline(t, d, &r, n);
	if (r.stop)
		issue(t, d, &r, n, tags);
	for (unsigned i = 0; i < d->events; i++) {
		uint32_t code = d->event[i];

		if (is_front(code)) {
			uint32_t many = alone(d, code);
			bool first = true;

			for (unsigned k = 0; k < i; k++)
				first &= alone(d, d->event[k]) != many;
			if (first)
				core_count_span(t, many, 1, n, tags);
		} else if (!stage_of(code) && !is_stop(code)) {
			core_count_span(t, code, 1, n, tags);
		}
	}
	return 0;
}
