/* SPDX-License-Identifier: BSD-2-Clause */
/* What leaves a machine's cores, how they sleep and wake, and what their private caches are asked. */
#include <string.h>

#include "base/array.h"
#include "machine/itanium.h"
#include "machine/private.h"
#include "pmu/pmu.h"

static void reach(struct machine *m, uint64_t when)
{
	if (when > m->horizon)
		m->horizon = when;
}

/* An idle core's time stands still; it runs on from `when`, after the latency of waking. */
static void wake(struct machine *m, unsigned core, uint64_t when)
{
	struct machine_core *c = &m->core[core];
	uint64_t halted = c->timing.now;

	if (when < halted)
		when = halted;
	machine_move_on(m, when);
	if (m->pcu)
		when = pcu_wake(m->pcu, core, when);
	if (m->fabric)
		ubox_wake(fabric_ubox(m->fabric, c->socket), when);
	c->slept += when - halted;
	c->timing.now = when;
	c->idle = false;
	c->waking = true;
	if (m->fabric)
		ubox_tell_core(fabric_ubox(m->fabric, c->socket), UBOX_MONITOR, when);
}

/* When a core that nobody keeps asleep begins to wake. */
static uint64_t at_once(const struct machine *m)
{
	return m->current > m->now ? m->current : m->now;
}

static void halt(struct machine *m, unsigned core)
{
	struct machine_core *c = &m->core[core];

	timing_settle(&c->timing);
	c->idle = true;
	reach(m, c->timing.now);
	machine_move_on(m, c->timing.now);
	if (m->pcu)
		pcu_halt(m->pcu, core, c->timing.now);
}

static inline unsigned row_of(const struct leave_record *rec)
{
	return rec->kind == LEAVE_DRD && (rec->flags & LEAVE_SPECULATIVE) ? CORE_SPECULATIVE : rec->kind;
}

/* Nobody expected the record, or its page was new then. */
static __attribute__((noinline)) void find(struct machine *m, struct fabric_request *rq, uint64_t word)
{
	rq->line = map_translate(&m->map, word & bits_low(MACHINE_USER_BITS), rq->socket);
	rq->slice = (uint8_t)fabric_slice(m->fabric, rq->socket, rq->line);
}

/* Where does the line lie?  Once a page has its place it keeps it, so what was found ahead is still so. */
static inline void place(struct machine *m, struct machine_core *c, struct fabric_request *rq, const struct leave_record *rec,
			 uint64_t word)
{
	const struct machine_expected *e = machine_expected(c, rec);

	rq->line = e->place >> 8;
	rq->slice = (uint8_t)e->place;
	if (__builtin_expect(e->word != word, 0))
		find(m, rq, word);
}

/* Private caches fill data as their own; now they hear that others have it too. */
static __attribute__((noinline)) void share(struct machine *m, unsigned core, const struct leave_record *rec, uint64_t line)
{
	if (rec->kind != LEAVE_CRD && rec->kind != LEAVE_PF_CRD)
		machine_ask_core(m, core, line, LEAVE_SNOOP_GRANT);
}

static inline enum timing_class class_of(const struct leave_record *rec, enum leave_kind kind)
{
	return kind == LEAVE_RFO && rec->flags & LEAVE_LOCKED ? TIMING_LOCKED : timing_class(kind);
}

/* One message of this class to the uncore, on behalf of core rq->core of node rq->socket; *last is not before its reply. */
static inline __attribute__((always_inline)) void send(struct machine *m, struct machine_core *c, unsigned core,
						       struct fabric_request *rq, const struct leave_record *rec,
						       enum timing_class class, unsigned row, uint64_t *last)
{
	struct fabric_reply reply;

	rq->when = timing_start(&c->timing, class, rec->flags & LEAVE_DEPENDENT) + c->lookup;
	reply = fabric_request_at(m->fabric, rq);
	timing_sent(&c->timing, class, rq->when, reply.when);
	*last = reply.when > *last ? reply.when : *last;
	c->ledger.sent[row][core_result(reply.source, reply.found)]++;
	if (__builtin_expect(reply.grant == FABRIC_SHARED, 0))
		share(m, core, rec, rq->line);
	if (__builtin_expect(reply.found == FABRIC_SNOOP_HITM || reply.source == FABRIC_FROM_PEER, 0))
		machine_ask_core(m, core, rq->line, LEAVE_SNOOP_CONTEND);
}

/* It was written before the core had heard that others have it, too: had it known, it would have asked for it. */
static __attribute__((noinline)) void write_shared(struct machine *m, struct machine_core *c, unsigned core, struct fabric_request *rq,
						   const struct leave_record *rec, uint64_t *last)
{
	rq->kind = LEAVE_RFO;
	send(m, c, core, rq, rec, class_of(rec, LEAVE_RFO), LEAVE_RFO, last);
}

