/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the fabric of all sockets and binds the ports of its boxes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "signal_ids.h"
#include "uncore/fabric_io.h"
#include "uncore/fabric_walk.h"

_Static_assert((int)LLC_SETS == (int)FABRIC_SETS && (int)LLC_MAX_WAYS == (int)FABRIC_MAX_WAYS &&
	       (int)LLC_CORES == (int)FABRIC_MAX_CORES && (int)RING_CBOS == (int)FABRIC_MAX_CORES,
	       "the parts agree on the size of a socket");
_Static_assert(CBO_FOUND_F == CBO_FOUND_I << LLC_F && CBO_FOUND_M == CBO_FOUND_I << LLC_M &&
	       CBO_SNOOP_F == CBO_SNOOP_I << LLC_F && CBO_SNOOP_M == CBO_SNOOP_I << LLC_M &&
	       CBO_FILL_OVER_F == CBO_FILL_OVER_I << LLC_F, "flags of states stand in the order of enum llc_state");
_Static_assert((int)CBO_SOCKETS == (int)FABRIC_MAX_SOCKETS, "a slice has credits of each");
_Static_assert(FABRIC_MAX_SOCKETS <= 8, "fabric.present has a bit for each socket");
_Static_assert((int)SIG_CBO_COUNT <= 64, "fabric.told has a bit for each signal of a CBo");
_Static_assert((int)SIG_CBO_COUNT <= FABRIC_SILENT_SIGNALS && (int)SIG_SBO_COUNT <= FABRIC_SILENT_SIGNALS &&
	       (int)SIG_QPI_COUNT <= FABRIC_SILENT_SIGNALS && (int)SIG_HA_COUNT <= FABRIC_SILENT_SIGNALS &&
	       (int)SIG_R3QPI_COUNT <= FABRIC_SILENT_SIGNALS &&
	       (int)SIG_R2PCIE_COUNT <= FABRIC_SILENT_SIGNALS && (int)SIG_IRP_COUNT <= FABRIC_SILENT_SIGNALS &&
	       (int)SIG_UBOX_COUNT <= FABRIC_SILENT_SIGNALS, "the silent port has room");

static void wire_lane(struct fabric *f, struct qpi_lane *l, unsigned from, unsigned to, unsigned which)
{
	l->drain = &f->socket[to].drain;
	if (fabric_inside(f, from, to)) {
		l->from = l->to = &f->inner;
		return;
	}
	l->from = &f->end[from >> f->split][fabric_link(f, from, to, which)];
	l->to = &f->end[to >> f->split][fabric_link(f, to, from, which)];
}

static void wire_lanes(struct fabric *f)
{
	unsigned n = f->config.sockets;

	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++)
			for (unsigned w = 0; w < f->parallel && from != to && fabric_next(f, from, to) == to; w++) {
				struct qpi_lane *l = &f->lane[(from * n + to) * f->parallel + w];

				if (f->lanes[from][to] + w != l)
					continue;
				wire_lane(f, l, from, to, w);
				qpi_rewatch(l);
			}
}

/* What listeners need, found out anew before anything else happens. */
static void look_again(struct fabric *f)
{
	f->told = 0;
	for (unsigned s = 0; s < f->config.sockets; s++) {
		ring_rewatch(&f->socket[s].ring);
		for (unsigned i = 0; i < f->config.cores; i++)
			for (unsigned sig = 0; sig < SIG_CBO_COUNT; sig++)
				if (signal_watched(f->socket[s].cbo[i].port, sig))
					f->told |= UINT64_C(1) << sig;
	}
	wire_lanes(f);
	f->plain = fabric_lumps_do(f);
	f->walk = !f->plain ? fabric_walk_told : f->config.message ? fabric_walk_bridged : fabric_walk_plain;
	for (unsigned i = 0; i < f->config.sockets * f->config.has; i++) {
		ha_rewatch(f->ha[i]);
		ha_world(f->ha[i], &(struct ha_world){
			.ctx = f, .snoop = !f->plain ? fabric_home_snoop_told :
					   f->config.message ? fabric_home_snoop_bridged : fabric_home_snoop_plain,
		});
	}
}

