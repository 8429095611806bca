/* SPDX-License-Identifier: BSD-2-Clause */
/* Naming families in messages, for all commands that take one. */
#include <string.h>

#include "cli.h"

struct names {
	const char *wanted;
	bool found;
	char all[128];
};

static int take_name(void *ctx, const struct bxs_family *f)
{
	struct names *n = ctx;
	size_t len = strlen(n->all);

	snprintf(n->all + len, sizeof n->all - len, "%s%s", len ? ", " : "", f->name);
	if (n->wanted && strcasecmp(n->wanted, f->name) == 0)
		n->found = true;
	return 0;
}

int cli_take_family(const struct cli_command *cmd, int argc, char **argv, int *i,
		    const char **family)
{
	const char *word = argv[*i];

	if (strncmp(word, "--family=", 9) == 0) {
		*family = word + 9;
		return 1;
	}
	if (strcmp(word, "-f") != 0 && strcmp(word, "--family") != 0)
		return 0;
	if (*i + 1 == argc) {
		cli_misused(cmd, "%s needs the name of a family", word);
		return -1;
	}
	*family = argv[++*i];
	return 1;
}

int cli_take_name(const struct cli_command *cmd, int argc, char **argv, const char **name,
		  const char **family)
{
	for (int i = 1; i < argc; i++) {
		int taken = cli_take_family(cmd, argc, argv, &i, family);

		if (taken < 0)
			return CLI_USAGE;
		if (taken)
			continue;
		if (argv[i][0] == '-' || *name)
			return cli_unexpected(cmd, argv[i]);
		*name = argv[i];
	}
	return 0;
}

static int take_first(void *ctx, const struct bxs_family *f)
{
	*(const char **)ctx = f->name;
	return 1;
}

const char *cli_default_family(void)
{
	const char *name = "";

	bxs_each_family(take_first, &name);
	return name;
}

bool cli_unknown_family(const struct cli_command *cmd, const char *family)
{
	struct names n = { .wanted = family };

	bxs_each_family(take_name, &n);
	if (!n.found)
		cli_fail(cmd, CLI_DATA, "no family %s; there are %s", family, n.all);
	return !n.found;
}
