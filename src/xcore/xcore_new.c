/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning and end of a core's private caches. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "xcore/private.h"

struct xcore_config xcore_haswell(void)
{
	return (struct xcore_config){
		.l1d_bytes = 32 << 10, .l1i_bytes = 32 << 10, .l2_bytes = 256 << 10,
		.prefetch = PREFETCH_ALL, .tick = XCORE_TICK,
	};
}

struct xcore_config xcore_poulson(void)
{
	return (struct xcore_config){
		.l1d_bytes = 16 << 10, .l1i_bytes = 16 << 10, .l2_bytes = 256 << 10,
		.prefetch = PREFETCH_NEXT | PREFETCH_PAIR, .tick = XCORE_TICK,
	};
}

static void forget_recent(struct xcore *c)
{
	for (unsigned i = 0; i < XCORE_SETS; i++) {
		forget(c->recent + i, 0);
		forget(c->recent + i, 1);
		c->recent[i].newer = 0;
		c->last_fetch[i] = c->before_fetch[i] = XCORE_NO_LINE;
	}
}

int xcore_init(struct xcore *c, const struct xcore_config *cfg)
{
	int err;

	memset(c, 0, sizeof *c);
	if (!cfg->leave)
		return BXS_EINVAL;
	c->tick = cfg->tick ? cfg->tick : XCORE_TICK;
	c->every = c->tick;
	begin_span(c, c->every);
	c->next = c->out;
	forget_recent(c);
	c->clean_victims = cfg->clean_victims;
	c->space = cfg->space;
	c->leave = cfg->leave;
	c->ctx = cfg->ctx;
	prefetch_init(&c->prefetch, cfg->prefetch);
	err = cache_init(&c->l1d, cfg->l1d_bytes);
	if (!err)
		err = cache_init(&c->l1i, cfg->l1i_bytes);
	if (!err)
		err = cache_init(&c->l2, cfg->l2_bytes);
	return err;
}

void xcore_done(struct xcore *c)
{
	cache_done(&c->l1d);
	cache_done(&c->l1i);
	cache_done(&c->l2);
}

int xcore_new(const struct xcore_config *cfg, struct xcore **out)
{
	struct xcore *c = malloc(sizeof *c);
	int err;

	if (!c)
		return BXS_ENOMEM;
	err = xcore_init(c, cfg);
	if (err < 0) {
		xcore_free(c);
		return err;
	}
	*out = c;
	return 0;
}

void xcore_free(struct xcore *c)
{
	if (!c)
		return;
	xcore_done(c);
	free(c);
}

void xcore_clear(struct xcore *c)
{
	cache_clear(&c->l1d);
	cache_clear(&c->l1i);
	cache_clear(&c->l2);
	prefetch_init(&c->prefetch, c->prefetch.enabled);
	forget_recent(c);
	c->gathers = 0;
	c->owed = 0;
}
