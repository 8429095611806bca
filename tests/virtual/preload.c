/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clients under the preloaded library: what they see, and that nothing else of them changes.  Arguments: the library,
 * the client, a library for the client to load.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "machine/machine.h"
#include "virtual/cpuid.h"

static const char *preload, *client, *library;
static char path[] = "preload-test-XXXXXX";

/* Stands for the library among the arguments. */
#define LIBRARY "*"

static const struct row {
	int line;
	const char *arg[3];
	const char *out;
	int signal;
} rows[] = {
	{ LINE, { "leaf", "1", "0" }, "000306f2 00040800 7ffefbff bfebfbff\n", 0 },
	{ LINE, { "leaf", "4", "0" }, "04004121 01c0003f 0000003f 00000000\n", 0 },
	{ LINE, { "leaf", "4", "4" }, "00000000 00000000 00000000 00000000\n", 0 },
	{ LINE, { "leaf", "7", "0" }, "00000000 000027ab 00000000 00000000\n", 0 },
	{ LINE, { "leaf", "7", "1" }, "00000000 00000000 00000000 00000000\n", 0 },
	{ LINE, { "leaf", "0xa", "7" }, "07300403 00000000 00000000 00000603\n", 0 },
	{ LINE, { "leaf", "0xb", "1" }, "00000002 00000004 00000201 00000000\n", 0 },
	{ LINE, { "leaf", "0xb", "2" }, "00000000 00000000 00000002 00000000\n", 0 },
	/* beyond the last leaf, in no range at all, and where hypervisors are */
	{ LINE, { "leaf", "0x20", "0" }, "00000000 00000000 00000000 00000000\n", 0 },
	{ LINE, { "leaf", "0x40000000", "0" }, "00000000 00000000 00000000 00000000\n", 0 },
	{ LINE, { "leaf", "0x80000000", "0" }, "80000008 00000000 00000000 00000000\n", 0 },
	{ LINE, { "count" }, "8 8 8 8 8\n", 0 },
	{ LINE, { "walk" }, "0:0:0 1:0:2 2:1:4 3:1:6 4:0:1 5:0:3 6:1:5 7:1:7 \n", 0 },
	{ LINE, { "errors" }, "22 22 3 22 0\n", 0 },
	{ LINE, { "threads" }, "3 5 6 3 3\n", 0 },
	{ LINE, { "crowd" }, "8\n", 0 },
	{ LINE, { "become", "6" }, "6\n", 0 },
	{ LINE, { "load", LIBRARY }, "000306f2 000306f2 \n", 0 },
	{ LINE, { "own" }, "1 caught 1 90a20f31\n", 0 },
	{ LINE, { "die" }, "", SIGILL },
	{ LINE, { "tsc" }, "123456789 123456789 0 0\n", 0 },
	/* the counter at 2.3 GHz is 53.676864 ms from 5 and 7 s on */
	{ LINE, { "clocks" }, "5.053676864 7.053676864 7.053676 7\n", 0 },
	{ LINE, { "numbers" }, "0 8 1 0 6 1 6 5.053676864 -1 22 -1 9 1\n", 0 },
	/* 64 GB a socket; L1 of 32 KB each, L2 of 256, L3 of 2.5 MB a core */
	{ LINE, { "sizes" }, "131072 131072 131072 32/8/64 32/8/64 256/8/64 5120/20/64 0\n", 0 },
	{ LINE, { "waits" }, "timeout timeout timeout over \n", 0 },
};

/* Run the client with or without the page; its wait status. */
static int run(const struct row *r, const char *page, char *out, size_t size)
{
	int pipes[2], status = -1;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(pipes) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		const char *arg[3];

		for (unsigned i = 0; i < 3; i++)
			arg[i] = r->arg[i] && strcmp(r->arg[i], LIBRARY) == 0 ? library : r->arg[i];
		dup2(pipes[1], 1);
		setenv("LD_PRELOAD", preload, 1);
		if (page)
			setenv(CPU_PAGE_VARIABLE, page, 1);
		execl(client, client, arg[0], arg[1], arg[2], (char *)NULL);
		_exit(127);
	}
	close(pipes[1]);
	while (n + 1 < size && (got = read(pipes[0], out + n, size - n - 1)) > 0)
		n += (size_t)got;
	out[n] = 0;
	close(pipes[0]);
	waitpid(pid, &status, 0);
	return status;
}

