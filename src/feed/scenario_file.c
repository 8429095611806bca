/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding scenarios: files, and those that are shipped. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "feed/module.h"
#include "feed/scenario.h"

#define FILE_MOST (1 << 20)

static int read_file(const char *path, char **text, size_t *len, const struct complaint *c)
{
	struct stat st;
	FILE *f = fopen(path, "re");

	if (!f)
		return complain(c, BXS_ENOENT, "%s: %s", path, strerror(errno));
	if (fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MOST) {
		fclose(f);
		return complain(c, BXS_EINVAL, "%s: no scenario: not a file, or more than %d bytes", path, FILE_MOST);
	}
	*text = malloc((size_t)st.st_size + 1);
	*len = *text ? fread(*text, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	return *text ? 0 : BXS_ENOMEM;
}

int scenario_read(const char *path, struct scenario **out, char *why, size_t size)
{
	const struct complaint c = { why, size };
	char *text = NULL;
	size_t len = 0;
	int err = read_file(path, &text, &len, &c);

	if (err == 0)
		err = scenario_parse(path, text, len, out, why, size);
	free(text);
	return err;
}

size_t scenario_name_length(const char *file)
{
	size_t n = strlen(file), suffix = sizeof SCENARIO_SUFFIX - 1;

	return n > suffix && strcmp(file + n - suffix, SCENARIO_SUFFIX) == 0 ? n - suffix : 0;
}

struct shipped {
	struct dirent **list;
	unsigned count;
	char (*name)[SCENARIO_NAME];
};

static const char *shipped_name(const void *ctx, unsigned n)
{
	return ((const struct shipped *)ctx)->name[n];
}

static int unknown(const char *dir, const char *name, const struct complaint *c)
{
	struct shipped s = { .list = NULL };
	int n = scandir(dir, &s.list, NULL, alphasort), near = -1;
	char hint[80] = "";

	s.name = n > 0 ? calloc((size_t)n, sizeof *s.name) : NULL;
	for (int i = 0; i < n; i++) {
		size_t len = scenario_name_length(s.list[i]->d_name);

		if (s.name && len && len < SCENARIO_NAME)
			memcpy(s.name[s.count++], s.list[i]->d_name, len);
		free(s.list[i]);
	}
	free(s.list);
	if (s.count)
		near = cat_nearest(name, strlen(name), s.count, shipped_name, &s);
	if (near >= 0)
		snprintf(hint, sizeof hint, "; did you mean %s?", s.name[near]);
	free(s.name);
	return complain(c, BXS_ENOENT, "no scenario %s%s", name,
			near >= 0 ? hint : "; `boxscore run --list` names them, a file is written with a slash");
}

int scenario_find(const char *name, struct scenario **out, char *why, size_t size)
{
	const struct complaint c = { why, size };
	char dir[PATH_MAX], path[PATH_MAX + SCENARIO_NAME + 16];

	if (strchr(name, '/') || scenario_name_length(name))
		return scenario_read(name, out, why, size);
	if (!module_data("scenarios", dir, sizeof dir))
		return module_lost(why, size) ? BXS_ENOENT : complain(&c, BXS_ENOENT, "the scenarios are not installed");
	if (strlen(name) >= SCENARIO_NAME)
		return unknown(dir, name, &c);
	snprintf(path, sizeof path, "%s/%s" SCENARIO_SUFFIX, dir, name);
	return access(path, R_OK) < 0 ? unknown(dir, name, &c) : scenario_read(path, out, why, size);
}
