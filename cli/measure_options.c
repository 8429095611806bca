/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the commands that measure. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { OPT_PER_SOCKET = 256, OPT_KERNEL, OPT_MEM, OPT_CORES, OPT_MULTIPLEX, OPT_TURN, OPT_QEMU,
       OPT_PLUGIN, OPT_TRUTH, OPT_DMA, OPT_FAULT, OPT_CO_RUN, OPT_LIMIT, OPT_MACHINE_TIME, OPT_HOST_WORLD,
       OPT_DELAY, OPT_TIMEOUT, OPT_REGION, OPT_ON, OPT_VIA, OPT_FORCE, OPT_QUANTUM, OPT_SEED,
       OPT_HEAD, OPT_HTML, OPT_HELP };

static const struct option long_options[] = {
	{ "machine", required_argument, NULL, 'M' },
	{ "events", required_argument, NULL, 'e' },
	{ "metrics", required_argument, NULL, 'm' },
	{ "interval", required_argument, NULL, 'I' },
	{ "per-box", no_argument, NULL, 'A' },
	{ "per-socket", no_argument, NULL, OPT_PER_SOCKET },
	{ "json", no_argument, NULL, 'j' },
	{ "separator", required_argument, NULL, 'x' },
	{ "head", no_argument, NULL, OPT_HEAD },
	{ "html", required_argument, NULL, OPT_HTML },
	{ "output", required_argument, NULL, 'o' },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "mem", required_argument, NULL, OPT_MEM },
	{ "cores", required_argument, NULL, OPT_CORES },
	{ "multiplex", no_argument, NULL, OPT_MULTIPLEX },
	{ "truth", no_argument, NULL, OPT_TRUTH },
	{ "turn", required_argument, NULL, OPT_TURN },
	{ "qemu", required_argument, NULL, OPT_QEMU },
	{ "plugin", required_argument, NULL, OPT_PLUGIN },
	{ "dma", required_argument, NULL, OPT_DMA },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "co-run", required_argument, NULL, OPT_CO_RUN },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "machine-time", no_argument, NULL, OPT_MACHINE_TIME },
	{ "host-world", no_argument, NULL, OPT_HOST_WORLD },
	{ "quantum", required_argument, NULL, OPT_QUANTUM },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "repeat", required_argument, NULL, 'r' },
	{ "delay", required_argument, NULL, OPT_DELAY },
	{ "all-cores", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "region", required_argument, NULL, OPT_REGION },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "on", required_argument, NULL, OPT_ON },
	{ "via", required_argument, NULL, OPT_VIA },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

uint64_t measure_time(const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end != text && strcmp(end, units[i].unit) == 0 && value > 0 && value * units[i].ns < 1e18)
			return (uint64_t)(value * units[i].ns);
	return 0;
}

int measure_ask(struct measure *m, bool metric, const char *text)
{
	if (m->asks == MEASURE_ASKED)
		return cli_fail(m->cmd, CLI_USAGE, "more than %d -e and -m", MEASURE_ASKED);
	m->asked[m->asks].metric = metric;
	m->asked[m->asks++].text = text;
	return 0;
}

int measure_attach(struct measure *m, bool fault, const char *text)
{
	if (m->attachments == MEASURE_ATTACHED)
		return cli_fail(m->cmd, CLI_USAGE, "more than %d --dma and --fault", MEASURE_ATTACHED);
	m->attached[m->attachments].fault = fault;
	m->attached[m->attachments++].text = text;
	return 0;
}

static int take_time(struct measure *m, const char *option, const char *text, uint64_t *ns)
{
	*ns = measure_time(text);
	if (*ns)
		return 0;
	return cli_fail(m->cmd, CLI_USAGE, "%s: %s is no time; write 500us, 1ms or 2s", option, text);
}

static int take_quantum(struct measure *m, const char *text)
{
	uint64_t *ns = &m->program.quantum;

	if (take_time(m, "--quantum", text, ns) != 0)
		return -1;
	if (*ns >= BXS_QUANTUM_LEAST && *ns <= BXS_QUANTUM_MOST)
		return 0;
	return cli_fail(m->cmd, CLI_USAGE, "--quantum: %s is not from %dns to %dus", text, BXS_QUANTUM_LEAST, BXS_QUANTUM_MOST / 1000);
}

static int take_seed(struct measure *m, const char *text)
{
	char *end;

	errno = 0;
	m->program.seed = strtoull(text, &end, 0);
	m->program.seeded = true;
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return 0;
	return cli_fail(m->cmd, CLI_USAGE, "--seed: %s is no number from 0 to 2^64 - 1", text);
}

static int take_placement(struct measure *m, const char *text)
{
	m->program.compact = strcmp(text, "compact") == 0;
	if (m->program.compact || strcmp(text, "spread") == 0)
		return 0;
	return cli_fail(m->cmd, CLI_USAGE, "--cores: %s is neither compact nor spread", text);
}

static int take_rows(struct measure *m, enum bxs_by by)
{
	if (m->out.by != BXS_BY_SUM && m->out.by != by)
		return cli_fail(m->cmd, CLI_USAGE, "rows are for boxes (-A) or for sockets (--per-socket), not both");
	m->out.by = by;
	return 0;
}

static int take_format(struct measure *m, enum output_format format)
{
	if (m->out.format != OUTPUT_TABLE && m->out.format != format)
		return cli_fail(m->cmd, CLI_USAGE, "readings are JSON (-j) or separated values (-x), not both");
	m->out.format = format;
	return 0;
}

static int take_separator(struct measure *m, const char *separator)
{
	m->out.separator = separator;
	return *separator ? take_format(m, OUTPUT_SEPARATED) : cli_fail(m->cmd, CLI_USAGE, "-x: the separator is empty");
}

