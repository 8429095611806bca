// SPDX-License-Identifier: BSD-2-Clause
/* Multimedia instructions: a register as 8, 4 or 2 lanes (vol. 3, chapter 2). */
#include "machine.h"

static const struct ia64_op *put(struct ia64 *m, const struct ia64_op *op, uint64_t v, uint64_t nat)
{
	*gr_at(m, op->r1) = (struct gr){ v, nat };
	return op + 1;
}

static uint64_t lane(uint64_t v, unsigned width, unsigned i)
{
	return v >> (i * width) & ((UINT64_C(1) << width) - 1);
}

static int64_t lane_signed(uint64_t v, unsigned width, unsigned i)
{
	return (int64_t)(v << (64 - width * (i + 1))) >> (64 - width);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* What a lane becomes of two; how is the instruction's own. */
typedef int64_t lane_fn(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how);

static const struct ia64_op *each(struct ia64 *m, const struct ia64_op *op, unsigned width, lane_fn *fn, unsigned how)
{
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3);
	uint64_t v = 0;

	for (unsigned i = 0; i < 64 / width; i++)
		v |= ((uint64_t)fn(a.v, b.v, width, i, how) & ((UINT64_C(1) << width) - 1)) << (i * width);
	return put(m, op, v, a.nat | b.nat);
}

/* Saturation: 0 none, 1 signed, 2 unsigned of unsigned, 3 unsigned of unsigned and signed. */
static int64_t saturate(int64_t v, unsigned width, unsigned how)
{
	int64_t one = INT64_C(1) << (width - 1);

	return how == 0 ? v : how == 1 ? clamp(v, -one, one - 1) : clamp(v, 0, 2 * one - 1);
}

static int64_t add(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how)
{
	int64_t x = how == 1 ? lane_signed(a, width, i) : (int64_t)lane(a, width, i);
	int64_t y = how & 1 ? lane_signed(b, width, i) : (int64_t)lane(b, width, i);

	return saturate(x + y, width, how);
}

static int64_t subtract(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how)
{
	int64_t x = how == 1 ? lane_signed(a, width, i) : (int64_t)lane(a, width, i);
	int64_t y = how & 1 ? lane_signed(b, width, i) : (int64_t)lane(b, width, i);

	return saturate(x - y, width, how);
}

static int64_t average(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned away)
{
	uint64_t sum = lane(a, width, i) + lane(b, width, i);

	return (int64_t)(away ? (sum + 1) >> 1 : sum >> 1 | (sum & 1));
}

static int64_t average_difference(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how)
{
	uint64_t difference = lane(a, width, i) - lane(b, width, i);

	(void)how;
	return (int64_t)((difference & ((UINT64_C(2) << width) - 1)) >> 1 | (difference & 1));
}

static int64_t relate(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned greater)
{
	int64_t x = lane_signed(a, width, i), y = lane_signed(b, width, i);

	return (greater ? x > y : x == y) ? -1 : 0;
}

static int64_t shift_left_add(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned count)
{
	int64_t wide = lane_signed(a, width, i) * (INT64_C(1) << count);
	int64_t shifted = saturate(wide, width, 1);

	return shifted != wide ? shifted : saturate(shifted + lane_signed(b, width, i), width, 1);
}

static int64_t shift_right_add(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned count)
{
	return saturate((lane_signed(a, width, i) >> count) + lane_signed(b, width, i), width, 1);
}

static int64_t least(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned is_signed)
{
	int64_t x = is_signed ? lane_signed(a, width, i) : (int64_t)lane(a, width, i);
	int64_t y = is_signed ? lane_signed(b, width, i) : (int64_t)lane(b, width, i);

	return x < y ? x : y;
}

static int64_t most(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned is_signed)
{
	int64_t x = is_signed ? lane_signed(a, width, i) : (int64_t)lane(a, width, i);
	int64_t y = is_signed ? lane_signed(b, width, i) : (int64_t)lane(b, width, i);

	return x < y ? y : x;
}

/* mix: odd (.l) or even (.r) lanes, r2's above r3's. */
static int64_t mix(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned left)
{
	return (int64_t)lane(i & 1 ? a : b, width, (i & ~1u) + left);
}

/* unpack: the high or low halves' lanes, r2's above r3's. */
static int64_t unpack(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned low)
{
	return (int64_t)lane(i & 1 ? a : b, width, i / 2 + (low ? 0 : 32 / width));
}

/* pack: r2's lanes of twice the width below r3's. */
static int64_t pack(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how)
{
	unsigned half = 32 / width;

	return saturate(lane_signed(i < half ? a : b, 2 * width, i % half), width, how);
}

static int64_t multiply_shift(uint64_t a, uint64_t b, unsigned width, unsigned i, unsigned how)
{
	int64_t product = how >> 5 ? lane_signed(a, width, i) * lane_signed(b, width, i) :
			  (int64_t)(lane(a, width, i) * lane(b, width, i));

	return product >> (how & 31);
}

