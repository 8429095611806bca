/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that answers perf_event_open(), and the registers as the driver behind it reaches them. */
#include "virtual/perf_door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "machine/machine.h"
#include "virtual/mount.h"
#include "virtual/perf_caller.h"
#include "virtual/perf_client.h"

enum {
	TURNS_MS = 1, REST_MS = 1000,	/* how often groups that wait, and counters, are looked after */
	SELECT0 = 0x186,		/* IA32_PERFEVTSEL0 */
	NOTIF_ROOM = 512,		/* more than any kernel's struct seccomp_notif */
};

/* Registers of a living machine: accesses of nobody's process, since the driver is the kernel's. */
struct registers {
	struct access access;
	struct virtual *machine;
};

struct perf_door {
	struct registers registers;
	struct perf *perf;
	int socket, listener, root;	/* root: of the mount */
	int stop, kick;			/* that can be read when the thread shall end, or look after groups that wait */
	pthread_t thread;
	bool started;
	int tid;
	pthread_mutex_t lock;		/* over pending */
	struct perf_event *pending;	/* whose file is being opened */
};

static int read_register(struct access *a, const struct access_address *at, uint64_t *value)
{
	return virtual_read(((struct registers *)a)->machine, 0, at, value);
}

static int write_register(struct access *a, const struct access_address *at, uint64_t value)
{
	return virtual_write(((struct registers *)a)->machine, 0, at, value);
}

static const struct access_ops operations = { .read = read_register, .write = write_register };

static uint64_t now(void *ctx)
{
	return virtual_time(((struct perf_door *)ctx)->registers.machine);
}

static void hold(void *ctx)
{
	virtual_hold(((struct perf_door *)ctx)->registers.machine);
}

static void release(void *ctx)
{
	virtual_release(((struct perf_door *)ctx)->registers.machine);
}

/* As IA32_PERFEVTSELx of a CPU takes it. */
static uint32_t counters(void *ctx, uint64_t select)
{
	const struct machine *m = virtual_machine(((struct perf_door *)ctx)->registers.machine);
	uint32_t mask = 0;

	if (machine_core_silent(m, select))
		return 0;
	for (uint32_t msr = SELECT0; machine_core_selects(m, msr); msr++)
		if (!machine_core_elsewhere(m, msr, select))
			mask |= 1u << (msr - SELECT0);
	return mask;
}

static unsigned count_counters(const struct machine *m)
{
	unsigned n = 0;

	while (machine_core_selects(m, SELECT0 + n))
		n++;
	return n;
}

static void wake(void *ctx)
{
	uint64_t one = 1;

	(void)!write(((struct perf_door *)ctx)->kick, &one, sizeof one);
}

int perf_door_new(struct virtual *v, struct perf_door **out)
{
	struct machine *m = virtual_machine(v);
	struct perf_door *d = calloc(1, sizeof *d);
	struct perf_config config = {
		.hold = hold, .release = release, .now = now, .wake = wake, .counters = counters, .ctx = d,
		.sockets = machine_sockets(m), .cores = machine_cores(m) / machine_sockets(m),
		.core_counters = count_counters(m), .cpus = machine_cpus(m), .family = (unsigned)(machine_spec(m)->family - cat_families),
	};

	if (!d)
		return BXS_ENOMEM;
	d->registers = (struct registers){ { &operations }, v };
	d->socket = d->listener = d->stop = d->kick = d->root = -1;
	pthread_mutex_init(&d->lock, NULL);
	config.registers = &d->registers.access;
	if (perf_new(&config, &d->perf) < 0) {
		perf_door_free(d);
		return BXS_ENOMEM;
	}
	*out = d;
	return 0;
}

const struct perf *perf_door_perf(const struct perf_door *d)
{
	return d->perf;
}

struct perf_event *perf_door_take(struct perf_door *d, uint64_t id, int tid)
{
	struct perf_event *e = NULL;

