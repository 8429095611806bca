/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floating-point arithmetic of IA-64, as pure functions: operands and the controls of a status field in; value,
 * flags and interruption out.  Nothing here reads or writes a register file.
 *
 * Source: Intel Itanium Architecture Software Developer's Manual, rev. 2.3: vol. 1 chapter 5 (formats 5.1, FPSR 5.2,
 * instructions 5.3, exceptions 5.4), vol. 2 chapter 8.3 (ISR.code of vectors 0x5c00 and 0x5d00), vol. 3 chapter 2 (each
 * instruction).  docs/reference/model-ia64-fp.md has the decisions where the manual leaves a choice.
 *
 * Registers keep the manual's names for an instruction's operands: f1 is the target; multiply-adds compute f3 * f4 + f2.
 *
 * How an instruction of arithmetic is executed:
 *
 *	struct fp_out out = fp_fma(FP_FMA, &mode[sf][pc], f3, f4, f2);
 *
 *	if (out.status & FP_FAULT)		the target and FPSR keep what they hold
 *		interrupt(vector 0x5c00, fp_isr_code(out.status));
 *	fr[f1] = fp_value(out);
 *	fpsr = fp_fpsr_raise(fpsr, sf, out.status);
 *	if (out.status & FP_TRAP)		after the instruction
 *		interrupt(vector 0x5d00, fp_isr_code(out.status));
 *
 * with one test of status for the common case, where it is zero or holds flags that are raised already.
 */
#ifndef BXS_FP_H
#define BXS_FP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Registers (vol. 1, 5.1.2 and 5.1.3) --- */

/* A floating-point register: se holds the sign in bit 17 above the exponent, biased by 0xffff.  se has no other bits. */
struct fp_reg {
	uint64_t sig;
	uint32_t se;
};

enum {
	FP_SIGN = 0x20000,
	FP_EXP_ONES = 0x1ffff,		/* infinities and NaNs */
	FP_EXP_BIAS = 0xffff,
	FP_EXP_INT = 0x1003e,		/* integers and pairs of singles live in the significand */
	FP_EXP_NATVAL = 0x1fffe,
};

#define FP_INTEGER_BIT (UINT64_C(1) << 63)
#define FP_ZERO ((struct fp_reg){ 0, 0 })			/* FR 0 */
#define FP_ONE ((struct fp_reg){ FP_INTEGER_BIT, FP_EXP_BIAS })	/* FR 1 */
#define FP_NATVAL ((struct fp_reg){ 0, FP_EXP_NATVAL })

static inline bool fp_is_natval(const struct fp_reg *f)
{
	return f->se == FP_EXP_NATVAL && f->sig == 0;
}

/* --- What an operation answers --- */

/*
 * Bits of status.  The flags have the order of the flags in a status field; for a pair they are those of both halves.
 * Above FP_ISR_SHIFT lies ISR.code when FP_FAULT or FP_TRAP is set, else 0.
 */
enum {
	FP_V = 1 << 0,		/* invalid operation */
	FP_D = 1 << 1,		/* denormal or unnormal operand */
	FP_Z = 1 << 2,		/* division by zero */
	FP_O = 1 << 3,		/* overflow */
	FP_U = 1 << 4,		/* underflow */
	FP_I = 1 << 5,		/* inexact */
	FP_FLAGS = 0x3f,
	FP_FAULT = 1 << 6,	/* an enabled V, D or Z: value is zero and not to be written, flags are not to be raised */
	FP_TRAP = 1 << 7,	/* an enabled O, U or I: value and flags are to be written, the interruption follows */
	FP_SWA = 1 << 8,	/* the 9500 asks for software assistance here; value is what that delivers */
	FP_P1 = 1 << 9,		/* what a compare or class writes to its first predicate target */
	FP_P2 = 1 << 10,	/* ... to its second; also the predicate target of the approximations */
	FP_TINY = 1 << 11,	/* the result was tiny: ftz would have flushed it, did, or underflow interrupts */
	FP_FLUSHED = 1 << 12,	/* the result was flushed to zero */
	FP_ISR_SHIFT = 16,
};

