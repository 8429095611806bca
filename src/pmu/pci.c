/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PCI functions of a Xeon's socket and what a driver reads to find its way.  Functions with
 * registers of a box stand with the box; the others in the family's file `pci`.
 */
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"
#include "pmu/xeon.h"

enum { VENDOR = 0x8086, CLASS_PERF = 0x110100, CLASS_SYSTEM = 0x088000, MULTI_FUNCTION = 0x80 };

/* The device id of a function without a window of the catalogue, or 0. */
static uint32_t other_id(const struct pmu *p, enum cat_bus bus, uint32_t base)
{
	for (unsigned i = 0; i < p->family->functions; i++) {
		const struct cat_function *f = &cat_functions[p->family->function0 + i];

		if (f->bus != bus || base < f->base || base >= (unsigned)f->base + f->count)
			continue;
		if (f->per_core && f->core0 + base - f->base >= p->cores)
			return 0;
		return f->same ? f->device : f->device + base - f->base;
	}
	return 0;
}

/*
 * The device id of a function with a window of the catalogue, or 0.  *perf: it has counters.
 */
static uint32_t window_id(const struct pmu *p, enum cat_bus bus, uint32_t base, bool *perf)
{
	for (unsigned t = 0; t < p->family->types; t++) {
		const struct cat_type *cat = p->type[t].cat;

		for (unsigned n = 0; n < cat->windows * (unsigned)cat->boxes; n++) {
			const struct cat_window *w = &cat_windows[cat->window0 + n / cat->boxes];
			unsigned box = n % cat->boxes;

			if (w->space != CAT_PCI || w->bus != bus || w->device0 == CAT_ABSENT ||
			    cat_numbers[w->base0 + box] != base)
				continue;
			*perf = strcmp(cat_str(w->name), "pmon") == 0;
			return cat_numbers[w->device0 + box];
		}
	}
	return 0;
}

/*
 * Functions whose class is not what one would expect: counters without registers in the catalogue, or counters that
 * call themselves system devices.
 */
static bool is_odd(const struct cat_family *f, uint32_t id)
{
	for (unsigned i = 0; i < f->odds; i++)
		if (cat_odds[f->odd0 + i] == id)
			return true;
	return false;
}

uint32_t pmu_node_map(const struct pmu *p)
{
	uint32_t map = 0;

	for (unsigned i = 0; i < p->sockets; i++)
		map |= i << 3 * i;
	return map;
}

/* CAPID4 bits 7:6 tell the dies of Haswell-EP apart: 0 is the one with two SBo. */
static uint32_t die(const struct pmu *p)
{
	const struct cat_type *sbo = cat_find_type(p->family, "sbo", 3);
	bool two = sbo && pmu_boxes(p, (unsigned)(sbo - &cat_types[p->family->type0])) <= 2;

	return two ? 0 : 2u << 6;
}

/* Another dword of function `id`: most are 0. */
static uint32_t dword(const struct pmu *p, unsigned socket, uint32_t id, uint32_t offset)
{
	for (unsigned i = 0; i < p->family->dwords; i++) {
		const struct cat_dword *d = &cat_dwords[p->family->dword0 + i];

		if (d->device != id || d->offset != offset)
			continue;
		switch ((enum cat_dword_what)d->what) {
		case CAT_DWORD_NODE: return socket;
		case CAT_DWORD_NODE_MAP: return pmu_node_map(p);
		case CAT_DWORD_DIE: return die(p);
		}
	}
	return 0;
}

/*
 * Bus numbers share 0..255 evenly: the I/O bus first, the uncore's last in each share.
 * With two sockets that is 0x00 and 0x7f, 0x80 and 0xff, as on real servers.
 */
static uint32_t bus_numbers(const struct pmu *p, unsigned socket)
{
	unsigned iio = socket * 256 / p->sockets, uncore = (socket + 1) * 256 / p->sockets - 1;

	return uncore << 8 | iio;
}

bool pmu_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base, uint32_t offset,
		uint32_t *value)
{
	bool perf = false;
	uint32_t id;

	if (p->family->functions == 0)
		return false;
	id = window_id(p, bus, base, &perf);
	if (!id)
		id = other_id(p, bus, base);
	perf ^= is_odd(p->family, id);
	*value = 0;
	if (offset == 0x00)
		*value = VENDOR | id << 16;
	else if (offset == 0x08)
		*value = (uint32_t)(perf ? CLASS_PERF : CLASS_SYSTEM) << 8;
	else if (offset == 0x0c)
		*value = (uint32_t)MULTI_FUNCTION << 16;
	else if (id && id == p->family->buses_id && offset == 0x108)
		*value = bus_numbers(p, socket);
	else
		*value = dword(p, socket, id, offset);
	return id != 0;
}
