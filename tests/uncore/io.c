/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices by hand: what each kind of access does in the IRP, the ring stop, the slices, the
 * home agents and on the links; one at a time, then those that meet.
 */
#include "rig_io.h"
#include "uncore/io/irp.h"

/* Counted in one socket, or in both together. */
enum {
	RDCUR, ITOM, RFO, WBMTOI, T_READ, T_PREF, T_WRITE, T_ATOMIC, T_OTHER, AK, DRS, LOOK, LOOK_READ, LOOK_WRITE,
	PRQ, TOR, TOR_MISS, TOR_WB, U2C, COLUMNS,
};

static const struct { const char *type; unsigned sig; uint64_t flags; } columns[COLUMNS] = {
	[RDCUR] = { "irp", SIG_IRP_COHERENT, IRP_COHERENT_PCIRDCUR },
	[ITOM] = { "irp", SIG_IRP_COHERENT, IRP_COHERENT_PCITOM },
	[RFO] = { "irp", SIG_IRP_COHERENT, IRP_COHERENT_RFO },
	[WBMTOI] = { "irp", SIG_IRP_COHERENT, IRP_COHERENT_WBMTOI },
	[T_READ] = { "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_READ },
	[T_PREF] = { "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_WR_PREF },
	[T_WRITE] = { "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_WRITE },
	[T_ATOMIC] = { "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_ATOMIC },
	[T_OTHER] = { "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_OTHER },
	[AK] = { "irp", SIG_IRP_AK_INSERT, 0 },
	[DRS] = { "irp", SIG_IRP_RXR_INSERT, IRP_RXR_INSERT_DRS },
	[LOOK] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_ANY },
	[LOOK_READ] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_READ },
	[LOOK_WRITE] = { "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_WRITE },
	[PRQ] = { "cbo", SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_PRQ },
	[TOR] = { "cbo", SIG_CBO_TOR_INSERT, 0 },
	[TOR_MISS] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_MISS },
	[TOR_WB] = { "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_WB },
	[U2C] = { "ubox", SIG_UBOX_U2C, UBOX_U2C_OTHER },
};

enum { HOME_CUR, HOME_OWN, HOME_ITOE, HOME_WB, HOMES };
static const uint8_t homes[HOMES] = { HA_RD_CUR, HA_RD_INV_OWN, HA_INV_ITOE, HA_WB_MTOI };

#define A 0x1000
#define B 0x2041
#define R (RIG_REMOTE | 0x1001)
enum { CORE = 100 };		/* steps of cores: CORE + enum leave_kind */
#define IO(k, a) LINE, 0, FABRIC_IO_##k, a
#define BY(s, k, a) LINE, s, CORE + LEAVE_##k, a
#define READ_MISS [RDCUR] = 1, [T_READ] = 1, [DRS] = 1, [LOOK] = 1, [LOOK_READ] = 1, [PRQ] = 1, [TOR] = 1, \
	[TOR_MISS] = 1
#define READ_HIT [RDCUR] = 1, [T_READ] = 1, [DRS] = 1, [LOOK] = 1, [LOOK_READ] = 1, [PRQ] = 1, [TOR] = 1
/* Ownership and the line, each looked up, in the TOR and answered. */
#define WRITE_HIT [ITOM] = 1, [WBMTOI] = 1, [T_PREF] = 1, [T_WRITE] = 1, [AK] = 2, [LOOK] = 2, [LOOK_WRITE] = 1, \
	[PRQ] = 2, [TOR] = 2, [TOR_WB] = 1
#define PART_HIT [RFO] = 1, [WBMTOI] = 1, [T_PREF] = 1, [AK] = 2, [LOOK] = 2, [LOOK_READ] = 1, [LOOK_WRITE] = 1, \
	[PRQ] = 2, [TOR] = 2, [TOR_WB] = 1

static const struct step {
	int line;
	uint8_t socket, kind;
	uint64_t at;
	uint8_t home[HOMES], snoops;
	uint8_t count[COLUMNS];
} alone[] = {
	/* A read keeps nothing: the second one misses as well. */
	{ IO(READ, A), { 1 }, 0, { READ_MISS } },
	{ IO(READ, A), { 1 }, 0, { READ_MISS } },
	{ IO(WRITE, A), { [HOME_ITOE] = 1 }, 0, { WRITE_HIT, [TOR_MISS] = 1 } },
	{ IO(READ, A), { 0 }, 0, { READ_HIT } },
	{ IO(WRITE, A), { 0 }, 0, { WRITE_HIT } },
	/* A core takes it and writes; a read gets that and leaves the core its copy ... */
	{ BY(0, RFO, A), { 0 }, 0, { [LOOK] = 1, [LOOK_READ] = 1, [TOR] = 1 } },
	{ IO(READ, A), { 0 }, 0, { READ_HIT } },
	/* ... a write takes it away. */
	{ IO(WRITE, A), { 0 }, 1, { WRITE_HIT } },
	{ BY(0, DRD, A), { 0 }, 0, { [LOOK] = 1, [LOOK_READ] = 1, [TOR] = 1 } },
	{ IO(PARTIAL, A), { 0 }, 1, { PART_HIT, [T_WRITE] = 1 } },
	/* The rest of a line that is written in part comes from memory. */
	{ IO(PARTIAL, B), { [HOME_OWN] = 1 }, 0, { PART_HIT, [T_WRITE] = 1, [TOR_MISS] = 1 } },
	{ IO(ATOMIC, B), { 0 }, 0, { PART_HIT, [T_ATOMIC] = 1 } },
	/* Code in a core is shared: ownership without data. */
	{ BY(0, CRD, 0x3000), { 0 }, 0, { [LOOK] = 1, [LOOK_READ] = 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ IO(WRITE, 0x3000), { [HOME_ITOE] = 1 }, 1, { WRITE_HIT, [TOR_MISS] = 1 } },
	{ IO(INTERRUPT, 0), { 0 }, 0, { [T_OTHER] = 1, [U2C] = 1 } },
};

/* The other socket is snooped: a look-up and an entry more. */
#define READ_FAR [RDCUR] = 1, [T_READ] = 1, [DRS] = 1, [LOOK] = 2, [LOOK_READ] = 1, [PRQ] = 1, [TOR] = 2, \
	[TOR_MISS] = 1
#define WRITE_FAR [ITOM] = 1, [WBMTOI] = 1, [T_PREF] = 1, [T_WRITE] = 1, [AK] = 2, [LOOK] = 3, [LOOK_WRITE] = 1, \
	[PRQ] = 2, [TOR] = 3, [TOR_WB] = 1, [TOR_MISS] = 1
static const struct step pair[] = {
	{ IO(READ, R), { 1 }, 0, { READ_FAR } },
	{ BY(1, RFO, R), { [HOME_OWN] = 1 }, 0, { [LOOK] = 2, [LOOK_READ] = 1, [TOR] = 2, [TOR_MISS] = 1 } },
	{ BY(1, DIRTY, R), { 0 }, 0, { 0 } },
	/* A look from outside changes nothing: the core there goes on writing. */
	{ IO(READ, R), { 1 }, 0, { READ_FAR } },
	{ BY(1, WB_M, R), { 0 }, 0, { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_WB] = 1 } },
	{ BY(1, DRD, R), { 0 }, 0, { [LOOK] = 1, [LOOK_READ] = 1, [TOR] = 1 } },
	/* A write takes the line out of that socket. */
	{ IO(WRITE, R), { [HOME_ITOE] = 1 }, 1, { WRITE_FAR } },
	{ IO(READ, R), { 0 }, 0, { READ_HIT } },
};

static void do_step(struct rig *r, const struct step *p)
{
	if (p->kind >= CORE) {
		rig_do(r, p->socket, 3, (enum leave_kind)(p->kind - CORE), p->at);
		return;
	}
	rig_io(r, p->socket, p->kind, p->at);
	r->now += 1000000;
	fabric_io_advance(r->f, r->now);
}

static void run_steps(const struct step *steps, size_t n, unsigned sockets, enum fabric_snoop mode)
{
	uint64_t before[COLUMNS] = { 0 };
	unsigned asked[HOMES] = { 0 }, snoops = 0;
	struct rig r;

	rig_open(&r, sockets, RIG_CORES, 20, mode);
	for (unsigned c = 0; c < COLUMNS; c++)
		for (unsigned s = 0; s < sockets; s++)
			rig_watch(&r, s, columns[c].type, columns[c].sig, columns[c].flags, columns[c].flags);
	for (const struct step *p = steps; p < steps + n; p++) {
		do_step(&r, p);
		CHECK_EQ(p->line, r.snoops - snoops, p->snoops);
		snoops = r.snoops;
		for (unsigned h = 0; p->kind < CORE && h < HOMES; h++)
			CHECK_EQ(p->line, r.ha[0].seen[homes[h]] + r.ha[1].seen[homes[h]] - asked[h], p->home[h]);
		for (unsigned h = 0; h < HOMES; h++)
			asked[h] = r.ha[0].seen[homes[h]] + r.ha[1].seen[homes[h]];
		for (unsigned c = 0; c < COLUMNS; c++) {
			uint64_t now = 0;

			for (unsigned s = 0; s < sockets; s++)
				now += rig_sum(&r, s, columns[c].type, columns[c].sig, columns[c].flags,
					       columns[c].flags);
			CHECK_EQ(p->line, now - before[c], p->count[c]);
			before[c] = now;
		}
	}
	rig_close(&r);
}

/* Requests between sockets without coherence: flits that each side sends, by class. */
enum { NCS, NCB_HEAD, NCB_DATA, DRS_HEAD, DRS_DATA, NDR, FLITS };

static const uint64_t flits[FLITS] = {
	QPI_TX_FLIT_NCS, QPI_TX_FLIT_NCB_NONDATA, QPI_TX_FLIT_NCB_DATA, QPI_TX_FLIT_DRS_NONDATA,
	QPI_TX_FLIT_DRS_DATA, QPI_TX_FLIT_NDR_AK,
};

static const struct message {
	int line;
	uint8_t socket, kind;
	uint64_t at;
	uint8_t sent[2][FLITS];
	uint8_t in[2][2];		/* R2PCIe of each socket: NCB, NCS */
	uint8_t peer;			/* requests of a device to one of the other socket */
} messages[] = {
	/* A core's read and write of a device there, of a device here. */
	{ BY(0, UC_READ, R), { { [NCS] = 1 }, { [DRS_HEAD] = 1, [DRS_DATA] = 8 } }, { { 0 }, { 0, 1 } }, 0 },
	{ BY(0, UC_WRITE, R), { { [NCB_HEAD] = 3, [NCB_DATA] = 8 }, { [NDR] = 1 } }, { { 0 }, { 1, 0 } }, 0 },
	{ BY(0, UC_READ, A), { { 0 } }, { { 0, 1 } }, 0 },
	{ BY(1, UC_WRITE, A), { { [NDR] = 1 }, { [NCB_HEAD] = 3, [NCB_DATA] = 8 } }, { { 1, 0 } }, 0 },
	/* Devices among themselves: whole lines. */
	{ IO(PEER_WRITE, R), { { [NCB_HEAD] = 1, [NCB_DATA] = 8 }, { [NDR] = 1 } }, { { 0 }, { 1, 0 } }, 1 },
	{ IO(PEER_READ, R), { { [NCS] = 1 }, { [DRS_HEAD] = 1, [DRS_DATA] = 8 } }, { { 0 }, { 0, 1 } }, 1 },
	{ IO(PEER_WRITE, A), { { 0 } }, { { 1, 0 } }, 0 },
	/* A lock: the master, socket 0, stops and starts the other one, with messages (NcMsgS, 1100) of three flits; its answers
	 * come back. */
	{ BY(0, LOCK, A), { { [NCS] = 2 * 3 }, { [NDR] = 2 } }, { { 0 } }, 0 },
	/* ... and here the request and the grant cross as well. */
	{ BY(1, LOCK, A), { { [NCS] = 2 * 3, [NDR] = 1 }, { [NCS] = 3, [NDR] = 2 } }, { { 0 } }, 0 },
};

static void check_messages(void)
{
	static const uint64_t in[2] = { R2PCIE_RXR_INSERT_NCB, R2PCIE_RXR_INSERT_NCS };
	uint64_t sent[2][FLITS] = { { 0 } }, came[2][2] = { { 0 } }, peers = 0;
	struct rig r;

	rig_open(&r, 2, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned c = 0; c < FLITS; c++) {
			rig_watch(&r, s, "qpi", SIG_QPI_TX_FLIT, flits[c], flits[c]);
			rig_watch(&r, s, "qpi", SIG_QPI_RX_FLIT, flits[c], flits[c]);
		}
		for (unsigned c = 0; c < 2; c++)
			rig_watch(&r, s, "r2pcie", SIG_R2PCIE_RXR_INSERT, in[c], in[c]);
	}
	rig_watch(&r, 0, "r2pcie", SIG_R2PCIE_PEER, 0, 0);
	for (const struct message *p = messages; p < messages + LEN(messages); p++) {
		struct step step = { .socket = p->socket, .kind = p->kind, .at = p->at };
		uint64_t now;

		do_step(&r, &step);
		for (unsigned s = 0; s < 2; s++) {
			for (unsigned c = 0; c < FLITS; c++) {
				now = rig_sum(&r, s, "qpi", SIG_QPI_TX_FLIT, flits[c], flits[c]);
				CHECK_EQ(p->line, now - sent[s][c], p->sent[s][c]);
				CHECK_EQ(p->line, rig_sum(&r, !s, "qpi", SIG_QPI_RX_FLIT, flits[c], flits[c]), now);
				sent[s][c] = now;
			}
			for (unsigned c = 0; c < 2; c++) {
				now = rig_sum(&r, s, "r2pcie", SIG_R2PCIE_RXR_INSERT, in[c], in[c]);
				CHECK_EQ(p->line, now - came[s][c], p->in[s][c]);
				came[s][c] = now;
			}
		}
		now = rig_sum(&r, 0, "r2pcie", SIG_R2PCIE_PEER, 0, 0);
		CHECK_EQ(p->line, now - peers, p->peer);
		peers = now;
	}
	rig_close(&r);
}

/*
 * A device is busy with a request from the ring stop and back 1000 uclk; R2PCIe takes 8 of these, the
 * link up to two of its own clocks (8 uclk each) to begin and end.
 */
static void check_outbound(void)
{
	struct rig r;
	uint64_t clocks;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	rig_watch(&r, 0, "irp", SIG_IRP_OUTBOUND, 0, 0);
	rig_watch(&r, 0, "irp", SIG_IRP_OUTBOUND_INSERT, IRP_OUTBOUND_INSERT_NCB, IRP_OUTBOUND_INSERT_NCB);
	rig_watch(&r, 0, "irp", SIG_IRP_OUTBOUND_INSERT, IRP_OUTBOUND_INSERT_NCS, IRP_OUTBOUND_INSERT_NCS);
	rig_watch(&r, 0, "r2pcie", SIG_R2PCIE_RXR, R2PCIE_RXR_NCS, R2PCIE_RXR_NCS);
	rig_do(&r, 0, 3, LEAVE_UC_READ, A);
	clocks = rig_sum(&r, 0, "irp", SIG_IRP_OUTBOUND, 0, 0);
	CHECK_EQ(__LINE__, clocks >= 1000 - 8 - 16 && clocks <= 1000 - 8 - 8, 1);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "r2pcie", SIG_R2PCIE_RXR, R2PCIE_RXR_NCS, R2PCIE_RXR_NCS), 8);
	rig_do(&r, 0, 3, LEAVE_UC_WRITE, A);
	rig_do(&r, 0, 4, LEAVE_UC_WRITE, A);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_OUTBOUND_INSERT, IRP_OUTBOUND_INSERT_NCB,
				   IRP_OUTBOUND_INSERT_NCB), 2);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_OUTBOUND_INSERT, IRP_OUTBOUND_INSERT_NCS,
				   IRP_OUTBOUND_INSERT_NCS), 1);
	rig_close(&r);
}

