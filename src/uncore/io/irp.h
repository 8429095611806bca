/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port between the devices of a socket and its ring: the write cache and queues of the
 * IRP, and the ring stop beside it (R2PCIe).  What a transaction does in the caches is the
 * fabric's (io.h, mmio.h); here are the queues on its way.
 *
 *	device -> IRP -> egress -> ring		requests AD, data BL, answers AK
 *	device <- link <- BL ingress <- R2PCIe ingress <- ring
 *
 * Sizes are the greatest increments that the manual prints for the occupancies (2.7.4, 2.10.4);
 * that of the egress, which it leaves open, is ours.
 */
#ifndef BXS_UNCORE_IO_IRP_H
#define BXS_UNCORE_IO_IRP_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/calendar.h"
#include "uncore/depth.h"
#include "uncore/ring/sink.h"
#include "uncore/stays.h"

enum {
	IRP_ENTRIES = 128,	/* lines under way, read and written */
	IRP_INGRESS = 24,	/* of each class from the ring; R2PCIe has a credit for each */
	IRP_EGRESS = 4,		/* of each ring at R2PCIe */
	IRP_ACKS = 2,		/* acknowledgements that wait at R2PCIe, which takes one every two clocks; ours */
	IRP_LINK_KHZ = 250000,	/* lines a device's link carries: 16 GB/s, 16 lanes of generation 3 */
	IRP_SECONDARY = 2,	/* uclk to hand a line on to the next transaction for it */
};

/* Classes of messages towards devices. */
enum irp_class { IRP_DRS, IRP_NCB, IRP_NCS, IRP_CLASSES };
/* Egress queues. */
enum irp_ring { IRP_AD, IRP_AK, IRP_BL, IRP_RINGS };

/* Places of a queue, each taken until a time. */
struct irp_room {
	uint64_t until[IRP_ENTRIES];
};

/* A write that owns, or will own, its line and waits for its turn. */
struct irp_write {
	uint64_t line, owned, turn;
	uint8_t place;		/* of irp.entry */
	bool atomic, handed;	/* handed: the line goes on to a later write of it */
};

struct irp {
	struct signal_port *port, *stop;	/* of the IRP, of R2PCIe */
	struct calendar_rate uclk, link;
	struct irp_room entry, ingress[IRP_CLASSES], egress[IRP_RINGS];
	uint64_t line[IRP_ENTRIES];		/* of the entries; + 1, 0: none */
	struct irp_write write[IRP_ENTRIES];	/* a ring, in the order of their turns */
	unsigned head, writes;
	uint64_t last_turn;
	struct calendar wire, out[IRP_RINGS];
	struct calendar in;		/* acknowledgements from the ring */
	struct sink acks;		/* those that wait for that */
	struct depth full[IRP_CLASSES], waiting[IRP_CLASSES], credit[IRP_CLASSES], queue[IRP_RINGS];
	struct depth ordering;
	struct stays *stays;		/* NULL: nobody wants to know */
};

void irp_init(struct irp *irp, struct signal_port *silent);
void irp_free(struct irp *irp);
/* The uncore clock changed. */
void irp_uclk(struct irp *irp, const struct calendar_rate *uclk);
/* Tell everything about the queues before `when`. */
void irp_advance(struct irp *irp, uint64_t when);

/* The place of `size` that is free first.  Returns its number. */
unsigned irp_place(const struct irp_room *room, unsigned size);

/* A message is ready for the ring at `when`; returns when it is on it. */
uint64_t irp_send(struct irp *irp, enum irp_ring ring, uint64_t when);

/*
 * A message is off the ring at `when` and takes `pipe` picoseconds through R2PCIe.  Returns when
 * it is with the device; *in (may be NULL): in the ingress of the IRP.
 */
uint64_t irp_deliver(struct irp *irp, enum irp_class class, uint64_t when, uint32_t pipe, uint64_t *in);

/* A device gets a request that it answers at `back`. */
void irp_outbound(struct irp *irp, enum irp_class class, uint64_t when, uint64_t back);

/* The write whose turn is next; NULL: none waits. */
static inline struct irp_write *irp_first(struct irp *irp)
{
	return irp->writes ? &irp->write[irp->head] : NULL;
}

#endif
