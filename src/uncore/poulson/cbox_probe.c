/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent's snoop in the slice of a socket: what is found, what becomes of it, who gets what. */
#include "base/bits.h"
#include "uncore/poulson/cbox_core.h"

/* A snoop under way. */
struct walk {
	struct p9500 *p;
	const struct cbox_probe *probe;
	struct p9500_socket *s;
	struct cbox *c;
	struct sbox *sbox;
	unsigned slice, half;
	uint64_t when;
	struct cbox_answer answer;
};

static uint64_t clocks(const struct walk *w, unsigned n)
{
	return (uint64_t)n * w->c->uclk.period;
}

static bool only_reads(const struct walk *w)
{
	return w->probe->message.opcode <= QPI_SNP_DATA;
}

/* From the router to the tags. */
static void enter(struct walk *w)
{
	struct sbox_delivery d = { .half = w->half, .cbox = w->slice, .core = -1 };
	uint64_t came, free, ack;

	sbox_receive(w->sbox, &w->s->ring, &w->probe->message, &w->probe->at, &d);
	came = d.slice_at;
	free = entries_take(&w->c->ipq, came);
	if (free > came) {
		sbox_waited_for_ipq(w->sbox, came);
		came = free;
	}
	ack = came + clocks(w, CBOX_QUEUE);
	ack += calendar_book(&w->c->pipe, &w->c->uclk, ack, 1);
	entries_give(&w->c->ipq, ack);
	signal_pulse(w->c->port, SIG_CBOX_PROBE, came, 1, 0, NULL);
	signal_span(w->c->port, SIG_CBOX_IPQ, came, ack, 1, 0, NULL);
	cbox_tell_bypass(w->c, CBOX_INGRESS_IPQ, came, ack);
	signal_pulse(w->c->port, SIG_CBOX_ACK, ack, 1, 0, NULL);
	w->when = ack + clocks(w, CBOX_TAGS);
}

static void tell_snoop(const struct walk *w, enum tags_state state)
{
	static const uint64_t flags[] = {
		[TAGS_I] = 0, [TAGS_S] = CBOX_SNOOP_HIT | CBOX_SNOOP_S, [TAGS_E] = CBOX_SNOOP_HIT | CBOX_SNOOP_E,
		[TAGS_M] = CBOX_SNOOP_HIT | CBOX_SNOOP_M,
	};

	signal_pulse(w->c->port, SIG_CBOX_SNOOP, w->when, 1,
		     (only_reads(w) ? CBOX_SNOOP_RD : CBOX_SNOOP_RFO) | flags[state], NULL);
}

/* What the manual's opcodes (table 5-112) let a caching agent answer by the state it finds. */
static unsigned response(const struct walk *w, enum tags_state state)
{
	if (state == TAGS_I)
		return MESSAGE_RSP_I;
	if (only_reads(w))
		return state == TAGS_M ? MESSAGE_RSP_FWD_S_WB : state == TAGS_E ? MESSAGE_RSP_FWD_S : MESSAGE_RSP_S;
	if (w->probe->message.opcode == QPI_SNP_INV_OWN)
		return state >= TAGS_E ? MESSAGE_RSP_FWD_I : MESSAGE_RSP_I;
	return state == TAGS_M ? MESSAGE_RSP_I_WB : MESSAGE_RSP_I;
}

/* A message of the slice, over the ring and through its Sbox. */
static struct rbox_times send(struct walk *w, const struct message *m, unsigned socket, unsigned port)
{
	bool line = m->class == QPI_DRS;
	struct rbox_trip trip = { .message = *m, .from = (uint8_t)w->probe->socket, .from_port = p9500_port_of_sbox(w->half),
				  .to = (uint8_t)socket, .to_port = (uint8_t)port };
	uint64_t from = w->when + (line ? clocks(w, CBOX_DATA) : 0), ready = sbox_room(w->sbox, m, w->slice % SBOX_CBOXES, from);
	uint64_t there = cbox_ring(w->s, line ? PRING_BL : PRING_AD, pring_stop_of_core(w->slice), pring_stop_of_sbox(w->half),
				   PRING_CBOX, ready);

	return sbox_send(w->sbox, w->p->router, &w->p->wires, &trip, w->slice % SBOX_CBOXES, there);
}

static void send_line(struct walk *w, bool to_home, unsigned opcode, unsigned rds)
{
	struct message m = w->probe->message;
	unsigned node = m.requester;

	m.class = QPI_DRS;
	m.opcode = (uint8_t)opcode;
	m.rds = (uint8_t)rds;
	if (to_home) {
		m.to = message_bbox(w->probe->home, w->probe->home_port == RBOX_B1);
		w->answer.writes = true;
		w->answer.written = m;
		w->answer.written_at = send(w, &m, w->probe->home, w->probe->home_port);
		return;
	}
	m.to = (uint8_t)node;
	w->answer.forwards = true;
	w->answer.data = m;
	w->answer.data_at = send(w, &m, message_socket(node), p9500_port_of_sbox(node & 1));
}

static void reply(struct walk *w, enum tags_state state)
{
	struct message m = w->probe->message;

	m.class = QPI_HOM_RSP;
	m.opcode = (uint8_t)response(w, state);
	m.to = message_bbox(w->probe->home, w->probe->home_port == RBOX_B1);
	w->answer.message = m;
	w->answer.at = send(w, &m, w->probe->home, w->probe->home_port);
	switch (m.opcode) {
	case MESSAGE_RSP_FWD_S_WB:
		send_line(w, false, QPI_DATA_C, QPI_RDS_S);
		send_line(w, true, QPI_WB_S_DATA, QPI_RDS_I);
		break;
	case MESSAGE_RSP_FWD_S:
		send_line(w, false, QPI_DATA_C, QPI_RDS_S);
		break;
	case MESSAGE_RSP_FWD_I:
		send_line(w, false, QPI_DATA_C, state == TAGS_M ? QPI_RDS_M : QPI_RDS_E);
		break;
	case MESSAGE_RSP_I_WB:
		send_line(w, true, QPI_WB_I_DATA, QPI_RDS_I);
		break;
	default:
		break;
	}
}

/* The line's state afterwards; cores that may have it hear of it first, if it matters to them. */
static void change(struct walk *w, uint64_t *word)
{
	struct cbox_asking a = { .line = w->probe->message.line, .when = w->when, .socket = w->probe->socket,
				 .slice = w->slice, .invalidate = !only_reads(w) };

	if (!word)
		return;
	if (a.invalidate || *word & TAGS_OWNED)
		w->when = cbox_ask_cores(w->p, &a, tags_cores(*word), *word);
	if (a.invalidate)
		tags_set(word, TAGS_I, 0);
	else
		tags_set(word, TAGS_S, tags_cores(*word));
}

struct cbox_answer cbox_probe(struct p9500 *p, const struct cbox_probe *probe)
{
	struct p9500_socket *s = &p->socket[probe->socket];
	unsigned slice = tags_slice(&s->tags, probe->message.line);
	struct walk w = { .p = p, .probe = probe, .s = s, .c = &s->cbox[slice], .sbox = &s->sbox[pring_half(slice)],
			  .slice = slice, .half = pring_half(slice) };
	uint64_t *word;
	enum tags_state state;

	enter(&w);
	word = tags_find(&s->tags, slice, probe->message.line);
	state = cbox_state(word);
	tell_snoop(&w, state);
	change(&w, word);
	reply(&w, state);
	return w.answer;
}
