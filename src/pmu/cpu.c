/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a logical CPU: which are there, what they show, what a write does. */
#include "pmu/cpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "catalog/find.h"
#include "pmu/engine.h"

static const struct pmu_slot *slot_at(const struct box *b, uint32_t slot)
{
	return &b->socket->pmu->by_slot[slot];
}

static const struct cat_reg *reg_at(const struct box *b, uint32_t slot)
{
	return &cat_regs[slot_at(b, slot)->reg];
}

/* The counter that a register is an address of, or NULL. */
static struct counter *counter_at(struct box *b, uint32_t slot)
{
	unsigned n = slot_at(b, slot)->element;

	if (reg_at(b, slot)->role != CAT_CTR_FULL)
		return pmu_counter_of(b, slot);
	for (unsigned i = 0; i < b->type->counters; i++)
		if (b->counter[i].kind == COUNTER_PROGRAMMED && b->counter[i].number == n)
			return &b->counter[i];
	return NULL;
}

/* The bit of fixed counter n in a register: field usr0, usr1 and so on. */
static uint8_t fixed_bit(const struct box *b, uint32_t slot, const char *field, unsigned n)
{
	char name[16];

	snprintf(name, sizeof name, "%s%u", field, n);
	return cat_reg_field(reg_at(b, slot), name)->lo;
}

int cpu_init(struct box *b)
{
	struct cpu_own *own = calloc(1, sizeof *own);
	uint32_t fixed = pmu_slot_named(b, "FIXED_CTR_CTRL"), global = pmu_slot_named(b, "PERF_GLOBAL_CTRL");

	if (!own)
		return BXS_ENOMEM;
	own->fixed_ctrl = fixed - b->slot0;
	own->global_ctrl = global - b->slot0;
	for (unsigned i = 0; i < CPU_FIXED; i++)
		own->fixed[i] = (struct cpu_fixed){
			fixed_bit(b, fixed, "usr", i), fixed_bit(b, fixed, "any", i), fixed_bit(b, global, "en_fixed", i),
		};
	b->own = own;
	return 0;
}

void cpu_release(struct box *b)
{
	free(b->own);
}

unsigned pmu_cpu_type(const struct pmu *p)
{
	unsigned t = p->family->types;

	return t && p->type[t - 1].select->bind ? t - 1 : PMU_TYPES;
}

unsigned pmu_cpu_counters(const struct pmu *p)
{
	unsigned t = pmu_cpu_type(p), all = t == PMU_TYPES ? 0 : p->type[t].cat->counters;

	return p->cpu_counters && p->cpu_counters < all ? p->cpu_counters : all;
}

/* The values of the source that registers hold out of reset. */
static void start_values(struct box *b)
{
	const struct pmu *p = b->socket->pmu;
	const struct cat_type *cat = b->type->cat;
	const struct pmu_box at = { b->socket->number, pmu_cpu_type(p), b->index };

	for (unsigned i = 0; p->source && i < cat->regs; i++) {
		const struct cat_reg *r = &cat_regs[cat->reg0 + i];

		if (r->starts)
			b->socket->value[b->slot0 + b->type->reg_slot[i]] = p->source->value(p->source_ctx, &at, r->shows);
	}
}

void cpu_restart(struct box *b)
{
	const struct pmu *p = b->socket->pmu;
	uint64_t *global = &b->socket->value[b->slot0 + ((struct cpu_own *)b->own)->global_ctrl];

	for (unsigned i = 0; i < b->type->counters; i++)
		b->counter[i].enabled = false;
	*global &= bits_low(pmu_cpu_counters(p));
	start_values(b);
}

void pmu_ask(struct pmu *p, const struct pmu_source *source, void *ctx)
{
	p->source = source;
	p->source_ctx = ctx;
	for (unsigned s = 0; s < p->sockets; s++)
		for (unsigned i = p->told; i < p->boxes; i++) {
			start_values(&p->socket[s].box[i]);
			pmu_bind_all(&p->socket[s].box[i]);
		}
}

bool cpu_there(const struct box *b, uint32_t slot)
{
	const struct pmu *p = b->socket->pmu;
	const struct cat_reg *r = reg_at(b, slot);

	switch (r->role) {
	case CAT_CTL: case CAT_CTR: case CAT_CTR_FULL:
		return slot_at(b, slot)->element < pmu_cpu_counters(p);
	default:
		return r->shows == CAT_NONE || !p->source || p->source->has(p->source_ctx, r->shows);
	}
}

/* Bits of counters that nobody has are reserved. */
bool cpu_locked(const struct box *b, uint32_t slot, uint64_t written)
{
	const struct cpu_own *own = b->own;
	uint64_t absent = bits_low(b->type->cat->counters) & ~bits_low(pmu_cpu_counters(b->socket->pmu));

	return (slot == b->slot0 + own->global_ctrl || reg_at(b, slot)->role == CAT_OVF_CTL) && written & absent;
}

uint64_t cpu_shown(struct box *b, uint32_t slot, uint64_t value)
{
	const struct pmu *p = b->socket->pmu;
	const struct cat_reg *r = reg_at(b, slot);
	const struct pmu_box at = { b->socket->number, pmu_cpu_type(p), b->index };
	const struct counter *c = counter_at(b, slot);

	if (c || r->role == CAT_STATUS) {
		cpu_settle_all(b);
		return c ? c->value : b->socket->value[slot];
	}
	return r->shows == CAT_NONE || r->starts || !p->source ? value : p->source->value(p->source_ctx, &at, r->shows);
}

/* The first address of a counter takes 32 bits and extends their sign, the other one and those of fixed ones take all. */
static uint64_t extended(const struct box *b, uint32_t slot, uint64_t written)
{
	return reg_at(b, slot)->role == CAT_CTR ? (uint64_t)(int32_t)written : written;
}

void cpu_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	const struct pmu *p = b->socket->pmu;
	const struct cat_reg *r = reg_at(b, slot);
	const struct pmu_box at = { b->socket->number, pmu_cpu_type(p), b->index };
	struct counter *c = counter_at(b, slot);

	if (r->shows != CAT_NONE) {
		if (p->source && !r->starts)
			p->source->written(p->source_ctx, &at, r->shows, written);
		return;
	}
	if (c && r->role != CAT_CTR_FULL)
		c->value = old;		/* what was counted until now may have overflowed */
	cpu_settle_all(b);
	if (c)
		c->value = extended(b, slot, written) & bits_low(c->width);
	if (r->role == CAT_OVF_CTL)
		b->socket->value[b->slot0 + b->type->status_slot] &= ~written;
	pmu_bind_all(b);
}

bool pmu_cpu_name(const struct pmu *p, uint32_t msr, char *buf, size_t size)
{
	unsigned type = pmu_cpu_type(p);
	const struct cat_type *cat = &cat_types[p->family->type0 + type];

	for (unsigned r = 0; type != PMU_TYPES && r < cat->regs; r++)
		for (unsigned i = 0; i < cat_regs[cat->reg0 + r].count; i++) {
			const struct box *b = &p->socket[0].box[p->type[type].box0];

			if (cat_reg_where(&cat_regs[cat->reg0 + r], 0, i).offset != msr ||
			    !cpu_there(b, b->slot0 + b->type->reg_slot[r] + i))
				continue;
			cat_reg_instance(&cat_regs[cat->reg0 + r], 0, i, buf, size);
			return true;
		}
	return false;
}
