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
#include "uncore/imc/inside.h"

/* Banks of a rank have their turns such that the bank group changes each time.  It is its own inverse. */
static inline unsigned bank_of_turn(unsigned turn)
{
	static const uint8_t bank[DRAM_BANKS] = { 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15 };

	return (turn & ~15u) | bank[turn & 15];
}

/* How many posted writes have a line with such a number. */
static inline uint8_t *posted_like(struct imc *c, uint64_t line)
{
	return &c->posted_like[(line ^ line >> 8) % LEN(c->posted_like)];
}

static bool find_posted(const struct imc *c, struct dram_place p, uint64_t line)
{
	for (unsigned i = c->bank[p.bank].posted; i != IMC_NIL; i = c->posted[i].next)
		if (c->posted[i].line == line)
			return true;
	return false;
}

static inline bool imc_posted(struct imc *c, struct dram_place p, uint64_t line)
{
	return __builtin_expect(*posted_like(c, line) != 0, 0) && find_posted(c, p, line);
}

static inline void post(struct imc *c, struct dram_place p, uint64_t line, uint64_t at,
		 uint64_t from)
{
	unsigned bank = p.bank, i = (unsigned)__builtin_ctzll(c->posted_free);
	struct imc_bank *b = &c->bank[bank];
	unsigned first = b->posted == IMC_NIL ? i : b->posted;

	c->posted_free &= c->posted_free - 1;
	if (IMC_TOLD)
		c->posted_known &= ~(UINT64_C(1) << i);
	c->posted[i] = (struct imc_posted){ .line = line, .from = from, .since = at, .row = p.row, .next = IMC_NIL };
	KEEP(first);
	c->posted[b->posted_last].next = (uint8_t)i;
	b->posted = (uint8_t)first;
	b->posted_last = (uint8_t)i;
	c->posted_banks[bank / 64] |= UINT64_C(1) << bank_of_turn(bank % 64);
	c->posted_count++;
	++*posted_like(c, line);
}

/* The first turn at or after `turn` in which a bank with a write has its place; there is one. */
static unsigned next_turn(const struct imc *c, unsigned turn)
{
	uint64_t left = c->posted_banks[turn / 64] >> turn % 64 << turn % 64;
	unsigned word = turn / 64;

	while (!left) {
		word = (word + 1) % LEN(c->posted_banks);
		left = c->posted_banks[word];
	}
	return word * 64 + (unsigned)__builtin_ctzll(left);
}

/* The next turn in which a bank has a write. */
static unsigned take_turn(struct imc *c)
{
	unsigned banks = c->cfg.dram.ranks * DRAM_BANKS, turn = next_turn(c, c->posted_turn);

	c->posted_turn = turn + 1 < banks ? turn + 1 : 0;
	return turn;
}

/* Of several writes of a bank the one that finds its row open at `at`, else the oldest; *before is the one before it. */
static __attribute__((noinline)) unsigned choose(struct imc *c, unsigned bank, uint64_t at, unsigned *before)
{
	struct imc_bank *b = &c->bank[bank];
	struct imc_rank *r = &c->rank[bank / DRAM_BANKS];

	/* The rank's refresh may have closed the row before its timer did. */
	if (at >= r->calm)
		refresh_until(c, bank / DRAM_BANKS, at);
	expire(c, r, b, at);
	*before = IMC_NIL;
	for (unsigned i = b->posted; i != IMC_NIL; *before = i, i = c->posted[i].next)
		if (c->posted[i].row == b->row)
			return i;
	*before = IMC_NIL;
	return b->posted;
}

/* Take the write whose turn it is out of its bank's list. */
IMC_HOT unsigned take_write(struct imc *c, uint64_t at, unsigned *bank)
{
	unsigned turn = take_turn(c), before = IMC_NIL, i, next;
	struct imc_bank *b = &c->bank[*bank = bank_of_turn(turn)];

	i = b->posted;
	if (c->posted[i].next == IMC_NIL) {
		c->posted_banks[turn / 64] &= ~(UINT64_C(1) << turn % 64);
		b->posted = IMC_NIL;
		b->posted_last = IMC_NOBODY;
		return i;
	}
	i = choose(c, *bank, at, &before);
	next = c->posted[i].next;
	if (before == IMC_NIL)
		b->posted = (uint8_t)next;
	else
		c->posted[before].next = (uint8_t)next;
	if (next == IMC_NIL)
		b->posted_last = (uint8_t)before;
	return i;
}

/* From now on only who finds the data bus turned round may read. */
static void end_block(struct imc *c)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	close_bus(c, c->block > t->rtw ? c->block - t->rtw : 0, c->write_end + t->wtr_l + t->cl);
	c->write_end = 0;
}

static void start_block(struct imc *c, uint64_t at)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	c->block_at = at;
	if (c->write_end)	/* the bus has not turned since the last one */
		return;
	c->block = imc_max(at + t->cwl, c->busy + t->rtw);
	c->block_bus = c->block;
}