	pthread_mutex_lock(&d->lock);
	if (d->pending && tid == d->tid && perf_event_id(d->pending) == id) {
		e = d->pending;
		d->pending = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	return e;
}

/* A descriptor of the event's file, which owns the event; -1 with errno: the event is gone. */
static int open_file(struct perf_door *d, struct perf_event *e)
{
	char path[48];
	int fd;

	snprintf(path, sizeof path, MOUNT_EVENTS "/%llu", (unsigned long long)perf_event_id(e));
	pthread_mutex_lock(&d->lock);
	d->pending = e;
	pthread_mutex_unlock(&d->lock);
	fd = openat(d->root, path, O_RDWR | O_CLOEXEC);
	pthread_mutex_lock(&d->lock);
	if (d->pending)
		perf_event_free(d->pending);
	d->pending = NULL;
	pthread_mutex_unlock(&d->lock);
	return fd;
}

/* End the call with an error, or let the kernel do it. */
static void answer(const struct perf_door *d, uint64_t id, int error, uint32_t flags)
{
	struct seccomp_notif_resp resp = { .id = id, .error = error, .flags = flags };

	ioctl(d->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

/* End it with a descriptor.  Who has died meanwhile does not get it; then the file, and with it the event, is closed. */
static void give(const struct perf_door *d, uint64_t id, int fd, bool cloexec)
{
	struct seccomp_notif_addfd add = {
		.id = id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (uint32_t)fd, .newfd_flags = cloexec ? O_CLOEXEC : 0,
	};

	if (ioctl(d->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0)
		answer(d, id, errno == EINVAL ? -ENOSYS : -errno, 0);
	close(fd);
}

static void serve(struct perf_door *d, const struct seccomp_notif *n)
{
	struct perf_caller caller;
	struct perf_event *e = NULL;
	int err, fd;

	err = perf_caller_read(&caller, d->root, (int)n->pid, n->data.args);
	if (err == 0 && perf_caller_is_of_programs(&caller)) {
		answer(d, n->id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
		return;
	}
	if (err == 0)
		err = perf_event_new(d->perf, &caller.call, &e);
	fd = err == 0 ? open_file(d, e) : -1;
	if (err == 0 && fd < 0)
		err = -errno;
	if (err < 0)
		answer(d, n->id, err, 0);
	else
		give(d, n->id, fd, caller.call.flags & PERF_FLAG_FD_CLOEXEC);
}

static void receive(struct perf_door *d)
{
	union {
		struct seccomp_notif notif;
		char room[NOTIF_ROOM];
	} in;

	memset(&in, 0, sizeof in);
	if (ioctl(d->listener, SECCOMP_IOCTL_NOTIF_RECV, &in) == 0)
		serve(d, &in.notif);
}

/* Until the client has sent its listener, then until it has ended. */
static void *run(void *ctx)
{
	struct perf_door *d = ctx;
	struct pollfd fd[3] = {
		{ .fd = d->stop, .events = POLLIN }, { .fd = d->socket, .events = POLLIN }, { .fd = d->kick, .events = POLLIN },
	};
	uint64_t kicks;

	d->tid = (int)syscall(SYS_gettid);
	for (;;) {
		int timeout = perf_tick(d->perf) ? TURNS_MS : REST_MS;

		if ((poll(fd, 3, timeout) < 0 && errno != EINTR) || fd[0].revents)
			return NULL;
		(void)!read(d->kick, &kicks, sizeof kicks);
		if (!fd[1].revents)
			continue;
		if (d->listener < 0) {
			d->listener = perf_client_listener(d->socket);
			fd[1].fd = d->listener;
		} else if (fd[1].revents & POLLIN) {
			receive(d);
		} else {
			fd[1].fd = -1;	/* nobody is left who could call */
		}
	}
}

int perf_door_start(struct perf_door *d, int socket, const char *dir)
{
	sigset_t all, old;
	int err;

	d->socket = socket;
	d->stop = eventfd(0, EFD_CLOEXEC);
	d->root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	d->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->stop < 0 || d->kick < 0 || d->root < 0)
		return BXS_EIO;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->started = err == 0;
	errno = err;
	return err ? BXS_EIO : 0;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void perf_door_free(struct perf_door *d)
{
	uint64_t one = 1;

	if (!d)
		return;
	if (d->started && write(d->stop, &one, sizeof one) == sizeof one)
		pthread_join(d->thread, NULL);
	close_if_open(d->socket);
	close_if_open(d->listener);
	close_if_open(d->stop);
	close_if_open(d->kick);
	close_if_open(d->root);
	perf_free(d->perf);
	pthread_mutex_destroy(&d->lock);
	free(d);
}