const struct ia64_op *run_padd(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], add, op->x[1]); }
const struct ia64_op *run_padd4(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 32, add, 0); }
const struct ia64_op *run_psub(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], subtract, op->x[1]); }
const struct ia64_op *run_psub4(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 32, subtract, 0); }
const struct ia64_op *run_pavg(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], average, op->x[1]); }
const struct ia64_op *run_pavgsub(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], average_difference, 0); }
const struct ia64_op *run_pcmp(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], relate, op->x[1]); }
const struct ia64_op *run_pshladd2(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 16, shift_left_add, (unsigned)op->imm); }
const struct ia64_op *run_pshradd2(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 16, shift_right_add, (unsigned)op->imm); }
const struct ia64_op *run_pmin1(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8, least, 0); }
const struct ia64_op *run_pmin2(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 16, least, 1); }
const struct ia64_op *run_pmax1(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8, most, 0); }
const struct ia64_op *run_pmax2(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 16, most, 1); }
const struct ia64_op *run_mix(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], mix, op->x[1]); }
const struct ia64_op *run_unpack(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8u << op->x[0], unpack, op->x[1]); }
const struct ia64_op *run_pack2(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 8, pack, op->x[0] ? 1 : 2); }
const struct ia64_op *run_pack4(struct ia64 *m, const struct ia64_op *op) { return each(m, op, 16, pack, 1); }

const struct ia64_op *run_pmpyshr2(struct ia64 *m, const struct ia64_op *op)
{
	return each(m, op, 16, multiply_shift, (unsigned)op->imm | (unsigned)op->x[0] << 5);
}

const struct ia64_op *run_pmpy2(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3);
	unsigned odd = op->x[0];
	uint64_t low = (uint32_t)(lane_signed(a.v, 16, odd) * lane_signed(b.v, 16, odd));
	uint64_t high = (uint64_t)(lane_signed(a.v, 16, odd + 2) * lane_signed(b.v, 16, odd + 2)) << 32;

	return put(m, op, high | low, a.nat | b.nat);
}

const struct ia64_op *run_psad1(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3);
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8; i++) {
		int64_t difference = (int64_t)lane(a.v, 8, i) - (int64_t)lane(b.v, 8, i);

		sum += (uint64_t)(difference < 0 ? -difference : difference);
	}
	return put(m, op, sum, a.nat | b.nat);
}

/* mux1: which byte goes where, lowest first; the rows of reserved types copy as @rev does not: they stop. */
const struct ia64_op *run_mux1(struct ia64 *m, const struct ia64_op *op)
{
	static const uint8_t from[16][8] = {
		[0] = { 0 }, [8] = { 0, 4, 2, 6, 1, 5, 3, 7 }, [9] = { 0, 4, 1, 5, 2, 6, 3, 7 },
		[10] = { 0, 2, 4, 6, 1, 3, 5, 7 }, [11] = { 7, 6, 5, 4, 3, 2, 1, 0 },
	};
	const struct gr a = *gr_at(m, op->r2);
	uint64_t v = 0;

	if (op->imm && (op->imm < 8 || op->imm > 11))
		return machine_stop(m, op, "has a reserved permutation", (uint64_t)op->imm);
	for (unsigned i = 0; i < 8; i++)
		v |= lane(a.v, 8, from[op->imm][i]) << 8 * i;
	return put(m, op, v, a.nat);
}

const struct ia64_op *run_mux2(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2);
	uint64_t v = 0;

	for (unsigned i = 0; i < 4; i++)
		v |= lane(a.v, 16, op->imm >> 2 * i & 3) << 16 * i;
	return put(m, op, v, a.nat);
}

/* Lanes of 16 or 32 bits (x[0]) shifted; counts beyond the lane leave nothing but signs. */
static uint64_t shift(uint64_t v, unsigned width, uint64_t count, bool right, bool is_signed)
{
	uint64_t to = 0, mask = (UINT64_C(1) << width) - 1;
	unsigned by = count < width ? (unsigned)count : width;

	for (unsigned i = 0; i < 64 / width; i++) {
		uint64_t l = is_signed ? (uint64_t)(lane_signed(v, width, i) >> by) : right ? lane(v, width, i) >> by : lane(v, width, i) << by;

		to |= (l & mask) << (i * width);
	}
	return to;
}

const struct ia64_op *run_pshr(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r3), b = *gr_at(m, op->r2);

	return put(m, op, shift(a.v, 16u << op->x[0], b.v, true, op->x[1]), a.nat | b.nat);
}

const struct ia64_op *run_pshr_imm(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r3);

	return put(m, op, shift(a.v, 16u << op->x[0], (uint64_t)op->imm, true, op->x[1]), a.nat);
}

const struct ia64_op *run_pshl(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3);

	return put(m, op, shift(a.v, 16u << op->x[0], b.v, false, false), a.nat | b.nat);
}

const struct ia64_op *run_pshl_imm(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2);

	return put(m, op, shift(a.v, 16u << op->x[0], (uint64_t)op->imm, false, false), a.nat);
}

/* czx: how many lanes lie before the first that is zero, from the left or from the right. */
static const struct ia64_op *find_zero(struct ia64 *m, const struct ia64_op *op, bool left)
{
	const struct gr a = *gr_at(m, op->r3);
	unsigned width = 8u << op->x[0], lanes = 64 / width, i = 0;

	while (i < lanes && lane(a.v, width, left ? lanes - 1 - i : i))
		i++;
	return put(m, op, i, a.nat);
}

const struct ia64_op *run_czx_l(struct ia64 *m, const struct ia64_op *op) { return find_zero(m, op, true); }
const struct ia64_op *run_czx_r(struct ia64 *m, const struct ia64_op *op) { return find_zero(m, op, false); }
