// SPDX-License-Identifier: BSD-2-Clause
/* Branches, the register stack engine and rotation (vol. 1, 4.5 and 4.7; vol. 2, chapter 6). */
#include "machine.h"

static const struct ia64_op *go(struct ia64 *m, const struct ia64_op *op)
{
	return machine_jump(m, op, machine_ip(m, op) + (uint64_t)op->imm);
}

const struct ia64_op *run_br_cond(struct ia64 *m, const struct ia64_op *op) { return go(m, op); }
const struct ia64_op *run_brl_cond(struct ia64 *m, const struct ia64_op *op) { return go(m, op); }
const struct ia64_op *run_br_ind(struct ia64 *m, const struct ia64_op *op) { return machine_jump(m, op, m->br[op->r2] & ~15ull); }

const struct ia64_op *run_br_ia(struct ia64 *m, const struct ia64_op *op)
{
	return machine_stop(m, op, "leaves for IA-32 code, which the 9500 does not execute", m->br[op->r2]);
}

const struct ia64_op *run_br_cloop(struct ia64 *m, const struct ia64_op *op)
{
	if (!m->ar[65])
		return op + 1;
	m->ar[65]--;
	return go(m, op);
}

void frame_set_rrb_pr(struct ia64 *m, unsigned rrb)
{
	const uint64_t all = (UINT64_C(1) << 48) - 1;
	unsigned by = (m->rrb_pr + 48 - rrb) % 48;
	uint64_t high = m->pr >> 16;

	m->pr = (m->pr & 0xffff) | ((high << by | high >> (48 - by)) & all) << 16;
	m->rrb_pr = rrb;
}

void frame_rotate(struct ia64 *m)
{
	frame_set_rrb_pr(m, (m->rrb_pr + 47) % 48);
	m->rrb_fr = (m->rrb_fr + 95) % 96;
	m->rrb_gr = m->sor ? (m->rrb_gr + m->sor - 1) % m->sor : 0;
	frame_changed(m);
}

/*
 * A modulo-scheduled loop's branch (vol. 3, br): while it goes on, or drains its epilogue, the registers rotate and p63 becomes
 * stage after the rotation's place; its last pass rotates only if ar.ec was not zero already.
 */
static const struct ia64_op *modulo(struct ia64 *m, const struct ia64_op *op, bool more, bool stage, bool top)
{
	bool on = more || m->ar[66] > 1;
	bool rotates = more || m->ar[66];

	if (!more && m->ar[66])
		m->ar[66]--;
	set_pr(m, 63, stage);
	if (rotates)
		frame_rotate(m);
	return top == on ? go(m, op) : op + 1;
}

static const struct ia64_op *counted(struct ia64 *m, const struct ia64_op *op, bool top)
{
	bool more = m->ar[65] != 0;

	m->ar[65] -= more;
	return modulo(m, op, more, more, top);
}

const struct ia64_op *run_br_ctop(struct ia64 *m, const struct ia64_op *op) { return counted(m, op, true); }
const struct ia64_op *run_br_cexit(struct ia64 *m, const struct ia64_op *op) { return counted(m, op, false); }

static const struct ia64_op *conditional(struct ia64 *m, const struct ia64_op *op, bool top)
{
	return modulo(m, op, m->pr >> op->k & 1, false, top);
}

const struct ia64_op *run_br_wtop(struct ia64 *m, const struct ia64_op *op) { return conditional(m, op, true); }
const struct ia64_op *run_br_wexit(struct ia64 *m, const struct ia64_op *op) { return conditional(m, op, false); }

/* --- The register stack --- */

/* Registers 32 to 127 in a ring: 96 of them from any place on. */
#define EIGHT(n) (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6, (n) + 7
#define ALL EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56), EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104), \
	EIGHT(112), EIGHT(120)
static const uint8_t ring[2 * STACKED] = { ALL, ALL };

/* Of the rotating registers the first is the one that the base names; compilers' loops come here once a turn. */
void frame_changed(struct ia64 *m)
{
	const uint8_t *frame = ring + m->bof;

	memcpy(m->map + 32, frame + m->rrb_gr, m->sor - m->rrb_gr);
	memcpy(m->map + 32 + m->sor - m->rrb_gr, frame, m->rrb_gr);
	memcpy(m->map + 32 + m->sor, frame + m->sor, STACKED - m->sor);
	memcpy(m->fmap + 32, ring + m->rrb_fr, STACKED);
}

