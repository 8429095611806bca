/* SPDX-License-Identifier: BSD-2-Clause */
/* The floating-point status register: controls decoded, and the instructions on its fields (vol. 1, 5.2 and 5.3.6). */
#include "ia64/fp_private.h"

/* A status field: ftz 0, wre 1, pc 3:2, rc 5:4, td 6, flags 12:7; sf0 begins at bit 6, above the six trap disables. */
enum { FIELD_BITS = 13, CONTROL_BITS = 7, FIRST_FIELD = 6, PC_RESERVED = 1 };

static unsigned field_low(unsigned sf)
{
	return FIRST_FIELD + FIELD_BITS * sf;
}

static unsigned controls_of(uint64_t fpsr, unsigned sf)
{
	return (unsigned)(fpsr >> field_low(sf) & bits_low(CONTROL_BITS));
}

static unsigned flags_of(uint64_t fpsr, unsigned sf)
{
	return (unsigned)(fpsr >> (field_low(sf) + CONTROL_BITS)) & FP_FLAGS;
}

static unsigned pc_of(unsigned controls)
{
	return controls >> 2 & 3;
}

static unsigned precision_of(unsigned controls, enum fp_pc pc)
{
	static const uint8_t of_pc[] = { 24, 64, 53, 64 };

	if (pc == FP_PC_DYN)
		return of_pc[pc_of(controls)];
	return pc == FP_PC_D ? 53 : 24;
}

/* The largest exponent without its bias: 17 bits with wre, else those of the completer's format, 15 without completer. */
static int32_t emax_of(unsigned controls, enum fp_pc pc)
{
	static const int32_t of_completer[FP_PCS] = { 127, 1023, 16383, 127 };
	bool wre = controls >> 1 & 1;

	return wre && pc != FP_PC_PAIR ? 65535 : of_completer[pc];
}

/* What rounding adds to a magnitude, in the words that hold the first bit dropped and all below. */
static void set_rounding(struct fp_mode *mode, unsigned precision)
{
	bits_u128 unit = (bits_u128)1 << (128 - precision);

	for (unsigned negative = 0; negative < 2; negative++) {
		bits_u128 add = 0;

		if (mode->rc == FP_RC_NEAREST)
			add = (unit >> 1) - 1;
		else if (mode->rc == (negative ? FP_RC_DOWN : FP_RC_UP))
			add = unit - 1;
		mode->high[negative] = (uint64_t)(add >> 64);
		mode->low[negative] = (uint64_t)add;
	}
	mode->even = mode->rc == FP_RC_NEAREST;
	mode->drop = (uint8_t)(64 - precision);
	mode->lost = bits_low(mode->drop);
}

struct fp_mode fp_mode(uint64_t fpsr, unsigned sf, enum fp_pc pc)
{
	unsigned controls = controls_of(fpsr, sf);
	bool td = controls >> 6 & 1;
	int32_t emax = emax_of(controls, pc);
	struct fp_mode mode = {
		.emin = FP_EXP_BIAS + 1 - emax,
		.emax = FP_EXP_BIAS + emax,
		.rc = controls >> 4 & 3,
		.disabled = td ? FP_FLAGS : fpsr & FP_FLAGS,
		.exp_bits = pc == FP_PC_PAIR ? 8 : 17,
		.ftz = controls & 1,
	};

	set_rounding(&mode, precision_of(controls, pc));
	return mode;
}

bool fp_fpsr_valid(uint64_t fpsr)
{
	for (unsigned sf = 0; sf < 4; sf++)
		if (pc_of(controls_of(fpsr, sf)) == PC_RESERVED)
			return false;
	return fpsr >> 58 == 0 && !(controls_of(fpsr, 0) >> 6);
}

uint64_t fp_fsetc(uint64_t fpsr, unsigned sf, unsigned amask7, unsigned omask7)
{
	unsigned controls = (controls_of(fpsr, 0) & amask7) | omask7;

	return bits_put(fpsr, field_low(sf) + CONTROL_BITS - 1, field_low(sf), controls);
}

uint64_t fp_fclrf(uint64_t fpsr, unsigned sf)
{
	return bits_put(fpsr, field_low(sf) + FIELD_BITS - 1, field_low(sf) + CONTROL_BITS, 0);
}

bool fp_fchkf(uint64_t fpsr, unsigned sf)
{
	unsigned flags = flags_of(fpsr, sf), disabled = fpsr & FP_FLAGS;

	return (flags & ~disabled) || (flags & ~flags_of(fpsr, 0));
}
