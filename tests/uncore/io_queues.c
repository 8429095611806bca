/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of a device's accesses by hand: how long entries stay in the IRP and its ring stop, alone and on the way. */
#include "rig_io.h"
#include "uncore/io/irp.h"

#define A 0x1000
#define B 0x2041

/*
 * Queues alone, on a clock of 2 GHz.  30 lines come at once, the link takes one in 4 ns: 24 enter, the
 * others one by one when a place is free.
 *
 *	line i < 24:  in the ingress 4 (i + 1) ns;  i >= 24: waits 4 (i - 23), then 96
 *	full until the 7th line leaves, 28 ns; some wait for 24; some credit in use until the last one has, 120 ns
 *
 * 6 messages come at once, one leaves in two clocks (a line in four), there are places for 4: the fifth waits
 * until the first has left, the sixth for the second; full until the third has left.
 */
enum { KHZ = 2000000, PS = 500 };

struct tally {
	struct signal_alt alt;
	struct signal_watch watch;
	struct signal_port *port;
	unsigned sig;
};

static void hang(struct tally *t, struct signal_port *port, unsigned sig, uint64_t flags)
{
	*t = (struct tally){ .alt = { .care = flags, .want = flags }, .port = port, .sig = sig };
	t->watch.alt = &t->alt;
	t->watch.alts = 1;
	signal_watch_hang(port, sig, &t->watch);
}

static const struct queue {
	int line;
	enum irp_class class;		/* what comes */
	uint64_t in, occupied, full, wait, ne, used, acquired, rejected;
	enum irp_ring ring;		/* what goes */
	uint64_t out, egress, egress_full, stall;
	unsigned slots;
} queues[] = {
	{ LINE, IRP_DRS, IRP_RXR_INSERT_DRS, IRP_RXR_DRS, IRP_RXR_FULL_DRS, R2PCIE_RXR_DRS, R2PCIE_RXR_NE_DRS,
	  R2PCIE_IIO_USED_DRS, R2PCIE_IIO_ACQUIRE_DRS, R2PCIE_IIO_REJECT_DRS,
	  IRP_AD, R2PCIE_TXR_INSERT_AD, R2PCIE_TXR_NE_AD, R2PCIE_TXR_FULL_AD, IRP_STALL_AD, 2 },
	{ LINE, IRP_NCB, IRP_RXR_INSERT_NCB, IRP_RXR_NCB, IRP_RXR_FULL_NCB, R2PCIE_RXR_NCB, R2PCIE_RXR_NE_NCB,
	  R2PCIE_IIO_USED_NCB, R2PCIE_IIO_ACQUIRE_NCB, R2PCIE_IIO_REJECT_NCB,
	  IRP_BL, R2PCIE_TXR_INSERT_BL, R2PCIE_TXR_NE_BL, R2PCIE_TXR_FULL_BL, IRP_STALL_BL, 4 },
	{ LINE, IRP_NCS, IRP_RXR_INSERT_NCS, IRP_RXR_NCS, IRP_RXR_FULL_NCS, R2PCIE_RXR_NCS, R2PCIE_RXR_NE_NCS,
	  R2PCIE_IIO_USED_NCS, R2PCIE_IIO_ACQUIRE_NCS, R2PCIE_IIO_REJECT_NCS,
	  IRP_AK, R2PCIE_TXR_INSERT_AK, R2PCIE_TXR_NE_AK, R2PCIE_TXR_FULL_AK, 0, 2 },	/* nobody stalls for AK */
};

static void check_queues(const struct queue *q)
{
	enum { IN, OCCUPIED, FULL, WAIT, WAIT_NE, USED, ACQUIRED, REJECTED, NE, EGRESS_FULL, STALL, SENT, TALLIES };
	const uint64_t want[TALLIES] = {
		[IN] = 30, [OCCUPIED] = 2 * (4 * 24 * 25 / 2 + 6 * 96), [FULL] = 2 * 28,
		[WAIT] = 2 * 4 * (1 + 2 + 3 + 4 + 5 + 6), [WAIT_NE] = 2 * 24, [USED] = 2 * 120, [ACQUIRED] = 30,
		[REJECTED] = 30 - 24,
		[NE] = 6 * q->slots, [EGRESS_FULL] = 3 * q->slots, [STALL] = q->stall ? (1 + 2) * q->slots : 0, [SENT] = 6,
	};
	struct calendar_rate uclk = calendar_rate(KHZ);
	struct signal_port port, stop;
	struct signal_clock clock;
	struct tally tally[TALLIES];
	struct irp irp;

	signal_clock_init(&clock, KHZ);
	CHECK_EQ(__LINE__, signal_port_init(&port, SIG_IRP_COUNT, &clock), 0);
	CHECK_EQ(__LINE__, signal_port_init(&stop, SIG_R2PCIE_COUNT, &clock), 0);
	signal_port_horizon(&port, UINT64_MAX);
	signal_port_horizon(&stop, UINT64_MAX);
	irp_init(&irp, &port);
	irp.stop = &stop;
	irp_uclk(&irp, &uclk);
	hang(&tally[IN], &port, SIG_IRP_RXR_INSERT, q->in);
	hang(&tally[OCCUPIED], &port, SIG_IRP_RXR, q->occupied);
	hang(&tally[FULL], &port, SIG_IRP_RXR_FULL, q->full);
	hang(&tally[WAIT], &stop, SIG_R2PCIE_RXR, q->wait);
	hang(&tally[WAIT_NE], &stop, SIG_R2PCIE_RXR_NE, q->ne);
	hang(&tally[USED], &stop, SIG_R2PCIE_IIO_USED, q->used);
	hang(&tally[ACQUIRED], &stop, SIG_R2PCIE_IIO_ACQUIRE, q->acquired);
	hang(&tally[REJECTED], &stop, SIG_R2PCIE_IIO_REJECT, q->rejected);
	hang(&tally[NE], &stop, SIG_R2PCIE_TXR_NE, q->egress);
	hang(&tally[EGRESS_FULL], &stop, SIG_R2PCIE_TXR_FULL, q->egress_full);
	hang(&tally[STALL], &port, SIG_IRP_STALL, q->stall);
	hang(&tally[SENT], &stop, SIG_R2PCIE_TXR_INSERT, q->out);
	for (unsigned i = 0; i < 30; i++)
		CHECK_EQ(q->line, irp_deliver(&irp, q->class, 400000, 0, NULL), 400000 + 4000 * (i + 1));
	for (unsigned i = 0; i < 6; i++)
		CHECK_EQ(q->line, irp_send(&irp, q->ring, 400000), 400000 + q->slots * PS * (i + 1));
	irp_advance(&irp, 1000000);
	for (unsigned i = 0; i < TALLIES; i++) {
		CHECK_EQ(q->line, tally[i].watch.sum, want[i]);
		signal_watch_unhang(tally[i].port, tally[i].sig, &tally[i].watch);
		signal_watch_free(&tally[i].watch);
	}
	irp_free(&irp);
	signal_port_free(&port);
	signal_port_free(&stop);
}

