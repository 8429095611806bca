/* SPDX-License-Identifier: BSD-2-Clause */
/* Which signal tells of a state, at stops of slices and of switches. */
#include "uncore/stop.h"

#include "base/bits.h"
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

static const struct state none = { DEPTH_NONE, 0 };

static struct state of_sbo(enum stop_state state)
{
	return state == STOP_FAST ? (struct state){ SIG_SBO_FAST, 0 } : none;
}

void stop_init(struct stop *s, unsigned number)
{
	for (unsigned i = 0; i < STOP_STATES; i++) {
		struct state is = number < RING_CBOS ? cbo[i] :
				  number >= RING_SBO ? of_sbo((enum stop_state)i) : none;

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
