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

struct perf_context *perf_context_of(struct perf *p, const struct perf_pmu *pmu, unsigned socket)
{
	return &p->context[(size_t)(pmu - p->pmu) * p->config.sockets + socket];
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

/* Numbered only where the driver knows several. */
static struct perf_pmu *add_pmu(struct perf *p, const struct cat_pmu *cat, unsigned box, unsigned boxes)
{
	struct perf_pmu *grown = array_grow(p->pmu, p->pmus, &p->room, sizeof *grown), *pmu;

	if (!grown)
		return NULL;
	p->pmu = grown;
	pmu = &p->pmu[p->pmus];
	*pmu = (struct perf_pmu){ .type = FIRST_TYPE + p->pmus, .cat = cat, .box = box };
	p->pmus++;
	if (boxes > 1)
		snprintf(pmu->name, sizeof pmu->name, "uncore_%s_%u", cat_str(cat->name), box);
	else
		snprintf(pmu->name, sizeof pmu->name, "uncore_%s", cat_str(cat->name));
	return pmu;
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
		if (there && !add_pmu(p, cat, box, n))
			return BXS_ENOMEM;
	}
	return 0;
}

static int make_contexts(struct perf *p)
{
	size_t n = (size_t)p->pmus * p->config.sockets;

	p->context = calloc(n ? n : 1, sizeof *p->context);
	if (!p->context)
		return BXS_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct perf_pmu *pmu = &p->pmu[i / p->config.sockets];
		unsigned socket = (unsigned)(i % p->config.sockets);

		p->context[i] = (struct perf_context){
			.perf = p, .pmu = pmu, .ops = &perf_box_ops, .socket = socket, .cpu = perf_socket_cpu(p, socket),
			.there = answers(p, pmu->cat, pmu->box, socket),
		};
	}
	return 0;
}

int perf_find_pmus(struct perf *p)
{
	int err = 0;

	for (unsigned i = 0; i < cat_pmu_count && err == 0; i++)
		if (cat_types[cat_pmus[i].type].family == p->config.family)
			err = find_boxes(p, &cat_pmus[i]);
	return err < 0 ? err : make_contexts(p);
}
