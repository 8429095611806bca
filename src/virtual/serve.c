/* SPDX-License-Identifier: BSD-2-Clause */
/* Serving a machine's files until somebody has had enough. */
#include "virtual/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "virtual/check.h"
#include "virtual/fault.h"
#include "virtual/files.h"
#include "virtual/likwid_door.h"
#include "virtual/log.h"
#include "virtual/mount.h"
#include "virtual/perf_door.h"
#include "virtual/serve_private.h"

/* Hold back the signals that end us and give them as a descriptor that can be read when one has come. */
static int hold_signals(sigset_t *old)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < LEN(ends); i++)
		sigaddset(&set, ends[i]);
	if (sigprocmask(SIG_BLOCK, &set, old) < 0)
		return -1;
	sigdelset(&set, SIGPIPE);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What ended us was taken as an order to end; it must not end us once more. */
#define PATIENCE_NS UINT64_C(10000000000)	/* with a mount that nobody reads */

static void release_signals(int fd, const sigset_t *old)
{
	struct signalfd_siginfo info;

	while (fd >= 0 && read(fd, &info, sizeof info) == sizeof info)
		;
	if (fd >= 0)
		close(fd);
	sigprocmask(SIG_SETMASK, old, NULL);
}

/* Everything that stands and falls with a machine that serves. */
struct served {
	struct virtual *machine;
	struct faults *faults;
	struct mount *mount;
	struct log *log;
	struct check *check;
	struct likwid_door *likwid;
	struct perf_door *perf;
};

static int write_files(struct virtual *v, const char *dir, const struct complaint *c)
{
	struct tree t = { .node = NULL };
	int err = files_all(&t, v, NULL, c);

	if (err == 0 && tree_write(&t, dir) < 0)
		err = complain(c, BXS_EIO, "the files cannot be written: %s", strerror(errno));
	tree_release(&t);
	return err;
}

/* Faults before the files, so that these show them; log and checks after, so that they show clients only. */
static int begin(struct served *s, const struct serve_job *job, char *why, size_t size)
{
	const struct serve_config *config = job->config;
	const struct complaint c = { .why = why, .size = size };
	struct mount_config mount = { .dir = job->dir, .allow_other = config->allow_other, .tidy = job->tidy };
	int err = virtual_new(job->machine, &config->live, &s->machine, why, size);

	if (err == 0 && job->page)
		virtual_keep_clock(s->machine, job->page);
	if (err == 0 && config->faults)
		err = faults_open(s->machine, config->faults, &s->faults, why, size);
	if (err == 0 && job->perf >= 0)
		err = perf_door_new(s->machine, &s->perf);
	mount.perf = s->perf;
	if (err == 0)
		err = job->plain ? write_files(s->machine, job->dir, &c) :
				   mount_open(s->machine, &mount, &s->mount, why, size);
	if (err == 0 && config->check && config->live.say)
		err = check_open(s->machine, config->live.say, config->live.say_ctx, &s->check);
	if (err == 0 && config->log)
		err = log_open(s->machine, config->log, config->spec, config->faults, &s->log, why, size);
	if (err == 0 && job->likwid)
		err = likwid_door_open(s->machine, job->likwid, &s->likwid, why, size);
	if (err == 0 && s->perf && perf_door_start(s->perf, job->perf, job->dir) < 0)
		err = complain(&c, BXS_EIO, "nobody can answer perf_event_open(): %s", strerror(errno));
	return err < 0 ? err : virtual_start(s->machine);
}

/* Until the descriptor can be read. */
static int wait_for(int stop)
{
	struct pollfd fd = { .fd = stop, .events = POLLIN };

	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	return 0;
}

static int end(struct served *s, int err, uint64_t *findings, const struct complaint *c)
{
	likwid_door_close(s->likwid);
	mount_close(s->mount);
	perf_door_free(s->perf);
	virtual_free(s->machine);
	faults_close(s->faults);
	if (findings)
		*findings = check_close(s->check);
	else
		check_close(s->check);
	if (log_close(s->log) < 0 && err == 0)
		err = complain(c, BXS_EIO, "the log could not be written to its end");
	return err;
}

int serve_files(const struct serve_job *job, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct served s = { .machine = NULL };
	sigset_t old;
	int stop = hold_signals(&old), err;

	if (stop < 0)
		return complain(&c, BXS_EIO, "signals cannot be held back: %s", strerror(errno));
	err = begin(&s, job, why, size);
	if (err == 0 && job->ready)
		job->ready(job->ctx);
	if (err == 0)
		err = s.mount ? mount_serve(s.mount, stop) : wait_for(stop);
	err = end(&s, err, job->config->findings, &c);
	release_signals(stop, &old);
	return err;
}

int serve_mount(struct machine *m, const struct serve_config *config, const char *dir, void (*ready)(void *ctx),
		void *ctx, char *why, size_t size)
{
	struct serve_config patient = *config;
	const struct serve_job job = { .machine = m, .config = &patient, .dir = dir, .tidy = true, .perf = -1,
				       .ready = ready, .ctx = ctx };

	/* Tools come and go, the mount stays. */
	patient.live.patience = PATIENCE_NS;
	return serve_files(&job, why, size);
}
