/* SPDX-License-Identifier: BSD-2-Clause */
/* The public scenario: found by name or by file, read, listed, played. */
#include "feed/scenario.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/session.h"
#include "base/complain.h"
#include "catalog/find.h"
#include "feed/module.h"

#define SUFFIX ".scenario"
#define FILE_MOST (1 << 20)

struct bxs_scenario {
	struct scenario *s;
};

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

static int open_file(const char *path, bxs_scenario **out, const struct complaint *c)
{
	bxs_scenario *sc = calloc(1, sizeof *sc);
	char *text = NULL;
	size_t len = 0;
	int err = sc ? read_file(path, &text, &len, c) : BXS_ENOMEM;

	if (err == 0)
		err = scenario_parse(path, text, len, &sc->s, c->why, c->size);
	free(text);
	if (err < 0)
		free(sc);
	else
		*out = sc;
	return err;
}

/* The names of the shipped scenarios, in order. */
static int list_names(const char *dir, struct dirent ***list)
{
	return scandir(dir, list, NULL, alphasort);
}

/* NAME.scenario: how long NAME is; 0: the file is none. */
static size_t name_length(const char *file)
{
	size_t n = strlen(file), suffix = sizeof SUFFIX - 1;

	return n > suffix && strcmp(file + n - suffix, SUFFIX) == 0 ? n - suffix : 0;
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
	int n = list_names(dir, &s.list), near = -1;
	char hint[80] = "";

	s.name = n > 0 ? calloc((size_t)n, sizeof *s.name) : NULL;
	for (int i = 0; i < n; i++) {
		size_t len = name_length(s.list[i]->d_name);

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

int bxs_scenario_open(const char *name, bxs_scenario **out, char *why, size_t size)
{
	struct complaint c = { why, size };
	char dir[PATH_MAX], path[PATH_MAX + SCENARIO_NAME + 16];

	if (strchr(name, '/') || name_length(name))
		return open_file(name, out, &c);
	if (!module_data("scenarios", dir, sizeof dir))
		return complain(&c, BXS_ENOENT, "the scenarios are not installed");
	if (strlen(name) >= SCENARIO_NAME)
		return unknown(dir, name, &c);
	snprintf(path, sizeof path, "%s/%s" SUFFIX, dir, name);
	if (access(path, R_OK) < 0)
		return unknown(dir, name, &c);
	return open_file(path, out, &c);
}

void bxs_scenario_free(bxs_scenario *sc)
{
	if (!sc)
		return;
	scenario_free(sc->s);
	free(sc);
}

const char *bxs_scenario_name(const bxs_scenario *sc)
{
	return sc->s->name;
}

const char *bxs_scenario_about(const bxs_scenario *sc)
{
	return sc->s->about;
}

const char *bxs_scenario_machine(const bxs_scenario *sc)
{
	return sc->s->machine.text;
}

const char *bxs_scenario_text(const bxs_scenario *sc, enum bxs_scenario_kind kind, unsigned n)
{
	return n < sc->s->lists[kind] ? sc->s->list[kind][n].text : NULL;
}

int bxs_each_scenario(int (*fn)(void *ctx, const bxs_scenario *sc), void *ctx, char *why, size_t size)
{
	struct complaint c = { why, size };
	struct dirent **list = NULL;
	char dir[PATH_MAX], path[2 * PATH_MAX];
	int n, ret = 0;

	if (!module_data("scenarios", dir, sizeof dir))
		return complain(&c, BXS_ENOENT, "the scenarios are not installed");
	n = list_names(dir, &list);
	for (int i = 0; i < n; i++) {
		bxs_scenario *sc = NULL;

		if (ret == 0 && name_length(list[i]->d_name)) {
			snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
			ret = open_file(path, &sc, &c);
			if (ret == 0)
				ret = fn(ctx, sc);
			bxs_scenario_free(sc);
		}
		free(list[i]);
	}
	free(list);
	return ret;
}

int bxs_session_scenario(bxs_session *s, const bxs_scenario *sc)
{
	char why[400] = "";
	int err = scenario_open(s->machine->machine, sc->s, &s->feed, why, sizeof why);

	return err < 0 ? api_fail(s->machine, err, "%s", *why ? why : bxs_strerror(err)) : 0;
}
