/* SPDX-License-Identifier: BSD-2-Clause */
/* What each form is to the pipeline: its class of latency, its ports, what it reads and writes (tables 2-6, 2-16). */
#include <string.h>

#include "icore/private.h"

/* Classes of the functions that execute forms; what is not here is a simple integer operation. */
static const uint8_t classes[RUNS] = {
	[RUN_NOP] = CLASS_NOP,
	[RUN_PADD] = CLASS_MMALU, [RUN_PADD4] = CLASS_MMALU, [RUN_PSUB] = CLASS_MMALU, [RUN_PSUB4] = CLASS_MMALU,
	[RUN_PAVG] = CLASS_MMALU, [RUN_PAVGSUB] = CLASS_MMALU, [RUN_PCMP] = CLASS_MMALU, [RUN_PSHLADD2] = CLASS_MMALU,
	[RUN_PSHRADD2] = CLASS_MMALU, [RUN_PMIN1] = CLASS_MMALU, [RUN_PMAX1] = CLASS_MMALU, [RUN_PMIN2] = CLASS_MMALU,
	[RUN_PMAX2] = CLASS_MMALU,
	[RUN_MIX] = CLASS_PSMU, [RUN_PACK2] = CLASS_PSMU, [RUN_PACK4] = CLASS_PSMU, [RUN_UNPACK] = CLASS_PSMU,
	[RUN_MUX1] = CLASS_PSMU, [RUN_MUX2] = CLASS_PSMU, [RUN_PSHR] = CLASS_PSMU, [RUN_SHR] = CLASS_PSMU,
	[RUN_PSHR_IMM] = CLASS_PSMU, [RUN_PSHL] = CLASS_PSMU, [RUN_SHL] = CLASS_PSMU, [RUN_PSHL_IMM] = CLASS_PSMU,
	[RUN_POPCNT] = CLASS_PSMU, [RUN_CLZ] = CLASS_PSMU, [RUN_PSAD1] = CLASS_PSMU, [RUN_CZX_L] = CLASS_PSMU,
	[RUN_CZX_R] = CLASS_PSMU,
	[RUN_PMPYSHR2] = CLASS_IMULT, [RUN_PMPY2] = CLASS_IMULT, [RUN_MPY4] = CLASS_IMULT, [RUN_MPYSHL4] = CLASS_IMULT,
	[RUN_MOV_FROM_BR] = CLASS_IMOVFM, [RUN_MOV_IP] = CLASS_IMOVFM, [RUN_MOV_PR] = CLASS_IMOVFM,
	[RUN_CMP] = CLASS_CMP, [RUN_CMP_EQ] = CLASS_CMP, [RUN_CMP_EQ_IMM] = CLASS_CMP, [RUN_CMP_IMM] = CLASS_CMP,
	[RUN_CMP_ZERO] = CLASS_CMP, [RUN_TBIT] = CLASS_CMP, [RUN_TBIT_PAR] = CLASS_CMP, [RUN_TNAT] = CLASS_CMP,
	[RUN_TNAT_PAR] = CLASS_CMP, [RUN_TF] = CLASS_CMP, [RUN_TF_PAR] = CLASS_CMP,
	[RUN_MOV_TO_PR] = CLASS_MOVTOPR, [RUN_MOV_TO_PR_ROT] = CLASS_MOVTOPR, [RUN_MOV_TO_BR] = CLASS_MOVTOBR,
	[RUN_FCMP] = CLASS_FCMP, [RUN_FCLASS] = CLASS_FCMP, [RUN_FRCPA] = CLASS_FCMP, [RUN_FRSQRTA] = CLASS_FCMP,
	[RUN_LD] = CLASS_LOAD, [RUN_LD_REG] = CLASS_LOAD, [RUN_LD_UPD] = CLASS_LOAD, [RUN_LD_FILL] = CLASS_LOAD,
	[RUN_LD_FILL_REG] = CLASS_LOAD, [RUN_LD_FILL_UPD] = CLASS_LOAD, [RUN_LD16] = CLASS_LOAD,
	[RUN_LDF] = CLASS_FLOAD, [RUN_LDF_REG] = CLASS_FLOAD, [RUN_LDF_UPD] = CLASS_FLOAD, [RUN_LDF_FILL] = CLASS_FLOAD,
	[RUN_LDF_FILL_REG] = CLASS_FLOAD, [RUN_LDF_FILL_UPD] = CLASS_FLOAD, [RUN_LDFP] = CLASS_FLOAD, [RUN_LDFP_UPD] = CLASS_FLOAD,
	[RUN_ST] = CLASS_STORE, [RUN_ST_UPD] = CLASS_STORE, [RUN_ST_SPILL] = CLASS_STORE, [RUN_ST_SPILL_UPD] = CLASS_STORE,
	[RUN_ST16] = CLASS_STORE, [RUN_STF] = CLASS_FSTORE, [RUN_STF_UPD] = CLASS_FSTORE, [RUN_STF_SPILL] = CLASS_FSTORE,
	[RUN_STF_SPILL_UPD] = CLASS_FSTORE,
	[RUN_CMPXCHG] = CLASS_SEMAPHORE, [RUN_XCHG] = CLASS_SEMAPHORE, [RUN_FETCHADD] = CLASS_SEMAPHORE,
	[RUN_CMP8XCHG16] = CLASS_SEMAPHORE,
	[RUN_LFETCH] = CLASS_LFETCH, [RUN_LFETCH_REG] = CLASS_LFETCH, [RUN_LFETCH_UPD] = CLASS_LFETCH,
	[RUN_GETF] = CLASS_GETF, [RUN_SETF] = CLASS_SETF,
	[RUN_MOV_FROM_AR] = CLASS_SLOW, [RUN_MOV_CPUID] = CLASS_SLOW, [RUN_MOV_PMD] = CLASS_SLOW, [RUN_MOV_FROM_UM] = CLASS_SLOW,
	[RUN_PROBE] = CLASS_SLOW, [RUN_PROBE_FAULT] = CLASS_OTHER, [RUN_MOV_FROM_DAHR] = CLASS_SLOW,
	[RUN_MOV_TO_AR] = CLASS_MOVTOAR, [RUN_MOV_TO_AR_IMM] = CLASS_MOVTOAR, [RUN_MOV_TO_UM] = CLASS_SERIALIZE,
	[RUN_USER_MASK] = CLASS_SERIALIZE,
	[RUN_CHK_S] = CLASS_CHK, [RUN_CHK_S_F] = CLASS_CHK, [RUN_CHK_A] = CLASS_CHK_A, [RUN_CHK_A_F] = CLASS_CHK_A,
	[RUN_BR_CALL] = CLASS_BRANCH, [RUN_BR_CALL_IND] = CLASS_BRANCH, [RUN_BR_CEXIT] = CLASS_BRANCH, [RUN_BR_CLOOP] = CLASS_BRANCH,
	[RUN_BR_COND] = CLASS_BRANCH, [RUN_BR_CTOP] = CLASS_BRANCH, [RUN_BR_IND] = CLASS_BRANCH, [RUN_BR_RET] = CLASS_BRANCH,
	[RUN_BR_WEXIT] = CLASS_BRANCH, [RUN_BR_WTOP] = CLASS_BRANCH, [RUN_BRL_CALL] = CLASS_BRANCH, [RUN_BRL_COND] = CLASS_BRANCH,
	[RUN_ALLOC] = CLASS_ALLOC, [RUN_FLUSHRS] = CLASS_RSE, [RUN_LOADRS] = CLASS_RSE, [RUN_FC] = CLASS_FLUSH,
	[RUN_BREAK] = CLASS_OTHER, [RUN_EPC] = CLASS_OTHER, [RUN_BR_IA] = CLASS_OTHER, [RUN_PRIVILEGED] = CLASS_OTHER,
	[RUN_INVALA] = CLASS_OTHER, [RUN_INVALA_E] = CLASS_OTHER, [RUN_INVALA_E_F] = CLASS_OTHER, [RUN_MOV_TO_DAHR] = CLASS_OTHER,
	[RUN_COVER] = CLASS_OTHER, [RUN_CLRRRB] = CLASS_OTHER, [RUN_CLRRRB_PR] = CLASS_OTHER, [RUN_FSETC] = CLASS_OTHER,
	[RUN_FCLRF] = CLASS_OTHER, [RUN_FCHKF] = CLASS_OTHER,
};

