/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: the execution trace buffer, as branch trace and as IP-EAR (3.3.12). */
#include "pmu/poulson_core.h"

enum { STAT_BRANCH = 1, STAT_TARGET = 2, STAT_WRONG = 3, STAT_RFI = 4, STAT_EXCEPTION = 6,
       STAT_FLUSH = 7 };
enum { BT_COND, BT_LOOP, BT_CALL, BT_RET, BT_IND, BT_INDCALL };
enum { CIR_RFI = 1, CIR_EXCEPTION = 2, CIR_CHK = 4 };
enum { NOT_TAKEN = 3, CYCLES_MOST = 0x1fff };

bool core_ipear_on(const struct core_thread *t)
{
	return bits_get(*t->pmc[PMC_IPEAR_CFG], 10, 8) == 4;
}

/* One more entry of the ring. */
static void put(struct core_thread *t, uint64_t entry, uint64_t ext)
{
	uint64_t *idx = t->pmd[PMD_ETB_BUFIDX], at = bits_get(*idx, 4, 0) % ETB_ENTRIES;

	*t->pmd[PMD_ETB + at] = entry;
	*t->pmd[PMD_ETBEXT + at] = bits_put(ext, 15, 15, t->box->index % 2);
	if (++at == ETB_ENTRIES) {
		at = 0;
		*idx = bits_put(*idx, 6, 6, 1);
	}
	*idx = bits_put(*idx, 4, 0, at);
}

static void put_trace(struct core_thread *t, uint64_t entry, uint64_t stat, uint64_t clock)
{
	put(t, entry, stat << 12 | (clock & bits_low(12)));
}

static void put_source(struct core_thread *t, const struct door *d, uint64_t slot, uint64_t stat)
{
	uint64_t group = (d->v[DOOR_IP_] & ~bits_low(4)) - 16 * d->v[DOOR_BN_];

	put_trace(t, group | d->v[DOOR_BN_] << 2 | slot, stat, core_clock(t));
}

void core_etb_settle(struct core_thread *t)
{
	struct etb *b = &t->etb;

	if (!b->pending)
		return;
	b->pending = false;
	put_trace(t, b->target & ~bits_low(4), b->mistaken ? STAT_EXCEPTION : STAT_TARGET, b->clock);
}

static void target(struct core_thread *t, const struct door *d, uint64_t addr)
{
	t->etb.target = addr;
	t->etb.clock = core_clock(t);
	t->etb.pending = true;
	t->etb.mistaken = d->v[DOOR_MISTAKEN_];
}

/*
 * What is captured next at the target of the one before, within the next clock, stands for the
 * target; everything else comes after it.
 */
static void chain(struct core_thread *t, const struct door *d)
{
	struct etb *b = &t->etb;

	if (b->pending && core_clock(t) <= b->clock + 1 && d->v[DOOR_IP_] >> 4 == b->target >> 4)
		b->pending = false;
	else
		core_etb_settle(t);
}

static bool by_type(uint64_t brt, uint64_t type)
{
	bool relative = type <= BT_CALL;

	switch (brt) {
	case 0: return true;
	case 1: return relative;
	case 2: return type == BT_RET;
	case 3: return !relative && type != BT_RET;
	case 5: return type == BT_LOOP;
	case 6: return type == BT_CALL || type == BT_RET || type == BT_INDCALL;
	case 7: return !relative;
	default: return false;
	}
}

/* Masks have bit 1 for right (or taken), bit 0 for wrong (or not). */
static bool by_outcome(uint64_t mask, bool right)
{
	return right ? mask >> 1 : mask & 1;
}

static bool branch_passes(const struct door *d, uint64_t cfg)
{
	uint64_t ptm = bits_get(cfg, 11, 10);
	bool path = d->v[DOOR_PATH_];

	/* Without the right path there is no prediction of a target to be judged. */
	return by_type(bits_get(cfg, 16, 14), d->v[DOOR_BTYPE_]) &&
	       by_outcome(bits_get(cfg, 9, 8), d->v[DOOR_TAKEN_]) &&
	       by_outcome(bits_get(cfg, 13, 12), path) &&
	       (path ? by_outcome(ptm, d->v[DOOR_TARGETS_]) : ptm == 3);
}

static bool wants_target(const struct door *d, uint64_t cfg)
{
	uint64_t rtg = bits_get(cfg, 18, 17);

	return d->v[DOOR_TAKEN_] && (d->v[DOOR_BTYPE_] <= BT_CALL ? rtg >> 1 : rtg & 1);
}

static bool watching(const struct core_thread *t, uint64_t cfg)
{
	return !core_frozen(t) && !core_ipear_on(t) && core_allows(t, cfg);
}