/* Alone a lock is granted when the socket has drained, 1200 uclk after the UBox is asked; the second
 * of two waits for the first to be given back: an answer to the core and its turn, at most 40. */
static void check_lock(void)
{
	struct rig r;
	uint64_t first, both;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	rig_watch(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_ASKED, UBOX_PHOLD_ASKED);
	rig_watch(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_HELD, UBOX_PHOLD_HELD);
	rig_do(&r, 0, 3, LEAVE_LOCK, A);
	first = rig_sum(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_ASKED, UBOX_PHOLD_ASKED);
	CHECK_EQ(__LINE__, first, 1200);
	/* Held until the core has heard of it: at most a dozen stops of the ring and 6 to the core. */
	first = rig_sum(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_HELD, UBOX_PHOLD_HELD);
	CHECK_EQ(__LINE__, first > 6 && first <= 6 + 12, 1);
	first = rig_sum(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_ASKED, UBOX_PHOLD_ASKED);
	rig_do(&r, 0, 3, LEAVE_LOCK, A);
	r.now -= 1000000;
	rig_do(&r, 0, 3, LEAVE_LOCK, A);
	both = rig_sum(&r, 0, "ubox", SIG_UBOX_PHOLD, UBOX_PHOLD_ASKED, UBOX_PHOLD_ASKED) - first;
	CHECK_EQ(__LINE__, both > 1200 + 2400 && both <= 1200 + 2400 + 40, 1);
	rig_close(&r);
}

