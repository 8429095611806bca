/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that want for credits, get damaged, go at half width, or wait for a clock. */
#include "uncore/qpi/faults.h"

#include <string.h>

#include "signal_ids.h"

static const struct signal_tag no_tag;

void qpi_trouble_init(struct qpi_trouble *t, const struct qpi_conditions *is, unsigned link, uint64_t stream)
{
	memset(t, 0, sizeof *t);
	t->is = *is;
	t->is.error = chance_start(is->error.below, is->error.state, stream);
	t->always = is->vna < QPI_ROOM || is->narrows || is->error.below;
	t->link = link;
	t->empty = (struct depth){
		.signal = { DEPTH_NONE, SIG_R3QPI_EMPTY }, .full = (int)is->vna,
		.flags = { 0, R3QPI_EMPTY_VNA | (link ? R3QPI_EMPTY_LINK1 : R3QPI_EMPTY_LINK0) },
	};
}

void qpi_trouble_free(struct qpi_trouble *t)
{
	depth_free(&t->empty);
}

void qpi_hold(struct qpi_lane *l, struct qpi_trouble *t, uint64_t until)
{
	t->held = until;
	l->trouble = t;
}

/* The lane was, or is, at half width from an idle time on; the other end follows a flight later. */
static void tell_narrow(struct qpi_lane *l, struct qpi_trouble *t, uint64_t until)
{
	uint64_t from = t->idle + QPI_NARROW_AFTER;

	if (from < t->told)
		from = t->told;
	if (!t->is.narrows || from >= until)
		return;
	signal_state(l->from->link, SIG_QPI_POWER, from, until, QPI_POWER_TX_L0P, &no_tag);
	signal_state(l->to->link, SIG_QPI_POWER, from + l->flight, until + l->flight, QPI_POWER_RX_L0P, &no_tag);
	l->from->tx.narrow += until - from;
	l->to->rx.narrow += until - from;
	t->told = until;
}

void qpi_trouble_sleep(struct qpi_lane *l, struct qpi_trouble *t, uint64_t when, bool sleeps)
{
	if (sleeps)
		tell_narrow(l, t, when);
	else
		t->told = when;
	t->asleep = sleeps;
}

void qpi_trouble_advance(struct qpi_lane *l, struct qpi_trouble *t, uint64_t when)
{
	if (!t->asleep)
		tell_narrow(l, t, when);
	if (t->empty.on)
		depth_sweep(&t->empty, l->from->r3, signal_clocks(l->from->r3->clock, when));
}

/* When n shared credits are there, if any number of them may be waited for. */
static uint64_t shared_there(const struct qpi_trouble *t, unsigned n, uint64_t when)
{
	uint64_t soonest = UINT64_MAX, from = when;

	if (n > t->is.vna)
		return UINT64_MAX;
	for (;;) {
		unsigned there = 0;

		soonest = UINT64_MAX;
		for (unsigned i = 0; i < t->is.vna; i++) {
			if (t->shared[i] <= from)
				there++;
			else if (t->shared[i] < soonest)
				soonest = t->shared[i];
		}
		if (there >= n)
			return from;
		from = soonest;
	}
}

static void take_shared(struct qpi_trouble *t, unsigned n, uint64_t from, uint64_t back)
{
	for (unsigned i = 0; i < t->is.vna && n; i++)
		if (t->shared[i] <= from) {
			t->shared[i] = back;
			n--;
		}
}

/* The signal of a class that has no credit left of its own. */
static uint64_t reserved_flag(struct qpi_packet packet)
{
	switch (packet.class) {
	case QPI_HOM_REQ:
	case QPI_HOM_RSP: return packet.vn1 ? R3QPI_EMPTY_VN1_HOM : R3QPI_EMPTY_VN0_HOM;
	case QPI_SNP: return packet.vn1 ? R3QPI_EMPTY_VN1_SNP : R3QPI_EMPTY_VN0_SNP;
	case QPI_NDR: return packet.vn1 ? R3QPI_EMPTY_VN1_NDR : R3QPI_EMPTY_VN0_NDR;
	default: return 0;
	}
}

/* The packet has its credits at at->at_link; says which. */
static void find_credits(struct qpi_lane *l, struct qpi_trouble *t, struct qpi_packet packet, unsigned n,
			 struct qpi_times *at)
{
	struct signal_port *r3 = l->from->r3;
	uint64_t there = shared_there(t, n, at->at_link), own = t->reserved[packet.vn1][packet.class];

