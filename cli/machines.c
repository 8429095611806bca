/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore machines: families, parts, and what each is made of. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

static int show_box_type(void *ctx, const struct bxs_box_type *t)
{
	(void)ctx;
	printf("  %-8s x%-3u %-6s %u counters, %3u events  %s\n", t->name, t->boxes, t->clock,
	       t->counters, t->events, t->text);
	return 0;
}

/* Three or four parameters a line, under the part's name. */
static int show_part(void *ctx, const struct bxs_part *p)
{
	(void)ctx;
	printf("  %s:%s%s\n", p->family, p->name, p->is_default ? "  (default)" : "");
	for (unsigned i = 0; i < p->params; i++)
		printf("%s%s=%" PRIu64 "%s", i % 6 == 0 ? "    " : " ", p->keys[i], p->values[i],
		       i % 6 == 5 || i + 1 == p->params ? "\n" : "");
	return 0;
}

static int show_family(void *ctx, const struct bxs_family *f)
{
	const char *wanted = ctx;

	if (wanted && strcasecmp(wanted, f->name) != 0)
		return 0;
	printf("%s: %s\n", f->name, f->text);
	if (*f->source)
		printf("  source: %s\n", f->source);
	printf("boxes of a socket\n");
	bxs_each_box_type(f->name, show_box_type, NULL);
	printf("parts (numbers are a socket's)\n");
	bxs_each_part(f->name, show_part, NULL);
	return 0;
}

int cmd_machines(const struct cli_command *cmd, int argc, char **argv)
{
	char *family = NULL;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' || family)
			return cli_unexpected(cmd, argv[i]);
		family = argv[i];
	}
	if (family && cli_unknown_family(cmd, family))
		return CLI_DATA;
	bxs_each_family(show_family, family);
	if (!family)
		printf("\nA machine is written FAMILY[:PART][,KEY=VALUE...], such as %s,sockets=1,cores=4\n", cli_default_family());
	return cli_flush(cmd);
}
