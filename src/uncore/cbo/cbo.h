/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One caching agent (CBo): its ingress queue, table of requests (TOR), tag pipeline and
 * data egress, as resources in time.  What is in the cache is llc.h's; what a
 * transaction does is the fabric's.
 */
#ifndef BXS_UNCORE_CBO_CBO_H
#define BXS_UNCORE_CBO_CBO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "signal/signal.h"
#include "uncore/calendar.h"
#include "uncore/ring/sink.h"

enum {
	CBO_TOR_ENTRIES = 20,	/* for requests of cores; snoops and evictions have their own */
	CBO_IRQ_PLACES = 20,	/* greatest increment of RxR_OCCUPANCY */
	CBO_PRQ_PLACES = 8,	/* ours */
	CBO_EGRESS_LINES = 16,	/* ours */
	CBO_WRITE_CREDITS = 4,	/* for lines driven out, of each node; ours */
	CBO_SOCKETS = 8,
	CBO_CORE_SNOOPS = 16,	/* that a core has under way; ours */
	CBO_TID_NONE = 0x3f,	/* victims, snoops of other sockets */
	CBO_TID_IO = 0x3e,	/* requests of devices (2.3.5: the metrics of PCIe traffic) */
};

/* IDI opcodes (HSX uncore manual, Table 2-20). */
enum cbo_opcode {
	CBO_RFO = 0x180, CBO_CRD = 0x181, CBO_DRD = 0x182, CBO_PRD = 0x187, CBO_WCILF = 0x18c,
	CBO_WCIL = 0x18d, CBO_WIL = 0x18f, CBO_PREF_RFO = 0x190, CBO_PREF_CODE = 0x191,
	CBO_PREF_DATA = 0x192, CBO_PCI_WIL = 0x193, CBO_PCI_WILF = 0x194, CBO_PCI_RD_CUR = 0x19e,
	CBO_WB_M_TO_I = 0x1c4, CBO_WB_M_TO_E = 0x1c5, CBO_I_TO_M = 0x1c8,
};

/* Ingress queues that want the pipeline. */
enum cbo_queue { CBO_IRQ, CBO_IPQ, CBO_PRQ, CBO_QUEUES };

enum { CBO_STATES = 8 };

/* Signals that were raised but not told yet, by flags (and the state found); strange: snoops for what the socket never had, which
 * are a look-up and an entry each, for remote and local lines. */
struct cbo_lumps {
	uint32_t lookup[32][CBO_STATES], tor_insert[64], strange[2], victim[32], found[128];
};

struct cbo {
	struct signal_port *port;
	uint64_t busy;		/* no entry is held for a miss at this time or later */
	unsigned next;		/* entry */
	struct sink irq;	/* who waits there */
	_Alignas(16) uint32_t line[CBO_TOR_ENTRIES];	/* low bits of the line a miss is out for */
	uint64_t end[CBO_TOR_ENTRIES];
	struct calendar pipe, bl;	/* tag pipeline, data egress to the ring */
	struct sink prq;
	struct sink writes[CBO_SOCKETS];	/* credits taken */
	uint64_t to_device;		/* the credit for requests to devices is back */
	uint64_t let_out;		/* until then the anti-deadlock slot for data was not free */
	uint64_t got[CBO_QUEUES];	/* when each queue got the pipeline last; kept for telling */
	struct cbo_lumps lumps;
};

/* A request that has got through the ingress queue. */
struct cbo_entry {
	uint64_t arrive;	/* into the queue */
	uint64_t ready;		/* an entry of the TOR is free */
	uint64_t from;		/* into the TOR */
	unsigned slot;
};

/* Thread as the filters name it: 4 bits of core, so cores 16 and 17 look like 0 and 1. */
static inline uint8_t cbo_tid(unsigned core, unsigned thread)
{
	return (uint8_t)((core & 15) << 1 | (thread & 1));
}

/* No entry is free: the one that will be first. */
static __attribute__((noinline)) unsigned cbo_first(const struct cbo *c)
{
	unsigned first = 0;

	for (unsigned i = 1; i < CBO_TOR_ENTRIES; i++)
		if (c->end[i] < c->end[first])
			first = i;
	return first;
}

/* A request of a core arrives: when does it get a TOR entry and the pipeline? */
static inline struct cbo_entry cbo_accept(struct cbo *c, const struct calendar_rate *uclk, uint64_t arrive)
{
	struct cbo_entry e = { arrive, arrive, arrive, c->next };

	while (c->end[e.slot] > arrive) {
		e.slot = e.slot + 1 == CBO_TOR_ENTRIES ? 0 : e.slot + 1;
		if (__builtin_expect(e.slot == c->next, 0)) {
			e.slot = cbo_first(c);
			e.from = c->end[e.slot];
			break;
		}
	}
	c->next = e.slot + 1 == CBO_TOR_ENTRIES ? 0 : e.slot + 1;
	e.ready = e.from;
	e.from += calendar_book(&c->pipe, uclk, e.from, 1);
	return e;
}

/* The entry is held until `end`; miss: others that want the line wait for it. */
static inline void cbo_hold(struct cbo *c, const struct cbo_entry *e, uint64_t line, uint64_t end, bool miss)
{
	c->end[e->slot] = end;
	c->line[e->slot] = miss ? (uint32_t)line : UINT32_MAX;
	if (miss && end > c->busy)
		c->busy = end;
}

/* Entries that a miss for a line with these low bits has or had, a bit each. */
static inline uint32_t cbo_match(const struct cbo *c, uint32_t low)
{
	uint32_t bits = 0;

#ifdef __SSE2__
	__m128i want = _mm_set1_epi32((int)low);

	for (unsigned i = 0; i < CBO_TOR_ENTRIES; i += 4) {
		__m128i four = _mm_load_si128((const __m128i *)&c->line[i]);

		bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, want))) << i;
	}
#else
	for (unsigned i = 0; i < CBO_TOR_ENTRIES; i++)
		bits |= (uint32_t)(c->line[i] == low) << i;
#endif
	return bits;
}

/* When the line is there, if a miss is still out for it at `when`; else `when`. */
static inline uint64_t cbo_pending(const struct cbo *c, uint64_t line, uint64_t when)
{
	if (when >= c->busy)
		return when;
	for (uint32_t m = cbo_match(c, (uint32_t)line); m; m &= m - 1) {
		uint64_t end = c->end[__builtin_ctz(m)];

		when = end > when ? end : when;
	}
	return when;
}

#endif
