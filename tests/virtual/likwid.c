/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LIKWID's door: what is answered to its records, and the way there as LIKWID goes it, through the daemon.  Argument:
 * the daemon; as `likwid DAEMON N` this is a client that starts N daemons.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "machine/machine.h"
#include "make_machine.h"
#include "virtual/likwid_door.h"

enum { CLIENTS = 20 };

static const struct row {
	int line;
	struct likwid_record ask;
	uint32_t error;
	uint64_t data;			/* of reads that work */
} rows[] = {
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 7 }, LIKWID_OK, 0 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 8 }, LIKWID_NOT_OPEN, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 3, .reg = 0xce }, LIKWID_OK, UINT64_C(12) << 40 | 23 << 8 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 3, .reg = 0x12345 }, LIKWID_FAILED, 0 },
	{ LINE, { .kind = LIKWID_WRITE, .cpu = 6, .reg = 0x186, .data = 0x4300c0 }, LIKWID_OK, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 6, .reg = 0x186 }, LIKWID_OK, 0x4300c0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 2, .reg = 0x186 }, LIKWID_OK, 0 },	/* its sibling's */
	{ LINE, { .kind = LIKWID_WRITE, .cpu = 6, .reg = 0xce, .data = 1 }, LIKWID_FAILED, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = UINT32_MAX, .reg = 0xce }, LIKWID_NOT_OPEN, 0 },
	/* The uncore's MSRs are their package's. */
	{ LINE, { .kind = LIKWID_WRITE, .cpu = 0, .reg = 0xe01, .data = 0x400000 }, LIKWID_OK, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 5, .reg = 0xe01 }, LIKWID_OK, 0x400000 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 2, .reg = 0xe01 }, LIKWID_OK, 0 },
	/* Devices: channel 0, home agent 1, a link; a third link, an IRP, what LIKWID has for other processors */
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 1, .device = 5 }, LIKWID_OK, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 5, .reg = 0 }, LIKWID_OK, 0x2fb08086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 14, .reg = 0 }, LIKWID_OK, 0x2f388086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 18, .reg = 0 }, LIKWID_OK, 0x2f338086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 24, .reg = 0xd4 }, LIKWID_OK, 7 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = 19 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = 26 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = 3 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = UINT32_MAX }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 2, .device = 5 }, LIKWID_NO_DEVICE, 0 },	/* two sockets */
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 65536, .device = 5 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_WRITE, .cpu = 1, .device = 5, .reg = 0xd8, .data = 0x400304 }, LIKWID_OK, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 5, .reg = 0xd8 }, LIKWID_OK, 0x400304 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 5, .reg = 0xd8 }, LIKWID_OK, 0 },
	{ LINE, { .kind = 4, .cpu = 0 }, LIKWID_UNKNOWN, 0 },
	{ LINE, { .kind = UINT32_MAX, .cpu = 0 }, LIKWID_UNKNOWN, 0 },
};

static const struct row snbep_rows[] = {
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 1, .reg = 0 }, LIKWID_OK, 0x3c448086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 2, .reg = 0 }, LIKWID_OK, 0x3c458086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 4, .reg = 0 }, LIKWID_OK, 0x3c438086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 5, .reg = 0 }, LIKWID_OK, 0x3cb08086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 6, .reg = 0 }, LIKWID_OK, 0x3cb18086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 7, .reg = 0 }, LIKWID_OK, 0x3cb48086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 1, .device = 8, .reg = 0 }, LIKWID_OK, 0x3cb58086 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = 9 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 13, .reg = 0 }, LIKWID_OK, 0x3c468086 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = 14 }, LIKWID_NO_DEVICE, 0 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 17, .reg = 0 }, LIKWID_OK, 0x3c418086 },
	{ LINE, { .kind = LIKWID_READ, .cpu = 0, .device = 18, .reg = 0 }, LIKWID_OK, 0x3c428086 },
	{ LINE, { .kind = LIKWID_CHECK, .cpu = 0, .device = UINT32_MAX }, LIKWID_NO_DEVICE, 0 },
};

/* The client. */

static int start_daemon(const char *daemon, pid_t *pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *nothing[] = { NULL };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	*pid = fork();
	if (*pid == 0) {
		execve(daemon, nothing, nothing);
		_exit(127);
	}
	snprintf(address.sun_path, sizeof address.sun_path, LIKWID_SOCKET, (int)*pid);
	for (int i = 0; i < 2000; i++) {
		if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
			return fd;
		usleep(2500);
	}
	return -1;
}

static bool ask(int fd, struct likwid_record *r)
{
	return write(fd, r, sizeof *r) == (ssize_t)sizeof *r &&
	       recv(fd, r, sizeof *r, MSG_WAITALL) == (ssize_t)sizeof *r;
}

