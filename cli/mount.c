/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore mount: show the machine as files, in the foreground or in the background. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools.h"

/* The terminal is no longer ours. */
static void settle(void *ctx)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte = 0;

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (write(*(int *)ctx, &byte, 1) < 0)
		_exit(CLI_BUG);
	close(*(int *)ctx);
}

/* The child serves; we wait until its files are there or it has failed and said why. */
static int in_background(struct tools *t, const char *dir)
{
	int report[2], status = 0, code;
	char byte;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return cli_fail(t->cmd, CLI_BUG, "no pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return cli_fail(t->cmd, CLI_BUG, "no process: %s", strerror(errno));
	if (pid == 0) {
		setsid();
		code = tools_end(t, bxs_mount(t->m, &t->tools, dir, settle, &report[1]));
		_exit(code);
	}
	close(report[1]);
	if (read(report[0], &byte, 1) == 1)
		return CLI_OK;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : CLI_BUG;
}

int cmd_mount(const struct cli_command *cmd, int argc, char **argv)
{
	struct tools t = { .cmd = cmd };
	int first = tools_options(&t, argc, argv), code;

	if (first < 0)
		return -first;
	if (first + 1 < argc)
		return cli_fail(cmd, CLI_USAGE, "one directory is expected, not %s and %s", argv[first],
				argv[first + 1]);
	code = tools_machine(&t);
	if (code)
		return code;
	if (!t.background) {
		code = tools_end(&t, bxs_mount(t.m, &t.tools, argv[first], NULL, NULL));
		return code ? code : tools_judge(&t);
	}
	code = in_background(&t, argv[first]);
	bxs_machine_free(t.m);
	return code;
}
