/* SPDX-License-Identifier: BSD-2-Clause */
/* The private caches against a naive model, access by access, on random and strided accesses. */
#include "check.h"
#include "naive.h"
#include "xcore/xcore.h"

static struct leave_record got[XCORE_RECORDS];
static unsigned gots;

static void take(void *ctx, const struct leave_record *rec, unsigned n)
{
	(void)ctx;
	for (unsigned i = 0; i < n; i++)
		got[gots++] = rec[i];
}

/* How addresses come: over `lines` lines, at random or `stride` lines apart. */
static const struct row {
	int line;
	uint32_t l1, l2;		/* bytes */
	unsigned lines, stride;		/* stride 0: at random */
	unsigned stores, fetches, snoops;	/* of 256 accesses */
	unsigned count;
} rows[] = {
	{ LINE, 32768, 262144, 300, 0, 0, 0, 0, 20000 },
	{ LINE, 32768, 262144, 3000, 0, 80, 0, 0, 60000 },
	{ LINE, 32768, 262144, 20000, 0, 80, 40, 10, 120000 },
	{ LINE, 32768, 262144, 100000, 0, 128, 0, 0, 120000 },
	{ LINE, 32768, 262144, 6000, 1, 0, 0, 0, 60000 },
	{ LINE, 32768, 262144, 6000, 1, 100, 0, 3, 60000 },
	{ LINE, 32768, 262144, 40000, 64, 64, 64, 0, 60000 },
	{ LINE, 32768, 262144, 40000, 512, 64, 0, 0, 60000 },
	/* L2 no larger than L1: lines live in L1 alone. */
	{ LINE, 32768, 4096, 3000, 0, 100, 30, 10, 60000 },
	{ LINE, 32768, 512, 1000, 0, 100, 0, 10, 60000 },
	/* Without the short way for 64 sets. */
	{ LINE, 4096, 16384, 900, 0, 100, 30, 10, 60000 },
	{ LINE, 512, 65536, 2000, 3, 100, 30, 10, 60000 },
};

static void compare(const struct row *r, unsigned step, const struct naive *n)
{
	CHECK_EQ(r->line, gots, n->n);
	for (unsigned i = 0; i < gots && i < n->n; i++) {
		CHECK_EQ(r->line, got[i].kind, n->out[i].kind);
		CHECK_EQ(r->line, got[i].line, n->out[i].line);
	}
	if (check_failures)
		printf("%s:%d: at access %u\n", __FILE__, r->line, step);
}

static void run(const struct row *r)
{
	static struct naive n;
	struct xcore_config cfg = xcore_haswell();
	uint64_t seed = 88172645463325252;
	struct xcore *c;
	unsigned at = 0;

	memset(&n, 0, sizeof n);
	n.l1d.sets = n.l1i.sets = r->l1 / 512;
	n.l2.sets = r->l2 / 512;
	cfg.l1d_bytes = cfg.l1i_bytes = r->l1;
	cfg.l2_bytes = r->l2;
	cfg.prefetch = 0;
	cfg.leave = take;
	CHECK_EQ(r->line, xcore_new(&cfg, &c), 0);
	for (unsigned i = 0; i < r->count && !check_failures; i++) {
		uint64_t dice = check_random(&seed);
		unsigned what = dice & 255, other = dice >> 8 & 255;
		uint64_t line;

		at = r->stride ? (at + r->stride) % r->lines
			       : (unsigned)((dice >> 16) % r->lines);
		/* Some accesses stay on the line before, as those of programs do. */
		line = 0x7f0000000 + at;
		gots = n.n = 0;
		if (what < r->stores) {
			xcore_store(c, line << 6 | (dice >> 40 & 63), 0);
			naive_store(&n, line);
		} else if (what < r->stores + r->fetches) {
			xcore_fetch(c, line << 6);
			naive_fetch(&n, line);
		} else {
			xcore_load(c, line << 6 | (dice >> 40 & 63), what, 0);
			naive_load(&n, line);
		}
		if (other < r->snoops) {
			bool share = dice >> 50 & 1;
			struct leave_snoop s = {
				.line = (dice >> 51 & 1 ? line : 0x7f0000000 +
					 (dice >> 52) % r->lines) & 0xffffffffffff,
				.kind = share ? LEAVE_SNOOP_SHARE : LEAVE_SNOOP_INVALIDATE,
			};

			xcore_snoop(c, &s);
			naive_snoop(&n, s.line, share ? NAIVE_S : NAIVE_I);
		}
		compare(r, i, &n);
	}
	gots = 0;
	xcore_free(c);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		run(r);
	return check_done();
}
