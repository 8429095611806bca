/* SPDX-License-Identifier: BSD-2-Clause */
/* Building PMUs from the catalogue: types, boxes, the register file. */
#include <stdlib.h>

#include "catalog/find.h"
#include "pmu/build_private.h"

struct pmu_bits build_bits(const struct cat_reg *r, const char *as)
{
	const struct cat_field *f = cat_reg_field(r, as);

	if (!f)
		return (struct pmu_bits){ 0 };
	return (struct pmu_bits){ f->lo, (uint8_t)(f->hi - f->lo + 1) };
}

static struct pmu_ctl_layout ctl_layout(const struct cat_reg *r)
{
	return (struct pmu_ctl_layout){
#define X(name) .name = build_bits(r, #name),
		PMU_CTL_FIELDS(X)
#undef X
	};
}

bool build_counts(const struct cat_reg *r)
{
	return r->role == CAT_CTR || r->role == CAT_FIXED_CTR || r->role == CAT_FREE;
}

static void note_filter(struct pmu_type *t, uint32_t reg)
{
	const struct cat_reg *r = &cat_regs[reg];

	for (unsigned i = 0; i < r->fields; i++)
		if (cat_fields[r->field0 + i].tag == CAT_TAG_TID) {
			t->tid_reg = reg;
			t->tid_field = r->field0 + i;
		}
}

static void note_role(struct pmu_type *t, const struct cat_reg *r)
{
	switch (r->role) {
	case CAT_BOX_CTL:
		t->frz = build_bits(r, "frz");
		t->frz_en = build_bits(r, "frz_en");
		t->rst_ctrs = build_bits(r, "rst_ctrs");
		t->rst_ctrl = build_bits(r, "rst_ctrl");
		break;
	case CAT_STATUS:
		t->ov = build_bits(r, "ov");
		t->status_slot = t->slots;
		break;
	case CAT_CTL:
		t->ctl = ctl_layout(r);
		break;
	case CAT_FIXED_CTL:
		t->fixed_ctl = ctl_layout(r);
		break;
	case CAT_FILTER:
		note_filter(t, (uint32_t)(r - cat_regs));
		break;
	default:
		break;
	}
}

static int type_init(struct pmu_type *t, const struct cat_type *cat)
{
	struct pmu_mechanism uses = pmu_mechanisms(cat);

	t->cat = cat;
	t->select = uses.select;
	t->reg = uses.reg;
	t->count = uses.count;
	t->status_slot = PMU_NO_SLOT;
	t->filtered = !t->count->raise;
	t->tid_reg = t->tid_field = CAT_ABSENT;
	t->reg_slot = calloc(cat->regs ? cat->regs : 1, sizeof *t->reg_slot);
	if (!t->reg_slot)
		return BXS_ENOMEM;
	for (unsigned i = 0; i < cat->regs; i++) {
		const struct cat_reg *r = &cat_regs[cat->reg0 + i];

		note_role(t, r);
		t->reg_slot[i] = (uint16_t)t->slots;
		t->slots += r->count;
		if (build_counts(r))
			t->counters += r->count;
	}
	return 0;
}

static uint64_t slot_key(struct cat_where w)
{
	return (uint64_t)w.space << 60 | (uint64_t)w.bus << 56 | (uint64_t)w.base << 32 | w.offset;
}

