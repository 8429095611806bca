/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hardware prefetchers of a Haswell core, as far as Intel's optimization manual
 * (2.3.5.4, carried on from Sandy Bridge) and the switches of MSR 0x1a4 tell:
 *
 *	next line   L1D: an ascending load right behind a recent one fetches the line after
 *	stride      L1D: 256 entries by instruction address; strides up to 2 KB
 *	pair        L2: a miss brings the other line of its 128 bytes
 *	streamer    L2: 32 streams, one a 4 KB page, up to 20 lines ahead; into L2, or only
 *	            into the last-level cache while many demand misses are under way
 *
 * Pure bookkeeping: a prefetcher says which lines it wants, xcore.c fetches them.  None
 * crosses a 4 KB page.
 */
#ifndef BXS_XCORE_PREFETCH_H
#define BXS_XCORE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PREFETCH_NEXT = 1, PREFETCH_STRIDE = 2, PREFETCH_PAIR = 4, PREFETCH_STREAM = 8,
	PREFETCH_ALL = 15,
};

#define PREFETCH_STREAMS 32
#define PREFETCH_AHEAD 20		/* lines */
#define PREFETCH_BURST 2		/* lines a streamer asks for at once */
#define PREFETCH_MAX_STRIDE 2048	/* bytes */

struct prefetch_stride {
	uint16_t last;			/* low 12 bits of the address */
	int16_t stride;
	uint8_t page;			/* a hash of the rest */
	uint8_t sure;			/* times the stride came again, up to 3 */
};

struct prefetch_stream {
	uint8_t last;			/* line in the page, 0..63 */
	int8_t front;			/* furthest line asked for */
	int8_t step;			/* +1, -1; 0: one access seen */
	uint8_t sure;
};

struct prefetch {
	unsigned enabled;		/* PREFETCH_* */
	uint64_t recent;		/* line of the last load that trained */
	unsigned pressure;		/* of requests that miss; see prefetch_far() */
	unsigned next_stream;		/* replaced next, in turn */
	uint8_t hint[PREFETCH_STREAMS];	/* low bits of `page` */
	uint64_t page[PREFETCH_STREAMS];
	struct prefetch_stream stream[PREFETCH_STREAMS];
	struct prefetch_stride stride[256];
};

/* Nothing learnt yet; enabled: PREFETCH_*. */
void prefetch_init(struct prefetch *p, unsigned enabled);

/* Does a load of `line` ask for the line after it? */
static inline bool prefetch_next(struct prefetch *p, uint64_t line)
{
	uint64_t behind = line - p->recent;

	p->recent = line;
	return behind == 1 && (p->enabled & PREFETCH_NEXT) && (line & 63) != 63;
}

/* Train with a load; true: *want is the address to fetch. */
bool prefetch_stride(struct prefetch *p, uint64_t addr, unsigned ip, uint64_t *want);

/* Train with a request to L2; returns how many lines, 0..PREFETCH_BURST, to fetch. */
unsigned prefetch_stream(struct prefetch *p, uint64_t line, uint64_t *want);

/* A request of the first level, for the program or ahead of it, hit or missed L2. */
static inline void prefetch_request(struct prefetch *p, bool miss)
{
	if (miss)
		p->pressure += p->pressure < 64;
	else
		p->pressure -= p->pressure < 3 ? p->pressure : 3;
}

/* Should the streamer fetch into the last-level cache only?  When more than three of four
 * requests miss, the L2 is taken to be loaded with demand misses. */
static inline bool prefetch_far(const struct prefetch *p)
{
	return p->pressure >= 48;
}

#endif
