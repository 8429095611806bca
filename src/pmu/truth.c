/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a counter without limits would show.  It is a counter of a shadow: a copy of the box whose
 * registers are its own, so that any number of them look at one box at once, and whose counters
 * hang on the port of the real one.  The same code binds both, so they cannot differ in what
 * they select; only freezes, widths and enables of the real box do not concern the shadow.  Where the
 * box keeps a sum and its counter sees overflows of it, the shadow counts what goes into the sum; where the
 * hardware tells of overflows only, these times their worth.
 */
#include <stdlib.h>

#include "catalog/find.h"
#include "pmu/engine.h"

struct pmu_truth {
	struct pmu_truth *next;			/* of the box */
	struct box *real;
	struct box box;
	struct socket socket;			/* holds the registers of the shadow alone */
	struct counter *counter;		/* of box.counter: the one that counts */
	int64_t count;
	uint32_t worth;
};

static struct box *find_box(const struct pmu *p, const struct pmu_box *at)
{
	if (at->socket >= p->sockets || at->type >= p->family->types ||
	    at->box >= p->type[at->type].boxes)
		return NULL;
	return &p->socket[at->socket].box[p->type[at->type].box0 + at->box];
}

/* Slot of a register within its box; PMU_NO_SLOT: the type has no such one. */
static uint32_t slot_within(const struct box *b, uint32_t reg, unsigned element)
{
	const struct cat_type *cat = b->type->cat;

	if (reg < cat->reg0 || reg >= cat->reg0 + (uint32_t)cat->regs || element >= cat_regs[reg].count)
		return PMU_NO_SLOT;
	return b->type->reg_slot[reg - cat->reg0] + element;
}

/* A counter as the real one is made, controlled by the shadow's registers. */
static void shadow_counter(const struct box *real, const struct counter *from, struct counter *c)
{
	c->kind = from->kind;
	c->number = from->number;
	c->bit = from->bit;
	c->width = from->width;
	c->ctr = from->ctr;
	c->ctl = from->ctl == PMU_NO_SLOT ? PMU_NO_SLOT : from->ctl - real->slot0;
	c->status_bit = c->message_bit = PMU_NO_BIT;
}

static const struct counter *counter_zero(const struct box *b)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		if (b->counter[i].kind == COUNTER_PROGRAMMED && b->counter[i].number == 0)
			return &b->counter[i];
	return NULL;
}

static uint64_t enabled_control(const struct box *b, const struct counter *c, uint64_t control)
{
	const struct pmu_ctl_layout *l =
		c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;

	return (control & ~pmu_bits_mask(l->rst)) | pmu_bits_mask(l->en);
}

/* Filters and sub-controls hold their presets, as after measuring has written them. */
static void preset(struct pmu_truth *t)
{
	const struct cat_type *cat = t->real->type->cat;

	for (unsigned i = 0; i < cat->regs; i++) {
		const struct cat_reg *r = cat_regs + cat->reg0 + i;
		uint64_t value = cat_presets(r);

		if (r->role == CAT_CTL || r->role == CAT_BOX_CTL || r->role == CAT_GLOBAL_CTL || !value)
			continue;
		for (unsigned element = 0; element < r->count; element++)
			t->socket.value[t->real->type->reg_slot[i] + element] = value;
	}
}

/* The registers, and one or two counters: what another one watches has to be there as well. */
static void fill(struct pmu_truth *t, const struct pmu_truth_config *config, const struct counter *from)
{
	const struct counter *zero = config->counter0 ? counter_zero(t->real) : NULL;
	struct counter *c = t->box.counter;
	uint64_t *value = t->socket.value;

	preset(t);
	for (unsigned i = 0; i < config->bits_count; i++) {
		const struct pmu_truth_bits *bits = config->bits + i;
		uint32_t slot = slot_within(t->real, bits->reg, bits->element);

		if (slot != PMU_NO_SLOT)
			value[slot] = bits_put(value[slot], bits->hi, bits->lo, bits->value);
	}
	if (zero && zero != from) {
		shadow_counter(t->real, zero, c);
		value[c->ctl] = enabled_control(&t->box, c, config->counter0);
		c++;
	}
	shadow_counter(t->real, from, c);
	if (c->ctl != PMU_NO_SLOT)
		value[c->ctl] = enabled_control(&t->box, c, config->control);
	t->counter = c;
}

static struct pmu_truth *make(struct box *real)
{
	struct pmu_truth *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->real = real;
	t->box = *real;
	t->box.socket = &t->socket;
	t->box.slot0 = 0;
	t->box.lives = 0;
	t->box.truth = NULL;
	t->socket = *real->socket;
	t->socket.value = calloc(real->type->slots, sizeof *t->socket.value);
	t->box.counter = calloc(2, sizeof *t->box.counter);
	if (t->socket.value && t->box.counter)
		return t;
	pmu_truth_free(t);
	return NULL;
}

/* A register that takes effect with the next change of frequency does so here, too. */
static void latch(struct pmu_truth *t)
{
	if (!t->real->latch.live)
		return;
	t->box.latch.live = t->socket.value + (t->real->latch.live - t->real->socket->value -
					       t->real->slot0);
	signal_port_latch(&t->real->port, &t->box.latch);
}

int pmu_truth_new(struct pmu *p, const struct pmu_truth_config *config, struct pmu_truth **out)
{
	struct box *real = find_box(p, &config->box);
	const struct counter *from = NULL;
	struct pmu_truth *t;
	uint32_t slot = real ? slot_within(real, config->reg, config->element) : PMU_NO_SLOT;

	for (unsigned i = 0; slot != PMU_NO_SLOT && i < real->type->counters; i++)
		if (real->counter[i].ctr == real->slot0 + slot)
			from = &real->counter[i];
	if (!from)
		return BXS_ENOENT;
	t = make(real);
	if (!t)
		return BXS_ENOMEM;
	t->next = real->truth;
	real->truth = t;
	t->worth = config->worth ? config->worth : 1;
	fill(t, config, from);
	latch(t);
	pmu_bind(&t->box, t->counter);
	*out = t;
	return 0;
}

uint64_t pmu_truth_count(const struct pmu_truth *t)
{
	if (t->box.type->select->since)
		return t->box.type->select->since(&t->box, t->counter);
	return (uint64_t)t->count * (t->counter->sum.bits ? 1 : t->worth);
}

void pmu_truth_free(struct pmu_truth *t)
{
	struct pmu_truth **at;

	if (!t)
		return;
	for (at = &t->real->truth; *at && *at != t; at = &(*at)->next)
		;
	if (*at)
		*at = t->next;
	if (t->counter && t->counter->hung)
		signal_watch_unhang(&t->real->port, t->counter->sig, &t->counter->watch);
	signal_port_unlatch(&t->real->port, &t->box.latch);
	if (t->counter)
		signal_watch_free(&t->counter->watch);
	free(t->box.counter);
	free(t->socket.value);
	free(t);
}

void pmu_truth_free_all(struct box *b)
{
	while (b->truth)
		pmu_truth_free(b->truth);
}

void pmu_truth_close_clocks(struct box *b, uint64_t to)
{
	for (struct pmu_truth *t = b->truth; t; t = t->next)
		if (t->counter->live)
			t->count += signal_watch_close(&b->port, &t->counter->watch, to);
}
