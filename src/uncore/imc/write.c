/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Posted writes.  They wait in the write queue until it is so full that the channel
 * changes to write major mode and drains it, or until the channel is idle.
 *
 *	reads   ... R R R |                              | R R
 *	writes            | W W W W W W W | turn round   |
 *	mode       read   | write         | read
 *
 * A block of writes is walked no further than somebody has looked: what comes while it
 * lasts still finds its line pending.
 */
#include "uncore/imc/write.h"

#include "uncore/imc/dispatch.h"
#include "uncore/imc/row.h"

/* Banks of a rank have their turns such that the bank group changes each time.  It is its own inverse. */
static unsigned bank_of_turn(unsigned turn)
{
	static const uint8_t bank[DRAM_BANKS] = { 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15 };

	return (turn & ~15u) | bank[turn & 15];
}

bool imc_find_posted(const struct imc *c, struct dram_place p, uint64_t line)
{
	for (unsigned i = c->bank[p.bank].posted; i != IMC_NIL; i = c->write.posted[i].next)
		if (c->write.posted[i].line == line)
			return true;
	return false;
}

UNCORE_INLINE void post(struct imc *c, struct dram_place p, uint64_t line, uint64_t at, uint64_t from,
			const bool observed)
{
	unsigned bank = p.bank, i = (unsigned)__builtin_ctzll(c->write.free);
	struct imc_bank *b = &c->bank[bank];
	unsigned first = b->posted == IMC_NIL ? i : b->posted;

	c->write.free &= c->write.free - 1;
	if (observed)
		c->write.known &= ~(UINT64_C(1) << i);
	c->write.posted[i] = (struct imc_posted){ .line = line, .from = from, .since = at, .row = p.row, .next = IMC_NIL,
					   .buffer = c->dispatch.buffer, .put_off = observed && c->dispatch.put_off };
	KEEP(first);
	c->write.posted[b->posted_last].next = (uint8_t)i;
	b->posted = (uint8_t)first;
	b->posted_last = (uint8_t)i;
	c->write.banks[bank / 64] |= UINT64_C(1) << bank_of_turn(bank % 64);
	c->write.count++;
	++*imc_posted_like(c, line);
}

/* The first turn at or after `turn` in which a bank with a write has its place; there is one. */
static unsigned next_turn(const struct imc *c, unsigned turn)
{
	uint64_t left = c->write.banks[turn / 64] >> turn % 64 << turn % 64;
	unsigned word = turn / 64;

	while (!left) {
		word = (word + 1) % LEN(c->write.banks);
		left = c->write.banks[word];
	}
	return word * 64 + (unsigned)__builtin_ctzll(left);
}

/* The next turn in which a bank has a write. */
static unsigned take_turn(struct imc *c)
{
	unsigned banks = c->cfg.dram.ranks * DRAM_BANKS, turn = next_turn(c, c->write.turn);

	c->write.turn = turn + 1 < banks ? turn + 1 : 0;
	return turn;
}

/* Of several writes of a bank the one that finds its row open at `at`, else the oldest; *before is the one before it. */
static UNCORE_COLD unsigned choose(struct imc *c, unsigned bank, uint64_t at, unsigned *before, const bool observed)
{
	struct imc_bank *b = &c->bank[bank];
	struct imc_rank *r = &c->rank[bank / DRAM_BANKS];

	/* The rank's refresh may have closed the row before its timer did. */
	if (at >= r->calm)
		imc_refresh_until(c, bank / DRAM_BANKS, at, observed);
	imc_expire(c, r, b, at, observed);
	*before = IMC_NIL;
	for (unsigned i = b->posted; i != IMC_NIL; *before = i, i = c->write.posted[i].next)
		if (c->write.posted[i].row == b->row)
			return i;
	*before = IMC_NIL;
	return b->posted;
}

/* Take the write whose turn it is out of its bank's list. */
UNCORE_INLINE unsigned take_write(struct imc *c, uint64_t at, unsigned *bank, const bool observed)
{
	unsigned turn = take_turn(c), before = IMC_NIL, i, next;
	struct imc_bank *b = &c->bank[ *bank = bank_of_turn(turn)];

	i = b->posted;
	if (c->write.posted[i].next == IMC_NIL) {
		c->write.banks[turn / 64] &= ~(UINT64_C(1) << turn % 64);
		b->posted = IMC_NIL;
		b->posted_last = IMC_NOBODY;
		return i;
	}
	i = choose(c, *bank, at, &before, observed);
	next = c->write.posted[i].next;
	if (before == IMC_NIL)
		b->posted = (uint8_t)next;
	else
		c->write.posted[before].next = (uint8_t)next;
	if (next == IMC_NIL)
		b->posted_last = (uint8_t)before;
	return i;
}

