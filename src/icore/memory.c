/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that refer to data: through the FLD where they may, in order where they must (2.3, 2.9, 4.2.7). */
#include "icore/private.h"

enum { LOAD_INT = 1, LOAD_FP, LOAD_RSE, STORE_INT, STORE_FP, STORE_RSE, LFETCH, SEMAPHORE };	/* kinds of table 3-25 */

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

static struct line *fld_hit(struct icore *c, uint64_t address)
{
	struct line *line = icore_cache_find(&c->fld, address);

	return line && line->ready <= c->cycle ? line : NULL;
}

/* The line of a load that missed comes into the FLD, too (2.9.1). */
static void fill_fld(struct icore *c, const struct access *a, uint64_t ready, unsigned request)
{
	struct line *line = icore_cache_find(&c->fld, a->address);

	if (line)
		return;
	tell(c, POULSON_CORE_FLD_FILL_REQ_ANY, 1);
	tell(c, request, 1);
	tell(c, POULSON_CORE_FLD_FILL, 1);
	line = icore_cache_victim(&c->fld, a->address);
	*line = (struct line){ .tag = a->address >> c->fld.shift, .ready = ready, .valid = 1 };
	icore_cache_use(&c->fld, line, a->address);
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

/* Cycles from issue until the datum of a load is there. */
static uint64_t load_data(struct icore *c, const struct access *a)
{
	bool first = !a->fp && a->size <= 8, known;
	struct line *line;
	uint64_t there;

	if (!first) {
		there = icore_access(c, a);
		return there - c->cycle + (a->fp ? LAT_MLD_FP : LAT_MLD);
	}
	tell(c, POULSON_CORE_FLD_LOAD_ANY, 1);
	tell(c, POULSON_CORE_FLD_LOAD_INT, 1);
	line = fld_hit(c, a->address);
	known = icore_tlb_find(&c->fldtlb, a->address >> PAGE_LOG, c->cycle + 1) &&
		(c->transfer_until <= c->cycle || c->transfer_page != a->address >> PAGE_LOG);
	if (line && known) {
		wait_acquire(c);
		after_write(c, a);
		tell(c, POULSON_CORE_FLD_HIT_ANY, 1);
		icore_cache_use(&c->fld, line, a->address);
		c->now.tlb = 1;
		c->now.source = 1;
		return LAT_FLD;
	}
	tell(c, POULSON_CORE_FLD_LOAD_MISS_ANY, 1);
	tell(c, POULSON_CORE_FLD_LOAD_MISS_INT, 1);
	if (!known) {
		tell(c, POULSON_CORE_FLDTLB_LOAD_MISS_ANY, 1);
		tell(c, POULSON_CORE_FLDTLB_LOAD_MISS_INT, 1);
	}
	there = icore_access(c, a);
	if (known)
		fill_fld(c, a, there + LAT_MLD, POULSON_CORE_FLD_FILL_REQ_LOAD_INT);
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
			    .type = k->class == CLASS_FLOAD ? LOAD_FP : LOAD_INT };
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
	latency = load_data(c, &a);
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

static void store(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	struct access a = { .address = gr(m, op->r3), .size = size_of(op, k), .fp = k->class == CLASS_FSTORE, .store = true,
			    .exclusive = true, .type = k->class == CLASS_FSTORE ? STORE_FP : STORE_INT };
	bool spill = k->run == RUN_ST_SPILL || k->run == RUN_ST_SPILL_UPD;
	struct line *line;

	if (!memory_page(m, a.address, IA64_WRITE))
		return;
	refer(c, &a);
	if ((k->run == RUN_ST || k->run == RUN_ST_UPD) && !spill && op->x[1])
		tell(c, POULSON_CORE_RETIRED_INST_M_REL, 1);
	line = fld_hit(c, a.address);
	if (line) {
		wait_acquire(c);
		against_store(c, &a);
		icore_cache_use(&c->fld, line, a.address);
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
			    .type = SEMAPHORE };
	bool release = k->run != RUN_XCHG && (k->run == RUN_CMP8XCHG16 ? op->x[0] : op->x[1]);
	struct line *line;
	uint64_t there;

	if (!memory_page(m, a.address, IA64_WRITE))
		return;
	refer(c, &a);
	tell(c, release ? POULSON_CORE_RETIRED_INST_M_REL : POULSON_CORE_RETIRED_INST_M_ACQ, 1);
	there = icore_access(c, &a) + LAT_MLD;
	line = icore_cache_find(&c->fld, a.address);
	if (line)
		line->valid = 0;
	c->now.latency = (uint32_t)(there - c->cycle);
	if (op->r1)
		c->gr[m->map[op->r1]] = (struct reg){ there, WAIT_LOAD, 1 };
	c->near_load = c->cycle;
	if (!release)
		acquire(c, there);
}

/* 2.9.6: by way of the prefetch queue, dropped where its translation or its line is no work. */
static void lfetch(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	struct access a = { .address = gr(m, op->r3), .size = 8, .type = LFETCH, .prefetch = true };
	unsigned times = k->run == RUN_LFETCH && op->imm ? op->k : 1;
	unsigned enqueued = times > 1 ? POULSON_CORE_DPFQ_ENQ_LFETCH_COUNT : POULSON_CORE_DPFQ_ENQ_LFETCH;
	unsigned dequeued = times > 1 ? POULSON_CORE_DPFQ_DEQ_LFETCH_COUNT : POULSON_CORE_DPFQ_DEQ_LFETCH;

	tell(c, POULSON_CORE_DPFQ_ENQ_ANY, 1);
	tell(c, POULSON_CORE_DPFQ_ENQ_INST_ANY, 1);
	tell(c, enqueued, 1);
	for (unsigned i = 0; i < times; i++, a.address += (uint64_t)op->imm) {
		tell(c, POULSON_CORE_DPFQ_DEQ_ANY, 1);
		tell(c, POULSON_CORE_DPFQ_DEQ_INST_ANY, 1);
		tell(c, dequeued, 1);
		refer(c, &a);
		if (fld_hit(c, a.address)) {
			tell(c, POULSON_CORE_PREF_DROP_FLD_HIT, 1);
			continue;
		}
		if (!memory_page(m, a.address, 0) || (!icore_translate(c, &a) && c->now.tlb == 3)) {
			tell(c, POULSON_CORE_PREF_DROP_DTLB_MISS, 1);
			continue;
		}
		icore_mld(c, &a, c->cycle);
	}
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

/* A serialization waits for what is under way; a fence for all accesses. */
static void serialize(struct icore *c, const struct kind *k)
{
	uint64_t last = 0, wait;

	tell(c, POULSON_CORE_SERIALIZATION_EVENT, 1);
	if (k->run == RUN_MOV_TO_UM || k->run == RUN_USER_MASK) {
		icore_group_end(c, POULSON_CORE_IBL_ISSUE_STOP_REPLAY);
		icore_lose(c, POULSON_CORE_CYC_BE_WB2_REPLAY_ANY, POULSON_CORE_CYC_BE_WB2_REPLAY_MOV_PSR_UM, REPLAY_WB2);
		return;
	}
	for (unsigned i = 0; i < c->fab.size; i++)
		last = c->fab.until[i] > last ? c->fab.until[i] : last;
	wait = last > c->cycle ? last - c->cycle : 0;
	if (!wait)
		return;
	icore_lose(c, POULSON_CORE_CYC_BE_EXE_REPLAY_ANY, POULSON_CORE_CYC_BE_EXE_REPLAY_SRLZ, REPLAY_EXE);
	if (wait > REPLAY_EXE)
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_SRLZ, wait - REPLAY_EXE);
}

static void flush_line(struct icore *c, struct ia64 *m, const struct ia64_op *op)
{
	uint64_t address = gr(m, op->r3);

	tell(c, POULSON_CORE_RIL_REQ_ANY, 1);
	tell(c, op->x[0] ? POULSON_CORE_RIL_REQ_OTHER_FCI : POULSON_CORE_RIL_REQ_OTHER_FC, 1);
	tell(c, POULSON_CORE_RIL_REQ_OTHER_WRQ_FC_FCI, 1);
	icore_drop(c, address);
}

static void fence(struct icore *c)
{
	uint64_t last = c->cycle;

	tell(c, POULSON_CORE_RETIRED_INST_M_ACQ, 1);
	tell(c, POULSON_CORE_RETIRED_INST_M_REL, 1);
	for (unsigned i = 0; i < c->ozq.size; i++)
		last = c->ozq.until[i] > last ? c->ozq.until[i] : last;
	acquire(c, last);
}

void icore_memory(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	switch (k->class) {
	case CLASS_LOAD: case CLASS_FLOAD: load(c, m, op, k); break;
	case CLASS_STORE: case CLASS_FSTORE: store(c, m, op, k); break;
	case CLASS_SEMAPHORE: semaphore(c, m, op, k); break;
	case CLASS_LFETCH: lfetch(c, m, op, k); break;
	case CLASS_CHK: case CLASS_CHK_A: check(c, m, op, k); break;
	case CLASS_SERIALIZE: serialize(c, k); break;
	case CLASS_FENCE: fence(c); break;
	case CLASS_FLUSH: flush_line(c, m, op); break;
	default: break;
	}
	if (k->update && op->r3)
		c->gr[m->map[op->r3]] = (struct reg){ c->cycle + 1, WAIT_GR, 0 };
}
