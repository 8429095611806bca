/* SPDX-License-Identifier: BSD-2-Clause */
/* What each message that a home agent sends is called by the signals of its egress queues. */
#include "uncore/ha/egress.h"

struct kind {
	uint8_t ring;
	uint16_t signal;
	uint64_t flag, sched[HA_SCHEDULERS];
};

static const struct kind kinds[] = {
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

void ha_tell_sent(const struct ha_transaction *w, enum ha_message message, unsigned scheduler, uint64_t ready, uint64_t off,
	       const bool observed)
{
	static const uint16_t occupancy[] = {
		[HA_AD] = SIG_HA_TX_AD_OCCUPANCY,
		[HA_AK] = SIG_HA_TX_AK_OCCUPANCY,
		[HA_BL] = SIG_HA_TX_BL_OCCUPANCY,
	};
	const struct kind *k = &kinds[message];
	struct ha *ha = w->ha;
	struct signal_tag tag = { .addr = w->rq->line << 6 };

	ha_pulse(ha, k->signal, off, k->flag | k->sched[scheduler], &tag, observed);
	ha_span(ha, occupancy[k->ring], ready, off, HA_TX_BL_OCCUPANCY_SCHED0 << scheduler, observed);
	ha_stay(ha, HA_Q_AD + k->ring * HA_SCHEDULERS + scheduler, ready, off, observed);
	if (k->ring != HA_AD && off - ready >= ha->starved)
		ha_pulse(ha, SIG_HA_TX_STARVED, off, k->ring == HA_BL ? HA_TX_STARVED_BL : HA_TX_STARVED_AK, NULL,
			 observed);
}