uint64_t frame_cfm(const struct ia64 *m)
{
	return m->sof | m->sol << 7 | m->sor / 8 << 14 | (uint64_t)m->rrb_gr << 18 | (uint64_t)m->rrb_fr << 25 |
	       (uint64_t)m->rrb_pr << 32;
}

/* Spill the oldest dirty register, with the collection of NaTs whose place comes before it. */
static bool spill(struct ia64 *m)
{
	const struct gr *from = &m->gr[32 + (m->bof + STACKED - m->dirty) % STACKED];
	unsigned bit = m->bspstore >> 3 & 63;
	uint8_t *to = memory_write(m, m->bspstore);

	if (!to)
		return false;
	m->bspstore += 8;
	if (bit == 63) {
		memcpy(to, &m->rnat, 8);
		return true;
	}
	memcpy(to, &from->v, 8);
	m->rnat = (m->rnat & ~(UINT64_C(1) << bit)) | from->nat << bit;
	m->dirty--;
	return true;
}

bool frame_room(struct ia64 *m, unsigned registers)
{
	while (m->dirty + registers > STACKED)
		if (!spill(m))
			return false;
	return true;
}

/* All dirty registers, and the collection below bsp if its place is passed. */
bool frame_flush(struct ia64 *m)
{
	while (m->bspstore < m->bsp)
		if (!spill(m))
			return false;
	return true;
}

/* Load the register below the oldest dirty one. */
static bool fill(struct ia64 *m)
{
	uint64_t address = m->bspstore - 8;
	unsigned bit = address >> 3 & 63;
	uint8_t *from = memory_read(m, address);
	struct gr *to;

	if (!from)
		return false;
	m->bspstore = address;
	if (bit == 63) {
		memcpy(&m->rnat, from, 8);
		return true;
	}
	m->dirty++;
	to = &m->gr[32 + (m->bof + STACKED - m->dirty) % STACKED];
	memcpy(&to->v, from, 8);
	to->nat = m->rnat >> bit & 1;
	return true;
}

/* loadrs: the words below bsp that ar.rsc asks for are in registers, all others are not dirty. */
bool frame_load(struct ia64 *m)
{
	uint64_t low = m->bsp - ((m->ar[16] >> 16 & 0x3fff) & ~7ull);

	while (m->bspstore > low)
		if (!fill(m))
			return false;
	while (m->bspstore < low) {
		m->dirty -= (m->bspstore >> 3 & 63) != 63;
		m->bspstore += 8;
	}
	return true;
}

static uint64_t grow(uint64_t bsp, unsigned registers)
{
	return bsp + 8 * (registers + ((bsp >> 3 & 63) + registers) / 63);
}

static uint64_t shrink(uint64_t bsp, unsigned registers)
{
	return bsp - 8 * (registers + (62 - (bsp >> 3 & 63) + registers) / 63);
}

bool frame_call(struct ia64 *m)
{
	m->ar[64] = frame_cfm(m) | (m->ar[66] & 63) << 52 | UINT64_C(3) << 62;
	m->bsp = grow(m->bsp, m->sol);
	m->bof = (m->bof + m->sol) % STACKED;
	m->dirty += m->sol;
	m->sof -= m->sol;
	m->sol = m->sor = m->rrb_gr = m->rrb_fr = 0;
	frame_set_rrb_pr(m, 0);
	frame_changed(m);
	hints_push(&m->hints);
	return true;
}

bool frame_return(struct ia64 *m)
{
	uint64_t pfm = m->ar[64];
	unsigned sol = pfm >> 7 & 127;

	while (m->dirty < sol)
		if (!fill(m))
			return false;
	m->bsp = shrink(m->bsp, sol);
	m->bof = (m->bof + STACKED - sol) % STACKED;
	m->dirty -= sol;
	m->sof = pfm & 127;
	m->sol = sol;
	m->sor = (pfm >> 14 & 15) * 8;
	m->rrb_gr = pfm >> 18 & 127;
	m->rrb_fr = (pfm >> 25 & 127) % 96;
	frame_set_rrb_pr(m, (pfm >> 32 & 63) % 48);
	m->ar[66] = pfm >> 52 & 63;
	frame_changed(m);
	hints_pop(&m->hints);
	return frame_room(m, m->sof);
}

