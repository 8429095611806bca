/* SPDX-License-Identifier: BSD-2-Clause */
/* What stat, record and replay share: options, and the loop that measures. */
#ifndef BXS_CLI_MEASURE_H
#define BXS_CLI_MEASURE_H

#include "cli.h"
#include "output.h"

enum { MEASURE_ASKED = 64 };

struct measure {
	const struct cli_command *cmd;
	const char *machine;		/* specification as given; NULL: hsx */
	const char *kernel, *trace, *record;
	const char *memory;		/* firsttouch, interleave, bind=N */
	bool multiplex, quiet;
	uint64_t interval_ns, turn_ns;
	/* Events and metrics in the order in which they were asked for. */
	struct {
		bool metric;
		char *text;
	} asked[MEASURE_ASKED];
	unsigned asks;
	struct bxs_program program;
	struct output out;
};

/*
 * Read the options of a command.  letters: those it takes, as for getopt().  Returns the index
 * of the first argument that is no option, or -1 when the message has been printed.
 */
int measure_options(struct measure *m, const char *letters, int argc, char **argv);

/* Build, run, print.  The exit code. */
int measure_run(struct measure *m);

#endif
