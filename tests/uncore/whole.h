/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole uncore without a PMU: fabric, home agents, channels, a port for each box and
 * sums hung on them.  For tests of what must hold between boxes, and for benchmarks.
 */
#ifndef BXS_TESTS_UNCORE_WHOLE_H
#define BXS_TESTS_UNCORE_WHOLE_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "signal/watch.h"
#include "signal_ids.h"
#include "uncore/fabric.h"
#include "uncore/ha/ha.h"

enum {
	WHOLE_SOCKETS = 2, WHOLE_HAS = 2, WHOLE_CHANNELS = 2, WHOLE_BOXES = 18 + 4 + 3 + 3 + 1 + 2 + 8,
	WHOLE_SUMS = 64, WHOLE_NODE_BITS = 30,	/* lines of a node: 64 GB */
};

#define WHOLE_REMOTE (UINT64_C(1) << WHOLE_NODE_BITS)

struct whole_box {
	const char *type;
	struct signal_port port;
	struct signal_watch watch[WHOLE_SUMS];
	unsigned sig[WHOLE_SUMS];
};

struct whole {
	unsigned sockets;
	struct fabric *f;
	struct ha *ha[WHOLE_SOCKETS * WHOLE_HAS];
	struct imc *imc[WHOLE_SOCKETS * WHOLE_HAS][WHOLE_CHANNELS];
	struct ha_map map[WHOLE_SOCKETS];
	struct signal_clock uclk, qclk, dclk;
	struct whole_box box[WHOLE_SOCKETS][WHOLE_BOXES];
	struct signal_alt alt[WHOLE_SUMS];
	unsigned sums;
};

static inline unsigned whole_home(void *ctx, uint64_t line)
{
	struct whole *w = ctx;
	unsigned socket = line >> WHOLE_NODE_BITS & 1;

	return socket * WHOLE_HAS + ha_route(&w->map[socket], line).agent;
}

static inline void whole_agent(struct whole *w, unsigned socket, unsigned agent, enum ha_snoop snoop, uint32_t khz)
{
	struct imc_config channel;
	struct ha_config config;
	unsigned n = socket * WHOLE_HAS + agent;

	ha_config_default(&config);
	config.map = w->map[socket];
	config.socket = (uint8_t)socket;
	config.agent = (uint8_t)agent;
	config.peers = (uint8_t)(w->sockets - 1);
	config.snoop = snoop;
	config.uclk_khz = khz;
	config.tads = 1;
	config.tad[0] = config.map.base + config.map.lines;
	imc_config_ddr4(&channel, 2133, 4);
	w->dclk.khz = channel.dram.dclk_khz;
	for (unsigned i = 0; i < WHOLE_CHANNELS; i++) {
		if (imc_new(&channel, &w->imc[n][i]) < 0)
			abort();
		config.imc[i] = w->imc[n][i];
	}
	if (ha_new(&config, &w->ha[n]) < 0)
		abort();
}

/* The port of the next box of a socket. */
static inline struct signal_port *whole_port(struct whole *w, unsigned socket, unsigned *n, const char *type,
					     unsigned signals, const struct signal_clock *clock)
{
	struct whole_box *b = &w->box[socket][(*n)++];

	b->type = type;
	if (signal_port_init(&b->port, signals, clock) < 0)
		abort();
	signal_port_horizon(&b->port, UINT64_MAX);
	return &b->port;
}

static inline void whole_wire(struct whole *w, unsigned s)
{
	static const struct { const char *type; unsigned boxes, signals; } types[] = {
		{ "cbo", 18, SIG_CBO_COUNT }, { "sbo", 4, SIG_SBO_COUNT }, { "qpi", 3, SIG_QPI_COUNT },
		{ "r3qpi", 3, SIG_R3QPI_COUNT }, { "r2pcie", 1, SIG_R2PCIE_COUNT }, { "ha", WHOLE_HAS, SIG_HA_COUNT },
	};
	unsigned n = 0;

	for (unsigned t = 0; t < LEN(types); t++)
		for (unsigned b = 0; b < types[t].boxes; b++) {
			const struct signal_clock *clock = strcmp(types[t].type, "qpi") == 0 ? &w->qclk : &w->uclk;
			struct signal_port *p = whole_port(w, s, &n, types[t].type, types[t].signals, clock);

			fabric_port(w->f, s, types[t].type, b, p);
			if (strcmp(types[t].type, "ha") == 0)
				ha_port(w->ha[s * WHOLE_HAS + b], p);
		}
	for (unsigned a = 0; a < WHOLE_HAS; a++)
		for (unsigned c = 0; c < WHOLE_CHANNELS; c++)
			imc_port(w->imc[s * WHOLE_HAS + a][c],
				 whole_port(w, s, &n, "imc", SIG_IMC_COUNT, &w->dclk));
}

