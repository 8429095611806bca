/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands share: the table, exit codes, messages. */
#ifndef BXS_CLI_H
#define BXS_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "boxscore.h"

/* Exit codes of our own (sysexits.h numbers); never 0 on failure. */
enum cli_exit {
	CLI_OK = 0,
	CLI_USAGE = 64,		/* bad usage */
	CLI_DATA = 65,		/* bad input: event, specification, file */
	CLI_UNAVAILABLE = 69,	/* no such hardware, no permission, a tool is missing */
	CLI_BUG = 70,		/* a fault of ours */
	CLI_TIMEOUT = 124,	/* --timeout has ended the program; as of timeout(1) */
};

struct cli_command {
	const char *name;
	const char *arguments;	/* for the usage line */
	const char *text;	/* one line of help */
	const char *details;	/* what --help prints below the usage line, or NULL */
	int (*run)(const struct cli_command *cmd, int argc, char **argv);
};

/* Each command lives in a file of its name. */
int cmd_list(const struct cli_command *cmd, int argc, char **argv);
int cmd_info(const struct cli_command *cmd, int argc, char **argv);
int cmd_explain(const struct cli_command *cmd, int argc, char **argv);
int cmd_dump(const struct cli_command *cmd, int argc, char **argv);
int cmd_shell(const struct cli_command *cmd, int argc, char **argv);
int cmd_stat(const struct cli_command *cmd, int argc, char **argv);
int cmd_record(const struct cli_command *cmd, int argc, char **argv);
int cmd_run(const struct cli_command *cmd, int argc, char **argv);
int cmd_replay(const struct cli_command *cmd, int argc, char **argv);
int cmd_mount(const struct cli_command *cmd, int argc, char **argv);
int cmd_replay_log(const struct cli_command *cmd, int argc, char **argv);
int cmd_with(const struct cli_command *cmd, int argc, char **argv);
int cmd_check(const struct cli_command *cmd, int argc, char **argv);
int cmd_doctor(const struct cli_command *cmd, int argc, char **argv);
int cmd_report(const struct cli_command *cmd, int argc, char **argv);
int cmd_machines(const struct cli_command *cmd, int argc, char **argv);

/* "boxscore COMMAND: MESSAGE" on standard error; returns code. */
int cli_fail(const struct cli_command *cmd, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The usage of one command, to out. */
void cli_usage(const struct cli_command *cmd, FILE *out);

/* "MESSAGE; `boxscore COMMAND --help` says more" on standard error; returns CLI_USAGE. */
int cli_misused(const struct cli_command *cmd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same about an option or an argument that the command does not take. */
int cli_unexpected(const struct cli_command *cmd, const char *word);

/*
 * If argv[*i] is -f, --family or --family=: take its value to *family, step *i over it and return 1.  0: it is
 * something else; -1: the value is missing, which has been said.
 */
int cli_take_family(const struct cli_command *cmd, int argc, char **argv, int *i,
		    const char **family);

/* All arguments, for commands that take one name and a family: 0, or CLI_USAGE, which has been said. */
int cli_take_name(const struct cli_command *cmd, int argc, char **argv, const char **name,
		  const char **family);

/* Is there no such family?  Then the message has been printed. */
bool cli_unknown_family(const struct cli_command *cmd, const char *family);

/* The family that is meant where none is named: the first one. */
const char *cli_default_family(void);

/* What --on names, which can only be this computer ("local").  0, or CLI_USAGE, which has been said. */
int cli_take_on(const struct cli_command *cmd, const char *where);
/* The family of this computer; NULL: none of ours, which has been said. */
const char *cli_local_family(const struct cli_command *cmd);
/* Say if registers that a killed process had left changed have been put back. */
void cli_tell_put_back(const struct cli_command *cmd, const bxs_machine *m);

/* The exit code for a library error. */
int cli_exit_of(int err);

/*
 * Close what was printed: CLI_OK, or CLI_DATA with a message when standard output could not be
 * written (a full disk).
 */
int cli_flush(const struct cli_command *cmd);

#endif