	at->reserved = false;
	if (there <= at->at_link)
		return;
	signal_pulse(r3, SIG_R3QPI_VNA_REJECT, at->at_link, 1, qpi_r3_flag(packet.class), &no_tag);
	if (own <= at->at_link) {
		at->reserved = true;
		return;
	}
	signal_pulse(r3, packet.vn1 ? SIG_R3QPI_VN1_REJECT : SIG_R3QPI_VN0_REJECT, at->at_link, 1, qpi_r3_flag(packet.class),
		     &no_tag);
	at->reserved = own < there;
	at->at_link = at->reserved ? own : there;
}

/* Its credits are back at `back`. */
static void hold_credits(struct qpi_lane *l, struct qpi_trouble *t, struct qpi_packet packet, unsigned n,
			 const struct qpi_times *at, uint64_t back)
{
	struct signal_port *r3 = l->from->r3;

	if (at->reserved) {
		t->reserved[packet.vn1][packet.class] = back;
		if (reserved_flag(packet))
			signal_span(r3, SIG_R3QPI_EMPTY, at->at_link, back, 1,
				    reserved_flag(packet) | (t->link ? R3QPI_EMPTY_LINK1 : R3QPI_EMPTY_LINK0), &no_tag);
		return;
	}
	take_shared(t, n, at->at_link, back);
	if (!depth_listen(&t->empty, r3, signal_clocks(r3->clock, at->at_link), 0))
		return;
	depth_change(&t->empty, r3, signal_clocks(r3->clock, at->at_link), (int)n);
	depth_change(&t->empty, r3, signal_clocks(r3->clock, back), -(int)n);
}

static bool damaged(struct qpi_trouble *t, unsigned n)
{
	bool hit = false;

	for (unsigned i = 0; t->is.error.below && i < n; i++)
		hit |= chance_hits(&t->is.error);
	return hit;
}

/* Over the wire, as often as it takes. */
static void cross(struct qpi_lane *l, struct qpi_trouble *t, unsigned n, struct qpi_times *at)
{
	bool narrow = t->is.narrows && (at->at_link >= t->idle + QPI_NARROW_AFTER || at->at_link < t->wide);
	unsigned clocks = narrow ? 2 * n : n, waits;

	if (narrow && at->at_link >= t->idle + QPI_NARROW_AFTER) {
		t->wide = at->at_link + QPI_WIDEN;
		tell_narrow(l, t, t->wide);
	}
	at->go = at->at_link + calendar_book(&l->wire, &l->flit, at->at_link, clocks);
	at->arrive = at->go + (uint64_t)clocks * l->flit.period + l->flight;
	/* An error in every packet would be a broken link: it works the eighth time. */
	for (unsigned tries = 1; tries < 8 && damaged(t, n); tries++) {
		uint64_t again = at->arrive + l->flight;

		signal_pulse(l->to->link, SIG_QPI_CRC_ERROR, at->arrive, 1, QPI_CRC_ERROR_NORMAL, &no_tag);
		signal_span(l->from->link, SIG_QPI_RETRY, at->arrive - l->flight, again, 1, QPI_RETRY_FULL, &no_tag);
		waits = (unsigned)(2 * l->flight / l->flit.period);
		if (waits > 64)
			waits = 64;
		calendar_book(&l->wire, &l->flit, at->arrive - l->flight, waits);
		again += calendar_book(&l->wire, &l->flit, again, clocks);
		at->arrive = again + (uint64_t)clocks * l->flit.period + l->flight;
	}
	if (at->arrive - l->flight > t->idle)
		t->idle = at->arrive - l->flight;
}

uint64_t qpi_send_troubled(struct qpi_lane *l, struct qpi_packet packet, uint64_t line, uint64_t when, bool told)
{
	struct qpi_trouble *t = l->trouble;
	unsigned n = qpi_flits(packet.class, packet.opcode);
	enum ring_kind ring = qpi_ring(packet.class);
	struct qpi_times at = { .when = when, .at_link = when + l->out };

	if (t->is.vna < QPI_ROOM)
		find_credits(l, t, packet, n, &at);
	cross(l, t, n, &at);
	at.leave = at.arrive;
	if (at.leave < t->held) {
		signal_span(l->to->link, SIG_QPI_STALL_VN0, at.arrive, t->held, 1, QPI_STALL_VN0_GV, &no_tag);
		at.leave = t->held;
	} else if (!t->always) {
		l->trouble = NULL;
	}
	at.ready = at.leave;
	if (!packet.through)
		at.leave += calendar_book(&l->drain->ring[ring], &l->uclk, at.leave, ring == RING_BL ? 2 : 1);
	if (t->is.vna < QPI_ROOM)
		hold_credits(l, t, packet, n, &at, at.leave + l->credit + l->flight);
	if (told)
		qpi_tell(l, packet, line, &at);
	else
		qpi_count(l, packet);
	return at.leave + l->in;
}