/* A line is written for the first time: no message, and nothing of the core's is in use for it. */
static inline void write_first(struct machine *m, struct machine_core *c, unsigned core, struct fabric_request *rq,
			       const struct leave_record *rec, uint64_t *last)
{
	uint64_t when = c->timing.now + c->lookup;

	if (__builtin_expect(!fabric_note(m->fabric, rq), 0)) {
		write_shared(m, c, core, rq, rec, last);
		return;
	}
	*last = when > *last ? when : *last;
	c->ledger.sent[LEAVE_DIRTY][core_result(FABRIC_FROM_LLC, FABRIC_NOT_SNOOPED)]++;
}

/*
 * Between register accesses time is closed now and then, so that what the PMU has to
 * remember stays small: up to where the slowest running core is.
 */
static void close_behind(struct machine *m)
{
	uint64_t every;

	machine_advance(m, machine_slowest(m, m->current));
	every = m->fabric && fabric_plain(m->fabric) && !m->exact ? MACHINE_CLOSE_PLAIN : MACHINE_CLOSE_EVERY;
	m->close_at = m->current + every;
	pmu_horizon(m->pmu, m->now + every);
}

/* Whatever is due by now besides the cores' own work. */
static void keep_up(struct machine *m)
{
	machine_move_on(m, m->current);
	if (m->current >= m->close_at)
		close_behind(m);
	m->next_close = devices_next(m);
	if (m->pcu && pcu_next(m->pcu) < m->next_close)
		m->next_close = pcu_next(m->pcu);
	if (m->next_close > m->close_at)
		m->next_close = m->close_at;
}

/* What the core did before the record left it: often nothing, for several leave at once. */
static inline void work(struct machine_core *c, const struct leave_record *rec)
{
	uint64_t all;

	_Static_assert(sizeof *rec == 16 && offsetof(struct leave_record, instructions) == 8, "the second word is work");
	memcpy(&all, &rec->instructions, sizeof all);
	if (all == 0)
		return;
	timing_work(&c->timing, rec->instructions, rec->l2_hits);
	c->ledger.l2_hits += rec->l2_hits;
	c->ledger.l1_misses += rec->l1_misses;
}

/* Clocks, links and memory may be other ones when it runs. */
static void run_first(struct machine *m, struct machine_core *c)
{
	c->waking = false;
	machine_move_on(m, c->timing.now);
}

/* Before a record: who listens is told, a core that sleeps wakes. */
static __attribute__((noinline)) void rouse(struct machine *m, unsigned core, const struct leave_record *rec)
{
	m->core[core].fed = rec;
	if (m->tap)
		m->tap(m->tap_ctx, core, rec, 0);
	if (m->core[core].idle)
		wake(m, core, at_once(m));
	if (m->core[core].waking)
		run_first(m, &m->core[core]);
}

/* What the core did took longer than its instructions alone would have. */
static void wait_for_own(struct machine_core *c, const struct leave_record *rec)
{
	if (rec->flags & LEAVE_ATOMIC)
		timing_locked(&c->timing, (uint32_t)rec->line);
	else
		timing_chain(&c->timing, rec->line % LEAVE_CHAIN_L2, (uint32_t)(rec->line / LEAVE_CHAIN_L2));
}

/* Of a core that is awake, as machine_feed(); at least one, and none behind a halt or when something else is due. */
static inline const struct leave_record *feed_awake(struct machine *m, unsigned core, const struct leave_record *rec,
						    const struct leave_record *end, uint64_t limit)
{
	struct machine_core *c = &m->core[core];
	struct fabric_request rq = { .socket = c->node, .core = c->number };
	uint64_t last = 0;

	if (m->current >= m->next_close)
		limit = 0;
	else if (limit > m->next_close)
		limit = m->next_close;
	do {
		uint64_t word = machine_word(rec);
		enum leave_kind kind = machine_kind(word);
		enum timing_class class = class_of(rec, kind);

		rq.kind = (uint8_t)kind;
		c->fed = rec;
		work(c, rec);
		if (m->p9500 && (class != TIMING_NONE || kind == LEAVE_DIRTY)) {
			itanium_feed(m, core, rec, &last);
		} else if (class != TIMING_NONE && m->fabric) {
			place(m, c, &rq, rec, word);
			if (class == TIMING_ASIDE)
				send(m, c, core, &rq, rec, TIMING_ASIDE, kind, &last);
			else
				send(m, c, core, &rq, rec, class, row_of(rec), &last);
		} else if (kind == LEAVE_DIRTY && m->fabric) {
			place(m, c, &rq, rec, word);
			write_first(m, c, core, &rq, rec, &last);
		} else if (kind == LEAVE_TICK && rec->line) {
			wait_for_own(c, rec);
		} else if (kind == LEAVE_HALT) {
			halt(m, core);
			end = rec;
		}
	} while (++rec < end && c->timing.now < limit);
	reach(m, last);
	return rec;
}

