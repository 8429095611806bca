/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread answers all connections of LIKWID.  A daemon connects, hands over a connection and waits until
 * we hang up: that ends it.
 */
#include "virtual/likwid_door.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"

enum { CLIENTS = 512, BACKLOG = 128, HANDOVER_MS = 15000 };	/* as patient as the daemon, which waits for LIKWID */

struct client {
	int daemon, link;		/* connections to the daemon and to LIKWID */
	unsigned pid;			/* LIKWID's */
	struct likwid_record record;
	size_t got;			/* bytes of it */
};

struct likwid_door {
	struct virtual *machine;
	int listen, stop;
	pthread_t thread;
	struct client client[CLIENTS];
	unsigned clients;
};

static bool is_ours(int fd, struct ucred *who)
{
	socklen_t len = sizeof *who;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &len) == 0 && who->uid == geteuid();
}

/* The connection that a daemon hands over; -1: none came in time. */
static int take_link(int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room,
				  .msg_controllen = sizeof control.room };
	struct timeval limit = { .tv_usec = HANDOVER_MS * 1000 % 1000000, .tv_sec = HANDOVER_MS / 1000 };
	struct cmsghdr *c;
	int link = -1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof link))
		memcpy(&link, CMSG_DATA(c), sizeof link);
	return link;
}

static void welcome(struct likwid_door *d)
{
	int daemon = accept4(d->listen, NULL, NULL, SOCK_CLOEXEC), link = -1;
	struct ucred who;

	if (daemon < 0)
		return;
	if (d->clients < CLIENTS && is_ours(daemon, &who))
		link = take_link(daemon);
	if (link < 0 || !is_ours(link, &who)) {
		if (link >= 0)
			close(link);
		close(daemon);
		return;
	}
	d->client[d->clients++] = (struct client){ .daemon = daemon, .link = link, .pid = (unsigned)who.pid };
}

static void hang_up(struct client *c)
{
	close(c->link);
	close(c->daemon);
}

/* Read what is there; a whole record is answered.  false: the connection is over. */
static bool serve(struct likwid_door *d, struct client *c)
{
	ssize_t n = recv(c->link, (char *)&c->record + c->got, sizeof c->record - c->got, MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->got += (size_t)n;
	if (c->got < sizeof c->record)
		return true;
	c->got = 0;
	if (c->record.kind == LIKWID_EXIT)
		return false;
	likwid_answer(d->machine, c->pid, &c->record);
	/* Who does not take its answers does not get more. */
	return send(c->link, &c->record, sizeof c->record, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof c->record;
}

static void *run(void *arg)
{
	struct likwid_door *d = arg;
	struct pollfd poll_on[CLIENTS + 2];

	for (;;) {
		poll_on[0] = (struct pollfd){ .fd = d->stop, .events = POLLIN };
		poll_on[1] = (struct pollfd){ .fd = d->listen, .events = POLLIN };
		for (unsigned i = 0; i < d->clients; i++)
			poll_on[i + 2] = (struct pollfd){ .fd = d->client[i].link, .events = POLLIN };
		if (poll(poll_on, d->clients + 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (poll_on[0].revents)
			return NULL;
		/* From behind: the last takes the place of one that goes. */
		for (unsigned i = d->clients; i-- > 0;) {
			if (!poll_on[i + 2].revents || serve(d, &d->client[i]))
				continue;
			hang_up(&d->client[i]);
			d->client[i] = d->client[--d->clients];
		}
		if (poll_on[1].revents)
			welcome(d);
	}
}

static int open_socket(struct likwid_door *d, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(name);

	if (len + 1 > sizeof address.sun_path)
		return -1;
	memcpy(address.sun_path + 1, name, len);
	d->listen = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	d->stop = eventfd(0, EFD_CLOEXEC);
	if (d->listen < 0 || d->stop < 0 ||
	    bind(d->listen, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) < 0)
		return -1;
	return listen(d->listen, BACKLOG);
}

static int start(struct likwid_door *d)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static void release(struct likwid_door *d)
{
	for (unsigned i = 0; i < d->clients; i++)
		hang_up(&d->client[i]);
	if (d->listen >= 0)
		close(d->listen);
	if (d->stop >= 0)
		close(d->stop);
	free(d);
}

int likwid_door_open(struct virtual *v, const char *name, struct likwid_door **out, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct likwid_door *d = calloc(1, sizeof *d);

	if (!d)
		return complain(&c, BXS_ENOMEM, "out of memory");
	d->machine = v;
	d->listen = d->stop = -1;
	if (open_socket(d, name) < 0 || start(d) != 0) {
		release(d);
		return complain(&c, BXS_EIO, "no socket %s for LIKWID: %s", name, strerror(errno));
	}
	*out = d;
	return 0;
}

void likwid_door_close(struct likwid_door *d)
{
	uint64_t one = 1;

	if (!d)
		return;
	if (write(d->stop, &one, sizeof one) == sizeof one)
		pthread_join(d->thread, NULL);
	release(d);
}
