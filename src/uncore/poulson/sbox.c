/* SPDX-License-Identifier: BSD-2-Clause */
/* An Itanium 9500's Sbox: packets to the router and from it. */
#include "uncore/poulson/sbox.h"

#include "base/bits.h"
#include "signal_ids.h"

static const struct {
	uint64_t sent, flits, out, received, no_credit;
	uint8_t queue, entries;
} classes[MESSAGE_CLASSES] = {
	[MESSAGE_HOM] = { BRIDGE_SENT_HOM, BRIDGE_FLITS_HOM, BRIDGE_OUT_HOM, 0, BRIDGE_NO_CREDIT_HOM, SBOX_Q_HOM, SBOX_HOM },
	[MESSAGE_DRS] = { BRIDGE_SENT_DRS, BRIDGE_FLITS_DRS, BRIDGE_OUT_DRS, BRIDGE_RECEIVED_DRS, BRIDGE_NO_CREDIT_DRS,
			  SBOX_Q_DRS, SBOX_DRS },
	[MESSAGE_NCB] = { BRIDGE_SENT_NCB, BRIDGE_FLITS_NCB, BRIDGE_OUT_NCB, BRIDGE_RECEIVED_NCB, BRIDGE_NO_CREDIT_NCB,
			  SBOX_Q_NCB, SBOX_NC },
	[MESSAGE_NCS] = { BRIDGE_SENT_NCS, BRIDGE_FLITS_NCS, BRIDGE_OUT_NCS, BRIDGE_RECEIVED_NCS, BRIDGE_NO_CREDIT_NCS,
			  SBOX_Q_NCS, SBOX_NC },
	[MESSAGE_SNP] = { .received = BRIDGE_RECEIVED_SNP }, [MESSAGE_NDR] = { .received = BRIDGE_RECEIVED_NDR },
};

static void init_outs(struct sbox *s)
{
	static const struct { uint64_t ne, full; enum message_class class; } kinds[] = {
		{ BRIDGE_OUT_NE_DRS, BRIDGE_OUT_FULL_DRS, MESSAGE_DRS }, { BRIDGE_OUT_NE_NCB, BRIDGE_OUT_FULL_NCB, MESSAGE_NCB },
		{ BRIDGE_OUT_NE_NCS, BRIDGE_OUT_FULL_NCS, MESSAGE_NCS },
	};

	s->out[SBOX_Q_HOM] = (struct depth){ .signal = { SIG_BRIDGE_OUT_NE, SIG_BRIDGE_OUT_FULL }, .full = SBOX_HOM,
					     .flags = { BRIDGE_OUT_NE_HOM, BRIDGE_OUT_FULL_HOM } };
	entries_init(&s->room[SBOX_Q_HOM], SBOX_HOM);
	for (size_t k = 0; k < LEN(kinds); k++)
		for (unsigned c = 0; c < SBOX_CBOXES; c++) {
			unsigned q = classes[kinds[k].class].queue + c, entries = classes[kinds[k].class].entries;

			s->out[q] = (struct depth){
				.signal = { SIG_BRIDGE_OUT_NE, SIG_BRIDGE_OUT_FULL }, .full = (int)entries,
				.flags = { kinds[k].ne | BRIDGE_OUT_NE_C0 << c, kinds[k].full | BRIDGE_OUT_FULL_C0 << c },
			};
			entries_init(&s->room[q], entries);
		}
}

void sbox_init(struct sbox *s, uint32_t uclk_khz, uint32_t core_khz, struct signal_port *silent)
{
	static const struct { uint64_t ne, full; int entries; } ins[SBOX_INS] = {
		[SBOX_Q_SNP] = { BRIDGE_IN_NE_SNP, BRIDGE_IN_FULL_SNP, SBOX_SNP },
		[SBOX_Q_NDR] = { BRIDGE_IN_NE_NDR, BRIDGE_IN_FULL_NDR, SBOX_NDR },
		[SBOX_Q_R2S] = { BRIDGE_IN_NE_R2S, BRIDGE_IN_FULL_R2S, SBOX_R2S },
	};

	*s = (struct sbox){ .port = silent, .uclk = calendar_rate(uclk_khz), .core = calendar_rate(core_khz) };
	init_outs(s);
	for (unsigned i = 0; i < SBOX_INS; i++)
		s->in[i] = (struct depth){ .signal = { SIG_BRIDGE_IN_NE, SIG_BRIDGE_IN_FULL }, .full = ins[i].entries,
					   .flags = { ins[i].ne, ins[i].full } };
	entries_init(&s->table, SBOX_TABLE);
}

