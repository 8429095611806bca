/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops without room: messages that bounce, distress wires, sources that hold back. */
#include "uncore/ring/bounce.h"

/* A message from stop `from` comes by at a stop, `laps` times in vain. */
struct bounce {
	unsigned stop, from;
	enum ring_kind kind;
	uint64_t when, laps, lap;
};

static UNCORE_COLD void tell_bounces(struct fabric_socket *s, const struct bounce *b)
{
	static const uint8_t starved[] = { [RING_AD] = STOP_SINK_AD, [RING_BL] = STOP_SINK_BL, [RING_IV] = STOP_SINK_IV };
	static const struct signal_tag tag;
	struct signal_port *port = s->ring.port[b->stop];
	uint64_t in = b->when + b->laps * b->lap;

	for (uint64_t i = 0; i < b->laps; i++) {
		signal_pulse(port, SIG_CBO_BOUNCE, b->when + i * b->lap, 1, CBO_BOUNCE_AD << b->kind, &tag);
		if (b->from == RING_R2PCIE)
			signal_pulse(s->ring.port[b->from], SIG_R2PCIE_NACK, b->when + i * b->lap, 1,
				     ring_down(&s->ring, b->from, b->stop) ? R2PCIE_NACK_DN_AD : R2PCIE_NACK_UP_AD, &tag);
	}
	ring_tell_laps(&s->ring, b->kind, b->from, b->stop, b->when, b->laps);
	stop_tell(&s->stop[b->stop], port, STOP_CONTROL, b->when, in);
	if (b->laps > 1)
		stop_tell(&s->stop[b->stop], port, (enum stop_state)starved[b->kind], b->when + b->lap, in);
}

UNCORE_COLD uint64_t ring_bounce(struct fabric_socket *s, unsigned stop, unsigned from, enum ring_kind kind,
				   const struct sink *places, unsigned n, uint64_t when, const bool observed)
{
	uint64_t lap = ring_lap(&s->ring, stop), laps = sink_laps(places, n, when, lap), in = when + laps * lap;

	if (observed && laps)
		tell_bounces(s, &(struct bounce){ stop, from, kind, when, laps, lap });
	if (laps && in > s->let_out[from])
		s->let_out[from] = in;
	return in;
}

/* The wires of a stop's ring are up; SBos hear of those of the other ring as well. */
static UNCORE_COLD void distress(struct fabric_socket *s, unsigned stop, uint64_t from, uint64_t until,
				 const bool observed)
{
	unsigned ring = s->ring.ring_of[stop];
	struct fabric_distress *d = &s->distress[ring];

	/* Those that have been let go bring it up again at once: for those behind them it has never been down. */
	if (from > d->until + ring_lap(&s->ring, stop))
		d->from = from;
	if (until > d->until)
		d->until = until;
	if (until > s->alarm)
		s->alarm = until;
	for (unsigned i = 0; observed && i < RING_STOPS; i++)
		if ((i >= RING_SBO && ring_hears(&s->ring, i)) ||
		    (i < s->ring.config.cores && s->ring.ring_of[i] == ring))
			stop_tell(&s->stop[i], s->ring.port[i], STOP_FAST, from, until);
}

UNCORE_COLD void cbo_queued(const struct fabric *f, struct fabric_socket *s, unsigned slice, struct sink *places,
			       unsigned n, uint64_t came, uint64_t arrive, uint64_t until, const bool observed)
{
	uint64_t above;

	sink_take(places, came, until);
	fabric_residency_from(f, STAYS_PLACES, s->cbo[slice].port, arrive, observed);
	fabric_residency_to(f, STAYS_PLACES, s->cbo[slice].port, until, observed);
	above = sink_above(places, n - n / 5, arrive);
	if (above > arrive)
		distress(s, slice, arrive, above, observed);
}

UNCORE_COLD uint64_t ring_hold_back(const struct fabric *f, struct fabric_socket *s, unsigned stop, uint64_t when,
				      const struct signal_tag *tag, const bool observed)
{
	const struct fabric_distress *d = &s->distress[s->ring.ring_of[stop]];
	uint64_t clock = f->uclk.period, head = s->let_out[stop] > when ? s->let_out[stop] : when;
	uint64_t go = head + STOP_FORCED * clock;

	if (when < d->from || when >= d->until)
		return when;
	if (go >= d->until) {
		go = d->until;
	} else {
		s->let_out[stop] = go;
		if (stop < RING_CBOS)
			cbo_pulse(f, s->ring.port[stop], SIG_CBO_TXR_ADS, go, 1, CBO_TXR_ADS_AD, tag, observed);
	}
	if (observed)
		stop_tell(&s->stop[stop], s->ring.port[stop], STOP_THROTTLE, when, go);
	if (observed && go > head + STOP_STARVED * clock)
		stop_tell(&s->stop[stop], s->ring.port[stop], STOP_TX_AD, head + STOP_STARVED * clock, go);
	return go;
}
