/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore record: run a program and keep what it did to the machine in a trace file. */
#include "measure.h"

int cmd_record(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd, .quiet = true };
	int first = measure_options(&m, "+:M:o:", argc, argv);

	if (first < 0)
		return measure_refused(&m);
	m.record = m.out.path;
	m.out.path = NULL;
	if (first < argc)
		m.program.argv = argv + first;
	if (!m.record || !m.program.argv == !m.kernel)
		return cli_misused(cmd, !m.record ? "to which file? write -o FILE"
				   : m.kernel	  ? "a program or --kernel, not both"
						  : "which program? write it after --");
	return measure_run(&m);
}