static inline void whole_open(struct whole *w, unsigned sockets, unsigned cores, unsigned ways,
			      enum fabric_snoop snoop, uint32_t khz)
{
	struct fabric_config config = {
		.sockets = sockets, .cores = cores, .ways = ways, .links = 2, .has = WHOLE_HAS, .snoop = snoop,
		.uclk_khz = khz, .qpi_mts = 9600, .ha = w->ha, .home = whole_home, .map = w->map, .ctx = w,
	};

	memset(w, 0, sizeof *w);
	w->sockets = sockets;
	for (unsigned s = 0; s < sockets; s++) {
		w->map[s] = (struct ha_map){ (uint64_t)s << WHOLE_NODE_BITS, WHOLE_REMOTE, WHOLE_HAS,
					     WHOLE_CHANNELS };
		for (unsigned a = 0; a < WHOLE_HAS; a++)
			whole_agent(w, s, a, (enum ha_snoop)snoop, khz);
	}
	signal_clock_init(&w->uclk, khz);
	signal_clock_init(&w->qclk, 2400000);
	signal_clock_init(&w->dclk, w->dclk.khz);
	if (fabric_new(&config, &w->f) < 0)
		abort();
	for (unsigned s = 0; s < sockets; s++)
		whole_wire(w, s);
}

/* Sum a signal of all boxes of a type, where all of `flags` are set.  Returns its number. */
static inline unsigned whole_sum(struct whole *w, const char *type, unsigned sig, uint64_t flags)
{
	unsigned n = w->sums++;

	if (n >= WHOLE_SUMS)
		abort();
	w->alt[n] = (struct signal_alt){ .care = flags, .want = flags };
	for (unsigned s = 0; s < w->sockets; s++)
		for (unsigned i = 0; i < WHOLE_BOXES; i++) {
			struct whole_box *b = &w->box[s][i];

			if (!b->type || strcmp(b->type, type) != 0)
				continue;
			b->sig[n] = sig;
			b->watch[n].alt = &w->alt[n];
			b->watch[n].alts = 1;
			signal_watch_hang(&b->port, sig, &b->watch[n]);
		}
	fabric_rewatch(w->f);
	return n;
}

/* What sum n has come to in a socket. */
static inline uint64_t whole_socket(const struct whole *w, unsigned socket, unsigned n)
{
	uint64_t sum = 0;

	fabric_tell(w->f);
	for (unsigned i = 0; i < WHOLE_BOXES; i++)
		sum += (uint64_t)w->box[socket][i].watch[n].sum;
	return sum;
}

static inline uint64_t whole_read(const struct whole *w, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < w->sockets; s++)
		sum += whole_socket(w, s, n);
	return sum;
}

static inline void whole_close(struct whole *w)
{
	for (unsigned s = 0; s < w->sockets; s++)
		for (unsigned i = 0; i < WHOLE_BOXES; i++) {
			struct whole_box *b = &w->box[s][i];

			if (!b->type)
				continue;
			for (unsigned n = 0; n < w->sums; n++)
				if (b->watch[n].alt) {
					signal_watch_unhang(&b->port, b->sig[n], &b->watch[n]);
					signal_watch_free(&b->watch[n]);
				}
			signal_port_free(&b->port);
		}
	fabric_free(w->f);
	for (unsigned i = 0; i < w->sockets * WHOLE_HAS; i++) {
		ha_free(w->ha[i]);
		for (unsigned c = 0; c < WHOLE_CHANNELS; c++)
			imc_free(w->imc[i][c]);
	}
}

#endif
