/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress queues of a home agent: a message waits for its slot of the ring.  Each
 * ring has two schedulers that take turns; a line is two slots of BL.
 */
#include "uncore/ha/inside.h"

static const struct kind {
	uint8_t ring;
	uint16_t signal;
	uint64_t flag, sched[HA_SCHEDULERS];
} kinds[] = {
#define DATA(f) { HA_BL, SIG_HA_TX_BL, f, { HA_TX_BL_SCHED0, HA_TX_BL_SCHED1 } }
#define AD(f) { HA_AD, SIG_HA_TX_AD, f, { HA_TX_AD_SCHED0, HA_TX_AD_SCHED1 } }
#define DONE { HA_AK, SIG_HA_TX_AK, HA_TX_AK_NDR, { HA_TX_AK_SCHED0, HA_TX_AK_SCHED1 } }
	[HA_SEND_DATA_CACHE] = DATA(HA_TX_BL_DRS_CACHE),
	[HA_SEND_DATA_CORE] = DATA(HA_TX_BL_DRS_CORE),
	[HA_SEND_DATA_QPI] = DATA(HA_TX_BL_DRS_QPI),
	[HA_SEND_CMP] = DONE,
	[HA_SEND_CMP_QPI] = AD(HA_TX_AD_NDR),
	[HA_SEND_SNOOP] = AD(HA_TX_AD_SNP),
#undef DATA
#undef DONE
#undef AD
};

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

HA_HOT uint64_t ha_send(const struct ha_walk *w, enum ha_message message, enum ha_ring ring, uint64_t ready)
{
	struct ha *ha = w->ha;
	unsigned scheduler = ha->turn++ % HA_SCHEDULERS;
	uint64_t off = ready + ha->slots[ring] +
		       calendar_book(&ha->ring[ring][scheduler], &ha->uclk, ready, ha_slots(ring));

	ha_note(ha, STAYS_HOME_AD + ring, ready, off);
	if (HA_TOLD)
		tell_sent(w, &kinds[message], scheduler, ready, off);
	return off;
}

/* The completion without data. */
HA_HOT uint64_t ha_send_done(const struct ha_walk *w, uint64_t ready)
{
	return ha_near(w) ? ha_send(w, HA_SEND_CMP, HA_AK, ready) : ha_send(w, HA_SEND_CMP_QPI, HA_AD, ready);
}
