// SPDX-License-Identifier: BSD-2-Clause
/* Loads, stores, semaphores, the ALAT and transfers between register files (vol. 1, 4.4; vol. 3, chapter 2). */
#include "machine.h"

enum { LD_PLAIN, LD_S, LD_A, LD_SA, LD_BIAS, LD_ACQ, LD_C_CLR, LD_C_NC, LD_C_CLR_ACQ };

static uint8_t alat_register(struct ia64 *m, unsigned reg, bool fp)
{
	return fp ? m->fmap[reg] : m->map[reg];
}

static struct alat *alat_find(struct ia64 *m, unsigned reg, bool fp)
{
	uint8_t number = alat_register(m, reg, fp);

	for (unsigned i = 0; m->alat_valid && i < ALAT_ENTRIES; i++)
		if (m->alat[i].valid && m->alat[i].reg == number && m->alat[i].fp == fp)
			return &m->alat[i];
	return NULL;
}

bool ia64_alat_has(struct ia64 *m, unsigned reg, bool fp)
{
	return alat_find(m, reg, fp) != NULL;
}

static bool meets(const struct alat *entry, uint64_t address, unsigned size)
{
	return entry->valid && entry->address < address + size && address < entry->address + entry->size;
}

bool ia64_alat_meets(const struct ia64 *m, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < ALAT_ENTRIES; i++)
		if (meets(&m->alat[i], address, size))
			return true;
	return false;
}

static void alat_drop(struct ia64 *m, unsigned reg, bool fp)
{
	struct alat *entry = alat_find(m, reg, fp);

	if (entry) {
		entry->valid = false;
		m->alat_valid--;
	}
}

static void alat_add(struct ia64 *m, unsigned reg, bool fp, uint64_t address, unsigned size)
{
	struct alat *entry;

	alat_drop(m, reg, fp);
	entry = &m->alat[m->alat_next++ % ALAT_ENTRIES];
	m->alat_valid += !entry->valid;
	*entry = (struct alat){ address, (uint8_t)size, alat_register(m, reg, fp), fp, true };
}

static void alat_store(struct ia64 *m, uint64_t address, unsigned size)
{
	for (unsigned i = 0; m->alat_valid && i < ALAT_ENTRIES; i++) {
		struct alat *entry = &m->alat[i];

		if (meets(entry, address, size)) {
			entry->valid = false;
			m->alat_valid--;
		}
	}
}

static uint64_t fetch(const uint8_t *from, unsigned log)
{
	uint64_t v = 0;

	memcpy(&v, from, (size_t)1 << log);
	return v;
}

static const struct ia64_op *bad(struct ia64 *m, const struct ia64_op *op, uint64_t address, unsigned size)
{
	return machine_stop(m, op, gr_at(m, op->r3)->nat ? "consumes a NaT as its address" : address & (size - 1) ?
			    "accesses data that is not aligned" : "accesses memory that is not mapped so", address);
}

/* The base register after an access. */
static void update(struct ia64 *m, const struct ia64_op *op, uint64_t by, uint64_t nat)
{
	struct gr *base = gr_at(m, op->r3);

	base->v += by;
	base->nat |= nat;
}

/* What a load of one datum finds: done without memory, deferred, or bytes. */
struct found { const uint8_t *from; bool defer, hit, fault; uint64_t address; };

static struct found look(struct ia64 *m, const struct ia64_op *op, unsigned kind, unsigned size, unsigned reg, bool fp)
{
	const struct gr *base = gr_at(m, op->r3);
	struct found found = { .address = base->v };
	bool usable = !base->nat && !(base->v & (size - 1));

	if (kind >= LD_C_CLR && alat_find(m, reg, fp)) {
		if (kind != LD_C_NC)
			alat_drop(m, reg, fp);
		found.hit = true;
		return found;
	}
	if (usable)
		found.from = memory_read(m, base->v);
	found.defer = !found.from && (kind == LD_S || kind == LD_SA);
	found.fault = !found.from && !found.defer;
	if (found.from && (kind == LD_A || kind == LD_SA || kind == LD_C_NC))
		alat_add(m, reg, fp, base->v, size);
	else if (kind == LD_A || kind == LD_SA || (kind != LD_PLAIN && kind < LD_BIAS))
		alat_drop(m, reg, fp);
	return found;
}