static struct cpu_page *make_page(void)
{
	struct cpu_page *page = NULL;
	struct machine *m = NULL;
	struct spec spec;
	char why[200];
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(__LINE__, spec_parse("hsx,sockets=2,cores=2", &spec, why, sizeof why), 0);
	CHECK_EQ(__LINE__, machine_new_bare(&spec, &m), 0);
	CHECK_EQ(__LINE__, cpuid_create(path, m, &page), 0);
	machine_free(m);
	page->monotonic = UINT64_C(5000000000);
	page->realtime = UINT64_C(7000000000);
	cpuid_clock(page, 123456789, 0, 0, UINT64_MAX);
	return page;
}

/* No page, or a file that is none: the client runs on the real processor. */
static void check_alone(void)
{
	static const struct row counts = { LINE, { "count" }, NULL, 0 };
	static const struct row dies = { LINE, { "die" }, "", SIGILL };
	const char *pages[] = { NULL, "", "/nowhere/page", "/dev/null", client };
	char want[100], out[1000];
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	for (size_t i = 0; i < LEN(pages); i++) {
		int status = run(&counts, pages[i], out, sizeof out);

		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		snprintf(want, sizeof want, "%ld ", n);
		CHECK_EQ(__LINE__, strncmp(out, want, strlen(want)), 0);
		status = run(&dies, pages[i], out, sizeof out);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
	}
}

/* 10 ms, on a machine whose time goes at a fifth of the world's. */
static void check_sleeps(struct cpu_page *page)
{
	static const struct { struct row row; uint32_t share; } sleeps[] = {
		{ { LINE, { "sleeps", "0.049" }, "0 0 0 0 0\n", 0 }, CPU_PAGE_WHOLE },
		{ { LINE, { "sleeps", "0.019" }, "0 0 0 0 0\n", 0 }, CPU_PAGE_WHOLE / 5 * 2 },
		{ { LINE, { "sleeps", "0.0099" }, "0 0 0 0 0\n", 0 }, CPU_PAGE_WHOLE / 500 },
		{ { LINE, { "sleeps", "0.0099" }, "0 0 0 0 0\n", 0 }, 0 },
		/* Of waits at least a millisecond passes on the machine; here 10 ms of the world are 2. */
		{ { LINE, { "until", "0.0099" }, "29\n", 0 }, CPU_PAGE_WHOLE },
		{ { LINE, { "until", "0.0039" }, "29\n", 0 }, CPU_PAGE_WHOLE / 5 * 2 },
		{ { LINE, { "until", "0.0019" }, "29\n", 0 }, CPU_PAGE_WHOLE / 500 },
	};
	struct timespec t;
	char out[1000];

	clock_gettime(CLOCK_MONOTONIC, &t);
	cpuid_clock(page, 0, (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, (uint64_t)(2.3 / 5 * 4294967296.0), UINT64_MAX);
	for (size_t i = 0; i < LEN(sleeps); i++) {
		const struct row *r = &sleeps[i].row;
		int status;

		page->sleeps = sleeps[i].share;
		status = run(r, path, out, sizeof out);
		CHECK_STR(r->line, out, r->out);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int main(int argc, char **argv)
{
	struct cpu_page *page;
	char out[1000];

	if (argc < 4)
		return 64;
	preload = argv[1];
	client = argv[2];
	library = argv[3];
	page = make_page();
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		int status = run(r, path, out, sizeof out);

		CHECK_STR(r->line, out, r->out);
		CHECK_EQ(r->line, WIFSIGNALED(status) ? WTERMSIG(status) : 0, r->signal);
		CHECK_EQ(r->line, WIFEXITED(status) ? WEXITSTATUS(status) : 0, 0);
	}
	check_sleeps(page);
	check_alone();
	munmap(page, sizeof *page);
	unlink(path);
	return check_done();
}