void core_etb_branch(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	uint64_t cfg = *t->pmc[PMC_ETB_CFG], stat = STAT_BRANCH;
	bool right = d->v[DOOR_PATH_] && (!d->v[DOOR_TAKEN_] || d->v[DOOR_TARGETS_]);

	if (!watching(t, cfg) || !tags->tag[0] || !branch_passes(d, cfg)) {
		core_etb_settle(t);
		return;
	}
	chain(t, d);
	if (!right)
		stat = !door_has(d, DOOR_FLUSH_) || d->v[DOOR_FLUSH_] ? STAT_FLUSH : STAT_WRONG;
	put_source(t, d, d->v[DOOR_TAKEN_] ? d->v[DOOR_SLOT_] : NOT_TAKEN, stat);
	core_count(t, EV_EAR_ETB, 1, tags);
	/* A faulting br.ia, break.b or multiway branch gets nowhere; a trap goes to its handler. */
	if (d->v[DOOR_FAULT_] || !wants_target(d, cfg))
		return;
	target(t, d, door_has(d, DOOR_TRAP_) ? d->v[DOOR_TRAP_] : d->v[DOOR_TARGET_]);
}

/* An interrupt from outside: no event, but where it goes to may stand for a branch's target. */
static void outside(struct core_thread *t, const struct door *d)
{
	struct etb *b = &t->etb;

	if (b->pending && core_clock(t) <= b->clock + 1)
		b->target = d->v[DOOR_TARGET_];
	core_etb_settle(t);
}

void core_etb_flow(struct core_thread *t, const struct door *d)
{
	static const uint8_t cirs[] = { [DOOR_CHK] = CIR_CHK, [DOOR_RFI] = CIR_RFI,
					[DOOR_INTERRUPT] = CIR_EXCEPTION };
	static const uint8_t stats[] = { [DOOR_CHK] = STAT_FLUSH, [DOOR_RFI] = STAT_RFI,
					 [DOOR_INTERRUPT] = STAT_EXCEPTION };
	uint64_t cfg = *t->pmc[PMC_ETB_CFG];
	/* In the shadow of a replay an interrupt from outside slips in, with an IP that never ran. */
	bool async = d->kind == DOOR_INTERRUPT && d->v[DOOR_ASYNC_] && !d->v[DOOR_REPLAY_];

	if (async) {
		outside(t, d);
		return;
	}
	if (!watching(t, cfg) || !(bits_get(cfg, 21, 19) & cirs[d->kind]) || d->v[DOOR_SYNTH_]) {
		core_etb_settle(t);
		return;
	}
	chain(t, d);
	put_source(t, d, d->v[DOOR_SLOT_], stats[d->kind]);
	if (d->v[DOOR_TWICE_])
		put_source(t, d, d->v[DOOR_SLOT_], stats[d->kind]);
	if (d->kind == DOOR_RFI && d->v[DOOR_TEMPLATE_] && d->v[DOOR_REPLAY_])
		return;		/* the target is lost */
	target(t, d, d->v[DOOR_TARGET_]);
}

/* IP-EAR: an entry of ip, with the rest of the delay where it was cut off. */
static void put_ip(struct core_thread *t, uint64_t entry, bool cut, uint64_t clock)
{
	struct etb *b = &t->etb;
	uint64_t cycles = clock - b->last;

	if (cycles > CYCLES_MOST)
		cycles = CYCLES_MOST;
	put(t, entry, (uint64_t)b->flushed << 14 | (uint64_t)cut << 13 | cycles);
	b->last = clock;
	b->flushed = false;
	if (!cut && !b->stopped)
		core_count(t, EV_EAR_ETB, 1, NULL);
}

/* The last entry shows whatever retired last. */
void core_ipear_settle(struct core_thread *t)
{
	struct etb *b = &t->etb;

	if (!b->stopping || b->stopped || core_clock(t) < b->freeze_at)
		return;
	b->stopped = true;
	if (core_ipear_on(t))
		put_ip(t, b->last_ip, false, b->freeze_at);
}

void core_ipear_freeze(struct core_thread *t, uint64_t clock)
{
	t->etb.stopping = true;
	t->etb.stopped = false;
	t->etb.freeze_at = clock + bits_get(*t->pmc[PMC_IPEAR_CFG], 18, 11);
	core_ipear_settle(t);
}

void core_ipear_cut(struct core_thread *t)
{
	struct etb *b = &t->etb;
	uint64_t clock = core_clock(t), cfg = *t->pmc[PMC_IPEAR_CFG];

	core_ipear_settle(t);
	if (!b->stopping || b->stopped || !core_ipear_on(t) ||
	    (core_allows(t, cfg) && t->psr[DOOR_FG_] & 2))
		return;
	b->stopped = true;
	put_ip(t, (b->last_ip & ~bits_low(8)) | ((b->freeze_at - clock) & bits_low(8)), true, clock);
}

void core_ipear_retire(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	struct etb *b = &t->etb;
	uint64_t cfg = *t->pmc[PMC_IPEAR_CFG], clock = core_clock(t);
	uint64_t group = (d->v[DOOR_IP_] & ~bits_low(4)) - 16 * d->v[DOOR_BN_];

	core_ipear_settle(t);
	if (!core_ipear_on(t) || b->stopped || !core_allows(t, cfg) || !tags->range[0])
		return;
	b->flushed |= d->v[DOOR_FLUSH_] != 0;
	b->last_ip = group | d->v[DOOR_BN_] << 2 | d->v[DOOR_SLOT_];
	put_ip(t, b->last_ip, false, clock);
}