/* When something is to be done about writes, unless more come. */
static void find_calm(struct imc *c)
{
	if (c->wmm || c->write_end || c->self.in)
		c->write_calm = 0;
	else
		c->write_calm = c->posted_count ? c->busy + c->cfg.idle_write : imc_self_from(c);
}

static void tell_mode(struct imc *c, uint64_t to)
{
	imc_state(c, SIG_IMC_MODE, c->mode, to, c->wmm ? IMC_MODE_WRITE : IMC_MODE_READ);
	c->mode = imc_max(c->mode, to);
}

/* An underfill has starved: from then on until its CAS nobody else gets a place. */
static void drain_underfill(struct imc *c, uint64_t from, uint64_t to)
{
	from = imc_max(from, c->mode);
	if (from >= to)
		return;
	tell_mode(c, from);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, from, 0);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, to, 0);
	imc_state(c, SIG_IMC_MODE, from, to, IMC_MODE_PARTIAL);
	c->mode = to;
	if (c->run > from + c->cfg.dram.t.cl)
		c->run = from + c->cfg.dram.t.cl;
}

static void enter_wmm(struct imc *c, uint64_t at)
{
	uint64_t lead = c->cfg.dram.t.cl + (uint64_t)DRAM_BURST;

	at = imc_max(imc_max(at, c->busy > lead ? c->busy - lead + 1 : 0), c->mode);	/* behind the last CAS */
	tell_mode(c, at);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, at, 0);
	c->wmm = true;
	c->wmm_since = at;
	start_block(c, at);
}

static void leave_wmm(struct imc *c, uint64_t why)
{
	uint64_t at = imc_max(c->write_end, c->mode);

	tell_mode(c, at);
	imc_pulse(c, SIG_IMC_MODE_CHANGE, at, 0);
	c->wmm = false;
	imc_pulse(c, SIG_IMC_WMM_TO_RMM, at, why);
	end_block(c);
}

static void tell_push(struct imc *c, uint64_t at)
{
	if (c->cfg.link)
		imc_pulse(c, SIG_IMC_VMSE_PUSH, at, c->wmm ? IMC_VMSE_PUSH_WMM : IMC_VMSE_PUSH_RMM);
}

/* The write in entry i waits until `to`: first on the way to a memory buffer, if there is one. */
static inline void tell_wait(struct imc *c, unsigned i, uint64_t to)
{
	uint64_t since = c->posted[i].since, told = c->posted_known >> i & 1 ? c->posted_told : 0;
	uint64_t from = imc_max(since, told);

	if (c->cfg.link)
		imc_span(c, SIG_IMC_MXB, imc_max(since + c->cfg.link, told), to, 0);
	imc_span(c, SIG_IMC_WPQ, from, to, 0);
	imc_span(c, SIG_IMC_QUEUE, from, to, IMC_QUEUE_WRITE);
}

static inline void posted_told_until(struct imc *c, uint64_t now)
{
	c->posted_told = imc_max(c->posted_told, now);
	c->posted_known = ~c->posted_free;
}

/* Issue one write; a row may be opened from `at` on.  Was it damaged on the way to the buffer? */
IMC_HOT bool issue(struct imc *c, uint64_t at)
{
	unsigned bank, i = take_write(c, at, &bank);
	struct imc_posted *w = &c->posted[i];
	struct dram_place p = { .row = w->row, .bank = (uint8_t)bank };
	uint64_t cas;
	bool again = c->cfg.link && chance_hits(&c->frames);
	struct imc_found found = { 0 };

	at = imc_max(at, w->from);
	c->posted_free |= UINT64_C(1) << i;
	--*posted_like(c, w->line);
	if (again) {
		tell_push(c, at);
		at += c->cfg.retry;
	}
	cas = imc_row_written(c, p, at, &found);
	cas = imc_cas_write(c, p, cas, c->block_bus, IMC_CAS_WR | (c->wmm ? IMC_CAS_WMM : IMC_CAS_RMM));
	c->block_at = imc_max(c->block_at, cas);
	imc_tell_page(c, cas, found.first);
	tell_push(c, cas);
	tell_wait(c, i, cas);
	imc_depth(c, &c->wpq_depth, cas, c->posted_count, -1);
	c->posted_count--;
	c->wpq[c->issued++ % IMC_MAX_WPQ] = cas + c->cfg.credit;
	if (c->told)
		c->told(c->told_ctx, c->channel, imc_time(c, cas + c->cfg.credit));
	return again;
}

static __attribute__((noinline)) void step_wmm(struct imc *c)
{
	if (issue(c, c->wmm_since))
		leave_wmm(c, IMC_WMM_TO_RMM_VMSE_RETRY);
	else if (c->posted_count <= c->cfg.wmm_low)
		leave_wmm(c, IMC_WMM_TO_RMM_LOW_THRESH);
}

/* Slow path of imc_writes_until(). */
static __attribute__((noinline)) void write_until(struct imc *c, uint64_t at)
{
	uint64_t start;

	while (c->wmm && c->block_at < at)
		step_wmm(c);
	start = c->busy + c->cfg.idle_write;
	if (!c->wmm && c->posted_count && start < at)
		for (start_block(c, start); c->posted_count && c->block_at < at;)
			issue(c, start);
	find_calm(c);
}

