/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine and session on this computer: its registers, its time, and a program that runs on it. */
#include "local/local.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/session.h"
#include "catalog/find.h"

enum { NOT_STARTED = 126, LOOK_MS = 100, END_MS = 1000 };

/* "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz" as the catalogue has the part: e5-2699v3; NULL: it has not. */
static const struct cat_part *part_of(const struct local_processor *p)
{
	char plain[sizeof p->name];
	size_t n = 0;

	for (const char *c = p->name; *c && *c != '@'; c++)
		if (*c != ' ')
			plain[n++] = (char)tolower((unsigned char)*c);
	plain[n] = '\0';
	for (unsigned i = p->family->part0; i < (unsigned)p->family->part0 + p->family->parts; i++)
		if (strstr(plain, cat_str(cat_parts[i].name)))
			return cat_parts + i;
	return NULL;
}

/* A machine of the same shape, for names and numbers. */
static int open_shape(const struct local_processor *p, bxs_machine **out, char *why, size_t size)
{
	const struct cat_part *part = part_of(p);
	char spec[120];
	int err;

	snprintf(spec, sizeof spec, "%s%s%s,sockets=%u,cores=%u", cat_str(p->family->name), part ? ":" : "", part ? cat_str(part->name) : "",
		 p->sockets, p->cores);
	err = bxs_machine_new(spec, BXS_BARE, out, why, size);
	if (err == 0)
		snprintf((*out)->about, sizeof (*out)->about, "%s%s%s", cat_str(p->family->name), part ? ":" : "",
			 part ? cat_str(part->name) : "");
	return err;
}

int bxs_machine_local(const struct bxs_local *wish, bxs_machine **out, char *why, size_t size)
{
	static const struct bxs_local any;
	const struct bxs_local *w = wish ? wish : &any;
	const struct local_wish inside = { .family = w->family, .via = w->via, .force = w->force };
	bxs_machine *m;
	struct local *l;
	int err = local_open(&inside, &l, why, size);

	if (err < 0)
		return err;
	err = open_shape(local_processor(l), &m, why, size);
	if (err < 0) {
		local_close(l);
		return err;
	}
	m->local = l;
	strncat(m->about, " by ", sizeof m->about - strlen(m->about) - 1);
	strncat(m->about, local_way(l), sizeof m->about - strlen(m->about) - 1);
	*out = m;
	return 0;
}

const char *bxs_local_about(const bxs_machine *m)
{
	return m->about;
}

unsigned bxs_local_put_back(const bxs_machine *m)
{
	return m->local ? local_put_back(m->local) : 0;
}

const char *bxs_local_family(void)
{
	const struct cat_family *f = local_family();

	return f ? cat_str(f->name) : NULL;
}

bool bxs_doctor(void (*tell)(void *ctx, const char *what, const char *text), void *ctx)
{
	return local_doctor(tell, ctx);
}

/* In the child: wait until counting has started, then execute the program.  If that fails, send errno back; if the parent has died, exit. */
static void become(const struct bxs_program *program, int line)
{
	char go;
	ssize_t n;

	do
		n = read(line, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		execvp(program->argv[0], program->argv);
	send(line, &errno, sizeof errno, MSG_NOSIGNAL);
	_exit(NOT_STARTED);
}

int api_child_start(bxs_session *s, const struct bxs_program *program)
{
	int line[2], pid, err = api_open(s);

	if (err < 0)
		return err;
	if (s->child.pid)
		return api_fail(s->machine, BXS_EINVAL, "a program has been started already");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return api_fail(s->machine, BXS_EIO, "a socket cannot be made: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(line[1]);
		become(program, line[0]);
	}
	close(line[0]);
	if (pid < 0) {
		close(line[1]);
		return api_fail(s->machine, BXS_EIO, "%s cannot be started: %s", program->argv[0], strerror(errno));
	}
	s->child = (struct api_child){ .pid = pid, .line = line[1], .status = -1, .name = program->argv[0] };
	return 0;
}

/* Let the child execute the program, which closes its end of the line.  Returns 0, or errno of the child. */
static int let_go(bxs_session *s)
{
	int error = 0, status;
	char go = 0;

	if (send(s->child.line, &go, 1, MSG_NOSIGNAL) != 1 || read(s->child.line, &error, sizeof error) != sizeof error)
		error = 0;
	close(s->child.line);
	s->child.line = -1;
	if (!error)
		return 0;
	waitpid(s->child.pid, &status, 0);
	s->child.pid = 0;
	return error;
}

int api_child_go(bxs_session *s)
{
	int error = s->child.pid && s->child.line >= 0 ? let_go(s) : 0;

	return error ? api_fail(s->machine, error == ENOENT ? BXS_ENOENT : BXS_EIO, "%s: %s", s->child.name, strerror(error)) : 0;
}

/* Wait so long for the program's end, or for a signal. */
static void await_child(bxs_session *s, int ms)
{
	int fd = (int)syscall(SYS_pidfd_open, s->child.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, fd >= 0, ms);
	if (fd >= 0)
		close(fd);
}

static bool has_ended(bxs_session *s)
{
	int status;

	if (s->child.pid && s->child.status < 0 && waitpid(s->child.pid, &status, WNOHANG) == s->child.pid)
		s->child.status = status;
	return s->child.pid && s->child.status >= 0;
}

/* Until then, but no longer than a look at counters or at signals may wait. */
static int wait_ms(uint64_t now, uint64_t until)
{
	uint64_t ms = until > now ? (until - now + 999999999) / 1000000000 : 0;

	return ms > LOOK_MS ? LOOK_MS : (int)ms;
}

int api_child_run(bxs_session *s, uint64_t end)
{
	while (!(s->ended = has_ended(s)) && !machine_interrupted(s->machine->machine)) {
		uint64_t now = local_time(s->machine->local), next = api_turn_end(s);

		if (now >= next) {
			int err = bxs_session_read(s);

			if (err < 0)
				return err;
		} else if (now >= end) {
			break;
		} else {
			await_child(s, wait_ms(now, next < end ? next : end));
		}
	}
	return !s->ended;
}

/* The program gets a second to end by itself after SIGTERM. */
void api_child_end(bxs_session *s)
{
	if (!s->child.pid || has_ended(s))
		return;
	kill(s->child.pid, SIGTERM);
	if (s->child.line >= 0)
		close(s->child.line);
	await_child(s, END_MS);
	if (has_ended(s))
		return;
	kill(s->child.pid, SIGKILL);
	waitpid(s->child.pid, &s->child.status, 0);
}
