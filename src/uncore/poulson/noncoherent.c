/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-coherent messages of a core: by way of the Cbox that its line belongs to, as all that it sends. */
#include "uncore/poulson/noncoherent.h"

#include "uncore/poulson/cbox_core.h"

enum { DEVICE_PS = 400000, UBOX_PS = 20000 };	/* until a device, or the Ubox, has its answer */

/* One message from the slice's Sbox to a socket's I/O hub or Ubox, and its answer; returns when the slice has that. */
static uint64_t exchange(struct p9500 *p, const struct p9500_request *rq, unsigned to, const struct message *ask, uint64_t when)
{
	struct p9500_socket *s = &p->socket[rq->socket];
	unsigned slice = tags_slice(&s->tags, rq->line), half = pring_half(slice), number = slice % SBOX_CBOXES;
	struct sbox *sbox = &s->sbox[half];
	struct rbox_trip out = { .message = *ask, .from = rq->socket, .from_port = p9500_port_of_sbox(half), .to = (uint8_t)to,
				 .to_port = RBOX_B0 };
	struct rbox_trip back = { .from = (uint8_t)to, .from_port = RBOX_B0, .to = rq->socket,
				  .to_port = p9500_port_of_sbox(half) };
	struct sbox_delivery d = { .half = half, .cbox = slice, .core = -1 };
	bool reads = ask->class == QPI_NCS && ask->opcode == MESSAGE_NC_RD;
	uint64_t ready, there;
	struct rbox_times t;

	out.message.line = rq->line;
	out.message.to = message_bbox(to, 0);
	out.message.requester = message_sbox(rq->socket, half);
	ready = sbox_room(sbox, &out.message, number, when);
	there = cbox_ring(s, ask->class == QPI_NCB ? PRING_BL : PRING_AD, pring_stop_of_core(slice), pring_stop_of_sbox(half),
			  PRING_CBOX, ready);
	ready = sbox_begin(sbox, there);
	t = sbox_send(sbox, p->router, &p->wires, &out, number, ready);
	back.message = (struct message){
		.line = rq->line, .class = reads ? QPI_DRS : QPI_NDR, .opcode = reads ? QPI_DATA_NC : QPI_CMP,
		.to = out.message.requester, .requester = out.message.requester,
	};
	t = rbox_send(p->router, &p->wires, &back, t.tail + (rq->kind == LEAVE_LOCK ? UBOX_PS : DEVICE_PS));
	sbox_receive(sbox, &s->ring, &back.message, &t, &d);
	sbox_complete(sbox, &out.message, ready, d.slice_at, !reads);
	return d.slice_at;
}

/* All Uboxes get the message at once. */
static uint64_t tell_all(struct p9500 *p, const struct p9500_request *rq, const struct message *m, uint64_t when)
{
	uint64_t last = when;

	for (unsigned to = 0; to < p->config.sockets; to++) {
		uint64_t done = exchange(p, rq, to, m, when);

		last = done > last ? done : last;
	}
	return last;
}

struct p9500_reply noncoherent_request(struct p9500 *p, const struct p9500_request *rq)
{
	static const struct message read = { .class = QPI_NCS, .opcode = MESSAGE_NC_RD };
	static const struct message write = { .class = QPI_NCB, .opcode = QPI_NC_WR_PTL };
	static const struct message stop = { .class = QPI_NCS, .opcode = MESSAGE_NC_MSG_S };
	static const struct message start = { .class = QPI_NCB, .opcode = MESSAGE_NC_MSG_B };
	struct p9500_socket *s = &p->socket[rq->socket];
	unsigned core = pring_stop_of_core(rq->core), slice = pring_stop_of_core(tags_slice(&s->tags, rq->line));
	uint64_t when = cbox_ring(s, PRING_AD, core, slice, PRING_CORE, rq->when);
	struct p9500_reply reply = { .source = FABRIC_FROM_DEVICE };

	if (rq->kind == LEAVE_LOCK)
		when = tell_all(p, rq, &start, tell_all(p, rq, &stop, when));
	else
		when = exchange(p, rq, p9500_home(p, rq->line) % p->config.sockets,
				rq->kind == LEAVE_UC_READ ? &read : &write, when);
	reply.when = cbox_ring(s, PRING_AK, slice, core, PRING_CBOX, when);
	return reply;
}