/* Stands in for the walk while it is not known which one it must be. */
static struct fabric_reply walk_settled(struct fabric *f, const struct fabric_request *r)
{
	look_again(f);
	return f->walk(f, r);
}

void fabric_rewatch(struct fabric *f)
{
	f->walk = walk_settled;
}

void fabric_settle(struct fabric *f)
{
	if (f->walk == walk_settled)
		look_again(f);
}

static void own_times(struct fabric *f)
{
	const struct fabric_times *t = &f->config.times;
	const struct { uint32_t *at; unsigned clocks; } times[] = {
		{ &f->at.core_out, t->core_out }, { &f->at.core_in, t->core_in }, { &f->at.tag, t->tag },
		{ &f->at.hit, t->hit }, { &f->at.r3_out, t->r3_out }, { &f->at.r3_in, t->r3_in },
	};

	for (unsigned i = 0; i < LEN(times); i++)
		if (times[i].clocks)
			*times[i].at = times[i].clocks * f->uclk.period;
}

/* Between clusters messages go from ring to ring: a line is two slots, the way is that through an SBo. */
static void to_ring(const struct fabric *f, struct qpi_lane *l, uint32_t khz)
{
	l->flit = calendar_rate((uint64_t)khz * QPI_LINE_FLITS / 2);
	l->flight = FABRIC_SBO * (uint32_t)f->uclk.period;
	l->out = l->in = l->credit = 0;
}

void fabric_uclk(struct fabric *f, uint32_t khz)
{
	unsigned n = f->config.sockets;

	f->uclk = calendar_rate(khz);
#define X(name, clocks, text) f->at.name = (clocks) * f->uclk.period;
	FABRIC_LATENCIES(X)
#undef X
	own_times(f);
	for (unsigned s = 0; s < n; s++) {
		ring_uclk(&f->socket[s].ring, &f->uclk);
		memset(&f->socket[s].drain, 0, sizeof f->socket[s].drain);
		for (unsigned i = 0; i < f->config.cores; i++) {
			memset(&f->socket[s].cbo[i].pipe, 0, sizeof f->socket[s].cbo[i].pipe);
			memset(&f->socket[s].cbo[i].bl, 0, sizeof f->socket[s].cbo[i].bl);
		}
		irp_uclk(&f->socket[s].irp, &f->uclk);
	}
	for (unsigned i = 0; i < n * n * f->parallel; i++) {
		f->lane[i].uclk = f->uclk;
		f->lane[i].out = f->at.r3_out;
		f->lane[i].in = f->at.r3_in;
		f->lane[i].credit = f->at.credit;
		if (f->lane[i].from == &f->inner)
			to_ring(f, &f->lane[i], khz);
	}
}

static unsigned lanes(const struct fabric *f)
{
	return f->config.sockets * f->config.sockets * f->parallel;
}

/* The number of a lane's link at the sender. */
static unsigned lane_link(const struct fabric *f, unsigned lane)
{
	unsigned pair = lane / f->parallel, from = pair / f->config.sockets, to = pair % f->config.sockets;

	return fabric_inside(f, from, to) ? 0 : fabric_link(f, from, to, lane % f->parallel);
}

/* A lane of a link, not one between clusters. */
static bool is_link(const struct fabric *f, unsigned lane)
{
	return f->lane[lane].from && f->lane[lane].from != &f->inner;
}

static void make_trouble(struct fabric *f)
{
	struct qpi_conditions is = {
		.vna = f->config.vna ? f->config.vna : QPI_ROOM, .narrows = f->config.narrows,
	};

	for (unsigned i = 0; i < lanes(f); i++) {
		qpi_trouble_init(&f->trouble[i], &is, lane_link(f, i), i);
		f->lane[i].trouble = f->trouble[i].always && is_link(f, i) ? &f->trouble[i] : NULL;
	}
}

void fabric_link_errors(struct fabric *f, uint64_t below, uint64_t seed)
{
	for (unsigned i = 0; i < lanes(f); i++) {
		if (!is_link(f, i))
			continue;
		f->trouble[i].is.error = chance_start(below, seed, i);
		f->trouble[i].always = true;
		f->lane[i].trouble = &f->trouble[i];
	}
}

