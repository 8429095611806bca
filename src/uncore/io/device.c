/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions of devices: an entry of the IRP, its line (line.h), its turn. */
#include "uncore/io/line.h"
#include "uncore/cbo/entry.h"
#include "uncore/io/io.h"
#include "uncore/io/mmio.h"

static const struct signal_tag no_tag;

/* What a kind asks the slice for, how the IRP calls that, and which transaction it is. */
static const struct {
	struct fabric_op op;
	uint64_t coherent, transaction, second;
} kinds[FABRIC_IO_KINDS] = {
	[FABRIC_IO_READ] = { { CBO_PCI_RD_CUR, HA_RD_CUR, QPI_SNP_CUR, .data = true, .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
			     IRP_COHERENT_PCIRDCUR, IRP_TRANSACTION_READ, IRP_MISC0_RD_SECOND },
	[FABRIC_IO_WRITE] = { { CBO_I_TO_M, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .own = true,
				.lookup = CBO_LOOKUP_ANY },
			      IRP_COHERENT_PCITOM, IRP_TRANSACTION_WR_PREF, IRP_MISC0_WR_SECOND },
	[FABRIC_IO_PARTIAL] = { { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .data = true,
				  .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
				IRP_COHERENT_RFO, IRP_TRANSACTION_WR_PREF, IRP_MISC0_WR_SECOND },
	[FABRIC_IO_ATOMIC] = { { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .data = true,
				 .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
			       IRP_COHERENT_RFO, IRP_TRANSACTION_WR_PREF, IRP_MISC0_ATOMIC_SECOND },
	[FABRIC_IO_PEER_READ] = { { .opc = CBO_PRD }, 0, IRP_TRANSACTION_READ, 0 },
	[FABRIC_IO_PEER_WRITE] = { { .opc = CBO_PCI_WILF }, 0, IRP_TRANSACTION_WRITE, 0 },
};

static const struct fabric_op write_back = {
	.opc = CBO_WB_M_TO_I, .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_WRITE,
};

/* Another transaction for the line is under way: its entry, or -1. */
static int primary(const struct irp *irp, uint64_t line, uint64_t when)
{
	for (unsigned i = 0; i < IRP_ENTRIES; i++)
		if (irp->line[i] == line + 1 && irp->entry.until[i] > when)
			return (int)i;
	return -1;
}

/* An entry for the transaction.  Writes hold theirs until they have had their turn. */
static unsigned take_entry(struct fabric *f, unsigned socket, uint64_t line, uint64_t *when)
{
	struct irp *irp = &f->socket[socket].irp;
	unsigned place = irp_place(&irp->entry, IRP_ENTRIES);

	while (irp->entry.until[place] == UINT64_MAX) {
		fabric_io_finish(f, irp_first(irp)->turn);
		place = irp_place(&irp->entry, IRP_ENTRIES);
	}
	if (irp->entry.until[place] > *when) {
		signal_pulse(irp->port, SIG_IRP_MISC1, *when, 1, IRP_MISC1_THROTTLE, &no_tag);
		*when = irp->entry.until[place];
	}
	irp->line[place] = line + 1;
	stays_come(irp->stays, STAYS_LINES, irp->port, *when, 1);
	return place;
}

static void give_entry(struct irp *irp, unsigned place, uint64_t when)
{
	irp->entry.until[place] = when;
	stays_leave(irp->stays, STAYS_LINES, irp->port, when, 1);
}

/* The write waits behind one of the same line, which hands the line on instead of giving it back. */
static uint64_t follow(struct irp *irp, uint64_t line, uint64_t when)
{
	uint64_t owned = when;

	for (unsigned i = 0; i < irp->writes; i++) {
		struct irp_write *first = &irp->write[(irp->head + i) % IRP_ENTRIES];

		if (first->line != line || first->handed)
			continue;
		first->handed = true;
		owned = first->owned > when ? first->owned : when;
	}
	signal_pulse(irp->port, SIG_IRP_MISC0, owned, 1, IRP_MISC0_PF_ACK, &no_tag);
	return owned;
}

static bool write_waits(const struct irp *irp, uint64_t line)
{
	for (unsigned i = 0; i < irp->writes; i++) {
		const struct irp_write *w = &irp->write[(irp->head + i) % IRP_ENTRIES];

		if (w->line == line && !w->handed)
			return true;
	}
	return false;
}

static uint64_t io_write(struct transaction *w, const struct fabric_io *io)
{
	struct irp *irp = &w->s->irp;
	uint64_t when = io->when, owned;
	bool second = primary(irp, io->line, when) >= 0, follows = write_waits(irp, io->line);
	unsigned place = take_entry(w->f, io->socket, io->line, &when);
	struct irp_write *entry = &irp->write[(irp->head + irp->writes) % IRP_ENTRIES];
	uint64_t turn;

	if (second)
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, kinds[io->kind].second, &no_tag);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	if (follows && write_waits(irp, io->line)) {
		owned = follow(irp, io->line, when);
	} else {
		signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, kinds[io->kind].coherent, &no_tag);
		owned = io_own_line(w, when + w->f->at.irp);
	}
	/* One turn a clock at most; data is there with the transaction, ownership later. */
	turn = owned > irp->last_turn ? owned : irp->last_turn + irp->uclk.period;
	irp->last_turn = turn;
	irp->entry.until[place] = UINT64_MAX;
	*entry = (struct irp_write){ .line = io->line, .owned = owned, .turn = turn, .place = (uint8_t)place,
				     .atomic = io->kind == FABRIC_IO_ATOMIC };
	irp->writes++;
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, turn, 1, IRP_OUTSTANDING_WRITE, &no_tag);
	signal_span(irp->port, SIG_IRP_OWNED, owned, turn, 1, 0, &no_tag);
	depth_stay(&irp->ordering, irp->port, owned, turn);
	return owned;
}

