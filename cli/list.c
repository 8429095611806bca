/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore list: search events, subevents, metrics and registers. */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "cli.h"

/*
 * A search: every pattern must occur, in the name as a glob or where a word of name or text
 * starts, so that TOR does not find "store".  Where nothing is found so, inside words too.
 */
enum { LIST_WORDS = 64 };

struct search {
	char *patterns[LIST_WORDS];
	int count;
	unsigned found, inside;	/* rows printed, rows left out because a pattern is only inside a word */
	bool all;		/* subevents and registers too, even without a pattern */
	bool metrics;		/* nothing else */
	bool loose;		/* inside words too */
};

enum match { MATCH_NONE, MATCH_INSIDE, MATCH_WORD };

/* Does a word start at `at`?  Words are what _ . - and spaces part, or a digit from a letter: r3qpi has qpi. */
static bool starts_word(const char *text, const char *at)
{
	return at == text || !isalnum((unsigned char)at[-1]) ||
	       (isdigit((unsigned char)at[-1]) && isalpha((unsigned char)at[0]));
}

static enum match occurs(const char *pattern, const char *text)
{
	enum match best = MATCH_NONE;

	for (const char *at = text; (at = strcasestr(at, pattern)) != NULL && *at; at++) {
		if (starts_word(text, at))
			return MATCH_WORD;
		best = MATCH_INSIDE;
	}
	return best;
}

static enum match matches_one(const char *pattern, const char *name, const char *text)
{
	enum match in_name = occurs(pattern, name), in_text = occurs(pattern, text);

	if (fnmatch(pattern, name, FNM_CASEFOLD) == 0)
		return MATCH_WORD;
	return in_name > in_text ? in_name : in_text;
}

static bool matches(struct search *s, const char *name, const char *text)
{
	enum match worst = MATCH_WORD;

	for (int i = 0; i < s->count; i++) {
		enum match match = matches_one(s->patterns[i], name, text);

		worst = match < worst ? match : worst;
	}
	if (worst == MATCH_INSIDE && !s->loose)
		s->inside++;
	return worst == MATCH_WORD || (worst == MATCH_INSIDE && s->loose);
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
		print_row(s, u->family, name, u->live ? "subevent" : "not modelled", u->text);
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

static void search(struct search *s, const char *family)
{
	if (!s->metrics)
		bxs_each_event(family, list_event, s);
	if (!s->metrics && (s->all || s->count))
		bxs_each_subevent(family, list_subevent, s);
	bxs_each_metric(family, list_metric, s);
	bxs_each_default_metric(family, list_metric, s);
	if (!s->metrics && (s->all || s->count))
		bxs_each_register(family, list_register, s);
}

static void search_loosely(struct search *s, const char *family)
{
	s->loose = true;
	search(s, family);
}

static void tell_inside(const struct search *s)
{
	fflush(stdout);
	fprintf(stderr, "%u more have %s inside a word; a glob such as '*%s*' finds names that do\n", s->inside,
		s->count > 1 ? "one of these" : s->patterns[0], s->patterns[0]);
}

/* An argument may hold several words. */
static int take_words(const struct cli_command *cmd, struct search *s, char *text)
{
	char *rest = text;

	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (s->count == LIST_WORDS)
			return cli_misused(cmd, "more than %d words", LIST_WORDS);
		s->patterns[s->count++] = word;
	}
	return 0;
}

static int take_arguments(const struct cli_command *cmd, struct search *s, const char **family, int argc, char **argv)
{

	for (int i = 1; i < argc; i++) {
		int taken = cli_take_family(cmd, argc, argv, &i, family);

		if (taken < 0)
			return CLI_USAGE;
		if (taken)
			continue;
		if (strcmp(argv[i], "-a") == 0)
			s->all = true;
		else if (strcmp(argv[i], "--on") == 0) {
			if (cli_take_on(cmd, i + 1 < argc ? argv[++i] : ""))
				return CLI_USAGE;
			*family = cli_local_family(cmd);
			if (!*family)
				return CLI_UNAVAILABLE;
		} else if (strcmp(argv[i], "-m") == 0)
			s->metrics = true;
		else if (argv[i][0] == '-')
			return cli_unexpected(cmd, argv[i]);
		else if (take_words(cmd, s, argv[i]))
			return CLI_USAGE;
	}
	return 0;
}

int cmd_list(const struct cli_command *cmd, int argc, char **argv)
{
	const char *family = cli_default_family();
	struct search s = { .count = 0 };

	int code = take_arguments(cmd, &s, &family, argc, argv);

	if (code)
		return code;
	if (strcasecmp(family, "all") == 0)
		family = NULL;
	else if (cli_unknown_family(cmd, family))
		return CLI_DATA;
	search(&s, family);
	if (s.found && s.inside)
		tell_inside(&s);
	else if (s.inside)
		search_loosely(&s, family);
	if (s.found == 0)
		return cli_fail(cmd, CLI_DATA, "nothing%s%s matches %s%s; `boxscore list` alone shows every event%s",
				family ? " of " : "", family ? family : "", s.count ? s.patterns[0] : "", s.count > 1 ? " ..." : "",
				family ? ", -f all those of all families" : "");
	return cli_flush(cmd);
}
