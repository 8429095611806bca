/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore replay-log: do again what a tool did to the registers, and compare. */
#include <inttypes.h>

#include "tools.h"

enum { DIFFERS = 1 };

static void differ(void *ctx, uint64_t number, const char *line, const char *got)
{
	(void)ctx;
	printf("line %" PRIu64 ": now %s; logged: %s\n", number, got, line);
}

int cmd_replay_log(const struct cli_command *cmd, int argc, char **argv)
{
	struct tools t = { .cmd = cmd };
	struct bxs_logged log;
	char why[512];
	struct bxs_replayed r;
	int first = tools_options(&t, argc, argv), code, err;

	if (first < 0)
		return -first;
	if (first + 1 < argc)
		return cli_fail(cmd, CLI_USAGE, "one log is expected, not %s and %s", argv[first], argv[first + 1]);
	err = bxs_log_machine(argv[first], &log, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", why);
	if (!t.machine)
		t.machine = log.spec;
	if (!t.tools.load && *log.load)
		t.tools.load = log.load;
	if (!t.tools.faults)
		t.tools.faults = log.faults;
	code = tools_machine(&t);
	if (code)
		return code;
	code = tools_end(&t, bxs_replay_log(t.m, &t.tools, argv[first], &r, differ, NULL));
	if (code)
		return code;
	printf("%" PRIu64 " accesses, %" PRIu64 " of them reads, %" PRIu64 " came out differently\n", r.accesses,
	       r.reads, r.differ);
	code = cli_flush(cmd);
	return code ? code : r.differ ? DIFFERS : CLI_OK;
}
