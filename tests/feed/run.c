/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real programs on the machine: what passes through untouched, what ends how, and that
 * nothing stays behind.  Arguments: the test program and QEMU's plugin, or "native" for the emulator that needs none.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "feed/run.h"
#include "machine/machine.h"
#include "make_machine.h"

static const char *program, *plugin;
static const char *machine_of = "hsx";	/* specification */

/* Run to the end in this process; the wait status, or the negative error of run_open(). */
static int run_here(char *const argv[], uint64_t step, uint64_t *time, unsigned *steps)
{
	struct run_config cfg = { .argv = argv, .plugin = plugin };
	struct machine *m = make_machine(machine_of);
	struct feed *f = NULL;
	char why[5000];
	uint64_t until = step;
	int status = run_open(m, &cfg, &f, why, sizeof why);

	if (status < 0) {
		CHECK(why[0] != 0);
		machine_free(m);
		return status;
	}
	*steps = 1;
	while (feed_run(f, until) == 1) {
		until = until < UINT64_MAX - step ? until + step : UINT64_MAX;
		++*steps;
	}
	status = run_status(f);
	*time = machine_horizon(m);
	CHECK_EQ(__LINE__, run_lost_threads(f), 0);
	feed_close(f);
	machine_free(m);
	return status;
}

struct outcome_of_run {
	int status;
	char out[512], err[512];
};

static void read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size - 1 && (n = read(fd, buf + used, size - 1 - used)) > 0)
		used += (size_t)n;
	buf[used] = 0;
	close(fd);
}

