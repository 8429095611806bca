/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of an Itanium 9500 to test, with counts hung on the signals of their boxes.  All clocks run at 2 GHz, so that times
 * and clocks divide. */
#ifndef BXS_TESTS_UNCORE_POULSON_RIG_H
#define BXS_TESTS_UNCORE_POULSON_RIG_H

#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/poulson/inside.h"

enum { PRIG_KHZ = 2000000, PRIG_PS = 500, PRIG_BOXES = 8 + 2 + 2 + 2 + 1 };

#define PRIG_MEMORY (UINT64_C(1) << 30)

/* One kind of count, on all boxes of a type; see prig_count(). */
struct prig_row {
	const char *type;
	unsigned sig;
	uint64_t flags;
};

struct prig {
	struct p9500 *p;
	unsigned sockets, snooped, invalidated;
	struct meter meter[8][PRIG_BOXES];
	const struct prig_row *rows;
	unsigned n;
	unsigned number[64][8][PRIG_BOXES];	/* of a row's count at a box */
};

static const struct { const char *type; unsigned boxes, signals; } prig_types[] = {
	{ "cbox", 8, SIG_CBOX_COUNT }, { "sbox", 2, SIG_BRIDGE_COUNT }, { "bbox", 2, SIG_BBOX_COUNT },
	{ "zbox", 2, SIG_IMC_COUNT }, { "rbox", 1, SIG_ROUTER_COUNT },
};

static bool prig_snoop(void *ctx, const struct p9500_snoop *snoop)
{
	struct prig *r = ctx;

	r->snooped++;
	r->invalidated += snoop->kind == LEAVE_SNOOP_INVALIDATE;
	return false;
}

static struct p9500_config prig_config(struct prig *r, unsigned sockets)
{
	return (struct p9500_config){
		.sockets = sockets, .cores = 8, .slices = 8, .links = 2, .uclk_khz = PRIG_KHZ, .core_khz = PRIG_KHZ,
		.qpi_mts = 6400, .ddr_mts = 1066, .ranks = 2, .dimms = 1, .memory = PRIG_MEMORY, .snoop_core = prig_snoop, .ctx = r,
	};
}

static void prig_hang(struct prig *r, unsigned s, unsigned t, unsigned b, unsigned m)
{
	meter_init(&r->meter[s][m], PRIG_KHZ, prig_types[t].signals);
	for (unsigned i = 0; i < r->n; i++)
		if (strcmp(r->rows[i].type, prig_types[t].type) == 0)
			r->number[i][s][m] = meter_add(&r->meter[s][m], r->rows[i].sig, r->rows[i].flags);
	CHECK(p9500_port(r->p, s, prig_types[t].type, b, &r->meter[s][m].port));
}

/* At most 64 rows, which stay where they are. */
static void prig_open(struct prig *r, unsigned sockets, const struct prig_row *rows, unsigned n)
{
	struct p9500_config config = prig_config(r, sockets);

	memset(r, 0, sizeof *r);
	r->sockets = sockets;
	r->rows = rows;
	r->n = n;
	CHECK_EQ(__LINE__, p9500_new(&config, &r->p), 0);
	for (unsigned s = 0; s < sockets; s++)
		for (unsigned t = 0, m = 0; t < LEN(prig_types); t++)
			for (unsigned b = 0; b < prig_types[t].boxes; b++)
				prig_hang(r, s, t, b, m++);
}

static void prig_settle(struct prig *r, uint64_t now)
{
	p9500_advance(r->p, now);
	for (unsigned s = 0; s < r->sockets; s++)
		for (unsigned m = 0; m < PRIG_BOXES; m++)
			meter_close(&r->meter[s][m], now);
}

/* Row i at the boxes of a socket; at all, if `box` is not one's number within its type. */
static int64_t prig_of(const struct prig *r, unsigned i, unsigned socket, unsigned box)
{
	int64_t sum = 0;

	for (unsigned t = 0, m = 0; t < LEN(prig_types); t++)
		for (unsigned b = 0; b < prig_types[t].boxes; b++, m++)
			if (strcmp(r->rows[i].type, prig_types[t].type) == 0 && (box >= prig_types[t].boxes || b == box))
				sum += r->meter[socket][m].sum[r->number[i][socket][m]];
	return sum;
}

/* The same of all sockets. */
static int64_t prig_sum(const struct prig *r, unsigned i)
{
	int64_t sum = 0;

	for (unsigned s = 0; s < r->sockets; s++)
		sum += prig_of(r, i, s, UINT32_MAX);
	return sum;
}

static void prig_close(struct prig *r)
{
	p9500_free(r->p);
	for (unsigned s = 0; s < r->sockets; s++)
		for (unsigned m = 0; m < PRIG_BOXES; m++)
			meter_free(&r->meter[s][m]);
}

#endif
