/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore run: measure a scenario. */
#include <string.h>

#include "measure.h"

static int list_one(void *ctx, const bxs_scenario *sc)
{
	(void)ctx;
	printf("  %-22s %s\n", bxs_scenario_name(sc), bxs_scenario_about(sc));
	return 0;
}

static int list(const struct cli_command *cmd)
{
	char why[400] = "";
	int err = bxs_each_scenario(list_one, NULL, why, sizeof why);

	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", *why ? why : bxs_strerror(err));
	return cli_flush(cmd);
}

/* What the scenario says, where the command line says nothing. */
static int fill(struct measure *m)
{
	const bxs_scenario *sc = m->scenario;
	bool asked = m->asks != 0;
	const char *text;
	int err = 0;

	if (!m->machine)
		m->machine = bxs_scenario_machine(sc);
	for (unsigned i = 0; !asked && err == 0 && (text = bxs_scenario_text(sc, BXS_SCENARIO_EVENTS, i)); i++)
		err = measure_ask(m, false, text);
	for (unsigned i = 0; !asked && err == 0 && (text = bxs_scenario_text(sc, BXS_SCENARIO_METRICS, i)); i++)
		err = measure_ask(m, true, text);
	for (unsigned i = 0; err == 0 && (text = bxs_scenario_text(sc, BXS_SCENARIO_DMA, i)); i++)
		err = measure_attach(m, false, text);
	for (unsigned i = 0; err == 0 && (text = bxs_scenario_text(sc, BXS_SCENARIO_FAULT, i)); i++)
		err = measure_attach(m, true, text);
	return err;
}

int cmd_run(const struct cli_command *cmd, int argc, char **argv)
{
	struct measure m = { .cmd = cmd };
	bxs_scenario *sc = NULL;
	char why[400] = "";
	int first, err;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list(cmd);
	first = measure_options(&m, "+:M:e:m:I:r:aC:Ajx:o:", argc, argv);
	if (first < 0)
		return measure_refused(&m);
	if (first + 1 == argc - 1 && strcmp(argv[first + 1], "--list") == 0)
		return list(cmd);
	if (first >= argc || m.kernel)
		return cli_misused(cmd, "which scenario? `boxscore run --list` names them");
	err = bxs_scenario_open(argv[first], &sc, why, sizeof why);
	if (err < 0)
		return cli_fail(cmd, cli_exit_of(err), "%s", *why ? why : bxs_strerror(err));
	m.scenario = sc;
	/* Options may stand behind the name as well. */
	argv[first] = argv[0];
	argc -= first;
	argv += first;
	first = measure_options(&m, "+:M:e:m:I:r:aC:Ajx:o:", argc, argv);
	if (first < 0)
		err = measure_refused(&m);
	else if (first < argc)
		err = cli_fail(cmd, CLI_USAGE, "%s: one scenario is expected", argv[first]);
	if (first == argc)
		err = fill(&m);
	if (err == 0)
		err = measure_run(&m);
	bxs_scenario_free(sc);
	return err;
}
