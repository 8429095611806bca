/* SPDX-License-Identifier: BSD-2-Clause */
/* Which register of the catalogue lies at an address. */
#include <stdlib.h>

#include "base/error.h"
#include "catalog/find.h"
#include "local/local_private.h"

static uint64_t key_of(enum cat_space space, enum cat_bus bus, uint32_t base, uint32_t offset)
{
	return (uint64_t)space << 60 | (uint64_t)bus << 56 | (uint64_t)(space == CAT_PCI ? base : 0) << 32 | offset;
}

static int by_key(const void *a, const void *b)
{
	const struct local_place *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* All CPUs share the entry of a register that each has; the address says which CPU is meant. */
static void add_register(struct local *l, uint32_t reg)
{
	const struct cat_reg *r = cat_regs + reg;

	for (unsigned box = 0; box < cat_types[r->type].boxes; box++) {
		for (unsigned i = 0; i < r->count; i++) {
			struct cat_where w = cat_reg_where(r, box, i);

			l->place[l->places++] = (struct local_place){
				.key = key_of(w.space, w.bus, w.base, w.offset), .reg = reg, .box = (uint16_t)box,
				.element = (uint8_t)i,
			};
		}
	}
}

int local_find_places(struct local *l)
{
	const struct cat_family *f = l->processor.family;
	size_t room = 1;

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned r = cat_types[t].reg0; r < (unsigned)cat_types[t].reg0 + cat_types[t].regs; r++)
			room += (size_t)cat_types[t].boxes * cat_regs[r].count;
	l->place = calloc(room, sizeof *l->place);
	if (!l->place)
		return BXS_ENOMEM;
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned r = cat_types[t].reg0; r < (unsigned)cat_types[t].reg0 + cat_types[t].regs; r++)
			add_register(l, r);
	qsort(l->place, l->places, sizeof *l->place, by_key);
	return 0;
}

static const struct local_place *find(const struct local *l, enum cat_space space, const struct access_address *at)
{
	struct local_place wanted = { .key = key_of(space, at->bus, at->base, at->offset) };

	return bsearch(&wanted, l->place, l->places, sizeof wanted, by_key);
}

const struct local_place *local_place_at(const struct local *l, struct access_address *at)
{
	const struct local_place *p = find(l, at->space, at), *of_cpu = at->space == CAT_MSR && !p ? find(l, CAT_CPU, at) : NULL;

	if (!of_cpu)
		return p;
	at->space = CAT_CPU;
	at->base = at->thread;
	return of_cpu;
}
