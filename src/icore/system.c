/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that read what has just been written, need the operating system, or another pass of the FPU (table 2-38, 4.2.3). */
#include "icore/private.h"

enum { SYSTEM_CALL = 0x100000, PAUSE = 0 };
enum { AR_RSC = 16, AR_BSP, AR_BSPSTORE, AR_RNAT, AR_FPSR = 40, AR_PFS = 64 };

static void replay(struct icore *c, uint64_t at, unsigned code)
{
	if (!at || at + WRITE_WINDOW <= c->cycle + 1)
		return;
	icore_lose(c, POULSON_CORE_CYC_BE_EXE_REPLAY_ANY, code, REPLAY_EXE);
}

static void again(struct icore *c, unsigned code)
{
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, code, REPLAY_WB2);
}

static void writes(struct icore *c, unsigned ar)
{
	if (ar == AR_FPSR)
		c->fpsr_at = c->cycle + 1;
	else if (ar == AR_PFS)
		c->pfs_at = c->cycle + 1;
	else if (ar == AR_RSC || ar == AR_BSPSTORE)
		c->rse_at = c->cycle + 1;
}

static void reads(struct icore *c, unsigned ar)
{
	if (ar == AR_RSC || ar == AR_BSP || ar == AR_BSPSTORE || ar == AR_RNAT)
		replay(c, c->rse_at, POULSON_CORE_CYC_BE_EXE_REPLAY_ARCR);
	else if (ar == AR_FPSR)
		replay(c, c->fpsr_at, POULSON_CORE_CYC_BE_EXE_REPLAY_FPSR);
}

/* A number whose integer bit is missing. */
static bool is_denormal(const struct fp_reg *f)
{
	return f->sig && !(f->sig >> 63) && (f->se & FP_EXP_ONES) != FP_EXP_ONES;
}

/* 4.2.3.12: operands are normalized first, but not those of products alone, fmpy and fnorm. */
static void operands(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	if (k->run != RUN_FMA || op->r2 == 0)
		return;
	if (!is_denormal(fr_at(m, op->r2)) && !is_denormal(fr_at(m, op->r3)) && !is_denormal(fr_at(m, op->r4)))
		return;
	tell(c, POULSON_CORE_FP_DENORMAL, 1);
	again(c, POULSON_CORE_CYC_BE_WB2_REPLAY_FP_DEN);
}

/* The operating system runs at level 0, and comes back. */
static void system_call_of(struct icore *c)
{
	tell(c, POULSON_CORE_CPU_CPL_CHANGE_ANY, 2);
	tell(c, POULSON_CORE_CPU_CPL_CHANGE_FROM3, 1);
	tell(c, POULSON_CORE_CPU_CPL_CHANGE_FROM0, 1);
}

static void pause(struct icore *c)
{
	icore_drop_switch(c);
	again(c, POULSON_CORE_CYC_BE_WB2_REPLAY_PAUSE);
}

static void other(struct icore *c, const struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	if (k->run == RUN_BREAK && op->imm == SYSTEM_CALL)
		system_call_of(c);
	else if (k->run == RUN_NOP && op->imm == PAUSE)
		pause(c);
	else if (k->run == RUN_FCHKF && fp_fchkf(m->ar[AR_FPSR], op->x[0]))
		tell(c, POULSON_CORE_FP_FCHKF_FAIL, 1);
}

void icore_system(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	if (k->unit == ICORE_F) {
		replay(c, c->fpsr_at, POULSON_CORE_CYC_BE_EXE_REPLAY_FPSR);
		c->fpsr_at = 0;
		operands(c, m, op, k);
	}
	switch (k->class) {
	case CLASS_MOVTOAR: writes(c, op->k); break;
	case CLASS_SLOW:
		if (k->run == RUN_MOV_FROM_AR)
			reads(c, op->k);
		break;
	case CLASS_ALLOC: replay(c, c->pfs_at, POULSON_CORE_CYC_BE_EXE_REPLAY_ARCR); break;
	case CLASS_OTHER: other(c, m, op, k); break;
	default: break;
	}
}

void icore_tiny(struct icore *c, struct ia64 *m)
{
	tell(c, POULSON_CORE_FP_FLUSH_TO_ZERO_FTZ_REAL, m->flushed);
	tell(c, POULSON_CORE_FP_FLUSH_TO_ZERO_FTZ_POSS, m->tiny - m->flushed);
	m->tiny = m->flushed = 0;
}
