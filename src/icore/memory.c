/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that refer to data: through the FLD where they may, in order where they must (2.3, 2.9, 4.2.7). */
#include "icore/private.h"

enum { KIND_S = 1, KIND_A, KIND_SA, KIND_BIAS, KIND_ACQ, KIND_C_CLR, KIND_C_NC, KIND_C_CLR_ACQ };

/* Completers of a load, by the executor's numbers; those of floating point leave out two. */
static unsigned completer(const struct ia64_op *op, const struct kind *k)
{
	if (k->run == RUN_LD_FILL || k->run == RUN_LD_FILL_REG || k->run == RUN_LD_FILL_UPD || k->run == RUN_LDF_FILL ||
	    k->run == RUN_LDF_FILL_REG || k->run == RUN_LDF_FILL_UPD)
		return 0;
	if (k->run == RUN_LD16)
		return op->x[0] ? KIND_ACQ : 0;
	if (k->class == CLASS_FLOAD && op->x[1] >= 4)
		return op->x[1] + 2u;
	return op->x[1];
}

static unsigned size_of(const struct ia64_op *op, const struct kind *k)
{
	static const uint8_t fp[4] = { 16, 8, 4, 8 };

	switch (k->run) {
	case RUN_LD: case RUN_LD_REG: case RUN_LD_UPD: case RUN_ST: case RUN_ST_UPD: case RUN_CMPXCHG: case RUN_XCHG:
		return 1u << op->x[0];
	case RUN_LDF: case RUN_LDF_REG: case RUN_LDF_UPD: case RUN_STF: case RUN_STF_UPD:
		return fp[op->x[0]];
	case RUN_LDFP: case RUN_LDFP_UPD:
		return 2u * fp[op->x[0] + 1];
	case RUN_FETCHADD:
		return 4u << op->x[0];
	case RUN_LD16: case RUN_ST16: case RUN_LDF_FILL: case RUN_LDF_FILL_REG: case RUN_LDF_FILL_UPD: case RUN_STF_SPILL:
	case RUN_STF_SPILL_UPD:
		return 16;
	default:
		return 8;
	}
}

/* An operation that hits waits while one with acquire semantics is under way (4.2.4.2, 4.2.4.7). */
static void wait_acquire(struct icore *c)
{
	bool near = c->cycle < c->acquired + ACQUIRE_NEAR;
	unsigned cost = near ? REPLAY_WB2 : REPLAY_DET;
	uint64_t wait;

	if (c->acquire_until <= c->cycle)
		return;
	wait = c->acquire_until - c->cycle;
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	if (near)
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_LOAD_ACQ, cost);
	else
		icore_lose(c, POULSON_CORE_CYC_BE_DET_REPLAY_ANY, POULSON_CORE_CYC_BE_DET_REPLAY_LOAD_ACQ, cost);
	if (wait > cost)
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_ACQ, wait - cost);
}

static void acquire(struct icore *c, uint64_t until)
{
	c->acquired = c->cycle;
	c->acquire_until = until;
}

/* A load that hits what a store has hit in this cycle or the last one (2.9.2). */
static void after_write(struct icore *c, const struct access *a)
{
	for (unsigned i = 0; i < 2; i++)
		if (c->store_at[i] == (a->address >> 3 | UINT64_C(1) << 63) && c->cycle <= c->store_cycle[i] + 1) {
			icore_lose(c, POULSON_CORE_CYC_BE_DET_REPLAY_ANY, POULSON_CORE_CYC_BE_DET_REPLAY_LOAD_AFTER_WRITE,
				   REPLAY_DET);
			return;
		}
}

