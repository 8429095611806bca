/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore stat: measure a program, or a built-in kernel, on a simulated machine; or this computer. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* "-a 10", "-a 10s": all of this computer, for so long. */
static bool take_seconds(struct measure *m, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);
	uint64_t ns = *end ? measure_time(text) : seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9) : 0;

	if (!m->all_cores || m->timeout_ns || !ns)
		return false;
	m->timeout_ns = ns;
	return true;
}

static int measure_local(struct measure *m, int arguments, char **argument)
{
	if (m->kernel)
		return cli_misused(m->cmd, "--on local: a kernel runs on a simulated machine alone");
	if (arguments && !(arguments == 1 && take_seconds(m, argument[0])))
		m->program.argv = argument;
	return measure_run(m);
}

int cmd_stat(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd };
	int first = measure_options(&m, "+:M:e:m:I:r:aC:Ajx:o:", argc, argv);

	if (first < 0)
		return measure_refused(&m);
	if (m.on_local)
		return measure_local(&m, argc - first, argv + first);
	if (first < argc)
		m.program.argv = argv + first;
	if (!m.program.argv == !m.kernel)
		return cli_misused(cmd, m.kernel ? "a program or --kernel, not both" : "which program? write it after --");
	return measure_run(&m);
}