void sbox_free(struct sbox *s)
{
	for (unsigned i = 0; i < SBOX_OUTS; i++)
		depth_free(&s->out[i]);
	for (unsigned i = 0; i < SBOX_INS; i++)
		depth_free(&s->in[i]);
}

static uint64_t clocks(const struct sbox *s, unsigned n)
{
	return (uint64_t)n * s->uclk.period;
}

static unsigned queue_of(const struct message *m, unsigned cbox)
{
	enum message_class class = message_class(m->class);

	return class == MESSAGE_HOM ? SBOX_Q_HOM : classes[class].queue + cbox;
}

uint64_t sbox_room(struct sbox *s, const struct message *m, unsigned cbox, uint64_t when)
{
	uint64_t free = entries_take(&s->room[queue_of(m, cbox)], when);

	return free > when ? free : when;
}

static void tell_sent(struct sbox *s, const struct message *m, const struct rbox_times *t, unsigned cbox, uint64_t when,
		      bool alone)
{
	enum message_class class = message_class(m->class);
	uint64_t of = class == MESSAGE_HOM ? 0 : BRIDGE_SENT_C0 << cbox;
	struct signal_tag tag;

	signal_pulse(s->port, SIG_BRIDGE_SENT, t->credit, 1, classes[class].sent | of, NULL);
	signal_pulse(s->port, SIG_BRIDGE_FLITS, t->credit, message_flits(m), classes[class].flits, NULL);
	signal_span(s->port, SIG_BRIDGE_OUT, when, t->credit, 1,
		    classes[class].out | (class == MESSAGE_HOM ? 0 : BRIDGE_OUT_C0 << cbox), NULL);
	depth_stay(&s->out[queue_of(m, cbox)], s->port, when, t->credit);
	signal_pulse(s->port, SIG_BRIDGE_CREDIT, t->credit + clocks(s, RBOX_RETURN), 1, BRIDGE_CREDIT_FROM_R, NULL);
	if (alone && class == MESSAGE_HOM)
		signal_pulse(s->port, SIG_BRIDGE_BYPASS, t->credit, 1, BRIDGE_BYPASS_HOM, NULL);
	if (signal_watched(s->port, SIG_BRIDGE_PACKET)) {
		tag = message_tag(m);
		signal_pulse(s->port, SIG_BRIDGE_PACKET, t->credit, 1, 0, &tag);
	}
}

struct rbox_times sbox_send(struct sbox *s, struct rbox *routers, const struct rbox_config *config,
			    const struct rbox_trip *trip, unsigned cbox, uint64_t when)
{
	const struct message *m = &trip->message;
	enum message_class class = message_class(m->class);
	uint64_t ready = when + clocks(s, SBOX_OUT), wait = calendar_book(&s->to_r, &s->uclk, ready, message_flits(m));
	struct rbox_times t = rbox_send(routers, config, trip, ready + wait);

	if (t.credit > ready + wait)
		signal_pulse(s->port, SIG_BRIDGE_NO_CREDIT, ready + wait, 1, classes[class].no_credit, NULL);
	if (!t.vna)
		signal_pulse(s->port, SIG_BRIDGE_NO_CREDIT, ready + wait, 1, BRIDGE_NO_CREDIT_VNA, NULL);
	entries_give(&s->room[queue_of(m, cbox)], t.credit);
	s->sent++;
	if (s->port->any)
		tell_sent(s, m, &t, cbox, when, t.credit == ready);
	return t;
}

static void stay(struct sbox *s, unsigned queue, uint64_t flag, uint64_t from, uint64_t to)
{
	signal_span(s->port, SIG_BRIDGE_IN, from, to, 1, flag, NULL);
	depth_stay(&s->in[queue], s->port, from, to);
}

