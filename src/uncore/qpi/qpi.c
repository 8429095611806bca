/* SPDX-License-Identifier: BSD-2-Clause */
/* One direction of a QPI link: time on the wire, and what both ends tell of a packet. */
#include "signal/lump.h"
#include "signal_ids.h"
#include "uncore/qpi/qpi.h"

/* What the signals of both link layers and of R3QPI call a class. */
static const struct {
	uint64_t header, data;		/* qpi.tx_flit, qpi.rx_flit */
	uint64_t queue;			/* qpi.rxq */
	unsigned stall;			/* where it waits in the receive buffer, QPI_STALL_DRS or one behind it */
	uint64_t credit, free;		/* qpi.credit, qpi.credit_free */
	uint64_t r3;			/* r3qpi.rxr */
	unsigned r3_queue;
} flags[QPI_CLASSES] = {
	[QPI_HOM_REQ] = {
		.header = QPI_TX_FLIT_HOM_REQ,
		.queue = QPI_RXQ_HOM, .stall = QPI_STALL_HOM,
		.credit = QPI_CREDIT_AD_HOM, .free = QPI_CREDIT_FREE_AD_HOM, .r3 = R3QPI_RXR_HOM, .r3_queue = QPI_R3_HOM,
	},
	[QPI_HOM_RSP] = {
		.header = QPI_TX_FLIT_HOM_NONREQ,
		.queue = QPI_RXQ_HOM, .stall = QPI_STALL_HOM,
		.credit = QPI_CREDIT_AD_HOM, .free = QPI_CREDIT_FREE_AD_HOM, .r3 = R3QPI_RXR_HOM, .r3_queue = QPI_R3_HOM,
	},
	[QPI_NDR] = {
		.header = QPI_TX_FLIT_NDR_AK,
		.queue = QPI_RXQ_NDR, .stall = QPI_STALL_NDR,
		.credit = QPI_CREDIT_AK_NDR, .free = QPI_CREDIT_FREE_AK_NDR, .r3 = R3QPI_RXR_NDR, .r3_queue = QPI_R3_NDR,
	},
	[QPI_NDR_AD] = {
		.header = QPI_TX_FLIT_NDR_AD,
		.queue = QPI_RXQ_NDR, .stall = QPI_STALL_NDR,
		.credit = QPI_CREDIT_AD_NDR, .free = QPI_CREDIT_FREE_AD_NDR, .r3 = R3QPI_RXR_NDR, .r3_queue = QPI_R3_NDR,
	},
	[QPI_SNP] = {
		.header = QPI_TX_FLIT_SNP,
		.queue = QPI_RXQ_SNP, .stall = QPI_STALL_SNP,
		.credit = QPI_CREDIT_AD_SNP, .free = QPI_CREDIT_FREE_AD_SNP, .r3 = R3QPI_RXR_SNP, .r3_queue = QPI_R3_SNP,
	},
	[QPI_NCS] = {
		.header = QPI_TX_FLIT_NCS,
		.queue = QPI_RXQ_NCS, .stall = QPI_STALL_NCS,
		.credit = QPI_CREDIT_BL_NCS, .free = QPI_CREDIT_FREE_BL_NCS, .r3 = R3QPI_RXR_NCS, .r3_queue = QPI_R3_NCS,
	},
	[QPI_NCB] = {
		.header = QPI_TX_FLIT_NCB_NONDATA, .data = QPI_TX_FLIT_NCB_DATA | QPI_TX_FLIT_DATA,
		.queue = QPI_RXQ_NCB, .stall = QPI_STALL_NCB,
		.credit = QPI_CREDIT_BL_NCB, .free = QPI_CREDIT_FREE_BL_NCB, .r3 = R3QPI_RXR_NCB, .r3_queue = QPI_R3_NCB,
	},
	[QPI_DRS] = {
		.header = QPI_TX_FLIT_DRS_NONDATA, .data = QPI_TX_FLIT_DRS_DATA | QPI_TX_FLIT_DATA,
		.queue = QPI_RXQ_DRS, .stall = QPI_STALL_DRS,
		.credit = QPI_CREDIT_BL_DRS, .free = QPI_CREDIT_FREE_BL_DRS, .r3 = R3QPI_RXR_DRS, .r3_queue = QPI_R3_DRS,
	},
};

