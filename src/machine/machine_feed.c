// SPDX-License-Identifier: BSD-2-Clause
/* What leaves a machine's cores, how they sleep and wake, and what their private caches are asked. */
#include <stdlib.h>
#include <string.h>

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
	if (m->pcu) {
		/* The frequency may change when it runs. */
		devices_run(m, pcu_runs(m->pcu, core, when) - 1);
		when = pcu_wake(m->pcu, core, when);
	}
	if (m->fabric)
		ubox_wake(fabric_ubox(m->fabric, c->socket), when);
	c->slept += when - halted;
	c->timing.now = when;
	c->idle = false;
	if (m->fabric)
		ubox_tell_core(fabric_ubox(m->fabric, c->socket), UBOX_MONITOR, when);
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

/* Line and space, as the map has them. */
static inline uint64_t user_of(const struct leave_record *rec)
{
	uint64_t word;

	_Static_assert(sizeof *rec == 16, "the first word ends in line and space");
	memcpy(&word, rec, sizeof word);
	return word & bits_low(56);
}

/* Private caches fill data as their own; now they hear that others have it too. */
static __attribute__((noinline)) void share(struct machine *m, unsigned core, const struct leave_record *rec, uint64_t line)
{
	if (rec->kind != LEAVE_CRD && rec->kind != LEAVE_PF_CRD)
		machine_ask_core(m, core, line, LEAVE_SNOOP_SHARE);
}

/* One message to the uncore. */
static inline void request(struct machine *m, struct machine_core *c, unsigned core,
			   const struct leave_record *rec)
{
	enum timing_class class = timing_class(rec->kind);
	struct fabric_request rq;
	struct fabric_reply reply;

	rq.line = map_translate(&m->map, user_of(rec), c->node);
	rq.when = timing_start(&c->timing, class, rec->flags & LEAVE_DEPENDENT) + c->lookup;
	rq.socket = c->node;
	rq.core = c->number;
	rq.thread = 0;
	rq.kind = rec->kind;
	reply = fabric_request(m->fabric, &rq);
	timing_sent(&c->timing, class, reply.when);
	reach(m, reply.when);
	c->ledger.sent[row_of(rec)][core_result(reply.source, reply.found)]++;
	if (__builtin_expect(reply.grant == FABRIC_SHARED, 0))
		share(m, core, rec, rq.line);
}

/*
 * Between register accesses time is closed now and then, so that what the PMU has to
 * remember stays small: up to where the slowest running core is.
 */
static void close_behind(struct machine *m)
{
	uint64_t until = m->current;

	for (unsigned i = 0; i < m->cores; i++)
		if (!m->core[i].idle && m->core[i].timing.now < until)
			until = m->core[i].timing.now;
	machine_advance(m, until);
	m->close_at = m->current + MACHINE_CLOSE_EVERY;
	pmu_horizon(m->pmu, m->now + MACHINE_CLOSE_EVERY);
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

static inline void work(struct machine_core *c, const struct leave_record *rec)
{
	timing_work(&c->timing, rec->instructions, rec->l2_hits);
	c->ledger.l2_hits += rec->l2_hits;
	c->ledger.l1_misses += rec->l1_misses;
}

/* Is something sent? */
static inline bool is_message(const struct leave_record *rec)
{
	_Static_assert(LEAVE_TICK == 0 && LEAVE_HALT == LEAVE_KINDS - 1, "all between are messages");
	return rec->kind - 1U < LEAVE_HALT - 1U;
}

/* Before a record: who listens is told, a core that sleeps wakes.  Must the next record be looked at, too? */
static inline bool rouse(struct machine *m, const struct machine_core *c, unsigned core, const struct leave_record *rec)
{
	if (m->tap)
		m->tap(m->tap_ctx, core, rec, 0);
	if (c->idle)
		wake(m, core, m->current > m->now ? m->current : m->now);
	return m->tap != NULL;
}

const struct leave_record *machine_feed(struct machine *m, unsigned core, const struct leave_record *rec,
					const struct leave_record *end, uint64_t limit)
{
	struct machine_core *c = &m->core[core];
	bool look = true;

	do {
		if (look)
			look = rouse(m, c, core, rec);
		work(c, rec);
		if (is_message(rec) && m->fabric) {
			request(m, c, core, rec);
		} else if (rec->kind == LEAVE_HALT) {
			halt(m, core);
			look = true;
		}
		if (c->timing.now > m->current)
			m->current = c->timing.now;
		if (__builtin_expect(m->current >= m->next_close, 0))
			keep_up(m);
	} while (++rec < end && !c->inbox.used && c->timing.now < limit);
	return rec;
}

void machine_expect(const struct machine *m, unsigned core, const struct leave_record *rec,
		    const struct leave_record *end)
{
	unsigned node = m->core[core].node;
	uint64_t line;

	for (; m->fabric && rec < end; rec++)
		if (rec->kind != LEAVE_TICK && map_lookup(&m->map, user_of(rec), &line))
			fabric_prefetch(m->fabric, node, line);
}

uint64_t machine_core_time(const struct machine *m, unsigned core)
{
	return m->core[core].timing.now;
}

void machine_idle(struct machine *m, unsigned core, uint64_t when)
{
	if (when < m->core[core].timing.now)
		when = m->core[core].timing.now;
	if (m->tap)
		m->tap(m->tap_ctx, core, NULL, when - m->core[core].timing.now);
	if (!m->core[core].idle)
		halt(m, core);
	if (when > m->core[core].timing.now)
		wake(m, core, when);
}

static __attribute__((noinline)) bool more_room(struct machine_inbox *in)
{
	uint32_t room = in->room ? in->room * 2 : 64;
	struct leave_snoop *snoop = realloc(in->snoop, room * sizeof *snoop);

	if (!snoop)
		return false;
	in->snoop = snoop;
	in->room = room;
	return true;
}

void machine_ask_core(struct machine *m, unsigned core, uint64_t line, enum leave_snoop_kind kind)
{
	struct machine_inbox *in = &m->core[core].inbox;
	uint64_t user;

	if (m->drop_snoops || !map_owner(&m->map, line, &user))
		return;
	if (__builtin_expect(in->used == in->room, 0) && !more_room(in)) {
		m->error = BXS_ENOMEM;
		return;
	}
	user |= (uint64_t)kind << 56;
	_Static_assert(sizeof user == sizeof *in->snoop, "a snoop is a line's user and a kind");
	memcpy(&in->snoop[in->used++], &user, sizeof user);
}

unsigned machine_snoops(struct machine *m, unsigned core, const struct leave_snoop **out)
{
	struct machine_inbox *in = &m->core[core].inbox;
	unsigned n = in->used;

	*out = in->snoop;
	in->used = 0;
	return n;
}

unsigned machine_snoops_pending(const struct machine *m, unsigned core)
{
	return m->core[core].inbox.used;
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
