/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues between devices and ring, and what the IRP and R2PCIe tell of them. */
#include "uncore/io/irp.h"

#include <string.h>

#include "signal_ids.h"

/* A slot of the right polarity comes every second clock; a line is two slots. */
static const unsigned slots[IRP_RINGS] = { [IRP_AD] = 2, [IRP_AK] = 2, [IRP_BL] = 4 };

/* What signals call a class, and a ring. */
static const struct { uint64_t insert, rxr, full, r2, ne, acquire, used, reject; } classes[IRP_CLASSES] = {
	[IRP_DRS] = { IRP_RXR_INSERT_DRS, IRP_RXR_DRS, IRP_RXR_FULL_DRS, R2PCIE_RXR_DRS, R2PCIE_RXR_NE_DRS,
		      R2PCIE_IIO_ACQUIRE_DRS, R2PCIE_IIO_USED_DRS, R2PCIE_IIO_REJECT_DRS },
	[IRP_NCB] = { IRP_RXR_INSERT_NCB, IRP_RXR_NCB, IRP_RXR_FULL_NCB, R2PCIE_RXR_NCB, R2PCIE_RXR_NE_NCB,
		      R2PCIE_IIO_ACQUIRE_NCB, R2PCIE_IIO_USED_NCB, R2PCIE_IIO_REJECT_NCB },
	[IRP_NCS] = { IRP_RXR_INSERT_NCS, IRP_RXR_NCS, IRP_RXR_FULL_NCS, R2PCIE_RXR_NCS, R2PCIE_RXR_NE_NCS,
		      R2PCIE_IIO_ACQUIRE_NCS, R2PCIE_IIO_USED_NCS, R2PCIE_IIO_REJECT_NCS },
};
static const struct { uint64_t ne, full, stall, insert; } rings[IRP_RINGS] = {
	[IRP_AD] = { R2PCIE_TXR_NE_AD, R2PCIE_TXR_FULL_AD, IRP_STALL_AD, R2PCIE_TXR_INSERT_AD },
	[IRP_AK] = { R2PCIE_TXR_NE_AK, R2PCIE_TXR_FULL_AK, 0, R2PCIE_TXR_INSERT_AK },
	[IRP_BL] = { R2PCIE_TXR_NE_BL, R2PCIE_TXR_FULL_BL, IRP_STALL_BL, R2PCIE_TXR_INSERT_BL },
};

static const struct signal_tag no_tag;

void irp_init(struct irp *irp, struct signal_port *silent)
{
	memset(irp, 0, sizeof *irp);
	irp->port = irp->stop = silent;
	irp->link = calendar_rate(IRP_LINK_KHZ);
	for (unsigned c = 0; c < IRP_CLASSES; c++) {
		irp->full[c] = (struct depth){
			.signal = { DEPTH_NONE, SIG_IRP_RXR_FULL }, .flags = { 0, classes[c].full },
			.full = IRP_INGRESS,
		};
		irp->waiting[c] = (struct depth){
			.signal = { SIG_R2PCIE_RXR_NE, DEPTH_NONE },
			.flags = { classes[c].ne, 0 },
		};
		irp->credit[c] = (struct depth){
			.signal = { SIG_R2PCIE_IIO_USED, DEPTH_NONE }, .flags = { classes[c].used, 0 },
		};
	}
	irp->ordering = (struct depth){ .signal = { SIG_IRP_ORDERING, DEPTH_NONE } };
	for (unsigned r = 0; r < IRP_RINGS; r++)
		irp->queue[r] = (struct depth){
			.signal = { SIG_R2PCIE_TXR_NE, SIG_R2PCIE_TXR_FULL },
			.flags = { rings[r].ne, rings[r].full }, .full = IRP_EGRESS,
		};
}

void irp_free(struct irp *irp)
{
	for (unsigned c = 0; c < IRP_CLASSES; c++) {
		depth_free(&irp->full[c]);
		depth_free(&irp->waiting[c]);
		depth_free(&irp->credit[c]);
	}
	depth_free(&irp->ordering);
	for (unsigned r = 0; r < IRP_RINGS; r++)
		depth_free(&irp->queue[r]);
}

void irp_uclk(struct irp *irp, const struct calendar_rate *uclk)
{
	irp->uclk = *uclk;
	memset(irp->out, 0, sizeof irp->out);
	memset(&irp->in, 0, sizeof irp->in);
}

