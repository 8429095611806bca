/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices: DMA engines that move data between their link and memory at a given rate, in
 * machine time, and tell a core when a transfer is done.
 *
 * Each engine has streams, one a kind of transaction.  Transfer k of a stream begins at
 * k * size / rate; its lines follow each other as fast as the link carries them.  The engine
 * goes round and round a buffer of its own in the memory of one node.
 */
#ifndef BXS_MACHINE_DEVICES_H
#define BXS_MACHINE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/arrays.h"

/* name, default, least, most, words, text; as SPEC_KEYS in spec.h */
#define DEVICES_KEYS(X) \
	X(READ, "read", 0, 0, 1ULL << 40, NULL, "bytes read from memory a second") \
	X(WRITE, "write", 0, 0, 1ULL << 40, NULL, "bytes written to memory a second") \
	X(ATOMIC, "atomic", 0, 0, 1ULL << 40, NULL, "bytes changed by atomics a second, 8 at a time") \
	X(PEER_READ, "peer_read", 0, 0, 1ULL << 40, NULL, "bytes read from a device of node a second") \
	X(PEER_WRITE, "peer_write", 0, 0, 1ULL << 40, NULL, "bytes written to a device of node a second") \
	X(SIZE, "size", 4096, 8, 1ULL << 24, NULL, "bytes of a transfer") \
	X(ALIGN, "align", 64, 1, 64, NULL, "transfers begin at a multiple of this, of no larger power of two") \
	X(BUFFER, "buffer", 1ULL << 20, 4096, 1ULL << 32, NULL, "bytes of memory to go round in, for each stream") \
	X(SOCKET, "socket", 0, 0, 7, NULL, "socket of the device") \
	X(NODE, "node", UINT64_MAX, 0, 7, NULL, "node of the memory or peer; the device's own") \
	X(DATA, "data", UINT64_MAX, 0, ARRAYS_DATA, NULL, "the buffer is the first array of kernels with this data, and node") \
	X(COUNT, "count", 0, 0, 1ULL << 40, NULL, "transfers of each stream; 0: no end") \
	X(DOORBELL, "doorbell", 1, 0, 1, NULL, "1: the first core of the socket starts each transfer by a write") \
	X(INTERRUPT, "interrupt", 1, 0, 1, NULL, "1: the device ends each transfer by an interrupt")

enum devices_key {
#define X(id, name, def, least, most, words, text) DEVICES_##id,
	DEVICES_KEYS(X)
#undef X
	DEVICES_KEY_COUNT,
};

enum {
	DEVICES_ENGINES = 8, DEVICES_STREAMS = 5,
	DEVICES_LINES = 64,	/* of a stream under way: a device waits for the first of them */
};

struct machine;

struct devices_stream {
	uint64_t next;			/* of its next line; UINT64_MAX: it has ended, or has no rate */
	uint64_t transfer;		/* number of the current one */
	uint64_t begun;			/* ... and its beginning */
	uint64_t done;			/* bytes of it */
	uint32_t lines;			/* of it */
	uint64_t back[DEVICES_LINES];	/* when the latest lines are done */
	uint32_t issued;
};

struct devices_engine {
	uint64_t value[DEVICES_KEY_COUNT];
	uint64_t start;
	uint64_t buffer;		/* virtual address of the first stream's */
	uint64_t apart;			/* ... and how far the next one's is */
	uint8_t space;
	struct devices_stream stream[DEVICES_STREAMS];
};

struct devices {
	struct devices_engine engine[DEVICES_ENGINES];
	unsigned engines;
};

/*
 * Attach an engine to the machine, from its present time on.  text: "read=4G,write=2G,size=4K",
 * keys as above.  0; BXS_EINVAL, BXS_ENOTSUP (a machine without I/O) or BXS_ECONFLICT (too many),
 * with a sentence in why.
 */
int machine_dma(struct machine *m, const char *text, char *why, size_t size);

/* When the devices have something to do; UINT64_MAX: never. */
uint64_t devices_next(const struct machine *m);
/* They do what comes before or at `until`. */
void devices_run(struct machine *m, uint64_t until);

#endif
