/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rows of the floating-point tests are written with. */
#ifndef BXS_TEST_FP_ROWS_H
#define BXS_TEST_FP_ROWS_H

#include "check.h"
#include "ia64/fp.h"

/* Significands by their first hexadecimal digits. */
#define SIG_1 UINT64_C(0x8000000000000000)	/* 1.0 */
#define SIG_15 UINT64_C(0xc000000000000000)	/* 1.5 */
#define SIG_MAX UINT64_C(0xffffffffffffffff)

/* Registers: sign, exponent without bias, significand. */
#define REG(sign, exp, sig) { (sig), (sign) << 17 | (0xffff + (exp)) }
#define RAW(se, sig) { (sig), (se) }
#define ONE RAW(0xffff, SIG_1)
#define MINUS_ONE RAW(0x2ffff, SIG_1)
#define PLUS_0 RAW(0, 0)
#define MINUS_0 RAW(0x20000, 0)
#define INF RAW(0x1ffff, SIG_1)
#define MINUS_INF RAW(0x3ffff, SIG_1)
#define QNAN(payload) RAW(0x1ffff, SIG_15 | (payload))
#define SNAN(payload) RAW(0x1ffff, SIG_1 | (payload))
#define INDEFINITE RAW(0x3ffff, SIG_15)
#define UNSUPPORTED RAW(0x1ffff, 0x4000000000000000)
#define NATVAL RAW(0x1fffe, 0)
#define NOTHING RAW(0, 0)	/* beside a fault */

/* Controls of a status field, and where the six trap disables are all set. */
enum {
	FTZ = 1, WRE = 2, PC_S = 0, PC_D = 2 << 2, PC_E = 3 << 2, TD = 0x40,
	RN = FP_RC_NEAREST << 4, RM = FP_RC_DOWN << 4, RP = FP_RC_UP << 4, RZ = FP_RC_ZERO << 4,
	OFF = FP_FLAGS,
};

/* Status with an interruption and its code. */
#define FAULT(code) (FP_FAULT | (code) << FP_ISR_SHIFT)
#define TRAP(code) (FP_TRAP | (code) << FP_ISR_SHIFT)

/* FPSR with these trap disables and controls in status field sf. */
static inline uint64_t fpsr_of(unsigned disabled, unsigned sf, unsigned controls)
{
	return disabled | (uint64_t)controls << (6 + 13 * sf);
}

static inline void check_out(int line, struct fp_out got, struct fp_reg want, uint32_t status)
{
	CHECK_EQ(line, got.sig, want.sig);
	CHECK_EQ(line, got.se, want.se);
	CHECK_EQ(line, got.status, status);
}

static inline void check_reg(int line, struct fp_reg got, struct fp_reg want)
{
	CHECK_EQ(line, got.sig, want.sig);
	CHECK_EQ(line, got.se, want.se);
}

#endif