/* Flags of classes have the same values in each signal. */
/* NOLINTBEGIN(misc-redundant-expression): the values are generated */
_Static_assert(R3QPI_RXR1_HOM == R3QPI_RXR_HOM && R3QPI_RXR1_NCS == R3QPI_RXR_NCS && R3QPI_RXR1_NE_HOM == R3QPI_RXR_NE_HOM &&
	       R3QPI_VN1_USED_HOM == R3QPI_RXR_HOM && R3QPI_VN1_USED_NCS == R3QPI_RXR_NCS, "signals of R3QPI agree");
_Static_assert(QPI_VN1_USED_DRS == QPI_RXQ_DRS && QPI_VN1_USED_NDR == QPI_RXQ_NDR && QPI_STALL_VN0_DRS == QPI_RXQ_DRS &&
	       QPI_STALL_VN0_NDR == QPI_RXQ_NDR && QPI_STALL_VN1_DRS == QPI_RXQ_DRS &&
	       QPI_STALL_VN1_NDR == QPI_RXQ_NDR, "signals of the link layer agree");
/* NOLINTEND(misc-redundant-expression) */

uint64_t qpi_header(const struct qpi_packet *p)
{
	uint64_t vna = 2;
	uint64_t match0 = (uint64_t)(p->requester >> 4 & 1) << 31 | (uint64_t)p->to << 13 |
			  (uint64_t)p->class << 9 | (uint64_t)p->opcode << 5 | vna << 3;
	uint64_t match1 = (uint64_t)p->rds << 16 | (p->requester & 0xf);

	return match0 | match1 << 32;
}

/* A full line is header and 8 flits of data; a partial one has two more header flits. */
static inline void tell_flits(struct signal_port *p, unsigned sig, unsigned class, unsigned n,
			      uint64_t when, const struct signal_tag *tag)
{
	uint64_t data = flags[class].data;

	if (!signal_watched(p, sig))
		return;
	signal_deliver_pulse(p, sig, when, data ? n - QPI_DATA_FLITS : n, flags[class].header, tag);
	if (data)
		signal_deliver_pulse(p, sig, when, QPI_DATA_FLITS, data, tag);
}

void qpi_end_init(struct qpi_end *end, struct signal_port *silent)
{
	static const struct { uint16_t sig; uint64_t flags; } queues[QPI_R3_VN1] = {
		[QPI_TXQ] = { SIG_QPI_TXQ_NE, 0 }, [QPI_RXQ] = { SIG_QPI_RXQ_NE, 0 },
		[QPI_R3_HOM] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_HOM },
		[QPI_R3_SNP] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_SNP },
		[QPI_R3_NDR] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_NDR },
		[QPI_R3_DRS] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_DRS },
		[QPI_R3_NCB] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_NCB },
		[QPI_R3_NCS] = { SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_NCS },
		[QPI_R3_TXR] = { SIG_R3QPI_TXR_NE, 0 },
		[QPI_R3_VNA] = { SIG_R3QPI_VNA_NE, 0 },
		[QPI_STALL_DRS] = { SIG_QPI_RX_STALL, QPI_RX_STALL_DRS },
		[QPI_STALL_NCB] = { SIG_QPI_RX_STALL, QPI_RX_STALL_NCB },
		[QPI_STALL_NCS] = { SIG_QPI_RX_STALL, QPI_RX_STALL_NCS },
		[QPI_STALL_HOM] = { SIG_QPI_RX_STALL, QPI_RX_STALL_HOM },
		[QPI_STALL_SNP] = { SIG_QPI_RX_STALL, QPI_RX_STALL_SNP },
		[QPI_STALL_NDR] = { SIG_QPI_RX_STALL, QPI_RX_STALL_NDR },
		[QPI_R3_IIO_NCB] = { SIG_R3QPI_IIO_USED, R3QPI_IIO_USED_NCB },
		[QPI_R3_IIO_NCS] = { SIG_R3QPI_IIO_USED, R3QPI_IIO_USED_NCS },
	};

	*end = (struct qpi_end){ .link = silent, .r3 = silent };
	for (unsigned i = 0; i < QPI_R3_VN1; i++)
		end->queue[i] = (struct depth){
			.signal = { queues[i].sig, DEPTH_NONE }, .flags = { queues[i].flags, 0 },
		};
	for (unsigned i = 0; i < QPI_R3_CLASSES; i++) {
		end->queue[QPI_R3_VN1 + i] = (struct depth){
			.signal = { SIG_R3QPI_RXR1_NE, DEPTH_NONE }, .flags = { R3QPI_RXR1_NE_HOM << i, 0 },
		};
		for (unsigned vn = 0; vn < 2; vn++)
			end->queue[(vn ? QPI_RXQ_NE1 : QPI_RXQ_NE0) + i] = (struct depth){
				.signal = { SIG_QPI_RXQ_NE_CLASS, DEPTH_NONE },
				.flags = { QPI_RXQ_NE_CLASS_DRS << i |
					   (vn ? QPI_RXQ_NE_CLASS_VN1 : QPI_RXQ_NE_CLASS_VN0), 0 },
			};
	}
}

