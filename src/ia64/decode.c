// SPDX-License-Identifier: BSD-2-Clause
/* Finds an instruction's row in the table of forms and takes its operands out (vol. 3, 4.1 to 4.7). */
#include <string.h>

#include "op.h"

#define ENCODING_FORMS
#include "ia64_encodings.h"
#undef ENCODING_FORMS

enum { FORMS = sizeof forms / sizeof *forms };

/* Vol. 3, table 4-1: the units of the 32 templates and, as bits of slots, their stops. */
static const struct { char units[4]; uint8_t stops; } templates[32] = {
	{ "MII", 0 }, { "MII", 4 }, { "MII", 2 }, { "MII", 6 }, { "MLX", 0 }, { "MLX", 4 }, { "", 0 }, { "", 0 },
	{ "MMI", 0 }, { "MMI", 4 }, { "MMI", 1 }, { "MMI", 5 }, { "MFI", 0 }, { "MFI", 4 }, { "MMF", 0 }, { "MMF", 4 },
	{ "MIB", 0 }, { "MIB", 4 }, { "MBB", 0 }, { "MBB", 4 }, { "", 0 }, { "", 0 }, { "BBB", 0 }, { "BBB", 4 },
	{ "MMB", 0 }, { "MMB", 4 }, { "", 0 }, { "", 0 }, { "MFB", 0 }, { "MFB", 4 }, { "", 0 }, { "", 0 },
};

const char *ia64_template(const struct ia64_bundle *bundle, unsigned *stops)
{
	unsigned number = bundle->low & 31;

	*stops = templates[number].stops;
	return templates[number].units[0] ? templates[number].units : NULL;
}

uint64_t ia64_slot(const struct ia64_bundle *bundle, unsigned slot)
{
	const uint64_t mask = (UINT64_C(1) << 41) - 1;

	if (slot == 0)
		return bundle->low >> 5 & mask;
	if (slot == 1)
		return (bundle->low >> 46 | bundle->high << 18) & mask;
	return bundle->high >> 23;
}

static uint64_t bits(uint64_t insn, unsigned pos, unsigned width)
{
	return insn >> pos & ((UINT64_C(1) << width) - 1);
}

