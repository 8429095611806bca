/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares in all relations, minimum and maximum. */
#include "fp_rows.h"

/* How f2 stands to f3, each relation derived from it; and the flags of quiet and signalling compares. */
enum stands { BELOW, EQUAL, ABOVE, APART };

static const struct compare_row {
	int line;
	struct fp_reg f2, f3;
	enum stands stands;
	uint32_t quiet, signalling;	/* eq, unord; lt, le */
} compares[] = {
	{ LINE, ONE, ONE, EQUAL, 0, 0 },
	{ LINE, ONE, REG(0, 0, SIG_1 | 1), BELOW, 0, 0 },
	{ LINE, REG(0, 1, SIG_1), REG(0, 0, SIG_MAX), ABOVE, 0, 0 },
	{ LINE, MINUS_ONE, ONE, BELOW, 0, 0 },
	{ LINE, ONE, MINUS_ONE, ABOVE, 0, 0 },
	{ LINE, MINUS_ONE, REG(1, 0, SIG_1 | 1), ABOVE, 0, 0 },
	{ LINE, REG(1, 5, SIG_1), MINUS_ONE, BELOW, 0, 0 },
	{ LINE, PLUS_0, MINUS_0, EQUAL, 0, 0 },
	{ LINE, MINUS_0, PLUS_0, EQUAL, 0, 0 },
	{ LINE, PLUS_0, RAW(1, SIG_1), BELOW, 0, 0 },
	{ LINE, MINUS_0, RAW(0x20001, SIG_1), ABOVE, 0, 0 },
	{ LINE, INF, INF, EQUAL, 0, 0 },
	{ LINE, MINUS_INF, RAW(0x3fffe, SIG_MAX), BELOW, 0, 0 },
	{ LINE, RAW(0x1fffe, SIG_MAX), INF, BELOW, 0, 0 },
	/* Unnormals by value: 1.0 with its one in the last place; pseudo-zeros are zeros. */
	{ LINE, RAW(0x1003e, 1), ONE, EQUAL, FP_D, FP_D },
	{ LINE, RAW(0x1003e, 3), REG(0, 2, SIG_1), BELOW, FP_D, FP_D },
	{ LINE, RAW(0x1fffd, 0), MINUS_0, EQUAL, FP_D, FP_D },
	{ LINE, RAW(0x3fffe, 0), RAW(1, SIG_1), BELOW, FP_D, FP_D },
	{ LINE, RAW(0, SIG_1), REG(0, -16382, SIG_1), EQUAL, FP_D, FP_D },
	{ LINE, RAW(0, 1), RAW(1, 1), ABOVE, FP_D, FP_D },	/* 2^-16445 is above 2^-65597 */
	{ LINE, RAW(0x1003e, 1), INF, BELOW, FP_D, FP_D },
	/* NaNs stand apart from all, themselves too; a denormal beside them raises nothing. */
	{ LINE, QNAN(1), QNAN(1), APART, 0, FP_V },
	{ LINE, ONE, QNAN(1), APART, 0, FP_V },
	{ LINE, QNAN(1), RAW(0, 1), APART, 0, FP_V },
	{ LINE, SNAN(1), ONE, APART, FP_V, FP_V },
	{ LINE, QNAN(1), SNAN(1), APART, FP_V, FP_V },
	{ LINE, INF, UNSUPPORTED, APART, FP_V, FP_V },
	{ LINE, UNSUPPORTED, UNSUPPORTED, APART, FP_V, FP_V },
};

static bool holds(enum fp_rel rel, enum stands stands)
{
	switch (rel) {
	case FP_EQ:
		return stands == EQUAL;
	case FP_LT:
		return stands == BELOW;
	case FP_LE:
		return stands == BELOW || stands == EQUAL;
	case FP_UNORD:
		return stands == APART;
	default:
		return !holds(rel - FP_NEQ, stands);
	}
}