void qpi_end_free(struct qpi_end *end)
{
	for (unsigned i = 0; i < QPI_QUEUES; i++)
		depth_free(&end->queue[i]);
}

static struct signal_port *port_of(struct qpi_end *end, unsigned queue)
{
	return queue < QPI_R3_HOM || queue >= QPI_RXQ_NE0 ? end->link : end->r3;
}

/* What the wire has carried in the clocks before `when` besides the flits that were told of, which may be of later ones. */
static void tell_idle(struct qpi_end *end, struct qpi_flow *flow, unsigned sig, uint64_t flag, uint64_t when)
{
	static const struct signal_tag no_tag;
	const struct signal_clock *clock = end->link->clock;
	uint64_t clocks, room, due = flow->flits + flow->idle;

	if (!end->flits)
		return;
	clocks = signal_clocks(clock, when);
	room = clocks - end->slept - (end->asleep ? clocks - end->since : 0);
	room = room * end->flits - (uint64_t)((bits_u128)flow->narrow * clock->khz / 2000000000u) * end->flits;
	if (room <= due || room > clocks * end->flits)
		return;
	flow->idle += room - due;
	signal_pulse(end->link, sig, signal_clock_time(clock, clocks - 1), room - due, flag, &no_tag);
}

void qpi_end_advance(struct qpi_end *end, uint64_t when)
{
	for (unsigned i = 0; i < QPI_QUEUES; i++)
		if (end->queue[i].on) {
			struct signal_port *p = port_of(end, i);

			depth_sweep(&end->queue[i], p, signal_clocks(p->clock, when));
		}
	tell_idle(end, &end->tx, SIG_QPI_TX_FLIT, QPI_TX_FLIT_IDLE, when);
	tell_idle(end, &end->rx, SIG_QPI_RX_FLIT, QPI_RX_FLIT_IDLE, when);
}

static void stay(struct qpi_end *end, unsigned queue, uint64_t from, uint64_t to)
{
	depth_stay(&end->queue[queue], port_of(end, queue), from, to);
}

void qpi_use_io(struct qpi_end *end, enum qpi_class class, uint64_t from, uint64_t to)
{
	stay(end, class == QPI_NCB ? QPI_R3_IIO_NCB : QPI_R3_IIO_NCS, from, to);
}

/* From the ring, or from another link, into the ingress for this one. */
static void tell_ingress(struct qpi_end *from, const struct qpi_packet *packet, const struct qpi_times *at,
			 const struct signal_tag *tag)
{
	unsigned kind = qpi_kind(*packet), queue = flags[kind].r3_queue;

	signal_pulse(from->r3, packet->vn1 ? SIG_R3QPI_RXR1_INSERT : SIG_R3QPI_RXR_INSERT, at->when, 1, flags[kind].r3, tag);
	signal_span(from->r3, packet->vn1 ? SIG_R3QPI_RXR1 : SIG_R3QPI_RXR, at->when, at->at_link, 1, flags[kind].r3, tag);
	stay(from, packet->vn1 ? QPI_R3_VN1 + queue - QPI_R3_HOM : queue, at->when, at->at_link);
}

