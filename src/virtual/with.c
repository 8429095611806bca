/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command under which a machine's files lie over the system's.
 *
 *	we ---- waits for the client, passes signals on, buries
 *	 +----- server: mounts, answers, runs the machine; its load is a child of its own
 *	 +----- client: covers the system's files, then becomes the command
 *
 * All three are in one mount namespace.  Whoever of us and the server outlives the other kills what is left in
 * it, so that nothing stays behind whichever of the processes is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "feed/module.h"
#include "virtual/client_program.h"
#include "virtual/cpu_library.h"
#include "virtual/files.h"
#include "virtual/likwid_door.h"
#include "virtual/perf_client.h"
#include "virtual/serve_private.h"
#include "virtual/space.h"

enum { REPORT = 400 };
#define LEAST_SHARE 0.002		/* of a tool's sleep, that passes on the machine */

static const int passed_on[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT,
};

struct report;

struct with {
	struct machine *machine;
	const struct serve_config *config;
	char *const *argv;
	struct space space;
	struct cpu_library library;
	char likwid[40];		/* name of LIKWID's door */
	int perf[2];			/* the client's and the server's end of what its calls of perf_event_open() go through; or -1 */
	sigset_t old;			/* the signal mask that the client gets */
	pid_t self, server, client;
	int status;			/* of the client */
	struct report *last;		/* the server's, when it ends; shared with it */
};

/* How a child says that it is ready, by closing the pipe, or what went wrong: an error and a sentence. */
struct report {
	int err;
	char why[REPORT];
};

static void send_report(int fd, int err, const char *why)
{
	struct report r = { .err = err };

	snprintf(r.why, sizeof r.why, "%s", why);
	if (write(fd, &r, sizeof r) < 0)
		_exit(1);
}

/* Waits for it; 0, or the error with its sentence in c. */
static int take_report(int fd, const struct complaint *c)
{
	struct report r = { 0 };
	ssize_t n;

	do
		n = read(fd, &r, sizeof r);
	while (n < 0 && errno == EINTR);
	close(fd);
	if (n == 0 || (n == sizeof r && r.err == 0))
		return 0;
	return n == sizeof r ? complain(c, r.err, "%s", r.why) : complain(c, BXS_EBUG, "a process of ours failed");
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Die with the process that forked us. */
static void follow(const struct with *w, int signal)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != w->self)
		_exit(1);
}

/* The server. */

static void server_ready(void *ctx)
{
	int *report = ctx;

	send_report(*report, 0, "");
	close(*report);
	*report = -1;
}

/* In a process group of its own: the terminal's signals are the client's. */
static _Noreturn void be_server(struct with *w, int report)
{
	const struct serve_job job = {
		.machine = w->machine, .config = w->config, .dir = w->space.mount,
		.page = w->library.page, .likwid = w->likwid, .plain = w->config->likwid, .perf = w->perf[1],
		.ready = server_ready, .ctx = &report,
	};
	char why[REPORT] = "";
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), err;
	sigset_t terminal;

	close_end(&w->perf[0]);
	setpgid(0, 0);
	sigemptyset(&terminal);
	sigaddset(&terminal, SIGTTOU);
	sigprocmask(SIG_SETMASK, &terminal, NULL);
	follow(w, SIGTERM);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
	}
	err = serve_files(&job, why, sizeof why);
	if (getppid() != w->self)
		space_sweep();
	w->last->err = err;
	snprintf(w->last->why, sizeof w->last->why, "%s", err < 0 && !*why ? bxs_strerror(err) : why);
	if (err < 0 && report >= 0)
		send_report(report, err, w->last->why);
	_exit(err < 0);
}

/* The client. */

/* What tools are told that they would otherwise find out by failing; who has set it knows better. */
static int prepare_environment(const struct with *w, char *why, size_t size)
{
	int err = setenv("PCM_NO_PERF", "1", 0) < 0 ? BXS_EIO : likwid_environment(w->likwid, why, size);

	if (err == 0 && !w->config->native && cpu_library_environment(&w->library) < 0)
		err = BXS_EIO;
	return err;
}

/* Becomes the command; comes back with errno when it cannot. */
static void become(const struct with *w)
{
	char **argv = (char **)(uintptr_t)w->argv, text[CLIENT_TEXT], room[TARGET_PATH];
	struct cpu_page *page = w->library.page;
	struct target t;
	enum client_way way = page ? client_way_of(client_find(argv[0], room), &t) : CLIENT_UNKNOWN;

	if (way == CLIENT_EMULATED && page->emulator[0]) {
		const struct client_parts parts = { .emulator = page->emulator, .library = page->library,
						    .page = getenv(CPU_PAGE_VARIABLE) };
		char *command[client_count(argv) + CLIENT_WORDS], *environment[client_count(environ) + CLIENT_VARIABLES];

		client_emulated(command, &parts, &t, argv);
		client_environment(environment, text, &parts, false, environ);
		execve(page->emulator, command, environment);
		return;
	}
	if (way == CLIENT_EMULATED || way == CLIENT_32_BIT || way == CLIENT_PRIVILEGED)
		client_unserved(page, way, argv[0]);
	execvp(argv[0], argv);
}