static void check_compare(const struct compare_row *r, enum fp_rel rel)
{
	struct fp_mode masked = fp_mode(fpsr_of(OFF, 0, PC_E), 0, FP_PC_DYN), enabled = fp_mode(0, 0, FP_PC_DYN);
	bool signalling = rel == FP_LT || rel == FP_LE || rel == FP_NLT || rel == FP_NLE;
	uint32_t flags = signalling ? r->signalling : r->quiet;
	uint32_t want = flags | (holds(rel, r->stands) ? FP_P1 : FP_P2);

	CHECK_EQ(r->line, fp_compare(rel, &masked, &r->f2, &r->f3), want);
	CHECK_EQ(r->line, fp_compare(rel, &enabled, &r->f2, &r->f3), flags ? FAULT(flags) : want);
}

static const struct minmax_row {
	int line;
	struct fp_reg f2, f3;
	unsigned takes_f2;	/* bit 0: fmin, 1: fmax, 2: famin, 3: famax; else f3 */
	uint32_t status;
} minmaxes[] = {
	{ LINE, ONE, REG(0, 1, SIG_1), 0x5, 0 },
	{ LINE, REG(0, 1, SIG_1), ONE, 0xa, 0 },
	{ LINE, REG(1, 1, SIG_1), ONE, 0x9, 0 },
	{ LINE, ONE, REG(1, 1, SIG_1), 0x6, 0 },
	{ LINE, MINUS_INF, RAW(0x1fffe, SIG_MAX), 0x9, 0 },
	/* Equal, also in magnitude only: f3. */
	{ LINE, PLUS_0, MINUS_0, 0, 0 },
	{ LINE, MINUS_0, PLUS_0, 0, 0 },
	{ LINE, MINUS_ONE, ONE, 0x1, 0 },
	{ LINE, ONE, MINUS_ONE, 0x2, 0 },
	/* The register itself is copied, not its value normalised. */
	{ LINE, RAW(0x1003e, 1), REG(0, 1, SIG_1), 0x5, FP_D },
	{ LINE, RAW(0x1003e, 1), ONE, 0, FP_D },
	{ LINE, ONE, RAW(0x1003e, 1), 0, FP_D },
	/* NaNs: f3, as it is. */
	{ LINE, QNAN(1), ONE, 0, FP_V },
	{ LINE, ONE, QNAN(1), 0, FP_V },
	{ LINE, ONE, SNAN(1), 0, FP_V },
	{ LINE, UNSUPPORTED, RAW(0, 1), 0, FP_V },
};

static void check_minmax(const struct minmax_row *r, enum fp_minmax op)
{
	struct fp_mode masked = fp_mode(fpsr_of(OFF, 0, PC_S), 0, FP_PC_DYN), enabled = fp_mode(0, 0, FP_PC_DYN);
	struct fp_reg want = r->takes_f2 >> op & 1 ? r->f2 : r->f3, nothing = NOTHING;

	check_out(r->line, fp_minmax(op, &masked, &r->f2, &r->f3), want, r->status);
	check_out(r->line, fp_minmax(op, &enabled, &r->f2, &r->f3), r->status ? nothing : want,
		  r->status ? FAULT(r->status) : 0);
}

static void check_natval(void)
{
	static const struct fp_reg nat = NATVAL, others[] = { NATVAL, ONE, SNAN(1), UNSUPPORTED, RAW(0, 1) };
	struct fp_mode enabled = fp_mode(0, 0, FP_PC_DYN);

	for (const struct fp_reg *f = others; f < others + LEN(others); f++) {
		for (enum fp_rel rel = FP_EQ; rel <= FP_ORD; rel++) {
			CHECK_EQ(__LINE__, fp_compare(rel, &enabled, &nat, f), 0);
			CHECK_EQ(__LINE__, fp_compare(rel, &enabled, f, &nat), 0);
		}
		for (enum fp_minmax op = FP_MIN; op <= FP_AMAX; op++) {
			check_out(__LINE__, fp_minmax(op, &enabled, &nat, f), nat, 0);
			check_out(__LINE__, fp_minmax(op, &enabled, f, &nat), nat, 0);
		}
	}
}

int main(void)
{
	for (const struct compare_row *r = compares; r < compares + LEN(compares); r++)
		for (enum fp_rel rel = FP_EQ; rel <= FP_ORD; rel++)
			check_compare(r, rel);
	for (const struct minmax_row *r = minmaxes; r < minmaxes + LEN(minmaxes); r++)
		for (enum fp_minmax op = FP_MIN; op <= FP_AMAX; op++)
			check_minmax(r, op);
	check_natval();
	return check_done();
}
