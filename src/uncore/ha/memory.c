/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads that memory answers wrongly, writes that no request asks for, signals. */
#include "uncore/ha/memory.h"

void ha_tell_read(struct ha *ha, struct ha_place at, uint64_t line, const struct imc_read *r, const bool observed)
{
	struct signal_tag tag = { .addr = line << 6 };

	ha_pulse(ha, SIG_HA_BYPASS, r->issued, r->bypass ? HA_BYPASS_TAKEN : HA_BYPASS_NOT_TAKEN, &tag, observed);
	if (!r->bypass)
		ha_pulse(ha, SIG_HA_IMC_READ, r->issued, 0, &tag, observed);
	ha_stay(ha, HA_Q_RPQ_CREDIT + at.channel, r->issued, r->credit, observed);
}

UNCORE_COLD struct ha_read ha_read_again(struct ha *ha, uint64_t line, struct ha_read r, const bool observed)
{
	for (unsigned tries = 1; tries < 8 && chance_hits(&ha->error); tries++) {
		ha_pulse(ha, SIG_HA_RETRY, r.data, 0, NULL, observed);
		r = ha_try_read(ha, line, r.data + ha->front, observed);
	}
	return r;
}

UNCORE_COLD void ha_write_aside(struct ha *ha, uint64_t line, uint64_t when, const bool observed)
{
	ha_write_memory(ha, line, when, false, observed);
}
