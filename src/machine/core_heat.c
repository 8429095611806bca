/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why cores are slower than asked: IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS and MSR_CORE_PERF_LIMIT_REASONS (SDM
 * volume 3, thermal monitoring; volume 4 for Haswell-EP's bits of the last).  Each cause has a bit for now, and a log: it has
 * begun since software last wrote that bit 0.
 */
#include "base/bits.h"
#include "machine/core_value.h"
#include "machine/private.h"

/* PROCHOT# of these bits is what others assert; the processor's own sensor is the thermal status. */
static const struct reason {
	unsigned what;
	uint8_t cause, status, log;
} reasons[] = {
	{ XCORE_VALUE_CORE_HEAT, PCU_HOT, 0, 1 },
	{ XCORE_VALUE_CORE_HEAT, PCU_OUTSIDE_HOT, 2, 3 },
	{ XCORE_VALUE_CORE_HEAT, PCU_SLOW_POWER, 10, 11 },
	{ XCORE_VALUE_PACKAGE_HEAT, PCU_HOT, 0, 1 },
	{ XCORE_VALUE_PACKAGE_HEAT, PCU_OUTSIDE_HOT, 2, 3 },
	{ XCORE_VALUE_PACKAGE_HEAT, PCU_SLOW_POWER, 10, 11 },
	{ XCORE_VALUE_LIMITS, PCU_OUTSIDE_HOT, 0, 16 },
	{ XCORE_VALUE_LIMITS, PCU_HOT, 1, 17 },
	{ XCORE_VALUE_LIMITS, PCU_SLOW_POWER, 2, 18 },
	{ XCORE_VALUE_LIMITS, PCU_REGULATOR_HOT, 6, 22 },
	{ XCORE_VALUE_LIMITS, PCU_SLOW_CURRENT, 10, 26 },	/* fewer steps the more cores are awake */
};

bool core_too_hot(const struct machine *m, unsigned socket)
{
	return m->pcu && pcu_cause(m->pcu, socket, PCU_HOT).holds;
}

/* What the logs of a register were cleared at; kept where the register is. */
static unsigned keeper(const struct machine *m, const struct core_place *at, unsigned what)
{
	return what == XCORE_VALUE_CORE_HEAT ? at->core : at->socket * (m->cores / m->sockets);
}

static unsigned number(unsigned what)
{
	return what == XCORE_VALUE_CORE_HEAT ? 0 : what == XCORE_VALUE_PACKAGE_HEAT ? 1 : 2;
}

uint64_t core_heat(const struct machine *m, const struct core_place *at, unsigned what)
{
	const uint32_t *cleared = m->registers[keeper(m, at, what)].cleared[number(what)];
	uint64_t value = 0;

	for (const struct reason *r = reasons; m->pcu && r < reasons + LEN(reasons); r++) {
		struct pcu_cause c = pcu_cause(m->pcu, at->socket, r->cause);

		if (r->what == what)
			value |= (uint64_t)c.holds << r->status | (uint64_t)(c.begun != cleared[r->cause]) << r->log;
	}
	return value;
}

void core_heat_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value)
{
	uint32_t *cleared = m->registers[keeper(m, at, what)].cleared[number(what)];

	for (const struct reason *r = reasons; m->pcu && r < reasons + LEN(reasons); r++)
		if (r->what == what && !(value >> r->log & 1))
			cleared[r->cause] = pcu_cause(m->pcu, at->socket, r->cause).begun;
}
