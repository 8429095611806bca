// SPDX-License-Identifier: BSD-2-Clause
/* Writes instructions as binutils' objdump does. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op.h"

struct line { char *text; size_t size; int length; };

__attribute__((format(printf, 2, 3)))
static void put(struct line *line, const char *format, ...)
{
	size_t used = (size_t)line->length < line->size ? (size_t)line->length : line->size;
	va_list args;

	va_start(args, format);
	line->length += vsnprintf(line->text + used, line->size - used, format, args);
	va_end(args);
}

static void put_name(struct line *line, const struct form *form, uint64_t insn)
{
	for (const char *c = form->name; *c; c++) {
		const struct group *group;

		if (*c > 4) {
			put(line, "%c", *c);
			continue;
		}
		group = &form->group[*c - 1];
		for (unsigned i = 0; i < group->count; i++)
			if (group->alternatives[i].value == ia64_group_value(group, insn))
				put(line, "%s", group->alternatives[i].text);
	}
}

static void put_ar(struct line *line, unsigned ar)
{
	static const char *const names[128] = {
		[16] = "rsc", "bsp", "bspstore", "rnat", [21] = "fcr", [24] = "eflag", "csd", "ssd", "cflg", "fsr", "fir", "fdr",
		[32] = "ccv", [36] = "unat", [40] = "fpsr", [44] = "itc", "ruc", [64] = "pfs", "lc", "ec",
	};

	if (ar < 8)
		put(line, "ar.k%u", ar);
	else if (names[ar])
		put(line, "ar.%s", names[ar]);
	else
		put(line, "ar%u", ar);
}

static void put_cr(struct line *line, unsigned cr)
{
	static const char *const names[82] = {
		"dcr", "itm", "iva", [8] = "pta", [16] = "ipsr", "isr", [19] = "iip", "ifa", "itir", "iipa", "ifs", "iim", "iha",
		[64] = "lid", "ivr", "tpr", "eoi", "irr0", "irr1", "irr2", "irr3", "itv", "pmv", "cmcv", [80] = "lrr0", "lrr1",
	};

	if (cr < 82 && names[cr])
		put(line, "cr.%s", names[cr]);
	else
		put(line, "cr%u", cr);
}

static void put_frame(struct line *line, int64_t frame)
{
	unsigned sof = frame & 127, sol = frame >> 8 & 127, sor = frame >> 16 & 15;

	put(line, "ar.pfs,%u,%u,%u", sof, sol, sor * 8);
}

static void put_mux(struct line *line, int64_t type)
{
	static const char *const names[16] = { "@brcst", [8] = "@mix", "@shuf", "@alt", "@rev" };

	if (names[type])
		put(line, "%s", names[type]);
	else
		put(line, "%" PRId64, type);
}

/* Operands that are written as words, and brackets around indices. */
static bool put_word(struct line *line, enum operand operand, unsigned r3)
{
	switch (operand) {
	case OPERAND_R0: put(line, "r0"); return true;
	case OPERAND_ONE: put(line, "1"); return true;
	case OPERAND_CSD: put(line, "ar.csd"); return true;
	case OPERAND_CCV: put(line, "ar.ccv"); return true;
	case OPERAND_IP: put(line, "ip"); return true;
	case OPERAND_PR: put(line, "pr"); return true;
	case OPERAND_PR_ROT: put(line, "pr.rot"); return true;
	case OPERAND_PSR: put(line, "psr"); return true;
	case OPERAND_PSR_UM: put(line, "psr.um"); return true;
	case OPERAND_PSR_L: put(line, "psr.l"); return true;
	case OPERAND_RR: put(line, "rr["); break;
	case OPERAND_DBR: put(line, "dbr["); break;
	case OPERAND_IBR: put(line, "ibr["); break;
	case OPERAND_PKR: put(line, "pkr["); break;
	case OPERAND_PMC: put(line, "pmc["); break;
	case OPERAND_PMD: put(line, "pmd["); break;
	case OPERAND_MSR: put(line, "msr["); break;
	case OPERAND_CPUID: put(line, "cpuid["); break;
	case OPERAND_DTR: put(line, "dtr["); break;
	case OPERAND_ITR: put(line, "itr["); break;
	case OPERAND_DAHR: put(line, "dahr["); break;
	default: return false;
	}
	put(line, "r%u", r3);
	put(line, "]");
	return true;
}