/* Frames that alloc can make, with rotating registers where they can be. */
static bool is_frame(uint64_t pfm)
{
	unsigned sof = pfm & 127, sol = pfm >> 7 & 127, sor = (pfm >> 14 & 15) * 8, rrb = pfm >> 18 & 127;

	return sof <= STACKED && sol <= sof && sor <= sof && (rrb < sor || !rrb);
}

static const struct ia64_op *call(struct ia64 *m, const struct ia64_op *op, uint64_t target)
{
	m->br[op->r1] = machine_ip(m, op) + 16;
	frame_call(m);
	return machine_jump(m, op, target);
}

const struct ia64_op *run_br_call(struct ia64 *m, const struct ia64_op *op)
{
	return call(m, op, machine_ip(m, op) + (uint64_t)op->imm);
}

const struct ia64_op *run_brl_call(struct ia64 *m, const struct ia64_op *op)
{
	return call(m, op, machine_ip(m, op) + (uint64_t)op->imm);
}

const struct ia64_op *run_br_call_ind(struct ia64 *m, const struct ia64_op *op)
{
	return call(m, op, m->br[op->r2] & ~15ull);
}

const struct ia64_op *run_br_ret(struct ia64 *m, const struct ia64_op *op)
{
	if (!is_frame(m->ar[64]))
		return machine_stop(m, op, "returns to a frame that cannot be", m->ar[64]);
	if (!frame_return(m))
		return machine_stop(m, op, "needs registers from a backing store that is not mapped", m->bspstore);
	return machine_jump(m, op, m->br[op->r2] & ~15ull);
}

const struct ia64_op *run_alloc(struct ia64 *m, const struct ia64_op *op)
{
	unsigned sof = op->imm & 127, sol = op->imm >> 8 & 127, sor = (op->imm >> 16 & 15) * 8;

	if (sof > 96 || sol > sof || sor > sof)
		return machine_stop(m, op, "asks for a frame that cannot be", sof);
	if (sor != m->sor && (m->rrb_gr || m->rrb_fr || m->rrb_pr))
		return machine_stop(m, op, "changes the rotating registers while they are rotated", sor);
	if (!frame_room(m, sof))
		return machine_stop(m, op, "spills to a backing store that is not mapped", m->bspstore);
	m->sof = sof;
	m->sol = sol;
	m->sor = sor;
	frame_changed(m);
	*gr_at(m, op->r1) = (struct gr){ m->ar[64], 0 };
	return op + 1;
}

const struct ia64_op *run_clrrrb(struct ia64 *m, const struct ia64_op *op)
{
	m->rrb_gr = m->rrb_fr = 0;
	frame_set_rrb_pr(m, 0);
	frame_changed(m);
	return op + 1;
}

const struct ia64_op *run_clrrrb_pr(struct ia64 *m, const struct ia64_op *op)
{
	frame_set_rrb_pr(m, 0);
	return op + 1;
}

/* In user mode cover is a new, empty frame above the current one. */
const struct ia64_op *run_cover(struct ia64 *m, const struct ia64_op *op)
{
	m->bsp = grow(m->bsp, m->sof);
	m->bof = (m->bof + m->sof) % STACKED;
	m->dirty += m->sof;
	m->sof = m->sol = m->sor = 0;
	return run_clrrrb(m, op);
}

const struct ia64_op *run_flushrs(struct ia64 *m, const struct ia64_op *op)
{
	return frame_flush(m) ? op + 1 : machine_stop(m, op, "spills to a backing store that is not mapped", m->bspstore);
}

const struct ia64_op *run_loadrs(struct ia64 *m, const struct ia64_op *op)
{
	return frame_load(m) ? op + 1 : machine_stop(m, op, "loads from a backing store that is not mapped", m->bspstore);
}
