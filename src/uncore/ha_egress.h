/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress queues of a home agent: a message waits for its slot of the ring.  Each
 * ring has two schedulers that take turns; a line is two slots of BL.  Where the ring
 * is modelled beyond its stop, ha_world.send says when the message is off.
 */
#include "uncore/ha_core.h"

static const struct kind {
	uint8_t ring;
	uint16_t signal;
	uint64_t flag, sched[HA_SCHEDULERS];
} kinds[] = {
#define DATA(f) { HA_BL, SIG_HA_TX_BL, f, { HA_TX_BL_SCHED0, HA_TX_BL_SCHED1 } }
#define DONE { HA_AK, SIG_HA_TX_AK, HA_TX_AK_NDR, { HA_TX_AK_SCHED0, HA_TX_AK_SCHED1 } }
	[HA_SEND_DATA_CACHE] = DATA(HA_TX_BL_DRS_CACHE),
	[HA_SEND_DATA_CORE] = DATA(HA_TX_BL_DRS_CORE),
	[HA_SEND_DATA_QPI] = DATA(HA_TX_BL_DRS_QPI),
	[HA_SEND_CMP] = DONE,
	[HA_SEND_CMP_QPI] = DONE,
	[HA_SEND_SNOOP] = { HA_AD, SIG_HA_TX_AD, HA_TX_AD_SNP, { HA_TX_AD_SCHED0, HA_TX_AD_SCHED1 } },
#undef DATA
#undef DONE
};

/* Returns the time at which the last slot ends. */
HA_HOT uint64_t own_slots(struct ha *ha, enum ha_ring ring, unsigned scheduler, uint64_t ready)
{
	struct imc_bus *bus = &ha->ring[ring][scheduler];
	const unsigned slots = ring == HA_BL ? 2 : 1;
	uint64_t first = (uint64_t)(((bits_u128)ready * ha->mult) >> 64), at = first;

	if (!(imc_bus_look(bus, at) & bits_low(slots))) {
		imc_bus_take(bus, at, slots);
		return ready + (slots * ha->period >> 16);
	}
	for (unsigned i = 0; i < slots; i++, at++) {
		at = imc_bus_one(bus, at);
		imc_bus_take(bus, at, 1);
	}
	return ready + ((at - first) * ha->period >> 16);
}

static void tell_sent(const struct ha_walk *w, const struct kind *k, unsigned scheduler, uint64_t ready,
		 uint64_t off)
{
	static const uint16_t occupancy[] = {
		[HA_AD] = SIG_HA_TX_AD_OCCUPANCY, [HA_AK] = SIG_HA_TX_AK_OCCUPANCY,
		[HA_BL] = SIG_HA_TX_BL_OCCUPANCY,
	};
	struct ha *ha = w->ha;
	struct signal_tag tag = { .addr = w->rq->line << 6 };

	ha_pulse(ha, k->signal, off, k->flag | k->sched[scheduler], &tag);
	ha_span(ha, occupancy[k->ring], ready, off, HA_TX_BL_OCCUPANCY_SCHED0 << scheduler);
	ha_stay(ha, HA_Q_AD + k->ring * HA_SCHEDULERS + scheduler, ready, off);
	if (k->ring != HA_AD && off - ready >= ha->starved)
		ha_pulse(ha, SIG_HA_TX_STARVED, off,
			     k->ring == HA_BL ? HA_TX_STARVED_BL : HA_TX_STARVED_AK, NULL);
}

HA_HOT uint64_t ha_send(struct ha_walk *w, enum ha_message message, enum ha_ring ring, uint64_t ready)
{
	struct ha *ha = w->ha;
	unsigned scheduler = ha->turn++ % HA_SCHEDULERS;
	uint64_t off;

	if (ha->world.send)
		off = ha->world.send(ha->world.ctx, ha, w->rq, message, ready);
	else
		off = own_slots(ha, ring, scheduler, ready);
	if (HA_TOLD)
		tell_sent(w, &kinds[message], scheduler, ready, off);
	return off;
}

/* The completion without data. */
HA_HOT uint64_t ha_send_done(struct ha_walk *w, uint64_t ready)
{
	return ha_send(w, w->local ? HA_SEND_CMP : HA_SEND_CMP_QPI, HA_AK, ready);
}