static inline const struct ia64_op *load(struct ia64 *m, const struct ia64_op *op)
{
	unsigned log = op->x[0], kind = op->x[1];
	struct found found = look(m, op, kind, 1u << log, op->r1, false);
	struct gr *to = gr_at(m, op->r1);

	if (found.fault)
		return bad(m, op, found.address, 1u << log);
	if (op->r1 == 0 || op->r1 >= 32 + m->sof)
		return machine_stop(m, op, "writes a register outside the frame", op->r1);
	if (!found.hit)
		*to = found.defer ? (struct gr){ 0, 1 } : (struct gr){ fetch(found.from, log), 0 };
	return op + 1;
}

const struct ia64_op *run_ld(struct ia64 *m, const struct ia64_op *op)
{
	return load(m, op);
}

const struct ia64_op *run_ld_reg(struct ia64 *m, const struct ia64_op *op)
{
	struct gr by = *gr_at(m, op->r2);
	const struct ia64_op *next = load(m, op);

	if (next)
		update(m, op, by.v, by.nat);
	return next;
}

const struct ia64_op *run_ld_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = load(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

static const struct ia64_op *load_fill(struct ia64 *m, const struct ia64_op *op)
{
	struct found found = look(m, op, LD_PLAIN, 8, op->r1, false);

	if (found.fault)
		return bad(m, op, found.address, 8);
	*gr_at(m, op->r1) = (struct gr){ fetch(found.from, 3), m->ar[36] >> (found.address >> 3 & 63) & 1 };
	return op + 1;
}

const struct ia64_op *run_ld_fill(struct ia64 *m, const struct ia64_op *op)
{
	return load_fill(m, op);
}

const struct ia64_op *run_ld_fill_reg(struct ia64 *m, const struct ia64_op *op)
{
	struct gr by = *gr_at(m, op->r2);
	const struct ia64_op *next = load_fill(m, op);

	if (next)
		update(m, op, by.v, by.nat);
	return next;
}

const struct ia64_op *run_ld_fill_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = load_fill(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

/* Where size bytes go, or NULL for a fault; the ALAT hears of them. */
static uint8_t *place(struct ia64 *m, const struct ia64_op *op, unsigned size)
{
	const struct gr *base = gr_at(m, op->r3);

	if (base->nat || base->v & (size - 1))
		return NULL;
	if (m->alat_valid)
		alat_store(m, base->v, size);
	if (m->linux_state.alats_aside)
		linux_processors_store(m, base->v, size);
	return memory_write(m, base->v);
}

static inline const struct ia64_op *store(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *to = place(m, op, 1u << op->x[0]);
	const struct gr *from = gr_at(m, op->r2);

	if (!to)
		return bad(m, op, gr(m, op->r3), 1u << op->x[0]);
	if (from->nat)
		return machine_stop(m, op, "stores a NaT", gr(m, op->r3));
	memcpy(to, &from->v, (size_t)1 << op->x[0]);
	return op + 1;
}

const struct ia64_op *run_st(struct ia64 *m, const struct ia64_op *op)
{
	return store(m, op);
}

const struct ia64_op *run_st_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = store(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_st_spill(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *to = place(m, op, 8);
	const struct gr *from = gr_at(m, op->r2);
	unsigned bit = gr(m, op->r3) >> 3 & 63;

	if (!to)
		return bad(m, op, gr(m, op->r3), 8);
	memcpy(to, &from->v, 8);
	m->ar[36] = (m->ar[36] & ~(UINT64_C(1) << bit)) | from->nat << bit;
	return op + 1;
}

const struct ia64_op *run_st_spill_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_st_spill(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_ld16(struct ia64 *m, const struct ia64_op *op)
{
	struct found found = look(m, op, LD_PLAIN, 16, op->r1, false);

	if (found.fault)
		return bad(m, op, found.address, 16);
	*gr_at(m, op->r1) = (struct gr){ fetch(found.from, 3), 0 };
	m->ar[25] = fetch(found.from + 8, 3);
	return op + 1;
}

const struct ia64_op *run_st16(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *to = place(m, op, 16);

	if (!to)
		return bad(m, op, gr(m, op->r3), 16);
	memcpy(to, &gr_at(m, op->r2)->v, 8);
	memcpy(to + 8, &m->ar[25], 8);
	return op + 1;
}

/* Semaphores: the old value to r1, and what to store in its place if store says so. */
static const struct ia64_op *exchange(struct ia64 *m, const struct ia64_op *op, uint8_t *at, unsigned log, uint64_t v, bool stored)
{
	uint64_t old = fetch(at, log);

	if (stored)
		memcpy(at, &v, (size_t)1 << log);
	*gr_at(m, op->r1) = (struct gr){ old, 0 };
	return op + 1;
}

const struct ia64_op *run_cmpxchg(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *at = place(m, op, 1u << op->x[0]);

	if (!at)
		return bad(m, op, gr(m, op->r3), 1u << op->x[0]);
	return exchange(m, op, at, op->x[0], gr(m, op->r2), fetch(at, op->x[0]) == m->ar[32]);
}

const struct ia64_op *run_xchg(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *at = place(m, op, 1u << op->x[0]);

	if (!at)
		return bad(m, op, gr(m, op->r3), 1u << op->x[0]);
	return exchange(m, op, at, op->x[0], gr(m, op->r2), true);
}

const struct ia64_op *run_fetchadd(struct ia64 *m, const struct ia64_op *op)
{
	unsigned log = op->x[0] + 2u;
	uint8_t *at = place(m, op, 1u << log);

	if (!at)
		return bad(m, op, gr(m, op->r3), 1u << log);
	return exchange(m, op, at, log, fetch(at, log) + (uint64_t)op->imm, true);
}

const struct ia64_op *run_cmp8xchg16(struct ia64 *m, const struct ia64_op *op)
{
	uint8_t *at = place(m, op, 8);
	uint64_t old;

	if (!at)
		return bad(m, op, gr(m, op->r3), 8);
	old = fetch(at, 3);
	if (old == m->ar[32]) {
		uint8_t *low = at - (gr(m, op->r3) & 8);

		memcpy(low, &gr_at(m, op->r2)->v, 8);
		memcpy(low + 8, &m->ar[25], 8);
	}
	*gr_at(m, op->r1) = (struct gr){ old, 0 };
	return op + 1;
}

/* --- Floating point: x[0] is e, 8, s, d --- */

static const uint8_t fp_sizes[4] = { 16, 8, 4, 8 };

static struct fp_reg fp_fetch(unsigned format, const uint8_t *from)
{
	switch (format) {
	case 0: return fp_from_extended(fetch(from, 3), (uint16_t)fetch(from + 8, 1));
	case 1: return fp_from_int(fetch(from, 3));
	case 2: return fp_from_single((uint32_t)fetch(from, 2));
	default: return fp_from_double(fetch(from, 3));
	}
}

static const struct ia64_op *fp_load(struct ia64 *m, const struct ia64_op *op)
{
	unsigned kind = op->x[1] < 4 ? op->x[1] : op->x[1] + 2u, size = fp_sizes[op->x[0]];
	struct found found = look(m, op, kind, size, op->r1, true);

	if (found.fault)
		return bad(m, op, found.address, size);
	if (!found.hit)
		*fr_at(m, op->r1) = found.defer ? FP_NATVAL : fp_fetch(op->x[0], found.from);
	return op + 1;
}

const struct ia64_op *run_ldf(struct ia64 *m, const struct ia64_op *op)
{
	return fp_load(m, op);
}

const struct ia64_op *run_ldf_reg(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = fp_load(m, op);

	if (next)
		update(m, op, gr(m, op->r2), gr_at(m, op->r2)->nat);
	return next;
}

const struct ia64_op *run_ldf_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = fp_load(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_ldf_fill(struct ia64 *m, const struct ia64_op *op)
{
	struct found found = look(m, op, LD_PLAIN, 16, op->r1, true);

	if (found.fault)
		return bad(m, op, found.address, 16);
	*fr_at(m, op->r1) = fp_fill(fetch(found.from, 3), fetch(found.from + 8, 3));
	return op + 1;
}

const struct ia64_op *run_ldf_fill_reg(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_ldf_fill(m, op);

	if (next)
		update(m, op, gr(m, op->r2), gr_at(m, op->r2)->nat);
	return next;
}

const struct ia64_op *run_ldf_fill_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_ldf_fill(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

/* Pairs: x[0] is 8, s, d. */
const struct ia64_op *run_ldfp(struct ia64 *m, const struct ia64_op *op)
{
	unsigned format = op->x[0] + 1u, kind = op->x[1] < 4 ? op->x[1] : op->x[1] + 2u, size = fp_sizes[format];
	struct found found = look(m, op, kind, 2 * size, op->r1, true);

	if (found.fault)
		return bad(m, op, found.address, 2 * size);
	if (!found.hit) {
		*fr_at(m, op->r1) = found.defer ? FP_NATVAL : fp_fetch(format, found.from);
		*fr_at(m, op->r2) = found.defer ? FP_NATVAL : fp_fetch(format, found.from + size);
	}
	return op + 1;
}

const struct ia64_op *run_ldfp_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_ldfp(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_stf(struct ia64 *m, const struct ia64_op *op)
{
	const struct fp_reg *from = fr_at(m, op->r2);
	uint8_t *to = place(m, op, fp_sizes[op->x[0]]);
	uint64_t v = op->x[0] == 2 ? fp_to_single(from) : op->x[0] == 3 ? fp_to_double(from) : from->sig;
	uint16_t high = op->x[0] ? 0 : fp_to_extended_high(from);

	if (!to)
		return bad(m, op, gr(m, op->r3), fp_sizes[op->x[0]]);
	if (fp_is_natval(from))
		return machine_stop(m, op, "stores a NaTVal", gr(m, op->r3));
	memcpy(to, &v, op->x[0] == 2 ? 4 : 8);
	if (!op->x[0])
		memcpy(to + 8, &high, 2);
	return op + 1;
}

const struct ia64_op *run_stf_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_stf(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_stf_spill(struct ia64 *m, const struct ia64_op *op)
{
	const struct fp_reg *from = fr_at(m, op->r2);
	const uint64_t words[2] = { from->sig, from->se };
	uint8_t *to = place(m, op, 16);

	if (!to)
		return bad(m, op, gr(m, op->r3), 16);
	memcpy(to, words, 16);
	return op + 1;
}

const struct ia64_op *run_stf_spill_upd(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = run_stf_spill(m, op);

	if (next)
		update(m, op, (uint64_t)op->imm, 0);
	return next;
}

const struct ia64_op *run_getf(struct ia64 *m, const struct ia64_op *op)
{
	const struct fp_reg *f = fr_at(m, op->r2);
	uint64_t v = op->x[0] == 0 ? f->sig : op->x[0] == 1 ? f->se : op->x[0] == 2 ? fp_to_single(f) : fp_to_double(f);

	*gr_at(m, op->r1) = (struct gr){ v, fp_is_natval(f) };
	return op + 1;
}

const struct ia64_op *run_setf(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr g = *gr_at(m, op->r2);
	struct fp_reg v = op->x[0] == 0 ? fp_from_int(g.v) : op->x[0] == 1 ? fp_from_exp(g.v) :
			  op->x[0] == 2 ? fp_from_single((uint32_t)g.v) : fp_from_double(g.v);

	*fr_at(m, op->r1) = g.nat ? FP_NATVAL : v;
	return op + 1;
}

/* --- Prefetches and the ALAT --- */

const struct ia64_op *run_lfetch(struct ia64 *m, const struct ia64_op *op)
{
	(void)m;
	return op + 1;
}

const struct ia64_op *run_lfetch_reg(struct ia64 *m, const struct ia64_op *op)
{
	update(m, op, gr(m, op->r2), gr_at(m, op->r2)->nat);
	return op + 1;
}

const struct ia64_op *run_lfetch_upd(struct ia64 *m, const struct ia64_op *op)
{
	update(m, op, (uint64_t)op->imm, 0);
	return op + 1;
}

static const struct ia64_op *check(struct ia64 *m, const struct ia64_op *op, bool fp)
{
	if (!alat_find(m, op->r1, fp))
		return machine_jump(m, op, machine_ip(m, op) + (uint64_t)op->imm);
	if (op->x[0])
		alat_drop(m, op->r1, fp);
	return op + 1;
}

const struct ia64_op *run_chk_a(struct ia64 *m, const struct ia64_op *op) { return check(m, op, false); }
const struct ia64_op *run_chk_a_f(struct ia64 *m, const struct ia64_op *op) { return check(m, op, true); }

const struct ia64_op *run_chk_s(struct ia64 *m, const struct ia64_op *op)
{
	return gr_at(m, op->r2)->nat ? machine_jump(m, op, machine_ip(m, op) + (uint64_t)op->imm) : op + 1;
}

const struct ia64_op *run_chk_s_f(struct ia64 *m, const struct ia64_op *op)
{
	return fp_is_natval(fr_at(m, op->r2)) ? machine_jump(m, op, machine_ip(m, op) + (uint64_t)op->imm) : op + 1;
}

const struct ia64_op *run_invala(struct ia64 *m, const struct ia64_op *op)
{
	memset(m->alat, 0, sizeof m->alat);
	m->alat_valid = 0;
	return op + 1;
}

const struct ia64_op *run_invala_e(struct ia64 *m, const struct ia64_op *op)
{
	alat_drop(m, op->r1, false);
	return op + 1;
}

const struct ia64_op *run_invala_e_f(struct ia64 *m, const struct ia64_op *op)
{
	alat_drop(m, op->r1, true);
	return op + 1;
}
