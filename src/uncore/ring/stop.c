/* SPDX-License-Identifier: BSD-2-Clause */
/* Which signal tells of a state, at stops of slices and of switches. */
#include "uncore/ring/stop.h"

#include "signal_ids.h"

/* Flags 0: the signal has none. */
static const struct state {
	uint16_t signal;
	uint64_t flags;
} cbo[STOP_STATES] = {
	[STOP_FAST] = { SIG_CBO_FAST, 0 },
	[STOP_THROTTLE] = { SIG_CBO_SRC_THRTL, 0 },
	[STOP_CONTROL] = { SIG_CBO_BOUNCE_CONTROL, 0 },
	[STOP_SINK_AD] = { SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_AD },
	[STOP_SINK_BL] = { SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_BL },
	[STOP_SINK_IV] = { SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_IV },
	[STOP_TX_AD] = { SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_AD_CORE },
	[STOP_TX_BL] = { SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_BL },
	[STOP_EXT_IRQ] = { SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IRQ },
	[STOP_EXT_IPQ] = { SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IPQ },
	[STOP_EXT_PRQ] = { SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_PRQ },
	[STOP_INT_IRQ] = { SIG_CBO_INT_STARVED, CBO_INT_STARVED_IRQ },
	[STOP_INT_IPQ] = { SIG_CBO_INT_STARVED, CBO_INT_STARVED_IPQ },
	[STOP_INT_PRQ] = { SIG_CBO_INT_STARVED, CBO_INT_STARVED_PRQ },
	[STOP_INT_ISMQ] = { SIG_CBO_INT_STARVED, CBO_INT_STARVED_ISMQ },
};

static const struct state sbo[STOP_STATES] = {
	[STOP_FAST] = { SIG_SBO_FAST, 0 },
	[STOP_CONTROL] = { SIG_SBO_BOUNCE_CONTROL, 0 },
	[STOP_SINK_BL] = { SIG_SBO_SINK_STARVED, SBO_SINK_STARVED_BL_CORE },
	[STOP_TX_BL] = { SIG_SBO_TXR_STARVED, SBO_TXR_STARVED_BL },
	[STOP_RX_CRD] = { SIG_SBO_CRD_STARVED, SBO_CRD_STARVED_BL_CRD },
	[STOP_RX_BUSY] = { SIG_SBO_BUSY_STARVED, SBO_BUSY_STARVED_BL_BNC },
};

static bool has(unsigned stop, enum stop_state state)
{
	if (stop < RING_CBOS)
		return state != STOP_RX_CRD && state != STOP_RX_BUSY;
	return stop >= RING_SBO && (state == STOP_FAST || state == STOP_CONTROL || state == STOP_SINK_BL ||
				    state == STOP_TX_BL || state == STOP_RX_CRD || state == STOP_RX_BUSY);
}

void stop_init(struct stop *s, unsigned number)
{
	for (unsigned i = 0; i < STOP_STATES; i++) {
		struct state is = number < RING_CBOS ? cbo[i] : sbo[i];

		if (!has(number, (enum stop_state)i))
			is = (struct state){ DEPTH_NONE, 0 };
		s->state[i] = (struct depth){ .signal = { is.signal, DEPTH_NONE }, .flags = { is.flags, 0 } };
	}
}

void stop_free(struct stop *s)
{
	for (unsigned i = 0; i < STOP_STATES; i++)
		depth_free(&s->state[i]);
}

void stop_advance(struct stop *s, struct signal_port *p, uint64_t when)
{
	for (unsigned i = 0; i < STOP_STATES; i++)
		if (s->state[i].on)
			depth_sweep(&s->state[i], p, signal_clocks(p->clock, when));
}
