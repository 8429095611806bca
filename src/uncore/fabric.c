/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the fabric of all sockets, and lets it go on. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "signal_ids.h"
#include "uncore/io/io.h"
#include "uncore/fabric_core.h"

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

void fabric_uclk(struct fabric *f, uint32_t khz)
{
	f->uclk = calendar_rate(khz);
#define X(name, clocks, text) f->at.name = (clocks) * f->uclk.period;
	FABRIC_LATENCIES(X)
#undef X
	own_times(f);
	for (unsigned s = 0; s < f->config.sockets; s++) {
		ring_uclk(&f->socket[s].ring, &f->uclk);
		memset(&f->socket[s].drain, 0, sizeof f->socket[s].drain);
		for (unsigned i = 0; i < f->config.cores; i++) {
			memset(&f->socket[s].cbo[i].pipe, 0, sizeof f->socket[s].cbo[i].pipe);
			memset(&f->socket[s].cbo[i].bl, 0, sizeof f->socket[s].cbo[i].bl);
		}
		irp_uclk(&f->socket[s].irp, &f->uclk);
	}
	fabric_links_uclk(f);
}

static bool valid(const struct fabric_config *c)
{
	return c->sockets >= 1 && c->sockets <= FABRIC_MAX_SOCKETS && c->cores >= 1 &&
	       c->cores <= FABRIC_MAX_CORES && c->ways >= 1 && c->ways <= FABRIC_MAX_WAYS &&
	       c->links <= FABRIC_MAX_LINKS && (c->sockets == 1 || c->links >= 1) &&
	       c->has >= 1 && c->has <= RING_HAS && c->clusters <= 2 && (c->clusters < 2 || c->sockets % 2 == 0) &&
	       c->uclk_khz && c->qpi_mts && c->ha && c->home;
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

static void build(struct fabric *f)
{
	struct ring_config ring = {
		.cores = f->config.cores, .has = f->config.has, .uclk = calendar_rate(f->config.uclk_khz),
		.hop = FABRIC_HOP, .cross = FABRIC_SBO, .whole = f->config.one_ring,
	};

	for (unsigned s = 0; s < f->config.sockets; s++) {
		if (f->split) {
			ring.pairs = 2 * f->config.cores > FABRIC_SMALL_DIE ? 2 : 1;
			ring.side = s & 1;
		}
		ring_init(&f->socket[s].ring, &ring, &f->silent);
		irp_init(&f->socket[s].irp, &f->silent);
		f->socket[s].ubox.port = &f->silent;
		for (unsigned i = 0; i < f->config.cores; i++)
			f->socket[s].cbo[i].port = &f->silent;
		f->socket[s].ring.stop = f->socket[s].stop;
		r3_init(&f->socket[s].r3);
		for (unsigned i = 0; i < RING_STOPS; i++)
			stop_init(&f->socket[s].stop[i], i);
	}
	fabric_links_init(f);
	fabric_uclk(f, f->config.uclk_khz);
	fabric_rewatch(f);
	fabric_settle(f);
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
	f->far = f->split || f->routed;
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
	}
	fabric_links_free(f);
	free(f->socket);
	free(f->lane);
	free(f->trouble);
	free(f->ha);
	free(f->present);
	free(f);
}

struct fabric_reply fabric_request_at(struct fabric *f, const struct fabric_request *r)
{
	f->lumped = true;
	return f->walk[r->kind](f, r);
}

struct fabric_reply fabric_request(struct fabric *f, const struct fabric_request *r)
{
	struct fabric_request at = *r;

	at.slice = (uint8_t)fabric_slice(f, r->socket, r->line);
	return fabric_request_at(f, &at);
}

static bool is_elsewhere(const struct fabric *f, const struct fabric_request *r)
{
	for (unsigned left = *fabric_present(f, r->line) & ~(1u << r->socket); left; left &= left - 1) {
		unsigned other = (unsigned)__builtin_ctz(left);

		if (llc_find(&f->socket[other].llc, fabric_slice(f, other, r->line), r->line).way >= 0)
			return true;
	}
	return false;
}

bool fabric_note(struct fabric *f, const struct fabric_request *r)
{
	struct llc_place p = llc_find(&f->socket[r->socket].llc, r->slice, r->line);
	unsigned meta;

	/* Driven out or taken meanwhile, of which the core has yet to hear. */
	if (p.way < 0)
		return r->kind != LEAVE_DIRTY || !is_elsewhere(f, r);
	meta = llc_meta(&p);
	if (llc_cores(&p) != 1u << r->core || !(meta & LLC_OWNED))
		return false;
	llc_set(&p, meta | (r->kind == LEAVE_DIRTY ? LLC_DIRTY : LLC_GONE));
	return true;
}

unsigned fabric_slice(const struct fabric *f, unsigned socket, uint64_t line)
{
	return llc_slice(&f->socket[socket].llc, line);
}

struct fabric_page fabric_page(const struct fabric *f, uint64_t line)
{
	uint64_t first = line & ~bits_low(FABRIC_PAGE_BITS);

	return (struct fabric_page){
		.line = first, .hash = (uint16_t)llc_hash(first), .present = *fabric_present(f, first),
	};
}

/* The hash is an exclusive or of bits, so a line's is that of its page with that of its number there. */
unsigned fabric_prefetch(const struct fabric *f, unsigned socket, const struct fabric_page *page, unsigned n)
{
	const struct llc *llc = &f->socket[socket].llc;
	unsigned slice = llc->slice[page->hash ^ llc_hash(n & bits_low(FABRIC_PAGE_BITS))];

	llc_prefetch(llc, slice, page->line + n);
	for (unsigned left = page->present & ~(1u << socket); left; left &= left - 1)
		llc_prefetch(&f->socket[__builtin_ctz(left)].llc, slice, page->line + n);
	return slice;
}

uint64_t fabric_send(const struct fabric *f, unsigned slice, enum fabric_way way, struct qpi_packet packet, uint64_t line,
		     unsigned home, unsigned from, unsigned to, uint64_t sent, uint64_t got)
{
	struct fabric_message m = {
		.line = line, .sent = sent, .got = got, .packet = packet, .way = (uint8_t)way,
		.from = (uint8_t)from, .to = (uint8_t)to, .slice = (uint8_t)slice,
		.home = (uint8_t)(home & (f->config.has - 1)),
		.link = from == to ? 0 : (uint8_t)fabric_link(f, from, to, fabric_which(f, line)),
		.far = from == to ? 0 : (uint8_t)fabric_link(f, to, from, fabric_which(f, line)),
	};

	return got + f->config.message(f->config.ctx, &m);
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
	}
	fabric_links_advance(f, now);
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