/* From now on only who finds the data bus turned round may read. */
static void end_block(struct imc *c)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	imc_close_bus(c, c->write.block > t->rtw ? c->write.block - t->rtw : 0, c->write.end + t->wtr_l + t->cl);
	c->write.end = 0;
}

static void start_block(struct imc *c, uint64_t at)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	c->write.block_at = at;
	if (c->write.end)	/* the bus has not turned since the last one */
		return;
	c->write.block = imc_max(at + t->cwl, c->bus.busy + t->rtw);
	c->write.block_bus = c->write.block;
}

void imc_tell_mode(struct imc *c, uint64_t to, const bool observed)
{
	imc_state(c, SIG_IMC_MODE, c->mode, to, c->write.major ? IMC_MODE_WRITE : IMC_MODE_READ, observed);
	c->mode = imc_max(c->mode, to);
}

/* An underfill has starved: from then on until its CAS nobody else gets a place. */
static void drain_underfill(struct imc *c, uint64_t from, uint64_t to, const bool observed)
{
	from = imc_max(from, c->mode);
	if (from >= to)
		return;
	imc_tell_mode(c, from, observed);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, from, 0, observed);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, to, 0, observed);
	imc_state(c, SIG_IMC_MODE, from, to, IMC_MODE_PARTIAL, observed);
	c->mode = to;
	if (c->bus.run > from + c->cfg.dram.t.cl)
		c->bus.run = from + c->cfg.dram.t.cl;
}

UNCORE_INLINE void enter_wmm(struct imc *c, uint64_t at, const bool observed)
{
	uint64_t lead = c->cfg.dram.t.cl + (uint64_t)DRAM_BURST;

	at = imc_max(imc_max(at, c->bus.busy > lead ? c->bus.busy - lead + 1 : 0), c->mode); /* behind the last CAS */
	imc_tell_mode(c, at, observed);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, at, 0, observed);
	c->write.major = true;
	c->write.major_since = at;
	start_block(c, at);
}

UNCORE_INLINE void leave_wmm(struct imc *c, uint64_t why, const bool observed)
{
	uint64_t at = imc_max(c->write.end, c->mode);

	imc_tell_mode(c, at, observed);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, at, 0, observed);
	c->write.major = false;
	imc_pulse(c, SIG_IMC_WMM_TO_RMM, at, why, observed);
	end_block(c);
}

UNCORE_INLINE void tell_push(struct imc *c, uint64_t at, const bool observed)
{
	if (c->cfg.link)
		imc_pulse(c, SIG_IMC_VMSE_PUSH, at, c->write.major ? IMC_VMSE_PUSH_WMM : IMC_VMSE_PUSH_RMM, observed);
}

/* The write in entry i waits until `to`: first on the way to a memory buffer, if there is one. */
UNCORE_INLINE void tell_wait(struct imc *c, unsigned i, uint64_t to, const bool observed)
{
	uint64_t since = c->write.posted[i].since, told = c->write.known >> i & 1 ? c->write.told : 0;
	uint64_t from = imc_max(since, told);

	if (c->cfg.link)
		imc_span(c, SIG_IMC_MXB, imc_max(since + c->cfg.link, told), to, 0, observed);
	imc_span(c, SIG_IMC_WPQ, from, to, 0, observed);
	imc_span(c, SIG_IMC_QUEUE, from, to, IMC_QUEUE_WRITE, observed);
}

void imc_posted_told_until(struct imc *c, uint64_t now)
{
	c->write.told = imc_max(c->write.told, now);
	c->write.known = ~c->write.free;
}

