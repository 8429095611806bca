/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A measurement from the machine's specification to its end.  Readings go to standard error while a program runs,
 * because standard output is the program's; otherwise to standard output.
 */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WHERE = 600 };	/* room for a file's name and a line */

/* The specification with what --mem adds to it. */
static int full_spec(const struct measure *m, char *spec, size_t size)
{
	const char *base = m->machine ? m->machine : cli_default_family(), *add = "";
	const char *memory = m->memory ? m->memory : "";
	int len;

	if (strcmp(memory, "interleave") == 0)
		add = ",pages=interleave";
	else if (strcmp(memory, "firsttouch") == 0)
		add = ",pages=touch";
	else if (strncmp(memory, "bind=", 5) == 0)
		add = ",";
	else if (*memory)
		return cli_fail(m->cmd, CLI_USAGE, "--mem: %s is not firsttouch, interleave or bind=N",
				memory);
	len = snprintf(spec, size, "%s%s%s", base, add, *add == ',' && !add[1] ? memory : "");
	return len < (int)size ? 0 : cli_fail(m->cmd, CLI_USAGE, "-M: the specification is too long");
}

/* The family that this computer has to be; the rest of a specification is for simulated machines. */
static int local_family(struct measure *m)
{
	if (m->machine && strpbrk(m->machine, ":,"))
		return cli_fail(m->cmd, CLI_USAGE, "--on local: -M %s: name the family alone, this computer is what it is", m->machine);
	m->local.family = m->machine;
	return 0;
}

/* The place of what a scenario says, for messages; nothing of what an option says. */
static const char *place(const struct measure *m, const char *text, char *where, size_t size)
{
	return m->scenario ? bxs_scenario_where(m->scenario, text, where, size) : "";
}

static int ask_session(struct measure *m, bxs_machine *machine, bxs_session *s)
{
	int err = m->asks || m->record ? 0 : bxs_session_add_default(s);
	const char *text = NULL;
	char where[WHERE];

	for (unsigned i = 0; i < m->asks && err == 0; i++) {
		text = m->asked[i].text;
		err = m->asked[i].metric ? bxs_session_add_metrics(s, text) : bxs_session_add(s, text);
	}
	if (err == 0 && m->run == 0 && *bxs_session_left_out(s))
		measure_note(m, "note: %s", bxs_session_left_out(s));
	return err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s%s", place(m, text, where, sizeof where),
				  bxs_why(machine)) : 0;
}

static int choose_feed(struct measure *m, bxs_machine *machine, bxs_session *s, const char *spec)
{
	int err = 0, code = 0;

	if (m->scenario)
		err = bxs_session_scenario(s, m->scenario);
	else if (m->kernel)
		err = measure_prepare(m, s);
	else if (m->trace)
		err = bxs_session_trace(s, m->trace);
	else if (m->program.argv)
		code = co_run_start(m, machine, s);
	if (err == 0 && code == 0 && m->record)
		err = bxs_session_record(s, m->record, spec);
	return err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s", bxs_why(machine)) : code;
}

/* The program has run, but not one reading has a value. */
static int fail_unmeasurable(const struct measure *m, const char *spec)
{
	return cli_fail(m->cmd, CLI_UNAVAILABLE, "nothing of what was asked for can be measured on %s: it is not "
		       "modelled, or there is no such box", spec);
}

