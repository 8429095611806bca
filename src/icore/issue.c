/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Issue groups, and a reason for every cycle (2.5.2, 4.2.2, 4.2.4).
 *
 * A cycle issues a group, or is lost for one reason: what adds up to the cycles of the core is CYC_BE_NO_BUBBLE, one a
 * group, and CYC_BE_BUBBLE.ANY, whose parts are the replays, stalls and flushes below it.
 */
#include <stdlib.h>
#include <string.h>

#include "icore/private.h"

/* Why a group ends: IBL_ISSUE_STOP and IBL_ISSUE_LOST_BW. */
enum why { WHY_EXPLICIT, WHY_ASYM_I, WHY_ASYM_M, WHY_OVRSUB_M, WHY_OVRSUB_I, WHY_OVRSUB_A, WHY_OVRSUB_F, WHY_STRUCT, WHY_9PLUS3,
	   WHY_FLD_M1 };

static const struct { uint16_t stop, lost; } whys[] = {
	[WHY_EXPLICIT] = { POULSON_CORE_IBL_ISSUE_STOP_EXPLICIT, 0 },
	[WHY_ASYM_I] = { POULSON_CORE_IBL_ISSUE_STOP_ASYM_I, POULSON_CORE_IBL_ISSUE_LOST_BW_ASYM_I },
	[WHY_ASYM_M] = { POULSON_CORE_IBL_ISSUE_STOP_ASYM_M, POULSON_CORE_IBL_ISSUE_LOST_BW_ASYM_M },
	[WHY_OVRSUB_M] = { POULSON_CORE_IBL_ISSUE_STOP_OVRSUB_M, POULSON_CORE_IBL_ISSUE_LOST_BW_OVRSUB_M },
	[WHY_OVRSUB_I] = { POULSON_CORE_IBL_ISSUE_STOP_OVRSUB_I, POULSON_CORE_IBL_ISSUE_LOST_BW_OVRSUB_I },
	[WHY_OVRSUB_A] = { POULSON_CORE_IBL_ISSUE_STOP_OVRSUB_A, POULSON_CORE_IBL_ISSUE_LOST_BW_OVRSUB_A },
	[WHY_OVRSUB_F] = { POULSON_CORE_IBL_ISSUE_STOP_OVRSUB_F, POULSON_CORE_IBL_ISSUE_LOST_BW_OVRSUB_F },
	[WHY_STRUCT] = { POULSON_CORE_IBL_ISSUE_STOP_STRUCT, POULSON_CORE_IBL_ISSUE_LOST_BW_STRUCT },
	[WHY_9PLUS3] = { POULSON_CORE_IBL_ISSUE_STOP_9PLUS3, POULSON_CORE_IBL_ISSUE_LOST_BW_9PLUS3 },
	[WHY_FLD_M1] = { POULSON_CORE_IBL_ISSUE_STOP_FLD_DMND_M1, POULSON_CORE_IBL_ISSUE_LOST_BW_FLD_DMND_M1 },
};

void icore_note(struct icore *c, unsigned code, uint64_t n, bool span, bool own)
{
	if (n && c->tolds < TOLD)
		c->told[c->tolds++] = (struct icore_told){ .at = c->cycle, .n = (uint32_t)n, .code = (uint16_t)code,
							    .span = span, .own = own && !c->detached };
}

/* Entries of the queues that are in use in the cycles up to one. */
static void tell_queues(struct icore *c, uint64_t cycle)
{
	struct queue *const queues[] = { &c->ozq, &c->ozdata, &c->fab, &c->smq, &c->drq, &c->frq, &c->wrq, &c->wlb, &c->snq };

	for (unsigned i = 0; i < sizeof queues / sizeof *queues; i++)
		icore_queue_tell(c, queues[i], cycle);
}

