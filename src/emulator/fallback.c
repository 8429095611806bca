/* SPDX-License-Identifier: BSD-2-Clause */
/* What cannot be run here: QEMU does it, by itself before the first instruction, and by a word of advice after that. */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/native.h"

#define QEMU "qemu-x86_64"
#define PLUGIN "boxscore-plugin.so"

enum { COMMAND = 4096 };

/* Along PATH. */
static bool find_qemu(char *out, size_t size)
{
	const char *path = getenv("PATH");

	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (n && (size_t)snprintf(out, size, "%.*s/" QEMU, (int)n, path) < size && !access(out, X_OK))
			return true;
		path += n;
	}
	return (size_t)snprintf(out, size, "/usr/bin/" QEMU) < size && !access(out, X_OK);
}

/* QEMU's plugin, which is installed beside this program, or built in the folder next to its own. */
static bool find_plugin(char *out, size_t size)
{
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
	const char *dir;

	if (n <= 0)
		return false;
	own[n] = 0;
	dir = dirname(own);
	return ((size_t)snprintf(out, size, "%s/" PLUGIN, dir) < size && !access(out, R_OK)) ||
	       ((size_t)snprintf(out, size, "%s/../plugin/" PLUGIN, dir) < size && !access(out, R_OK));
}

static bool is_ours(const char *option)
{
	return !strcmp(option, "-mask") || !strcmp(option, "-file") || !strcmp(option, "-code");
}

/* The same command line, as QEMU knows it.  NULL: no memory. */
static char **for_qemu(int argc, char **argv, int program, char *qemu, const char *plugin)
{
	char **out = malloc(((size_t)argc + 1) * sizeof *out);
	int n = 0;

	if (!out)
		return NULL;
	out[n++] = qemu;
	for (int i = 1; i < program; i += 2) {
		char *text = argv[i + 1];

		if (is_ours(argv[i]))
			continue;
		if (!strcmp(argv[i], "-plugin") && asprintf(&text, "%s%s", plugin, strchr(text, ',') ? strchr(text, ',') : "") < 0)
			return NULL;
		out[n++] = argv[i];
		out[n++] = text;
	}
	for (int i = program; i < argc; i++)
		out[n++] = argv[i];
	out[n] = NULL;
	return out;
}

void native_fall_back(int argc, char **argv, int program, uint64_t mask, const char *why)
{
	char qemu[PATH_MAX], plugin[PATH_MAX], **command;

	if (!find_qemu(qemu, sizeof qemu) || !find_plugin(plugin, sizeof plugin))
		native_die("%s, and " QEMU " with its plugin, which could run it, is not there", why);
	command = for_qemu(argc, argv, program, qemu, plugin);
	if (!command)
		native_die("out of memory");
	fprintf(stderr, "boxscore: note: %s; %s runs it instead\n", why, qemu);
	if (mask)
		sigprocmask(SIG_SETMASK, &(sigset_t){ { mask } }, NULL);
	execv(qemu, command);
	native_die("%s, and %s cannot be started", why, qemu);
}

/* A word as a shell takes it. */
static size_t put_word(char *out, size_t room, const char *word)
{
	bool plain = *word && !strpbrk(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}");
	size_t n = 0;

	if (plain)
		return (size_t)snprintf(out, room, " %s", word);
	n += (size_t)snprintf(out, room, " '");
	for (; *word && n + 8 < room; word++)
		n += (size_t)snprintf(out + n, room - n, *word == '\'' ? "'\\''" : "%c", *word);
	return n + (size_t)snprintf(out + n, room - n, "'");
}

/* What the machine's process was started as; 0: that cannot be read. */
static size_t read_command(const char *segment, char *out, size_t room)
{
	char name[64];
	ssize_t n = -1;
	int fd;

	if (!segment || snprintf(name, sizeof name, "/proc/%d/cmdline", atoi(segment)) < 0)
		return 0;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, out, room - 1);
		close(fd);
	}
	out[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

bool native_advice(const char *plugin, char *out, size_t room)
{
	static char words[COMMAND];
	const char *at = plugin ? strstr(plugin, "segment=/proc/") : NULL;
	size_t have = read_command(at ? at + strlen("segment=/proc/") : NULL, words, sizeof words), n = 0;
	unsigned count = 0;

	for (const char *w = words; w < words + have && n + 64 < room; w += strlen(w) + 1, count++) {
		n += put_word(out + n, room - n, w);
		if (count == 1 && n < room)
			n += (size_t)snprintf(out + n, room - n, " --qemu " QEMU);
	}
	return count > 1 && n < room;
}