/* The oldest write of a socket has its turn. */
static void finish_write(struct fabric *f, unsigned socket)
{
	struct irp *irp = &f->socket[socket].irp;
	struct irp_write e = *irp_first(irp);
	uint64_t when = e.turn, done = when, put;
	struct transaction w;

	irp->head = (irp->head + 1) % IRP_ENTRIES;
	irp->writes--;
	io_start(&w, f, socket, e.line, &kinds[FABRIC_IO_WRITE].op);
	signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, IRP_MISC0_FAST_REQ, &no_tag);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1,
		     e.atomic ? IRP_TRANSACTION_ATOMIC : IRP_TRANSACTION_WRITE, &no_tag);
	if (!io_still_owned(&w, when)) {
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, IRP_MISC0_FAST_REJ, &no_tag);
		signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, IRP_COHERENT_RFO, &no_tag);
		io_start(&w, f, socket, e.line, &kinds[FABRIC_IO_PARTIAL].op);
		done = io_own_line(&w, when + f->at.irp);
		signal_pulse(irp->port, SIG_IRP_TRANSACTION, done, 1,
			     e.atomic ? IRP_TRANSACTION_ATOMIC : IRP_TRANSACTION_WRITE, &no_tag);
	}
	put = done;
	if (e.handed) {
		done += (uint64_t)IRP_SECONDARY * irp->uclk.period;
		signal_pulse(irp->port, SIG_IRP_MISC0, done, 1, IRP_MISC0_FAST_XFER, &no_tag);
		signal_pulse(irp->port, SIG_IRP_MISC1, done, 1, IRP_MISC1_VALID, &no_tag);
	} else {
		signal_pulse(irp->port, SIG_IRP_COHERENT, done, 1, IRP_COHERENT_WBMTOI, &no_tag);
		io_start(&w, f, socket, e.line, &write_back);
		done = io_put_line(&w, done);
		signal_span(irp->port, SIG_IRP_UNANSWERED, put, done, 1, 0, &no_tag);
	}
	give_entry(irp, e.place, done);
	signal_span(irp->port, SIG_IRP_OWNED, put, done, 1, 0, &no_tag);
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, done, 1, IRP_OUTSTANDING_WRITE, &no_tag);
}

static uint64_t io_read(struct transaction *w, const struct fabric_io *io)
{
	struct irp *irp = &w->s->irp;
	uint64_t when = io->when, in, device;
	int before = primary(irp, io->line, when);
	unsigned place;

	if (before >= 0) {
		/* What the first one has is no right to read for the second: it asks for itself. */
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, kinds[io->kind].second, &no_tag);
		signal_pulse(irp->port, SIG_IRP_MISC1, when, 1, IRP_MISC1_INVALID, &no_tag);
	}
	place = take_entry(w->f, io->socket, io->line, &when);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, kinds[io->kind].coherent, &no_tag);
	in = io_read_line(w, when + w->f->at.irp, &device);
	give_entry(irp, place, in);
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, in, 1, IRP_OUTSTANDING_READ, &no_tag);
	return device;
}

/* To a device of this or another socket, past all caches. */
static uint64_t io_peer(struct transaction *w, const struct fabric_io *io)
{
	struct fabric *f = w->f;
	struct irp *irp = &w->s->irp;
	bool read = io->kind == FABRIC_IO_PEER_READ;
	uint64_t when = io->when, back, data = 0;
	unsigned stop = 0;

	w->tag.nc = 1;
	w->home_socket = fabric_front(f, w->home_socket);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	if (w->home_socket != w->socket) {
		unsigned link = fabric_link(f, w->socket, w->home_socket, w->which);
		uint64_t flag = link ? R2PCIE_PEER_PRQ1 : R2PCIE_PEER_PRQ0;

		signal_pulse(irp->stop, SIG_R2PCIE_PEER, when, 1, flag, &no_tag);
	}
	when = io_enter(w, !read, when + f->at.irp) + f->at.miss;
	back = io_to_device(w, read, true, when, &data, &stop, true);
	cbo_leave(w, back, CBO_TOR_MISS | (read ? 0 : CBO_TOR_WB), true);
	if (!read)
		return io_acknowledge(w, back + f->at.go);
	data = fabric_ring(&w->s->ring, RING_BL, stop, RING_R2PCIE, data, true);
	return irp_deliver(irp, IRP_DRS, data, f->at.irp, NULL);
}

uint64_t fabric_io_walk(struct fabric *f, const struct fabric_io *io)
{
	struct transaction w;

	if (io->kind == FABRIC_IO_INTERRUPT) {
		struct fabric_socket *s = &f->socket[io->socket];

		signal_pulse(s->irp.port, SIG_IRP_TRANSACTION, io->when, 1, IRP_TRANSACTION_OTHER, &no_tag);
		ubox_tell_core(&s->ubox, UBOX_OTHER, io->when + f->at.irp);
		return io->when + f->at.irp;
	}
	io_start(&w, f, io->socket, io->line, &kinds[io->kind].op);
	switch (io->kind) {
	case FABRIC_IO_READ:
		return io_read(&w, io);
	case FABRIC_IO_PEER_READ:
	case FABRIC_IO_PEER_WRITE:
		return io_peer(&w, io);
	default:
		return io_write(&w, io);
	}
}

void fabric_io_finish(struct fabric *f, uint64_t until)
{
	for (unsigned s = 0; s < f->config.sockets; s++) {
		struct irp *irp = &f->socket[s].irp;

		while (irp->writes && irp_first(irp)->turn <= until)
			finish_write(f, s);
	}
}
