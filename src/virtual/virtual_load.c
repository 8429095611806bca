/* SPDX-License-Identifier: BSD-2-Clause */
/* What keeps a living machine busy: opening it, and what comes after its end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "base/complain.h"
#include "base/error.h"
#include "feed/run.h"
#include "feed/scenario.h"
#include "machine/devices.h"
#include "machine/faults.h"
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
	if (scenario_name_length(load))
		return VIRTUAL_SCENARIO;
	return len > 4 && strcmp(load + len - 4, ".bxt") == 0 ? VIRTUAL_TRACE : VIRTUAL_PROGRAM;
}

/* A file of this name; without one and without a slash what stands before the suffix names a shipped scenario. */
static int find_scenario(const char *load, struct scenario **out, char *why, size_t size)
{
	size_t len = scenario_name_length(load);
	char name[SCENARIO_NAME];

	if (strchr(load, '/') || access(load, F_OK) == 0 || len >= sizeof name)
		return scenario_read(load, out, why, size);
	memcpy(name, load, len);
	name[len] = '\0';
	return scenario_find(name, out, why, size);
}

int virtual_load_machine(const char *load, char *spec, size_t spec_size, char *why, size_t size)
{
	struct scenario *s;
	int err;

	spec[0] = '\0';
	if (kind_of(load) != VIRTUAL_SCENARIO)
		return 0;
	err = find_scenario(load, &s, why, size);
	if (err < 0)
		return err;
	if (s->machine.text)
		snprintf(spec, spec_size, "%s", s->machine.text);
	scenario_free(s);
	return 0;
}

/* Its devices and faults are there from the beginning, its kernels are played again and again. */
static int open_scenario(struct virtual *v, char *why, size_t size)
{
	int err = 0;

	if (!v->scenario) {
		err = find_scenario(v->load_text, &v->scenario, why, size);
		for (unsigned i = 0; err == 0 && i < v->scenario->lists[SCENARIO_DMA]; i++)
			err = machine_dma(v->machine, v->scenario->list[SCENARIO_DMA][i].text, why, size);
		for (unsigned i = 0; err == 0 && i < v->scenario->lists[SCENARIO_FAULT]; i++)
			err = machine_fault(v->machine, v->scenario->list[SCENARIO_FAULT][i].text, why, size);
	}
	return err < 0 ? err : scenario_open(v->machine, v->scenario, &v->load, why, size);
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
	case VIRTUAL_SCENARIO:
		return open_scenario(v, why, size);
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

	if (reason && v->kind == VIRTUAL_TRACE)
		say(v, "%s; the machine is idle from now on", reason);
	else if (err < 0)
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
	pthread_mutex_lock(&v->lock);
	feed_close(v->load);
	v->load = NULL;
	if (err < 0 || status != 0 || idle || v->config.once)
		err = 0;
	else
		err = virtual_open_load(v, why, sizeof why);
	pthread_mutex_unlock(&v->lock);
	if (err < 0)
		say(v, "%s: cannot be started again: %s; the machine is idle from now on", v->load_text,
		    *why ? why : bxs_strerror(err));
}