/* Two stores of a group that hit at VA[7:5] in different lines (2.9.2). */
static void against_store(struct icore *c, const struct access *a)
{
	unsigned last = (c->store_next + 1) % 2;
	uint64_t before = c->store_at[last] << 3;

	if (c->store_at[last] && c->store_cycle[last] == c->cycle && ((before ^ a->address) & 0xe0) == 0 &&
	    (before ^ a->address) & 0xf00)
		icore_lose(c, POULSON_CORE_CYC_BE_DET_REPLAY_ANY, POULSON_CORE_CYC_BE_DET_REPLAY_STORE_VS_STORE, REPLAY_DET);
	c->store_at[c->store_next % 2] = a->address >> 3 | UINT64_C(1) << 63;
	c->store_cycle[c->store_next % 2] = c->cycle;
	c->store_next = (c->store_next + 1) % 2;
}

/* What the DAHR that the instruction names says. */
static unsigned hints_of(const struct ia64 *m, const struct ia64_op *op)
{
	return m->hints.dahr[ia64_form_of(op)->groups ? op->x[ia64_form_of(op)->groups - 1] & 7 : 0];
}

static void refer(struct icore *c, const struct access *a)
{
	static const uint16_t codes[] = {
		[LOAD_INT] = POULSON_CORE_DATA_REF_LOAD_INT, [LOAD_FP] = POULSON_CORE_DATA_REF_LOAD_FP,
		[STORE_INT] = POULSON_CORE_DATA_REF_STORE_INT, [STORE_FP] = POULSON_CORE_DATA_REF_STORE_FP,
		[LFETCH] = POULSON_CORE_DATA_REF_LFETCH, [SEMAPHORE] = POULSON_CORE_DATA_REF_SEMAPHORE,
	};

	c->now.type = (uint8_t)a->type;
	c->now.address = a->address;
	c->now.hints = (uint16_t)a->hints;
	tell(c, POULSON_CORE_DATA_REF_ANY, 1);
	tell(c, codes[a->type], 1);
	if (a->type == LOAD_INT || a->type == LOAD_FP)
		tell(c, POULSON_CORE_DATA_REF_LOAD_ANY, 1);
	if (a->type == STORE_INT || a->type == STORE_FP)
		tell(c, POULSON_CORE_DATA_REF_STORE_ANY, 1);
}

/* The FLD's part of a load whose translation it lacked (2.3.4.1.4). */
static void fill_later(struct icore *c, const struct access *a)
{
	struct prefetch p = { .address = a->address, .ready = c->transfer_until, .left = 1, .fill = true, .again = true,
			      .hints = (uint16_t)((a->hints & ~(3u << DROP_SHIFT)) | DROP_TLB_MLD << DROP_SHIFT) };

	if (hint_fld(a->hints) != HINT_NO_ALLOCATE)
		icore_prefetch_target(c, &p, POULSON_CORE_FLD_HWPREF_INS_FLDTLB_MISS);
}

/* 2.2.6.1: what waits behind an acquire is fetched meanwhile. */
static void prefetch_past_acquire(struct icore *c, const struct access *a)
{
	struct prefetch p = { .address = a->address, .left = 1, .hints = (uint16_t)(DROP_TLB << DROP_SHIFT) };

	icore_prefetch_target(c, &p, POULSON_CORE_FLD_HWPREF_INS_ACQ_PEND);
}

