/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore check: would these events and metrics be measured on this machine?  Nothing runs. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "measure.h"

enum { CHECK_LINE = 4096 };

/* What is checked together: the options, or one file. */
struct check {
	const struct cli_command *cmd;
	const char *file;		/* NULL: the options */
	const char *given;		/* the machine that an option names; NULL: the file's, or of the default family */
	unsigned line, errors, events, metrics, lacking;
	bool multiplex, hopeless;	/* hopeless: there is no machine to ask */
	bxs_machine *machine;
	bxs_session *session;
	char spec[512];
	char where[PATH_MAX + 2];	/* "FILE: ", before what is said of a file as a whole; "" for the options */
};

static void complain(struct check *c, const char *why)
{
	c->errors++;
	if (c->file)
		cli_fail(c->cmd, CLI_DATA, "%s:%u: %s", c->file, c->line, why);
	else
		cli_fail(c->cmd, CLI_DATA, "%s", why);
}

/* The machine, when the first thing is asked of it. */
static bool begin(struct check *c)
{
	char why[512];
	int err;

	if (c->session)
		return true;
	if (c->hopeless)
		return false;
	c->hopeless = true;
	err = bxs_machine_new(c->spec, 0, &c->machine, why, sizeof why);
	if (err < 0) {
		complain(c, *why ? why : bxs_strerror(err));
		return false;
	}
	err = bxs_session_new(c->machine, &c->session);
	if (err < 0)
		complain(c, bxs_strerror(err));
	else
		bxs_session_turns(c->session, c->multiplex, 0);
	c->hopeless = err < 0;
	return err == 0;
}

static void ask(struct check *c, bool metric, const char *text)
{
	int err;

	if (!begin(c))
		return;
	err = metric ? bxs_session_add_metrics(c->session, text) : bxs_session_add(c->session, text);
	if (err < 0)
		complain(c, *bxs_why(c->machine) ? bxs_why(c->machine) : bxs_strerror(err));
	else if (*bxs_session_left_out(c->session))
		cli_fail(c->cmd, 0, "note: %s", bxs_session_left_out(c->session));
}

static int judge(void *ctx, const struct bxs_reading *r)
{
	struct check *c = ctx;

	c->metrics += r->metric;
	c->events += !r->metric;
	if (r->validity == BXS_NOT_MODELLED)
		cli_fail(c->cmd, 0, "%s%s: not modelled", c->where, r->name);
	else if (r->validity == BXS_ABSENT && !r->metric)
		cli_fail(c->cmd, 0, "%s%s: absent, this machine has no such box", c->where, r->name);
	else
		return 0;
	c->lacking++;
	return 0;
}

/* Do the counters hold it all?  A machine that idles is started for it and stopped before any time has passed. */
static void place_all(struct check *c)
{
	int err = bxs_session_kernel(c->session, "idle");

	if (err == 0)
		err = bxs_session_start(c->session);
	if (err < 0) {
		c->errors++;
		cli_fail(c->cmd, CLI_DATA, "%s%s%s", c->where, *bxs_why(c->machine) ? bxs_why(c->machine) : bxs_strerror(err),
			 err == BXS_ETURNS ? " (--multiplex)" : "");
		return;
	}
	bxs_session_stop(c->session);
	bxs_session_each(c->session, BXS_BY_SUM, judge, c);
}

static int finish(struct check *c)
{
	unsigned all;

	if (c->session && !c->errors)
		place_all(c);
	all = c->events + c->metrics;
	if (!c->errors && !all)
		complain(c, "nothing to measure stands in it");
	if (!c->errors && all > c->lacking)
		printf("%s%u event%s and %u metric%s on %s: %s can be measured\n", c->where, c->events,
		       c->events == 1 ? "" : "s", c->metrics, c->metrics == 1 ? "" : "s", c->spec,
		       c->lacking ? "all others" : "all");
	else if (!c->errors)
		cli_fail(c->cmd, CLI_UNAVAILABLE, "%snothing of it can be measured on %s", c->where, c->spec);
	bxs_session_free(c->session);
	bxs_machine_free(c->machine);
	if (c->errors)
		return CLI_DATA;
	return all > c->lacking ? CLI_OK : CLI_UNAVAILABLE;
}

/* NAME=EQUATION, not EVENT:field=value. */
static bool is_equation(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return n && text[n] == '=';
}

/* What follows the word, if the line begins with it. */
static const char *after(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0 || !isblank((unsigned char)line[n]))
		return NULL;
	return line + n + strspn(line + n, " \t");
}

static void check_line(struct check *c, const char *line)
{
	const char *text = after(line, "machine");

	if (text && c->machine) {
		complain(c, "the machine is named before what is measured on it, once");
	} else if (text) {
		if (!c->given)
			snprintf(c->spec, sizeof c->spec, "%s", text);
		begin(c);
	} else if ((text = after(line, "events")) != NULL) {
		ask(c, false, text);
	} else if ((text = after(line, "metrics")) != NULL) {
		ask(c, true, text);
	} else {
		ask(c, is_equation(line), line);
	}
}

static int check_file(struct check *c)
{
	FILE *in = fopen(c->file, "re");
	char line[CHECK_LINE];

	if (!in)
		return cli_fail(c->cmd, CLI_DATA, "%s cannot be read", c->file);
	while (fgets(line, sizeof line, in)) {
		char *from = line + strspn(line, " \t"), *end;

		c->line++;
		if (strlen(line) == sizeof line - 1 && line[sizeof line - 2] != '\n') {
			complain(c, "the line is longer than 4094 characters");
			break;
		}
		from[strcspn(from, "#\r\n")] = '\0';
		for (end = from + strlen(from); end > from && isblank((unsigned char)end[-1]); end--)
			end[-1] = '\0';
		if (c->line == 1 && strncmp(from, "boxscore-", 9) == 0) {
			complain(c, "this is read by `boxscore replay`, which says what is wrong with it");
			break;
		}
		if (*from)
			check_line(c, from);
	}
	if (ferror(in))
		complain(c, "cannot be read to the end");
	fclose(in);
	return finish(c);
}

int cmd_check(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd };
	int first = measure_options(&m, "+:M:e:m:", argc, argv), code = CLI_OK;
	const char *spec = m.machine ? m.machine : cli_default_family();

	if (first < 0)
		return measure_refused(&m);
	if (!m.asks && first == argc)
		return cli_misused(cmd, "of what? -e, -m, or a file");
	if (m.asks) {
		struct check c = { .cmd = cmd, .given = m.machine, .multiplex = m.multiplex };

		snprintf(c.spec, sizeof c.spec, "%s", spec);
		for (unsigned i = 0; i < m.asks; i++)
			ask(&c, m.asked[i].metric, m.asked[i].text);
		code = finish(&c);
	}
	for (int i = first; i < argc; i++) {
		struct check c = { .cmd = cmd, .file = argv[i], .given = m.machine, .multiplex = m.multiplex };
		int got;

		snprintf(c.spec, sizeof c.spec, "%s", spec);
		snprintf(c.where, sizeof c.where, "%s: ", argv[i]);
		got = check_file(&c);
		code = code ? code : got;
	}
	return code ? code : cli_flush(cmd);
}
