/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore list: search events, subevents, metrics and registers. */
#include <fnmatch.h>
#include <string.h>

#include "cli.h"

/* A search: every pattern must occur, in the name as a glob or a part, or in the text. */
struct search {
	char **patterns;
	int count;
	unsigned found;
	bool all;		/* subevents and registers too, even without a pattern */
};

static bool matches_one(const char *pattern, const char *name, const char *text)
{
	return fnmatch(pattern, name, FNM_CASEFOLD) == 0 || strcasestr(name, pattern) ||
	       strcasestr(text, pattern);
}

static bool matches(const struct search *s, const char *name, const char *text)
{
	for (int i = 0; i < s->count; i++)
		if (!matches_one(s->patterns[i], name, text))
			return false;
	return true;
}

static void print_row(struct search *s, const char *family, const char *name, const char *note,
		      const char *text)
{
	s->found++;
	printf("%-6s %-44s %-12s %s\n", family, name, note, text);
}

static int list_event(void *ctx, const struct bxs_event *e)
{
	struct search *s = ctx;
	char name[128];

	snprintf(name, sizeof name, "%s.%s", e->box, e->name);
	if (matches(s, name, e->text))
		print_row(s, e->family, name, e->live ? "event" : "not modelled", e->text);
	return 0;
}

static int list_subevent(void *ctx, const struct bxs_subevent *u)
{
	struct search *s = ctx;
	char name[160];

	snprintf(name, sizeof name, "%s.%s.%s", u->box, u->event, u->name);
	if (matches(s, name, u->text))
		print_row(s, u->family, name, "subevent", u->text);
	return 0;
}

static int list_metric(void *ctx, const struct bxs_metric *m)
{
	struct search *s = ctx;
	char name[128];

	snprintf(name, sizeof name, "%s.%s", m->box, m->name);
	if (matches(s, name, m->text))
		print_row(s, m->family, name, "metric", m->text);
	return 0;
}

static int list_register(void *ctx, const struct bxs_register *r)
{
	struct search *s = ctx;
	char text[128];

	snprintf(text, sizeof text, "%s %s, %u bits", r->space, r->address, r->width);
	if (matches(s, r->name, text))
		print_row(s, r->family, r->name, "register", text);
	return 0;
}

int cmd_list(const struct cli_command *cmd, int argc, char **argv)
{
	struct search s = { .patterns = argv + 1 };
	const char *family = NULL;

	for (int i = 1; i < argc; i++) {
		int taken = cli_take_family(cmd, argc, argv, &i, &family);

		if (taken < 0)
			return CLI_USAGE;
		if (taken)
			continue;
		if (strcmp(argv[i], "-a") == 0)
			s.all = true;
		else if (argv[i][0] == '-')
			return cli_fail(cmd, CLI_USAGE, "no option %s; usage: list %s", argv[i],
					cmd->arguments);
		else
			s.patterns[s.count++] = argv[i];
	}
	if (family && cli_unknown_family(cmd, family))
		return CLI_DATA;
	bxs_each_event(family, list_event, &s);
	if (s.all || s.count)
		bxs_each_subevent(family, list_subevent, &s);
	bxs_each_metric(family, list_metric, &s);
	bxs_each_default_metric(family, list_metric, &s);
	if (s.all || s.count)
		bxs_each_register(family, list_register, &s);
	if (s.found == 0)
		return cli_fail(cmd, CLI_DATA, "nothing matches; `boxscore list` alone shows every event");
	return cli_flush(cmd);
}
