/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that run beside the one that is measured: --co-run. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "measure.h"

int co_run_add(struct measure *m, const char *command)
{
	if (m->co_runs == MEASURE_CO_RUNS)
		return cli_fail(m->cmd, CLI_USAGE, "more than %d --co-run", MEASURE_CO_RUNS);
	m->co_run[m->co_runs++] = command;
	return 0;
}

int co_run_start(struct measure *m, bxs_machine *machine, bxs_session *s)
{
	struct bxs_program programs[1 + MEASURE_CO_RUNS];
	wordexp_t words[MEASURE_CO_RUNS];
	unsigned n = 0;
	int code = 0, err;

	programs[0] = m->program;
	while (n < m->co_runs && code == 0) {
		const char *text = m->co_run[n];

		if (wordexp(text, &words[n], WRDE_NOCMD | WRDE_UNDEF) != 0) {
			code = cli_fail(m->cmd, CLI_USAGE, "--co-run: %s cannot be taken apart into words as a shell would",
					text);
			break;
		}
		programs[1 + n] = m->program;
		programs[1 + n].argv = words[n].we_wordv;
		if (words[n++].we_wordc == 0)
			code = cli_fail(m->cmd, CLI_USAGE, "--co-run: which program?");
	}
	err = code == 0 ? bxs_session_programs(s, programs, 1 + n) : 0;
	if (err < 0)
		code = cli_fail(m->cmd, cli_exit_of(err), "%s", bxs_why(machine));
	while (n > 0)
		wordfree(&words[--n]);
	return code;
}

void co_run_tell(const struct measure *m, const bxs_session *s)
{
	for (unsigned n = 0; n < m->co_runs; n++) {
		int status = bxs_session_status_of(s, 1 + n);

		if (status > 0 && WIFSIGNALED(status))
			measure_note(m, "note: --co-run %s: ended by signal %d (%s)", m->co_run[n],
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
		else if (status > 0)
			measure_note(m, "note: --co-run %s: ended with exit status %d", m->co_run[n],
				 WEXITSTATUS(status));
	}
}
