// SPDX-License-Identifier: BSD-2-Clause
/* Serving a machine's files until somebody has had enough. */
#include "virtual/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "virtual/mount.h"
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
static void release_signals(int fd, const sigset_t *old)
{
	struct signalfd_siginfo info;

	while (fd >= 0 && read(fd, &info, sizeof info) == sizeof info)
		;
	if (fd >= 0)
		close(fd);
	sigprocmask(SIG_SETMASK, old, NULL);
}

int serve_files(const struct serve_job *job, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct mount_config config = { .dir = job->dir, .allow_other = job->config->allow_other,
				       .tidy = job->tidy };
	struct virtual *v = NULL;
	struct mount *m = NULL;
	sigset_t old;
	int stop = hold_signals(&old), err;

	if (stop < 0)
		return complain(&c, BXS_EIO, "signals cannot be held back: %s", strerror(errno));
	err = virtual_new(job->machine, &job->config->live, &v, why, size);
	if (err == 0 && job->page)
		virtual_keep_clock(v, job->page);
	if (err == 0)
		err = mount_open(v, &config, &m, why, size);
	if (err == 0)
		err = virtual_start(v);
	if (err == 0 && job->ready)
		job->ready(job->ctx);
	if (err == 0)
		err = mount_serve(m, stop);
	mount_close(m);
	virtual_free(v);
	release_signals(stop, &old);
	return err;
}

int serve_mount(struct machine *m, const struct serve_config *config, const char *dir, void (*ready)(void *ctx),
		void *ctx, char *why, size_t size)
{
	const struct serve_job job = { .machine = m, .config = config, .dir = dir, .tidy = true,
				       .ready = ready, .ctx = ctx };

	return serve_files(&job, why, size);
}