/* Before cycles pass: memory ports that instructions leave are the prefetch queue's. */
static void pass(struct icore *c, uint64_t cycles, unsigned ports)
{
	if (__builtin_expect(c->dpfq.n, 0))
		icore_prefetch_run(c, cycles, ports);
	if (__builtin_expect(c->exact, 0))
		tell_queues(c, c->cycle + cycles);
}

/* 2.4.2.3: waits for data, translations and instructions let the other thread in, if they last. */
static bool blocks(unsigned code)
{
	return code == POULSON_CORE_CYC_BE_IBD_STALL_GR_LOAD || code == POULSON_CORE_CYC_BE_IBD_STALL_FR_LOAD ||
	       code == POULSON_CORE_CYC_BE_IBD_STALL_HPW || code == POULSON_CORE_CYC_BE_IBD_STALL_FEBUB;
}

/* Tables 2-41, 2-45: the other thread is in low-power halt, and stays there. */
void icore_drop_switch(struct icore *c)
{
	tell_free(c, POULSON_CORE_MT_BE_THRSW_DROP, 1);
}

void icore_lose(struct icore *c, unsigned any, unsigned code, uint64_t n)
{
	if (!n)
		return;
	tell_cycles(c, POULSON_CORE_CYC_BE_BUBBLE_ANY, n);
	tell_cycles(c, any, n);
	tell_cycles(c, code, n);
	tell_cycles(c, POULSON_CORE_IBL_ISSUE_STOP_NONE, n);
	if (n > SWITCH_DELAY && blocks(code))
		icore_drop_switch(c);
	pass(c, n, 2);
	c->cycle += n;
}

/* The group at hand issues in its cycle. */
static void close_group(struct icore *c, unsigned stop)
{
	if (!c->open)
		return;
	tell_cycles(c, POULSON_CORE_CYC_BE_NO_BUBBLE, 1);
	tell(c, stop, 1);
	pass(c, 1, c->m < 2 ? 2u - c->m : 0);
	c->cycle++;
	c->open = c->stop = false;
	c->m = c->i = c->a = c->f = c->b = c->bundles = 0;
}

void icore_group_end(struct icore *c, unsigned stop)
{
	if (c->open) {
		close_group(c, stop);
		c->bundles = 1;
	}
}

/* Instructions from a slot on up to the next stop: what the group might have had, too. */
static unsigned syllables(struct icore *c, struct ia64 *m, unsigned slot)
{
	struct ia64_bundle words = c->words;
	unsigned n = 0, stops = c->stops;
	uint64_t ip = c->bundle;

	for (unsigned b = 0; b <= GROUP_BUNDLES; b++, slot = 0) {
		struct page *page;

		for (; slot < 3; slot++) {
			n++;
			if (stops >> slot & 1)
				return n;
		}
		ip += 16;
		page = memory_page(m, ip, IA64_EXEC);
		if (!page)
			return n;
		memcpy(&words, page->data + (ip & (PAGE_SIZE - 1)), sizeof words);
		if (!ia64_template(&words, &stops))
			return n;
	}
	return n;
}

static void cut_group(struct icore *c, struct ia64 *m, enum why why, unsigned slot)
{
	if (whys[why].lost) {
		unsigned n = syllables(c, m, slot);

		tell(c, POULSON_CORE_IBL_ISSUE_LOST_BW_ANY, n);
		tell(c, whys[why].lost, n);
	}
	close_group(c, whys[why].stop);
}

/* Integer operations of the A queue take what the M and I instructions of the group have left of six. */
static bool room_for_a(const struct icore *c)
{
	return c->m + c->i + c->a < 6;
}

/* A prefetch that has waited too long takes the second memory pipe. */
static enum why refuses_m(const struct icore *c)
{
	if (c->m == 1 && c->dpfq.preempts)
		return WHY_FLD_M1;
	return c->m < 2 ? WHY_EXPLICIT : WHY_OVRSUB_M;
}