uint64_t icore_load(struct icore *c, const struct access *a)
{
	bool first = !a->fp && a->size <= 8, known, acquiring = c->acquire_until > c->cycle;
	bool rse = a->type == LOAD_RSE;
	struct line *line;
	uint64_t there;

	if (!first) {
		there = icore_access(c, a);
		return there - c->cycle + (a->fp ? LAT_MLD_FP : LAT_MLD);
	}
	tell(c, POULSON_CORE_FLD_LOAD_ANY, 1);
	if (!rse)
		tell(c, POULSON_CORE_FLD_LOAD_INT, 1);
	line = icore_fld(c, a->address);
	known = icore_translated(c, a->address);
	if (line && known) {
		wait_acquire(c);
		after_write(c, a);
		icore_fld_use(c, line, a);
		c->now.tlb = 1;
		c->now.source = 1;
		return LAT_FLD;
	}
	tell(c, POULSON_CORE_FLD_LOAD_MISS_ANY, 1);
	tell(c, rse ? POULSON_CORE_FLD_LOAD_MISS_RSE : POULSON_CORE_FLD_LOAD_MISS_INT, 1);
	if (!known) {
		tell(c, POULSON_CORE_FLDTLB_LOAD_MISS_ANY, 1);
		tell(c, rse ? POULSON_CORE_FLDTLB_LOAD_MISS_RSE : POULSON_CORE_FLDTLB_LOAD_MISS_INT, 1);
	}
	there = icore_access(c, a);
	if (known) {
		icore_fld_fill(c, a, there + LAT_MLD, rse ? POULSON_CORE_FLD_FILL_REQ_LOAD_RSE :
			       POULSON_CORE_FLD_FILL_REQ_LOAD_INT, MARK_NONE);
		icore_prefetch_neighbours(c, a, PREFETCH_BIDI);
	} else {
		fill_later(c, a);
	}
	if (acquiring)
		prefetch_past_acquire(c, a);
	return there - c->cycle + LAT_MLD;
}

static bool checks(unsigned completer_)
{
	return completer_ >= KIND_C_CLR;
}

/* A check that fails: the load is done, and what follows replays. */
static void check_load(struct icore *c, struct ia64 *m, const struct ia64_op *op, bool fp, bool *hit)
{
	*hit = ia64_alat_has(m, op->r1, fp);
	tell(c, POULSON_CORE_DSPEC_CHKA_LDC_ANY, 1);
	c->now.alat = *hit ? 2 : 1;
	if (*hit) {
		tell(c, POULSON_CORE_DSPEC_LDC_HIT, 1);
		return;
	}
	tell(c, POULSON_CORE_DSPEC_CHKA_LDC_FAIL_ANY, 1);
	tell(c, fp ? POULSON_CORE_DSPEC_CHKA_LDC_FAIL_FP : POULSON_CORE_DSPEC_CHKA_LDC_FAIL_INT, 1);
}

static void speculative(struct icore *c, struct ia64 *m, const struct access *a)
{
	tell(c, POULSON_CORE_CSPEC_LOAD_ANY, 1);
	if (!icore_tlb_find(&c->dtb, a->address >> PAGE_LOG, c->cycle + 1))
		tell(c, POULSON_CORE_DTLB_HPWREQ_SPEC_MISS, 1);
	if (!memory_page(m, a->address, IA64_READ))
		tell(c, POULSON_CORE_CSPEC_LOAD_NAT, 1);
}

static void write_load(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, uint64_t latency)
{
	struct reg r = { c->cycle + latency, latency == LAT_FLD ? WAIT_HIT : WAIT_LOAD, 1 };

	if (k->class == CLASS_FLOAD) {
		c->fr[m->fmap[op->r1]] = r;
		if (k->to_fr2)
			c->fr[m->fmap[op->r2]] = r;
		return;
	}
	if (latency > LAT_FLD)
		c->near_load = c->cycle;
	if (op->r1)
		c->gr[m->map[op->r1]] = r;
}

static void load(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	unsigned kind = completer(op, k);
	struct access a = { .address = gr(m, op->r3), .size = size_of(op, k), .fp = k->class == CLASS_FLOAD,
			    .type = k->class == CLASS_FLOAD ? LOAD_FP : LOAD_INT, .hints = hints_of(m, op) };
	bool hit = false, there = memory_page(m, a.address, IA64_READ) != NULL;
	uint64_t latency;

	if (kind == KIND_S || kind == KIND_SA)
		speculative(c, m, &a);
	if (checks(kind))
		check_load(c, m, op, a.fp, &hit);
	if (hit || !there)
		return;
	refer(c, &a);
	a.exclusive = kind == KIND_BIAS;
	latency = icore_load(c, &a);
	c->now.latency = (uint32_t)latency;
	write_load(c, m, op, k, latency);
	if (kind == KIND_ACQ || kind == KIND_C_CLR_ACQ) {
		tell(c, POULSON_CORE_RETIRED_INST_M_ACQ, 1);
		acquire(c, c->cycle + latency);
	}
	if (checks(kind)) {
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_LDC, REPLAY_WB2);
	}
}

