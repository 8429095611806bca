/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: a simulated core that tells of itself, in lumps or one by one. */
#include "pmu/live.h"
#include "pmu/poulson_core.h"

struct core_thread *pmu_live(struct pmu *p, unsigned socket, unsigned thread)
{
	struct signal_port *port = pmu_port(p, socket, "core", thread);
	const struct box *b = (struct box *)port;

	return port && b->type->count->door ? core_of(b) : NULL;
}

void pmu_live_run(struct core_thread *t, bool runs)
{
	core_levels_down(t);
	t->psr[DOOR_HALTED_] = !runs;
	t->psr[DOOR_CPL_] = runs ? 3 : 0;
	/* 2.4.2.5, 4.2.21: the other thread of the core is in low-power halt, so that nothing switches and nobody is wronged. */
	t->levels = 0;
	if (runs) {
		t->level[t->levels++] = (struct core_level){ EV_SWITCH_DISABLED, 1 };
		t->level[t->levels++] = (struct core_level){ EV_FAIR_GREEN, 1 };
	}
	core_levels_up(t);
}

static bool port_plain(const struct signal_port *p)
{
	if (p->exact)
		return false;
	for (unsigned sig = 0; p->any && sig < p->signals; sig++)
		for (const struct signal_watch *w = p->watch[sig]; w; w = w->next)
			if (!w->adds)
				return false;
	return true;
}

/* Are registers set to capture or to trace anything? */
static bool captures(const struct core_thread *t)
{
	return bits_get(*t->pmc[PMC_IEAR_CFG], 9, 8) || bits_get(*t->pmc[PMC_DEAR_CFG], 10, 8) ||
	       bits_get(*t->pmc[PMC_ETB_CFG], 3, 0) || bits_get(*t->pmc[PMC_IPEAR_CFG], 3, 0);
}

static bool tagged(const struct core_thread *t)
{
	const struct signal_port *p = &t->box->port;

	for (unsigned code = EV_CYCLES_TAGGED; code <= EV_INST_TAGGED + 3; code++) {
		const struct core_event *e = &t->event[code];

		if (code != EV_INST_TAGGED && e->index &&
		    p->watch[cat_events[t->box->type->cat->event0 + e->index - 1u].signal])
			return true;
	}
	return false;
}

bool pmu_live_plain(const struct core_thread *t)
{
	return port_plain(&t->box->port) && (!t->other || port_plain(&t->other->box->port)) && !captures(t) &&
	       !(t->box->port.any && core_filters(t)) && !tagged(t);
}

void pmu_live_at(struct core_thread *t, uint64_t when)
{
	t->at = when;
}

void pmu_live_count(struct core_thread *t, uint32_t code, uint64_t n)
{
	core_count(t, code, n, NULL);
}

void pmu_live_span(struct core_thread *t, uint32_t code, uint64_t clocks)
{
	core_count_span(t, code, 1, clocks, NULL);
}

void pmu_live_count_of(struct core_thread *t, uint32_t code, uint64_t n, const struct door *d)
{
	struct core_tags tags;

	core_tag(t, d, &tags);
	/* All channels have an event of retired instructions each. */
	if (code == EV_INST_TAGGED) {
		for (unsigned c = 0; c < CHANNELS; c++)
			if (tags.tag[c])
				core_count(t, EV_INST_TAGGED + c, n, NULL);
		return;
	}
	core_count(t, code, n, &tags);
}

static void mark(struct core_thread *t, const struct core_tags *tags)
{
	bool tagging = tags->tag[0] || (t->tagging && !tags->tag[1]);

	if (tagging == t->tagging)
		return;
	core_levels_down(t);
	t->tagging = tagging;
	core_levels_up(t);
}

void pmu_live_capture(struct core_thread *t, const struct door *d)
{
	struct core_tags tags;

	core_tag(t, d, &tags);
	switch (d->kind) {
	case DOOR_RETIRE:
		mark(t, &tags);
		core_ipear_retire(t, d, &tags);
		break;
	case DOOR_DATAREF: core_dear(t, d, &tags); break;
	case DOOR_FETCH: core_iear(t, d, &tags); break;
	case DOOR_BRANCH: core_etb_branch(t, d, &tags); break;
	case DOOR_CHK: core_etb_flow(t, d); break;
	default: break;
	}
}