/* All daemons at once, each answers; some end by the book, some in the midst of a record. */
static int be_client(const char *daemon, int n)
{
	struct likwid_record r;
	int fd[CLIENTS], bad = 0;
	pid_t pid[CLIENTS];

	for (int i = 0; i < n; i++) {
		fd[i] = start_daemon(daemon, &pid[i]);
		bad += fd[i] < 0;
	}
	for (int i = 0; i < n && !bad; i++) {
		r = (struct likwid_record){ .kind = LIKWID_READ, .cpu = 4, .reg = 0xce };
		bad += !ask(fd[i], &r) || r.error != LIKWID_OK || (uint16_t)r.data != 23 << 8;
	}
	for (int i = 0; i < n && !bad; i++) {
		int status = -1;

		r = (struct likwid_record){ .kind = i % 3 == 2 ? LIKWID_READ : LIKWID_EXIT };
		if (i % 3)
			bad += write(fd[i], &r, i % 3 == 2 ? 7 : sizeof r) < 0;
		close(fd[i]);
		waitpid(pid[i], &status, 0);
		bad += status != 0;
	}
	return bad;
}

/* We. */

static int run_client(const char *self, const char *daemon, const char *name)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (name)
			setenv(LIKWID_DOOR_VARIABLE, name, 1);
		execl(self, self, "likwid", daemon, name ? "20" : "0", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status;
}

/* Processes of the accesses that a log would see: one for a read or write that gets through, none for what the door asks itself. */
static unsigned seen;

static void see(void *ctx, struct machine *m, const struct virtual_event *e)
{
	(void)ctx;
	(void)m;
	seen += e->pid ? e->pid : 1000;
}

static void check_answers(struct virtual *v, const struct row *first, size_t n)
{
	for (const struct row *r = first; r < first + n; r++) {
		struct likwid_record record = r->ask;
		bool access = (r->ask.kind == LIKWID_READ || r->ask.kind == LIKWID_WRITE) &&
			      (r->error == LIKWID_OK || r->error == LIKWID_FAILED);

		seen = 0;
		likwid_answer(v, 77, &record);
		CHECK_EQ(r->line, record.error, r->error);
		CHECK_EQ(r->line, seen, access ? 77 : 0);
		if (r->ask.kind == LIKWID_READ && r->error == LIKWID_OK)
			CHECK_EQ(r->line, record.data, r->data);
	}
}

static void check_door(struct virtual *v, const char *self, const char *daemon)
{
	struct likwid_door *d = NULL, *second = NULL;
	char name[40], why[200] = "";

	snprintf(name, sizeof name, "boxscore-test-%d", (int)getpid());
	CHECK_EQ(__LINE__, likwid_door_open(v, name, &d, why, sizeof why), 0);
	CHECK_STR(__LINE__, why, "");
	CHECK(likwid_door_open(v, name, &second, why, sizeof why) < 0);
	CHECK(strstr(why, name) != NULL);
	CHECK_EQ(__LINE__, run_client(self, daemon, name), 0);
	CHECK_EQ(__LINE__, run_client(self, daemon, name), 0);
	likwid_door_close(d);
	likwid_door_close(NULL);
	CHECK_EQ(__LINE__, likwid_door_open(v, name, &d, why, sizeof why), 0);
	likwid_door_close(d);
}

/* Without a machine the daemon says so and ends. */
static void check_alone(const char *daemon)
{
	char *nothing[] = { NULL };
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		close(2);
		execve(daemon, nothing, nothing);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 69);
}

static void check_other_family(void)
{
	struct virtual_config config = { .load_output = -1 };
	struct machine *m = make_machine("snbep,sockets=2,cores=2");
	struct virtual *v = NULL;
	char why[200];

	CHECK_EQ(__LINE__, virtual_new(m, &config, &v, why, sizeof why), 0);
	virtual_observe(v, see, NULL);
	check_answers(v, snbep_rows, LEN(snbep_rows));
	virtual_free(v);
	machine_free(m);
}

int main(int argc, char **argv)
{
	struct virtual_config config = { .load_output = -1 };
	struct machine *m = NULL;
	struct virtual *v = NULL;
	char why[200];

	if (argc == 4)
		return be_client(argv[2], atoi(argv[3]));
	if (argc != 2)
		return 64;
	m = make_machine("hsx,sockets=2,cores=2");
	CHECK_EQ(__LINE__, virtual_new(m, &config, &v, why, sizeof why), 0);
	virtual_observe(v, see, NULL);
	check_answers(v, rows, LEN(rows));
	check_alone(argv[1]);
	check_door(v, argv[0], argv[1]);
	virtual_free(v);
	machine_free(m);
	check_other_family();
	return check_done();
}
