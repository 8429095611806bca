/* SPDX-License-Identifier: BSD-2-Clause */
/* What is QEMU's part: memory for the plugin, anywhere; nothing that a program's next emulator must be told. */
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

const char *const *plugin_options(void)
{
	static const char *const none[] = { NULL };

	return none;
}