/* Who meets whom: writes whose line is taken away, and transactions for one line. */
enum { REQ, REJ, XFER, WR_2ND, RD_2ND, AT_2ND, ACK, SLOW_I, SLOW_S, LOST, VALID, INVALID, THROTTLE, SNP_DATA,
       SNP_INV, MEETS };

static const struct { unsigned sig; uint64_t flags; } meets[MEETS] = {
	[REQ] = { SIG_IRP_MISC0, IRP_MISC0_FAST_REQ }, [REJ] = { SIG_IRP_MISC0, IRP_MISC0_FAST_REJ },
	[XFER] = { SIG_IRP_MISC0, IRP_MISC0_FAST_XFER }, [WR_2ND] = { SIG_IRP_MISC0, IRP_MISC0_WR_SECOND },
	[RD_2ND] = { SIG_IRP_MISC0, IRP_MISC0_RD_SECOND }, [AT_2ND] = { SIG_IRP_MISC0, IRP_MISC0_ATOMIC_SECOND },
	[ACK] = { SIG_IRP_MISC0, IRP_MISC0_PF_ACK }, [SLOW_I] = { SIG_IRP_MISC1, IRP_MISC1_SLOW_I },
	[SLOW_S] = { SIG_IRP_MISC1, IRP_MISC1_SLOW_S }, [LOST] = { SIG_IRP_MISC1, IRP_MISC1_LOST_FWD },
	[VALID] = { SIG_IRP_MISC1, IRP_MISC1_VALID }, [INVALID] = { SIG_IRP_MISC1, IRP_MISC1_INVALID },
	[THROTTLE] = { SIG_IRP_MISC1, IRP_MISC1_THROTTLE },
	[SNP_DATA] = { SIG_IRP_SNOOP, IRP_SNOOP_HIT_ES | IRP_SNOOP_DATA },
	[SNP_INV] = { SIG_IRP_SNOOP, IRP_SNOOP_HIT_ES | IRP_SNOOP_INV },
};

