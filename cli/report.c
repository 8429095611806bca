/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore report: the JSON lines of one run, or of two, as a page. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "page.h"

enum { RUNS = 2 };

struct asked {
	const char *file[RUNS], *out, *machine;
	unsigned files;
};

/* 0, 1: argv[*i] was an option of that letter with a value; -1: the value is missing, which has been said. */
static int take_value(const struct cli_command *cmd, int argc, char **argv, int *i, const char *letter, const char *name,
		      const char **value)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) == 0 && argv[*i][n] == '=') {
		*value = argv[*i] + n + 1;
		return 1;
	}
	if (strcmp(argv[*i], letter) != 0 && strcmp(argv[*i], name) != 0)
		return 0;
	if (*i + 1 == argc) {
		cli_misused(cmd, "%s needs a value", argv[*i]);
		return -1;
	}
	*value = argv[++*i];
	return 1;
}

static int take_arguments(const struct cli_command *cmd, int argc, char **argv, struct asked *a)
{
	for (int i = 1; i < argc; i++) {
		int taken = take_value(cmd, argc, argv, &i, "-o", "--output", &a->out);

		if (taken == 0)
			taken = take_value(cmd, argc, argv, &i, "-M", "--machine", &a->machine);
		if (taken < 0)
			return CLI_USAGE;
		if (taken)
			continue;
		if ((argv[i][0] == '-' && argv[i][1]) || a->files == RUNS)
			return cli_unexpected(cmd, argv[i]);
		a->file[a->files++] = argv[i];
	}
	if (!a->files)
		return cli_misused(cmd, "of which run? name the file of `stat -j`");
	return a->out ? 0 : cli_misused(cmd, "into which file? -o names it, - is standard output");
}

static int read_run(const struct cli_command *cmd, const char *file, struct run *r)
{
	bool standard = strcmp(file, "-") == 0;
	FILE *from = standard ? stdin : fopen(file, "re");
	int err;

	r->file = standard ? "standard input" : file;
	if (!from)
		return cli_fail(cmd, CLI_DATA, "%s cannot be read: %s", file, strerror(errno));
	err = run_file(r, from);
	if (err == BXS_EIO)
		err = cli_fail(cmd, CLI_DATA, "%s cannot be read: %s", r->file, strerror(errno));
	else if (err < 0)
		err = cli_fail(cmd, CLI_BUG, "%s", bxs_strerror(err));
	if (!standard)
		fclose(from);
	return err;
}

/* The machine that -M names, for runs that do not say on which they were measured. */
static int supply_machine(const struct cli_command *cmd, const char *machine, struct run *r)
{
	char why[400];
	bxs_machine *m;
	int err;

	if (!machine || r->head)
		return 0;
	err = bxs_machine_new(machine, 0, &m, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "-M: %s", *why ? why : bxs_strerror(err));
	r->head = head_of(m, machine);
	bxs_machine_free(m);
	return r->head ? 0 : cli_fail(cmd, CLI_BUG, "%s", bxs_strerror(BXS_ENOMEM));
}

int cmd_report(const struct cli_command *cmd, int argc, char **argv)
{
	struct run run[RUNS] = { 0 };
	struct asked a = { 0 };
	int code = take_arguments(cmd, argc, argv, &a), wrong = 0;

	for (unsigned i = 0; i < a.files && code == 0; i++) {
		code = read_run(cmd, a.file[i], &run[i]);
		if (code == 0)
			code = supply_machine(cmd, a.machine, &run[i]);
		if (code == 0 && page_tell(cmd, &run[i]) != 0)
			wrong = CLI_DATA;
		if (code == 0 && !run[i].count)
			code = cli_fail(cmd, CLI_DATA, "%s has no reading that can be shown", run[i].file);
	}
	if (code == 0)
		code = page_save(cmd, run, a.files, a.out);
	for (unsigned i = 0; i < RUNS; i++)
		run_free(&run[i]);
	return code ? code : wrong;
}
