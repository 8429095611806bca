/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The measuring loop.  Readings go to standard error while a program runs,
 * because standard output is the program's; otherwise to standard output.
 */
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Machine time between looks at the clock and at signals. */
#define STEP_NS UINT64_C(1000000)

enum { WHERE = 600 };	/* room for a file's name and a line */

static volatile sig_atomic_t interrupted;
static bxs_machine *measured;		/* set before the handler is */

static void on_signal(int number)
{
	interrupted = number;
	bxs_interrupt(measured);
}

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
	if (err == 0 && *bxs_session_left_out(s))
		cli_fail(m->cmd, 0, "note: %s", bxs_session_left_out(s));
	return err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s%s", place(m, text, where, sizeof where),
				  bxs_why(machine)) : 0;
}

struct progress {
	bool shown, on;
	struct timespec began;
	double last;
};

static double seconds_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

/* A line on the terminal, a few times a second: simulated time, and how fast it passes. */
static void show_progress(struct progress *p, const bxs_session *s)
{
	double wall, simulated = (double)bxs_session_ns(s) / 1e6;

	if (!p->on)
		return;
	wall = seconds_since(&p->began);
	if (wall - p->last < 0.25)
		return;
	p->last = wall;
	p->shown = true;
	fprintf(stderr, "\r%.3f ms simulated, %.3f ms a second\033[K", simulated, simulated / wall);
	fflush(stderr);
}

/* The same before there is any to tell of: kernels with gigabytes to lay out take seconds before they begin. */
static void show_preparing(struct progress *p)
{
	if (p->on)
		fputs("\rpreparing\033[K", stderr);
	p->shown = p->on;
	fflush(stderr);
}