/* What an earlier run left in the file goes only when this one is about to begin. */
static int begin_output(const struct measure *m)
{
	struct stat st;

	if (!m->out.path || fstat(fileno(m->out.file), &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (ftruncate(fileno(m->out.file), 0) == 0)
		return 0;
	return cli_fail(m->cmd, CLI_DATA, "%s cannot be written: %s", m->out.path, strerror(errno));
}

static int attach_all(struct measure *m, bxs_machine *machine)
{
	for (unsigned i = 0; i < m->attachments; i++) {
		bool fault = m->attached[i].fault;
		const char *text = m->attached[i].text, *at;
		int err = fault ? bxs_fault(machine, text) : bxs_dma(machine, text);
		char where[WHERE];

		if (err >= 0)
			continue;
		at = place(m, text, where, sizeof where);
		return cli_fail(m->cmd, cli_exit_of(err), "%s%s%s: %s", at, *at ? "" : "--", fault ? "fault" : "dma",
				bxs_why(machine));
	}
	return 0;
}

/* Below the table: how long it took, and where a part was left out, how much was counted. */
static void print_time(struct measure *m, const bxs_session *s, const char *spec)
{
	char heading[700];
	int used;

	if (m->runs || m->out.intervals || m->quiet || measure_is_empty(m, s) || m->out.format != OUTPUT_TABLE)
		return;
	used = snprintf(heading, sizeof heading, "\n%20.6f  ms %s %s", (double)bxs_session_ns(s) / 1e6,
			m->on_local ? "on this computer," : "of machine time on", spec);
	if (m->delay_ns || m->region)
		used += snprintf(heading + used, sizeof heading - (size_t)used, ", %.6f of them counted",
				 (double)bxs_session_interval_ns(s) / 1e6);
	if (m->region)
		used += snprintf(heading + used, sizeof heading - (size_t)used, " (%s, %" PRIu64 " time%s)", m->region,
				 bxs_session_entered(s), bxs_session_entered(s) == 1 ? "" : "s");
	snprintf(heading + used, sizeof heading - (size_t)used, "\n");
	output_heading(&m->out, heading);
}

static void tell_vague(const struct measure *m)
{
	if (m->out.vague)
		measure_note(m, "note: %u reading%s scaled from too short a time to mean anything: run longer, ask for less at "
				    "once, or give each turn less (--turn)", m->out.vague, m->out.vague == 1 ? " is" : "s are");
}

/* What went well, but not with a reading. */
static int check_counted(const struct measure *m, const bxs_session *s, const char *spec, int code)
{
	if (m->region && !bxs_session_entered(s)) {
		int none = cli_fail(m->cmd, CLI_UNAVAILABLE, "nothing was counted: no region %s has begun (BXS_REGION_BEGIN of "
				    "boxscore/region.h)", m->region);

		return code == CLI_OK ? none : code;
	}
	if (m->waits) {
		int none = cli_fail(m->cmd, CLI_UNAVAILABLE, "nothing was counted: all was over after %.6f ms of machine time, "
				    "before counting began (--delay)", (double)bxs_session_ns(s) / 1e6);

		return code == CLI_OK ? none : code;
	}
	return code == CLI_OK && !bxs_session_measurable(s) ? fail_unmeasurable(m, spec) : code;
}

/* By a signal, which is no way to end from which one begins again: somebody wants to be rid of it. */
static bool was_killed(const struct measure *m, const bxs_session *s)
{
	return m->program.argv && m->ended && WIFSIGNALED(bxs_session_status(s));
}

/* m->stop: no further run makes sense. */
static int run_session(struct measure *m, bxs_machine *machine, bxs_session *s, const char *spec)
{
	int code, err;

	m->stop = true;
	bxs_session_turns(s, m->multiplex, m->turn_ns);
	bxs_session_truth(s, m->out.truth);
	code = attach_all(m, machine);
	if (code == 0 && m->cores && (err = bxs_session_cores(s, m->cores)) < 0)
		code = cli_fail(m->cmd, CLI_USAGE, "-C: %s", bxs_why(machine));
	if (code == 0 && m->region && (err = bxs_session_region(s, m->region)) < 0)
		code = cli_fail(m->cmd, CLI_USAGE, "--region: %s", bxs_why(machine));
	/* An event file may raise what the machine's hardware does not, so it comes before what is asked for. */
	if (code == 0 && m->trace)
		code = choose_feed(m, machine, s, spec);
	if (code == 0)
		code = ask_session(m, machine, s);
	if (code == 0 && !m->trace)
		code = choose_feed(m, machine, s, spec);
	if (code == 0 && m->run == 0)
		code = begin_output(m);
	if (code == 0 && m->run == 0)
		code = measure_head(m, machine, spec);
	if (code != 0)
		return code;
	/* From the first register of this computer that is changed, to the last that is put back. */
	if (!m->program.argv || m->on_local)
		measure_obey_signals(machine);
	err = bxs_session_start(s);
	if (err < 0)
		return cli_fail(m->cmd, cli_exit_of(err), "%s%s", bxs_why(machine),
				err == BXS_ETURNS ? " (--multiplex)" : "");
	err = measure_loop(m, s);
	print_time(m, s, spec);
	tell_vague(m);
	if (m->run == 0) {
		witness_tell(m, s);
		measure_tell(m, s);
		co_run_tell(m, s);
	}
	code = measure_end(m, machine, s, err);
	m->stop = err < 0 || m->out.broken || measure_interrupted() || m->waits || was_killed(m, s);
	return check_counted(m, s, spec, code);
}

static int open_output(struct measure *m)
{
	m->out.file = m->program.argv ? stderr : stdout;
	if (!m->out.path || strcmp(m->out.path, "-") == 0) {
		if (m->out.path)
			m->out.file = stdout;
		m->out.path = NULL;
		return 0;
	}
	m->out.file = fopen(m->out.path, "ae");
	if (m->out.file)
		return 0;
	return cli_fail(m->cmd, CLI_DATA, "%s cannot be written: %s", m->out.path, strerror(errno));
}

/* Options that do not go together. */
static int check_options(const struct measure *m)
{
	if (m->out.head && m->out.format != OUTPUT_JSON)
		return cli_fail(m->cmd, CLI_USAGE, "--head: of what? it is a line ahead of JSON lines (-j)");
	if ((m->html || m->out.head) && m->record)
		return cli_fail(m->cmd, CLI_USAGE, "--head, --html: a trace has no readings; replay it with these");
	if (m->html && strcmp(m->html, "-") == 0)
		return cli_fail(m->cmd, CLI_USAGE, "--html: standard output has the readings or is the program's; name a file");
	if (m->program.machine_time && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--machine-time: whose clocks? write the program after --");
	if (m->program.host_world && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--host-world: of which program? write it after --");
	if (m->program.quantum && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--quantum: of which program's threads? write it after --");
	if (m->program.seeded && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--seed: of which program's random numbers? write it after --");
	if (m->program.seeded && m->program.host_world)
		return cli_fail(m->cmd, CLI_USAGE, "random numbers and a date from a seed (--seed), or this computer's (--host-world), not both");
	if (m->program.host_world && m->program.machine_time)
		return cli_fail(m->cmd, CLI_USAGE, "the machine's clocks (--machine-time) or this computer's (--host-world), not both");
	if (m->co_runs && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--co-run: beside which program? write it after --");
	if (m->all_cores && m->cores)
		return cli_fail(m->cmd, CLI_USAGE, "all cores (-a) or those of a list (-C), not both");
	if ((m->all_cores || m->cores) && m->record)
		return cli_fail(m->cmd, CLI_USAGE, "-a, -C: a trace has all cores; replay it with -C");
	if (m->region && (!m->program.argv || m->record))
		return cli_fail(m->cmd, CLI_USAGE, "--region: of which program? write it after --, for `stat`");
	if (m->delay_ns && m->record)
		return cli_fail(m->cmd, CLI_USAGE, "--delay: a trace has all from the start; replay it with --delay");
	if (m->runs && (m->record || m->interval_ns))
		return cli_fail(m->cmd, CLI_USAGE, "-r: the mean of several runs is one of whole runs, without %s",
				m->record ? "a trace" : "intervals (-I)");
	if (!m->on_local && (m->local.via || m->local.force))
		return cli_fail(m->cmd, CLI_USAGE, "%s: of which computer? --on local is this one", m->local.via ? "--via" : "--force");
	if (m->on_local && (m->co_runs || m->region || m->memory || m->program.host_world || m->program.machine_time ||
			    m->program.quantum || m->program.seeded || m->program.qemu || m->program.plugin || m->program.instructions || m->program.ns || m->out.truth))
		return cli_fail(m->cmd, CLI_USAGE, "--on local: this computer is not simulated, so --co-run, --region, --mem, --limit, --truth, "
				"--qemu, --plugin, --quantum, --seed, --host-world and --machine-time have no meaning");
	if (m->delay_ns && m->timeout_ns && m->timeout_ns <= m->delay_ns)
		return cli_fail(m->cmd, CLI_USAGE, "--timeout: both times are from the start, and this one ends before --delay");
	return 0;
}

static int one_run(struct measure *m, const char *spec)
{
	char why[512], where[WHERE];
	bxs_machine *machine = NULL;
	bxs_session *s = NULL;
	int code, err = m->on_local ? bxs_machine_local(&m->local, &machine, why, sizeof why) :
				      bxs_machine_new(spec, 0, &machine, why, sizeof why);

	m->stop = true;
	if (err == BXS_EINVAL && m->on_local)
		return cli_fail(m->cmd, CLI_USAGE, "--via: %s", why);
	if (err < 0)
		return cli_fail(m->cmd, cli_exit_of(err), "%s%s%s%s", place(m, m->machine, where, sizeof where),
				m->trace_spec ? m->trace : "", m->trace_spec ? ": the machine of this trace: " : "",
				*why ? why : bxs_strerror(err));
	if (m->on_local)
		spec = bxs_local_about(machine);
	cli_tell_put_back(m->cmd, machine);
	err = bxs_session_new(machine, &s);
	code = err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s", bxs_strerror(err)) : run_session(m, machine, s, spec);
	bxs_session_free(s);
	bxs_machine_free(machine);
	return code;
}

/* What several runs have read.  0 or an exit code. */
static int print_repeated(struct measure *m, const char *spec)
{
	char heading[700];

	if (!m->repeat.runs)
		return 0;
	output_repeated(&m->out, &m->repeat);
	snprintf(heading, sizeof heading, "\n%20.6f  ms of machine time on %s, mean of %u run%s\n", m->repeat.time_ns / 1e6, spec,
		 m->repeat.runs, m->repeat.runs == 1 ? "" : "s");
	output_heading(&m->out, heading);
	tell_vague(m);
	return m->out.broken ? measure_broken(m) : 0;
}

int measure_run(struct measure *m)
{
	char spec[512];
	int code = m->on_local ? local_family(m) : full_spec(m, spec, sizeof spec), last;

	if (code == 0)
		code = check_options(m);
	if (code == 0)
		code = open_output(m);
	if (code == 0)
		code = measure_page_begin(m);
	if (code != 0)
		return code;
	m->out.repeated = m->runs != 0;
	do {
		last = one_run(m, spec);
		code = code == CLI_OK ? last : code;
	} while (!m->stop && ++m->run < m->runs);
	last = print_repeated(m, spec);
	code = last ? last : code;
	last = measure_page(m);
	code = last ? last : code;
	repeat_free(&m->repeat);
	if (m->out.path && fclose(m->out.file) != 0 && code == CLI_OK)
		code = cli_fail(m->cmd, CLI_DATA, "%s cannot be written: %s", m->out.path, strerror(errno));
	return code;
}