/* Issue one write; a row may be opened from `at` on.  Was it damaged on the way to the buffer? */
UNCORE_INLINE bool issue(struct imc *c, uint64_t at, const bool observed)
{
	unsigned bank, i = take_write(c, at, &bank, observed);
	struct imc_posted *w = &c->write.posted[i];
	struct dram_place p = { .row = w->row, .bank = (uint8_t)bank };
	uint64_t cas;
	bool again = c->cfg.link && chance_hits(&c->frames);
	struct imc_found found = { 0 };

	if (observed) {
		c->dispatch.buffer = w->buffer;
		c->dispatch.put_off = w->put_off;
		c->dispatch.put_off_since = w->since;
	}
	at = imc_max(at, w->from);
	c->write.free |= UINT64_C(1) << i;
	--*imc_posted_like(c, w->line);
	if (again) {
		tell_push(c, at, observed);
		at += c->cfg.retry;
	}
	cas = imc_row_written(c, p, at, &found, observed);
	cas = imc_cas_write(c, p, cas, c->write.block_bus, IMC_CAS_WR | (c->write.major ? IMC_CAS_WMM : IMC_CAS_RMM), observed);
	c->write.block_at = imc_max(c->write.block_at, cas);
	imc_tell_page(c, cas, found.first, observed);
	tell_push(c, cas, observed);
	tell_wait(c, i, cas, observed);
	imc_depth(c, &c->wpq_depth, cas, c->write.count, -1, observed);
	c->write.count--;
	c->write.wpq[c->write.issued++ % IMC_MAX_WPQ] = cas + c->cfg.credit;
	if (c->told)
		c->told(c->told_ctx, c->channel, imc_time(c, cas + c->cfg.credit));
	return again;
}

UNCORE_INLINE void drain_one(struct imc *c, const bool observed)
{
	if (issue(c, c->write.major_since, observed))
		leave_wmm(c, IMC_WMM_TO_RMM_VMSE_RETRY, observed);
	else if (c->write.count <= c->cfg.wmm_low)
		leave_wmm(c, IMC_WMM_TO_RMM_LOW_THRESH, observed);
}

static UNCORE_COLD void step_wmm_batched(struct imc *c)
{
	drain_one(c, false);
}

static UNCORE_COLD void step_wmm_observed(struct imc *c)
{
	drain_one(c, true);
}

UNCORE_INLINE void step_wmm(struct imc *c, const bool observed)
{
	if (observed)
		step_wmm_observed(c);
	else
		step_wmm_batched(c);
}

/* Slow path of imc_writes_until(). */
UNCORE_INLINE void until(struct imc *c, uint64_t at, const bool observed)
{
	uint64_t start;

	while (c->write.major && c->write.block_at < at)
		step_wmm(c, observed);
	start = c->bus.busy + c->cfg.idle_write;
	if (!c->write.major && c->write.count && start < at)
		for (start_block(c, start); c->write.count && c->write.block_at < at;)
			issue(c, start, observed);
	imc_find_calm(c);
}

UNCORE_COLD void imc_write_until_batched(struct imc *c, uint64_t at)
{
	until(c, at, false);
}

UNCORE_COLD void imc_write_until_observed(struct imc *c, uint64_t at)
{
	until(c, at, true);
}

UNCORE_INLINE uint64_t read_mode(struct imc *c, uint64_t at, bool *starved, const bool observed)
{
	*starved = false;
	imc_writes_until(c, at, observed);
	if (c->write.major) {
		imc_writes_until(c, imc_max(at, c->write.major_since) + c->cfg.starve, observed);
		if (c->write.major) {
			*starved = true;
			leave_wmm(c, IMC_WMM_TO_RMM_STARVE, observed);
			imc_pulse(c, SIG_IMC_PREEMPTION, c->mode, IMC_PREEMPTION_RD_PREEMPT_WR, observed);
		}
		imc_span(c, SIG_IMC_WRONG_MM, at, c->mode, 0, observed);
		at = imc_max(at, c->mode);
	}
	if (c->write.end)
		end_block(c);
	imc_find_calm(c);
	return at;
}

UNCORE_COLD uint64_t imc_read_mode_batched(struct imc *c, uint64_t at, bool *starved)
{
	return read_mode(c, at, starved, false);
}

UNCORE_COLD uint64_t imc_read_mode_observed(struct imc *c, uint64_t at, bool *starved)
{
	return read_mode(c, at, starved, true);
}

/* A partial write needs the rest of its line: returns when that is here. */
UNCORE_INLINE uint64_t underfill(struct imc *c, struct dram_place p, uint64_t at, const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t bus = 0, cas, flags = IMC_CAS_RD_UNDERFILL | IMC_CAS_LOW;
	struct imc_found found;

	if (c->write.major && c->write.end)
		bus = c->write.end + t->wtr_l + t->cl;
	else if (c->write.major)
		bus = c->write.block_bus + t->wtr_l + t->cl;
	else if (c->write.end)
		end_block(c);
	cas = imc_row_open(c, p, at, IMC_WHO_RD, &found, observed);
	cas = imc_cas_read(c, p, cas, bus, IMC_LUMP_UNDERFILL, flags | (c->write.major ? IMC_CAS_WMM : IMC_CAS_RMM), observed);
	if (!c->write.major)
		drain_underfill(c, at + c->cfg.starve_low, cas, observed);
	else
		c->write.block_bus = imc_max(c->write.block_bus, cas + t->cl + DRAM_BURST + t->rtw);
	return cas + t->cl + DRAM_BURST;
}