/* Nothing but options has attached anything yet. */
static int take_faults(struct measure *m, const char *text)
{
	for (unsigned i = 0; i < m->attachments; i++)
		if (m->attached[i].fault)
			return cli_fail(m->cmd, CLI_USAGE,
					"--fault is given twice; one takes several, separated by commas");
	return measure_attach(m, true, text);
}

/* Of a program for IA-64: a number is one of instructions, with a unit of time it is one of machine time. */
static int take_limit(struct measure *m, const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (text[digits] || !digits || digits > 18)
		return take_time(m, "--limit", text, &m->program.ns);
	m->program.instructions = strtoull(text, NULL, 10);
	return m->program.instructions ? 0 : cli_fail(m->cmd, CLI_USAGE, "--limit: a program has at least one instruction");
}

static int take_runs(struct measure *m, const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long runs = digits && digits < 9 && !text[digits] ? strtoul(text, NULL, 10) : 0;

	m->runs = (unsigned)runs;
	if (runs && runs <= REPEAT_MOST)
		return 0;
	return cli_fail(m->cmd, CLI_USAGE, "-r: %s is no number of runs from 1 to %d", text, REPEAT_MOST);
}

/* Options that set one member: a flag to true, a text to the argument, a time to the argument in nanoseconds. */
enum setting_kind { SET_FLAG, SET_TEXT, SET_TIME };

struct setting {
	int option;
	enum setting_kind kind;
	size_t member;			/* its offset in struct measure */
	const char *name;		/* of a time, for what is said of a bad one */
};

static const struct setting settings[] = {
	{ 'M', SET_TEXT, offsetof(struct measure, machine), NULL },
	{ 'o', SET_TEXT, offsetof(struct measure, out.path), NULL },
	{ OPT_HEAD, SET_FLAG, offsetof(struct measure, out.head), NULL },
	{ OPT_HTML, SET_TEXT, offsetof(struct measure, html), NULL },
	{ OPT_KERNEL, SET_TEXT, offsetof(struct measure, kernel), NULL },
	{ OPT_MEM, SET_TEXT, offsetof(struct measure, memory), NULL },
	{ OPT_MULTIPLEX, SET_FLAG, offsetof(struct measure, multiplex), NULL },
	{ OPT_TRUTH, SET_FLAG, offsetof(struct measure, out.truth), NULL },
	{ OPT_TURN, SET_TIME, offsetof(struct measure, turn_ns), "--turn" },
	{ OPT_DELAY, SET_TIME, offsetof(struct measure, delay_ns), "--delay" },
	{ OPT_TIMEOUT, SET_TIME, offsetof(struct measure, timeout_ns), "--timeout" },
	{ 'a', SET_FLAG, offsetof(struct measure, all_cores), NULL },
	{ 'C', SET_TEXT, offsetof(struct measure, cores), NULL },
	{ OPT_REGION, SET_TEXT, offsetof(struct measure, region), NULL },
	{ OPT_QEMU, SET_TEXT, offsetof(struct measure, program.qemu), NULL },
	{ OPT_PLUGIN, SET_TEXT, offsetof(struct measure, program.plugin), NULL },
	{ OPT_MACHINE_TIME, SET_FLAG, offsetof(struct measure, program.machine_time), NULL },
	{ OPT_HOST_WORLD, SET_FLAG, offsetof(struct measure, program.host_world), NULL },
	{ OPT_VIA, SET_TEXT, offsetof(struct measure, local.via), NULL },
	{ OPT_FORCE, SET_FLAG, offsetof(struct measure, local.force), NULL },
};

static int set(struct measure *m, const struct setting *s)
{
	void *member = (char *)m + s->member;

	switch (s->kind) {
	case SET_FLAG:
		*(bool *)member = true;
		return 0;
	case SET_TEXT:
		*(const char **)member = optarg;
		return 0;
	case SET_TIME:
		return take_time(m, s->name, optarg, (uint64_t *)member);
	}
	return 0;
}

static int take(struct measure *m, int option)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (settings[i].option == option)
			return set(m, settings + i);
	}
	switch (option) {
	case 'e':
		return measure_ask(m, false, optarg);
	case 'm':
		return measure_ask(m, true, optarg);
	case 'I':
		m->out.intervals = true;
		return take_time(m, "-I", optarg, &m->interval_ns);
	case 'A':
		return take_rows(m, BXS_BY_BOX);
	case OPT_PER_SOCKET:
		return take_rows(m, BXS_BY_SOCKET);
	case 'j':
		return take_format(m, OUTPUT_JSON);
	case 'x':
		return take_separator(m, optarg);
	case OPT_CORES:
		return take_placement(m, optarg);
	case 'r':
		return take_runs(m, optarg);
	case OPT_DMA:
		return measure_attach(m, false, optarg);
	case OPT_FAULT:
		return take_faults(m, optarg);
	case OPT_CO_RUN:
		return co_run_add(m, optarg);
	case OPT_LIMIT:
		return take_limit(m, optarg);
	case OPT_QUANTUM:
		return take_quantum(m, optarg);
	case OPT_SEED:
		return take_seed(m, optarg);
	case OPT_ON:
		m->on_local = true;
		return cli_take_on(m->cmd, optarg);
	case OPT_HELP:
		m->help = true;
		cli_usage(m->cmd, stdout);
		return CLI_USAGE;
	}
	return CLI_USAGE;
}

int measure_options(struct measure *m, const char *letters, int argc, char **argv)
{
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (option == '?' || option == ':') {
			const char *what = argv[optind - 1];

			option == ':' ? cli_misused(m->cmd, "%s needs a value", what) : cli_unexpected(m->cmd, what);
			return -1;
		}
		if (take(m, option) != 0)
			return -1;
	}
	return optind;
}
