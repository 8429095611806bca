/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What devices do to memory, by way of the IRP of their socket.
 *
 * A read takes a snapshot: the cache answers if it has the line, nobody's copy changes, and
 * what comes from memory is not kept.  A write first gets the line to itself (its
 * prefetch), into two ways of the cache at most; when all writes before it are done it has
 * its turn and puts the data there.  Who takes the line away in between makes it ask again.
 */
#ifndef BXS_UNCORE_IO_IO_H
#define BXS_UNCORE_IO_IO_H

#include <stdint.h>

#include "uncore/fabric.h"

enum fabric_io_kind {
	FABRIC_IO_READ,
	FABRIC_IO_WRITE,	/* a whole line */
	FABRIC_IO_PARTIAL,	/* part of a line: its rest comes from memory */
	FABRIC_IO_ATOMIC,	/* as a part, changed by the IRP */
	FABRIC_IO_PEER_READ,	/* a device of the socket that the address belongs to */
	FABRIC_IO_PEER_WRITE,
	FABRIC_IO_INTERRUPT,	/* to a core of the device's socket; no address */
	FABRIC_IO_KINDS,
};

struct fabric_io {
	uint64_t line;		/* physical address / 64 */
	uint64_t when;		/* off the device's link */
	uint8_t socket;		/* of the device; of clusters the first */
	uint8_t kind;		/* enum fabric_io_kind */
};

/* Ways of a slice that writes of devices may fill. */
enum { FABRIC_IO_WAYS = 2 };

/* Walk one line of a transaction.  Returns when data is back at the device, or when the line is
 * owned; writes are finished by fabric_io_advance(). */
uint64_t fabric_io(struct fabric *f, const struct fabric_io *io);

/* When the next write has its turn; UINT64_MAX: none waits. */
uint64_t fabric_io_next(const struct fabric *f);
/* Finish the writes whose turn comes before or at `until`. */
void fabric_io_advance(struct fabric *f, uint64_t until);

/* A register of the socket's uncore is read or written; a message to one of its cores. */
struct ubox *fabric_ubox(struct fabric *f, unsigned socket);

#endif