/* Which way a message goes, on which ring, in how many pieces. */
static struct pring_message onto_ring(const struct message *m, const struct sbox_delivery *d, uint64_t when)
{
	static const uint8_t kinds[MESSAGE_CLASSES] = {
		[MESSAGE_SNP] = PRING_AD, [MESSAGE_NCS] = PRING_AD, [MESSAGE_NCB] = PRING_AD, [MESSAGE_NDR] = PRING_AK,
		[MESSAGE_DRS] = PRING_BL,
	};
	enum message_class class = message_class(m->class);

	return (struct pring_message){
		.when = when, .kind = kinds[class], .from = (uint8_t)pring_stop_of_sbox(d->half),
		.to = (uint8_t)pring_stop_of_core(d->cbox), .sender = PRING_SBOX, .slots = class == MESSAGE_DRS ? 2 : 1,
	};
}

void sbox_receive(struct sbox *s, struct pring *ring, const struct message *m, const struct rbox_times *t,
		  struct sbox_delivery *d)
{
	enum message_class class = message_class(m->class);
	unsigned flits = message_flits(m);
	uint64_t wait = calendar_book(&s->from_r, &s->uclk, t->header, flits), sorted, go;
	bool half = class == MESSAGE_DRS && wait == 0;
	struct pring_message on;

	/* The first half of a line goes on when it is there, if nothing else is in the way (HALFLINE_BYPASS). */
	sorted = (half ? t->header + (t->tail - t->header) / 2 : t->tail) + wait;
	go = sorted + clocks(s, SBOX_IN);
	on = onto_ring(m, d, go);
	s->received++;
	if (class == MESSAGE_DRS && d->core >= 0) {
		struct pring_message straight = on;

		straight.to = (uint8_t)pring_stop_of_core((unsigned)d->core);
		straight.to_core = true;
		d->core_at = pring_send(ring, &straight);
	}
	d->slice_at = pring_send(ring, &on);
	if (!s->port->any)
		return;
	signal_pulse(s->port, SIG_BRIDGE_RECEIVED, t->header, 1, classes[class].received, NULL);
	signal_pulse(s->port, SIG_BRIDGE_CREDIT, t->header, 1, BRIDGE_CREDIT_TO_R, NULL);
	stay(s, SBOX_Q_R2S, BRIDGE_IN_R2S, t->header, sorted);
	if (class == MESSAGE_SNP)
		stay(s, SBOX_Q_SNP, BRIDGE_IN_SNP, sorted, go);
	if (class == MESSAGE_NDR)
		stay(s, SBOX_Q_NDR, BRIDGE_IN_NDR, sorted, go);
	if (half)
		signal_pulse(s->port, SIG_BRIDGE_BYPASS, go, 1, BRIDGE_BYPASS_HALF, NULL);
}

uint64_t sbox_begin(struct sbox *s, uint64_t when)
{
	uint64_t free = entries_take(&s->table, when);

	return free > when ? free : when;
}

void sbox_complete(struct sbox *s, const struct message *request, uint64_t from, uint64_t to, bool cmp)
{
	entries_give(&s->table, to);
	signal_span(s->port, SIG_BRIDGE_TABLE, from, to, 1, 0, NULL);
	if (signal_watched(s->port, SIG_BRIDGE_QEAR)) {
		struct signal_tag tag = message_tag(request);

		tag.nc = cmp;
		signal_pulse(s->port, SIG_BRIDGE_QEAR, to, (to - from) / s->core.period, 0, &tag);
	}
}

void sbox_waited_for_ipq(struct sbox *s, uint64_t when)
{
	signal_pulse(s->port, SIG_BRIDGE_NO_CREDIT, when, 1, BRIDGE_NO_CREDIT_IPQ, NULL);
}

static void sweep(struct depth *d, struct signal_port *p, uint64_t now)
{
	if (d->on)
		depth_sweep(d, p, signal_clocks(p->clock, now));
}

void sbox_advance(struct sbox *s, uint64_t now)
{
	for (unsigned i = 0; i < SBOX_OUTS; i++)
		sweep(&s->out[i], s->port, now);
	for (unsigned i = 0; i < SBOX_INS; i++)
		sweep(&s->in[i], s->port, now);
}