/* ISR.code: faults in bits 7:0, traps in bits 14:7 (vol. 2, 8.3).  Instructions that are not parallel use the high half. */
enum {
	FP_ISR_V = 1 << 0, FP_ISR_D = 1 << 1, FP_ISR_Z = 1 << 2, FP_ISR_SWA = 1 << 3,
	FP_ISR_LOW_V = 1 << 4, FP_ISR_LOW_D = 1 << 5, FP_ISR_LOW_Z = 1 << 6, FP_ISR_LOW_SWA = 1 << 7,
	FP_ISR_LOW_O = 1 << 7, FP_ISR_LOW_U = 1 << 8, FP_ISR_LOW_I = 1 << 9, FP_ISR_LOW_FPA = 1 << 10,
	FP_ISR_O = 1 << 11, FP_ISR_U = 1 << 12, FP_ISR_I = 1 << 13, FP_ISR_FPA = 1 << 14,
};

/* A register's value and the status beside it: two words, which the ABI returns in registers. */
struct fp_out {
	uint64_t sig;
	uint32_t se;
	uint32_t status;
};

static inline struct fp_reg fp_value(struct fp_out out)
{
	return (struct fp_reg){ out.sig, out.se };
}

static inline unsigned fp_isr_code(uint32_t status)
{
	return status >> FP_ISR_SHIFT;
}

/* --- FPSR (vol. 1, 5.2) --- */

/* Where an instruction takes the precision of its result from (tables 5-5 and 5-6). */
enum fp_pc {
	FP_PC_S,	/* completer .s */
	FP_PC_D,	/* completer .d */
	FP_PC_DYN,	/* no completer: the status field's pc */
	FP_PC_PAIR,	/* parallel instructions: single whatever pc and wre say */
	FP_PCS
};

enum { FP_RC_NEAREST, FP_RC_DOWN, FP_RC_UP, FP_RC_ZERO };

/*
 * The controls of an instruction, decoded; only these functions look inside.  They depend on FPSR's trap disables and one
 * status field's controls.
 */
struct fp_mode {
	uint64_t lost;		/* the bits of a significand's word that rounding drops */
	uint64_t low[2], high[2];	/* what rounding adds below the last bit kept, to a magnitude of either sign */
	int32_t emin, emax;	/* smallest and largest exponent of a normal result, biased by 0xffff */
	uint8_t drop;		/* 64 minus the precision: 40, 11 or 0 */
	uint8_t rc;
	uint8_t disabled;	/* FP_V..FP_I: set where the interruption is disabled; all are if the field's td is set */
	uint8_t even;		/* 1 if a tie goes to the even neighbour */
	uint8_t exp_bits;	/* of the exponent with enabled overflow or underflow: 17, in pairs 8 */
	bool ftz;
};

/*
 * Decode the controls of status field sf (0..3) for instructions of the given kind.  A machine keeps all sixteen and decodes
 * them again when something else than flags is written to FPSR.  The reserved pc 1 acts as 3.
 */
struct fp_mode fp_mode(uint64_t fpsr, unsigned sf, enum fp_pc pc);

/* FPSR with status's flags raised in field sf. */
static inline uint64_t fp_fpsr_raise(uint64_t fpsr, unsigned sf, uint32_t status)
{
	return fpsr | (uint64_t)(status & FP_FLAGS) << (13 + 13 * sf);
}

/* Whether a value may be written to FPSR: reserved bits (63:58, sf0.td) are zero and no pc is 1. */
bool fp_fpsr_valid(uint64_t fpsr);

/* fsetc.sf amask7, omask7: field sf's controls from those of sf0.  Check the result by fp_fpsr_valid. */
uint64_t fp_fsetc(uint64_t fpsr, unsigned sf, unsigned amask7, unsigned omask7);

/* fclrf.sf: field sf's flags cleared. */
uint64_t fp_fclrf(uint64_t fpsr, unsigned sf);