/* The same with its own standard streams, so in a child; the status comes back by a pipe. */
static void run_apart(char *const argv[], const char *in, struct outcome_of_run *o)
{
	int to[2], out[2], err[2], result[2], child;
	pid_t pid;

	fflush(stdout);
	if (pipe(to) || pipe(out) || pipe(err) || pipe2(result, O_CLOEXEC))
		abort();
	pid = fork();
	if (!pid) {
		uint64_t time;
		unsigned steps;
		int status;

		dup2(to[0], 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		close(to[1]);
		close(out[0]);
		close(err[0]);
		status = run_here(argv, UINT64_MAX, &time, &steps);
		_exit(write(result[1], &status, sizeof status) != sizeof status || check_failures);
	}
	close(to[0]);
	close(out[1]);
	close(err[1]);
	close(result[1]);
	CHECK_EQ(__LINE__, write(to[1], in, strlen(in)), strlen(in));
	close(to[1]);
	read_all(out[0], o->out, sizeof o->out);
	read_all(err[0], o->err, sizeof o->err);
	CHECK_EQ(__LINE__, read(result[0], &o->status, sizeof o->status), sizeof o->status);
	close(result[0]);
	waitpid(pid, &child, 0);
	CHECK_EQ(__LINE__, child, 0);
}

/* As waitpid() gives it. */
#define EXITS(n) ((n) << 8)
#define DIES(n) (n)

static const struct row {
	int line;
	const char *argv[6];		/* NULL first: the test program */
	const char *in, *out, *err;
	int status;
} rows[] = {
	{ LINE, { NULL, "exit", "0" }, .status = EXITS(0) },
	{ LINE, { NULL, "exit", "37" }, .status = EXITS(37) },
	{ LINE, { NULL, "signal", "9" }, .status = DIES(SIGKILL) },
	{ LINE, { NULL, "signal", "15" }, .status = DIES(SIGTERM) },
	{ LINE, { NULL, "echo", "done" }, .in = "one\ntwo\n", .out = "one\ntwo\n", .err = "done" },
	{ LINE, { NULL, "arguments", "a b", "", "-0" }, .out = "[a b][][-0]yes\n" },
	{ LINE, { NULL, "threads", "5" }, .out = "5000\n" },
	{ LINE, { NULL, "threads", "50" }, .out = "50000\n" },
	{ LINE, { NULL, "spin" }, .status = EXITS(0) },
	{ LINE, { NULL, "fork", "21" }, .out = "21\n" },
	{ LINE, { NULL, "leave", "7" }, .status = EXITS(7) },
	{ LINE, { NULL, "leave", "8", "late" }, .out = "late\n", .status = EXITS(12) },
	{ LINE, { NULL, "leave", "8", "/bin/sh", "-c", "exit 13" }, .status = EXITS(13) },
	{ LINE, { NULL, "leave-child", "23" }, .out = "23\n" },
	{ LINE, { NULL, "execute", "/nowhere" }, .status = EXITS(9) },
	{ LINE, { NULL, "execute", "/bin/sh", "-c", "exit 6" }, .status = EXITS(6) },
	{ LINE, { "/bin/sh", "-c", "echo b c | while read x y; do echo $y $x; done" },
	  .out = "c b\n" },
	{ LINE, { "/bin/sh", "-c", "read x; echo $x; false || exit 5" }, .in = "word\n",
	  .out = "word\n", .status = EXITS(5) },
	{ LINE, { "sh", "-c", "kill -15 $$" }, .status = DIES(SIGTERM) },
};

static void test_row(const struct row *r)
{
	const char *argv[7] = { 0 };
	struct outcome_of_run o = { 0 };

	memcpy(argv, r->argv, sizeof r->argv);
	if (!argv[0])
		argv[0] = program;
	run_apart((char *const *)(uintptr_t)argv, r->in ? r->in : "", &o);
	CHECK_STR(r->line, o.out, r->out ? r->out : "");
	CHECK_STR(r->line, o.err, r->err ? r->err : "");
	CHECK_EQ(r->line, o.status, r->status);
}

/* What cannot be run; each with a sentence, and nothing started. */
static void test_refused(void)
{
	static const char foreign[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0";
	char path[] = "/tmp/boxscore-test-XXXXXX";
	char *const missing[] = { "/nowhere/program", NULL };
	char *const unknown[] = { "no-such-program-at-all", NULL };
	char *const text[] = { path, NULL }, *const directory[] = { "/tmp", NULL };
	uint64_t time;
	unsigned steps;
	int fd = mkstemp(path);

	CHECK_EQ(__LINE__, run_here(missing, UINT64_MAX, &time, &steps), BXS_ENOENT);
	CHECK_EQ(__LINE__, run_here(unknown, UINT64_MAX, &time, &steps), BXS_ENOENT);
	CHECK_EQ(__LINE__, run_here(directory, UINT64_MAX, &time, &steps), BXS_EIO);
	CHECK_EQ(__LINE__, run_here(text, UINT64_MAX, &time, &steps), BXS_EIO);
	CHECK_EQ(__LINE__, fchmod(fd, 0700), 0);
	CHECK_EQ(__LINE__, run_here(text, UINT64_MAX, &time, &steps), BXS_ENOTSUP);
	CHECK_EQ(__LINE__, write(fd, foreign, sizeof foreign), sizeof foreign);
	CHECK_EQ(__LINE__, run_here(text, UINT64_MAX, &time, &steps), BXS_ENOTSUP);
	close(fd);
	unlink(path);
}

/* A single-threaded program takes the same simulated time in every run, in whatever steps. */
static void test_repeats(void)
{
	char *const argv[] = { (char *)(uintptr_t)program, "touch", "2048", NULL };
	uint64_t first, again;
	unsigned one, many;

	CHECK_EQ(__LINE__, run_here(argv, UINT64_MAX, &first, &one), 0);
	CHECK_EQ(__LINE__, run_here(argv, UINT64_MAX, &again, &one), 0);
	CHECK_EQ(__LINE__, one, 1);
	CHECK_EQ(__LINE__, again, first);
	CHECK_EQ(__LINE__, run_here(argv, 10000000, &again, &many), 0);
	CHECK_EQ(__LINE__, again, first);
	CHECK(many > 5);
	CHECK(first > 10000000);
}

/* A child that another thread forks takes nothing from a thread's core: what that touches is all told. */
static void test_beside(void)
{
	char *const alone[] = { (char *)(uintptr_t)program, "touch", "2048", NULL };
	char *const beside[] = { (char *)(uintptr_t)program, "beside", "2048", NULL };
	uint64_t first, second;
	unsigned steps;

	CHECK_EQ(__LINE__, run_here(alone, UINT64_MAX, &first, &steps), 0);
	CHECK_EQ(__LINE__, run_here(beside, UINT64_MAX, &second, &steps), 0);
	CHECK(second > first);
}

static bool gone_within_seconds(pid_t pid, unsigned seconds)
{
	for (unsigned i = 0; i < seconds * 100; i++) {
		if (kill(pid, 0) < 0 && errno == ESRCH)
			return true;
		usleep(10000);
	}
	return false;
}

/* Start the program in a child of ours; its first line of output. */
static pid_t start_apart(const char *const argv[], char *line, size_t size, int *out)
{
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fds))
		abort();
	pid = fork();
	if (!pid) {
		uint64_t time;
		unsigned steps;
		int status;

		dup2(fds[1], 1);
		close(fds[0]);
		status = run_here((char *const *)(uintptr_t)argv, UINT64_MAX, &time, &steps);
		_exit(status >= 256 ? status >> 8 : 100 + status);
	}
	close(fds[1]);
	for (size_t used = 0; used < size - 1 && read(fds[0], line + used, 1) == 1; used++) {
		line[used + 1] = 0;
		if (line[used] == '\n')
			break;
	}
	*out = fds[0];
	return pid;
}

