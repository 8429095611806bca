/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace files: what left the cores of a machine, in the order in which it was fed.
 *
 * Numbers are little-endian; varint: seven bits a byte, lowest first, the top bit says that
 * more follow; zigzag: a signed number as n << 1 ^ n >> 63.
 *
 *	header	"BXSTRACE", u32 version (1), u32 cores, u32 length, the machine's
 *		specification (length bytes)
 *	block	u32 size of the records, u32 size as compressed, a zstd frame with checksum
 *	end	u32 0, u32 0, u64 number of records
 *
 * A block holds whole records and stands alone: what records are relative to starts
 * anew.  A record is a byte kind | flags << 5 | other core << 7, then
 *
 *	if other core: varint core
 *	kinds of leave.h: zigzag line - last line of this core, varint instructions,
 *		varint l2_hits, varint l1_misses
 *	30: space of the following records of this core: u8
 *	31: the core sleeps: varint picoseconds since its last record's time
 */
#ifndef BXS_FEED_TRACE_H
#define BXS_FEED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xcore/leave.h"

enum { TRACE_VERSION = 1, TRACE_MAX_CORES = 1024, TRACE_MAX_SPEC = 4096 };

/* A record as a trace holds it: idle (then rec is not used), or what a core did. */
struct trace_record {
	struct leave_record rec;
	uint32_t core;
	bool idle;
	uint64_t sleep;			/* picoseconds */
};

struct machine;
struct trace_writer;

/* Create path and write the header.  0, BXS_EIO (with errno as the system set it), BXS_ENOMEM. */
int trace_create(const char *path, unsigned cores, const char *spec, struct trace_writer **out);

/* Errors are kept until trace_finish(). */
void trace_write(struct trace_writer *w, const struct trace_record *r);

/* Write what is left and the end, close, free.  0, or the first error that happened. */
int trace_finish(struct trace_writer *w);

struct trace_reader;

/* Open and read the header; *why gets a sentence on errors.  0, BXS_ENOENT, BXS_EIO, BXS_EINVAL,
 * BXS_ENOMEM. */
int trace_read_open(const char *path, struct trace_reader **out, char *why, size_t size);
void trace_read_close(struct trace_reader *r);		/* NULL is allowed */

/* Cores of the machine that it was recorded on, and that machine's specification, which lives as long as r. */
unsigned trace_cores(const struct trace_reader *r);
const char *trace_spec(const struct trace_reader *r);

/* 1: *out is the next record; 0: the end; BXS_EINVAL (damaged), BXS_EIO. */
int trace_next(struct trace_reader *r, struct trace_record *out);
/* What went wrong, with the byte offset in the file. */
const char *trace_why(const struct trace_reader *r);

/* Everything fed to m from now on goes to w; NULL ends it. */
void trace_record_machine(struct machine *m, struct trace_writer *w);

#endif