/* Stores that do not write to the FLD take the line from it. */
static void invalidate(struct icore *c, struct line *line)
{
	line->valid = 0;
	tell(c, POULSON_CORE_FLD_SPEC_INVAL_ANY, 1);
	tell(c, POULSON_CORE_FLD_SPEC_INVAL_INST, 1);
}

/* A store with release semantics is fetched ahead (2.2.6.2). */
static void release(struct icore *c, const struct access *a)
{
	struct prefetch p = { .address = a->address, .left = 1, .exclusive = true,
			      .hints = (uint16_t)(DROP_TLB << DROP_SHIFT) };

	tell(c, POULSON_CORE_RETIRED_INST_M_REL, 1);
	icore_prefetch_target(c, &p, POULSON_CORE_FLD_HWPREF_INS_REL_OP);
}

static void store(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	struct access a = { .address = gr(m, op->r3), .size = size_of(op, k), .fp = k->class == CLASS_FSTORE, .store = true,
			    .exclusive = true, .type = k->class == CLASS_FSTORE ? STORE_FP : STORE_INT,
			    .hints = hints_of(m, op) };
	bool spill = k->run == RUN_ST_SPILL || k->run == RUN_ST_SPILL_UPD;
	struct line *line;

	if (!memory_page(m, a.address, IA64_WRITE))
		return;
	refer(c, &a);
	if ((k->run == RUN_ST || k->run == RUN_ST_UPD) && !spill && op->x[1])
		release(c, &a);
	line = icore_fld(c, a.address);
	if (line && !icore_translated(c, a.address))
		line = NULL;
	icore_fld_write(c, &a, line);
	if (line && a.fp) {
		invalidate(c, line);
	} else if (line) {
		wait_acquire(c);
		against_store(c, &a);
		icore_fld_use(c, line, &a);
	}
	if (m->alat_valid && ia64_alat_meets(m, a.address, a.size)) {
		tell(c, POULSON_CORE_ALAT_STORE_HIT, 1);
		c->now.alat = 2;
	}
	icore_access(c, &a);
}

static void semaphore(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	struct access a = { .address = gr(m, op->r3), .size = size_of(op, k), .store = true, .exclusive = true,
			    .type = SEMAPHORE, .hints = hints_of(m, op) };
	bool release = k->run != RUN_XCHG && (k->run == RUN_CMP8XCHG16 ? op->x[0] : op->x[1]);
	struct line *line;
	uint64_t there;

	if (!memory_page(m, a.address, IA64_WRITE))
		return;
	refer(c, &a);
	tell(c, release ? POULSON_CORE_RETIRED_INST_M_REL : POULSON_CORE_RETIRED_INST_M_ACQ, 1);
	there = icore_access(c, &a) + LAT_MLD;
	line = icore_fld(c, a.address);
	icore_fld_write(c, &a, line);
	if (line)
		invalidate(c, line);
	c->now.latency = (uint32_t)(there - c->cycle);
	if (op->r1)
		c->gr[m->map[op->r1]] = (struct reg){ there, WAIT_LOAD, 1 };
	c->near_load = c->cycle;
	if (!release)
		acquire(c, there);
}

static bool is_exclusive(const struct ia64_op *op, const struct kind *k)
{
	if (k->run == RUN_LFETCH)
		return ia64_form_of(op)->groups == 2 && (op->x[0] == 0 || op->x[0] == 2);
	return op->x[1] == 1;
}