static void sweep(struct depth *d, struct signal_port *p, uint64_t when)
{
	if (d->on)
		depth_sweep(d, p, signal_clocks(p->clock, when));
}

void irp_advance(struct irp *irp, uint64_t when)
{
	for (unsigned c = 0; c < IRP_CLASSES; c++) {
		sweep(&irp->full[c], irp->port, when);
		sweep(&irp->waiting[c], irp->stop, when);
		sweep(&irp->credit[c], irp->stop, when);
	}
	sweep(&irp->ordering, irp->port, when);
	for (unsigned r = 0; r < IRP_RINGS; r++)
		sweep(&irp->queue[r], irp->stop, when);
}

unsigned irp_place(const struct irp_room *room, unsigned size)
{
	unsigned first = 0;

	for (unsigned i = 1; i < size; i++)
		if (room->until[i] < room->until[first])
			first = i;
	return first;
}

uint64_t irp_send(struct irp *irp, enum irp_ring ring, uint64_t when)
{
	unsigned place = irp_place(&irp->egress[ring], IRP_EGRESS);
	uint64_t from = irp->egress[ring].until[place], period = irp->uclk.period, go;

	if (from > when) {
		if (rings[ring].stall)
			signal_span(irp->port, SIG_IRP_STALL, when, from, 1, rings[ring].stall, &no_tag);
	} else {
		from = when;
	}
	go = from + calendar_book(&irp->out[ring], &irp->uclk, from, slots[ring]) + slots[ring] * period;
	irp->egress[ring].until[place] = go;
	signal_pulse(irp->stop, SIG_R2PCIE_TXR_INSERT, from, 1, rings[ring].insert, &no_tag);
	depth_stay(&irp->queue[ring], irp->stop, from, go);
	return go;
}

uint64_t irp_deliver(struct irp *irp, enum irp_class class, uint64_t when, uint32_t pipe, uint64_t *in)
{
	struct irp_room *room = &irp->ingress[class];
	unsigned place = irp_place(room, IRP_INGRESS);
	uint64_t at = when + pipe, gone;

	if (room->until[place] > at) {
		signal_pulse(irp->stop, SIG_R2PCIE_IIO_REJECT, at, 1, classes[class].reject, &no_tag);
		at = room->until[place];
	}
	gone = at + calendar_book(&irp->wire, &irp->link, at, 1) + irp->link.period;
	room->until[place] = gone;
	if (class == IRP_DRS) {
		stays_come(irp->stays, STAYS_R2PCIE, irp->stop, when, 1);
		stays_leave(irp->stays, STAYS_R2PCIE, irp->stop, at, 1);
	}
	stays_come(irp->stays, STAYS_IRP, irp->port, at, 1);
	stays_leave(irp->stays, STAYS_IRP, irp->port, gone, 1);
	if (class != IRP_DRS)
		signal_pulse(irp->stop, SIG_R2PCIE_RXR_INSERT, when, 1,
			     class == IRP_NCB ? R2PCIE_RXR_INSERT_NCB : R2PCIE_RXR_INSERT_NCS, &no_tag);
	signal_span(irp->stop, SIG_R2PCIE_RXR, when, at, 1, classes[class].r2, &no_tag);
	depth_stay(&irp->waiting[class], irp->stop, when, at);
	signal_pulse(irp->stop, SIG_R2PCIE_IIO_ACQUIRE, at, 1, classes[class].acquire, &no_tag);
	depth_stay(&irp->credit[class], irp->stop, at, gone);
	signal_pulse(irp->port, SIG_IRP_RXR_INSERT, at, 1, classes[class].insert, &no_tag);
	signal_span(irp->port, SIG_IRP_RXR, at, gone, 1, classes[class].rxr, &no_tag);
	depth_stay(&irp->full[class], irp->port, at, gone);
	if (in)
		*in = at;
	return gone;
}

void irp_outbound(struct irp *irp, enum irp_class class, uint64_t when, uint64_t back)
{
	signal_pulse(irp->port, SIG_IRP_OUTBOUND_INSERT, when, 1,
		     class == IRP_NCB ? IRP_OUTBOUND_INSERT_NCB : IRP_OUTBOUND_INSERT_NCS, &no_tag);
	signal_span(irp->port, SIG_IRP_OUTBOUND, when, back, 1, 0, &no_tag);
}
