// SPDX-License-Identifier: BSD-2-Clause
/* What keeps a living machine busy: opening it, and what comes after its end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "base/complain.h"
#include "base/error.h"
#include "feed/run.h"
#include "machine/machine.h"
#include "virtual/virtual_private.h"

#define LEAST_LOAD UINT64_C(1000000)		/* picoseconds; what is shorter is not started over and over */

__attribute__((format(printf, 2, 3)))
static void say(struct virtual *v, const char *format, ...)
{
	char line[400];
	va_list args;

	if (!v->config.say)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	v->config.say(v->config.say_ctx, line);
}

/* Is the load's first word, up to a colon, the name of a kernel? */
static bool is_kernel(const char *load)
{
	size_t len = strcspn(load, ":");

	for (unsigned n = 0; kernel_name(n); n++)
		if (strlen(kernel_name(n)) == len && memcmp(kernel_name(n), load, len) == 0)
			return true;
	return false;
}

static enum virtual_load kind_of(const char *load)
{
	size_t len = load ? strlen(load) : 0;

	if (!load || strcmp(load, "idle") == 0)
		return VIRTUAL_IDLE;
	if (is_kernel(load))
		return VIRTUAL_KERNEL;
	return len > 4 && strcmp(load + len - 4, ".bxt") == 0 ? VIRTUAL_TRACE : VIRTUAL_PROGRAM;
}

static int open_program(struct virtual *v, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	struct run_config config = { .qemu = v->config.qemu, .plugin = v->config.plugin,
				     .background = true, .output = v->config.load_output };
	wordexp_t words;
	int err;

	if (wordexp(v->load_text, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
		return complain(&c, BXS_EINVAL, "%s: cannot be taken apart into words as a shell would",
				v->load_text);
	config.argv = words.we_wordv;
	err = words.we_wordc ? run_open(v->machine, &config, &v->load, why, size)
			     : complain(&c, BXS_EINVAL, "the load is empty; idle is called idle");
	wordfree(&words);
	return err;
}

int virtual_open_load(struct virtual *v, char *why, size_t size)
{
	v->kind = kind_of(v->load_text);
	v->load_began = machine_horizon(v->machine);
	switch (v->kind) {
	case VIRTUAL_IDLE:
		return 0;
	case VIRTUAL_KERNEL:
		return kernel_open(v->machine, v->load_text, &v->load, why, size);
	case VIRTUAL_TRACE:
		return trace_open(v->machine, v->load_text, &v->load, why, size);
	default:
		return open_program(v, why, size);
	}
}

void virtual_load_ended(struct virtual *v, int err)
{
	int status = v->kind == VIRTUAL_PROGRAM && err == 0 ? run_status(v->load) : 0;
	bool idle = machine_horizon(v->machine) < v->load_began + LEAST_LOAD && !v->config.once;
	const char *reason = err < 0 ? feed_why(v->load) : NULL;
	char why[300] = "";

	if (err < 0)
		say(v, "%s: %s; the machine is idle from now on", v->load_text,
		    reason ? reason : bxs_strerror(err));
	else if (WIFSIGNALED(status))
		say(v, "%s: ended by signal %d; the machine is idle from now on", v->load_text,
		    WTERMSIG(status));
	else if (idle)
		say(v, "%s: does nothing; the machine is idle from now on", v->load_text);
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		say(v, "%s: ended with exit status %d; the machine is idle from now on", v->load_text,
		    WEXITSTATUS(status));
	virtual_enter(v);
	feed_close(v->load);
	v->load = NULL;
	if (err < 0 || status != 0 || idle || v->config.once)
		err = 0;
	else
		err = virtual_open_load(v, why, sizeof why);
	virtual_leave(v);
	if (err < 0)
		say(v, "%s: cannot be started again: %s; the machine is idle from now on", v->load_text,
		    *why ? why : bxs_strerror(err));
}
