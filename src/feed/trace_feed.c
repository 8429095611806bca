/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace file as a feed: the records go to the machine in the order in which they were told. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "feed/feed.h"
#include "feed/trace.h"
#include "machine/machine.h"

enum { EXPECT = 8 };			/* records ahead whose look-ups the host begins to load */

struct trace_feed {
	struct feed feed;
	struct trace_reader *reader;
	struct trace_record ahead[EXPECT];	/* a ring of records that are still to be fed */
	unsigned head, waiting;
	int end;			/* what the reader said last; above 0: there is more */
};

static void feed_one(struct machine *m, const struct trace_record *r)
{
	if (r->idle)
		machine_idle(m, r->core, machine_core_time(m, r->core) + r->sleep);
	else
		machine_access(m, r->core, &r->rec);
}

static void read_ahead(struct trace_feed *f)
{
	while (f->end > 0 && f->waiting < EXPECT) {
		struct trace_record *r = &f->ahead[(f->head + f->waiting) % EXPECT];

		f->end = trace_next(f->reader, r);
		if (f->end <= 0)
			return;
		f->waiting++;
		if (!r->idle)
			machine_expect(f->feed.machine, r->core, &r->rec, &r->rec + 1);
	}
}

static int trace_run(struct feed *feed, uint64_t until)
{
	struct trace_feed *f = (struct trace_feed *)feed;
	struct machine *m = feed->machine;

	for (;;) {
		const struct trace_record *r = &f->ahead[f->head];

		read_ahead(f);
		if (f->waiting == 0)
			return f->end;
		if (machine_core_time(m, r->core) >= until || machine_interrupted(m))
			return 1;
		feed_one(m, r);
		f->head = (f->head + 1) % EXPECT;
		f->waiting--;
		if (machine_error(m) < 0)
			return machine_error(m);
	}
}

static void trace_close(struct feed *feed)
{
	struct trace_feed *f = (struct trace_feed *)feed;

	machine_snoops_drop(feed->machine, false);
	trace_read_close(f->reader);
	free(f);
}

static const char *trace_feed_why(struct feed *feed)
{
	return trace_why(((struct trace_feed *)feed)->reader);
}

static const struct feed_ops trace_ops = {
	.run = trace_run, .close = trace_close, .why = trace_feed_why,
};

int trace_open(struct machine *m, const char *path, struct feed **out, char *why, size_t size)
{
	struct trace_feed *f = calloc(1, sizeof *f);
	int err;

	if (!f) {
		snprintf(why, size, "%s: out of memory", path);
		return BXS_ENOMEM;
	}
	f->feed = (struct feed){ .ops = &trace_ops, .machine = m };
	f->end = 1;
	err = trace_read_open(path, &f->reader, why, size);
	if (err == 0 && trace_cores(f->reader) > machine_cores(m)) {
		snprintf(why, size, "%s: was recorded on %u cores; this machine has %u", path,
			 trace_cores(f->reader), machine_cores(m));
		trace_read_close(f->reader);
		err = BXS_EINVAL;
	}
	if (err < 0) {
		free(f);
		return err;
	}
	machine_snoops_drop(m, true);
	*out = &f->feed;
	return 0;
}