/* fchkf.sf: whether field sf has a flag that is enabled to interrupt or that sf0 does not have; the branch is then taken. */
bool fp_fchkf(uint64_t fpsr, unsigned sf);

/* --- Memory and general registers (vol. 1, 5.3.1 and 5.3.2; vol. 3 ldf, ldfp, stf, getf, setf) --- */

/* ldfs, a half of ldfps, setf.s. */
struct fp_reg fp_from_single(uint32_t word);

/* ldfd, a half of ldfpd, setf.d. */
struct fp_reg fp_from_double(uint64_t word);

/* ldfe: bytes 0..7 and bytes 8..9 of the ten. */
struct fp_reg fp_from_extended(uint64_t low, uint16_t high);

/* ldf8, a half of ldfp8, setf.sig. */
static inline struct fp_reg fp_from_int(uint64_t word)
{
	return (struct fp_reg){ word, FP_EXP_INT };
}

/* ldf.fill: bytes 0..7 and bytes 8..15 of the sixteen; bits above the 82 are ignored. */
static inline struct fp_reg fp_fill(uint64_t low, uint64_t high)
{
	return (struct fp_reg){ low, (uint32_t)high & (FP_SIGN | FP_EXP_ONES) };
}

/* setf.exp: sign and exponent from bits 17:0, significand 1.0. */
static inline struct fp_reg fp_from_exp(uint64_t word)
{
	return (struct fp_reg){ FP_INTEGER_BIT, (uint32_t)word & (FP_SIGN | FP_EXP_ONES) };
}

/*
 * stfs and getf.s: the format's fields are cut out of the register, without rounding (stf8, getf.sig: sig as it is; getf.exp:
 * se; stf.spill: sig in bytes 0..7, se in bytes 8..15).  A NaTVal is the caller's: stores but stf.spill fault on it
 * (Register NaT Consumption), getf writes the target's NaT bit.
 */
uint32_t fp_to_single(const struct fp_reg *f);

/* stfd and getf.d. */
uint64_t fp_to_double(const struct fp_reg *f);

/* stfe: bytes 8..9 (bytes 0..7 are sig). */
uint16_t fp_to_extended_high(const struct fp_reg *f);

/* --- Arithmetic on one value (vol. 1, 5.3.3) ---
 * A NaTVal among the operands makes the value NaTVal and both predicates false, without flags or interruption. */

/* Bit 0: f2 is subtracted; bit 1: the product is negated. */
enum fp_multiply_add { FP_FMA = 0, FP_FMS = 1, FP_FNMA = 2 };

/*
 * fma, fms and fnma: f3 * f4 + f2, rounded once.  f2 is NULL when the instruction names FR 0: then nothing is added, which
 * matters for the sign of a zero product.  fadd, fsub, fmpy, fnmpy, fnorm and fcvt.xuf are these with FR 0 or FR 1.
 */
struct fp_out fp_fma(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *f3,
		     const struct fp_reg *f4, const struct fp_reg *f2);

enum fp_minmax { FP_MIN, FP_MAX, FP_AMIN, FP_AMAX };

/* fmin, fmax, famin, famax.  The value is f3 unless f2 compares as asked. */
struct fp_out fp_minmax(enum fp_minmax op, const struct fp_mode *mode, const struct fp_reg *f2,
			const struct fp_reg *f3);

/* The relations of the instructions; the assembler makes gt, ge, ngt, nge from them by exchanging operands. */
enum fp_rel { FP_EQ, FP_LT, FP_LE, FP_UNORD, FP_NEQ, FP_NLT, FP_NLE, FP_ORD };

/*
 * fcmp: FP_P1 and FP_P2 say what p1 and p2 get (both false for a NaTVal), whatever the compare's type: .unc only differs
 * when the qualifying predicate is false, which is the caller's.
 */
uint32_t fp_compare(enum fp_rel rel, const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3);