/* Why the group cannot have the instruction; WHY_EXPLICIT: it can. */
static enum why refuses(const struct icore *c, const struct kind *k)
{
	if (c->bundles > GROUP_BUNDLES)
		return WHY_STRUCT;
	if (c->bundles == GROUP_BUNDLES && k->port != PORT_NONE && k->port != PORT_B)
		return WHY_9PLUS3;
	switch (k->port) {
	case PORT_M0:
		if (c->m == 1)
			return WHY_ASYM_M;
		return c->m < 2 ? WHY_EXPLICIT : WHY_OVRSUB_M;
	case PORT_M: return refuses_m(c);
	case PORT_MA: return c->m < 2 || room_for_a(c) ? WHY_EXPLICIT : WHY_OVRSUB_A;
	case PORT_I0:
		if (c->i == 1)
			return WHY_ASYM_I;
		return c->i < 2 ? WHY_EXPLICIT : WHY_OVRSUB_I;
	case PORT_I: return c->i < 2 ? WHY_EXPLICIT : WHY_OVRSUB_I;
	case PORT_A: return c->i + c->a < 4 && room_for_a(c) ? WHY_EXPLICIT : WHY_OVRSUB_A;
	case PORT_AM: return room_for_a(c) ? WHY_EXPLICIT : WHY_OVRSUB_A;
	case PORT_F: return c->f < 2 ? WHY_EXPLICIT : WHY_OVRSUB_F;
	case PORT_B: return c->b < 3 ? WHY_EXPLICIT : WHY_STRUCT;
	default: return WHY_EXPLICIT;
	}
}

static void take_port(struct icore *c, const struct kind *k)
{
	/* An lfetch goes to A where both memory pipes are taken (2.3.4.1.2). */
	bool lfetch = k->port == PORT_MA, m_is_free = refuses_m(c) == WHY_EXPLICIT;

	c->on_a = lfetch && !m_is_free;
	c->m += k->port == PORT_M || k->port == PORT_M0 || (lfetch && m_is_free);
	c->i += k->port == PORT_I || k->port == PORT_I0;
	c->a += k->port == PORT_A || k->port == PORT_AM || c->on_a;
	c->f += k->port == PORT_F;
	c->b += k->port == PORT_B;
	c->open = true;
}

static void enter_bundle(struct icore *c, struct ia64 *m, uint64_t ip)
{
	struct page *page = memory_page(m, ip, IA64_EXEC);

	if (c->wide_branch)
		c->stop = true;
	c->wide_branch = false;
	if (c->stop)
		close_group(c, POULSON_CORE_IBL_ISSUE_STOP_EXPLICIT);
	c->bundle = ip;
	c->program = m;
	memcpy(&c->words, page->data + (ip & (PAGE_SIZE - 1)), sizeof c->words);
	c->template = ia64_template(&c->words, &c->stops);
	c->now = (struct icore_instruction){ .btype = 255 };
	c->bundles++;
	icore_fetch(c, ip);
}

/* Into the group at hand, or a new one. */
static void disperse(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	enum why why;

	if (c->stop) {
		close_group(c, POULSON_CORE_IBL_ISSUE_STOP_EXPLICIT);
		c->bundles = 1;
	}
	why = refuses(c, k);
	if (why != WHY_EXPLICIT) {
		cut_group(c, m, why, op->slot);
		c->bundles = 1;
	}
	take_port(c, k);
	tell(c, POULSON_CORE_IBL_ISSUE_ANY, 1 + op->wide);
	if (k->unit == ICORE_M && k->port != PORT_NONE)
		tell(c, POULSON_CORE_IBL_ISSUE_M_PIPE, 1);
	if (c->stops >> (op->slot + op->wide) & 1)
		c->stop = true;
}

static bool is_branch(const struct kind *k)
{
	return k->class == CLASS_BRANCH;
}

