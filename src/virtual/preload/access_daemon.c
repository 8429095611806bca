/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What LIKWID starts in place of its access daemon: see virtual/likwid_protocol.h.  Needs no right of
 * its own and ends with LIKWID's connection, or when nobody connects.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "virtual/likwid_protocol.h"

enum { PATIENCE_MS = 15000, ENVIRONMENT = 1 << 20 };

static int fail(const char *what)
{
	fprintf(stderr, "boxscore's " LIKWID_DAEMON ": %s: %s\n", what, strerror(errno));
	return 69;
}

/* The environment that LIKWID itself was started with: what it leaves us is empty. */
static char *parents_variable(const char *name)
{
	static char text[ENVIRONMENT];
	size_t len = strlen(name), used = 0;
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text + used, sizeof text - 1 - used)) > 0)
		used += (size_t)n;
	if (fd >= 0)
		close(fd);
	for (char *at = text; at < text + used; at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '=')
			return at + len + 1;
	return NULL;
}

static int connect_door(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || len + 1 > sizeof address.sun_path)
		return -1;
	memcpy(address.sun_path + 1, name, len);
	if (connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) < 0)
		return -1;
	return fd;
}

/* LIKWID's connection; -1: it did not come. */
static int take_client(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client = -1;
	struct pollfd wait = { .fd = listening, .events = POLLIN };

	snprintf(address.sun_path, sizeof address.sun_path, LIKWID_SOCKET, (int)getpid());
	umask(077);
	unlink(address.sun_path);
	if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	if (listen(listening, 1) == 0 && poll(&wait, 1, PATIENCE_MS) == 1)
		client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	else
		errno = ETIMEDOUT;
	unlink(address.sun_path);
	close(listening);
	return client;
}

static int hand_over(int door, int client)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room,
				  .msg_controllen = sizeof control.room };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof client);
	memcpy(CMSG_DATA(c), &client, sizeof client);
	return sendmsg(door, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int main(void)
{
	const char *name = parents_variable(LIKWID_DOOR_VARIABLE);
	int door, client;
	char byte;

	/* LIKWID's connections to its other daemons: they have to end when it closes them. */
	close_range(3, ~0U, 0);
	if (!name) {
		errno = ENOENT;
		return fail("started by something that runs on no machine; the variable " LIKWID_DOOR_VARIABLE);
	}
	door = connect_door(name);
	if (door < 0)
		return fail("the machine");
	client = take_client();
	if (client < 0)
		return fail("LIKWID's connection");
	if (hand_over(door, client) < 0)
		return fail("the machine");
	close(client);
	while (read(door, &byte, 1) > 0)
		;
	return 0;
}