/* When the write that comes next finds an entry of the queue free. */
static uint64_t entry_free(const struct imc *c)
{
	return c->write.wpq[(c->write.issued + c->write.count - c->cfg.wpq) % IMC_MAX_WPQ];
}

/* Slow path of write(), with whatever may follow. */
UNCORE_INLINE struct imc_write post_slowly(struct imc *c, uint64_t line, struct dram_place p, uint64_t at, bool partial,
				      const bool observed)
{
	uint64_t came = at, from;
	uint8_t buffer = c->dispatch.buffer;

	if (at > c->write.calm)
		imc_prepare(c, at, observed);
	imc_tell_request(c, at, IMC_REQUEST_WRITE, line, observed);
	imc_insert(c, at, p.bank, observed);
	if (imc_posted(c, p, line)) {
		imc_pulse(c, SIG_IMC_WPQ_WRITE_HIT, at, 0, observed);
		imc_tell_request(c, at, IMC_REQUEST_ACK, line, observed);
		return (struct imc_write){ .issued = imc_time(c, at), .merged = true };
	}
	while (c->write.count == c->cfg.wpq) {
		if (!c->write.major)
			enter_wmm(c, at, observed);
		step_wmm(c, observed);
	}
	at = imc_max(at, entry_free(c));
	c->dispatch.buffer = buffer;
	c->dispatch.put_off = false;
	imc_tell_full(c, came, at, true, observed);
	imc_retry(c, came, at, observed);
	imc_pulse(c, SIG_IMC_WPQ_INSERT, at, 0, observed);
	imc_tell_request(c, at, IMC_REQUEST_ACK, line, observed);
	imc_depth(c, &c->wpq_depth, at, c->write.count, 1, observed);
	from = at + c->cfg.front;
	if (partial)
		from = underfill(c, p, from, observed);
	post(c, p, line, at, from, observed);
	if (!c->write.major && c->write.count >= c->cfg.wmm_high)
		enter_wmm(c, at, observed);
	c->write.calm = c->write.major || c->write.end ? 0 : c->bus.busy + c->cfg.idle_write;
	return (struct imc_write){ .issued = imc_time(c, at) };
}

static UNCORE_COLD struct imc_write accept_batched(struct imc *c, uint64_t line, struct dram_place p, uint64_t at,
						   bool partial)
{
	return post_slowly(c, line, p, at, partial, false);
}

static UNCORE_COLD struct imc_write accept_observed(struct imc *c, uint64_t line, struct dram_place p, uint64_t at,
						    bool partial)
{
	return post_slowly(c, line, p, at, partial, true);
}

UNCORE_INLINE struct imc_write write(struct imc *c, uint64_t line, uint64_t when, bool partial,
					     const bool observed)
{
	struct dram_place p = imc_place(c, line);
	uint64_t at = imc_clock(c, when);

	/* Nothing goes out, and this one is only to be remembered. */
	if (observed || at > c->write.calm || *imc_posted_like(c, line) || partial ||
	    c->write.count + 1 >= c->cfg.wmm_high)
		return observed ? accept_observed(c, line, p, at, partial) : accept_batched(c, line, p, at, partial);
	at = imc_max(at, entry_free(c));
	post(c, p, line, at, at + c->cfg.front, observed);
	c->write.calm = c->bus.busy + c->cfg.idle_write;
	return (struct imc_write){ .issued = imc_time(c, at) };
}

void imc_write_advance(struct imc *c, uint64_t now, const bool observed)
{
	imc_writes_until(c, now, observed);
	if (!observed)
		return;
	for (unsigned bank = 0; bank < c->cfg.dram.ranks * DRAM_BANKS; bank++)
		for (unsigned i = c->bank[bank].posted; i != IMC_NIL; i = c->write.posted[i].next)
			tell_wait(c, i, now, observed);
	imc_posted_told_until(c, now);
	imc_tell_mode(c, now, observed);
}

struct imc_write imc_write_batched(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	return write(c, line, when, partial, false);
}

struct imc_write imc_write_observed(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	struct imc_write r = write(c, line, when, partial, true);

	if (!r.merged)
		stays_come(c->stays, STAYS_WRITES, c->port, r.issued, 1);
	return r;
}
