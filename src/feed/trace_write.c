/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing trace files: records to bytes, bytes to compressed blocks. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"
#include "feed/trace.h"
#include "feed/trace_format.h"
#include "machine/machine.h"

enum { LEVEL = 3 };			/* of compression */

struct trace_writer {
	FILE *file;
	ZSTD_CCtx *zstd;
	int error, system_error;
	unsigned cores;
	uint64_t records;
	struct trace_state state;
	size_t used;
	uint8_t raw[TRACE_BLOCK];
	uint8_t packed[ZSTD_COMPRESSBOUND(TRACE_BLOCK)];
};

static void fail(struct trace_writer *w, int err)
{
	if (w->error == 0) {
		w->error = err;
		w->system_error = errno;
	}
}

static void put(struct trace_writer *w, const void *bytes, size_t n)
{
	if (w->error == 0 && fwrite(bytes, 1, n, w->file) != n)
		fail(w, BXS_EIO);
}

static void put_number(struct trace_writer *w, uint64_t value, unsigned bytes)
{
	uint8_t b[8];

	for (unsigned i = 0; i < bytes; i++)
		b[i] = (uint8_t)(value >> 8 * i);
	put(w, b, bytes);
}

int trace_create(const char *path, unsigned cores, const char *spec, struct trace_writer **out)
{
	struct trace_writer *w = calloc(1, sizeof *w);
	int err = BXS_ENOMEM;

	if (!w)
		return BXS_ENOMEM;
	w->cores = cores;
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd || cores == 0 || cores > TRACE_MAX_CORES ||
	    strlen(spec) > TRACE_MAX_SPEC)
		goto fail;
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	err = BXS_EIO;
	w->file = fopen(path, "wb");
	if (!w->file)
		goto fail;
	put(w, TRACE_MAGIC, TRACE_MAGIC_SIZE);
	put_number(w, TRACE_VERSION, 4);
	put_number(w, cores, 4);
	put_number(w, strlen(spec), 4);
	put(w, spec, strlen(spec));
	*out = w;
	return 0;
fail:
	ZSTD_freeCCtx(w->zstd);
	free(w);
	return err;
}

static void flush_block(struct trace_writer *w)
{
	size_t packed = ZSTD_compress2(w->zstd, w->packed, sizeof w->packed, w->raw, w->used);

	if (ZSTD_isError(packed)) {
		fail(w, BXS_EBUG);
		return;
	}
	put_number(w, w->used, 4);
	put_number(w, packed, 4);
	put(w, w->packed, packed);
	w->used = 0;
	memset(&w->state, 0, sizeof w->state);
}

static void varint(struct trace_writer *w, uint64_t v)
{
	while (v >= 0x80) {
		w->raw[w->used++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	w->raw[w->used++] = (uint8_t)v;
}

/* The first byte of a record, and its core if that is another than before. */
static void head(struct trace_writer *w, unsigned kind, unsigned flags, uint32_t core)
{
	bool other = core != w->state.core;

	w->raw[w->used++] = (uint8_t)(kind | flags << TRACE_FLAGS_SHIFT | (other ? TRACE_OTHER : 0));
	if (other)
		varint(w, core);
	w->state.core = core;
}

void trace_write(struct trace_writer *w, const struct trace_record *r)
{
	struct trace_core *core = &w->state.cores[r->core % TRACE_MAX_CORES];

	if (w->error)
		return;
	if (w->used > TRACE_BLOCK - TRACE_RECORD_MAX)
		flush_block(w);
	w->records++;
	if (r->idle) {
		head(w, TRACE_SLEEP, 0, r->core);
		varint(w, r->sleep < TRACE_LONGEST_SLEEP ? r->sleep : TRACE_LONGEST_SLEEP);
		return;
	}
	if (r->rec.space != core->space) {
		head(w, TRACE_SPACE, 0, r->core);
		w->raw[w->used++] = r->rec.space;
		core->space = r->rec.space;
	}
	head(w, r->rec.kind < TRACE_KINDS ? r->rec.kind : LEAVE_TICK, r->rec.flags, r->core);
	varint(w, trace_zigzag((int64_t)(r->rec.line - core->line)));
	varint(w, r->rec.instructions);
	varint(w, r->rec.l2_hits);
	varint(w, r->rec.l1_misses);
	core->line = r->rec.line;
}

int trace_finish(struct trace_writer *w)
{
	int err;

	if (w->used)
		flush_block(w);
	put_number(w, 0, 4);
	put_number(w, 0, 4);
	put_number(w, w->records, 8);
	if (fclose(w->file) != 0)
		fail(w, BXS_EIO);
	err = w->error;
	errno = err ? w->system_error : errno;
	ZSTD_freeCCtx(w->zstd);
	free(w);
	return err;
}

static void tap(void *ctx, unsigned core, const struct leave_record *rec, uint64_t sleep)
{
	struct trace_record r = { .core = core, .idle = !rec, .sleep = sleep };

	if (rec)
		r.rec = *rec;
	trace_write(ctx, &r);
}

void trace_record_machine(struct machine *m, struct trace_writer *w)
{
	machine_tap(m, w ? tap : NULL, w);
}