static int64_t extend(uint64_t value, unsigned width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

unsigned ia64_group_value(const struct group *group, uint64_t insn)
{
	unsigned value = 0, shift = 0;

	for (unsigned i = 0; i < 3 && group->piece[i].width; i++) {
		value |= (unsigned)bits(insn, group->piece[i].pos, group->piece[i].width) << shift;
		shift += group->piece[i].width;
	}
	return value;
}

/* The number of the alternative that an instruction chooses, or -1. */
static int choose(const struct group *group, uint64_t insn)
{
	unsigned value = ia64_group_value(group, insn);

	for (unsigned i = 0; i < group->count; i++)
		if (group->alternatives[i].value == value)
			return (int)i;
	return -1;
}

static bool has_completers(const struct form *form, uint64_t insn)
{
	for (unsigned i = 0; i < form->groups; i++)
		if (choose(&form->group[i], insn) < 0)
			return false;
	return true;
}

static bool is_form(const struct form *form, char unit, uint64_t insn)
{
	if (form->unit != unit && !(form->unit == 'A' && (unit == 'I' || unit == 'M')))
		return false;
	if ((insn & form->mask) != form->match || (form->same && bits(insn, 13, 7) != bits(insn, 20, 7)))
		return false;
	return has_completers(form, insn);
}

const struct form *ia64_form(char unit, uint64_t insn, bool aliases)
{
	for (const struct form *form = forms; form < forms + FORMS; form++)
		if ((aliases || !form->alias) && is_form(form, unit, insn))
			return form;
	return NULL;
}

const struct form *ia64_form_of(const struct ia64_op *op)
{
	return op->form ? &forms[op->form - 1] : NULL;
}

/* fetchadd's increment (vol. 3, M17): a sign and 16, 8, 4 or 1. */
static int64_t increment(uint64_t insn)
{
	static const int8_t sizes[4] = { 16, 8, 4, 1 };
	int64_t size = sizes[bits(insn, 13, 2)];

	return bits(insn, 15, 1) ? -size : size;
}

static int64_t imm9(uint64_t insn, unsigned pos)
{
	return extend(bits(insn, pos, 7) | bits(insn, 27, 1) << 7 | bits(insn, 36, 1) << 8, 9);
}

static int64_t imm22(uint64_t insn)
{
	return extend(bits(insn, 13, 7) | bits(insn, 27, 9) << 7 | bits(insn, 22, 5) << 16 | bits(insn, 36, 1) << 21, 22);
}

static int64_t imm64(uint64_t insn, uint64_t low)
{
	return (int64_t)(bits(insn, 13, 7) | bits(insn, 27, 9) << 7 | bits(insn, 22, 5) << 16 | bits(insn, 21, 1) << 21 |
			 low << 22 | bits(insn, 36, 1) << 63);
}

static int64_t target20(uint64_t insn, unsigned pos)
{
	return extend(bits(insn, pos, 20) | bits(insn, 36, 1) << 20, 21) * 16;
}

static int64_t mask17(uint64_t insn)
{
	return extend(bits(insn, 6, 7) << 1 | bits(insn, 24, 8) << 8 | bits(insn, 36, 1) << 16, 17);
}

static int64_t target60(uint64_t insn, uint64_t low)
{
	return (int64_t)((bits(insn, 13, 20) | (low >> 2) << 20 | bits(insn, 36, 1) << 59) << 4);
}

/* Of branch targets and tags, in bytes: they count bundles. */
static int64_t displacement(enum operand operand, uint64_t insn, uint64_t low)
{
	switch (operand) {
	case OPERAND_TARGET_A: return target20(insn, 6);
	case OPERAND_TARGET_C:
		return extend(bits(insn, 6, 7) | bits(insn, 20, 13) << 7 | bits(insn, 36, 1) << 20, 21) * 16;
	case OPERAND_TARGET60: return target60(insn, low);
	case OPERAND_TAG7: return extend(bits(insn, 6, 7) | bits(insn, 33, 2) << 7, 9) * 16;
	case OPERAND_TAG9: return extend(bits(insn, 24, 9), 9) * 16;
	default: return target20(insn, 13);
	}
}

/* pmpyshr2's counts (vol. 3, I1). */
static int64_t multiply_count(uint64_t insn)
{
	static const int8_t counts[4] = { 0, 7, 15, 16 };

	return counts[bits(insn, 30, 2)];
}

int64_t ia64_operand(enum operand operand, uint64_t insn, uint64_t low)
{
	switch (operand) {
	case OPERAND_R1: case OPERAND_F1: case OPERAND_P1: return (int64_t)bits(insn, 6, operand == OPERAND_P1 ? 6 : 7);
	case OPERAND_R2: case OPERAND_F2: return (int64_t)bits(insn, 13, 7);
	case OPERAND_R3: case OPERAND_F3: case OPERAND_AR3: case OPERAND_CR3: case OPERAND_PMD: case OPERAND_CPUID:
	case OPERAND_DAHR:
		return (int64_t)bits(insn, 20, 7);
	case OPERAND_R3SHORT: return (int64_t)bits(insn, 20, 2);
	case OPERAND_F4: return (int64_t)bits(insn, 27, 7);
	case OPERAND_P2: return (int64_t)bits(insn, 27, 6);
	case OPERAND_B1: return (int64_t)bits(insn, 6, 3);
	case OPERAND_B2: return (int64_t)bits(insn, 13, 3);
	case OPERAND_COUNT2: return (int64_t)bits(insn, 27, 2) + 1;
	case OPERAND_MCOUNT: return multiply_count(insn);
	case OPERAND_COUNT5: return (int64_t)bits(insn, 14, 5);
	case OPERAND_CCOUNT5: return 31 - (int64_t)bits(insn, 20, 5);
	case OPERAND_COUNT6: return (int64_t)bits(insn, 27, 6);
	case OPERAND_POS6: return (int64_t)bits(insn, 14, 6);
	case OPERAND_CPOS6B: return 63 - (int64_t)bits(insn, 14, 6);
	case OPERAND_CPOS6C: return 63 - (int64_t)bits(insn, 20, 6);
	case OPERAND_CPOS6D: return 63 - (int64_t)bits(insn, 31, 6);
	case OPERAND_LEN6: return (int64_t)bits(insn, 27, 6) + 1;
	case OPERAND_LEN4: return (int64_t)bits(insn, 27, 4) + 1;
	case OPERAND_MBTYPE: return (int64_t)bits(insn, 20, 4);
	case OPERAND_MHTYPE: return (int64_t)bits(insn, 20, 8);
	case OPERAND_FCLASS9: return (int64_t)(bits(insn, 20, 7) << 2 | bits(insn, 33, 2));
	case OPERAND_AMASK: return (int64_t)bits(insn, 13, 7);
	case OPERAND_OMASK: return (int64_t)bits(insn, 20, 7);
	case OPERAND_FEATURE: return (int64_t)bits(insn, 14, 5) + 32;
	case OPERAND_FRAME: return (int64_t)(bits(insn, 13, 7) | bits(insn, 20, 7) << 8 | bits(insn, 27, 4) << 16);
	case OPERAND_INC3: return increment(insn);
	case OPERAND_IMM1: return extend(bits(insn, 36, 1), 1);
	case OPERAND_IMM2: return (int64_t)bits(insn, 13, 2);
	case OPERAND_IMM8: return extend(bits(insn, 13, 7) | bits(insn, 36, 1) << 7, 8);
	case OPERAND_IMM9: return imm9(insn, 13);
	case OPERAND_IMM9A: return imm9(insn, 6);
	case OPERAND_IMM14: return extend(bits(insn, 13, 7) | bits(insn, 27, 6) << 7 | bits(insn, 36, 1) << 13, 14);
	case OPERAND_IMM21: return (int64_t)(bits(insn, 6, 20) | bits(insn, 36, 1) << 20);
	case OPERAND_IMM22: return imm22(insn);
	case OPERAND_IMM24: return (int64_t)(bits(insn, 6, 21) | bits(insn, 31, 2) << 21 | bits(insn, 36, 1) << 23);
	case OPERAND_IMM44: return extend((bits(insn, 6, 27) | bits(insn, 36, 1) << 27) << 16, 44);
	case OPERAND_IMM62: return (int64_t)(bits(insn, 6, 20) | low << 20 | bits(insn, 36, 1) << 61);
	case OPERAND_IMM64: return imm64(insn, low);
	case OPERAND_DAHR3: return (int64_t)bits(insn, 23, 3);
	case OPERAND_IMM16: return (int64_t)(bits(insn, 6, 4) | bits(insn, 12, 11) << 4 | bits(insn, 36, 1) << 15);
	case OPERAND_LCOUNT: return (int64_t)bits(insn, 6, 5) + 1;
	case OPERAND_LSTRIDE: return extend(bits(insn, 13, 5), 5) * 64;
	case OPERAND_MASK17: return mask17(insn);
	case OPERAND_LDFP_INC: return bits(insn, 30, 2) == 2 ? 8 : 16;
	case OPERAND_TARGET: case OPERAND_TARGET_A: case OPERAND_TARGET_B: case OPERAND_TARGET_C: case OPERAND_TARGET60:
	case OPERAND_TAG7: case OPERAND_TAG9:
		return displacement(operand, insn, low);
	case OPERAND_R0: case OPERAND_ONE: case OPERAND_CSD: case OPERAND_CCV: case OPERAND_IP: case OPERAND_PR:
	case OPERAND_PR_ROT: case OPERAND_PSR: case OPERAND_PSR_UM: case OPERAND_PSR_L: case OPERAND_RR: case OPERAND_DBR:
	case OPERAND_IBR: case OPERAND_PKR: case OPERAND_PMC: case OPERAND_MSR:
	case OPERAND_DTR: case OPERAND_ITR:
		break;
	}
	return 0;
}

static void put_operand(struct ia64_op *op, enum operand operand, int64_t value)
{
	switch (operand) {
	case OPERAND_R1: case OPERAND_F1: case OPERAND_B1: op->r1 = (uint8_t)value; break;
	case OPERAND_R2: case OPERAND_F2: case OPERAND_B2: op->r2 = (uint8_t)value; break;
	case OPERAND_R3: case OPERAND_F3: case OPERAND_R3SHORT: case OPERAND_PMD: case OPERAND_CPUID: case OPERAND_DAHR:
		op->r3 = (uint8_t)value;
		break;
	case OPERAND_F4: op->r4 = (uint8_t)value; break;
	case OPERAND_CPOS6B: case OPERAND_CPOS6C: case OPERAND_P1: op->p1 = (uint8_t)value; break;
	case OPERAND_P2: op->p2 = (uint8_t)value; break;
	case OPERAND_AR3: case OPERAND_CR3: case OPERAND_LEN6: case OPERAND_LEN4: case OPERAND_OMASK:
	case OPERAND_DAHR3: case OPERAND_LCOUNT:
		op->k = (uint8_t)value;
		break;
	case OPERAND_TAG7: case OPERAND_TAG9: break;
	default: op->imm = value; break;
	}
}

static void put_operands(struct ia64_op *op, const struct form *form, uint64_t insn, uint64_t low)
{
	for (const char *text = form->operands; *text; text++)
		if (*text & 0x80) {
			enum operand operand = (enum operand)(*text & 0x7f);

			put_operand(op, operand, ia64_operand(operand, insn, low));
		}
}

static void fill(struct ia64_op *op, const struct form *form, uint64_t insn, uint64_t low)
{
	op->form = (uint16_t)(form - forms + 1);
	put_operands(op, form, insn, low);
	for (unsigned i = 0; i < form->groups; i++)
		op->x[i] = (uint8_t)choose(&form->group[i], insn);
	if (form->always)
		op->k = bits(insn, 0, 6);
	else
		op->qp = bits(insn, 0, 6);
}

bool ia64_decode(const struct ia64_bundle *bundle, unsigned slot, struct ia64_op *op, enum run *run)
{
	unsigned stops;
	const char *units = ia64_template(bundle, &stops);
	bool wide = units && units[1] == 'L';
	uint64_t insn = ia64_slot(bundle, wide && slot ? 2 : slot);
	const struct form *form;

	memset(op, 0, sizeof *op);
	op->slot = (uint8_t)slot;
	if (wide && slot == 2)
		return true;
	form = units ? ia64_form(wide && slot ? 'X' : units[slot], insn, false) : NULL;
	if (!form)
		return false;
	op->wide = wide && slot;
	fill(op, form, insn, ia64_slot(bundle, 1));
	*run = (enum run)form->run;
	return true;
}