static _Noreturn void be_client(struct with *w, int report)
{
	char why[REPORT] = "";
	int err;

	follow(w, SIGKILL);
	close_end(&w->perf[1]);
	err = space_cover(&w->space, why, sizeof why);
	if (err == 0)
		err = prepare_environment(w, why, sizeof why);
	if (err == 0 && perf_client_catch(w->perf[0]) < 0)
		err = BXS_EIO;
	if (err < 0 && !*why)
		snprintf(why, sizeof why, "the client cannot be prepared: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, &w->old, NULL);
	if (err == 0) {
		become(w);
		err = errno == ENOENT ? BXS_ENOENT : BXS_EIO;
		snprintf(why, sizeof why, "%s: %s", w->argv[0],
			 errno == ENOENT ? "no such program" : strerror(errno));
	}
	send_report(report, err, why);
	_exit(127);
}

/* We. */

static void end_process(pid_t *pid, int signal)
{
	if (*pid <= 0)
		return;
	kill(*pid, signal);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

static int start(struct with *w, pid_t *pid, void (*be)(struct with *w, int report), const struct complaint *c)
{
	int report[2];

	if (pipe2(report, O_CLOEXEC) < 0)
		return complain(c, BXS_EIO, "no pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		close(report[0]);
		be(w, report[1]);
	}
	close(report[1]);
	if (*pid < 0) {
		*pid = 0;
		close(report[0]);
		return complain(c, BXS_EIO, "no process: %s", strerror(errno));
	}
	return take_report(report[0], c);
}

/* Bury who has ended; true: the client or the server is among them. */
static bool bury(struct with *w, bool *server_died)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == w->client) {
			w->client = 0;
			w->status = status;
		} else if (pid == w->server) {
			w->server = 0;
			*server_died = true;
		}
	}
	return !w->client || !w->server;
}

/* Until the client or the server has ended. */
static int watch(struct with *w, const sigset_t *set, const struct complaint *c)
{
	bool server_died = false;
	siginfo_t info;

	while (!bury(w, &server_died)) {
		int signal = sigwaitinfo(set, &info);

		/* What the terminal sends goes to the client as well. */
		if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL)
			kill(w->client, signal);
	}
	return server_died && w->client ? complain(c, BXS_EIO, "the process of the files was killed") : 0;
}

static int run(struct with *w, const struct complaint *c)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < LEN(passed_on); i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, &w->old);
	err = start(w, &w->server, be_server, c);
	if (err == 0)
		err = start(w, &w->client, be_client, c);
	close_end(&w->perf[0]);
	close_end(&w->perf[1]);
	if (err == 0)
		err = watch(w, &set, c);
	end_process(&w->client, SIGKILL);
	end_process(&w->server, SIGTERM);
	if (err == 0 && w->last->err < 0)
		err = complain(c, w->last->err, "%s", w->last->why);
	space_sweep();
	while (waitpid(-1, NULL, 0) > 0)
		;
	sigprocmask(SIG_SETMASK, &w->old, NULL);
	return err;
}

/*
 * A tool divides by the time that it has slept, some by its milliseconds: none must come out of half a second, however slow the
 * machine is and however busy this computer.  A --ratio that is slower by itself is respected.
 */
static uint32_t sleep_share(const struct serve_config *config)
{
	double ratio = config->live.ratio > 0 ? config->live.ratio : 1;

	if (config->machine_time)
		return CPU_PAGE_WHOLE;
	return (uint32_t)((ratio < 2 * LEAST_SHARE ? ratio / 2 : LEAST_SHARE) * CPU_PAGE_WHOLE);
}

/* Of a program that a tool has started, too. */
static void tell_unserved(const struct with *w)
{
	char note[CLIENT_TEXT];

	if (w->library.page && w->config->live.say && client_unserved_note(w->library.page, note, sizeof note))
		w->config->live.say(w->config->live.say_ctx, note);
}

int serve_with(struct machine *m, const struct serve_config *config, char *const *argv, int *status,
	       char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct with w = { .machine = m, .config = config, .argv = argv, .self = getpid(),
			  .library.fd = -1, .perf = { -1, -1 } };
	struct identity id;
	int err;

	if (size)
		why[0] = '\0';
	err = files_identity(m, &id, &c);
	if (err < 0)
		return err;
	snprintf(w.likwid, sizeof w.likwid, "boxscore-likwid-%d", (int)getpid());
	err = space_enter(&w.space, why, size);
	if (err == 0 && !config->native)
		err = cpu_library_open(&w.library, m, config->cpu_library, why, size);
	if (err == 0 && w.library.page) {
		w.library.page->sleeps = sleep_share(config);
		w.library.page->world_date = config->world_date;
		snprintf(w.library.page->library, sizeof w.library.page->library, "%s", w.library.path);
		if (!module_find("boxscore-native", w.library.page->emulator, sizeof w.library.page->emulator))
			w.library.page->emulator[0] = '\0';
	}
	if (err == 0) {
		w.last = mmap(NULL, sizeof *w.last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		err = w.last == MAP_FAILED ? complain(&c, BXS_ENOMEM, "out of memory") : 0;
	}
	/* LIKWID's way needs no mount, which events would be files of. */
	if (err == 0 && !config->likwid && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, w.perf) < 0)
		err = complain(&c, BXS_EIO, "no socket: %s", strerror(errno));
	if (err == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		err = complain(&c, BXS_EIO, "orphans cannot be taken: %s", strerror(errno));
	if (err == 0)
		err = run(&w, &c);
	tell_unserved(&w);
	if (w.last && w.last != MAP_FAILED)
		munmap(w.last, sizeof *w.last);
	cpu_library_close(&w.library);
	if (err == 0)
		*status = w.status;
	return err;
}
