/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Four sockets with two links each, by hand:
 *
 *	0 -- 1		link 0 leads to the other of 0 and 1, or of 2 and 3
 *	|    |		link 1 to the other of 0 and 2, or of 1 and 3
 *	2 -- 3
 *
 * A packet over two links goes by link 0 first.  The socket between sends it on on VN1; an NDR is one on the AD ring there.
 */
#include "rig.h"
#include "uncore/cbo/llc.h"

enum { SNP, HOM_REQ, HOM_NONREQ, DRS, NDR_AK, NDR_AD, CLASSES };

static const uint64_t classes[CLASSES] = {
	QPI_TX_FLIT_SNP, QPI_TX_FLIT_HOM_REQ, QPI_TX_FLIT_HOM_NONREQ, QPI_TX_FLIT_DRS_DATA, QPI_TX_FLIT_NDR_AK,
	QPI_TX_FLIT_NDR_AD,
};

#define NEAR (UINT64_C(1) << REMOTE | 0x1000)	/* at home in socket 1 */
#define FAR (UINT64_C(3) << REMOTE | 0x1000)	/* in socket 3 */

/* What each socket sends, over both links together, because of a request of socket 0; and messages it sends on. */
static const struct step {
	int line;
	uint8_t kind;
	uint64_t at;
	uint8_t sent[4][CLASSES], on[4];
} steps[] = {
	/* To 1: a snoop and a request, and through it the snoop of 3.  Who is asked answers 1; 2 does so through 3. */
	{ LINE, LEAVE_DRD, NEAR,
	  { { [SNP] = 3, [HOM_REQ] = 1 }, { [SNP] = 1, [DRS] = 8 }, { [HOM_NONREQ] = 1 }, { [HOM_NONREQ] = 2 } },
	  { [1] = 1, [3] = 1 } },
	/* To 3: request and snoop through 1; the line through 2. */
	{ LINE, LEAVE_DRD, FAR,
	  { { [SNP] = 3, [HOM_REQ] = 1 }, { [SNP] = 1, [HOM_REQ] = 1, [HOM_NONREQ] = 1 }, { [HOM_NONREQ] = 1, [DRS] = 8 },
	    { [DRS] = 8 } },
	  { [1] = 2, [2] = 1 } },
	/* No data, but a completion: on the AD ring of 2. */
	{ LINE, LEAVE_ITOM, FAR + 1,
	  { { [SNP] = 3, [HOM_REQ] = 1 }, { [SNP] = 1, [HOM_REQ] = 1, [HOM_NONREQ] = 1 }, { [HOM_NONREQ] = 1, [NDR_AK] = 1 },
	    { [NDR_AD] = 1 } },
	  { [1] = 2, [2] = 1 } },
	/* Hits stay in the socket. */
	{ LINE, LEAVE_DRD, FAR, { { 0 }, { 0 }, { 0 }, { 0 } }, { 0 } },
};

static void check_flits(void)
{
	static struct rig r;
	uint64_t before[4][CLASSES] = { { 0 } }, on[4] = { 0 };

	rig_open(&r, 4, 4, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned s = 0; s < 4; s++) {
		rig_watch(&r, s, "r3qpi", SIG_R3QPI_RXR1_INSERT, 0, 0);
		for (unsigned c = 0; c < CLASSES; c++) {
			rig_watch(&r, s, "qpi", SIG_QPI_TX_FLIT, classes[c], classes[c]);
			rig_watch(&r, s, "qpi", SIG_QPI_RX_FLIT, classes[c], classes[c]);
		}
	}
	for (const struct step *p = steps; p < steps + LEN(steps); p++) {
		rig_do(&r, 0, 3, (enum leave_kind)p->kind, p->at);
		for (unsigned s = 0; s < 4; s++) {
			uint64_t now = rig_sum(&r, s, "r3qpi", SIG_R3QPI_RXR1_INSERT, 0, 0);

			CHECK_EQ(p->line, now - on[s], p->on[s]);
			on[s] = now;
			for (unsigned c = 0; c < CLASSES; c++) {
				uint64_t tx = rig_sum(&r, s, "qpi", SIG_QPI_TX_FLIT, classes[c], classes[c]);

				CHECK_EQ(p->line, tx - before[s][c], p->sent[s][c]);
				before[s][c] = tx;
			}
		}
		/* All that is sent is received. */
		for (unsigned c = 0; c < CLASSES; c++) {
			uint64_t tx = 0, rx = 0;

			for (unsigned s = 0; s < 4; s++) {
				tx += rig_sum(&r, s, "qpi", SIG_QPI_TX_FLIT, classes[c], classes[c]);
				rx += rig_sum(&r, s, "qpi", SIG_QPI_RX_FLIT, classes[c], classes[c]);
			}
			CHECK_EQ(p->line, rx, tx);
		}
	}
	rig_close(&r);
}

static uint64_t of_slice_0(uint64_t line)
{
	static struct llc hash;

	if (!hash.slices)
		CHECK_EQ(__LINE__, llc_init(&hash, 4, 20), 0);
	while (llc_slice(&hash, line) != 0)
		line++;
	return line;
}

/* A read of a device: NCS there, DRS back.  The second link takes 8 + 8 clocks of 500 ps, 13 ns, and 500 ps a flit. */
static void check_time(bool listen)
{
	static struct rig r;
	uint64_t near, far;

	rig_open(&r, 4, 4, 20, FABRIC_SNOOP_SOURCE);
	if (listen)
		rig_watch(&r, 1, "r3qpi", SIG_R3QPI_RXR1, R3QPI_RXR1_NCS, R3QPI_RXR1_NCS);
	r.now = 1000000;
	near = rig_do(&r, 0, 0, LEAVE_UC_READ, of_slice_0(NEAR)).when - 1000000;
	r.now = 20000000;
	far = rig_do(&r, 0, 0, LEAVE_UC_READ, of_slice_0(FAR)).when - 20000000;
	CHECK_EQ(__LINE__, far - near, 2 * (16 * 500 + 13000) + (1 + 9) * 500);
	/* In the socket between it waits for the link layer for eight clocks. */
	if (listen)
		CHECK_EQ(__LINE__, rig_sum(&r, 1, "r3qpi", SIG_R3QPI_RXR1, R3QPI_RXR1_NCS, R3QPI_RXR1_NCS), 8);
	rig_close(&r);
}

/* With a link to each other socket nothing is routed through. */
static void check_neighbours(void)
{
	static struct rig r;

	rig_open(&r, 3, 4, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned s = 0; s < 3; s++)
		rig_watch(&r, s, "r3qpi", SIG_R3QPI_RXR1_INSERT, 0, 0);
	for (unsigned i = 0; i < 64; i++)
		rig_do(&r, i % 3, 0, i & 1 ? LEAVE_DRD : LEAVE_RFO, (uint64_t)(i / 3 % 3) << REMOTE | i % 5);
	for (unsigned s = 0; s < 3; s++)
		CHECK_EQ(__LINE__, rig_sum(&r, s, "r3qpi", SIG_R3QPI_RXR1_INSERT, 0, 0), 0);
	rig_close(&r);
}

int main(void)
{
	check_flits();
	check_time(true);
	check_time(false);
	check_neighbours();
	return check_done();
}