static const struct meeting {
	int line;
	uint8_t first, then;		/* enum fabric_io_kind or CORE + enum leave_kind; both at once */
	uint8_t count[MEETS];
	uint8_t writes, owns, backs;	/* transactions, requests for ownership, lines put back */
} meetings[] = {
	{ LINE, FABRIC_IO_WRITE, CORE + LEAVE_TICK, { [REQ] = 1 }, 1, 1, 1 },
	/* A core wants it before its turn: it is asked for again, and the write tried again. */
	{ LINE, FABRIC_IO_WRITE, CORE + LEAVE_RFO, { [REQ] = 1, [REJ] = 1, [SLOW_I] = 1, [LOST] = 1, [SNP_INV] = 1 },
	  2, 2, 1 },
	{ LINE, FABRIC_IO_WRITE, CORE + LEAVE_DRD, { [REQ] = 1, [REJ] = 1, [SLOW_S] = 1, [SNP_DATA] = 1 }, 2, 2, 1 },
	/* The second write gets the line from the first: asked for once, put back once. */
	{ LINE, FABRIC_IO_WRITE, FABRIC_IO_WRITE, { [REQ] = 2, [WR_2ND] = 1, [ACK] = 1, [XFER] = 1, [VALID] = 1 },
	  2, 1, 1 },
	{ LINE, FABRIC_IO_PARTIAL, FABRIC_IO_ATOMIC, { [REQ] = 2, [AT_2ND] = 1, [ACK] = 1, [XFER] = 1, [VALID] = 1 },
	  1, 1, 1 },
	/* A read is no right to read for another, nor is a write's. */
	{ LINE, FABRIC_IO_READ, FABRIC_IO_READ, { [RD_2ND] = 1, [INVALID] = 1 }, 0, 0, 0 },
	{ LINE, FABRIC_IO_WRITE, FABRIC_IO_READ, { [REQ] = 1, [RD_2ND] = 1, [INVALID] = 1 }, 1, 1, 1 },
};