static bool listed(uint16_t run)
{
	return classes[run] || run == RUN_NOP;
}

static uint8_t class_of(const struct form *form)
{
	if (form->run == RUN_NOP && form->unit == 'M' && form->name[0] != 'n' && form->name[0] != 'h')
		return form->name[0] == 's' ? CLASS_SERIALIZE : CLASS_FENCE;
	if (form->run == RUN_NOP && form->name[0] == 'h')
		return CLASS_OTHER;
	if (!listed(form->run) && form->unit == 'F')
		return CLASS_FMAC;
	return listed(form->run) ? classes[form->run] : CLASS_IALU;
}

/* Without .excl, .fault or .count: what may issue on A ports (2.3.4.1.2). */
static bool is_plain_lfetch(const struct form *form)
{
	return form->run == RUN_LFETCH && form->groups == 1 && !strchr(form->operands, ',');
}

/* Chapter 2.5.1: the ports that take an instruction. */
static uint8_t port_of(const struct form *form, uint8_t class)
{
	if (class == CLASS_NOP)
		return PORT_NONE;
	switch (form->unit) {
	case 'A':
		return class == CLASS_MMALU ? PORT_A : PORT_AM;
	case 'F':
		return PORT_F;
	case 'B':
		return PORT_B;
	case 'X':
		return form->run == RUN_BRL_CALL || form->run == RUN_BRL_COND ? PORT_B : PORT_I;
	case 'I':
		return class == CLASS_IMULT || class == CLASS_IMOVFM || class == CLASS_SLOW ? PORT_I0 : PORT_I;
	default:
		break;
	}
	if (class == CLASS_LFETCH && is_plain_lfetch(form))
		return PORT_MA;
	if (form->run == RUN_MOV_FROM_DAHR || form->run == RUN_MOV_TO_DAHR || form->run == RUN_BREAK)
		return PORT_M;
	return class == CLASS_SLOW || class == CLASS_MOVTOAR || class == CLASS_ALLOC || class == CLASS_RSE ||
	       class == CLASS_FENCE || class == CLASS_SERIALIZE || class == CLASS_FLUSH || form->run == RUN_PROBE_FAULT ?
		       PORT_M0 : PORT_M;
}

