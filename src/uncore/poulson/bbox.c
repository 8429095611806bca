/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds home agents, binds their queues to signals, and tells what passes with time alone. */
#include "uncore/poulson/bbox.h"

#include "base/bits.h"
#include "signal_ids.h"

static struct depth queue(unsigned signal, uint64_t flags)
{
	return (struct depth){ .signal = { (uint16_t)signal, DEPTH_NONE }, .full = 1, .flags = { flags } };
}

int bbox_init(struct bbox *b, const struct ha_map *map, uint32_t uclk_khz, struct signal_port *silent)
{
	static const uint64_t flags[BBOX_QUEUES] = {
		[BBOX_BRAQ] = BBOX_ARB_NE_BRAQ, [BBOX_NBRAQ] = BBOX_ARB_NE_NBRAQ, [BBOX_COHQ] = BBOX_ARB_NE_COHQ,
		[BBOX_ANY_CFL] = BBOX_ARB_NE_ANY_CFL,
	};

	*b = (struct bbox){ .port = silent, .uclk = calendar_rate(uclk_khz), .map = *map };
	table_init(&b->imt, BBOX_IMT);
	b->entries = queue(SIG_BBOX_ENTRIES_NE, 0);
	b->entries.signal[1] = SIG_BBOX_ENTRIES_FULL;
	b->entries.full = BBOX_IMT;
	for (unsigned q = 0; q < BBOX_QUEUES; q++)
		b->queue[q] = queue(SIG_BBOX_ARB_NE, flags[q]);
	for (unsigned i = 0; i < BBOX_IMT; i++)
		b->conflict[i] = queue(SIG_BBOX_ARB_NE, BBOX_ARB_NE_CFL0 << i);
	b->dc_ne = queue(SIG_BBOX_DC, BBOX_DC_NE);
	b->dc_ne.signal[1] = SIG_BBOX_DC;
	b->dc_ne.full = BBOX_DC_MOST;
	b->dc_ne.flags[1] = BBOX_DC_FULL;
	return dcache_init(&b->dc, map->lines);
}

void bbox_free(struct bbox *b)
{
	depth_free(&b->entries);
	depth_free(&b->dc_ne);
	for (unsigned q = 0; q < BBOX_QUEUES; q++)
		depth_free(&b->queue[q]);
	for (unsigned i = 0; i < BBOX_IMT; i++)
		depth_free(&b->conflict[i]);
	dcache_free(&b->dc);
}

static void sweep(struct depth *d, struct signal_port *p, uint64_t now)
{
	if (d->on)
		depth_sweep(d, p, signal_clocks(p->clock, now));
}

void bbox_advance(struct bbox *b, uint64_t now)
{
	sweep(&b->entries, b->port, now);
	sweep(&b->dc_ne, b->port, now);
	for (unsigned q = 0; q < BBOX_QUEUES; q++)
		sweep(&b->queue[q], b->port, now);
	for (unsigned i = 0; i < BBOX_IMT; i++)
		sweep(&b->conflict[i], b->port, now);
}
