/* SPDX-License-Identifier: BSD-2-Clause */
/* Which PMUs a machine has: the driver asks its PCI functions, and counts boxes of MSRs by cores. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "catalog/find.h"
#include "perf/perf_private.h"

enum {
	FIRST_TYPE = 16,		/* of the numbers that the kernel gives as drivers come */
	CAPABILITIES = 30 << 3 | 3, CAPID4 = 0x94, HSX_DEVICE = 0x2fc0,
	FEW_SBOS = 2,
	CORE_FIXED = 3,
};

const struct cat_reg *perf_register(const struct cat_pmu *pmu, enum cat_role role)
{
	const struct cat_type *t = &cat_types[pmu->type];

	for (unsigned i = t->reg0; i < t->reg0 + (unsigned)t->regs; i++)
		if (cat_regs[i].role == role)
			return &cat_regs[i];
	return NULL;
}

struct access_address perf_place(const struct perf_context *c, const struct cat_reg *r, unsigned i)
{
	struct cat_where w = cat_reg_where(r, c->pmu->box, i);

	return (struct access_address){
		.space = w.space, .bus = w.bus, .socket = (uint16_t)c->socket, .base = w.base, .offset = w.offset,
		.width = w.space == CAT_PCI ? 32 : 64,
	};
}

static unsigned socket_of(const struct perf *p, unsigned cpu)
{
	return cpu % (p->config.sockets * p->config.cores) / p->config.cores;
}

struct perf_context *perf_context_of(struct perf *p, const struct perf_pmu *pmu, unsigned cpu)
{
	return &p->context[p->first_context[pmu - p->pmu] + (pmu->kind == PERF_UNCORE ? socket_of(p, cpu) : cpu)];
}

/* A dword of a PCI function's header; all ones: nobody answers. */
static uint32_t dword(struct perf *p, struct access_address at, uint32_t offset)
{
	uint64_t value;

	at.space = CAT_PCI;
	at.offset = offset;
	at.width = 32;
	return access_read(p->config.registers, &at, &value) < 0 ? UINT32_MAX : (uint32_t)value;
}

/* A die of Haswell-EP with few cores has two switches; bits 7:6 of a function of the power control unit say so. */
static bool has_few_sbos(struct perf *p)
{
	struct access_address at = { .bus = CAT_BUS_UNCORE, .base = CAPABILITIES };

	return dword(p, at, 0) >> 16 == HSX_DEVICE && !(dword(p, at, CAPID4) >> 6 & 3);
}

static unsigned boxes_of_msrs(struct perf *p, const struct cat_pmu *pmu, const char *name)
{
	unsigned n = pmu->boxes;

	if (pmu->of_cores && n > p->config.cores)
		n = p->config.cores;
	if (name[0] == 's' && n > FEW_SBOS && has_few_sbos(p))
		n = FEW_SBOS;
	return n;
}

/* NULL: out of memory. */
static struct perf_pmu *add_pmu(struct perf *p, enum perf_kind kind, uint32_t type, const char *name)
{
	struct perf_pmu *grown = array_grow(p->pmu, p->pmus, &p->room, sizeof *grown), *pmu;

	if (!grown)
		return NULL;
	p->pmu = grown;
	pmu = &p->pmu[p->pmus++];
	*pmu = (struct perf_pmu){ .kind = kind, .type = type };
	snprintf(pmu->name, sizeof pmu->name, "%s", name);
	return pmu;
}

/* The driver numbers the PMUs of a kind only where the part can have more than one. */
static int add_box(struct perf *p, const struct cat_pmu *cat, unsigned box, unsigned boxes)
{
	struct perf_pmu *pmu;
	char name[24];

	if (boxes > 1)
		snprintf(name, sizeof name, "uncore_%s_%u", cat_str(cat->name), box);
	else
		snprintf(name, sizeof name, "uncore_%s", cat_str(cat->name));
	pmu = add_pmu(p, PERF_UNCORE, FIRST_TYPE + p->pmus, name);
	if (!pmu)
		return BXS_ENOMEM;
	pmu->cat = cat;
	pmu->box = box;
	return 0;
}

/* Is the function of a box there in a socket? */
static bool answers(struct perf *p, const struct cat_pmu *cat, unsigned box, unsigned socket)
{
	struct cat_where w = cat_reg_where(perf_register(cat, CAT_CTL), box, 0);
	struct access_address at = { .bus = w.bus, .socket = (uint16_t)socket, .base = w.base };

	return w.space != CAT_PCI || dword(p, at, 0) != UINT32_MAX;
}

static int find_boxes(struct perf *p, const struct cat_pmu *cat)
{
	bool pci = cat_reg_where(perf_register(cat, CAT_CTL), 0, 0).space == CAT_PCI;
	unsigned n = pci ? cat->boxes : boxes_of_msrs(p, cat, cat_str(cat->name));

	for (unsigned box = 0; box < n; box++) {
		bool there = false;

		for (unsigned s = 0; s < p->config.sockets; s++)
			there |= answers(p, cat, box, s);
		if (there && add_box(p, cat, box, n) < 0)
			return BXS_ENOMEM;
	}
	return 0;
}

static void make_box(struct perf *p, struct perf_context *c, unsigned socket)
{
	c->ops = &perf_box_ops;
	c->socket = socket;
	c->cpu = perf_socket_cpu(p, socket);
	c->counters = cat_types[c->pmu->cat->type].counters;
	c->fixed = perf_register(c->pmu->cat, CAT_FIXED_CTL) != NULL;
	c->there = answers(p, c->pmu->cat, c->pmu->box, socket);
}

static void make_cpu(struct perf *p, struct perf_context *c, unsigned cpu)
{
	c->ops = c->pmu->kind == PERF_CORE ? &perf_core_ops : &perf_clock_ops;
	c->cpu = cpu;
	c->socket = socket_of(p, cpu);
	c->counters = p->config.core_counters;
	c->fixed = CORE_FIXED;
	c->there = true;
}

static int make_contexts(struct perf *p)
{
	p->first_context = calloc(p->pmus, sizeof *p->first_context);
	p->context = calloc((size_t)p->pmus * p->config.cpus, sizeof *p->context);
	if (!p->context || !p->first_context)
		return BXS_ENOMEM;
	for (unsigned i = 0; i < p->pmus; i++) {
		bool uncore = p->pmu[i].kind == PERF_UNCORE;

		p->first_context[i] = p->contexts;
		for (unsigned n = 0; n < (uncore ? p->config.sockets : p->config.cpus); n++) {
			struct perf_context *c = &p->context[p->contexts++];

			c->perf = p;
			c->pmu = &p->pmu[i];
			if (uncore)
				make_box(p, c, n);
			else
				make_cpu(p, c, n);
		}
	}
	return 0;
}

int perf_find_pmus(struct perf *p)
{
	int err = 0;

	for (unsigned i = 0; i < cat_pmu_count && err == 0; i++)
		if (cat_types[cat_pmus[i].type].family == p->config.family)
			err = find_boxes(p, &cat_pmus[i]);
	if (err == 0 && (!add_pmu(p, PERF_CORE, PERF_TYPE_RAW, "cpu") || !add_pmu(p, PERF_CLOCK, PERF_TYPE_SOFTWARE, "software")))
		err = BXS_ENOMEM;
	return err < 0 ? err : make_contexts(p);
}