void fabric_hold(struct fabric *f, uint64_t until)
{
	for (unsigned i = 0; i < lanes(f); i++)
		if (is_link(f, i))
			qpi_hold(&f->lane[i], &f->trouble[i], until);
}

void fabric_links_sleep(struct fabric *f, uint64_t when, bool sleep)
{
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			if (f->end[s][i].link != &f->silent)
				qpi_end_sleep(&f->end[s][i], when, sleep);
	for (unsigned i = 0; i < lanes(f); i++)
		if (f->lane[i].from)
			qpi_trouble_sleep(&f->lane[i], &f->trouble[i], when, sleep);
}

static bool valid(const struct fabric_config *c)
{
	return c->sockets >= 1 && c->sockets <= FABRIC_MAX_SOCKETS && c->cores >= 1 &&
	       c->cores <= FABRIC_MAX_CORES && c->ways >= 1 && c->ways <= FABRIC_MAX_WAYS &&
	       c->links <= FABRIC_MAX_LINKS && (c->sockets == 1 || c->links >= 1) &&
	       c->has >= 1 && c->has <= RING_HAS && c->clusters <= 2 && (c->clusters < 2 || c->sockets % 2 == 0) && c->uclk_khz && c->qpi_mts && c->ha && c->home;
}

/* Memory, in a state that fabric_free() can take. */
static int allocate(struct fabric *f)
{
	unsigned n = f->config.sockets, has = n * f->config.has;

	f->socket = calloc(n, sizeof *f->socket);
	f->lane = calloc((size_t)n * n * f->parallel, sizeof *f->lane);
	f->trouble = calloc((size_t)n * n * f->parallel, sizeof *f->trouble);
	f->ha = calloc(has, sizeof *f->ha);
	f->present = calloc(FABRIC_PAGES, 1);
	if (!f->socket || !f->lane || !f->trouble || !f->ha || !f->present)
		return BXS_ENOMEM;
	for (unsigned s = 0; s < n; s++) {
		int err = llc_init(&f->socket[s].llc, f->config.cores, f->config.ways);

		if (err < 0)
			return err;
	}
	memcpy(f->ha, f->config.ha, has * sizeof *f->ha);
	return 0;
}

/* All clusters of two sockets use the same links. */
static struct qpi_lane *first_lane(struct fabric *f, unsigned from, unsigned to)
{
	if (!fabric_inside(f, from, to)) {
		from = fabric_front(f, from);
		to = fabric_front(f, to);
	}
	return &f->lane[(from * f->config.sockets + to) * f->parallel];
}

static void build(struct fabric *f)
{
	struct ring_config ring = {
		.cores = f->config.cores, .has = f->config.has, .uclk = calendar_rate(f->config.uclk_khz),
		.hop = FABRIC_HOP, .cross = FABRIC_SBO, .single = f->split,
	};

	for (unsigned s = 0; s < f->config.sockets; s++) {
		ring_init(&f->socket[s].ring, &ring, &f->silent);
		irp_init(&f->socket[s].irp, &f->silent);
		f->socket[s].ubox.port = &f->silent;
		for (unsigned i = 0; i < f->config.cores; i++)
			f->socket[s].cbo[i].port = &f->silent;
		f->socket[s].ring.stop = f->socket[s].stop;
		r3_init(&f->socket[s].r3);
		for (unsigned i = 0; i < RING_STOPS; i++)
			stop_init(&f->socket[s].stop[i], i);
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_init(&f->end[s][i], &f->silent);
	}
	for (unsigned from = 0; from < f->config.sockets; from++)
		for (unsigned to = 0; to < f->config.sockets; to++)
			f->lanes[from][to] = first_lane(f, from, to);
	for (unsigned i = 0; i < lanes(f); i++) {
		f->lane[i].flit = calendar_rate((uint64_t)f->config.qpi_mts * 1000 / 4);
		f->lane[i].flight = FABRIC_FLIGHT_PS;
	}
	qpi_end_init(&f->inner, &f->silent);
	wire_lanes(f);
	make_trouble(f);
	fabric_uclk(f, f->config.uclk_khz);
	look_again(f);
}

/* Nodes of equal size one behind the other, whose channels share lines by bits, need no callback to
 * be found. */