/* When we are killed, the program goes too, working or asleep. */
static void test_killed(void)
{
	const char *works[] = { program, "stay", NULL };
	const char *sleeps[] = { program, "stay", "sleeping", NULL };
	const char *child[] = { program, "stay", "child", NULL };
	const char *const *all[] = { works, sleeps, child };

	for (size_t i = 0; i < LEN(all); i++) {
		char line[32] = "";
		int out, status;
		pid_t pid = start_apart(all[i], line, sizeof line, &out);
		pid_t inner = atoi(line);

		CHECK(inner > 0 && kill(inner, 0) == 0);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		CHECK(inner > 0 && gone_within_seconds(inner, 10));
		close(out);
	}
}

/* Feed the program for so long that it is at work, end it, and stay. */
static _Noreturn void close_early(char *const argv[])
{
	struct run_config cfg = { .argv = argv, .plugin = plugin };
	struct machine *m = make_machine(machine_of);
	struct feed *f = NULL;
	char why[5000];

	if (run_open(m, &cfg, &f, why, sizeof why) == 0 && feed_run(f, UINT64_C(10000000000)) == FEED_MORE)
		feed_close(f);
	for (;;)
		pause();
}

/* Who ends the program early ends what that has started, too. */
static void test_closed(void)
{
	char *const argv[] = { (char *)(uintptr_t)program, (char *)"stay", (char *)"child", (char *)"busy", NULL };
	char line[32] = "";
	int fds[2], status;
	pid_t pid, inner;

	fflush(stdout);
	if (pipe(fds))
		abort();
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		close_early(argv);
	}
	close(fds[1]);
	CHECK(read(fds[0], line, sizeof line - 1) > 0);
	inner = atoi(line);
	CHECK(inner > 0 && gone_within_seconds(inner, 60));
	CHECK_EQ(__LINE__, waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fds[0]);
}

/* A signal sent to us reaches the program, which may catch it or die of it. */
static void test_signals(void)
{
	const char *catches[] = { program, "catch", "15", NULL }, *dies[] = { program, "stay", NULL };
	char line[32] = "", rest[32];
	int out, status;
	pid_t pid = start_apart(catches, line, sizeof line, &out);

	CHECK_STR(__LINE__, line, "ready\n");
	kill(pid, SIGTERM);
	read_all(out, rest, sizeof rest);
	CHECK_STR(__LINE__, rest, "caught\n");
	waitpid(pid, &status, 0);
	CHECK_EQ(__LINE__, status, EXITS(15));

	pid = start_apart(dies, line, sizeof line, &out);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	CHECK_EQ(__LINE__, status, EXITS(100 + SIGTERM));
	close(out);
}

/* What processor the program sees, and what a program sees that it starts. */
static void processors(void)
{
	static const struct {
		int line;
		const char *machine, *out;
	} see[] = {
		{ LINE, "hsx", "0x306c0 avx avx2\n" },
		{ LINE, "hsx,erms=on", "0x306c0 avx avx2 erms\n" },
		{ LINE, "snbep", "0x206d0 avx\n" },
		{ LINE, "snbep:e5-2650", "0x206d0 avx\n" },
		{ LINE, "nhmex", "0x206e0\n" },
	};
	char command[4200];

	snprintf(command, sizeof command, "exec '%s' processor", program);
	for (size_t i = 0; i < LEN(see); i++) {
		char *const direct[] = { (char *)(uintptr_t)program, (char *)"processor", NULL };
		char *const shell[] = { (char *)"sh", (char *)"-c", command, NULL };
		struct outcome_of_run o = { .status = -1 };

		machine_of = see[i].machine;
		run_apart(direct, "", &o);
		CHECK_STR(see[i].line, o.out, see[i].out);
		run_apart(shell, "", &o);
		CHECK_STR(see[i].line, o.out, see[i].out);
	}
	machine_of = "hsx";
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 99;
	program = argv[1];
	plugin = strcmp(argv[2], "native") ? argv[2] : NULL;
	if (plugin && access("/usr/bin/qemu-x86_64", X_OK) < 0)
		return 77;	/* skipped */
	setenv("BEHAVE", "yes", 1);
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		test_row(r);
	processors();
	test_refused();
	test_repeats();
	test_beside();
	test_killed();
	test_closed();
	test_signals();
	return check_done();
}
