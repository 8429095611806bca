/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory: two bits a line, kept for those parts of memory where they are not 0. */
#include "uncore/ha/inside.h"

#include <stdlib.h>

bool ha_dir_init(struct ha *ha)
{
	if (ha->cfg.snoop != HA_SNOOP_DIRECTORY)
		return true;
	ha->dir_chunks = ha->cfg.map.lines / ha->cfg.map.agents / HA_DIR_CHUNK + 1;
	ha->dir = calloc(ha->dir_chunks, sizeof *ha->dir);
	return ha->dir != NULL;
}

void ha_dir_free(struct ha *ha)
{
	for (uint64_t i = 0; ha->dir && i < ha->dir_chunks; i++)
		free(ha->dir[i]);
	free(ha->dir);
}

enum ha_dir ha_dir_get(const struct ha *ha, uint64_t n)
{
	const uint8_t *chunk = ha->dir[n / HA_DIR_CHUNK];

	if (!chunk)
		return ha->dir_lost ? HA_DIR_A : HA_DIR_I;
	return (enum ha_dir)(chunk[n % HA_DIR_CHUNK / 4] >> n % 4 * 2 & 3);
}

void ha_dir_set(struct ha *ha, uint64_t n, enum ha_dir state)
{
	uint8_t **chunk = &ha->dir[n / HA_DIR_CHUNK], *byte;

	if (!*chunk && state != HA_DIR_I)
		*chunk = calloc(HA_DIR_CHUNK / 4, 1);
	if (!*chunk) {
		ha->dir_lost |= state != HA_DIR_I;
		return;
	}
	byte = &(*chunk)[n % HA_DIR_CHUNK / 4];
	*byte = (uint8_t)((*byte & ~(3u << n % 4 * 2)) | (unsigned)state << n % 4 * 2);
}
