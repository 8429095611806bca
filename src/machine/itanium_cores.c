/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores that run a program's threads, and their time.  Each is ahead of the slowest one by little; clocks are closed up to that
 * one.
 */
#include <stdlib.h>

#include "machine/itanium_core.h"
#include "machine/private.h"

bool itanium_cores_alone(const struct itanium_cores *s)
{
	return s->running == 1;
}

/* The core runs, or is halted, from `cycle` on; clocks must not be closed that far yet. */
static void run_from(struct itanium_core *x, uint64_t cycle, bool runs)
{
	pmu_live_at(x->thread, itanium_core_time(x, cycle));
	pmu_live_run(x->thread, runs);
	pmu_live_at(x->thread, 0);
	x->runs = runs;
	x->set->running += runs ? 1 : -1;
}

static void halt(struct itanium_core *x)
{
	struct leave_record rec = { .kind = LEAVE_HALT };
	uint64_t cycle;

	icore_halt(x->icore);
	cycle = icore_cycles(x->icore);
	itanium_core_tell(x);
	run_from(x, cycle, false);
	itanium_core_move(x, cycle);
	machine_access(x->m, x->core, &rec);
}

static void halts(void *context, unsigned processor)
{
	struct itanium_cores *s = context;

	halt(&s->core[processor]);
}

/* A core that sleeps takes some time to wake. */
static uint64_t wakes(void *context, unsigned processor, uint64_t cycle)
{
	struct itanium_cores *s = context;
	struct itanium_core *x = &s->core[processor];
	uint64_t when;

	if (cycle < icore_cycles(x->icore))
		cycle = icore_cycles(x->icore);
	when = itanium_core_time(x, cycle);
	/* Later than it halted: else the machine would have it wake with the core that was looked at last. */
	machine_idle(s->m, x->core, when > machine_core_time(s->m, x->core) ? when : machine_core_time(s->m, x->core) + 1);
	when = signal_clocks(x->clock, machine_core_time(s->m, x->core));
	if (when > s->begin + cycle)
		cycle = when + 1 - s->begin;
	icore_wake(x->icore, cycle);
	/* Of snoops that came meanwhile, too. */
	itanium_core_tell(x);
	run_from(x, cycle, true);
	return cycle;
}

static void halt_all(struct machine *m)
{
	struct core_thread *t;

	for (unsigned s = 0; s < m->sockets; s++)
		for (unsigned n = 0; (t = pmu_live(m->pmu, s, n)); n++)
			pmu_live_run(t, false);
}

int itanium_cores_new(struct machine *m, struct itanium_cores **out)
{
	struct itanium_cores *s;
	int err = 0;

	if (!m->p9500)
		return BXS_ENOTSUP;
	s = calloc(1, sizeof *s);
	if (!s)
		return BXS_ENOMEM;
	s->m = m;
	s->uclk = pmu_clock(m->pmu, 0, "uclk");
	s->processors = (struct ia64_processors){ .n = m->together, .context = s, .halts = halts, .wakes = wakes };
	for (; err == 0 && s->n < m->together; s->n++)
		err = itanium_core_begin(&s->core[s->n], s, s->n);
	if (err < 0) {
		itanium_cores_free(s);
		return err;
	}
	halt_all(m);
	machine_snoops_drop(m, true);
	m->itanium_cores = s;
	*out = s;
	return 0;
}

/* The program begins on the first core, at the machine's time. */
static void begin(struct itanium_cores *s)
{
	struct itanium_core *x = &s->core[0];
	struct machine *m = s->m;

	machine_idle(m, x->core, machine_horizon(m));
	s->begin = signal_clocks(x->clock, machine_core_time(m, x->core)) + 1;
	machine_advance(m, itanium_core_time(x, 0));
	run_from(x, 0, true);
	s->began = true;
}

const struct ia64_processors *itanium_cores_processors(struct itanium_cores *s)
{
	bool plain = true;

	if (!s->began)
		begin(s);
	for (unsigned i = 0; i < s->n; i++)
		plain &= pmu_live_plain(s->core[i].thread);
	for (unsigned i = 0; i < s->n; i++) {
		struct itanium_core *x = &s->core[i];

		icore_exact(x->icore, !plain);
		s->processors.observer[i] = plain ? &x->plain : &x->exact;
	}
	return &s->processors;
}

void itanium_cores_keep_up(struct itanium_cores *s)
{
	uint64_t safe = UINT64_MAX;

	for (unsigned i = 0; i < s->n; i++) {
		struct itanium_core *x = &s->core[i];
		uint64_t cycles = icore_cycles(x->icore);

		if (cycles)
			itanium_core_tell(x);
		/* What is still told falls into a clock that is the core's, too: its last one stays open. */
		if (x->runs && (cycles ? cycles - 1 : 0) < safe)
			safe = cycles ? cycles - 1 : 0;
	}
	for (unsigned i = 0; i < s->n; i++)
		if (s->core[i].runs)
			itanium_core_move(&s->core[i], icore_cycles(s->core[i].icore) ? icore_cycles(s->core[i].icore) - 1 : 0);
	if (s->running)
		machine_advance(s->m, itanium_core_time(&s->core[0], safe));
}

static void finish(struct itanium_cores *s, unsigned i)
{
	struct itanium_core *x = &s->core[i];

	itanium_core_tell(x);
	icore_exact(x->icore, false);
	if (x->runs)
		halt(x);
}

void itanium_cores_end(struct itanium_cores *s)
{
	if (!s->began)
		return;
	for (unsigned i = 0; i < s->n; i++)
		if (icore_cycles(s->core[i].icore))
			finish(s, i);
	s->began = false;
}

uint64_t itanium_cores_began(const struct itanium_cores *s)
{
	return itanium_core_time(&s->core[0], 0);
}

uint64_t itanium_cores_time(const struct itanium_cores *s)
{
	uint64_t time = UINT64_MAX;

	for (unsigned i = 0; i < s->n; i++)
		if (s->core[i].runs && machine_core_time(s->m, s->core[i].core) < time)
			time = machine_core_time(s->m, s->core[i].core);
	return time;
}

bool itanium_cores_snoop(struct itanium_cores *s, const struct p9500_snoop *snoop)
{
	return snoop->socket == 0 && snoop->core < s->n && itanium_core_snoop(&s->core[snoop->core], snoop);
}

void itanium_cores_free(struct itanium_cores *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->n; i++)
		icore_free(s->core[i].icore);
	if (s->m->itanium_cores == s)
		s->m->itanium_cores = NULL;
	free(s);
}