/* Chapter 4.2.3: what retirement alone can tell. */
static void retired(struct icore *c, const struct ia64_op *op, const struct kind *k, bool on)
{
	bool brp = k->class == CLASS_NOP;

	tell(c, POULSON_CORE_IA64_INST_RETIRED, 1);
	if (brp) {
		tell(c, POULSON_CORE_RETIRED_INST_NOP, 1);
		return;
	}
	if (!on) {
		tell(c, POULSON_CORE_RETIRED_PREDICATE_SQUASHED, 1);
		return;
	}
	if (k->unit == ICORE_M) {
		tell(c, POULSON_CORE_RETIRED_INST_M_ANY, 1);
		if (k->run == RUN_MOV_TO_DAHR)
			tell(c, POULSON_CORE_RETIRED_INST_M_MOVTODAHR, 1);
		if (k->run == RUN_MOV_TO_AR && op->k == 18)
			tell(c, POULSON_CORE_RETIRED_INST_M_MOVTOBSPST, 1);
	} else if (k->unit == ICORE_F) {
		tell(c, POULSON_CORE_RETIRED_INST_FP, 1);
		tell(c, POULSON_CORE_FP_FLOP, k->flops);
	}
}

/* The predicate that the instruction has itself: forms that always execute keep it aside. */
static bool own_predicate(const struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on)
{
	bool aside = k->class == CLASS_CMP || k->class == CLASS_FCMP;

	return on && !(aside && op->qp == 0 && op->k && !(m->pr >> (op->k & 63) & 1));
}

static void execute(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on)
{
	icore_wait(c, m, op, k, on);
	if (on) {
		icore_system(c, m, op, k);
		icore_produce(c, m, op, k);
		icore_memory(c, m, op, k);
		icore_rse(c, m, op, k);
	}
	if (is_branch(k)) {
		c->wide_branch = true;
		icore_branch(c, m, op, k, on);
	}
}

void icore_retire(void *core, struct ia64 *m, const struct ia64_op *op, uint64_t ip, bool on)
{
	struct icore *c = core;
	const struct kind *k = icore_kind(c, op);

	if (__builtin_expect(m->tiny, 0))
		icore_tiny(c, m);
	if (ip != c->bundle || c->led)
		enter_bundle(c, m, ip);
	else
		c->now = (struct icore_instruction){ .btype = 255 };
	on = own_predicate(m, op, k, on);
	c->now.ip = ip;
	c->now.slot = op->slot;
	if (c->exact) {
		c->now.bits = ia64_slot(&c->words, op->slot + (op->wide && op->slot == 1));
		c->now.unit = k->unit;
		c->now.window = c->bundles ? c->bundles - 1 : 0;
		c->now.on = on;
		c->now.nop = k->class == CLASS_NOP;
		c->now.flops = k->flops;
	}
	disperse(c, m, op, k);
	retired(c, op, k, on);
	execute(c, m, op, k, on);
	m->itc = c->cycle;
}

uint64_t icore_cycles(const struct icore *c)
{
	return c->cycle + c->open;
}

void icore_halt(struct icore *c)
{
	close_group(c, POULSON_CORE_IBL_ISSUE_STOP_EXPLICIT);
	icore_fld_finish(c);
	icore_transferred(c);
	tell_queues(c, c->cycle);
	/* The front end has nothing more to fetch. */
	if (c->fetched < c->cycle) {
		uint64_t n = c->cycle - c->fetched;

		tell_cycles(c, POULSON_CORE_CYC_FE_BUBBLE_ANY, n);
		tell_cycles(c, POULSON_CORE_CYC_FE_RESTEER_ANY, n);
		tell_cycles(c, POULSON_CORE_CYC_FE_RESTEER_BE_FLUSH, n);
		c->fetched = c->cycle;
	}
}

void icore_wake(struct icore *c, uint64_t cycle)
{
	if (cycle > c->cycle)
		c->cycle = c->fetched = cycle;
	c->bundle = c->pair = UINT64_MAX;
}

