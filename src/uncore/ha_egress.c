/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress queues of a home agent: a message waits for its slot of the ring.  Each
 * ring has two schedulers that take turns; a line is two slots of BL.  Where the ring
 * is modelled beyond its stop, ha_world.send says when the message is off.
 */
#include "uncore/ha_core.h"

enum { AD, AK, BL };

static const struct kind {
	uint8_t ring, slots;
	uint64_t flag;		/* of ha.tx_bl or ha.tx_ak */
} kinds[] = {
	[HA_SEND_DATA_CACHE] = { BL, 2, HA_TX_BL_DRS_CACHE },
	[HA_SEND_DATA_CORE] = { BL, 2, HA_TX_BL_DRS_CORE },
	[HA_SEND_DATA_QPI] = { BL, 2, HA_TX_BL_DRS_QPI },
	[HA_SEND_CMP] = { AK, 1, HA_TX_AK_NDR },
	[HA_SEND_CMP_QPI] = { AK, 1, HA_TX_AK_NDR },
	[HA_SEND_SNOOP] = { AD, 1, 0 },
};

/* Returns the time at which the last slot begins. */
static uint64_t own_slots(struct ha *ha, const struct kind *k, unsigned scheduler, uint64_t ready)
{
	struct imc_bus *bus = &ha->ring[k->ring][scheduler];
	uint64_t first = (uint64_t)(((bits_u128)ready * ha->mult) >> 64), at = first;

	for (unsigned i = 0; i < k->slots; i++, at++) {
		at = imc_bus_one(bus, at);
		imc_bus_book(bus, at, at + 1);
	}
	return ready + ((at - first) * ha->period >> 16);
}

uint64_t ha_send(struct ha_walk *w, enum ha_message message, uint64_t ready)
{
	const struct kind *k = &kinds[message];
	struct ha *ha = w->ha;
	unsigned scheduler = ha->turn++ % HA_SCHEDULERS;
	struct signal_tag tag = { .addr = w->rq->line << 6 };
	uint64_t off;

	if (ha->world.send)
		off = ha->world.send(ha->world.ctx, ha, w->rq, message, ready);
	else
		off = own_slots(ha, k, scheduler, ready);
	if (k->ring == BL) {
		signal_pulse(ha->port, SIG_HA_TX_BL, off, 1, k->flag, &tag);
		signal_span(ha->port, SIG_HA_TX_BL_OCCUPANCY, ready, off, 1,
			    scheduler ? HA_TX_BL_OCCUPANCY_SCHED1 : HA_TX_BL_OCCUPANCY_SCHED0, NULL);
	} else if (k->ring == AK) {
		signal_pulse(ha->port, SIG_HA_TX_AK, off, 1, k->flag, &tag);
	}
	ha_stay(ha, HA_Q_AD + k->ring * HA_SCHEDULERS + scheduler, ready, off);
	if (k->ring != AD && off - ready >= ha->starved)
		signal_pulse(ha->port, SIG_HA_TX_STARVED, off, 1,
			     k->ring == BL ? HA_TX_STARVED_BL : HA_TX_STARVED_AK, NULL);
	return off;
}
