/* SPDX-License-Identifier: BSD-2-Clause */
/* The public scenario: found by name or by file, read, listed, played. */
#include "feed/scenario.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/session.h"
#include "base/complain.h"
#include "feed/module.h"

struct bxs_scenario {
	struct scenario *s;
};

static int wrap(struct scenario *s, bxs_scenario **out)
{
	*out = calloc(1, sizeof **out);
	if (!*out) {
		scenario_free(s);
		return BXS_ENOMEM;
	}
	(*out)->s = s;
	return 0;
}

int bxs_scenario_open(const char *name, bxs_scenario **out, char *why, size_t size)
{
	struct scenario *s;
	int err = scenario_find(name, &s, why, size);

	return err < 0 ? err : wrap(s, out);
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

static unsigned line_of(const struct scenario *s, const char *text)
{
	if (text == s->machine.text)
		return s->machine.line;
	for (unsigned kind = 0; kind < SCENARIO_KINDS; kind++)
		for (unsigned i = 0; i < s->lists[kind]; i++)
			if (text == s->list[kind][i].text)
				return s->list[kind][i].line;
	return 0;
}

const char *bxs_scenario_where(const bxs_scenario *sc, const char *text, char *where, size_t size)
{
	unsigned line = text ? line_of(sc->s, text) : 0;

	if (size)
		where[0] = '\0';
	if (line)
		snprintf(where, size, "%s:%u: ", sc->s->file, line);
	return where;
}

int bxs_each_scenario(int (*fn)(void *ctx, const bxs_scenario *sc), void *ctx, char *why, size_t size)
{
	struct complaint c = { why, size };
	struct dirent **list = NULL;
	char dir[PATH_MAX], path[2 * PATH_MAX];
	int n, ret = 0;

	if (!module_data("scenarios", dir, sizeof dir))
		return module_lost(why, size) ? BXS_ENOENT : complain(&c, BXS_ENOENT, "the scenarios are not installed");
	n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		bxs_scenario *sc = NULL;

		if (ret == 0 && scenario_name_length(list[i]->d_name)) {
			snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
			ret = bxs_scenario_open(path, &sc, why, size);
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
	int err = api_undriven(s);

	if (err < 0)
		return err;
	err = scenario_open(s->machine->machine, sc->s, &s->feed, why, sizeof why);
	return err < 0 ? api_fail(s->machine, err, "%s", *why ? why : bxs_strerror(err)) : 0;
}