uint64_t *icore_counts(struct icore *c)
{
	if (!c->exact)
		tell_queues(c, c->cycle);
	return c->count;
}

void icore_exact(struct icore *c, bool exact)
{
	c->exact = exact;
}

const struct icore_told *icore_told(const struct icore *c, unsigned *n)
{
	*n = c->tolds;
	return c->told;
}

void icore_told_clear(struct icore *c)
{
	c->tolds = 0;
}

const struct icore_instruction *icore_instruction(const struct icore *c)
{
	return &c->now;
}

static bool make_caches(struct icore *c)
{
	return icore_cache_init(&c->fli, FLI_SETS, FLI_WAYS, 6) && icore_cache_init(&c->mli, MLI_SETS, MLI_WAYS, 6) &&
	       icore_cache_init(&c->fld, FLD_SETS, FLD_WAYS, 6) && icore_cache_init(&c->mld, MLD_SETS, MLD_WAYS, 6);
}

static struct queue make_queue(unsigned size, unsigned shift, unsigned high, unsigned low)
{
	return (struct queue){ .size = size, .shift = shift, .high = (uint16_t)high, .low = (uint16_t)low };
}

static void make_queues(struct icore *c)
{
	c->ozq = make_queue(OZQ_ENTRIES, 1, POULSON_CORE_MLD_OZQ_COUNT_MSB, POULSON_CORE_MLD_OZQ_COUNT_LSB);
	c->ozdata = make_queue(OZDATA_ENTRIES, 2, POULSON_CORE_MLD_OZDATA_COUNT_MSB, POULSON_CORE_MLD_OZDATA_COUNT_LSB);
	c->fab = make_queue(FAB_ENTRIES, 1, POULSON_CORE_MLD_FAB_COUNT_MSB, POULSON_CORE_MLD_FAB_COUNT_LSB);
	c->drq = make_queue(RIL_ENTRIES, 2, POULSON_CORE_RIL_DRQ_VALID_MSB, POULSON_CORE_RIL_DRQ_VALID_LSB);
	c->frq = make_queue(FRQ_ENTRIES, 1, POULSON_CORE_RIL_FRQ_VALID_MSB, POULSON_CORE_RIL_FRQ_VALID_LSB);
	c->wrq = make_queue(RIL_ENTRIES, 2, POULSON_CORE_RIL_WRQ_VALID_MSB, POULSON_CORE_RIL_WRQ_VALID_LSB);
	c->wlb = make_queue(RIL_ENTRIES, 2, POULSON_CORE_MLD_WLB_COUNT_MSB, POULSON_CORE_MLD_WLB_COUNT_LSB);
	c->snq = make_queue(SNQ_ENTRIES, 1, POULSON_CORE_RIL_SNQ_VALID_MSB, POULSON_CORE_RIL_SNQ_VALID_LSB);
	c->smq = make_queue(SMQ_ENTRIES, 1, POULSON_CORE_MLD_SMQ_COUNT_MSB, POULSON_CORE_MLD_SMQ_COUNT_LSB);
}

struct icore *icore_new(const struct icore_outside *outside)
{
	struct icore *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->outside = *outside;
	c->bundle = UINT64_MAX;
	c->pair = UINT64_MAX;
	c->flitlb.entries = FLITLB_ENTRIES;
	c->mlitlb.entries = MLITLB_ENTRIES;
	c->fldtlb.entries = FLDTLB_ENTRIES;
	c->dtb.entries = DTB_ENTRIES;
	make_queues(c);
	c->branches = calloc(BRANCHES, sizeof *c->branches);
	if (!c->branches || !make_caches(c)) {
		icore_free(c);
		return NULL;
	}
	return c;
}

void icore_free(struct icore *c)
{
	if (!c)
		return;
	free(c->fli.line);
	free(c->mli.line);
	free(c->fld.line);
	free(c->mld.line);
	free(c->branches);
	free(c);
}
