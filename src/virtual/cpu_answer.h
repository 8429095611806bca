/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID answers on a logical CPU, from the leaves of a page. */
#ifndef BXS_VIRTUAL_CPU_ANSWER_H
#define BXS_VIRTUAL_CPU_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "virtual/cpu_page.h"

static inline const struct cpu_leaf *cpu_leaf_find(const struct cpu_page *page, uint32_t leaf, uint32_t subleaf)
{
	for (uint32_t i = 0; i < page->leaves && i < CPU_PAGE_LEAVES; i++) {
		const struct cpu_leaf *l = &page->leaf[i];

		if (l->leaf == leaf && (l->subleaf == subleaf || l->subleaf == CPU_ANY_SUBLEAF))
			return l;
	}
	return NULL;
}

static inline bool cpu_has_leaf(const struct cpu_page *page, uint32_t leaf)
{
	for (uint32_t i = 0; i < page->leaves && i < CPU_PAGE_LEAVES; i++)
		if (page->leaf[i].leaf == leaf)
			return true;
	return false;
}

/* eax to edx are the answer; the rest of what is returned is of no interest. */
static inline struct cpu_leaf cpu_answer(const struct cpu_page *page, uint32_t cpu, uint32_t leaf, uint32_t subleaf)
{
	uint32_t id = page->x2apic[cpu % CPU_PAGE_CPUS];
	const struct cpu_leaf *l = cpu_leaf_find(page, cpu_has_leaf(page, leaf) ? leaf : page->highest, subleaf);
	struct cpu_leaf out = l ? *l : (struct cpu_leaf){ 0 };

	if (out.own == CPU_OWN_APIC)
		out.ebx |= id << 24;
	if (out.own == CPU_OWN_X2APIC) {
		out.ecx |= subleaf & 0xff;
		out.edx = id;
	}
	return out;
}

#endif
