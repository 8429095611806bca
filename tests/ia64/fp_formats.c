/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats of memory, classes of encodings, and the status register. */
#include "fp_rows.h"

/* Words, and the registers that they load as and are stored from. */
static const struct word_row {
	int line;
	uint64_t word;
	struct fp_reg reg;
} singles[] = {
	{ LINE, 0x00000000, PLUS_0 },
	{ LINE, 0x80000000, MINUS_0 },
	{ LINE, 0x3f800000, ONE },
	{ LINE, 0xc0200000, REG(1, 1, 0xa000000000000000) },
	{ LINE, 0x00800000, REG(0, -126, SIG_1) },
	{ LINE, 0x7f7fffff, REG(0, 127, 0xffffff0000000000) },
	{ LINE, 0x00000001, RAW(0xff81, 0x0000010000000000) },
	{ LINE, 0x807fffff, RAW(0x2ff81, 0x7fffff0000000000) },
	{ LINE, 0x7f800000, INF },
	{ LINE, 0xff800000, MINUS_INF },
	{ LINE, 0x7fc00001, QNAN(0x10000000000) },
	{ LINE, 0x7fa00000, SNAN(0x2000000000000000) },
}, doubles[] = {
	{ LINE, 0x0000000000000000, PLUS_0 },
	{ LINE, 0x8000000000000000, MINUS_0 },
	{ LINE, 0x3ff0000000000000, ONE },
	{ LINE, 0xc004000000000000, REG(1, 1, 0xa000000000000000) },
	{ LINE, 0x0010000000000000, REG(0, -1022, SIG_1) },
	{ LINE, 0x7fefffffffffffff, REG(0, 1023, 0xfffffffffffff800) },
	{ LINE, 0x0000000000000001, RAW(0xfc01, 0x800) },
	{ LINE, 0x800fffffffffffff, RAW(0x2fc01, 0x7ffffffffffff800) },
	{ LINE, 0x7ff0000000000000, INF },
	{ LINE, 0x7ff8000000000001, QNAN(0x800) },
	{ LINE, 0xfff4000000000000, RAW(0x3ffff, 0xa000000000000000) },
};

static const struct extended_row {
	int line;
	uint64_t low;
	uint16_t high;
	struct fp_reg reg;
} extendeds[] = {
	{ LINE, 0, 0, PLUS_0 },
	{ LINE, SIG_1, 0x3fff, ONE },
	{ LINE, SIG_MAX, 0xfffe, REG(1, 16383, SIG_MAX) },
	{ LINE, SIG_1, 0x0001, REG(0, -16382, SIG_1) },
	{ LINE, 1, 0x8000, RAW(0x20000, 1) },		/* denormal */
	{ LINE, SIG_1, 0x0000, RAW(0, SIG_1) },		/* pseudo-denormal */
	{ LINE, 1, 0x3fff, RAW(0xffff, 1) },		/* unnormal */
	{ LINE, SIG_1, 0x7fff, INF },
	{ LINE, 1, 0x7fff, RAW(0x1ffff, 1) },		/* unsupported */
};

/* Stores cut fields out, whether or not the value fits: the exponent's top bit and its low ones, none for unnormals. */
static const struct cut_row {
	int line;
	struct fp_reg reg;
	uint32_t single;
	uint64_t twice;		/* as a double */
	uint16_t extended;
} cuts[] = {
	{ LINE, REG(0, 0, SIG_MAX), 0x3fffffff, 0x3fffffffffffffff, 0x3fff },
	{ LINE, REG(1, 128, SIG_1), 0xff800000, 0xc7f0000000000000, 0xc07f },
	{ LINE, REG(0, 1024, SIG_1), 0x7f800000, 0x7ff0000000000000, 0x43ff },
	{ LINE, REG(0, 129, SIG_1), 0x40000000, 0x4800000000000000, 0x4080 },
	{ LINE, REG(0, -200, SIG_1), 0x1b800000, 0x3370000000000000, 0x3f37 },
	{ LINE, RAW(0xffff, 0x7fffffffffffffff), 0x007fffff, 0x000fffffffffffff, 0x3fff },
	{ LINE, RAW(0x1003e, 0x0000010000000800), 0x00000001, 0x0000000020000001, 0x403e },
};

static void check_words(void)
{
	for (const struct word_row *r = singles; r < singles + LEN(singles); r++) {
		check_reg(r->line, fp_from_single((uint32_t)r->word), r->reg);
		CHECK_EQ(r->line, fp_to_single(&r->reg), r->word);
	}
	for (const struct word_row *r = doubles; r < doubles + LEN(doubles); r++) {
		check_reg(r->line, fp_from_double(r->word), r->reg);
		CHECK_EQ(r->line, fp_to_double(&r->reg), r->word);
	}
	for (const struct extended_row *r = extendeds; r < extendeds + LEN(extendeds); r++) {
		check_reg(r->line, fp_from_extended(r->low, r->high), r->reg);
		CHECK_EQ(r->line, fp_to_extended_high(&r->reg), r->high);
	}
	check_reg(__LINE__, fp_from_int(5), (struct fp_reg)RAW(0x1003e, 5));
	check_reg(__LINE__, fp_fill(7, UINT64_C(0xfffffffffffe0001)), (struct fp_reg)RAW(0x20001, 7));
	check_reg(__LINE__, fp_from_exp(UINT64_C(0xfff000000001fffe)), (struct fp_reg)RAW(0x1fffe, SIG_1));
}

