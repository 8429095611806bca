/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine's time: devices, power control and clocks move on, and what is over is closed. */
#include "machine/itanium.h"
#include "machine/private.h"
#include "pmu/pmu.h"

/* What each does in its order: a change of the uncore's frequency must not come before what devices
 * did at the old one. */
void machine_move_on(struct machine *m, uint64_t until)
{
	uint64_t next;

	while (m->pcu && (next = pcu_next(m->pcu)) <= until) {
		devices_run(m, next - 1);
		pcu_advance(m->pcu, next);
	}
	devices_run(m, until);
}

uint64_t machine_time(const struct machine *m)
{
	return m->now;
}

uint64_t machine_slowest(const struct machine *m, uint64_t until)
{
	for (unsigned i = 0; i < m->cores; i++)
		if (!m->core[i].idle && m->core[i].timing.now < until)
			until = m->core[i].timing.now;
	return until;
}

uint64_t machine_horizon(const struct machine *m)
{
	uint64_t horizon = m->horizon > m->now ? m->horizon : m->now;

	return m->current > horizon ? m->current : horizon;
}

/* Cores that run behind `until` will tell of what is closed now. */
static void tell_late(struct machine *m, uint64_t until)
{
	uint64_t late = UINT64_MAX, slowest = machine_slowest(m, until);

	if (slowest < until)
		late = slowest;
	if (late != m->late)
		pmu_late(m->pmu, late);
	m->late = late;
}

static void advance(struct machine *m, uint64_t until)
{
	tell_late(m, until);
	machine_move_on(m, until);
	if (m->fabric)
		fabric_settle(m->fabric);
	for (size_t i = 0; i < LEN(m->ha); i++)
		if (m->ha[i])
			ha_advance(m->ha[i], until);
	if (m->fabric)
		fabric_advance(m->fabric, until);
	if (m->bridge)
		bridge_advance(m->bridge, until);
	if (m->p9500)
		itanium_advance(m, until);
	m->now = until;
	if (pmu_close(m->pmu, until) < 0)
		m->error = BXS_ENOMEM;
	if (m->fabric && pmu_exact(m->pmu) != m->exact) {
		m->exact = !m->exact;
		fabric_rewatch(m->fabric);
	}
}

void machine_advance(struct machine *m, uint64_t until)
{
	if (m->fabric)
		fabric_tell(m->fabric);
	/* What devices do in a long time of nothing else is closed bit by bit, too. */
	while (m->devices.engines && until > m->now && until - m->now > MACHINE_CLOSE_EVERY) {
		pmu_horizon(m->pmu, m->now + MACHINE_CLOSE_EVERY);
		advance(m, m->now + MACHINE_CLOSE_EVERY);
	}
	if (until > m->now)
		advance(m, until);
}

void machine_drain(struct machine *m)
{
	machine_advance(m, machine_horizon(m));
}
