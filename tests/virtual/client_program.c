/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How programs are served, by their files.  Arguments: a static one, a dynamic one that makes calls by instructions of its own,
 * one that leaves all to the C library.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "virtual/client_program.h"

enum { MOST = 1 << 20 };

static char folder[] = "client-program-XXXXXX";
static char *data;

/* A file in the folder: its name. */
static const char *put(const char *name, const void *bytes, size_t n, int mode)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
	chmod(path, (mode_t)mode);
	return path;
}

static size_t get(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, data, MOST);

	close(fd);
	return n > 0 ? (size_t)n : 0;
}

static void check_files(char **argv)
{
	struct target t;
	char script[400];
	size_t n;
	char *at;

	CHECK_EQ(__LINE__, client_way_of(argv[1], &t), CLIENT_EMULATED);
	CHECK_EQ(__LINE__, client_way_of(argv[2], &t), CLIENT_EMULATED);
	CHECK_EQ(__LINE__, client_way_of(argv[3], &t), CLIENT_PRELOADED);
	CHECK_EQ(__LINE__, client_way_of("/nonexistent", &t), CLIENT_UNKNOWN);
	CHECK_EQ(__LINE__, client_way_of("/", &t), CLIENT_UNKNOWN);
	CHECK_EQ(__LINE__, client_way_of(put("text", "ls\n", 3, 0755), &t), CLIENT_UNKNOWN);
	/* Of a script the interpreter counts, with the script behind it. */
	snprintf(script, sizeof script, "#! %s cpu \n", argv[1]);
	CHECK_EQ(__LINE__, client_way_of(put("script", script, strlen(script), 0755), &t), CLIENT_EMULATED);
	CHECK_EQ(__LINE__, t.extras, 2);
	CHECK_STR(__LINE__, t.path, argv[1]);
	CHECK_STR(__LINE__, t.extra[0], "cpu");
	snprintf(script, sizeof script, "#!%s\n", argv[3]);
	CHECK_EQ(__LINE__, client_way_of(put("script", script, strlen(script), 0755), &t), CLIENT_PRELOADED);

	/* Another C library's linker; a file that is cut off; one that may not be executed; a processor of 32 bits. */
	n = get(argv[3]);
	CHECK(n && n < MOST);
	CHECK_EQ(__LINE__, client_way_of(put("same", data, n, 0755), &t), CLIENT_PRELOADED);
	CHECK_EQ(__LINE__, client_way_of(put("same", data, n, 0644), &t), CLIENT_UNKNOWN);
	CHECK_EQ(__LINE__, client_way_of(put("cut", data, 100, 0755), &t), CLIENT_UNKNOWN);
	at = memmem(data, n, "ld-linux-x86-64", 15);
	CHECK(at);
	memcpy(at, "ld-other-x86-64", 15);
	CHECK_EQ(__LINE__, client_way_of(put("other", data, n, 0755), &t), CLIENT_EMULATED);
	data[4] = 1;
	CHECK_EQ(__LINE__, client_way_of(put("narrow", data, n, 0755), &t), CLIENT_32_BIT);
}

/* Headers with any value at any place lead to no fault: each byte of the first 1024 in turn is all ones. */
static void check_damage(const char *path)
{
	size_t n = get(path);
	const char *damaged = put("damaged", data, n, 0755);
	struct target t;

	for (size_t i = 4; i < 1024 && i < n; i++) {
		int fd = open(damaged, O_WRONLY);

		CHECK(pwrite(fd, "\xff", 1, (off_t)i) == 1);
		close(fd);
		client_way_of(damaged, &t);
		fd = open(damaged, O_WRONLY);
		CHECK(pwrite(fd, data + i, 1, (off_t)i) == 1);
		close(fd);
	}
}

static const struct env_row {
	int line;
	bool preloaded;
	const char *in[4], *out[5];
} env_rows[] = {
	{ LINE, true, { NULL }, { "BOXSCORE_CPU=/p", "LD_PRELOAD=/l" } },
	{ LINE, false, { NULL }, { "BOXSCORE_CPU=/p" } },
	{ LINE, true, { "A=1", "LD_PRELOAD=/x", "BOXSCORE_CPU=/old" }, { "A=1", "BOXSCORE_CPU=/p", "LD_PRELOAD=/l:/x" } },
	{ LINE, true, { "LD_PRELOAD=/x:/l /y", "LD_PRELOADED=1" }, { "LD_PRELOADED=1", "BOXSCORE_CPU=/p", "LD_PRELOAD=/l:/x:/y" } },
	{ LINE, false, { "LD_PRELOAD=/x:/l", "LD_LIBRARY_PATH=/l" }, { "LD_LIBRARY_PATH=/l", "BOXSCORE_CPU=/p", "LD_PRELOAD=/x" } },
	{ LINE, false, { "LD_PRELOAD=/l", "B=" }, { "B=", "BOXSCORE_CPU=/p" } },
	{ LINE, false, { "LD_PRELOAD=/library" }, { "BOXSCORE_CPU=/p", "LD_PRELOAD=/library" } },
};

static void check_environment(const struct env_row *r)
{
	const struct client_parts parts = { .emulator = "/e", .library = "/l", .page = "/p" };
	char *out[8], text[CLIENT_TEXT], *const *in = (char *const *)(uintptr_t)r->in;
	size_t n = client_count((char *const *)(uintptr_t)r->out);

	client_environment(out, text, &parts, r->preloaded, in);
	CHECK_EQ(r->line, client_count(out), n);
	for (size_t i = 0; i < n && i < client_count(out); i++)
		CHECK_STR(r->line, out[i], r->out[i]);
}

static void check_notes(void)
{
	static struct cpu_page page = { .emulator = "/e" };
	char note[CLIENT_TEXT];

	CHECK(!client_unserved_note(&page, note, sizeof note));
	client_unserved(&page, CLIENT_32_BIT, "/a");
	client_unserved(&page, CLIENT_EMULATED, "/b");
	CHECK(client_unserved_note(&page, note, sizeof note));
	CHECK_STR(__LINE__, note, "/a saw this computer's processor, CPUs and clocks: it is a 32-bit program");
	page.unserved.state = 0;
	client_unserved(&page, CLIENT_PRIVILEGED, "/c");
	client_unserved_note(&page, note, sizeof note);
	CHECK_STR(__LINE__, note, "/c saw this computer's processor, CPUs and clocks: it gets rights of its owner's");
	page.unserved.state = 0;
	client_unserved(&page, CLIENT_EMULATED, "/d");
	client_unserved_note(&page, note, sizeof note);
	CHECK_STR(__LINE__, note, "/d saw this computer's processor, CPUs and clocks: it has to lie where the emulator does");
	page.emulator[0] = '\0';
	client_unserved_note(&page, note, sizeof note);
	CHECK_STR(__LINE__, note, "/d saw this computer's processor, CPUs and clocks: it cannot take a preloaded library, and boxscore-native is not installed");
}

int main(int argc, char **argv)
{
	char command[64];

	CHECK(argc == 4 && mkdtemp(folder));
	data = malloc(MOST);
	check_files(argv);
	check_damage(argv[2]);
	check_damage(argv[3]);
	for (size_t i = 0; i < sizeof env_rows / sizeof *env_rows; i++)
		check_environment(env_rows + i);
	check_notes();
	free(data);
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK_EQ(__LINE__, system(command), 0);
	return check_done();
}