static void read_source(struct kind *k, enum operand operand)
{
	switch (operand) {
	case OPERAND_R2: k->gr |= 1 << 2; break;
	case OPERAND_R3: case OPERAND_R3SHORT: k->gr |= 1 << 3; break;
	case OPERAND_F2: k->fr |= 1 << 2; break;
	case OPERAND_F3: k->fr |= 1 << 3; break;
	case OPERAND_F4: k->fr |= 1 << 4; break;
	case OPERAND_B2: k->branch_br = true; break;
	default: break;
	}
}

static void read_target(struct kind *k, enum operand operand)
{
	switch (operand) {
	case OPERAND_R1: k->to_gr = true; break;
	case OPERAND_F1: k->to_fr = true; break;
	case OPERAND_F2: k->to_fr2 = true; break;
	case OPERAND_P1: case OPERAND_P2: k->to_pr = true; break;
	default: break;
	}
}

/* Left of "=" is written, but for what stands in brackets: an address; what follows that adds to it. */
static void read_operands(struct kind *k, const char *text)
{
	bool targets = strchr(text, '=') != NULL, address = false;

	for (; *text; text++) {
		if (*text == '=')
			targets = false;
		else if (*text == '[')
			address = true;
		else if (*text == ']')
			address = false;
		else if (*text == ',' && text[-1] == ']' && !targets)
			k->update = true;
		else if (*text & 0x80 && (address || !targets))
			read_source(k, (enum operand)(*text & 0x7f));
		else if (*text & 0x80)
			read_target(k, (enum operand)(*text & 0x7f));
		k->address |= address;
	}
}

/* 4.2.3.15: the work of an operation. */
static uint8_t flops_of(const struct form *form, const struct ia64_op *op)
{
	switch (form->run) {
	case RUN_FMA:
		return op->r4 == 1 || op->r2 == 0 ? 1 : 2;
	case RUN_FPMA:
		return op->r2 == 0 ? 2 : 4;
	case RUN_FMINMAX: case RUN_FCMP: case RUN_FCVT_FX: case RUN_FRCPA: case RUN_FRSQRTA:
		return 1;
	case RUN_FPMINMAX: case RUN_FPCMP: case RUN_FPCVT_FX:
		return 2;
	default:
		return 0;
	}
}

static bool semaphore_adds(uint16_t run)
{
	return run == RUN_XCHG || run == RUN_CMPXCHG || run == RUN_CMP8XCHG16 || run == RUN_FETCHADD || run == RUN_ST16 ||
	       run == RUN_PROBE;
}

const struct kind *icore_kind(struct icore *c, const struct ia64_op *op)
{
	static const char units[] = "MIFBA";
	struct kind *k = &c->kind[op->form % KINDS];
	const struct form *form;

	if (__builtin_expect(k->known, 1)) {
		if (k->unit == ICORE_F)
			k->flops = flops_of(ia64_form_of(op), op);
		return k;
	}
	form = ia64_form_of(op);
	*k = (struct kind){ .known = true, .run = form->run, .class = class_of(form) };
	k->port = port_of(form, k->class);
	k->unit = form->unit == 'X' ? ICORE_I : (uint8_t)(strchr(units, form->unit) - units);
	read_operands(k, form->operands);
	k->update &= !semaphore_adds(form->run);
	k->flops = flops_of(form, op);
	return k;
}
