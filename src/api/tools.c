/* SPDX-License-Identifier: BSD-2-Clause */
/* The public side of unmodified tools: a machine's files, mounted or laid under a command. */
#include <stdio.h>
#include <sys/mman.h>

#include "api/machine.h"
#include "virtual/fault.h"
#include "virtual/log_replay.h"
#include "virtual/serve.h"

static struct serve_config config_of(const struct bxs_tools *t)
{
	return (struct serve_config){
		.live = {
			.load = t->load, .qemu = t->qemu, .plugin = t->plugin, .once = t->once,
			.ratio = t->ratio, .load_output = t->load_output, .say = t->say,
			.say_ctx = t->say_ctx,
		},
		.log = t->log, .spec = t->spec, .faults = t->faults, .check = t->check,
		.allow_other = t->allow_other, .machine_time = t->machine_time, .world_date = t->world_date, .likwid = t->likwid, .native = t->native,
		.cpu_library = t->cpu_library,
	};
}

static int answer(bxs_machine *m, int err, const char *why)
{
	return err < 0 ? api_fail(m, err, "%s", *why ? why : bxs_strerror(err)) : 0;
}

/* A number that processes of ours share; NULL: there is no memory for it. */
static uint64_t *share_number(void)
{
	uint64_t *n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return n == MAP_FAILED ? NULL : n;
}

static void take_findings(const struct bxs_tools *tools, uint64_t *shared)
{
	if (tools->findings)
		*tools->findings = *shared;
	munmap(shared, sizeof *shared);
}

int bxs_mount(bxs_machine *m, const struct bxs_tools *tools, const char *dir, void (*ready)(void *ctx),
	      void *ctx)
{
	struct serve_config config = config_of(tools);
	char why[400] = "";
	int err = api_simulated(m);

	if (err < 0)
		return err;
	config.findings = tools->findings;
	return answer(m, serve_mount(m->machine, &config, dir, ready, ctx, why, sizeof why), why);
}

int bxs_with(bxs_machine *m, const struct bxs_tools *tools, char *const *argv, int *status)
{
	struct serve_config config = config_of(tools);
	char why[400] = "";
	int err = api_simulated(m);

	if (err < 0)
		return err;
	config.findings = share_number();
	if (!config.findings)
		return answer(m, BXS_ENOMEM, why);
	err = serve_with(m->machine, &config, argv, status, why, sizeof why);
	take_findings(tools, config.findings);
	return answer(m, err, why);
}

int bxs_load_machine(const char *load, char *spec, size_t spec_size, char *why, size_t size)
{
	return virtual_load_machine(load, spec, spec_size, why, size);
}

int bxs_log_machine(const char *path, struct bxs_logged *out, char *why, size_t why_size)
{
	struct log_header h;
	int err = log_header(path, &h, why, why_size);

	if (err < 0)
		return err;
	snprintf(out->spec, sizeof out->spec, "%s", h.spec);
	snprintf(out->load, sizeof out->load, "%s", h.load);
	snprintf(out->faults, sizeof out->faults, "%s", h.faults);
	return 0;
}

static void ignore(void *ctx, uint64_t number, const char *line, const char *got)
{
	(void)ctx, (void)number, (void)line, (void)got;
}

int bxs_replay_log(bxs_machine *m, const struct bxs_tools *tools, const char *path, struct bxs_replayed *out,
		   void (*differ)(void *ctx, uint64_t number, const char *line, const char *got), void *ctx)
{
	struct serve_config config = config_of(tools);
	struct faults *faults = NULL;
	struct virtual *v = NULL;
	struct log_result result;
	char why[400] = "";
	int err = api_simulated(m);

	if (err < 0)
		return err;
	err = virtual_new(m->machine, &config.live, &v, why, sizeof why);

	if (err == 0 && config.faults)
		err = faults_open(v, config.faults, &faults, why, sizeof why);
	if (err == 0)
		err = log_replay(v, path, &result, differ ? differ : ignore, ctx, why, sizeof why);
	virtual_free(v);
	faults_close(faults);
	if (err < 0)
		return answer(m, err, why);
	*out = (struct bxs_replayed){ .accesses = result.accesses, .reads = result.reads, .differ = result.differ };
	return 0;
}

int bxs_each_erratum(int (*fn)(void *ctx, const char *name, const char *family, const char *text), void *ctx)
{
	const char *name, *family, *text;
	int ret = 0;

	for (unsigned n = 0; ret == 0 && (name = fault_erratum(n, &family, &text)) != NULL; n++)
		ret = fn(ctx, name, family, text);
	return ret;
}