/* An lfetch in a memory pipe whose page no data TLB has: where hints make it wait, it walks as a load does. */
static void translate_lfetch(struct icore *c, struct access *a)
{
	uint64_t page = a->address >> PAGE_LOG;

	if (icore_translated(c, a->address) || icore_tlb_find(&c->dtb, page, c->cycle + 1))
		return;
	if (hint_drop(a->hints) || !(a->hints & HINT_BLOCK) || !memory_page(c->program, a->address, 0))
		return;
	tell(c, POULSON_CORE_DTLB_HPWHINT_BLK, 1);
	a->prefetch = false;
	icore_translate(c, a);
	a->prefetch = true;
}

/* 2.3.4.1.2: counted ones and those on A ports go by way of the prefetch queue. */
static void lfetch(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	struct access a = { .address = gr(m, op->r3), .size = 8, .type = LFETCH, .prefetch = true, .hints = hints_of(m, op) };
	bool count = k->run == RUN_LFETCH && op->imm;
	struct prefetch p = { .address = a.address, .kind = count ? PREFETCH_COUNT : PREFETCH_LFETCH, .left = 1, .lfetch = true,
			      .fill = true, .hints = (uint16_t)a.hints };

	a.exclusive = p.exclusive = is_exclusive(op, k);
	if (count) {
		p.left = op->k;
		p.stride = op->imm;
	}
	if (count || c->on_a) {
		icore_prefetch(c, &p);
		return;
	}
	refer(c, &a);
	translate_lfetch(c, &a);
	icore_prefetch_now(c, &a);
}

static void check(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	bool fp = k->run == RUN_CHK_S_F || k->run == RUN_CHK_A_F, fails;

	if (k->class == CLASS_CHK) {
		fails = fp ? fp_is_natval(fr_at(m, op->r2)) : gr_at(m, op->r2)->nat;
		tell(c, POULSON_CORE_CSPEC_CHKS_ANY, 1);
	} else {
		fails = !ia64_alat_has(m, op->r1, fp);
		tell(c, POULSON_CORE_DSPEC_CHKA_LDC_ANY, 1);
		c->now.alat = fails ? 1 : 2;
	}
	if (!fails)
		return;
	if (k->class == CLASS_CHK) {
		tell(c, POULSON_CORE_CSPEC_CHKS_FAIL_ANY, 1);
		tell(c, fp ? POULSON_CORE_CSPEC_CHKS_FAIL_FP : POULSON_CORE_CSPEC_CHKS_FAIL_INT, 1);
	} else {
		tell(c, POULSON_CORE_DSPEC_CHKA_LDC_FAIL_ANY, 1);
		tell(c, fp ? POULSON_CORE_DSPEC_CHKA_LDC_FAIL_FP : POULSON_CORE_DSPEC_CHKA_LDC_FAIL_INT, 1);
	}
	c->now.check = true;
	c->now.target = c->bundle + (uint64_t)op->imm;
	icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
	icore_lose(c, POULSON_CORE_CYC_BE_WB2_FLUSH_ANY, POULSON_CORE_CYC_BE_WB2_FLUSH_XPN, FLUSH_CHECK);
	icore_refetch(c);
}

void icore_memory(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	switch (k->class) {
	case CLASS_LOAD: case CLASS_FLOAD: load(c, m, op, k); break;
	case CLASS_STORE: case CLASS_FSTORE: store(c, m, op, k); break;
	case CLASS_SEMAPHORE: semaphore(c, m, op, k); break;
	case CLASS_LFETCH: lfetch(c, m, op, k); break;
	case CLASS_CHK: case CLASS_CHK_A: check(c, m, op, k); break;
	case CLASS_SERIALIZE: icore_serialize(c, k); break;
	case CLASS_FENCE: icore_fence(c); break;
	case CLASS_FLUSH: icore_flush_line(c, m, op); break;
	default: break;
	}
	if (k->update && op->r3)
		c->gr[m->map[op->r3]] = (struct reg){ c->cycle + 1, WAIT_GR, 0 };
}