static void check_meetings(void)
{
	for (const struct meeting *m = meetings; m < meetings + LEN(meetings); m++) {
		struct rig r;
		uint64_t owns;

		rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
		for (unsigned c = 0; c < MEETS; c++)
			rig_watch(&r, 0, "irp", meets[c].sig, meets[c].flags, meets[c].flags);
		for (unsigned c = 0; c <= T_WRITE; c++)
			rig_watch(&r, 0, "irp", columns[c].sig, columns[c].flags, columns[c].flags);
		r.now = 1000000;
		rig_io(&r, 0, m->first, A);
		if (m->then >= CORE && m->then != CORE + LEAVE_TICK)
			rig_do(&r, 0, 5, (enum leave_kind)(m->then - CORE), A);
		else if (m->then < CORE)
			rig_io(&r, 0, m->then, A);
		fabric_io_advance(r.f, 10000000);
		CHECK_EQ(m->line, fabric_io_next(r.f), UINT64_MAX);
		for (unsigned c = 0; c < MEETS; c++)
			CHECK_EQ(m->line, rig_sum(&r, 0, "irp", meets[c].sig, meets[c].flags, meets[c].flags),
				 m->count[c]);
		CHECK_EQ(m->line, rig_sum(&r, 0, "irp", SIG_IRP_TRANSACTION, IRP_TRANSACTION_WRITE,
					  IRP_TRANSACTION_WRITE), m->writes);
		owns = rig_sum(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_PCITOM, IRP_COHERENT_PCITOM) +
		       rig_sum(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_RFO, IRP_COHERENT_RFO);
		CHECK_EQ(m->line, owns, m->owns);
		CHECK_EQ(m->line, rig_sum(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_WBMTOI,
					  IRP_COHERENT_WBMTOI), m->backs);
		rig_close(&r);
	}
}

