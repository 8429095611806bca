/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch prediction (2.7) and the events of branches that retire (4.2.6). */
#include "icore/private.h"

enum { IPREL = 1, RETURN, NON_RETIND };	/* classes as events have them */
enum { ENCODED = 1, OVERSUBSCRIBED };

static const uint8_t btypes[RUNS] = {
	[RUN_BR_COND] = 0, [RUN_BRL_COND] = 0, [RUN_BR_WEXIT] = 1, [RUN_BR_WTOP] = 1, [RUN_BR_CLOOP] = 1, [RUN_BR_CEXIT] = 1,
	[RUN_BR_CTOP] = 1, [RUN_BR_CALL] = 2, [RUN_BRL_CALL] = 2, [RUN_BR_RET] = 3, [RUN_BR_IND] = 4, [RUN_BR_CALL_IND] = 5,
};

static bool is_counted(uint16_t run)
{
	return run == RUN_BR_CLOOP || run == RUN_BR_CTOP || run == RUN_BR_CEXIT || run == RUN_BR_WTOP || run == RUN_BR_WEXIT;
}

/* Will it be taken?  The state is that before it executes. */
static bool takes(const struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on)
{
	bool more = m->ar[65] != 0, drains = m->ar[66] > 1;

	switch (k->run) {
	case RUN_BR_CLOOP: return more;
	case RUN_BR_CTOP: return more || drains;
	case RUN_BR_CEXIT: return !(more || drains);
	case RUN_BR_WTOP: return (m->pr >> op->k & 1) || drains;
	case RUN_BR_WEXIT: return !((m->pr >> op->k & 1) || drains);
	default: return on;
	}
}

static uint64_t leads_to(const struct ia64 *m, const struct ia64_op *op, const struct kind *k, uint64_t ip)
{
	if (k->branch_br)
		return m->br[op->r2] & ~UINT64_C(15);
	return ip + (uint64_t)op->imm;
}

static unsigned branches_of(const struct ia64_bundle *words)
{
	unsigned stops, found = 0;
	const char *template = ia64_template(words, &stops);

	for (unsigned slot = 0; template && slot < 3; slot++) {
		const struct form *form = template[slot] == 'B' ? ia64_form('B', ia64_slot(words, slot), false) : NULL;

		if (form && (btypes[form->run] || form->run == RUN_BR_COND))
			found |= 1u << slot;
	}
	return found;
}

/* 4.2.6.2: what the branch caches make of its bundle, and of the pair that this belongs to. */
static uint8_t shape_of(struct icore *c, uint64_t ip)
{
	struct page *page = memory_page(c->program, ip, IA64_EXEC);
	struct ia64_bundle pair[2];
	unsigned own, other, n;

	memcpy(pair, page->data + (ip & (PAGE_SIZE - 1) & ~UINT64_C(31)), sizeof pair);
	own = branches_of(&pair[ip >> 4 & 1]);
	other = branches_of(&pair[~ip >> 4 & 1]);
	n = (unsigned)__builtin_popcount(own) + (unsigned)__builtin_popcount(other);
	return (uint8_t)((own & 1 ? ENCODED : 0) | (own && other && n > 2 ? OVERSUBSCRIBED : 0));
}

static struct branch *entry_of(struct icore *c, uint64_t ip, unsigned slot)
{
	uint64_t at = ip | slot;
	struct branch *b = &c->branches[(ip >> 4 ^ ip >> 16 ^ slot << 10) % BRANCHES];

	if (!b->valid || b->ip != at)
		*b = (struct branch){ .ip = at, .shape = shape_of(c, ip) };
	return b;
}

/* sptk, spnt, dptk, dpnt by the alternative of the completer. */
static bool first_guess(const struct ia64_op *op)
{
	return !(op->x[0] & 1);
}

static bool guess_path(const struct branch *b, const struct ia64_op *op, const struct kind *k)
{
	if (op->qp == 0 && !is_counted(k->run))
		return true;
	if (op->x[0] < 2)
		return first_guess(op);
	return b->valid ? b->counter[b->history & 15] >= 2 : first_guess(op);
}

static void learn(struct branch *b, const struct ia64_op *op, bool taken, uint64_t target)
{
	uint8_t *counter;

	if (!b->valid) {
		b->valid = 1;
		for (unsigned i = 0; i < 16; i++)
			b->counter[i] = first_guess(op) ? 2 : 1;
	}
	counter = &b->counter[b->history & 15];
	if (taken && *counter < 3)
		++*counter;
	if (!taken && *counter)
		--*counter;
	b->history = (uint8_t)(b->history << 1 | taken);
	if (taken)
		b->target = target;
}

static uint64_t guess_target(struct icore *c, const struct branch *b, const struct kind *k, uint64_t target)
{
	if (k->run == RUN_BR_RET)
		return c->returns[(c->returns_top - 1) % 8];
	return k->branch_br ? b->target : target;
}

static void push_return(struct icore *c, const struct kind *k, uint64_t ip)
{
	if (k->run == RUN_BR_CALL || k->run == RUN_BRL_CALL || k->run == RUN_BR_CALL_IND)
		c->returns[c->returns_top++ % 8] = ip + 16;
	if (k->run == RUN_BR_RET)
		c->returns_top--;
}

