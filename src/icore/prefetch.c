/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data prefetch queue (2.3.4.1): eight entries, first in first out.  Its head goes into a memory pipe in a cycle in which no
 * instruction takes it; one of software that has waited too long takes the pipe from them, one of hardware is dropped.
 *
 * The families of events (enqueued, pushed out, issued, refused) have the same order of kinds, enum prefetch_kind.
 */
#include "icore/private.h"

static bool of_software(const struct prefetch *p)
{
	return p->kind <= PREFETCH_BSPSTORE && hint_drop(p->hints) != DROP_ANY;
}

/* ANY, the kind's group, and the kind. */
static void family(struct icore *c, unsigned any, const struct prefetch *p)
{
	tell_free(c, any, 1);
	if (p->kind <= PREFETCH_BSPSTORE)
		tell_free(c, any + 1, 1);
	else if (p->kind <= PREFETCH_RSE_STORE)
		tell_free(c, any + 5, 1);
	else if (p->kind <= PREFETCH_BIDI)
		tell_free(c, any + 8, 1);
	tell_free(c, any + p->kind, 1);
}

static struct prefetch *head(struct icore *c)
{
	return &c->dpfq.entry[c->dpfq.first];
}

static void leave(struct icore *c)
{
	c->dpfq.first = (c->dpfq.first + 1) % PREFETCHES;
	c->dpfq.n--;
	c->dpfq.preempts = false;
}

/* The last of a full queue pushes out the oldest. */
static void enqueue(struct icore *c, const struct prefetch *p)
{
	bool full = c->dpfq.n == PREFETCHES;

	if (full)
		leave(c);
	family(c, full ? POULSON_CORE_DPFQ_ENQ_OVERFLOW_ANY : POULSON_CORE_DPFQ_ENQ_ANY, p);
	c->dpfq.entry[(c->dpfq.first + c->dpfq.n++) % PREFETCHES] = *p;
}

void icore_prefetch_target(struct icore *c, const struct prefetch *p, unsigned why)
{
	struct prefetch target = *p;

	if (!target.kind)
		target.kind = PREFETCH_TARGET;
	tell_free(c, POULSON_CORE_FLD_HWPREF_INS_ANY, 1);
	tell_free(c, why, 1);
	enqueue(c, &target);
}

void icore_prefetch_neighbours(struct icore *c, const struct access *a, enum prefetch_kind kind)
{
	int64_t step = kind == PREFETCH_BWD ? -64 : 64;
	struct prefetch p = { .address = (a->address & ~UINT64_C(63)) + (uint64_t)step, .kind = (uint8_t)kind, .fill = true,
			      .left = kind == PREFETCH_BIDI ? 2 : 1, .stride = -128,
			      .hints = (uint16_t)(DROP_TLB << DROP_SHIFT) };

	if (hint_prefetch(a->hints) >= NO_FLD_MULTI) {
		tell(c, POULSON_CORE_FLD_HINT_NO_MULTI_HWPREF, 1);
		return;
	}
	icore_prefetch_target(c, &p, POULSON_CORE_FLD_HWPREF_INS_NEIGHBOR);
}

/* Software fills the queue, and its head waits: the pipeline replays until that is over (2.3.4.1.5). */
static void push_back(struct icore *c)
{
	unsigned software = 0;

	for (unsigned i = 0; i < c->dpfq.n; i++)
		software += of_software(&c->dpfq.entry[(c->dpfq.first + i) % PREFETCHES]);
	if (software < PREFETCHES - 1)
		return;
	if (!of_software(head(c))) {
		tell_free(c, POULSON_CORE_DPFQ_DEQ_PREEMPT_TIMEOUT, 1);
		leave(c);
		return;
	}
	while (c->dpfq.n == PREFETCHES && head(c)->ready > c->cycle) {
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_DAHR_HZRD, REPLAY_WB2);
	}
}

void icore_prefetch(struct icore *c, const struct prefetch *p)
{
	if (of_software(p) && c->dpfq.n >= PREFETCHES - 1)
		push_back(c);
	enqueue(c, p);
}

/* It is to come again when what it lacks is there. */
static void later(struct icore *c, const struct prefetch *p, const struct access *a, uint64_t ready, unsigned why, unsigned lfetch)
{
	struct prefetch again = *p;

	again.address = a->address;
	again.ready = ready;
	again.left = 1;
	again.kind = PREFETCH_TARGET;
	again.rejects = 0;
	icore_prefetch_target(c, &again, p->lfetch ? lfetch : why);
}

/* Its page is in none of the data TLBs: 2.2.5.2.2. */
static void miss_dtb(struct icore *c, const struct prefetch *p, const struct access *a)
{
	struct prefetch walked = *p;
	uint64_t page = a->address >> PAGE_LOG;

	if (hint_drop(a->hints) || a->type == HW_PREF || !memory_page(c->program, a->address, 0)) {
		tell_free(c, POULSON_CORE_PREF_DROP_DTLB_MISS, 1);
		return;
	}
	walked.walked = true;
	later(c, &walked, a, icore_walk(c, page), POULSON_CORE_FLD_HWPREF_INS_DTLB_MISS_LFETCH,
	      POULSON_CORE_FLD_HWPREF_INS_DTLB_MISS_LFETCH);
}

