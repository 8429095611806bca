/* SPDX-License-Identifier: BSD-2-Clause */
/* How much the machine has of what programs lay themselves out by: CPUs, memory, caches. */
#include <sys/sysinfo.h>
#include <unistd.h>

#include "virtual/preload/preload.h"

enum { PAGE_BYTES = 4096, DATA = 1, UNIFIED = 3 /* kinds of caches in CPUID leaf 4 */ };

PRELOAD_EXPORT int get_nprocs(void)
{
	return preload_page() ? (int)preload_page()->cpus : PRELOAD_NEXT(get_nprocs)();
}

PRELOAD_EXPORT int get_nprocs_conf(void)
{
	return preload_page() ? (int)preload_page()->cpus : PRELOAD_NEXT(get_nprocs_conf)();
}

/* Nothing of the machine's memory is in use. */
PRELOAD_EXPORT long get_phys_pages(void)
{
	return preload_page() ? (long)(preload_page()->memory / PAGE_BYTES) : PRELOAD_NEXT(get_phys_pages)();
}

PRELOAD_EXPORT long get_avphys_pages(void)
{
	return preload_page() ? (long)(preload_page()->memory / PAGE_BYTES) : PRELOAD_NEXT(get_avphys_pages)();
}

void preload_fill_sysinfo(struct sysinfo *info)
{
	info->totalram = info->freeram = preload_page()->memory / info->mem_unit;
	info->sharedram = info->bufferram = 0;
}

PRELOAD_EXPORT int sysinfo(struct sysinfo *info)
{
	int err = PRELOAD_NEXT(sysinfo)(info);

	if (err == 0 && preload_page())
		preload_fill_sysinfo(info);
	return err;
}

/* The leaf of the cache of a level that holds data, or code alone; NULL: there is none. */
static const struct cpu_leaf *cache(uint32_t level, bool code)
{
	const struct cpu_page *page = preload_page();

	for (uint32_t i = 0; i < page->leaves; i++) {
		const struct cpu_leaf *l = &page->leaf[i];
		uint32_t kind = l->eax & 31;

		if (l->leaf == 4 && (l->eax >> 5 & 7) == level && (kind == UNIFIED || (kind == DATA) != code))
			return l;
	}
	return NULL;
}

/* Names come in threes, size, associativity and size of a line, for L1 code, L1 data, L2, L3 and L4. */
static long of_cache(int name)
{
	unsigned which = (unsigned)(name - _SC_LEVEL1_ICACHE_SIZE) / 3;
	const struct cpu_leaf *l = cache(which ? which : 1, which == 0);
	long ways, line;

	if (!l)
		return 0;
	ways = (l->ebx >> 22) + 1;
	line = (l->ebx & 0xfff) + 1;
	switch ((name - _SC_LEVEL1_ICACHE_SIZE) % 3) {
	case 0:
		return ways * line * ((long)l->ecx + 1);
	case 1:
		return ways;
	default:
		return line;
	}
}

PRELOAD_EXPORT long sysconf(int name)
{
	if (!preload_page())
		return PRELOAD_NEXT(sysconf)(name);
	if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN)
		return get_nprocs();
	if (name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES)
		return get_phys_pages();
	if (name >= _SC_LEVEL1_ICACHE_SIZE && name <= _SC_LEVEL4_CACHE_LINESIZE)
		return of_cache(name);
	return PRELOAD_NEXT(sysconf)(name);
}