/* The mask of fclass. */
enum {
	FP_CLASS_POS = 0x001, FP_CLASS_NEG = 0x002, FP_CLASS_ZERO = 0x004, FP_CLASS_UNORM = 0x008, FP_CLASS_NORM = 0x010,
	FP_CLASS_INF = 0x020, FP_CLASS_SNAN = 0x040, FP_CLASS_QNAN = 0x080, FP_CLASS_NAT = 0x100,
};

/* fclass.m: FP_P1 and FP_P2 as for fp_compare.  fclass.nm exchanges its predicate targets. */
uint32_t fp_class(unsigned mask, const struct fp_reg *f2);

/* frcpa: approximation of 1/f3 and FP_P2, or the IEEE quotient f2/f3 without FP_P2.  mode: FP_PC_DYN. */
struct fp_out fp_rcpa(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3);

/* frsqrta: approximation of 1/sqrt(f3) and FP_P2, or the IEEE square root of f3 without FP_P2.  mode: FP_PC_DYN. */
struct fp_out fp_rsqrta(const struct fp_mode *mode, const struct fp_reg *f3);

/* Bit 0: unsigned; bit 1: toward zero whatever rc says. */
enum fp_convert { FP_FX = 0, FP_FXU = 1, FP_FX_TRUNC = 2, FP_FXU_TRUNC = 3 };

/* fcvt.fx, .fxu and their .trunc: an integer of 64 bits in the significand. */
struct fp_out fp_cvt_fx(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2);

/* fcvt.xf: the signed integer in the significand as a number; always exact. */
struct fp_reg fp_cvt_xf(const struct fp_reg *f2);

/* --- Integers and bits in the significand; none of these raises a flag (vol. 1, 5.3.4 and 5.3.5) --- */

enum fp_xma { FP_XMA_L, FP_XMA_H, FP_XMA_HU };

/* xma: low or high word of f3 * f4 + f2. */
struct fp_reg fp_xma(enum fp_xma op, const struct fp_reg *f3, const struct fp_reg *f4, const struct fp_reg *f2);

enum fp_shuffle {
	FP_MERGE_S, FP_MERGE_NS, FP_MERGE_SE,		/* fmerge: fabs, fneg and fnegabs are merges */
	FP_PMERGE_S, FP_PMERGE_NS, FP_PMERGE_SE,	/* fpmerge: fpabs, fpneg, fpnegabs */
	FP_MIX_L, FP_MIX_R, FP_MIX_LR,			/* fmix */
	FP_SXT_L, FP_SXT_R,				/* fsxt */
	FP_SWAP, FP_SWAP_NL, FP_SWAP_NR,		/* fswap */
	FP_AND, FP_ANDCM, FP_OR, FP_XOR,		/* fand, fandcm, for, fxor */
	FP_PACK,					/* fpack */
};

/* Every instruction that puts parts of f2 and f3 together. */
struct fp_reg fp_shuffle(enum fp_shuffle op, const struct fp_reg *f2, const struct fp_reg *f3);

/* fselect: bits of f3 where f2 has ones, of f4 elsewhere. */
struct fp_reg fp_select(const struct fp_reg *f3, const struct fp_reg *f4, const struct fp_reg *f2);

/* --- Arithmetic on pairs of singles (parallel forms); mode: FP_PC_PAIR --- */

struct fp_out fp_pma(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *f3,
		     const struct fp_reg *f4, const struct fp_reg *f2);
struct fp_out fp_pminmax(enum fp_minmax op, const struct fp_mode *mode, const struct fp_reg *f2,
			 const struct fp_reg *f3);

/* fpcmp: each half becomes all ones or all zeros. */
struct fp_out fp_pcompare(enum fp_rel rel, const struct fp_mode *mode, const struct fp_reg *f2,
			  const struct fp_reg *f3);

/* fprcpa and fprsqrta: FP_P2 if both halves are approximations that iterations may start from.  They never ask for assistance. */
struct fp_out fp_prcpa(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3);
struct fp_out fp_prsqrta(const struct fp_mode *mode, const struct fp_reg *f3);

/* fpcvt: integers of 32 bits. */
struct fp_out fp_pcvt_fx(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2);

#endif