/* The FLDTLB has not: the MLD has its turn, the line comes to the FLD when the translation is there. */
static bool miss_fldtlb(struct icore *c, const struct prefetch *p, struct access *a)
{
	if (p->walked)
		icore_dtb_put(c, a->address >> PAGE_LOG);
	if (hint_drop(a->hints) == DROP_ANY) {
		tell_free(c, POULSON_CORE_PREF_DROP_FLDTLB_MISS, 1);
		return false;
	}
	icore_translate(c, a);
	if (c->now.tlb == 3) {
		miss_dtb(c, p, a);
		return false;
	}
	if (p->fill && !p->again && hint_fld(a->hints) != HINT_NO_ALLOCATE) {
		struct prefetch again = *p;

		again.again = true;
		again.hints = (uint16_t)((again.hints & ~(3u << DROP_SHIFT)) | DROP_TLB_MLD << DROP_SHIFT);
		later(c, &again, a, c->transfer_until, POULSON_CORE_FLD_HWPREF_INS_FLDTLB_MISS,
		      POULSON_CORE_FLD_HWPREF_INS_FLDTLB_MISS_LFETCH);
	}
	return true;
}

static enum mark mark_of(const struct prefetch *p)
{
	if (p->kind == PREFETCH_BIDI)
		return p->left == 1 ? MARK_BWD : MARK_FWD;
	return p->kind == PREFETCH_FWD ? MARK_FWD : p->kind == PREFETCH_BWD ? MARK_BWD : MARK_NONE;
}

/* One line of a prefetch in a memory pipe. */
static void go(struct icore *c, const struct prefetch *p, struct access *a)
{
	bool fill = p->fill && icore_translated(c, a->address);
	struct line *line = icore_fld(c, a->address);
	uint64_t there, room;

	if (line && fill) {
		tell(c, POULSON_CORE_PREF_DROP_FLD_HIT, 1);
		icore_fld_use(c, line, a);
		return;
	}
	if (!icore_translated(c, a->address) && !miss_fldtlb(c, p, a))
		return;
	if (fill && hint_fld(a->hints) != HINT_NO_ALLOCATE && !icore_fld_room(c, a->address)) {
		if (hint_drop(a->hints) >= DROP_TLB_MLD) {
			tell(c, POULSON_CORE_PREF_DROP_FLD_SECONDARY_MISS, 1);
			return;
		}
		fill = false;
	}
	room = icore_queue_room(&c->ozq, c->cycle);
	if (room > c->cycle) {
		later(c, p, a, room, POULSON_CORE_FLD_HWPREF_INS_OZQ_FULL, POULSON_CORE_FLD_HWPREF_INS_OZQ_FULL_LFETCH);
		return;
	}
	there = icore_issue(c, a);
	if (there != DROPPED && fill)
		icore_fld_fill(c, a, there + LAT_MLD,
			       a->type == LFETCH ? POULSON_CORE_FLD_FILL_REQ_LFETCH : POULSON_CORE_FLD_FILL_REQ_HW_PREF, mark_of(p));
}

void icore_prefetch_now(struct icore *c, const struct access *a)
{
	struct prefetch p = { .address = a->address, .hints = (uint16_t)a->hints, .left = 1, .lfetch = true, .fill = true,
			      .exclusive = a->exclusive };
	struct access copy = *a;

	go(c, &p, &copy);
}

/* The head, or its next line, goes into a memory pipe; nothing of it is the instruction's at hand. */
static void issue(struct icore *c, unsigned any)
{
	struct icore_instruction now = c->now;
	struct prefetch p = *head(c);
	struct access a = { .address = p.address, .size = 8, .hints = p.hints, .prefetch = true, .exclusive = p.exclusive,
			    .type = p.kind <= PREFETCH_COUNT ? LFETCH : HW_PREF };

	family(c, any, &p);
	if (p.left > 1) {
		head(c)->left--;
		head(c)->address += (uint64_t)p.stride;
		head(c)->rejects = 0;
		c->dpfq.preempts = false;
	} else {
		leave(c);
	}
	c->detached = true;
	tell(c, POULSON_CORE_DATA_REF_ANY, 1);
	tell(c, a.type == LFETCH ? POULSON_CORE_DATA_REF_LFETCH : POULSON_CORE_DATA_REF_HW_PREF, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 1);
	tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_HW_PREF, 1);
	go(c, &p, &a);
	c->detached = false;
	c->now = now;
}

/* No pipe for the head. */
static void refuse(struct icore *c)
{
	struct prefetch *p = head(c);

	family(c, POULSON_CORE_DPFQ_DEQ_REJECT_ANY, p);
	if (++p->rejects < PREFETCH_PATIENCE)
		return;
	if (of_software(p)) {
		c->dpfq.preempts = true;
		return;
	}
	tell_free(c, POULSON_CORE_DPFQ_DEQ_PREEMPT_TIMEOUT, 1);
	leave(c);
}

/* What can go in one cycle. */
static void run_cycle(struct icore *c, unsigned ports)
{
	bool preempts = c->dpfq.preempts && ports;

	if (!ports || c->transfer_until > c->cycle) {
		if (head(c)->ready <= c->cycle)
			refuse(c);
		return;
	}
	for (; ports && c->dpfq.n && head(c)->ready <= c->cycle; ports--) {
		issue(c, preempts ? POULSON_CORE_DPFQ_DEQ_PREEMPT_ANY : POULSON_CORE_DPFQ_DEQ_ANY);
		preempts = false;
	}
}

void icore_prefetch_run(struct icore *c, uint64_t cycles, unsigned ports)
{
	uint64_t begin = c->cycle, end = begin + cycles;

	while (c->dpfq.n && c->cycle < end) {
		if (head(c)->ready > c->cycle)
			c->cycle = head(c)->ready < end ? head(c)->ready : end;
		else {
			run_cycle(c, ports);
			c->cycle++;
		}
	}
	c->cycle = begin;
}