static void put_operand(struct line *line, enum operand operand, int64_t value, uint64_t ip)
{
	switch (operand) {
	case OPERAND_R1: case OPERAND_R2: case OPERAND_R3: case OPERAND_R3SHORT: put(line, "r%" PRId64, value); break;
	case OPERAND_F1: case OPERAND_F2: case OPERAND_F3: case OPERAND_F4: put(line, "f%" PRId64, value); break;
	case OPERAND_P1: case OPERAND_P2: put(line, "p%" PRId64, value); break;
	case OPERAND_B1: case OPERAND_B2: put(line, "b%" PRId64, value); break;
	case OPERAND_AR3: put_ar(line, (unsigned)value); break;
	case OPERAND_CR3: put_cr(line, (unsigned)value); break;
	case OPERAND_FRAME: put_frame(line, value); break;
	case OPERAND_MBTYPE: put_mux(line, value); break;
	case OPERAND_DAHR3: put(line, "dahr%" PRId64, value); break;
	case OPERAND_TARGET: case OPERAND_TARGET_A: case OPERAND_TARGET_B: case OPERAND_TARGET_C: case OPERAND_TARGET60:
	case OPERAND_TAG7: case OPERAND_TAG9:
		put(line, "%#" PRIx64, ip + (uint64_t)value);
		break;
	case OPERAND_MHTYPE: case OPERAND_FCLASS9: case OPERAND_AMASK: case OPERAND_OMASK: case OPERAND_IMM21: case OPERAND_IMM24:
	case OPERAND_IMM44: case OPERAND_IMM62: case OPERAND_IMM64: case OPERAND_MASK17:
		put(line, value ? "%#" PRIx64 : "0x%" PRIx64, (uint64_t)value);
		break;
	default: put(line, "%" PRId64, value); break;
	}
}

static void put_operands(struct line *line, const struct form *form, uint64_t insn, uint64_t low, uint64_t ip)
{
	if (*form->operands)
		put(line, " ");
	for (const char *c = form->operands; *c; c++) {
		enum operand operand = (enum operand)(*c & 0x7f);

		if (!(*c & 0x80))
			put(line, "%c", *c);
		else if (!put_word(line, operand, insn >> 20 & 127))
			put_operand(line, operand, ia64_operand(operand, insn, low), ip);
	}
}

/* Forms without a qualifying predicate, whose bits objdump leaves out. */
static bool has_qp(const struct form *form)
{
	switch (form->run) {
	case RUN_ALLOC: case RUN_BR_CLOOP: case RUN_BR_CTOP: case RUN_BR_CEXIT: case RUN_COVER: case RUN_CLRRRB:
	case RUN_CLRRRB_PR: case RUN_FLUSHRS: case RUN_LOADRS: case RUN_EPC:
		return false;
	default:
		return !(form->unit == 'B' && (form->run == RUN_PRIVILEGED || form->always) && form->run != RUN_BR_WTOP &&
			 form->run != RUN_BR_WEXIT && form->run != RUN_BR_IA);
	}
}

int ia64_disassemble(char *text, size_t size, const struct ia64_bundle *bundle, unsigned slot, uint64_t ip)
{
	struct line line = { text, size, 0 };
	unsigned stops;
	const char *units = ia64_template(bundle, &stops);
	bool wide = units && units[1] == 'L' && slot;
	uint64_t insn = ia64_slot(bundle, wide ? 2 : slot);
	const struct form *form = units ? ia64_form(wide ? 'X' : units[slot], insn, true) : NULL;

	if (!form) {
		put(&line, "data8 0x%011" PRIx64, insn);
		return line.length;
	}
	if (insn & 63 && has_qp(form))
		put(&line, "(p%02u) ", (unsigned)(insn & 63));
	put_name(&line, form, insn);
	put_operands(&line, form, insn, ia64_slot(bundle, 1), ip);
	return line.length;
}
