/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore with: run a tool with the machine's files over the system's. */
#include <sys/wait.h>

#include "tools.h"

int cmd_with(const struct cli_command *cmd, int argc, char **argv)
{
	struct tools t = { .cmd = cmd };
	int first = tools_options(&t, argc, argv), status = 0, code;

	if (first < 0)
		return -first;
	if (t.tools.native && t.tools.machine_time)
		return cli_fail(cmd, CLI_USAGE, "--machine-time needs the machine's clock, which --native leaves out");
	if (t.tools.native && t.tools.world_date)
		return cli_fail(cmd, CLI_USAGE, "--world-date is about the machine's clocks, which --native leaves out");
	code = tools_machine(&t);
	if (code)
		return code;
	code = tools_end(&t, bxs_with(t.m, &t.tools, argv + first, &status));
	if (code)
		return code;
	code = tools_judge(&t);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status) ? WEXITSTATUS(status) : code;
}