static void clear_progress(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

static int open_kernel(const struct measure *m, bxs_session *s)
{
	struct progress p = { .on = isatty(STDERR_FILENO) };
	int err;

	show_preparing(&p);
	err = bxs_session_kernel(s, m->kernel);
	clear_progress(&p);
	return err;
}

static int choose_feed(struct measure *m, bxs_machine *machine, bxs_session *s, const char *spec)
{
	int err = 0, code = 0;

	if (m->scenario)
		err = bxs_session_scenario(s, m->scenario);
	else if (m->kernel)
		err = open_kernel(m, s);
	else if (m->trace)
		err = bxs_session_trace(s, m->trace);
	else
		code = co_run_start(m, machine, s);
	if (err == 0 && code == 0 && m->record)
		err = bxs_session_record(s, m->record, spec);
	return err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s", bxs_why(machine)) : code;
}

static int print_interval(struct measure *m, bxs_session *s, struct progress *p)
{
	clear_progress(p);
	return m->quiet ? 0 : output_interval(&m->out, s, bxs_session_ns(s));
}

/* 0, an error of the library, or BXS_EIO when readings went to standard error instead. */
static int measure_loop(struct measure *m, bxs_session *s)
{
	uint64_t at = 0, next = m->interval_ns ? m->interval_ns : UINT64_MAX;
	/* A program that writes to the terminal itself would write into the line. */
	struct progress p = { .on = isatty(STDERR_FILENO) && !(m->program.argv && isatty(STDOUT_FILENO)) };
	int more = 1, err = 0, written = 0;

	show_preparing(&p);
	clock_gettime(CLOCK_MONOTONIC, &p.began);
	while (more > 0 && !interrupted) {
		at = next - at > STEP_NS ? at + STEP_NS : next;
		more = bxs_session_run(s, at);
		m->ended = more == 0;
		show_progress(&p, s);
		if (more > 0 && at == next) {
			err = bxs_session_read(s);
			if (err < 0)
				break;
			next += m->interval_ns;
			/* Shorter than the machine's own step: nothing has passed yet. */
			if (!bxs_session_interval_ns(s))
				continue;
			err = print_interval(m, s, &p);
			written = written ? written : err;
			bxs_session_next(s);
		}
	}
	clear_progress(&p);
	/* Whatever went wrong, what was counted is printed. */
	err = bxs_session_stop(s);
	if (err == 0 && (bxs_session_interval_ns(s) || !m->interval_ns))
		err = print_interval(m, s, &p);
	if (more < 0)
		return more;
	return written ? written : err;
}

static int exit_code(const struct measure *m, const bxs_session *s)
{
	int status = bxs_session_status(s);

	if (!m->program.argv)
		return interrupted ? 128 + interrupted : CLI_OK;
	if (status < 0)
		return CLI_BUG;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell_lost(const struct measure *m, const bxs_session *s)
{
	unsigned lost = bxs_session_lost_threads(s), untraced = bxs_session_untraced(s);
	unsigned notes = bxs_session_notes(s);

	if (*bxs_session_ending(s))
		cli_fail(m->cmd, 0, "the program did not end by itself: %s", bxs_session_ending(s));
	if (*bxs_session_note(s))
		cli_fail(m->cmd, 0, "warning: %s", bxs_session_note(s));
	if (lost)
		cli_fail(m->cmd, 0, "warning: %u thread%s found no place among those traced; what %s did is not in "
				    "the readings", lost, lost == 1 ? "" : "s", lost == 1 ? "it" : "they");
	if (notes & BXS_NOTE_FILTER)
		cli_fail(m->cmd, 0, "warning: a filter of system calls (seccomp) was asked for and refused: it would hold for the "
				    "emulator's own calls, too");
	if (notes & BXS_NOTE_OUTSIDE)
		cli_fail(m->cmd, 0, "note: the program waited for what comes from outside (a terminal, a pipe or socket of another "
				    "program): that comes in this computer's time, so readings may differ from run to run");
	if (notes & BXS_NOTE_HOST_CLOCK)
		cli_fail(m->cmd, 0, "warning: a program ran under QEMU, or has more timers than can be followed, or one of a single thread's work: these "
				    "went by this computer's clocks");
	if (notes & BXS_NOTE_DEBUGGER)
		cli_fail(m->cmd, 0, "warning: one of the programs debugged another (ptrace): it saw the emulator at work, not the "
				    "program; gdb's breakpoints are not met, and strace tells of the emulator's calls");
	if (untraced)
		cli_fail(m->cmd, 0, "warning: %u program%s started by the one measured could not be traced (set-user-ID, not for "
				    "x86-64, or not to be read); what %s did is not in the readings", untraced,
			 untraced == 1 ? "" : "s", untraced == 1 ? "it" : "they");
}

/* The program has run, but not one reading has a value. */
static int fail_unmeasurable(const struct measure *m, const char *spec)
{
	return cli_fail(m->cmd, CLI_UNAVAILABLE, "nothing of what was asked for can be measured on %s: it is not "
		       "modelled, or there is no such box", spec);
}

/* Where our own exit status stands in the place of the program's, that is told. */
static void tell_status(const struct measure *m, const bxs_session *s)
{
	int status = bxs_session_status(s);

	if (!m->program.argv || !m->ended)
		return;
	if (WIFSIGNALED(status))
		cli_fail(m->cmd, 0, "note: signal %d ended the program itself", WTERMSIG(status));
	else
		cli_fail(m->cmd, 0, "note: the program itself ended with status %d", WEXITSTATUS(status));
}

static int finish(struct measure *m, bxs_machine *machine, bxs_session *s, int err)
{
	int code;

	if (!m->out.broken && err >= 0)
		return exit_code(m, s);
	if (m->out.broken)
		code = cli_fail(m->cmd, CLI_DATA, "%s cannot be written to the end%s", m->out.path ? m->out.path : "the output",
				m->out.file == stderr ? "" : "; the readings stand above");
	else
		code = cli_fail(m->cmd, cli_exit_of(err), "%s", *bxs_why(machine) ? bxs_why(machine) : bxs_strerror(err));
	tell_status(m, s);
	return code;
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

static int run_session(struct measure *m, bxs_machine *machine, bxs_session *s, const char *spec)
{
	struct sigaction action = { .sa_handler = on_signal };
	char heading[600];
	int code, err;

	bxs_session_turns(s, m->multiplex, m->turn_ns);
	bxs_session_truth(s, m->out.truth);
	code = attach_all(m, machine);
	/* An event file may raise what the machine's hardware does not, so it comes before what is asked for. */
	if (code == 0 && m->trace)
		code = choose_feed(m, machine, s, spec);
	if (code == 0)
		code = ask_session(m, machine, s);
	if (code == 0 && !m->trace)
		code = choose_feed(m, machine, s, spec);
	if (code == 0)
		code = begin_output(m);
	if (code != 0)
		return code;
	err = bxs_session_start(s);
	if (err < 0)
		return cli_fail(m->cmd, cli_exit_of(err), "%s%s", bxs_why(machine),
				err == BXS_ETURNS ? " (--multiplex)" : "");
	if (!m->program.argv) {
		measured = machine;
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
	}
	err = measure_loop(m, s);
	if (!m->out.intervals && !m->quiet && m->out.format == OUTPUT_TABLE) {
		snprintf(heading, sizeof heading, "\n%20.6f  ms of machine time on %s\n",
			 (double)bxs_session_ns(s) / 1e6, spec);
		output_heading(&m->out, heading);
	}
	if (m->out.vague)
		cli_fail(m->cmd, 0, "note: %u reading%s scaled from too short a time to mean anything: run longer, ask for less at "
				    "once, or give each turn less (--turn)", m->out.vague, m->out.vague == 1 ? " is" : "s are");
	tell_lost(m, s);
	co_run_tell(m, s);
	code = finish(m, machine, s, err);
	if (!bxs_session_measurable(s) && code == CLI_OK)
		return fail_unmeasurable(m, spec);
	return code;
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

int measure_run(struct measure *m)
{
	char spec[512], why[512], where[WHERE];
	bxs_machine *machine = NULL;
	bxs_session *s = NULL;
	int code = full_spec(m, spec, sizeof spec), err;

	if (m->program.machine_time && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--machine-time: whose clocks? write the program after --");
	if (m->co_runs && !m->program.argv)
		return cli_fail(m->cmd, CLI_USAGE, "--co-run: beside which program? write it after --");
	if (code != 0)
		return code;
	code = open_output(m);
	if (code != 0)
		return code;
	err = bxs_machine_new(spec, 0, &machine, why, sizeof why);
	if (err < 0)
		code = cli_fail(m->cmd, cli_exit_of(err), "%s%s%s%s", place(m, m->machine, where, sizeof where),
				m->trace_spec ? m->trace : "", m->trace_spec ? ": the machine of this trace: " : "",
				*why ? why : bxs_strerror(err));
	if (err == 0) {
		err = bxs_session_new(machine, &s);
		code = err < 0 ? cli_fail(m->cmd, cli_exit_of(err), "%s", bxs_strerror(err))
			       : run_session(m, machine, s, spec);
	}
	bxs_session_free(s);
	bxs_machine_free(machine);
	if (m->out.path && fclose(m->out.file) != 0 && code == CLI_OK)
		code = cli_fail(m->cmd, CLI_DATA, "%s cannot be written: %s", m->out.path, strerror(errno));
	return code;
}
