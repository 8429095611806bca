/* SPDX-License-Identifier: BSD-2-Clause */
/* What mount and with share: options, and the machine that they make. */
#ifndef BXS_CLI_TOOLS_H
#define BXS_CLI_TOOLS_H

#include "cli.h"

struct tools {
	const struct cli_command *cmd;
	const char *machine;		/* specification; the default family if not given */
	bool background;
	uint64_t findings;		/* of --check=error */
	struct bxs_tools tools;
	bxs_machine *m;
	char wanted[512];		/* the specification that the load brings */
};

/* Read the options.  Returns the index of the first argument that is none, or minus the exit code when a message has been
 * printed. */
int tools_options(struct tools *t, int argc, char **argv);

/* Make the machine; 0, or the exit code when a message has been printed. */
int tools_machine(struct tools *t);

/* CLI_OK, or CLI_DATA with a message: --check=error has found something. */
int tools_judge(const struct tools *t);

/* The message about a call that failed, the machine's end; the exit code. */
int tools_end(struct tools *t, int err);

#endif