static void tell_sender(struct qpi_lane *l, const struct qpi_packet *packet, unsigned n,
			const struct qpi_times *at, const struct signal_tag *tag)
{
	bool bl = qpi_ring(packet->class) == RING_BL;
	unsigned kind = qpi_kind(*packet);
	struct signal_port *link = l->from->link, *r3 = l->from->r3;

	tell_ingress(l->from, packet, at, tag);
	if (at->reserved)
		signal_pulse(r3, packet->vn1 ? SIG_R3QPI_VN1_USED : SIG_R3QPI_VN0_USED, at->at_link, 1, flags[kind].r3, tag);
	else
		signal_pulse(r3, SIG_R3QPI_VNA_ACQUIRE, at->when, n,
			     bl ? R3QPI_VNA_ACQUIRE_BL : R3QPI_VNA_ACQUIRE_AD, tag);
	if (at->go == at->at_link) {
		signal_pulse(link, SIG_QPI_TX_BYPASS, at->at_link, n, 0, tag);
	} else {
		signal_pulse(link, SIG_QPI_TX_INSERT, at->at_link, n, 0, tag);
		signal_span(link, SIG_QPI_TXQ, at->at_link, at->go, n, 0, tag);
		stay(l->from, QPI_TXQ, at->at_link, at->go);
	}
	tell_flits(link, SIG_QPI_TX_FLIT, kind, n, at->go, tag);
	l->from->tx.flits += n;
	signal_pulse(link, SIG_QPI_PACKET, at->go, 1, QPI_PACKET_TX, tag);
}

/* A credit for the way across the clocks into R3QPI is not there from `from` to `to`.  Told as a change
 * of what is there, which stands at the pool's size (qpi_end_bind). */
static void take_credit(struct signal_port *p, uint64_t flag, uint64_t from, uint64_t to)
{
	static const struct signal_tag no_tag;

	if (!signal_watched(p, SIG_QPI_CREDIT_FREE))
		return;
	signal_level(p, SIG_QPI_CREDIT_FREE, from, -1, flag, &no_tag);
	signal_level(p, SIG_QPI_CREDIT_FREE, to, 1, flag, &no_tag);
}