/* Which of the classes' bits match an encoding, one bit of the mask at a time with both signs. */
static const struct class_row {
	int line;
	struct fp_reg reg;
	unsigned member, sign;
} classes[] = {
	{ LINE, PLUS_0, FP_CLASS_ZERO, FP_CLASS_POS },
	{ LINE, MINUS_0, FP_CLASS_ZERO, FP_CLASS_NEG },
	{ LINE, RAW(0x10000, 0), FP_CLASS_UNORM, FP_CLASS_POS },
	{ LINE, RAW(0x3fffe, 0), FP_CLASS_UNORM, FP_CLASS_NEG },
	{ LINE, RAW(0, 1), FP_CLASS_UNORM, FP_CLASS_POS },
	{ LINE, RAW(0, SIG_1), FP_CLASS_UNORM, FP_CLASS_POS },
	{ LINE, RAW(0x1003e, 1), FP_CLASS_UNORM, FP_CLASS_POS },
	{ LINE, RAW(1, SIG_1), FP_CLASS_NORM, FP_CLASS_POS },
	{ LINE, RAW(0x3fffe, SIG_1), FP_CLASS_NORM, FP_CLASS_NEG },
	{ LINE, RAW(0x1fffe, SIG_1), FP_CLASS_NORM, FP_CLASS_POS },
	{ LINE, INF, FP_CLASS_INF, FP_CLASS_POS },
	{ LINE, MINUS_INF, FP_CLASS_INF, FP_CLASS_NEG },
	{ LINE, QNAN(0), FP_CLASS_QNAN, 0 },
	{ LINE, INDEFINITE, FP_CLASS_QNAN, 0 },
	{ LINE, SNAN(1), FP_CLASS_SNAN, 0 },
	{ LINE, NATVAL, FP_CLASS_NAT, 0 },
	{ LINE, UNSUPPORTED, 0, 0 },
	{ LINE, RAW(0x1ffff, 0), 0, 0 },
};

static uint32_t class_want(const struct class_row *r, unsigned mask)
{
	bool is = mask & r->member && (!r->sign || mask & r->sign);

	if (r->member == FP_CLASS_NAT && !is)
		return 0;
	return is ? FP_P1 : FP_P2;
}

static void check_classes(void)
{
	for (const struct class_row *r = classes; r < classes + LEN(classes); r++)
		for (unsigned mask = 0; mask < 0x200; mask++)
			CHECK_EQ(r->line, fp_class(mask, &r->reg), class_want(r, mask));
}

/* The value that Linux starts programs with: all disabled, sf0 64 bits; sf1 also wre and td; sf2, sf3 td. */
#define LINUX_FPSR UINT64_C(0x9804c0270033f)

static void check_fpsr(void)
{
	CHECK(fp_fpsr_valid(LINUX_FPSR));
	CHECK(fp_fpsr_valid(0));
	CHECK(!fp_fpsr_valid(UINT64_C(1) << 58));
	CHECK(!fp_fpsr_valid(UINT64_C(1) << 63));
	CHECK(!fp_fpsr_valid(fpsr_of(OFF, 0, PC_E | TD)));	/* sf0.td is reserved */
	CHECK(fp_fpsr_valid(fpsr_of(OFF, 3, PC_E | TD)));
	for (unsigned sf = 0; sf < 4; sf++)
		CHECK(!fp_fpsr_valid(fpsr_of(OFF, sf, 1 << 2)));	/* pc 1 is reserved */
	/* sf2 takes sf0's controls (0x0c) without pc's low bit, and td. */
	CHECK_EQ(__LINE__, fp_fsetc(LINUX_FPSR, 2, 0x77, 0x40), UINT64_C(0x980440270033f));
	CHECK_EQ(__LINE__, fp_fsetc(LINUX_FPSR, 0, 0x7f, 0), LINUX_FPSR);
	CHECK_EQ(__LINE__, fp_fsetc(LINUX_FPSR, 0, 0, 0), LINUX_FPSR & ~UINT64_C(0x1fc0));
	/* Flags of sf0 begin at bit 13, of sf1 at 26, sf2 at 39, sf3 at 52. */
	CHECK_EQ(__LINE__, fp_fpsr_raise(0, 0, FP_V | FP_SWA | TRAP(FP_ISR_I)), 1 << 13);
	CHECK_EQ(__LINE__, fp_fpsr_raise(0, 1, FP_D), 1 << 27);
	CHECK_EQ(__LINE__, fp_fpsr_raise(0, 2, FP_I), UINT64_C(1) << 44);
	CHECK_EQ(__LINE__, fp_fpsr_raise(0, 3, FP_FLAGS), UINT64_C(0x3f) << 52);
	CHECK_EQ(__LINE__, fp_fclrf(~UINT64_C(0), 0), ~(UINT64_C(0x3f) << 13));
	CHECK_EQ(__LINE__, fp_fclrf(~UINT64_C(0), 3), ~(UINT64_C(0x3f) << 52));
}

static void check_fchkf(void)
{
	uint64_t inexact1 = fp_fpsr_raise(LINUX_FPSR, 1, FP_I);

	CHECK(!fp_fchkf(LINUX_FPSR, 1));
	CHECK(fp_fchkf(inexact1, 1));				/* sf0 has not got it */
	CHECK(!fp_fchkf(inexact1, 2));
	CHECK(!fp_fchkf(fp_fpsr_raise(inexact1, 0, FP_I), 1));
	CHECK(fp_fchkf(fp_fpsr_raise(inexact1, 0, FP_I) & ~(uint64_t)FP_I, 1));	/* enabled */
}

int main(void)
{
	check_words();
	for (const struct cut_row *r = cuts; r < cuts + LEN(cuts); r++) {
		CHECK_EQ(r->line, fp_to_single(&r->reg), r->single);
		CHECK_EQ(r->line, fp_to_double(&r->reg), r->twice);
		CHECK_EQ(r->line, fp_to_extended_high(&r->reg), r->extended);
	}
	check_classes();
	check_fpsr();
	check_fchkf();
	return check_done();
}
