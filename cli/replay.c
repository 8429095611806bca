/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore replay: measure a trace file, on the machine it was recorded on or another. */
#include "measure.h"

int cmd_replay(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd };
	char spec[512], why[512];
	int first = measure_options(&m, ":M:e:m:I:r:aC:Ajx:o:", argc, argv);
	int err;

	if (first < 0)
		return measure_refused(&m);
	if (first + 1 != argc || m.kernel)
		return cli_misused(cmd, "one trace file is expected");
	m.trace = argv[first];
	err = bxs_trace_machine(m.trace, spec, sizeof spec, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", why);
	if (!m.machine) {
		m.machine = spec;
		m.trace_spec = true;
	}
	return measure_run(&m);
}
