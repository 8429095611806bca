/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on the ring of an Itanium 9500, and what its stops tell of getting onto it. */
#include "uncore/poulson/pring.h"

#include "signal_ids.h"

static const uint8_t sbox_stop[PRING_SBOXES] = { 2, 7 };

unsigned pring_stop_of_core(unsigned core)
{
	return core + (core >= 2) + (core >= 6);
}

unsigned pring_stop_of_sbox(unsigned sbox)
{
	return sbox_stop[sbox];
}

static bool is_sbox(unsigned stop)
{
	return stop == sbox_stop[0] || stop == sbox_stop[1];
}

unsigned pring_hops(unsigned from, unsigned to)
{
	unsigned right = (to + PRING_STOPS - from) % PRING_STOPS;

	return right <= PRING_STOPS / 2 ? right : PRING_STOPS - right;
}

/* 0: clockwise. */
static unsigned way_of(unsigned from, unsigned to)
{
	return (to + PRING_STOPS - from) % PRING_STOPS > PRING_STOPS / 2;
}

/* Does that way lead to the Sbox of the stop's half? */
static bool towards_sbox(unsigned stop, unsigned way)
{
	unsigned sbox = sbox_stop[stop >= PRING_STOPS / 2];

	return (stop < sbox) == (way == 0);
}

void pring_init(struct pring *r, uint32_t uclk_khz, struct signal_port *silent)
{
	*r = (struct pring){ .uclk = calendar_rate(uclk_khz) };
	for (unsigned i = 0; i < PRING_STOPS; i++)
		r->port[i] = silent;
}

void pring_uclk(struct pring *r, uint32_t uclk_khz)
{
	r->uclk = calendar_rate(uclk_khz);
	for (unsigned k = 0; k < PRING_KINDS; k++)
		for (unsigned w = 0; w < 2; w++)
			for (unsigned i = 0; i < PRING_STOPS; i++)
				r->segment[k][w][i] = (struct calendar){ .word = { { 0 } } };
}

static unsigned stop_after(unsigned stop, unsigned way, unsigned hops)
{
	return (way ? stop + PRING_STOPS - hops : stop + hops) % PRING_STOPS;
}

/* Is the slot that comes by at `when` free all the way? */
static bool slot_free(const struct pring *r, const struct pring_message *m, unsigned way, unsigned hops, uint64_t when)
{
	for (unsigned i = 0; i < hops; i++)
		if (calendar_taken(&r->segment[m->kind][way][stop_after(m->from, way, i)], &r->uclk,
				   when + (uint64_t)i * r->uclk.period))
			return false;
	return true;
}

static void take_slot(struct pring *r, const struct pring_message *m, unsigned way, unsigned hops, uint64_t when)
{
	for (unsigned i = 0; i < hops; i++)
		calendar_book(&r->segment[m->kind][way][stop_after(m->from, way, i)], &r->uclk,
			      when + (uint64_t)i * r->uclk.period, 1);
}

/* Waiting for a slot is told as it was: tries that failed, then one that did not. */
struct wait {
	uint64_t from, to;
	unsigned losses;
};

static void tell_cbox(const struct pring *r, const struct pring_message *m, unsigned way, const struct wait *w)
{
	struct signal_port *p = r->port[m->from];
	bool sb = towards_sbox(m->from, way);
	uint64_t where = (CBOX_EGRESS_AD << m->kind) | (sb ? CBOX_EGRESS_SB : CBOX_EGRESS_NSB);
	uint64_t bypass = w->losses == 0 ? CBOX_EGRESS_BYP0 : w->losses == 1 ? CBOX_EGRESS_BYP1 : 0;
	uint64_t starves = w->from + (uint64_t)PRING_STARVES * r->uclk.period;

	signal_pulse(p, SIG_CBOX_EGRESS, w->to, 1, CBOX_EGRESS_WIN | bypass | where, NULL);
	if (w->losses)
		signal_pulse(p, SIG_CBOX_EGRESS, w->from, w->losses, CBOX_EGRESS_LOSS | where, NULL);
	if (starves < w->to)
		signal_span(p, SIG_CBOX_STARVED, starves, w->to, 1,
			    (m->sender == PRING_CORE ? CBOX_STARVED_P2C : CBOX_STARVED_C2S) | (CBOX_STARVED_AD << m->kind) |
			    (sb ? CBOX_STARVED_SB : CBOX_STARVED_NSB), NULL);
}

static void tell_sbox(const struct pring *r, const struct pring_message *m, unsigned way, const struct wait *w)
{
	struct signal_port *p = r->port[m->from];
	uint64_t where = BRIDGE_EGRESS_AD_CW << (2 * m->kind + way);
	uint64_t starves = w->from + (uint64_t)PRING_STARVES * r->uclk.period;

	signal_pulse(p, SIG_BRIDGE_EGRESS, w->to, 1,
		     (w->losses ? BRIDGE_EGRESS_WIN : BRIDGE_EGRESS_BYPASS) | where, NULL);
	if (w->losses)
		signal_pulse(p, SIG_BRIDGE_EGRESS, w->from, w->losses, BRIDGE_EGRESS_LOSS | where, NULL);
	if (starves < w->to)
		signal_span(p, SIG_BRIDGE_STARVED, starves, w->to, 1, BRIDGE_STARVED_AD_CW << (2 * m->kind + way), NULL);
}

/* A Cbox's stop tells what leaves the ring there; an Sbox's does not. */
static void tell_sink(const struct pring *r, const struct pring_message *m, uint64_t when)
{
	static const uint64_t from[] = {
		[PRING_CORE] = CBOX_SINK_P2C, [PRING_CBOX] = CBOX_SINK_C2P, [PRING_SBOX] = CBOX_SINK_S2C,
	};
	uint64_t who = m->sender == PRING_SBOX && m->to_core ? CBOX_SINK_S2P : from[m->sender];

	if (!is_sbox(m->to))
		signal_pulse(r->port[m->to], SIG_CBOX_SINK, when, 1, who | (CBOX_SINK_AD << m->kind), NULL);
}

/* One message gets onto the ring; returns when. */
static uint64_t inject(struct pring *r, const struct pring_message *m, uint64_t when)
{
	unsigned way = way_of(m->from, m->to), hops = pring_hops(m->from, m->to);
	struct wait w = { .from = when, .to = when };

	while (!slot_free(r, m, way, hops, w.to)) {
		w.to += r->uclk.period;
		w.losses++;
	}
	take_slot(r, m, way, hops, w.to);
	if (is_sbox(m->from))
		tell_sbox(r, m, way, &w);
	else
		tell_cbox(r, m, way, &w);
	return w.to;
}

uint64_t pring_send(struct pring *r, const struct pring_message *m)
{
	unsigned hops = pring_hops(m->from, m->to);
	/* To its own stop a message goes in the clock in which it is sent. */
	uint64_t way = (uint64_t)(hops ? hops : 1) * r->uclk.period, when = m->when, on = when;

	for (unsigned i = 0; i < m->slots; i++) {
		on = inject(r, m, when);
		tell_sink(r, m, on + way);
		when = on + r->uclk.period;
	}
	r->sent += m->slots;
	return on + way;
}
