/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore info: all about an event, a subevent, a metric, a register, a packet or a box type. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

/* What is asked for: NAME, BOX.NAME or BOX.EVENT.SUBEVENT, without regard to case. */
struct query {
	const char *text, *box, *name, *sub;
	char copy[256];
	unsigned found;
	int err;		/* what kept something from being told */
	const char *last;	/* the register whose fields are being printed */
};

static void parse_query(struct query *q, const char *text)
{
	char *first, *second;

	q->text = text;
	snprintf(q->copy, sizeof q->copy, "%s", text);
	q->name = q->copy;
	first = strchr(q->copy, '.');
	if (!first)
		return;
	*first = '\0';
	second = strchr(first + 1, '.');
	q->box = q->copy;
	q->name = first + 1;
	if (second) {
		*second = '\0';
		q->sub = second + 1;
	}
}

/* What was asked for, behind "BOX." if it begins so. */
static const char *without_box(const struct query *q, const char *box)
{
	size_t n = strlen(box);

	return strncasecmp(q->text, box, n) == 0 && q->text[n] == '.' ? q->text + n + 1 : q->text;
}

/* Is this the row asked for?  "EVENT.SUBEVENT" without a box counts too, and an event may have a dot in
 * its own name. */
static bool is_event(const struct query *q, const char *box, const char *event)
{
	if (strcasecmp(q->text, event) == 0 || strcasecmp(without_box(q, box), event) == 0)
		return true;
	if (q->box && strcasecmp(q->box, box) == 0 && strcasecmp(q->name, event) == 0)
		return true;
	return q->sub == NULL && strcasecmp(q->box ? q->box : q->name, event) == 0;
}

static void print_spelling(void *ctx, const char *tool, const char *text)
{
	bool *any = ctx;

	if (strcmp(tool, "boxscore") == 0)
		return;
	printf("  %-9s %-8s %s\n", *any ? "" : "spelled", tool, text);
	*any = true;
}

/* What other tools call the event, or the subevent that was asked for. */
static void info_spellings(const struct query *q, const struct bxs_event *e, bool subevents)
{
	const char *rest = without_box(q, e->box) + strlen(e->name);
	const char *sub = subevents && strlen(without_box(q, e->box)) > strlen(e->name) && *rest == '.' ? rest + 1 : NULL;
	char event[256];
	bool any = false;

	if (subevents && !sub) {
		printf("  spelled   info %s.%s.SUBEVENT shows what other tools call it\n", e->box, e->name);
		return;
	}
	snprintf(event, sizeof event, "%s.%s%s%s", e->box, e->name, sub ? "." : "", sub ? sub : "");
	bxs_each_spelling(e->family, event, print_spelling, &any);
}

struct subevents {
	const struct bxs_event *event;
	bool any;
};

static int info_subevent(void *ctx, const struct bxs_subevent *s)
{
	struct subevents *list = ctx;
	const struct bxs_event *e = list->event;

	if (strcmp(s->family, e->family) != 0 || strcmp(s->box, e->box) != 0 ||
	    strcmp(s->event, e->name) != 0)
		return 0;
	if (!list->any)
		printf("  subevents\n");
	list->any = true;
	printf("    %-22s 0x%02" PRIx32 " %-6s %s", s->name, s->umask, s->kind, s->text);
	if (strcmp(s->unit, e->unit) != 0)
		printf(" [unit %s]", s->unit);
	if (*s->filter)
		printf(" [filter %s]", s->filter);
	if (*s->keys)
		printf(" (%s)", s->keys);
	puts(e->live && !s->live ? " (not modelled)" : "");
	return 0;
}

static int info_event(void *ctx, const struct bxs_event *e)
{
	struct query *q = ctx;

	if (!is_event(q, e->box, e->name))
		return 0;
	q->found++;
	printf("%s.%s  (%s, event)\n  %s\n", e->box, e->name, e->family, e->text);
	printf("  code      0x%02" PRIx32 "%s\n", e->code, e->ext ? " with ev_sel_ext" : "");
	printf("  counters  %s\n", e->counters);
	printf("  unit      %s\n", e->unit);
	if (e->max_inc != BXS_ABSENT)
		printf("  increment at most %" PRIu32 " in a clock\n", e->max_inc);
	if (*e->filter)
		printf("  filter    %s\n", e->filter);
	if (*e->keys)
		printf("  also      %s\n", e->keys);
	printf("  machine   %s\n", e->live ? "drives it" : "not modelled: only a console or an event file raises it");
	struct subevents list = { .event = e };

	bxs_each_subevent(e->family, info_subevent, &list);
	info_spellings(q, e, list.any);
	return 0;
}

/* The name is the first part of several events' names. */
static int info_part(void *ctx, const struct bxs_event *e)
{
	struct query *q = ctx;
	const char *part = without_box(q, e->box);
	size_t n = strlen(part);

	if (strncasecmp(e->name, part, n) != 0 || e->name[n] != '.')
		return 0;
	if (!q->found++)
		printf("%s  begins the names of\n", part);
	printf("  %s %s.%-32s %s\n", e->family, e->box, e->name, e->text);
	return 0;
}

static int info_need(void *ctx, const char *event, bool modelled)
{
	bool *any = ctx;

	printf("  %-9s %s%s\n", *any ? "" : "events", event, modelled ? "" : " (not modelled)");
	*any = true;
	return 0;
}

/* What the equation takes from the counters. */
static int info_needs(const struct bxs_metric *m)
{
	char name[160];
	unsigned turns;
	bool any = false;
	int err;

	snprintf(name, sizeof name, "%s%s%s", strcmp(m->box, "all") ? m->box : "", strcmp(m->box, "all") ? "." : "",
		 m->name);
	err = bxs_metric_needs(m->family, name, &turns, info_need, &any);
	if (err < 0 || !any)
		return err == BXS_ENOMEM ? err : 0;
	if (turns == 1)
		printf("  passes    1: counters hold all events at once\n");
	else
		printf("  passes    %u: the events take turns, readings are scaled\n", turns);
	return 0;
}

