/* SPDX-License-Identifier: BSD-2-Clause */
/* What stat, record and replay share: options, and the loop that measures. */
#ifndef BXS_CLI_MEASURE_H
#define BXS_CLI_MEASURE_H

#include "cli.h"
#include "output.h"

enum { MEASURE_ASKED = 64, MEASURE_ATTACHED = 16, MEASURE_CO_RUNS = 15 };

struct measure {
	const struct cli_command *cmd;
	const char *machine;		/* specification as given; NULL: the default family */
	bool on_local;			/* this computer is measured, and `machine` is the family that it has to be */
	struct bxs_local local;
	const char *kernel, *trace, *record;
	const bxs_scenario *scenario;
	bool trace_spec;	/* the machine is the one that the trace names */
	const char *memory;		/* firsttouch, interleave, bind=N */
	bool multiplex, quiet, help;
	bool ended;		/* what drives the machine has come to its end */
	uint64_t interval_ns, turn_ns;
	uint64_t delay_ns, timeout_ns;	/* of machine time from the start: what is left out, and when all ends; 0: neither */
	const char *cores;	/* those that are measured; NULL: all */
	bool all_cores;		/* that was asked for */
	const char *region;	/* counted is what is within; NULL: all */
	bool waits;		/* the time that is left out is not over */
	bool timed_out, stop;
	unsigned runs;		/* that are to be made; 0: one, and its readings are no means */
	unsigned run;		/* the one under way, from 0 */
	struct repeat repeat;	/* of several runs: what those so far have read */
	/* Events and metrics in the order in which they were asked for. */
	struct {
		bool metric;
		const char *text;
	} asked[MEASURE_ASKED];
	unsigned asks;
	/* What is attached to the machine: devices and faults, as given. */
	struct {
		bool fault;
		const char *text;
	} attached[MEASURE_ATTACHED];
	unsigned attachments;
	struct bxs_program program;
	/* Programs that run beside it, with their arguments, as given. */
	const char *co_run[MEASURE_CO_RUNS];
	unsigned co_runs;
	struct output out;
	const char *html;	/* the page of all readings; NULL: none */
	struct run page;	/* what will be on it */
	json_t *notes;		/* sentences beside the readings, which go into lines and page behind them */
};

/*
 * Read the options of a command.  letters: those it takes, as for getopt().  Returns the index
 * of the first argument that is no option, or -1 when a message or the help has been printed;
 * then measure_refused() is the exit code.
 */
int measure_options(struct measure *m, const char *letters, int argc, char **argv);

static inline int measure_refused(const struct measure *m)
{
	return m->help ? CLI_OK : CLI_USAGE;
}

/* One more -e or -m; one more --dma or --fault.  0 or an exit code. */
int measure_ask(struct measure *m, bool metric, const char *text);
int measure_attach(struct measure *m, bool fault, const char *text);

/* One more --co-run; start the program and those; say which of those have failed.  0 or an exit code. */
int co_run_add(struct measure *m, const char *command);
int co_run_start(struct measure *m, bxs_machine *machine, bxs_session *s);
void co_run_tell(const struct measure *m, const bxs_session *s);

/* What is not a program obeys SIGINT and SIGTERM from now on; and which of them has come, 0: none. */
void measure_obey_signals(bxs_machine *machine);
int measure_interrupted(void);
/* Open the kernel, which may take seconds.  0 or an error of the library. */
int measure_prepare(const struct measure *m, bxs_session *s);
/* Has nothing been counted, since neither a moment nor a region that counting waits for has come? */
bool measure_is_empty(const struct measure *m, const bxs_session *s);
/* Run to the end and print.  0, an error of the library, or BXS_EIO when readings went to standard error instead. */
int measure_loop(struct measure *m, bxs_session *s);

/* Say what of the programs is in no reading, and why. */
void measure_tell(const struct measure *m, const bxs_session *s);
/* With the truth: what the programs' accesses did, where it is not what was counted, too. */
void witness_tell(struct measure *m, const bxs_session *s);
/* The exit code after measure_loop() has returned err, with a message where it is our own. */
int measure_end(const struct measure *m, bxs_machine *machine, const bxs_session *s, int err);

/* The message that readings went to standard error in the place of a file; returns its exit code. */
int measure_broken(const struct measure *m);

/* With --head or --html: the line about machine and command, ahead of the readings.  0 or an exit code. */
int measure_head(struct measure *m, bxs_machine *machine, const char *spec);
/* A note or a warning: for people, and for what --head and --html write. */
void measure_note(const struct measure *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Before anything runs: can what --html asks for be written?  0 or an exit code. */
int measure_page_begin(struct measure *m);
/* All has been measured: write the notes and the page.  0 or an exit code. */
int measure_page(struct measure *m);

/* A length of time such as 10us, 1.5ms, 2s, in nanoseconds; 0: it is none. */
uint64_t measure_time(const char *text);

/* Build, run, print.  The exit code. */
int measure_run(struct measure *m);

#endif