static inline void imc_writes_until(struct imc *c, uint64_t at)
{
	if (__builtin_expect(at > c->write_calm, 0))
		write_until(c, at);
}

static __attribute__((noinline)) uint64_t imc_read_mode(struct imc *c, uint64_t at, bool *starved)
{
	*starved = false;
	imc_writes_until(c, at);
	if (c->wmm) {
		imc_writes_until(c, imc_max(at, c->wmm_since) + c->cfg.starve);
		if (c->wmm) {
			*starved = true;
			leave_wmm(c, IMC_WMM_TO_RMM_STARVE);
			imc_pulse(c, SIG_IMC_PREEMPTION, c->mode, IMC_PREEMPTION_RD_PREEMPT_WR);
		}
		imc_span(c, SIG_IMC_WRONG_MM, at, c->mode, 0);
		at = imc_max(at, c->mode);
	}
	if (c->write_end)
		end_block(c);
	find_calm(c);
	return at;
}

/* A partial write needs the rest of its line: returns when that is here. */
static uint64_t underfill(struct imc *c, struct dram_place p, uint64_t at)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t bus = 0, cas, flags = IMC_CAS_RD_UNDERFILL | IMC_CAS_LOW;
	struct imc_found found;

	if (c->wmm && c->write_end)
		bus = c->write_end + t->wtr_l + t->cl;
	else if (c->wmm)
		bus = c->block_bus + t->wtr_l + t->cl;
	else if (c->write_end)
		end_block(c);
	cas = imc_row_open(c, p, at, IMC_WHO_RD, &found);
	cas = imc_cas_read(c, p, cas, bus, IMC_LUMP_UNDERFILL, flags | (c->wmm ? IMC_CAS_WMM : IMC_CAS_RMM));
	if (!c->wmm)
		drain_underfill(c, at + c->cfg.starve_low, cas);
	else
		c->block_bus = imc_max(c->block_bus, cas + t->cl + DRAM_BURST + t->rtw);
	return cas + t->cl + DRAM_BURST;
}

/* When the write that comes next finds an entry of the queue free. */
static inline uint64_t entry_free(const struct imc *c)
{
	return c->wpq[(c->issued + c->posted_count - c->cfg.wpq) % IMC_MAX_WPQ];
}

/* Slow path of imc_way_write(), with whatever may follow. */
static __attribute__((noinline)) struct imc_write accept(struct imc *c, uint64_t line, struct dram_place p, uint64_t at,
							 bool partial)
{
	uint64_t came = at, from;

	if (at > c->write_calm)
		imc_prepare(c, at);
	imc_tell_request(c, at, IMC_REQUEST_WRITE, line);
	if (imc_posted(c, p, line)) {
		imc_pulse(c, SIG_IMC_WPQ_WRITE_HIT, at, 0);
		imc_tell_request(c, at, IMC_REQUEST_ACK, line);
		return (struct imc_write){ .issued = imc_time(c, at), .merged = true };
	}
	while (c->posted_count == c->cfg.wpq) {
		if (!c->wmm)
			enter_wmm(c, at);
		step_wmm(c);
	}
	at = imc_max(at, entry_free(c));
	imc_tell_full(c, came, at, true);
	imc_pulse(c, SIG_IMC_WPQ_INSERT, at, 0);
	imc_tell_request(c, at, IMC_REQUEST_ACK, line);
	imc_depth(c, &c->wpq_depth, at, c->posted_count, 1);
	from = at + c->cfg.front;
	if (partial)
		from = underfill(c, p, from);
	post(c, p, line, at, from);
	if (!c->wmm && c->posted_count >= c->cfg.wmm_high)
		enter_wmm(c, at);
	c->write_calm = c->wmm || c->write_end ? 0 : c->busy + c->cfg.idle_write;
	return (struct imc_write){ .issued = imc_time(c, at) };
}

IMC_HOT struct imc_write imc_way_write(struct imc *c, uint64_t line, uint64_t when, bool partial)
{
	struct dram_place p = imc_place(c, line);
	uint64_t at = imc_clock(c, when);

	/* Nothing goes out, and this one is only to be remembered. */
	if (IMC_TOLD || at > c->write_calm || *posted_like(c, line) || partial || c->posted_count + 1 >= c->cfg.wmm_high)
		return accept(c, line, p, at, partial);
	at = imc_max(at, entry_free(c));
	post(c, p, line, at, at + c->cfg.front);
	c->write_calm = c->busy + c->cfg.idle_write;
	return (struct imc_write){ .issued = imc_time(c, at) };
}

static void imc_write_advance(struct imc *c, uint64_t now)
{
	imc_writes_until(c, now);
	if (!IMC_TOLD)
		return;
	for (unsigned bank = 0; bank < c->cfg.dram.ranks * DRAM_BANKS; bank++)
		for (unsigned i = c->bank[bank].posted; i != IMC_NIL; i = c->posted[i].next)
			tell_wait(c, i, now);
	posted_told_until(c, now);
	tell_mode(c, now);
}