static void tell_receiver(struct qpi_lane *l, const struct qpi_packet *packet, unsigned n,
			  const struct qpi_times *at, const struct signal_tag *tag)
{
	bool vn1 = packet->vn1;
	unsigned kind = qpi_kind(*packet);
	uint64_t queue = flags[kind].queue | (vn1 ? QPI_RXQ_VN1 : QPI_RXQ_VN0), when = at->arrive, go = at->leave;
	struct signal_port *link = l->to->link, *r3 = l->to->r3;

	tell_flits(link, SIG_QPI_RX_FLIT, kind, n, when, tag);
	l->to->rx.flits += n;
	signal_pulse(link, SIG_QPI_PACKET, when, 1, 0, tag);
	if (at->reserved)
		signal_pulse(link, vn1 ? SIG_QPI_VN1_USED : SIG_QPI_VN0_USED, when, 1, flags[kind].queue, tag);
	else
		signal_pulse(link, SIG_QPI_VNA_USED, when, n, 0, tag);
	if (go > at->ready)
		signal_span(link, vn1 ? SIG_QPI_STALL_VN1 : SIG_QPI_STALL_VN0, at->ready, go, 1, flags[kind].queue, tag);
	if (go == when) {
		signal_pulse(link, SIG_QPI_RX_BYPASS, when, n, 0, tag);
	} else {
		signal_pulse(link, SIG_QPI_RX_INSERT, when, n, queue, tag);
		signal_span(link, SIG_QPI_RXQ, when, go, n, queue, tag);
		stay(l->to, QPI_RXQ, when, go);
		stay(l->to, (vn1 ? QPI_RXQ_NE1 : QPI_RXQ_NE0) + flags[kind].stall - QPI_STALL_DRS, when, go);
		stay(l->to, flags[kind].stall, when, go);
	}
	signal_pulse(link, SIG_QPI_CREDIT, go, 1, flags[kind].credit | (vn1 ? QPI_CREDIT_VN1 : QPI_CREDIT_VN0), tag);
	take_credit(link, flags[kind].free | (vn1 ? QPI_CREDIT_FREE_VN1 : QPI_CREDIT_FREE_VN0), go, go + l->in);
	if (!at->reserved) {
		signal_span(link, SIG_QPI_VNA_PENDING, go, go + l->credit, n, 0, tag);
		signal_pulse(link, SIG_QPI_VNA_RETURN, go + l->credit, n, 0, tag);
	}
	if (packet->through)
		return;
	signal_pulse(r3, SIG_R3QPI_TXR_INSERT, go, 1, flags[kind].r3, tag);
	stay(l->to, QPI_R3_TXR, go, go + l->in);
	if (packet->class == QPI_NCB || packet->class == QPI_NCS) {
		bool ncb = packet->class == QPI_NCB;

		signal_pulse(r3, SIG_R3QPI_IIO_ACQUIRE, go, 1,
			     ncb ? R3QPI_IIO_ACQUIRE_NCB : R3QPI_IIO_ACQUIRE_NCS, tag);
		if (packet->class == QPI_NCS && packet->opcode == QPI_NC_MSG_S)
			qpi_use_io(l->to, QPI_NCS, go, go + l->in + l->credit);
	}
	if (packet->class == QPI_DRS && packet->opcode <= QPI_DATA_C_CMP)
		signal_pulse(link, SIG_QPI_DIRECT2CORE, go, 1,
			     packet->core ? QPI_DIRECT2CORE_SUCCESS : QPI_DIRECT2CORE_RBT_INVALID, tag);
}

/* For the record: n flits of a packet have been where they were. */
static void note(const struct qpi_lane *l, struct qpi_packet packet, unsigned n, const struct qpi_times *at)
{
	stays_come(l->stays, packet.vn1 ? STAYS_VN1 : STAYS_VN0, l->from->r3, at->when, 1);
	stays_leave(l->stays, packet.vn1 ? STAYS_VN1 : STAYS_VN0, l->from->r3, at->at_link, 1);
	stays_come(l->stays, STAYS_TX, l->from->link, at->at_link, n);
	stays_leave(l->stays, STAYS_TX, l->from->link, at->go, n);
	stays_come(l->stays, STAYS_RX, l->to->link, at->arrive, n);
	stays_leave(l->stays, STAYS_RX, l->to->link, at->leave, n);
	if (at->reserved)
		return;
	stays_come(l->stays, STAYS_VNA, l->to->link, at->leave, n);
	stays_leave(l->stays, STAYS_VNA, l->to->link, at->leave + l->credit, n);
}

static void tell_all(struct qpi_lane *l, struct qpi_packet packet, uint64_t line, const struct qpi_times *at)
{
	unsigned n = qpi_flits(packet.class, packet.opcode);
	struct signal_tag tag = { .addr = line << 6, .packet = { qpi_header(&packet) } };

	tell_sender(l, &packet, n, at, &tag);
	tell_receiver(l, &packet, n, at, &tag);
	if (!at->reserved)
		stay(l->from, QPI_R3_VNA, at->when, at->leave + l->credit);
}

void qpi_tell(struct qpi_lane *l, struct qpi_packet packet, uint64_t line, const struct qpi_times *at)
{
	l->went = at->go;
	if (l->stays)
		note(l, packet, qpi_flits(packet.class, packet.opcode), at);
	if (l->tell == QPI_TELL_ALL)
		tell_all(l, packet, line, at);
	else
		qpi_count(l, packet);
}

uint64_t qpi_r3_flag(unsigned class)
{
	return flags[class].r3;
}

