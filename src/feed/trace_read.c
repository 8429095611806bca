/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading trace files.  Nothing in the file is trusted: every length is checked before it
 * is used, every block carries a checksum, and the end says how many records there were.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"
#include "base/bits.h"
#include "feed/trace_format.h"

struct trace_reader {
	char *path;
	FILE *file;
	ZSTD_DCtx *zstd;
	uint64_t offset;		/* in the file, behind what was read */
	uint64_t block;			/* offset of the block that is being taken apart */
	uint64_t records;
	unsigned cores;
	bool ended;
	struct trace_state state;
	size_t at, filled;		/* in raw */
	char why[512];
	char spec[TRACE_MAX_SPEC + 1];
	uint8_t raw[TRACE_BLOCK];
	uint8_t packed[ZSTD_COMPRESSBOUND(TRACE_BLOCK)];
};

__attribute__((format(printf, 3, 4)))
static int fail(struct trace_reader *r, int err, const char *format, ...)
{
	int n = snprintf(r->why, sizeof r->why, "%.300s: ", r->path);
	va_list args;

	va_start(args, format);
	vsnprintf(r->why + n, sizeof r->why - (size_t)n, format, args);
	va_end(args);
	return err;
}

static int get(struct trace_reader *r, void *bytes, size_t n, const char *what)
{
	size_t got = fread(bytes, 1, n, r->file);

	r->offset += got;
	if (got == n)
		return 0;
	if (ferror(r->file))
		return fail(r, BXS_EIO, "cannot read at byte %" PRIu64 ": %s", r->offset,
			    strerror(errno));
	return fail(r, BXS_EINVAL, "the trace ends at byte %" PRIu64 ", in the middle of %s",
		    r->offset, what);
}

static int get_number(struct trace_reader *r, unsigned bytes, uint64_t *value, const char *what)
{
	uint8_t b[8];
	int err = get(r, b, bytes, what);

	if (err < 0)
		return err;
	*value = 0;
	for (unsigned i = 0; i < bytes; i++)
		*value |= (uint64_t)b[i] << 8 * i;
	return 0;
}

static int read_header(struct trace_reader *r)
{
	uint64_t version = 0, cores = 0, length = 0;
	char magic[TRACE_MAGIC_SIZE];
	int err = get(r, magic, sizeof magic, "its header");

	if (err < 0)
		return err;
	if (memcmp(magic, TRACE_MAGIC, sizeof magic) != 0)
		return fail(r, BXS_EINVAL, "not a trace: it does not start with " TRACE_MAGIC);
	err = get_number(r, 4, &version, "its header");
	if (err == 0 && version != TRACE_VERSION)
		return fail(r, BXS_EINVAL, "version %" PRIu64 " of the format; this program reads "
			    "version %d", version, TRACE_VERSION);
	if (err == 0)
		err = get_number(r, 4, &cores, "its header");
	if (err == 0 && (cores == 0 || cores > TRACE_MAX_CORES))
		return fail(r, BXS_EINVAL, "damaged at byte 12: %" PRIu64 " cores", cores);
	if (err == 0)
		err = get_number(r, 4, &length, "its header");
	if (err == 0 && length > TRACE_MAX_SPEC)
		return fail(r, BXS_EINVAL, "damaged at byte 16: a specification of %" PRIu64
			    " bytes", length);
	if (err == 0)
		err = get(r, r->spec, length, "its header");
	for (uint64_t i = 0; err == 0 && i < length; i++)
		if (r->spec[i] <= ' ' || r->spec[i] > '~')
			return fail(r, BXS_EINVAL, "damaged at byte %" PRIu64 ": no part of a specification",
				    20 + i);
	r->cores = (unsigned)cores;
	return err;
}

int trace_read_open(const char *path, struct trace_reader **out, char *why, size_t size)
{
	struct trace_reader *r = calloc(1, sizeof *r);
	int err;

	if (!r) {
		snprintf(why, size, "%s: out of memory", path);
		return BXS_ENOMEM;
	}
	r->path = strdup(path);
	r->file = r->path ? fopen(path, "rb") : NULL;
	if (!r->file) {
		err = errno == ENOENT ? BXS_ENOENT : BXS_EIO;
		snprintf(why, size, "%s: %s", path, strerror(errno));
		trace_read_close(r);
		return err;
	}
	r->zstd = ZSTD_createDCtx();
	err = r->zstd ? read_header(r) : fail(r, BXS_ENOMEM, "out of memory");
	if (err < 0) {
		snprintf(why, size, "%s", r->why);
		trace_read_close(r);
		return err;
	}
	*out = r;
	return 0;
}

void trace_read_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->file)
		fclose(r->file);
	free(r->path);
	ZSTD_freeDCtx(r->zstd);
	free(r);
}

unsigned trace_cores(const struct trace_reader *r)
{
	return r->cores;
}

const char *trace_spec(const struct trace_reader *r)
{
	return r->spec;
}

const char *trace_why(const struct trace_reader *r)
{
	return r->why;
}