static void find_nodes(struct fabric *f)
{
	const struct ha_map *map = f->config.map;
	unsigned ways = map ? map[0].agents * map[0].channels : 0;
	unsigned shift = map ? (unsigned)__builtin_ctzll(map[0].lines) : 0;

	if (!map || (ways & (ways - 1)) || map[0].agents != f->config.has)
		return;
	for (unsigned s = 0; s < f->config.sockets; s++)
		if (map[s].lines != UINT64_C(1) << shift || map[s].base != (uint64_t)s << shift ||
		    map[s].agents != map[0].agents || map[s].channels != map[0].channels)
			return;
	f->node_shift = shift;
	f->node_mask = bits_low(shift);
	f->way_bits = (unsigned)__builtin_ctz(ways);
}

int fabric_new(const struct fabric_config *config, struct fabric **out)
{
	struct fabric *f;
	int err;

	if (!valid(config))
		return BXS_EINVAL;
	f = calloc(1, sizeof *f);
	if (!f)
		return BXS_ENOMEM;
	f->config = *config;
	f->split = config->clusters == 2;
	f->parallel = config->sockets >> f->split == 2 ? config->links : 1;
	f->has_shift = config->has - 1;
	f->routed = !f->split && config->links > 1 && config->sockets == 1u << config->links && !config->message;
	f->silent.watch = f->no_watch;
	err = allocate(f);
	if (err < 0) {
		fabric_free(f);
		return err;
	}
	find_nodes(f);
	build(f);
	*out = f;
	return 0;
}

void fabric_free(struct fabric *f)
{
	if (!f)
		return;
	for (unsigned s = 0; f->socket && s < f->config.sockets; s++) {
		llc_free(&f->socket[s].llc);
		irp_free(&f->socket[s].irp);
		r3_free(&f->socket[s].r3);
		for (unsigned i = 0; i < RING_STOPS; i++)
			stop_free(&f->socket[s].stop[i]);
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_free(&f->end[s][i]);
	}
	qpi_end_free(&f->inner);
	for (unsigned i = 0; f->trouble && i < lanes(f); i++)
		qpi_trouble_free(&f->trouble[i]);
	free(f->socket);
	free(f->lane);
	free(f->trouble);
	free(f->ha);
	free(f->present);
	free(f);
}

struct fabric_reply fabric_request(struct fabric *f, const struct fabric_request *r)
{
	f->lumped = true;
	return f->walk(f, r);
}

void fabric_prefetch(const struct fabric *f, unsigned socket, uint64_t line)
{
	unsigned slice = llc_slice(&f->socket[socket].llc, line);

	llc_prefetch(&f->socket[socket].llc, slice, line);
	for (unsigned left = *fabric_present(f, line) & ~(1u << socket); left; left &= left - 1)
		llc_prefetch(&f->socket[__builtin_ctz(left)].llc, slice, line);
}

uint64_t fabric_send(const struct fabric_walk *w, enum fabric_way way, struct qpi_packet packet, uint64_t line,
		     unsigned home, unsigned from, unsigned to, uint64_t sent, uint64_t got)
{
	const struct fabric *f = w->f;
	struct fabric_message m = {
		.line = line, .sent = sent, .got = got, .packet = packet, .way = (uint8_t)way,
		.from = (uint8_t)from, .to = (uint8_t)to, .slice = (uint8_t)w->slice,
		.home = (uint8_t)(home & (f->config.has - 1)),
		.link = from == to ? 0 : (uint8_t)fabric_link(f, from, to, fabric_which(f, line)),
		.far = from == to ? 0 : (uint8_t)fabric_link(f, to, from, fabric_which(f, line)),
	};

	return got + f->config.message(f->config.ctx, &m);
}

void fabric_tell_home_credit(struct fabric *f, unsigned socket, unsigned stop, unsigned next, unsigned which,
			     enum ring_kind ring, uint64_t sent)
{
	const struct qpi_lane *lane = &f->lanes[socket][next][which];
	struct ha *ha = f->ha[socket << f->has_shift | (stop - RING_HA)];

	if (fabric_inside(f, socket, next))
		return;
	ha_link_credit(ha, ring == RING_BL, fabric_link(f, socket, next, which), sent,
		       lane->went + ring_latency(&f->socket[socket].ring, RING_R3QPI, stop));
}

