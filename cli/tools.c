/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the commands that show the machine to tools. */
#include "tools.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_LOAD = 256, OPT_ONCE, OPT_RATIO, OPT_MACHINE_TIME, OPT_WORLD_DATE, OPT_LIKWID, OPT_NATIVE, OPT_BACKGROUND, OPT_ALLOW_OTHER,
       OPT_LOG, OPT_CHECK, OPT_FAULT };

/* What a command takes of these, by its own list of them. */
#define LIVE_OPTIONS \
	{ "load", required_argument, NULL, OPT_LOAD }, \
	{ "once", no_argument, NULL, OPT_ONCE }, \
	{ "fault", required_argument, NULL, OPT_FAULT }

#define SERVE_OPTIONS \
	LIVE_OPTIONS, \
	{ "ratio", required_argument, NULL, OPT_RATIO }, \
	{ "log", required_argument, NULL, OPT_LOG }, \
	{ "check", optional_argument, NULL, OPT_CHECK }

static const struct option mount_options[] = {
	SERVE_OPTIONS,
	{ "background", no_argument, NULL, OPT_BACKGROUND },
	{ "allow-other", no_argument, NULL, OPT_ALLOW_OTHER },
	{ NULL, 0, NULL, 0 },
};

static const struct option with_options[] = {
	SERVE_OPTIONS,
	{ "machine-time", no_argument, NULL, OPT_MACHINE_TIME },
	{ "world-date", no_argument, NULL, OPT_WORLD_DATE },
	{ "likwid", no_argument, NULL, OPT_LIKWID },
	{ "native", no_argument, NULL, OPT_NATIVE },
	{ NULL, 0, NULL, 0 },
};

static const struct option replay_options[] = {
	LIVE_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static void say(void *ctx, const char *line)
{
	cli_fail(ctx, 0, "%s", line);
}

static int set_ratio(struct tools *t, const char *text)
{
	char *end;

	t->tools.ratio = strtod(text, &end);
	if (end != text && *end == '\0' && t->tools.ratio >= 1e-9 && t->tools.ratio <= 1e6)
		return 0;
	return cli_fail(t->cmd, CLI_USAGE, "--ratio %s: a number from 0.000000001 to 1000000 is expected", text);
}

static int set_check(struct tools *t, const char *how)
{
	if (how && strcmp(how, "error") != 0)
		return cli_misused(t->cmd, "--check=%s: it is --check or --check=error", how);
	t->tools.check = true;
	t->tools.findings = how ? &t->findings : NULL;
	return 0;
}

static int set(struct tools *t, int option, char **argv)
{
	switch (option) {
	case 'M':
		t->machine = optarg;
		return 0;
	case OPT_LOAD:
		t->tools.load = optarg;
		return 0;
	case OPT_ONCE:
		t->tools.once = true;
		return 0;
	case OPT_RATIO:
		return set_ratio(t, optarg);
	case OPT_MACHINE_TIME:
		t->tools.machine_time = true;
		return 0;
	case OPT_WORLD_DATE:
		t->tools.world_date = true;
		return 0;
	case OPT_LIKWID:
		t->tools.likwid = true;
		return 0;
	case OPT_NATIVE:
		t->tools.native = true;
		return 0;
	case OPT_BACKGROUND:
		t->background = true;
		return 0;
	case OPT_ALLOW_OTHER:
		t->tools.allow_other = true;
		return 0;
	case OPT_LOG:
		t->tools.log = optarg;
		return 0;
	case OPT_CHECK:
		return set_check(t, optarg);
	case OPT_FAULT:
		if (t->tools.faults)
			return cli_misused(t->cmd, "--fault is given twice; one takes several, separated by commas");
		t->tools.faults = optarg;
		return 0;
	case ':':
		return cli_misused(t->cmd, "%s needs a value", argv[optind - 1]);
	default:
		return cli_unexpected(t->cmd, argv[optind - 1]);
	}
}

int tools_options(struct tools *t, int argc, char **argv)
{
	const struct option *options = t->cmd->run == cmd_with ? with_options :
				       t->cmd->run == cmd_mount ? mount_options : replay_options;
	const char *missing = t->cmd->run == cmd_with ? "which tool? write it after --" :
			      t->cmd->run == cmd_mount ? "on which directory?" : "which log?";
	int option, code = 0;

	t->tools.load_output = -1;
	t->tools.say = say;
	t->tools.say_ctx = (void *)(uintptr_t)t->cmd;
	opterr = 0;
	optind = 1;
	while (code == 0 && (option = getopt_long(argc, argv, "+:M:", options, NULL)) != -1)
		code = set(t, option, argv);
	if (code == 0 && optind == argc)
		code = cli_misused(t->cmd, "%s", missing);
	return code ? -code : optind;
}

int tools_machine(struct tools *t)
{
	char why[400] = "";
	int err = 0;

	if (!t->machine && t->tools.load)
		err = bxs_load_machine(t->tools.load, t->wanted, sizeof t->wanted, why, sizeof why);
	t->tools.spec = t->machine ? t->machine : *t->wanted ? t->wanted : cli_default_family();
	if (err == 0)
		err = bxs_machine_new(t->tools.spec, 0, &t->m, why, sizeof why);
	return err < 0 ? cli_fail(t->cmd, cli_exit_of(err), "%s", *why ? why : bxs_strerror(err)) : 0;
}

int tools_judge(const struct tools *t)
{
	if (!t->tools.findings || !t->findings)
		return CLI_OK;
	return cli_fail(t->cmd, CLI_DATA, "check: %" PRIu64 " access%s against the manual", t->findings, t->findings == 1 ? "" : "es");
}

int tools_end(struct tools *t, int err)
{
	int code = err < 0 ? cli_fail(t->cmd, cli_exit_of(err), "%s", bxs_why(t->m)) : CLI_OK;

	bxs_machine_free(t->m);
	return code;
}
