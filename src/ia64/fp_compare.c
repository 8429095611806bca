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

/* A number for the compares; a NaN has none. */
static inline struct fp_num number(const struct fp_reg *f)
{
	if (fp_is_normal(f))
		return (struct fp_num){ f->sig, (int32_t)(f->se & FP_EXP_ONES), f->se & FP_SIGN };
	return fp_number(f);
}

/* Magnitudes in their order.  Exponents of normalised denormals lie down to 63 below zero. */
static inline bits_u128 magnitude(const struct fp_num *n)
{
	return n->sig ? (bits_u128)(uint32_t)(n->exp + 64) << 64 | n->sig : 0;
}

/* Infinities read as numbers are larger than all others. */
static inline void order_numbers(struct order *o, struct fp_num a, struct fp_num b, bool magnitudes)
{
	bits_u128 ma = magnitude(&a), mb = magnitude(&b);

	if (magnitudes)
		a.sign = b.sign = 0;
	if (a.sign == b.sign) {
		o->less = a.sign ? mb < ma : ma < mb;
		o->equal = ma == mb;
	} else {
		o->equal = (ma | mb) == 0;
		o->less = a.sign && !o->equal;
	}
}

/* quiet: QNaNs alone are not invalid. */
static void order_rare(struct order *o, const struct fp_mode *mode, enum fp_kind a, enum fp_kind b, bool quiet)
{
	o->natval = a == FP_KIND_NAT || b == FP_KIND_NAT;
	o->unordered = !o->natval && (a > FP_KIND_INF || b > FP_KIND_INF);
	if (o->natval)
		return;
	if (o->unordered)
		o->status = !quiet || a > FP_KIND_QNAN || b > FP_KIND_QNAN ? raise(mode, FP_V) : 0;
	else if (a == FP_KIND_UNORM || b == FP_KIND_UNORM)
		o->status = raise(mode, FP_D);
}

static inline struct order compare(const struct fp_mode *mode, const struct fp_reg *a, const struct fp_reg *b, bool quiet,
				   bool magnitudes)
{
	struct order o = { 0 };

	if (!fp_is_normal(a) || !fp_is_normal(b))
		order_rare(&o, mode, fp_kind(a), fp_kind(b), quiet);
	if (!o.natval && !o.unordered)
		order_numbers(&o, number(a), number(b), magnitudes);
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
