/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore dump: the catalogue as tab-separated values with a header line. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

static int dump_register(void *ctx, const struct bxs_register *r)
{
	char device[16] = "-";

	(void)ctx;
	if (r->device != BXS_ABSENT)
		snprintf(device, sizeof device, "0x%04" PRIx32, r->device);
	printf("%s\t%s\t%u\t%s\t%s\t%s\t%s\t%u\t%#" PRIx64 "\t%s\t%s\n", r->family, r->box,
	       r->instance, r->name, r->space, r->address, device, r->width, r->reset, r->type,
	       *r->source ? r->source : "manual");
	return 0;
}

static int dump_field(void *ctx, const struct bxs_field *f)
{
	(void)ctx;
	printf("%s\t%s\t%s\t%s\t%u\t%u\t%s\t%#" PRIx64 "\t%s\t%s\n", f->family, f->box, f->reg, f->name,
	       f->hi, f->lo, f->attr, f->reset, f->text, f->layout);
	return 0;
}

static int dump_values(void *ctx, const struct bxs_field *f)
{
	(void)ctx;
	for (unsigned i = 0; i < f->values; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%#" PRIx64 "\t%s\n", f->family, f->box, f->reg, f->name, f->layout,
		       f->value[i], f->meaning[i]);
	return 0;
}

static int dump_event(void *ctx, const struct bxs_event *e)
{
	char max[16] = "-";

	(void)ctx;
	if (e->max_inc != BXS_ABSENT)
		snprintf(max, sizeof max, "%" PRIu32, e->max_inc);
	printf("%s\t%s\t%s\t0x%02" PRIx32 "\t%u\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e->family, e->box, e->name,
	       e->code, e->ext, e->counters, max, e->live ? "live" : "none", e->filter, e->keys,
	       e->text, e->unit);
	return 0;
}

static int dump_subevent(void *ctx, const struct bxs_subevent *s)
{
	(void)ctx;
	printf("%s\t%s\t%s\t%s\t0x%02" PRIx32 "\t%s\t%s\t%s\t%s\t%s\n", s->family, s->box, s->event,
	       s->name, s->umask, s->filter, s->kind, s->keys, s->text, s->unit);
	return 0;
}

static int dump_metric(void *ctx, const struct bxs_metric *m)
{
	(void)ctx;
	printf("%s\t%s\t%s\t%s\t%s\t%s\n", m->family, m->box, m->name, m->equation, m->unit, m->text);
	return 0;
}

static int dump_packet(void *ctx, const struct bxs_packet *p)
{
	(void)ctx;
	printf("%s\t%s\t%#" PRIx32 "\t%s\t%s\n", p->family, p->cls, p->opcode, p->name, p->text);
	return 0;
}

static int dump_message(void *ctx, const struct bxs_message *m)
{
	(void)ctx;
	printf("%s\t%s\t%#" PRIx32 "\t%#" PRIx32 "\t%#" PRIx32 "\t%#" PRIx32 "\t%s\n", m->family,
	       m->name, m->match[0], m->mask[0], m->match[1], m->mask[1], m->text);
	return 0;
}

static int walk_registers(const char *f)
{
	return bxs_each_register(f, dump_register, NULL);
}

static int walk_fields(const char *f)
{
	return bxs_each_field(f, dump_field, NULL);
}

static int walk_values(const char *f)
{
	return bxs_each_field(f, dump_values, NULL);
}

static int walk_events(const char *f)
{
	return bxs_each_event(f, dump_event, NULL);
}

static int walk_subevents(const char *f)
{
	return bxs_each_subevent(f, dump_subevent, NULL);
}

static int walk_metrics(const char *f)
{
	return bxs_each_metric(f, dump_metric, NULL);
}

static int walk_packets(const char *f)
{
	return bxs_each_packet(f, dump_packet, NULL);
}

static int walk_messages(const char *f)
{
	return bxs_each_message(f, dump_message, NULL);
}

static const struct kind {
	const char *name, *columns;
	int (*walk)(const char *family);
} kinds[] = {
	{ "registers",
	  "family\tbox\tinstance\tregister\tspace\taddress\tdevice\twidth\treset\ttype\tsource",
	  walk_registers },
	{ "fields", "family\tbox\tregister\tfield\thi\tlo\tattr\treset\ttext\tlayout", walk_fields },
	{ "values", "family\tbox\tregister\tfield\tlayout\tvalue\ttext", walk_values },
	{ "events",
	  "family\tbox\tevent\tcode\text\tcounters\tmax_inc\tsignal\tfilter\tkeys\ttext\tunit",
	  walk_events },
	{ "subevents", "family\tbox\tevent\tsubevent\tumask\tfilter\tkind\tkeys\ttext\tunit",
	  walk_subevents },
	{ "metrics", "family\tbox\tmetric\texpression\tunit\ttext", walk_metrics },
	{ "packets", "family\tclass\topcode\tname\ttext", walk_packets },
	{ "messages", "family\tname\tmatch0\tmask0\tmatch1\tmask1\ttext", walk_messages },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *find_kind(const char *name)
{
	for (int i = 0; i < KINDS; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

int cmd_dump(const struct cli_command *cmd, int argc, char **argv)
{
	const char *name = NULL, *family = NULL;

	if (cli_take_name(cmd, argc, argv, &name, &family))
		return CLI_USAGE;
	const struct kind *kind = name ? find_kind(name) : NULL;

	if (!kind)
		return cli_fail(cmd, CLI_USAGE, "%s%s; expected registers, fields, values, events, "
				"subevents, metrics, packets or messages", name ? "no kind " : "which kind",
				name ? name : "?");
	if (family && cli_unknown_family(cmd, family))
		return CLI_DATA;
	printf("%s\n", kind->columns);
	kind->walk(family);
	return cli_flush(cmd);
}
