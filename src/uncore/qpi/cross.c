/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages whose path is not simply one link: within a socket of two clusters, or over several links. */
#include "uncore/qpi/cross.h"

/* From R3QPI of a socket to that of another which may be further than a link away: what goes on from the sockets between does
 * so on the second virtual network. */
static UNCORE_COLD uint64_t fabric_route(struct fabric *f, unsigned from, unsigned to, struct qpi_packet packet,
					 uint64_t line, uint64_t when, const bool observed)
{
	while (from != to) {
		unsigned next = fabric_next(f, from, to);

		packet.through = next != to;
		when = qpi_send(&f->lane[from * f->config.sockets + next], packet, line, when, observed);
		packet.vn1 = true;
		from = next;
	}
	return when;
}

UNCORE_COLD uint64_t fabric_cross_far(struct fabric *f, unsigned from, unsigned stop, unsigned to,
				      struct qpi_packet packet, uint64_t line, uint64_t when, const bool observed)
{
	struct ring *ring = &f->socket[from].ring;

	if (f->split && fabric_inside(f, from, to))
		return ring_over(ring, qpi_ring(packet.class), stop, fabric_pair(f, line), when, observed);
	when = fabric_ring(ring, qpi_ring_out(packet.class), stop, RING_R3QPI, when, observed);
	return f->routed ? fabric_route(f, from, to, packet, line, when, observed)
			 : qpi_send(fabric_lane(f, from, to, line), packet, line, when, observed);
}