/* Greatest increments of the credit occupancies (HSX manual, 2.9.6): how many credits there are.  Where packets are routed
 * through, a quarter of them are VN1's. */
void qpi_end_bind(struct qpi_end *end, struct signal_port *link, unsigned flits, bool through)
{
	static const struct { uint64_t flag; uint8_t credits; } pools[] = {
		{ QPI_CREDIT_FREE_BL_DRS, 8 }, { QPI_CREDIT_FREE_BL_NCB, 2 }, { QPI_CREDIT_FREE_BL_NCS, 2 },
		{ QPI_CREDIT_FREE_AD_HOM, 28 }, { QPI_CREDIT_FREE_AD_SNP, 28 }, { QPI_CREDIT_FREE_AD_NDR, 8 },
		{ QPI_CREDIT_FREE_AK_NDR, 6 },
	};
	static const struct signal_tag no_tag;

	end->link = link;
	end->flits = flits;
	for (unsigned i = 0; i < LEN(pools); i++) {
		unsigned vn1 = through ? (pools[i].credits + 3) / 4 : 0;

		signal_level(link, SIG_QPI_CREDIT_FREE, 0, pools[i].credits - vn1, pools[i].flag | QPI_CREDIT_FREE_VN0, &no_tag);
		if (vn1)
			signal_level(link, SIG_QPI_CREDIT_FREE, 0, vn1, pools[i].flag | QPI_CREDIT_FREE_VN1, &no_tag);
	}
	signal_level(link, SIG_QPI_POWER, 0, 1, QPI_POWER_TX_L0 | QPI_POWER_RX_L0, &no_tag);
}

void qpi_end_sleep(struct qpi_end *end, uint64_t when, bool sleeps)
{
	static const struct signal_tag no_tag;
	int64_t one = sleeps ? 1 : -1;
	uint64_t clocks = signal_clocks(end->link->clock, when);

	if (end->asleep)
		end->slept += clocks - end->since;
	end->asleep = sleeps;
	end->since = clocks;
	signal_level(end->link, SIG_QPI_POWER, when, -one, QPI_POWER_TX_L0 | QPI_POWER_RX_L0, &no_tag);
	signal_level(end->link, SIG_QPI_POWER, when, one, QPI_POWER_L1, &no_tag);
}

void qpi_tell_lumps(struct qpi_lane *l)
{
	for (unsigned class = 0; class < QPI_CLASSES; class++) {
		uint64_t brief = l->packets[class][0], more = l->packets[class][1];
		uint64_t header = brief + more * QPI_LONG_HEADER, data = (brief + more) * QPI_DATA_FLITS;

		if (!header)
			continue;
		l->packets[class][0] = l->packets[class][1] = 0;
		l->from->tx.flits += header + (flags[class].data ? data : 0);
		l->to->rx.flits += header + (flags[class].data ? data : 0);
		signal_lump(l->from->link, SIG_QPI_TX_FLIT, header, flags[class].header, NULL);
		signal_lump(l->to->link, SIG_QPI_RX_FLIT, header, flags[class].header, NULL);
		if (!flags[class].data)
			continue;
		signal_lump(l->from->link, SIG_QPI_TX_FLIT, data, flags[class].data, NULL);
		signal_lump(l->to->link, SIG_QPI_RX_FLIT, data, flags[class].data, NULL);
	}
}

/* Is it enough for whoever listens at this end to be told of flits in lumps? */
static bool lumps(const struct qpi_end *end)
{
	static const uint16_t flits[] = { SIG_QPI_TX_FLIT, SIG_QPI_RX_FLIT };

	return !end->r3->any && signal_quiet(end->link, flits, LEN(flits)) &&
	       signal_lumps(end->link, SIG_QPI_TX_FLIT, UINT64_MAX, 0) &&
	       signal_lumps(end->link, SIG_QPI_RX_FLIT, UINT64_MAX, 0);
}

void qpi_rewatch(struct qpi_lane *l)
{
	l->tell = lumps(l->from) && lumps(l->to) ? QPI_TELL_LUMPS : QPI_TELL_ALL;
}
