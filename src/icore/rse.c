/* SPDX-License-Identifier: BSD-2-Clause */
/* The register stack engine (2.8, 4.2.18): it is lazy, and what it loads and stores goes the way of all data. */
#include "icore/private.h"

/* The words between ar.bspstore and its place n registers up; collections of NaTs among them. */
static unsigned words_up(uint64_t address, unsigned registers)
{
	unsigned words = 0;

	for (; registers; words++, address += 8)
		registers -= (address >> 3 & 63) != 63;
	return words;
}

static unsigned words_down(uint64_t address, unsigned registers)
{
	unsigned words = 0;

	while (registers) {
		address -= 8;
		registers -= (address >> 3 & 63) != 63;
		words++;
	}
	return words;
}

static void put(struct icore *c, const struct access *a)
{
	struct line *line = icore_translated(c, a->address) ? icore_fld(c, a->address) : NULL;

	icore_fld_write(c, a, line);
	if (line)
		icore_fld_use(c, line, a);
	icore_access(c, a);
}

/* What is likely to follow is fetched ahead: a line, the way the last episode went (2.3.4.1.3). */
static void ahead(struct icore *c, uint64_t address, enum prefetch_kind kind)
{
	struct prefetch p = { .address = address & ~UINT64_C(63), .kind = (uint8_t)kind, .left = 1,
			      .exclusive = kind == PREFETCH_RSE_STORE, .fill = kind != PREFETCH_RSE_STORE,
			      .hints = (uint16_t)(DROP_TLB << DROP_SHIFT) };

	icore_prefetch(c, &p);
}

static void refer(struct icore *c, uint64_t address, unsigned words, bool store)
{
	for (unsigned i = 0; i < words; i++) {
		struct access a = { .address = store ? address + 8 * i : address - 8 * (i + 1u), .size = 8, .store = store,
				    .exclusive = store, .type = store ? STORE_RSE : LOAD_RSE };

		if (store)
			put(c, &a);
		else
			icore_load(c, &a);
		tell(c, store ? POULSON_CORE_DATA_REF_STORE_RSE : POULSON_CORE_DATA_REF_LOAD_RSE, 1);
		tell(c, store ? POULSON_CORE_DATA_REF_STORE_ANY : POULSON_CORE_DATA_REF_LOAD_ANY, 1);
		tell(c, POULSON_CORE_DATA_REF_ANY, 1);
		tell(c, POULSON_CORE_RSE_REF_RETIRED_ANY, 1);
		tell(c, store ? POULSON_CORE_RSE_REF_RETIRED_STORE : POULSON_CORE_RSE_REF_RETIRED_LOAD, 1);
		tell(c, POULSON_CORE_M_ASYNC_OP_ISSUE_ANY, 1);
		tell(c, store ? POULSON_CORE_M_ASYNC_OP_ISSUE_RSE_STORE : POULSON_CORE_M_ASYNC_OP_ISSUE_RSE_LOAD, 1);
	}
}

/* Two words a cycle through the M pipes, behind a first wait. */
static void inject(struct icore *c, unsigned code, uint64_t address, unsigned words, bool store)
{
	if (!words)
		return;
	tell_cycles(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_ANY, RSE_FIRST_WAIT);
	icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_RSE_WAIT, RSE_FIRST_WAIT);
	refer(c, address, words, store);
	tell_cycles(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_ANY, (words + 1) / 2);
	icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, code, (words + 1) / 2);
	if (store)
		ahead(c, address + 8 * (words - 1) + 64, PREFETCH_RSE_STORE);
	else
		ahead(c, address - 8 * words - 64, PREFETCH_RSE_LOAD);
}

/* 4.2.18.1: the frame and what is dirty, as they were just before. */
static void sizes(struct icore *c, const struct ia64 *m)
{
	tell(c, POULSON_CORE_RETIRED_INST_RSE, 1);
	tell_free(c, POULSON_CORE_RSE_CURRENT_REG_MSB, m->sof >> 3);
	tell_free(c, POULSON_CORE_RSE_CURRENT_REG_LSB, m->sof & 7);
	tell_free(c, POULSON_CORE_RSE_DIRTY_REG_MSB, m->dirty >> 4);
	tell_free(c, POULSON_CORE_RSE_DIRTY_REG_LSB, m->dirty & 15);
}

static void spill(struct icore *c, const struct ia64 *m, unsigned frame)
{
	unsigned over = m->dirty + frame > STACKED ? m->dirty + frame - STACKED : 0;

	inject(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_ST, m->bspstore, words_up(m->bspstore, over), true);
}

/* 2.3.1.1: what changes the hint registers twice within a window of six cycles replays. */
static void hints_change(struct icore *c)
{
	c->hints_at[1] = c->hints_at[0];
	c->hints_at[0] = c->cycle + 1;
}

static void hints_back(struct icore *c, const struct ia64 *m)
{
	if (!m->hints.frames)
		tell(c, POULSON_CORE_DAHS_UNDERFLOW, 1);
	if (!c->hints_at[1] || c->hints_at[1] + HINTS_WINDOW <= c->cycle + 1)
		return;
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_DAHR_HZRD, REPLAY_WB2);
}

void icore_rse(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	unsigned sol = m->ar[64] >> 7 & 127;

	switch (k->run) {
	case RUN_ALLOC:
		sizes(c, m);
		spill(c, m, op->imm & 127);
		break;
	case RUN_FLUSHRS:
		sizes(c, m);
		inject(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_ST, m->bspstore, (unsigned)((m->bsp - m->bspstore) / 8), true);
		break;
	case RUN_LOADRS: {
		uint64_t low = m->bsp - (m->ar[16] >> 16 & 0x3fff & ~UINT64_C(7));

		sizes(c, m);
		inject(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_LOAD, m->bspstore,
		       m->bspstore > low ? (unsigned)((m->bspstore - low) / 8) : 0, false);
		break;
	}
	case RUN_MOV_TO_AR:
		if (op->k == 18)
			ahead(c, gr(m, op->r2) - 8, PREFETCH_BSPSTORE);
		break;
	case RUN_BR_RET:
		hints_back(c, m);
		sizes(c, m);
		inject(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_CFLE, m->bspstore,
		       m->dirty < sol ? words_down(m->bspstore, sol - m->dirty) : 0, false);
		break;
	case RUN_MOV_TO_DAHR:
		hints_change(c);
		break;
	case RUN_BR_CALL: case RUN_BRL_CALL: case RUN_BR_CALL_IND: case RUN_COVER:
		if (k->run != RUN_COVER)
			hints_change(c);
		sizes(c, m);
		break;
	default:
		break;
	}
}