static int by_key(const void *a, const void *b)
{
	const struct pmu_slot *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void note_global(struct pmu *p, const struct cat_reg *r, uint32_t slot)
{
	if (r->role == CAT_GLOBAL_CTL)
		p->global_ctl = slot;
	if (r->role == CAT_GLOBAL_STATUS)
		p->global_status = slot;
}

/* The slots of all boxes of a socket, in order of boxes; then once more in order of addresses. */
static int slots_init(struct pmu *p)
{
	uint32_t slot = 0;
	unsigned box = 0;

	p->by_slot = calloc(p->slots ? p->slots : 1, sizeof *p->by_slot);
	p->by_key = calloc(p->slots ? p->slots : 1, sizeof *p->by_key);
	if (!p->by_slot || !p->by_key)
		return BXS_ENOMEM;
	for (unsigned t = 0; t < p->family->types; t++) {
		const struct cat_type *cat = p->type[t].cat;

		for (unsigned b = 0; b < p->type[t].boxes; b++, box++)
			for (unsigned r = cat->reg0; r < cat->reg0 + cat->regs; r++) {
				note_global(p, &cat_regs[r], slot);
				for (unsigned i = 0; i < cat_regs[r].count; i++, slot++)
					p->by_slot[slot] = (struct pmu_slot){
						.key = slot_key(cat_reg_where(&cat_regs[r], b, i)),
						.slot = slot, .reg = r, .box = (uint16_t)box,
						.element = (uint16_t)i,
					};
			}
	}
	for (slot = 0; slot < p->slots; slot++)
		if (p->by_slot[slot].key >> 60 != CAT_CPU || p->by_slot[slot].box == p->told)
			p->by_key[p->keys++] = p->by_slot[slot];
	qsort(p->by_key, p->keys, sizeof *p->by_key, by_key);
	return 0;
}

/* Signals of the shared hardware, then one for each event, for the console. */
static unsigned port_signals(const struct cat_type *cat)
{
	unsigned own = cat->sigtype == CAT_NOSIG ? 0 : cat_sigtypes[cat->sigtype].signals;

	return own + cat->events;
}

/* The register whose value a latch holds: the filter of the box with a "ge" match. */
static void latch_init(struct box *b)
{
	const struct cat_type *cat = b->type->cat;

	for (unsigned r = 0; r < cat->regs; r++) {
		const struct cat_reg *reg = &cat_regs[cat->reg0 + r];

		for (unsigned f = 0; f < reg->fields; f++)
			if (cat_fields[reg->field0 + f].match == CAT_MATCH_GE) {
				b->latch.live = &b->socket->value[b->slot0 + b->type->reg_slot[r]];
				signal_port_latch(&b->port, &b->latch);
				return;
			}
	}
}

static int socket_init(struct pmu *p, struct socket *s, unsigned number)
{
	uint32_t slot = 0;
	unsigned box = 0;

	s->pmu = p;
	s->number = number;
	s->box = calloc(p->boxes ? p->boxes : 1, sizeof *s->box);
	s->value = calloc(p->slots ? p->slots : 1, sizeof *s->value);
	s->clock = calloc(p->family->clocks ? p->family->clocks : 1, sizeof *s->clock);
	if (!s->box || !s->value || !s->clock)
		return BXS_ENOMEM;
	for (unsigned i = 0; i < p->family->clocks; i++)
		signal_clock_init(&s->clock[i], cat_clocks[p->family->clock0 + i].khz);
	for (unsigned t = 0; t < p->family->types; t++) {
		struct pmu_type *type = &p->type[t];

		for (unsigned b = 0; b < type->boxes; b++, slot += type->slots) {
			struct box *one = &s->box[box++];
			unsigned clock = type->cat->clock - p->family->clock0;

			one->type = type;
			one->socket = s;
			one->index = b;
			one->slot0 = slot;
			one->outlet = &one->port;
			if (build_counters(one) < 0 ||
			    signal_port_init(&one->port, port_signals(type->cat),
					     &s->clock[clock]) < 0)
				return BXS_ENOMEM;
			latch_init(one);
			if (type->count->init && type->count->init(one) < 0)
				return BXS_ENOMEM;
		}
	}
	return 0;
}

/* Registers of a thread lie at the same place in each: there may be any number of them. */
static bool per_thread(const struct cat_type *cat)
{
	return cat->windows && (cat_windows[cat->window0].space == CAT_PMC || cat_windows[cat->window0].space == CAT_CPU);
}

static int types_init(struct pmu *p, const struct pmu_config *config)
{
	p->type = calloc(p->family->types ? p->family->types : 1, sizeof *p->type);
	if (!p->type)
		return BXS_ENOMEM;
	for (unsigned i = 0; i < p->family->types; i++) {
		const struct cat_type *cat = &cat_types[p->family->type0 + i];
		struct pmu_type *t = &p->type[i];
		unsigned want = config->boxes[i];

		if (want == PMU_NO_BOX)
			want = 0;
		else if (want == 0 || (want > cat->boxes && !per_thread(cat)))
			want = cat->boxes;
		if (type_init(t, cat) < 0)
			return BXS_ENOMEM;
		t->boxes = want;
		t->box0 = p->boxes;
		p->boxes += want;
		if (!t->select->bind)
			p->told = p->boxes;
		p->slots += want * t->slots;
	}
	return 0;
}

int pmu_new(const struct pmu_config *config, struct pmu **out)
{
	struct pmu *p;
	int err;

	if (!config->family || config->family->types > PMU_TYPES || config->sockets < 1 ||
	    config->sockets > 8)
		return BXS_EINVAL;
	p = calloc(1, sizeof *p);
	if (!p)
		return BXS_ENOMEM;
	p->family = config->family;
	p->sockets = config->sockets;
	p->cores = config->cores;
	p->cpu_counters = config->cpu_counters;
	p->global_ctl = p->global_status = PMU_NO_SLOT;
	p->socket = calloc(p->sockets, sizeof *p->socket);
	err = p->socket ? types_init(p, config) : BXS_ENOMEM;
	if (err == 0)
		err = slots_init(p);
	for (unsigned i = 0; i < p->sockets && err == 0; i++)
		err = socket_init(p, &p->socket[i], i);
	if (err < 0) {
		pmu_free(p);
		return err;
	}
	pmu_reset(p);
	*out = p;
	return 0;
}

static void socket_free(struct pmu *p, struct socket *s)
{
	for (unsigned i = 0; i < p->boxes && s->box; i++) {
		struct box *b = &s->box[i];

		pmu_truth_free_all(b);
		if (b->own)
			b->type->count->release(b);
		for (unsigned c = 0; b->counter && c < b->type->counters; c++)
			signal_watch_free(&b->counter[c].watch);
		free(b->counter);
		signal_port_free(&b->port);
	}
	free(s->box);
	free(s->value);
	free(s->clock);
}

void pmu_free(struct pmu *p)
{
	if (!p)
		return;
	for (unsigned i = 0; p->socket && i < p->sockets; i++)
		socket_free(p, &p->socket[i]);
	for (unsigned i = 0; p->type && i < p->family->types; i++)
		free(p->type[i].reg_slot);
	free(p->socket);
	free(p->type);
	free(p->by_slot);
	free(p->by_key);
	free(p->interrupt);
	free(p);
}

void pmu_reset(struct pmu *p)
{
	p->interrupts = 0;
	for (unsigned n = 0; n < p->sockets; n++) {
		struct socket *s = &p->socket[n];

		s->frozen = s->armed = false;
		for (unsigned i = 0; i < p->slots; i++)
			s->value[i] = cat_regs[p->by_slot[i].reg].reset;
		for (unsigned i = 0; i < p->boxes; i++) {
			struct box *b = &s->box[i];

			b->frozen = false;
			b->latch.value = 0;
			b->latch.freq = 0;
			for (unsigned c = 0; c < b->type->counters; c++)
				b->counter[c].value = 0;
			if (b->type->reg->restart)
				b->type->reg->restart(b);
			pmu_bind_all(b);
		}
		pmu_set_horizon(s);
	}
}

const struct cat_family *pmu_family(const struct pmu *p)
{
	return p->family;
}

unsigned pmu_sockets(const struct pmu *p)
{
	return p->sockets;
}

unsigned pmu_boxes(const struct pmu *p, unsigned type)
{
	return type < p->family->types ? p->type[type].boxes : 0;
}
