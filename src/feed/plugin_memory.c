/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's memory under QEMU: anywhere. */
#include <stdlib.h>

#include "feed/plugin.h"

void *plugin_memory_core(size_t size)
{
	return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

void plugin_memory_core_free(struct plugin_core *c)
{
	free(c);
}

void *plugin_memory_sites(size_t size)
{
	return malloc(size);
}

void plugin_memory_sites_free(void *p)
{
	free(p);
}
