/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flushes and prefetches.  A prefetch of what is not mapped does nothing, on the hardware and here: programs run
 * past the ends of arrays and lists with them.  The kernel is asked once for each page.
 */
#include "plugin.h"

#include <string.h>
#include <sys/mman.h>

#include "taint.h"

enum { PAGE_SHIFT = 12, LOWEST = 65536 };	/* nothing is ever mapped below: pointers to nothing, and their members */

static bool is_mapped(struct plugin_core *c, uint64_t addr)
{
	uint64_t page = addr >> PAGE_SHIFT, *known = c->mapped + page % PLUGIN_MAPPED;
	unsigned char resident;

	if (addr < LOWEST)
		return false;
	if (*known == page)
		return true;
	if (mincore((void *)(uintptr_t)(page << PAGE_SHIFT), 1, &resident) < 0)
		return false;
	*known = page;
	return true;
}

void plugin_ahead(struct plugin_core *c, const struct plugin_site *s, uint64_t addr, unsigned flags)
{
	enum xcore_into into = (s->flags & SITE_AHEAD_L1 ? XCORE_INTO_L1 : 0) | (s->flags & SITE_AHEAD_L2 ? XCORE_INTO_L2 : 0);

	if (is_mapped(c, addr))
		xcore_prefetch(&c->x, addr, into, flags);
}

void plugin_ahead_unmapped(struct plugin_core *c)
{
	memset(c->mapped, 0, sizeof c->mapped);
}

void plugin_core_hint(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];
	const struct plugin_site *s = data;
	unsigned dep;

	(void)info;
	if (!c)
		return;
	dep = c->tainted ? taint_dependence(c, s) : 0;
	if (s->flags & SITE_FLUSH)
		xcore_evict(&c->x, addr);
	else if (!xcore_load_again(&c->x, addr))
		plugin_ahead(c, s, addr, dep);
}
