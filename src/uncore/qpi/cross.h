/* SPDX-License-Identifier: BSD-2-Clause */
/* A message of one socket crosses to another: its ring to R3QPI, and the link. */
#ifndef BXS_UNCORE_QPI_CROSS_H
#define BXS_UNCORE_QPI_CROSS_H

#include "uncore/fabric_core.h"
#include "uncore/observed.h"

UNCORE_INLINE uint64_t fabric_ring(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when,
				   const bool observed)
{
	return observed ? ring_send(r, kind, from, to, when) : ring_pass(r, kind, from, to, when);
}

/* From a stop of a socket where that may be within the socket, or more than a link away. */
uint64_t fabric_cross_far(struct fabric *f, unsigned from, unsigned stop, unsigned to, struct qpi_packet packet,
			  uint64_t line, uint64_t when, const bool observed);

/* From a stop of a socket, s, over one of the links onto the other socket's ring. */
UNCORE_INLINE uint64_t fabric_cross_by(struct fabric *f, unsigned which, struct fabric_socket *s, unsigned from,
				       unsigned stop, unsigned to, struct qpi_packet packet, uint64_t line,
				       uint64_t when, const bool observed)
{
	struct qpi_lane *lane = &f->lanes[from][to][which];
	uint64_t sent = when;

	if (__builtin_expect(f->far, 0)) {
		when = fabric_cross_far(f, from, stop, to, qpi_aside(&packet), line, when, observed);
	} else {
		KEEP(lane);
		when = fabric_ring(&s->ring, qpi_ring_out(packet.class), stop, RING_R3QPI, when, observed);
		when = qpi_send(lane, packet, line, when, observed);
	}
	if (observed && stop >= RING_HA && stop < RING_HA + RING_HAS && !(f->split && fabric_inside(f, from, to)))
		fabric_tell_home_credit(f, from, stop, f->routed ? fabric_next(f, from, to) : to, which,
					qpi_ring_out(packet.class), sent);
	return when;
}

UNCORE_INLINE uint64_t fabric_cross(struct fabric *f, unsigned from, unsigned stop, unsigned to,
				    struct qpi_packet packet, uint64_t line, uint64_t when, const bool observed)
{
	return fabric_cross_by(f, fabric_which(f, line), &f->socket[from], from, stop, to, packet, line, when,
			       observed);
}

/* The same with a line; on one die that for the core goes by itself before that for the slice, as within a cluster. */
UNCORE_INLINE uint64_t fabric_cross_line(struct fabric *f, unsigned which, unsigned from, unsigned stop, unsigned to,
					 struct qpi_packet packet, uint64_t line, uint64_t when, const bool observed)
{
	uint64_t first = fabric_cross_by(f, which, &f->socket[from], from, stop, to, packet, line, when, observed);

	if (__builtin_expect(f->split, 0))
		f->behind = !packet.core || !fabric_inside(f, from, to)
				    ? 0
				    : fabric_cross(f, from, stop, to, packet, line, when, observed) - first;
	return first;
}

#endif
