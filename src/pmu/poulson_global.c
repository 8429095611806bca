/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.3: the enable of each box and of all, the way of an overflow through
 * the Sbox of its half of the socket to the Ubox, freeze and interrupt.
 */
#include <string.h>

#include "pmu/poulson.h"
#include "pmu/poulson_core.h"

enum {
	GLB_EN = 1 << 0,		/* U_CSR_PERF_CTL */
	OV_FIXED = 31,			/* W_CSR_PMON_GLOBAL_STATUS */
	OV_OF_RBOX = 24,		/* R_CSR_PERF_CNT_CTRL */
	OV_OF_BBOX = 48,		/* B_CSR_PERF_CNT */
	SUMMARY_S = 0, SUMMARY_R, SUMMARY_B, SUMMARY_Z, SUMMARY_W, SUMMARY_C0,
	SUMMARY_T0 = 9,
	LAST_CBOX = 7,
	/* U_CSR_IDR[14] */
	PIC_LO = 12, PIC_HI = 27, DOP = 28, PEND = 32, IDLE = 33,
};

static bool is_type(const struct box *b, const char *type)
{
	return strcmp(cat_str(b->type->cat->name), type) == 0;
}

/* The box of a type; boxes of the uncore are always all there. */
static struct box *box_of(const struct socket *s, const char *type, unsigned index)
{
	for (unsigned i = 0; i < s->pmu->boxes; i++)
		if (s->box[i].index == index && is_type(&s->box[i], type))
			return &s->box[i];
	return NULL;
}

uint64_t *poulson_value(const struct box *b, const char *end)
{
	return &b->socket->value[pmu_slot_named(b, end)];
}

static bool has_master(const struct box *b)
{
	return pmu_slot_named(b, "_PMON_PERF_MASTER") != PMU_NO_SLOT;
}

/* The Rbox alone has the bit the other way round: 1 stands still. */
static bool inverse(const struct box *b)
{
	return b->type->frz.width != 0;
}

static bool has_ck_en(const struct box *b)
{
	return is_type(b, "bbox") || is_type(b, "cbox");
}

/* Do the counters of a box stand still, by what its master says? */
static bool stands(const struct box *b)
{
	uint64_t master = *poulson_value(b, "_PMON_PERF_MASTER");

	if (is_type(b, "zbox") && *poulson_value(b, "_CNT_STATUS") >> 31)
		return true;
	if (has_ck_en(b) && !(master & POULSON_CK_EN))
		return true;
	return !(master & POULSON_EN) != inverse(b);
}

static void set_en(struct box *b, bool en)
{
	uint64_t *master = poulson_value(b, "_PMON_PERF_MASTER");

	*master &= ~(uint64_t)POULSON_EN;
	if (en != inverse(b))
		*master |= POULSON_EN;
	b->frozen = stands(b);
}

/* Stop the counters of a box by itself, as hardware does at an overflow. */
static void stop(struct box *b)
{
	set_en(b, false);
}

void poulson_restart(struct box *b)
{
	/* Nothing waits to be delivered. */
	if (is_type(b, "ubox"))
		*poulson_value(b, "_IDR[14]") |= UINT64_C(1) << IDLE;
	if (has_master(b))
		b->frozen = stands(b);
}

bool poulson_runs(const struct box *b, const struct counter *c)
{
	uint32_t slot = pmu_slot_named(b, "_PMON_GLOBAL_CTL");

	if (slot == PMU_NO_SLOT)
		return true;
	return b->socket->value[slot] >> (c->kind == COUNTER_FIXED ? 31 : c->number) & 1;
}

/* Cores can count how often the uncore is frozen: told of thread 0, for whoever is in front. */
static void tell_cores(struct socket *s, uint64_t when)
{
	uint64_t now = s->pmu->now;

	/* In the middle of closing it is later than what is closed for all. */
	s->pmu->now = when;
	for (unsigned i = 0; i < s->pmu->boxes; i++) {
		struct box *b = &s->box[i];

		if (b->type->count->door && b->index % 2 == 0)
			core_uncore_froze(b);
	}
	s->pmu->now = now;
}

/* The global enable, as all boxes that follow it see it. */
static void set_global(struct socket *s, bool en, uint64_t when)
{
	uint64_t *ctl = &s->value[s->pmu->global_ctl];

	if ((*ctl & GLB_EN) && !en)
		tell_cores(s, when);

	*ctl = (*ctl & ~(uint64_t)GLB_EN) | en;
	for (unsigned i = 0; i < s->pmu->boxes; i++) {
		struct box *b = &s->box[i];

		if (b->type->count->runs && has_master(b) &&
		    (*poulson_value(b, "_PMON_PERF_MASTER") & POULSON_GLB_LCL))
			set_en(b, en);
	}
}

static void deliver(struct socket *s, uint64_t *idr, uint64_t when)
{
	struct pmu_interrupt one = { .when = when, .socket = s->number,
				     .vector = (uint8_t)*idr };
	uint64_t threads = bits_get(*idr, PIC_HI, PIC_LO);

	*idr |= UINT64_C(1) << PEND | UINT64_C(1) << IDLE;
	for (unsigned t = 0; t <= PIC_HI - PIC_LO; t++)
		if (threads >> t & 1) {
			one.thread = t;
			/* Vector 0 would pass for an interrupt that has none. */
			one.cores = one.vector ? 0 : UINT64_C(1) << t / 2;
			pmu_interrupt_push(s->pmu, &one);
		}
}

/* One interrupt is delivered at a time; one more waits. */
static void interrupt(struct socket *s, uint64_t when)
{
	uint64_t *idr = poulson_value(box_of(s, "ubox", 0), "_IDR[14]");

	if (!(*idr >> DOP & 1))
		return;
	if (*idr >> PEND & 1)
		*idr &= ~(UINT64_C(1) << IDLE);
	else
		deliver(s, idr, when);
}