/*
 * Entries of reads and writes, clock by clock: together they are all; a write owns its line for a part of
 * its stay and waits for its last answer for a part of that; each answer is on its way for as long as
 * the IRP takes.  A write that could go on waits only for an older one.
 */
static void check_stays(void)
{
	enum { ALL, READS, WRITES, OWNED, UNANSWERED, ANSWER, ANSWERS, ORDERED, STAYS };
	static const struct { unsigned sig; uint64_t flags; } stays[STAYS] = {
		[ALL] = { SIG_IRP_OUTSTANDING, 0 }, [READS] = { SIG_IRP_OUTSTANDING, IRP_OUTSTANDING_READ },
		[WRITES] = { SIG_IRP_OUTSTANDING, IRP_OUTSTANDING_WRITE }, [OWNED] = { SIG_IRP_OWNED, 0 },
		[UNANSWERED] = { SIG_IRP_UNANSWERED, 0 }, [ANSWER] = { SIG_IRP_AK, 0 },
		[ANSWERS] = { SIG_IRP_AK_INSERT, 0 }, [ORDERED] = { SIG_IRP_ORDERING, 0 },
	};
	static const struct { int line; uint64_t at[3]; bool waits; } rows[] = {
		{ LINE, { B, 0, 0 }, false },		/* alone, over memory */
		{ LINE, { B, 0, 0 }, false },		/* alone, in the cache now */
		{ LINE, { A, B, 0 }, true },		/* the second has its line first */
		{ LINE, { B, A + 64, 0 }, false },	/* the first has */
	};
	uint64_t v[STAYS], before[STAYS] = { 0 };
	struct rig r;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; i < STAYS; i++)
		rig_watch(&r, 0, "irp", stays[i].sig, stays[i].flags, stays[i].flags);
	for (unsigned n = 0; n < LEN(rows); n++) {
		for (unsigned i = 0; rows[n].at[i]; i++)
			rig_io(&r, 0, FABRIC_IO_WRITE, rows[n].at[i]);
		rig_io(&r, 0, FABRIC_IO_READ, 0x8000 + n);
		r.now += 1000000;
		fabric_io_advance(r.f, r.now);
		fabric_advance(r.f, r.now);
		for (unsigned i = 0; i < STAYS; i++) {
			uint64_t sum = rig_sum(&r, 0, "irp", stays[i].sig, stays[i].flags, stays[i].flags);

			v[i] = sum - before[i];
			before[i] = sum;
		}
		CHECK_EQ(rows[n].line, v[ALL], v[READS] + v[WRITES]);
		CHECK_EQ(rows[n].line, v[READS] > 0 && v[OWNED] > 0 && v[OWNED] <= v[WRITES], 1);
		CHECK_EQ(rows[n].line, v[UNANSWERED] > 0 && v[UNANSWERED] <= v[OWNED], 1);
		CHECK_EQ(rows[n].line, v[ANSWER] % v[ANSWERS], 0);
		CHECK_EQ(rows[n].line, v[ORDERED] > 0, rows[n].waits);
	}
	rig_close(&r);
}

/*
 * A lone read has its entry until its line is in the ingress, from where the link takes it in one or two of its clocks, 8 of
 * ours, to the device; a lone write until it owns its line, and as long as it does.
 */
static void check_entry(void)
{
	uint64_t takes, entry, owned;
	struct rig r;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	rig_watch(&r, 0, "irp", SIG_IRP_OUTSTANDING, 0, 0);
	rig_watch(&r, 0, "irp", SIG_IRP_OWNED, 0, 0);
	r.now = 1000000;
	takes = (rig_io(&r, 0, FABRIC_IO_READ, A) - r.now) / PS;
	entry = rig_sum(&r, 0, "irp", SIG_IRP_OUTSTANDING, 0, 0);
	CHECK(takes > 16 && entry + 8 <= takes && entry + 16 >= takes);
	r.now = 2000000;
	takes = (rig_io(&r, 0, FABRIC_IO_WRITE, B) - r.now) / PS;
	fabric_io_advance(r.f, 3000000);
	owned = rig_sum(&r, 0, "irp", SIG_IRP_OWNED, 0, 0);
	CHECK(takes > 0 && owned > 0);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_OUTSTANDING, 0, 0) - entry, takes + owned);
	rig_close(&r);
}

int main(void)
{
	for (const struct queue *q = queues; q < queues + LEN(queues); q++)
		check_queues(q);
	check_stays();
	check_entry();
	return check_done();
}
