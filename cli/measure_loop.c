/* SPDX-License-Identifier: BSD-2-Clause */
/* Running what is measured, interval by interval, with a line on the terminal that says how far it is. */
#include "measure.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Machine time between looks at the clock and at signals. */
#define STEP_NS UINT64_C(1000000)
#define LOCAL_STEP_NS UINT64_C(250000000)	/* of this computer */

static volatile sig_atomic_t interrupted;
static bxs_machine *measured;		/* set before the handler is */

static void on_signal(int number)
{
	interrupted = number;
	bxs_interrupt(measured);
}

void measure_obey_signals(bxs_machine *machine)
{
	struct sigaction action = { .sa_handler = on_signal };

	measured = machine;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int measure_interrupted(void)
{
	return interrupted;
}

struct progress {
	bool shown, on;
	struct timespec began;
	double last;
};

static double seconds_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

/* A line on the terminal, a few times a second: simulated time, and how fast it passes. */
static void show_progress(struct progress *p, const bxs_session *s)
{
	double wall, simulated = (double)bxs_session_ns(s) / 1e6;

	if (!p->on)
		return;
	wall = seconds_since(&p->began);
	if (wall - p->last < 0.25)
		return;
	p->last = wall;
	p->shown = true;
	fprintf(stderr, "\r%.3f ms simulated, %.3f ms a second\033[K", simulated, simulated / wall);
	fflush(stderr);
}

/* The same before there is any to tell of: kernels with gigabytes to lay out take seconds before they begin. */
static void show_preparing(struct progress *p)
{
	if (p->on)
		fputs("\rpreparing\033[K", stderr);
	p->shown = p->on;
	fflush(stderr);
}

static void clear_progress(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

int measure_prepare(const struct measure *m, bxs_session *s)
{
	struct progress p = { .on = isatty(STDERR_FILENO) };
	int err;

	show_preparing(&p);
	err = bxs_session_kernel(s, m->kernel);
	clear_progress(&p);
	return err;
}

static int keep_reading(void *ctx, const struct bxs_reading *r)
{
	return repeat_add(ctx, r);
}

static int print_interval(struct measure *m, bxs_session *s, struct progress *p)
{
	clear_progress(p);
	if (m->runs) {
		repeat_begin(&m->repeat, bxs_session_ns(s));
		return bxs_session_each(s, m->out.by, keep_reading, &m->repeat);
	}
	return m->quiet ? 0 : output_interval(&m->out, s, bxs_session_ns(s));
}

/* Until which machine time to run next: never further than a step, nor past anything that is to happen on the way. */
static uint64_t next_stop(const struct measure *m, uint64_t at, uint64_t next)
{
	uint64_t stop = at + (m->on_local ? LOCAL_STEP_NS : STEP_NS), limit = m->timeout_ns ? m->timeout_ns : UINT64_MAX;

	if (m->waits && m->delay_ns < stop)
		stop = m->delay_ns;
	if (next < stop)
		stop = next;
	return limit < stop ? limit : stop;
}

/* At the end of an interval, or of the time that is left out.  0, or as measure_loop(). */
static int pass_stop(struct measure *m, bxs_session *s, uint64_t at, uint64_t *next, struct progress *p)
{
	int err, written = 0;

	if (!(m->waits && at == m->delay_ns) && at != *next)
		return 0;
	err = bxs_session_read(s);
	if (err < 0)
		return err;
	if (m->waits) {
		m->waits = false;
		*next = m->interval_ns ? at + m->interval_ns : UINT64_MAX;
	} else {
		*next += m->interval_ns;
		/* Shorter than the machine's own step: nothing has passed yet. */
		if (!bxs_session_interval_ns(s))
			return 0;
		written = print_interval(m, s, p);
	}
	bxs_session_next(s);
	return written;
}

bool measure_is_empty(const struct measure *m, const bxs_session *s)
{
	return m->waits || (m->region && !bxs_session_entered(s));
}

int measure_loop(struct measure *m, bxs_session *s)
{
	uint64_t at = 0, next = m->interval_ns && !m->delay_ns ? m->interval_ns : UINT64_MAX;
	/* A program may write to the terminal too, by whichever of its files, and would write into the line. */
	struct progress p = { .on = isatty(STDERR_FILENO) && !m->program.argv };
	int more = 1, err = 0, written = 0;

	m->waits = m->delay_ns != 0;
	m->timed_out = m->ended = false;
	show_preparing(&p);
	clock_gettime(CLOCK_MONOTONIC, &p.began);
	while (more > 0 && !interrupted && !m->timed_out) {
		at = next_stop(m, at, next);
		more = bxs_session_run(s, at);
		m->ended = more == 0;
		show_progress(&p, s);
		if (more <= 0)
			break;
		m->timed_out = at == m->timeout_ns;
		err = pass_stop(m, s, at, &next, &p);
		if (err < 0 && err != BXS_EIO)
			break;
		written = written ? written : err;
	}
	clear_progress(&p);
	/* Whatever went wrong, what was counted is printed. */
	err = bxs_session_stop(s);
	if (err == 0 && !measure_is_empty(m, s) && (bxs_session_interval_ns(s) || !m->interval_ns))
		err = print_interval(m, s, &p);
	if (more < 0)
		return more;
	return written ? written : err;
}