static int info_metric(void *ctx, const struct bxs_metric *m)
{
	struct query *q = ctx;

	if (!bxs_metric_called(m, q->name) || (q->box && strcasecmp(q->box, m->box) != 0))
		return 0;
	q->found++;
	printf("%s.%s  (%s, metric)\n  %s\n  equation  %s\n", m->box, m->name, m->family, m->text,
	       m->equation);
	if (*m->unit)
		printf("  unit      %s\n", m->unit);
	q->err = info_needs(m);
	return q->err;
}

static int info_field(void *ctx, const struct bxs_field *f)
{
	const struct bxs_register *r = ctx;
	char bits[16];

	if (strcmp(f->family, r->family) != 0 || strcmp(f->box, r->box) != 0 ||
	    strcmp(f->reg, r->type) != 0)
		return 0;
	snprintf(bits, sizeof bits, f->hi == f->lo ? "%u" : "%u:%u", f->hi, f->lo);
	printf("    %-6s %-14s %-5s %-6" PRIx64 " %s%s%s%s\n", bits, f->name, f->attr, f->reset, *f->layout ? "[" : "", f->layout,
	       *f->layout ? "] " : "", f->text);
	for (unsigned i = 0; i < f->values; i++)
		printf("    %35" PRIx64 "  %s\n", f->value[i], f->meaning[i]);
	return 0;
}

static int info_register(void *ctx, const struct bxs_register *r)
{
	struct query *q = ctx;

	if (strcasecmp(q->name, r->name) != 0 && strcasecmp(q->name, r->type) != 0 &&
	    strcasecmp(q->text, r->address) != 0)
		return 0;
	q->found++;
	printf("%s  (%s, register of %s%u)\n  %s %s, %u bits, %#" PRIx64 " after reset\n", r->name,
	       r->family, r->box, r->instance, r->space, r->address, r->width, r->reset);
	if (*r->source)
		printf("  known from %s, not from the manual\n", r->source);
	printf("    bits   field          attr  reset\n");
	struct bxs_register copy = *r;

	bxs_each_field(r->family, info_field, &copy);
	return strcasecmp(q->name, r->type) == 0;	/* one instance shows the type */
}

static int info_packet(void *ctx, const struct bxs_packet *p)
{
	struct query *q = ctx;

	if (strcasecmp(q->name, p->name) != 0)
		return 0;
	q->found++;
	printf("%s  (%s, packet)\n  class %s, opcode %#" PRIx32 "\n  %s\n", p->name, p->family, p->cls,
	       p->opcode, p->text);
	return 0;
}

static int info_box(void *ctx, const struct bxs_box_type *t)
{
	struct query *q = ctx;

	if (q->box || strcasecmp(q->name, t->name) != 0)
		return 0;
	q->found++;
	printf("%s  (%s, box type)\n  %s\n", t->name, t->family, t->text);
	printf("  boxes     %u a socket, clock %s\n  counters  %u a box\n  registers %u a box\n"
	       "  events    %u: `boxscore list %s.` shows them\n",
	       t->boxes, t->clock, t->counters, t->registers, t->events, t->name);
	return 0;
}

/* What boxscore calls that event, into `out` (256 bytes). */
static void keep_ours(void *ctx, const char *tool, const char *text)
{
	if (strcmp(tool, "boxscore") == 0)
		snprintf(ctx, 256, "%s", text);
}

struct other {
	struct query *q;
	const char *text;
};

/* The name is another tool's for an event of this family. */
static int info_other(void *ctx, const struct bxs_family *f)
{
	struct other *o = ctx;
	struct query own = { 0 };
	char ours[256] = "";

	if (bxs_each_spelling(f->name, o->text, keep_ours, ours) < 0 || !*ours)
		return 0;
	parse_query(&own, ours);
	printf("%s is %s of %s\n", o->text, ours, f->name);
	bxs_each_event(f->name, info_event, &own);
	o->q->found++;
	return 0;
}

static int info_other_in(struct query *q, const char *family, const char *text)
{
	struct other o = { q, text };
	struct bxs_family one = { .name = family };

	return family ? info_other(&o, &one) : bxs_each_family(info_other, &o);
}

int cmd_info(const struct cli_command *cmd, int argc, char **argv)
{
	struct query q = { 0 };
	const char *family = NULL, *name = NULL;

	if (cli_take_name(cmd, argc, argv, &name, &family))
		return CLI_USAGE;
	if (!name)
		return cli_fail(cmd, CLI_USAGE, "of what? usage: info %s", cmd->arguments);
	if (family && cli_unknown_family(cmd, family))
		return CLI_DATA;
	parse_query(&q, name);
	bxs_each_box_type(family, info_box, &q);
	bxs_each_event(family, info_event, &q);
	bxs_each_metric(family, info_metric, &q);
	bxs_each_default_metric(family, info_metric, &q);
	bxs_each_packet(family, info_packet, &q);
	bxs_each_register(family, info_register, &q);
	if (q.found == 0)
		bxs_each_event(family, info_part, &q);
	if (q.found == 0)
		info_other_in(&q, family, name);
	if (q.err < 0)
		return cli_fail(cmd, cli_exit_of(q.err), "%s", bxs_strerror(q.err));
	if (q.found == 0)
		return cli_fail(cmd, CLI_DATA, "nothing is called %s; `boxscore list %s` searches in "
				"names and texts", name, name);
	return cli_flush(cmd);
}
