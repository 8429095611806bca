/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing the lines of a console.  Its first line, "# FAMILY", says on which machine. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "fuzz.h"

/* These verbs take names of files: they could write any, or read one that never ends.  event_file.c has what files hold. */
static bool names_files(const uint8_t *data, size_t size)
{
	return memmem(data, size, "play", 4) || memmem(data, size, "record", 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cli_command command = { .name = "shell" };
	static const char *const families[] = { "hsx", "snbep", "nhmex", "poulson" };
	char shell[] = "shell", option[] = "-M", spec[40];
	char *argv[] = { shell, option, spec, NULL };
	const char *family = families[0];
	int status;

	if (names_files(data, size))
		return 0;
	for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
		if (size > 2 + strlen(families[i]) && memcmp(data + 2, families[i], strlen(families[i])) == 0)
			family = families[i];
	snprintf(spec, sizeof spec, "%s,sockets=1,cores=2", family);
	fuzz_expect(freopen(fuzz_file(data, size), "r", stdin) != NULL, "there is an input");
	status = cmd_shell(&command, 3, argv);
	fuzz_expect(status == CLI_OK || status == 2, "the shell ends with 0, or with 2 after a bad line");
	return 0;
}
