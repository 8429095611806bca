/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "stub.h"

#define POOL_BYTES (1U << 20)

struct pool {
	struct pool *next;
	size_t used;
	uint8_t *code;
	uint8_t *start;			/* of the stub made last */
};

static struct pool *pools;

static struct pool *new_pool(void)
{
	struct pool *p = malloc(sizeof *p);

	if (!p)
		return NULL;
	p->code = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->code == MAP_FAILED) {
		free(p);
		return NULL;
	}
	p->used = 0;
	p->next = pools;
	pools = p;
	return p;
}

struct pool *pool_open(uint8_t **code)
{
	struct pool *p = pools;

	if (!p || p->used + POOL_STUB_MOST > POOL_BYTES)
		p = new_pool();
	if (p)
		*code = p->code + p->used;
	return p;
}

const void *pool_close(struct pool *p, const uint8_t *end)
{
	p->start = p->code + p->used;
	p->used = (size_t)(end - p->code + 15) & ~(size_t)15;
	return &p->start;
}

void plugin_stub_flush(void)
{
	while (pools) {
		struct pool *next = pools->next;

		munmap(pools->code, POOL_BYTES);
		free(pools);
		pools = next;
	}
}
