/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands' NaNs, compares, minimum and maximum, classes (vol. 3: fcmp, fmin, fmax, famin, famax, fclass). */
#include "ia64/fp_private.h"

bool fp_nan(const struct fp_mode *mode, const struct fp_reg *const *f, const enum fp_kind *kind, unsigned n,
	    struct fp_out *out)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < n; i++)
		kinds |= 1u << kind[i];
	if (kinds < 1u << FP_KIND_QNAN)
		return false;
	if (kinds & 1u << FP_KIND_NAT)
		*out = fp_natval();
	else if (kinds & 1u << FP_KIND_UNSUPPORTED)
		*out = fp_invalid(mode);
	else if (kinds & 1u << FP_KIND_SNAN && !(mode->disabled & FP_V))
		*out = fp_fault(FP_V);
	else
		for (unsigned i = n; i-- > 0;)
			if (fp_kind_nan(kind[i]))
				*out = fp_out(f[i]->sig | FP_QUIET_BIT, f[i]->se,
					      kinds & 1u << FP_KIND_SNAN ? FP_V : 0);
	return true;
}

/* How two operands compare. */
struct order {
	bool natval, unordered, less, equal;
	uint32_t status;	/* flags, or a fault */
};

static uint32_t raise(const struct fp_mode *mode, uint32_t flag)
{
	return mode->disabled & flag ? flag : FP_FAULT | flag << FP_ISR_SHIFT;
}

static bool magnitude_less(const struct fp_num *a, const struct fp_num *b)
{
	if (a->sig == 0 || b->sig == 0)
		return a->sig < b->sig;
	return a->exp != b->exp ? a->exp < b->exp : a->sig < b->sig;
}

static bool less(const struct fp_num *a, const struct fp_num *b)
{
	if (a->sig == 0 && b->sig == 0)
		return false;
	if (a->sign != b->sign)
		return a->sign != 0;
	return a->sign ? magnitude_less(b, a) : magnitude_less(a, b);
}

/* quiet: QNaNs alone are not invalid.  Infinities read as numbers are larger than all others. */
static struct order compare(const struct fp_mode *mode, const struct fp_reg *a, const struct fp_reg *b, bool quiet,
			    bool magnitudes)
{
	enum fp_kind ka = fp_kind(a), kb = fp_kind(b);
	struct order o = { .natval = ka == FP_KIND_NAT || kb == FP_KIND_NAT };
	struct fp_num na, nb;

	if (o.natval)
		return o;
	o.unordered = ka > FP_KIND_INF || kb > FP_KIND_INF;
	if (o.unordered) {
		if (!quiet || ka > FP_KIND_QNAN || kb > FP_KIND_QNAN)
			o.status = raise(mode, FP_V);
		return o;
	}
	if (ka == FP_KIND_UNORM || kb == FP_KIND_UNORM)
		o.status = raise(mode, FP_D);
	na = fp_number(a), nb = fp_number(b);
	if (magnitudes)
		na.sign = nb.sign = 0;
	o.less = less(&na, &nb);
	o.equal = !o.less && !less(&nb, &na);
	return o;
}

uint32_t fp_compare(enum fp_rel rel, const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3)
{
	enum fp_rel base = rel & 3;
	struct order o = compare(mode, f2, f3, base == FP_EQ || base == FP_UNORD, false);
	bool negated = rel & 4, holds;

	if (o.natval || o.status & FP_FAULT)
		return o.status;
	holds = base == FP_UNORD ? o.unordered
				 : (base != FP_EQ && o.less) || (base != FP_LT && o.equal);
	return o.status | (holds != negated ? FP_P1 : FP_P2);
}

struct fp_out fp_minmax(enum fp_minmax op, const struct fp_mode *mode, const struct fp_reg *f2,
			const struct fp_reg *f3)
{
	bool magnitudes = op == FP_AMIN || op == FP_AMAX, minimum = op == FP_MIN || op == FP_AMIN;
	struct order o = compare(mode, minimum ? f2 : f3, minimum ? f3 : f2, false, magnitudes);
	const struct fp_reg *f = o.less ? f2 : f3;

	if (o.natval)
		return fp_natval();
	if (o.status & FP_FAULT)
		return fp_out(0, 0, o.status);
	return fp_out(f->sig, f->se, o.status);
}

uint32_t fp_class(unsigned mask, const struct fp_reg *f2)
{
	static const unsigned member[] = {
		[FP_KIND_ZERO] = FP_CLASS_ZERO, [FP_KIND_NORM] = FP_CLASS_NORM, [FP_KIND_UNORM] = FP_CLASS_UNORM,
		[FP_KIND_INF] = FP_CLASS_INF, [FP_KIND_QNAN] = FP_CLASS_QNAN, [FP_KIND_SNAN] = FP_CLASS_SNAN,
		[FP_KIND_UNSUPPORTED] = 0, [FP_KIND_NAT] = FP_CLASS_NAT,
	};
	enum fp_kind kind = fp_kind(f2);
	bool is = mask & member[kind];

	if (kind == FP_KIND_NAT && !is)
		return 0;
	if (kind <= FP_KIND_INF)
		is = is && mask & (f2->se & FP_SIGN ? FP_CLASS_NEG : FP_CLASS_POS);
	return is ? FP_P1 : FP_P2;
}
