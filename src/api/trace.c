/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files, for embedding programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "boxscore.h"
#include "feed/trace_format.h"
#include "machine/spec.h"

_Static_assert((int)BXS_TRACE_SLEEP == (int)TRACE_KINDS && (int)BXS_TRACE_WAKE == (int)LEAVE_WAKE &&
	       (int)BXS_TRACE_HALT == (int)LEAVE_HALT && (int)BXS_TRACE_CLFLUSH == (int)LEAVE_CLFLUSH &&
	       (int)BXS_TRACE_DIRTY == (int)LEAVE_DIRTY && (int)BXS_TRACE_ITOM == (int)LEAVE_ITOM &&
	       (int)BXS_TRACE_PF_LLC_CRD == (int)LEAVE_PF_LLC_CRD && (int)BXS_TRACE_CRD == (int)LEAVE_CRD,
	       "kinds are passed on as they are");

struct bxs_trace_writer {
	struct trace_writer *writer;
	unsigned cores;
	char why[160];
};

struct bxs_trace_reader {
	struct trace_reader *reader;
};

int bxs_trace_create(const char *path, const char *spec, bxs_trace_writer **out, char *why, size_t size)
{
	struct spec parsed;
	bxs_trace_writer *w;
	int err = spec_parse(spec, &parsed, why, size);

	if (err < 0)
		return err;
	w = calloc(1, sizeof *w);
	if (!w)
		return BXS_ENOMEM;
	w->cores = (unsigned)(parsed.value[SPEC_SOCKETS] * parsed.value[SPEC_CORES]);
	err = trace_create(path, w->cores, spec, &w->writer);
	if (err < 0) {
		snprintf(why, size, "%s: cannot be written: %s", path, err == BXS_EIO ? strerror(errno) : bxs_strerror(err));
		free(w);
		return err;
	}
	*out = w;
	return 0;
}

__attribute__((format(printf, 2, 3)))
static int refuse(bxs_trace_writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->why, sizeof w->why, format, args);
	va_end(args);
	return BXS_EINVAL;
}

static int check(bxs_trace_writer *w, const struct bxs_trace_record *r)
{
	if ((unsigned)r->kind >= BXS_TRACE_KINDS)
		return refuse(w, "no kind of record %d, there are 0 to %d", (int)r->kind, BXS_TRACE_KINDS - 1);
	if (r->core >= w->cores)
		return refuse(w, "no core %u, there are 0 to %u", r->core, w->cores - 1);
	if (r->flags > 3)
		return refuse(w, "flags %#x, they are at most 3", r->flags);
	if (r->space > 255)
		return refuse(w, "address space %u, it is at most 255", r->space);
	if (r->line > bits_low(48))
		return refuse(w, "line %#" PRIx64 ", lines are below 2^48", r->line);
	if (r->sleep > TRACE_LONGEST_SLEEP)
		return refuse(w, "a sleep of %" PRIu64 " picoseconds, at most %" PRIu64 " are possible", r->sleep,
			      TRACE_LONGEST_SLEEP);
	return 0;
}

int bxs_trace_write(bxs_trace_writer *w, const struct bxs_trace_record *r)
{
	struct trace_record rec = { .core = r->core, .idle = r->kind == BXS_TRACE_SLEEP, .sleep = r->sleep };
	int err = check(w, r);

	if (err < 0)
		return err;
	if (!rec.idle)
		rec.rec = (struct leave_record){
			.line = r->line & bits_low(48), .space = r->space & 255, .kind = (unsigned)r->kind & 63,
			.flags = r->flags & 3, .instructions = r->instructions, .l2_hits = r->l2_hits,
			.l1_misses = r->l1_misses,
		};
	trace_write(w->writer, &rec);
	return 0;
}

const char *bxs_trace_write_why(const bxs_trace_writer *w)
{
	return w->why;
}

int bxs_trace_finish(bxs_trace_writer *w)
{
	int err = trace_finish(w->writer);

	free(w);
	return err;
}

int bxs_trace_open(const char *path, bxs_trace_reader **out, char *why, size_t size)
{
	bxs_trace_reader *r = calloc(1, sizeof *r);
	int err;

	if (!r) {
		snprintf(why, size, "%s: %s", path, bxs_strerror(BXS_ENOMEM));
		return BXS_ENOMEM;
	}
	err = trace_read_open(path, &r->reader, why, size);
	if (err < 0) {
		free(r);
		return err;
	}
	*out = r;
	return 0;
}

void bxs_trace_close(bxs_trace_reader *r)
{
	if (r)
		trace_read_close(r->reader);
	free(r);
}

unsigned bxs_trace_cores(const bxs_trace_reader *r)
{
	return trace_cores(r->reader);
}

const char *bxs_trace_spec(const bxs_trace_reader *r)
{
	return trace_spec(r->reader);
}

int bxs_trace_next(bxs_trace_reader *r, struct bxs_trace_record *out)
{
	struct trace_record rec = { .idle = false };
	int more = trace_next(r->reader, &rec);

	if (more <= 0)
		return more;
	*out = (struct bxs_trace_record){ .core = rec.core, .kind = BXS_TRACE_SLEEP };
	if (rec.idle) {
		out->sleep = rec.sleep;
		return 1;
	}
	out->kind = (enum bxs_trace_kind)rec.rec.kind;
	out->flags = rec.rec.flags;
	out->space = rec.rec.space;
	out->line = rec.rec.line;
	out->instructions = rec.rec.instructions;
	out->l2_hits = rec.rec.l2_hits;
	out->l1_misses = rec.rec.l1_misses;
	return 1;
}

const char *bxs_trace_why(const bxs_trace_reader *r)
{
	return trace_why(r->reader);
}
