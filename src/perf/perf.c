/* SPDX-License-Identifier: BSD-2-Clause */
/* All of it: making, finding events again, the passing of time. */
#include "perf/perf.h"

#include <stdlib.h>

#include "base/error.h"
#include "perf/perf_private.h"

void perf_enter(struct perf *p)
{
	pthread_mutex_lock(&p->lock);
	p->config.hold(p->config.ctx);
}

void perf_leave(struct perf *p)
{
	p->config.release(p->config.ctx);
	pthread_mutex_unlock(&p->lock);
}

int perf_new(const struct perf_config *config, struct perf **out)
{
	struct perf *p = calloc(1, sizeof *p);

	if (!p)
		return BXS_ENOMEM;
	p->config = *config;
	pthread_mutex_init(&p->lock, NULL);
	if (perf_find_pmus(p) < 0) {
		perf_free(p);
		return BXS_ENOMEM;
	}
	*out = p;
	return 0;
}

void perf_free(struct perf *p)
{
	if (!p)
		return;
	for (struct perf_event *e = p->events, *next; e; e = next) {
		next = e->all_next;
		free(e);
	}
	pthread_mutex_destroy(&p->lock);
	free(p->context);
	free(p->first_context);
	free(p->pmu);
	free(p);
}

unsigned perf_pmu_count(const struct perf *p)
{
	return p->pmus;
}

const struct perf_pmu *perf_pmu(const struct perf *p, unsigned i)
{
	return &p->pmu[i];
}

unsigned perf_socket_cpu(const struct perf *p, unsigned socket)
{
	return socket * p->config.cores;
}

uint64_t perf_event_id(const struct perf_event *e)
{
	return e->id;
}

bool perf_tick(struct perf *p)
{
	bool turns = false;
	uint64_t now;

	perf_enter(p);
	now = p->events ? perf_now(p) : 0;
	for (unsigned i = 0; p->events && i < p->contexts; i++)
		turns |= perf_context_tick(&p->context[i], now);
	perf_leave(p);
	return turns;
}