/*
 * Overflow `bit` of S_CSR_PMON_SUMMARY of Sbox `half`; known: the box had recorded it before, so
 * that it freezes nothing.
 */
static void sum_up(struct socket *s, unsigned half, unsigned bit, bool known, uint64_t when)
{
	struct box *sbox = box_of(s, "sbox", half);
	uint64_t *summary = poulson_value(sbox, "_PMON_SUMMARY");

	known |= *summary >> bit & 1;
	*summary |= UINT64_C(1) << bit;
	if (known || !(*poulson_value(sbox, "_PMON_FRZ_EN") >> bit & 1))
		return;
	set_global(s, false, when);
	interrupt(s, when);
}

void poulson_thread_overflow(struct socket *s, unsigned core, unsigned thread, uint64_t when)
{
	bool half = core > LAST_CBOX / 2;
	unsigned pair = half ? LAST_CBOX - core : core;

	sum_up(s, half, SUMMARY_T0 + 2 * pair + thread, false, when);
}

/* Where the box of a counter is summed up. */
static unsigned summary_bit(const struct box *b, const struct counter *c, unsigned *half)
{
	*half = b->index;
	if (is_type(b, "sbox"))
		return SUMMARY_S;
	if (is_type(b, "bbox"))
		return SUMMARY_B;
	if (is_type(b, "zbox"))
		return SUMMARY_Z;
	if (is_type(b, "rbox")) {
		*half = c->number / (b->type->cat->counters / POULSON_HALVES);
		return SUMMARY_R;
	}
	*half = is_type(b, "wbox") || b->index > LAST_CBOX / 2;
	if (is_type(b, "wbox"))
		return SUMMARY_W;
	return SUMMARY_C0 + (*half ? LAST_CBOX - b->index : b->index);
}

/* Set the overflow bits of a counter; true: they were set before, one at least. */
static bool record(struct box *b, const struct counter *c)
{
	uint64_t *value = b->socket->value;
	unsigned bit = c->kind == COUNTER_FIXED ? OV_FIXED : c->status_bit;
	bool known = false;

	if (b->type->status_slot != PMU_NO_SLOT) {
		uint64_t *status = &value[b->slot0 + b->type->status_slot];

		known = *status >> bit & 1;
		*status |= UINT64_C(1) << bit;
	}
	if (is_type(b, "rbox")) {
		known = value[c->ctl] >> OV_OF_RBOX & 1;
		value[c->ctl] |= UINT64_C(1) << OV_OF_RBOX;
	}
	if (is_type(b, "bbox")) {
		known |= value[c->ctr] >> OV_OF_BBOX & 1;
		value[c->ctr] |= UINT64_C(1) << OV_OF_BBOX;
	}
	return known;
}

void poulson_overflowed(struct box *b, struct counter *c, uint64_t when)
{
	unsigned half, bit;
	bool known;

	/* Only the Sbox asks for leave. */
	if (b->type->ctl.ov_en.width && !c->ov_en)
		return;
	known = record(b, c);
	if (!(*poulson_value(b, "_PMON_PERF_MASTER") & POULSON_GLB_LCL))
		stop(b);
	bit = summary_bit(b, c, &half);
	sum_up(b->socket, half, bit, known, when);
}

static void clear(struct box *b)
{
	uint64_t *value = b->socket->value;

	if (b->type->status_slot != PMU_NO_SLOT)
		value[b->slot0 + b->type->status_slot] &= ~(pmu_bits_mask(b->type->ov) |
			(is_type(b, "wbox") ? UINT64_C(1) << OV_FIXED : 0));
	for (unsigned i = 0; i < b->type->counters; i++) {
		value[b->counter[i].ctr] = 0;
		if (is_type(b, "rbox"))
			value[b->counter[i].ctl] &= ~(UINT64_C(1) << OV_OF_RBOX);
	}
}

static void wrote_master(struct box *b, uint64_t written)
{
	uint64_t *master = poulson_value(b, "_PMON_PERF_MASTER");

	if (written & POULSON_CLR)
		clear(b);
	if (*master & POULSON_GLB_LCL)
		set_en(b, b->socket->value[b->socket->pmu->global_ctl] & GLB_EN);
	b->frozen = stands(b);
}

static void wrote_idr(struct box *b, uint64_t old)
{
	uint64_t *idr = poulson_value(b, "_IDR[14]");

	/* idle is the hardware's. */
	*idr = (*idr & ~(UINT64_C(1) << IDLE)) | (old & UINT64_C(1) << IDLE);
	if (!(*idr >> PEND & 1) && !(*idr >> IDLE & 1))
		deliver(b->socket, idr, b->socket->pmu->now);
}

void poulson_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	if (slot == pmu_slot_named(b, "_PMON_PERF_MASTER"))
		wrote_master(b, written);
	else if (slot == pmu_slot_named(b, "_PMON_GLOBAL_CTL"))
		pmu_bind_all(b);
	else if (slot == pmu_slot_named(b, "_IDR[14]"))
		wrote_idr(b, old);
	else if (slot == b->socket->pmu->global_ctl) {
		b->socket->value[slot] = old;
		set_global(b->socket, written & GLB_EN, b->socket->pmu->now);
	}
}

uint64_t poulson_shown(struct box *b, uint32_t slot, uint64_t value)
{
	/* A counter of the Bbox shows its own copy of its overflow. */
	if (is_type(b, "bbox") && pmu_counter_of(b, slot))
		return value | (b->socket->value[slot] & UINT64_C(1) << OV_OF_BBOX);
	return value;
}
