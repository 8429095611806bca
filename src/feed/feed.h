/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drives a machine: built-in kernels, trace files, traced programs.  All kinds
 * stand behind these three operations, so a session can run any of them from one
 * moment of simulated time to the next.
 */
#ifndef BXS_FEED_H
#define BXS_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

struct spec_key_info;
struct feed;

struct feed_ops {
	/* See feed_run() and feed_close(). */
	int (*run)(struct feed *f, uint64_t until);
	void (*close)(struct feed *f);
	/* What went wrong, in words, after run() failed; NULL: the error says all. */
	const char *(*why)(struct feed *f);
	/* See feed_stop(); NULL: nothing to do. */
	void (*stop)(struct feed *f);
	/* See feed_rest(); NULL: never needed. */
	void (*rest)(struct feed *f);
	/* See feed_mark(); NULL: it has none. */
	bool (*mark)(struct feed *f, bool *begins);
};

/* Every kind of feed starts with this. */
struct feed {
	const struct feed_ops *ops;
	struct machine *machine;
	bool live;			/* the machine's time goes on by itself: do not wait in feed_run() */
};

/* What feed_run() says when it is not an error; the last two only of a live feed. */
enum feed_state {
	FEED_ENDED = 0,
	FEED_MORE = 1,
	FEED_STARVED = 2,		/* a thread computes and has told nothing yet: time waits for it */
	FEED_ASLEEP = 3,		/* no thread runs: time may go on without it */
};

/*
 * Feed the machine until every running core's time is at least `until` (UINT64_MAX: to the
 * end).  An enum feed_state; negative: enum bxs_err, also where the machine has lost something
 * for want of memory.
 */
static inline int feed_run(struct feed *f, uint64_t until)
{
	int state = f->ops->run(f, until), lost = machine_error(f->machine);

	return state < 0 || lost == 0 ? state : lost;
}

/*
 * Has feed_run() come back, before its time, since the program is at a mark of its region?  Once for each: all up to there has been
 * fed, and of that core nothing behind it.
 */
static inline bool feed_mark(struct feed *f, bool *begins)
{
	return f->ops->mark && f->ops->mark(f, begins);
}

/* A sentence about the last error; NULL: bxs_strerror() says all there is to say. */
static inline const char *feed_why(struct feed *f)
{
	return f->ops->why ? f->ops->why(f) : NULL;
}

/* After FEED_STARVED or FEED_ASLEEP: wait until there may be more, a millisecond at most.  Does not touch the
 * machine. */
static inline void feed_rest(struct feed *f)
{
	if (f->ops->rest)
		f->ops->rest(f);
}

/* Its cores go idle, though it has not ended; only feed_close() may follow. */
static inline void feed_stop(struct feed *f)
{
	if (f->ops->stop)
		f->ops->stop(f);
}

/* Free; NULL is allowed. */
static inline void feed_close(struct feed *f)
{
	if (f)
		f->ops->close(f);
}

/*
 * A built-in kernel: name[:key=value,...], such as "stream:size=256M,threads=4,node=1".
 * BXS_EINVAL, BXS_ENOENT: with a sentence for people in why.
 */
int kernel_open(struct machine *m, const char *spec, struct feed **out, char *why, size_t size);

/* The same, without starting it: is it a kernel that the machine can run, and on which cores? */
int kernel_check(struct machine *m, const char *spec, uint64_t *first, uint64_t *threads, uint64_t *step,
		 char *why, size_t size);

/* The n-th kernel: its name and one line about it; NULL past the last.  And the k-th of its
 * keys; NULL past the last. */
const char *kernel_name(unsigned n);
const char *kernel_about(unsigned n);
const struct spec_key_info *kernel_key(unsigned n, unsigned k);

/*
 * A trace file (docs of the format: trace.h).  Keeps the file open until feed_close().
 * BXS_ENOENT, BXS_EIO, BXS_EINVAL (not a trace, damaged: why names the byte offset).
 */
int trace_open(struct machine *m, const char *path, struct feed **out, char *why, size_t size);

#endif
