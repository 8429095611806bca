/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore doctor: what stands in the way of measuring on this computer. */
#include "cli.h"

static void tell(void *ctx, const char *what, const char *text)
{
	(void)ctx;
	printf("%-10s  %s\n", what, text);
}

int cmd_doctor(const struct cli_command *cmd, int argc, char **argv)
{
	bool ready;
	int err;

	if (argc > 1)
		return cli_misused(cmd, "no argument %s", argv[1]);
	ready = bxs_doctor(tell, NULL);
	err = cli_flush(cmd);
	if (err != CLI_OK)
		return err;
	return ready ? CLI_OK : cli_fail(cmd, CLI_UNAVAILABLE, "nothing can be measured on this computer; `boxscore stat` without --on local "
					 "measures on a simulated one");
}