/* 2.7.2: four short branches that were taken lately resteer without a bubble. */
static bool in_zbb(struct icore *c, uint64_t at, bool insert)
{
	for (unsigned i = 0; i < 4; i++)
		if (c->zbb[i] == (at | 8))
			return true;
	if (insert)
		c->zbb[c->zbb_next++ % 4] = at | 8;
	return false;
}

static void resteer(struct icore *c, const struct kind *k, const struct branch *b, uint64_t at)
{
	bool streak = (b->history & 15) == 15;

	if (k->run == RUN_BR_RET)
		icore_resteer(c, POULSON_CORE_FE_RESTEER_1B_BR_RETIND, POULSON_CORE_CYC_FE_RESTEER_BR_RETIND, 1);
	else if (k->branch_br)
		icore_resteer(c, POULSON_CORE_FE_RESTEER_3B_NON_RETIND, POULSON_CORE_CYC_FE_RESTEER_NON_RETIND, 3);
	else if (k->run == RUN_BRL_COND || k->run == RUN_BRL_CALL)
		icore_resteer(c, POULSON_CORE_FE_RESTEER_3B_IPREL, POULSON_CORE_CYC_FE_RESTEER_IPREL, 3);
	else if (in_zbb(c, at, streak))
		icore_resteer(c, POULSON_CORE_FE_RESTEER_0B_IPREL, POULSON_CORE_CYC_FE_RESTEER_IPREL, 0);
	else
		icore_resteer(c, POULSON_CORE_FE_RESTEER_1B_IPREL, POULSON_CORE_CYC_FE_RESTEER_IPREL, 1);
}

/* Each class, and all of them, in codes that follow each other. */
static void count(struct icore *c, unsigned class, bool taken, bool path, bool target, bool unknown)
{
	unsigned result = !path ? 2 : target ? 1 : 3;

	for (unsigned n = 0; n <= class; n += class) {
		tell(c, POULSON_CORE_BR_PATH_PRED_ANY_MISPRED_NOT_TAKEN + 4 * n + 2u * path + taken, 1);
		tell(c, POULSON_CORE_BR_PRED_DETAIL_ANY_ANY_PRED + 4 * n, 1);
		tell(c, POULSON_CORE_BR_PRED_DETAIL_ANY_ANY_PRED + 4 * n + result, 1);
		if (unknown)
			tell(c, POULSON_CORE_BR_PRED_UNKNOWN_ANY + 2 * n, 1);
		if (unknown && taken)
			tell(c, POULSON_CORE_BR_PRED_UNKNOWN_ANY + 2 * n + 1, 1);
	}
}

static void count_shape(struct icore *c, unsigned shape, bool path, bool target)
{
	unsigned result = !path ? 2 : target ? 1 : 3;

	/* The families of encoded ones, of those that oversubscribe, and of both have the order of these bits. */
	for (unsigned set = ENCODED; set <= (ENCODED | OVERSUBSCRIBED); set++) {
		unsigned any = POULSON_CORE_BR_ENC_PRED_DETAIL_ENC_ANY_PRED + 4 * (set - 1);

		if ((shape & set) != set)
			continue;
		tell(c, any, 1);
		tell(c, any + result, 1);
	}
}

/* A misprediction: what came behind it leaves the pipeline. */
static void flush(struct icore *c)
{
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_EXPLICIT);
	icore_lose(c, POULSON_CORE_CYC_BE_WB2_FLUSH_ANY, POULSON_CORE_CYC_BE_WB2_FLUSH_BRU, FLUSH_BRANCH);
	icore_refetch(c);
}

void icore_branch(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on)
{
	uint64_t ip = c->bundle, target = leads_to(m, op, k, ip);
	bool taken = takes(m, op, k, on), guess, right, unknown = c->missed_bundle == (ip | 1);
	struct branch *b = entry_of(c, ip, op->slot);
	unsigned class = k->run == RUN_BR_RET ? RETURN : k->branch_br ? NON_RETIND : IPREL;

	guess = guess_path(b, op, k);
	right = !taken || guess_target(c, b, k, target) == target;
	if (unknown)
		guess = taken, right = true;
	learn(b, op, taken, target);
	c->now.btype = btypes[k->run];
	c->now.taken = taken;
	c->now.path_right = guess == taken;
	c->now.target_right = right;
	c->now.reached = true;
	c->now.target = taken ? target : ip + 16;
	count(c, class, taken, guess == taken, right || guess != taken, unknown);
	if (b->shape)
		count_shape(c, b->shape, guess == taken, right || guess != taken);
	if (taken)
		push_return(c, k, ip);
	if (taken)
		c->stop = true;
	c->missed_bundle = 0;
	if (guess != taken || !right) {
		/* Behind one that was predicted taken the front end has predicted nothing in this bundle. */
		if (guess && !taken)
			c->missed_bundle = ip | 1;
		flush(c);
	} else if (taken) {
		resteer(c, k, b, ip | op->slot);
	}
}
