/* SPDX-License-Identifier: BSD-2-Clause */
/* --on local, for all commands that take it. */
#include <string.h>

#include "cli.h"

int cli_take_on(const struct cli_command *cmd, const char *where)
{
	if (strcmp(where, "local") == 0)
		return 0;
	return cli_misused(cmd, "--on: %s is not local, the one real computer that can be measured", where);
}

const char *cli_local_family(const struct cli_command *cmd)
{
	const char *family = bxs_local_family();

	if (!family)
		cli_fail(cmd, CLI_UNAVAILABLE, "this computer's processor is none that Boxscore knows; `boxscore doctor` says more");
	return family;
}

void cli_tell_put_back(const struct cli_command *cmd, const bxs_machine *m)
{
	unsigned n = bxs_local_put_back(m);

	if (n)
		cli_fail(cmd, 0, "note: put back %u register%s that a process which was killed had left changed", n, n == 1 ? "" : "s");
}