static int read_end(struct trace_reader *r)
{
	uint64_t records = 0;
	int err = get_number(r, 8, &records, "its end");

	if (err < 0)
		return err;
	if (records != r->records)
		return fail(r, BXS_EINVAL, "damaged at byte %" PRIu64 ": says it holds %" PRIu64
			    " records, but there are %" PRIu64, r->block, records, r->records);
	if (getc(r->file) != EOF)
		return fail(r, BXS_EINVAL, "damaged at byte %" PRIu64 ": goes on behind its end",
			    r->offset);
	r->ended = true;
	return 0;
}

/* 1: there is a block; 0: that was the end. */
static int read_block(struct trace_reader *r)
{
	uint64_t size = 0, packed = 0;
	size_t got;
	int err;

	r->block = r->offset;
	err = get_number(r, 4, &size, "a block");
	if (err == 0)
		err = get_number(r, 4, &packed, "a block");
	if (err < 0)
		return err;
	if (size == 0 && packed == 0)
		return read_end(r);
	if (size == 0 || size > sizeof r->raw || packed > sizeof r->packed)
		return fail(r, BXS_EINVAL, "damaged at byte %" PRIu64 ": a block of %" PRIu64
			    " bytes in %" PRIu64, r->block, size, packed);
	err = get(r, r->packed, packed, "a block");
	if (err < 0)
		return err;
	got = ZSTD_decompressDCtx(r->zstd, r->raw, sizeof r->raw, r->packed, packed);
	if (ZSTD_isError(got))
		return fail(r, BXS_EINVAL, "damaged in the block at byte %" PRIu64 ": %s", r->block,
			    ZSTD_getErrorName(got));
	if (got != size)
		return fail(r, BXS_EINVAL, "damaged in the block at byte %" PRIu64 ": %zu bytes, "
			    "not %" PRIu64, r->block, got, size);
	memset(&r->state, 0, sizeof r->state);
	r->at = 0;
	r->filled = got;
	return 1;
}

static bool varint(struct trace_reader *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64 && r->at < r->filled; shift += 7) {
		uint8_t b = r->raw[r->at++];

		*v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return true;
	}
	return false;
}

static int damaged(struct trace_reader *r, size_t at, const char *what)
{
	return fail(r, BXS_EINVAL, "damaged in the block at byte %" PRIu64 ", %zu bytes into its "
		    "records: %s", r->block, at, what);
}

static bool access_record(struct trace_reader *r, struct trace_core *core, uint8_t head,
			  struct leave_record *rec)
{
	uint64_t delta, instructions, l2_hits, l1_misses;

	if (!varint(r, &delta) || !varint(r, &instructions) || !varint(r, &l2_hits) ||
	    !varint(r, &l1_misses))
		return false;
	if (instructions > UINT32_MAX || l2_hits > UINT16_MAX || l1_misses > UINT16_MAX)
		return false;
	core->line = (core->line + (uint64_t)trace_unzigzag(delta)) & bits_low(48);
	*rec = (struct leave_record){
		.line = core->line,
		.space = core->space,
		.kind = head & TRACE_KIND,
		.flags = head >> TRACE_FLAGS_SHIFT & 3,
		.instructions = (uint32_t)instructions,
		.l2_hits = (uint16_t)l2_hits,
		.l1_misses = (uint16_t)l1_misses,
	};
	return true;
}

/* One record of the block, or a change of space (then *out is not set and 0 returned). */
static int take(struct trace_reader *r, struct trace_record *out)
{
	size_t start = r->at;
	uint8_t head = r->raw[r->at++];
	unsigned kind = head & TRACE_KIND;
	struct trace_core *core;
	uint64_t number;

	if (head & TRACE_OTHER) {
		if (!varint(r, &number))
			return damaged(r, start, "a record is cut off");
		if (number >= r->cores)
			return damaged(r, start, "no such core");
		r->state.core = (uint32_t)number;
	}
	core = &r->state.cores[r->state.core];
	out->core = r->state.core;
	out->idle = kind == TRACE_SLEEP;
	if (kind == TRACE_SPACE) {
		if (r->at == r->filled)
			return damaged(r, start, "a record is cut off");
		core->space = r->raw[r->at++];
		return 0;
	}
	if (kind == TRACE_SLEEP)
		return varint(r, &out->sleep) && out->sleep <= TRACE_LONGEST_SLEEP
			       ? 1
			       : damaged(r, start, "a sleep is cut off or too long");
	if (kind >= TRACE_KINDS)
		return damaged(r, start, "a kind of record that does not exist");
	if (!access_record(r, core, head, &out->rec))
		return damaged(r, start, "a record is cut off or has impossible numbers");
	return 1;
}

int trace_next(struct trace_reader *r, struct trace_record *out)
{
	int got;

	do {
		while (r->at == r->filled) {
			if (r->ended)
				return 0;
			got = read_block(r);
			if (got <= 0)
				return got;
		}
		got = take(r, out);
	} while (got == 0);
	if (got > 0)
		r->records++;
	return got;
}