/* 128 lines may be under way: the next write waits for the first to be done, and all get done. */
static void check_full(void)
{
	struct rig r;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	rig_watch(&r, 0, "irp", SIG_IRP_MISC1, IRP_MISC1_THROTTLE, IRP_MISC1_THROTTLE);
	rig_watch(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_WBMTOI, IRP_COHERENT_WBMTOI);
	for (unsigned i = 0; i < IRP_ENTRIES; i++)
		rig_io(&r, 0, FABRIC_IO_WRITE, A + i);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_MISC1, IRP_MISC1_THROTTLE, IRP_MISC1_THROTTLE), 0);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_WBMTOI, IRP_COHERENT_WBMTOI), 0);
	rig_io(&r, 0, FABRIC_IO_WRITE, A + IRP_ENTRIES);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_MISC1, IRP_MISC1_THROTTLE, IRP_MISC1_THROTTLE), 1);
	fabric_io_advance(r.f, UINT64_MAX - 1);
	CHECK_EQ(__LINE__, rig_sum(&r, 0, "irp", SIG_IRP_COHERENT, IRP_COHERENT_WBMTOI, IRP_COHERENT_WBMTOI),
		 IRP_ENTRIES + 1);
	rig_close(&r);
}

int main(void)
{
	run_steps(alone, LEN(alone), 1, FABRIC_SNOOP_SOURCE);
	run_steps(pair, LEN(pair), 2, FABRIC_SNOOP_SOURCE);
	run_steps(pair, LEN(pair), 2, FABRIC_SNOOP_HOME);
	check_messages();
	check_outbound();
	check_lock();
	check_meetings();
	check_full();
	return check_done();
}