void fabric_advance(struct fabric *f, uint64_t now)
{
	fabric_tell(f);
	fabric_settle(f);
	for (unsigned s = 0; s < f->config.sockets; s++) {
		irp_advance(&f->socket[s].irp, now);
		r3_advance(&f->socket[s].r3, f->socket[s].ring.port[RING_R3QPI], now);
		for (unsigned i = 0; i < RING_STOPS; i++)
			stop_advance(&f->socket[s].stop[i], f->socket[s].ring.port[i], now);
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_advance(&f->end[s][i], now);
	}
	for (unsigned i = 0; i < lanes(f); i++)
		if (f->trouble[i].always && f->lane[i].from)
			qpi_trouble_advance(&f->lane[i], &f->trouble[i], now);
}

/* The cluster that has a box of the socket, and the box's number there; slices beyond the cores stay with the last. */
static unsigned cluster_of(const struct fabric *f, unsigned socket, unsigned stop, unsigned *box)
{
	unsigned each = stop == RING_CBO ? f->config.cores : f->config.has, first = socket << f->split;

	if (!f->split || *box < each || (stop != RING_CBO && stop != RING_HA))
		return first;
	*box -= each;
	return first + 1;
}

bool fabric_port(struct fabric *f, unsigned socket, const char *type, unsigned box, struct signal_port *port)
{
	static const struct { const char *type; uint8_t stop, boxes; } stops[] = {
		{ "cbo", RING_CBO, RING_CBOS }, { "sbo", RING_SBO, RING_SBOS }, { "ha", RING_HA, RING_HAS },
		{ "r2pcie", RING_R2PCIE, 1 }, { "r3qpi", RING_R3QPI, FABRIC_MAX_LINKS },
	};
	struct signal_port *p = port ? port : &f->silent;
	struct fabric_socket *s;

	if (socket >= f->config.sockets >> f->split)
		return false;
	if (strcmp(type, "qpi") == 0 && box < FABRIC_MAX_LINKS) {
		f->end[socket][box].link = p;
		if (port)
			qpi_end_bind(&f->end[socket][box], p, f->routed);
		fabric_rewatch(f);
		return true;
	}
	if (box == 0 && strcmp(type, "irp") == 0) {
		f->socket[socket << f->split].irp.port = p;
		return true;
	}
	if (box == 0 && strcmp(type, "ubox") == 0) {
		for (unsigned i = 0; i < 1u << f->split; i++)
			f->socket[(socket << f->split) + i].ubox.port = p;
		return true;
	}
	for (unsigned i = 0; i < LEN(stops); i++) {
		if (strcmp(type, stops[i].type) != 0 || box >= stops[i].boxes)
			continue;
		/* All links share one stop; its ring is told to the first. */
		if (stops[i].stop == RING_R3QPI)
			f->end[socket][box].r3 = p;
		s = &f->socket[cluster_of(f, socket, stops[i].stop, &box)];
		if (stops[i].stop == RING_R2PCIE)
			s->irp.stop = p;
		if (stops[i].stop != RING_R3QPI || box == 0)
			s->ring.port[stops[i].stop + box] = p;
		if (stops[i].stop == RING_CBO && box < f->config.cores)
			s->cbo[box].port = p;
		fabric_rewatch(f);
		return true;
	}
	return false;
}

uint64_t fabric_io(struct fabric *f, const struct fabric_io *io)
{
	fabric_settle(f);
	f->lumped = true;
	return fabric_io_walk(f, io);
}

uint64_t fabric_io_next(const struct fabric *f)
{
	uint64_t next = UINT64_MAX;

	for (unsigned s = 0; s < f->config.sockets; s++) {
		const struct irp *irp = &f->socket[s].irp;

		if (irp->writes && irp->write[irp->head].turn < next)
			next = irp->write[irp->head].turn;
	}
	return next;
}

void fabric_io_advance(struct fabric *f, uint64_t until)
{
	if (fabric_io_next(f) > until)
		return;
	fabric_settle(f);
	f->lumped = true;
	fabric_io_finish(f, until);
}

struct ubox *fabric_ubox(struct fabric *f, unsigned socket)
{
	return &f->socket[socket << f->split].ubox;
}
