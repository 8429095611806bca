/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that put parts of registers together. */
#include "fp_rows.h"

#define A UINT64_C(0x8123456789abcdef)
#define B UINT64_C(0x7edcba98f6543210)
#define INT(i) RAW(0x1003e, i)

static const struct row {
	int line;
	enum fp_shuffle op;
	struct fp_reg f2, f3, want;
} rows[] = {
	/* fmerge: sign, inverted sign, sign and exponent of f2. */
	{ LINE, FP_MERGE_S, RAW(0x20005, A), RAW(0x00007, B), RAW(0x20007, B) },
	{ LINE, FP_MERGE_S, RAW(0x00005, A), RAW(0x20007, B), RAW(0x00007, B) },
	{ LINE, FP_MERGE_NS, RAW(0x20005, A), RAW(0x20007, B), RAW(0x00007, B) },
	{ LINE, FP_MERGE_NS, RAW(0x00005, A), RAW(0x00007, B), RAW(0x20007, B) },
	{ LINE, FP_MERGE_SE, RAW(0x20005, A), RAW(0x00007, B), RAW(0x20005, B) },
	{ LINE, FP_MERGE_S, MINUS_0, INF, MINUS_INF },
	{ LINE, FP_PMERGE_S, INT(A), INT(B), INT(0xfedcba98f6543210) },
	{ LINE, FP_PMERGE_S, INT(0), INT(B), INT(0x7edcba9876543210) },
	{ LINE, FP_PMERGE_NS, INT(A), INT(B), INT(0x7edcba9876543210) },
	{ LINE, FP_PMERGE_NS, INT(0), INT(B), INT(0xfedcba98f6543210) },
	/* 0x812 | 0x5cba98 and 0x899 | 0x543210: nine bits of A, 23 of B. */
	{ LINE, FP_PMERGE_SE, INT(A), INT(B), INT(0x815cba9889d43210) },
	{ LINE, FP_MIX_L, INT(A), INT(B), INT(0x812345677edcba98) },
	{ LINE, FP_MIX_R, INT(A), INT(B), INT(0x89abcdeff6543210) },
	{ LINE, FP_MIX_LR, INT(A), INT(B), INT(0x81234567f6543210) },
	{ LINE, FP_SXT_L, INT(A), INT(B), INT(0xffffffff7edcba98) },
	{ LINE, FP_SXT_L, INT(B), INT(A), INT(0x0000000081234567) },
	{ LINE, FP_SXT_R, INT(B), INT(A), INT(0xffffffff89abcdef) },
	{ LINE, FP_SXT_R, INT(0x7fffffff), INT(A), INT(0x0000000089abcdef) },
	{ LINE, FP_SWAP, INT(A), INT(B), INT(0xf654321081234567) },
	{ LINE, FP_SWAP_NL, INT(A), INT(B), INT(0x7654321081234567) },
	{ LINE, FP_SWAP_NR, INT(A), INT(B), INT(0xf654321001234567) },
	{ LINE, FP_AND, INT(A), INT(B), INT(0x0000000080000000) },
	{ LINE, FP_ANDCM, INT(A), INT(B), INT(0x8123456709abcdef) },
	{ LINE, FP_OR, INT(A), INT(B), INT(0xffffffffffffffff) },
	{ LINE, FP_XOR, INT(A), INT(B), INT(0xffffffff7fffffff) },
	/* The target is an integer whatever the operands' exponents. */
	{ LINE, FP_AND, RAW(0x2ffff, 6), RAW(5, 3), INT(2) },
	/* Singles cut out as stfs does: 1.0 and the truncated largest significand below 2. */
	{ LINE, FP_PACK, ONE, REG(1, 0, SIG_MAX), INT(0x3f800000bfffffff) },
	{ LINE, FP_PACK, RAW(0xff81, 0x10000000000), MINUS_INF, INT(0x00000001ff800000) },
};

int main(void)
{
	static const struct fp_reg nat = NATVAL, one = ONE, mask = INT(0xffffffff00000000);
	struct fp_reg a = fp_from_int(A), b = fp_from_int(B);

	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		check_reg(r->line, fp_shuffle(r->op, &r->f2, &r->f3), r->want);
	for (enum fp_shuffle op = FP_MERGE_S; op <= FP_PACK; op++) {
		check_reg(__LINE__, fp_shuffle(op, &nat, &one), nat);
		check_reg(__LINE__, fp_shuffle(op, &one, &nat), nat);
	}
	check_reg(__LINE__, fp_select(&a, &b, &mask), fp_from_int(0x81234567f6543210));
	check_reg(__LINE__, fp_select(&nat, &b, &mask), nat);
	check_reg(__LINE__, fp_select(&a, &nat, &mask), nat);
	check_reg(__LINE__, fp_select(&a, &b, &nat), nat);
	return check_done();
}
