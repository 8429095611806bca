/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands say when something is wrong, and the exit status that goes with it. */
#include <stdarg.h>

#include "cli.h"

void cli_usage(const struct cli_command *cmd, FILE *out)
{
	fprintf(out, "usage: boxscore %s %s\n%s\n", cmd->name, cmd->arguments, cmd->text);
	if (cmd->details)
		fprintf(out, "\n%s", cmd->details);
}

int cli_fail(const struct cli_command *cmd, int code, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "boxscore %s: ", cmd->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

int cli_misused(const struct cli_command *cmd, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return cli_fail(cmd, CLI_USAGE, "%s; `boxscore %s --help` says more", text, cmd->name);
}

int cli_unexpected(const struct cli_command *cmd, const char *word)
{
	return cli_misused(cmd, word[0] == '-' ? "%s is no option of this command" : "'%s' is one argument too many", word);
}

int cli_exit_of(int err)
{
	switch (err) {
	case BXS_ENOENT:
	case BXS_EINVAL:
	case BXS_ECONFLICT:
	case BXS_ETURNS:
	case BXS_EFAULT:
	case BXS_EIO:
		return CLI_DATA;
	case BXS_ENOTSUP:
		return CLI_UNAVAILABLE;
	default:
		return CLI_BUG;
	}
}

int cli_flush(const struct cli_command *cmd)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_OK;
	return cli_fail(cmd, CLI_DATA, "standard output cannot be written");
}
