/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore stat: measure a program, or a built-in kernel, on a simulated machine. */
#include "measure.h"

int cmd_stat(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd };
	int first = measure_options(&m, "+:M:e:m:I:r:aC:Ajx:o:", argc, argv);

	if (first < 0)
		return measure_refused(&m);
	if (first < argc)
		m.program.argv = argv + first;
	if (!m.program.argv == !m.kernel)
		return cli_misused(cmd, m.kernel ? "a program or --kernel, not both" : "which program? write it after --");
	return measure_run(&m);
}
