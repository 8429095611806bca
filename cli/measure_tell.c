/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said when a measurement is over, and the exit status. */
#include "measure.h"

#include <sys/wait.h>

static int exit_code(const struct measure *m, const bxs_session *s)
{
	int status = bxs_session_status(s);

	if (m->program.argv && m->timed_out)
		return CLI_TIMEOUT;
	if (!m->program.argv)
		return measure_interrupted() ? 128 + measure_interrupted() : CLI_OK;
	if (status < 0)
		return CLI_BUG;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void measure_tell(const struct measure *m, const bxs_session *s)
{
	unsigned lost = bxs_session_lost_threads(s), untraced = bxs_session_untraced(s);
	unsigned notes = bxs_session_notes(s), killed = bxs_session_killed(s);

	if (*bxs_session_ending(s))
		measure_note(m, "the program did not end by itself: %s", bxs_session_ending(s));
	if (*bxs_session_note(s))
		measure_note(m, "warning: %s", bxs_session_note(s));
	if (lost)
		measure_note(m, "warning: %u thread%s found no place among those traced; what %s did is not in "
				    "the readings", lost, lost == 1 ? "" : "s", lost == 1 ? "it" : "they");
	if (killed)
		measure_note(m, "warning: %u thread%s at work when a signal ended %s process; what %s did last, in some "
				    "microseconds at most, is not in the readings", killed, killed == 1 ? " was" : "s were",
			 killed == 1 ? "its" : "their", killed == 1 ? "it" : "they");
	if (notes & BXS_NOTE_FILTER)
		measure_note(m, "warning: a filter of system calls (seccomp) was asked for and refused: it would hold for the "
				    "emulator's own calls, too");
	if (notes & BXS_NOTE_OUTSIDE)
		measure_note(m, "note: the program waited for what comes from outside (a terminal, a pipe or socket of another "
				    "program): that comes in this computer's time, so readings may differ from run to run");
	if (notes & BXS_NOTE_CHANCE)
		measure_note(m, "note: the program took random numbers from the kernel or the processor, so readings may differ from run to "
				    "run; with --seed they follow from a number");
	if (notes & BXS_NOTE_HOST_CLOCK)
		measure_note(m, "warning: some timers, or all clocks of a program that ran under QEMU, were this computer's instead of "
				    "the machine's");
	if (notes & BXS_NOTE_DEBUGGER)
		measure_note(m, "warning: one of the programs debugged another (ptrace): it saw the emulator at work, not the "
				    "program; gdb's breakpoints are not met, and strace tells of the emulator's calls");
	if (untraced)
		measure_note(m, "warning: %u program%s started by the one measured could not be traced (set-user-ID, not for "
				    "x86-64, or not to be read); what %s did is not in the readings", untraced,
			 untraced == 1 ? "" : "s", untraced == 1 ? "it" : "they");
}

/* Where our own exit status stands in the place of the program's, that is told. */
static void tell_status(const struct measure *m, const bxs_session *s)
{
	int status = bxs_session_status(s);

	if (!m->program.argv || !m->ended)
		return;
	if (WIFSIGNALED(status))
		measure_note(m, "note: signal %d ended the program itself", WTERMSIG(status));
	else
		measure_note(m, "note: the program itself ended with status %d", WEXITSTATUS(status));
}

int measure_broken(const struct measure *m)
{
	return cli_fail(m->cmd, CLI_DATA, "%s cannot be written to the end%s", m->out.path ? m->out.path : "the output",
			m->out.file == stderr ? "" : "; the readings stand above");
}

int measure_end(const struct measure *m, bxs_machine *machine, const bxs_session *s, int err)
{
	int code;

	if (!m->out.broken && err >= 0)
		return exit_code(m, s);
	if (m->out.broken)
		code = measure_broken(m);
	else
		code = cli_fail(m->cmd, cli_exit_of(err), "%s", *bxs_why(machine) ? bxs_why(machine) : bxs_strerror(err));
	tell_status(m, s);
	return code;
}
