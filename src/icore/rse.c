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

static void refer(struct icore *c, uint64_t address, unsigned words, bool store)
{
	enum { LOAD_RSE = 3, STORE_RSE = 6 };

	for (unsigned i = 0; i < words; i++) {
		struct access a = { .address = store ? address + 8 * i : address - 8 * (i + 1u), .size = 8, .store = store,
				    .exclusive = store, .type = store ? STORE_RSE : LOAD_RSE };

		icore_access(c, &a);
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
	case RUN_BR_RET:
		sizes(c, m);
		inject(c, POULSON_CORE_CYC_BE_IBD_STALL_RSE_CFLE, m->bspstore,
		       m->dirty < sol ? words_down(m->bspstore, sol - m->dirty) : 0, false);
		break;
	case RUN_BR_CALL: case RUN_BRL_CALL: case RUN_BR_CALL_IND: case RUN_COVER:
		sizes(c, m);
		break;
	default:
		break;
	}
}
