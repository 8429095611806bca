// SPDX-License-Identifier: BSD-2-Clause
/* The public side of unmodified tools: a machine's files, mounted or laid under a command. */
#include "api/machine.h"
#include "virtual/serve.h"

static struct serve_config config_of(const struct bxs_tools *t)
{
	return (struct serve_config){
		.live = {
			.load = t->load, .qemu = t->qemu, .plugin = t->plugin, .once = t->once,
			.ratio = t->ratio, .load_output = t->load_output, .say = t->say,
			.say_ctx = t->say_ctx,
		},
		.allow_other = t->allow_other, .native = t->native, .cpu_library = t->cpu_library,
	};
}

static int answer(bxs_machine *m, int err, const char *why)
{
	return err < 0 ? api_fail(m, err, "%s", *why ? why : bxs_strerror(err)) : 0;
}

int bxs_mount(bxs_machine *m, const struct bxs_tools *tools, const char *dir, void (*ready)(void *ctx),
	      void *ctx)
{
	struct serve_config config = config_of(tools);
	char why[400] = "";

	return answer(m, serve_mount(m->machine, &config, dir, ready, ctx, why, sizeof why), why);
}

int bxs_with(bxs_machine *m, const struct bxs_tools *tools, char *const *argv, int *status)
{
	struct serve_config config = config_of(tools);
	char why[400] = "";

	return answer(m, serve_with(m->machine, &config, argv, status, why, sizeof why), why);
}