const struct leave_record *machine_feed(struct machine *m, unsigned core, const struct leave_record *rec,
					const struct leave_record *end, uint64_t limit)
{
	struct machine_core *c = &m->core[core];

	do {
		if (m->tap || c->idle || c->waking)
			rouse(m, core, rec);
		rec = feed_awake(m, core, rec, m->tap ? rec + 1 : end, limit);
		if (c->timing.now > m->current)
			m->current = c->timing.now;
		if (m->current >= m->next_close)
			keep_up(m);
	} while (rec < end && c->timing.now < limit);
	return rec;
}

uint64_t machine_wakes_at(const struct machine *m, unsigned core, uint64_t when)
{
	uint64_t lead = m->pcu && m->core[core].idle ? pcu_wakes_in(m->pcu, core, when) : 0;

	return when > m->core[core].timing.now + lead ? when - lead : m->core[core].timing.now;
}

uint64_t machine_span(const struct machine *m, unsigned core, uint32_t instructions)
{
	return (uint64_t)instructions * m->core[core].timing.instruction_cost >> 16;
}

uint64_t machine_latest(const struct machine *m)
{
	return at_once(m);
}

uint64_t machine_core_time(const struct machine *m, unsigned core)
{
	return m->core[core].timing.now;
}

uint64_t machine_core_answered(const struct machine *m, unsigned core)
{
	const struct timing *t = &m->core[core].timing;

	return t->miss_back > t->now ? t->miss_back : t->now;
}

void machine_idle(struct machine *m, unsigned core, uint64_t when)
{
	bool idle = m->core[core].idle;

	if (when < m->core[core].timing.now)
		when = m->core[core].timing.now;
	if (!idle && when == m->core[core].timing.now)
		return;
	if (m->tap)
		m->tap(m->tap_ctx, core, NULL, when - m->core[core].timing.now);
	if (!idle)
		halt(m, core);
	wake(m, core, when > m->core[core].timing.now ? when : at_once(m));
}

static __attribute__((noinline)) bool more_room(struct machine_inbox *in)
{
	struct machine_snoop *snoop = array_grow(in->snoop, in->used, &in->room, sizeof *snoop);

	if (!snoop)
		return false;
	in->snoop = snoop;
	return true;
}

void machine_ask_core(struct machine *m, unsigned core, uint64_t line, enum leave_snoop_kind kind)
{
	struct machine_inbox *in = &m->core[core].inbox;

	if (m->drop_snoops)
		return;
	if (__builtin_expect(in->used == in->room, 0) && !more_room(in)) {
		m->error = BXS_ENOMEM;
		return;
	}
	map_prefetch_owner(&m->map, line);
	in->snoop[in->used++] = (struct machine_snoop){
		.snoop = { .line = line, .kind = kind }, .record = m->core[core].fed,
	};
}

/* Who uses the lines is looked up when the host has had time to load it. */
unsigned machine_snoops(struct machine *m, unsigned core, const struct machine_snoop **out)
{
	struct machine_inbox *in = &m->core[core].inbox;
	unsigned n = 0;

	for (unsigned i = 0; i < in->used; i++) {
		struct machine_snoop *from = &in->snoop[i], *to = &in->snoop[n];
		uint64_t user;

		if (!map_owner(&m->map, from->snoop.line, &user))
			continue;
		user |= (uint64_t)from->snoop.kind << MACHINE_USER_BITS;
		_Static_assert(sizeof user == sizeof to->snoop, "a snoop is a line's user and a kind");
		memcpy(&to->snoop, &user, sizeof user);
		to->record = from->record;
		n++;
	}
	*out = in->snoop;
	in->used = 0;
	return n;
}

unsigned machine_snoops_pending(const struct machine *m, unsigned core)
{
	return m->core[core].inbox.used;
}

static bool is_request(unsigned row)
{
	return (row >= LEAVE_DRD && row <= LEAVE_ITOM) || row == LEAVE_AHEAD || row == CORE_SPECULATIVE;
}

uint64_t machine_forwards(const struct machine *m)
{
	uint64_t n = 0;

	for (unsigned core = 0; core < m->cores; core++) {
		for (unsigned row = 0; row < CORE_KINDS; row++) {
			for (unsigned from = 0; is_request(row) && from <= FABRIC_FROM_DEVICE; from++)
				n += m->core[core].ledger.sent[row][core_result(from, FABRIC_SNOOP_HITM)];
		}
	}
	return n;
}

void machine_snoops_drop(struct machine *m, bool drop)
{
	m->drop_snoops = drop;
}

void machine_tap(struct machine *m, machine_tap_fn tap, void *ctx)
{
	m->tap = tap;
	m->tap_ctx = ctx;
}
