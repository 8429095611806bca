/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounting and serving: the life of a FUSE session around the tree of files. */
#include "virtual/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "virtual/cpuid.h"
#include "virtual/files.h"
#include "virtual/mount_private.h"
#include "virtual/perf_door.h"

/* What libfuse has to say goes into the sentence of mount_open(); it has no context to pass. */
static _Thread_local char fuse_said[200];

static void listen_to_fuse(enum fuse_log_level level, const char *format, va_list args)
{
	size_t len;

	(void)level;
	vsnprintf(fuse_said, sizeof fuse_said, format, args);
	len = strlen(fuse_said);
	if (len && fuse_said[len - 1] == '\n')
		fuse_said[len - 1] = '\0';
}

/* Whoever was killed has left a mount that nobody serves: stat() says ENOTCONN. */
static int prepare_dir(const char *dir, const struct complaint *c)
{
	struct stat st;

	if (stat(dir, &st) < 0 && errno == ENOTCONN)
		umount2(dir, MNT_DETACH);
	if (stat(dir, &st) < 0)
		return complain(c, BXS_ENOENT, "%s: %s; an existing directory is expected", dir,
				strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return complain(c, BXS_ENOENT, "%s is no directory", dir);
	if (st.st_ino == FUSE_ROOT_ID && guard_finds(major(st.st_dev), minor(st.st_dev), GUARD_TYPE))
		return complain(c, BXS_EINVAL, "on %s there is a machine already; fusermount3 -u %s takes it away", dir, dir);
	return 0;
}

static int check_fuse(const struct complaint *c)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
		return complain(c, BXS_ENOTSUP, "this system has no /dev/fuse: load the module (modprobe fuse); "
				"a container is given it with --device /dev/fuse --cap-add SYS_ADMIN");
	return complain(c, BXS_ENOTSUP, "/dev/fuse cannot be opened: %s; give this user access to it, or run "
			"as root", strerror(errno));
}

static int open_session(struct mount *m, const struct mount_config *config, const struct complaint *c)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	int err = fuse_opt_add_arg(&args, "boxscore") ||
		  fuse_opt_add_arg(&args, "-ofsname=boxscore,subtype=boxscore,default_permissions") ||
		  (config->allow_other && fuse_opt_add_arg(&args, "-oallow_other"));

	fuse_said[0] = '\0';
	fuse_set_log_func(listen_to_fuse);
	if (!err)
		m->session = fuse_session_new(&args, &mount_ops, sizeof mount_ops, m);
	fuse_opt_free_args(&args);
	if (!m->session)
		return complain(c, BXS_ENOMEM, "FUSE cannot begin: %s", fuse_said);
	if (fuse_session_mount(m->session, config->dir) == 0) {
		m->mounted = config->tidy;
		if (config->tidy && guard_open(&m->guard, config->dir) < 0)
			return complain(c, BXS_EIO, "%s: nobody can watch over the mount: %s", config->dir,
					strerror(errno));
		return fcntl(fuse_session_fd(m->session), F_SETFL, O_NONBLOCK) < 0 ? BXS_EIO : 0;
	}
	return complain(c, BXS_ENOTSUP, "%s cannot be mounted on: %s", config->dir,
			*fuse_said ? fuse_said : strerror(errno));
}

static int learn_cpuid(struct mount *m, const struct complaint *c)
{
	m->cpu = malloc(sizeof *m->cpu);
	if (!m->cpu)
		return complain(c, BXS_ENOMEM, "out of memory");
	return cpuid_fill(virtual_machine(m->machine), m->cpu);
}

int mount_open(struct virtual *v, const struct mount_config *config, struct mount **out, char *why,
	       size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct mount *m = calloc(1, sizeof *m);
	int err;

	if (!m)
		return complain(&c, BXS_ENOMEM, "out of memory");
	m->machine = v;
	m->owner = getuid();
	clock_gettime(CLOCK_REALTIME, &m->since);
	m->group = getgid();
	m->share = config->allow_other;
	m->perf = config->perf;
	err = prepare_dir(config->dir, &c);
	if (err == 0)
		err = check_fuse(&c);
	if (err == 0)
		err = files_all(&m->tree, v, m->perf ? perf_door_perf(m->perf) : NULL, &c);
	if (err == 0 && m->perf)
		m->events = tree_dir(&m->tree, TREE_ROOT, MOUNT_EVENTS);
	if (err == 0)
		err = learn_cpuid(m, &c);
	if (err == 0)
		err = open_session(m, config, &c);
	if (err < 0) {
		mount_close(m);
		return err;
	}
	*out = m;
	return 0;
}

/* Of a severed connection, as a pipe without a reader looks, libfuse only frees what it keeps: what is mounted by now in the same
 * place is not ours.  True: it is severed. */
static bool sever(struct fuse_session *s)
{
	int pipes[2], err;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return false;
	close(pipes[0]);
	err = dup2(pipes[1], fuse_session_fd(s));
	close(pipes[1]);
	return err >= 0;
}

int mount_serve(struct mount *m, int stop)
{
	/* The third tells of changes of what is mounted. */
	struct pollfd fd[3] = {
		{ .fd = fuse_session_fd(m->session), .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
		{ .fd = m->mounted ? open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) : -1, .events = POLLPRI },
	};
	struct fuse_buf buf = { .mem = NULL };
	int n = 0;

	while (!fuse_session_exited(m->session)) {
		n = fuse_session_receive_buf(m->session, &buf);
		if (n > 0) {
			fuse_session_process_buf(m->session, &buf);
			continue;
		}
		if (n != -EAGAIN && n != -EINTR)
			break;		/* 0 or ENODEV: unmounted */
		if ((poll(fd, LEN(fd), -1) < 0 && errno != EINTR) || fd[1].revents)
			break;
		if (fd[2].revents && !guard_mounted(&m->guard)) {
			m->mounted = sever(m->session);
			break;
		}
	}
	if (fd[2].fd >= 0)
		close(fd[2].fd);
	free(buf.mem);
	fuse_session_reset(m->session);
	return n < 0 && n != -EAGAIN && n != -EINTR && n != -ENODEV ? BXS_EIO : 0;
}

void mount_close(struct mount *m)
{
	if (!m)
		return;
	if (m->mounted)
		fuse_session_unmount(m->session);
	guard_close(&m->guard);
	if (m->session)
		fuse_session_destroy(m->session);
	tree_release(&m->tree);
	free(m->cpu);
	free(m);
}
