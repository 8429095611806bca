/* SPDX-License-Identifier: BSD-2-Clause */
/* boxscore explain: decode a raw register value bit by bit. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A register value being decoded; a control also selects an event. */
struct decode {
	const char *name;
	uint64_t value;
	struct bxs_register reg;	/* the first that matched */
	char box[32], type[64], full[64], family[16], event[64];
	char others[256], last[16];	/* what other families have by that name, and the last of them */
	unsigned found, counted;	/* events of that code; those that this control's counter has */
	uint32_t ev_sel, alt, umask, ext;
	unsigned ev_sel_bits, umask_bits;
	bool selects, reserved, alternate;
	bool live;			/* the event is modelled */
	char layout[32];		/* whose fields are being printed */
	char window[32], offset[16];	/* of a physical address: whose window it is in, and where; or "" */
};

static uint64_t take_bits(uint64_t value, unsigned hi, unsigned lo)
{
	unsigned width = hi - lo + 1;

	return value >> lo & (width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/*
 * A CSR of an Itanium 9500 by its physical address: SAL's aperture at 0x8003fff300000000, in it a window of 64 KB for the socket
 * that asks (0xfeb00000) and one for each socket (0xfc000000 and up), in that the register (5.2, tables 5-3 and 5-4).
 */
static void find_window(struct decode *d)
{
	char *end;
	uint64_t address = strtoull(d->name, &end, 0);

	if (errno || *end || address >> 32 != 0x8003fff3)
		return;
	if ((address >> 16 & 0xffff) == 0xfeb0)
		snprintf(d->window, sizeof d->window, "the current socket");
	else if ((address >> 24 & 0xff) == 0xfc)
		snprintf(d->window, sizeof d->window, "socket %u", (unsigned)(address >> 16 & 0xff));
	else
		return;
	snprintf(d->offset, sizeof d->offset, "%#x", (unsigned)(address & 0xffff));
	d->name = d->offset;
}

/* By instance name, type name, or address ("0xe01", "D18:F1+0xd8"); an offset in a window is that of a CSR only. */
static int find_register(void *ctx, const struct bxs_register *r)
{
	struct decode *d = ctx;

	if ((strcasecmp(d->name, r->name) != 0 && strcasecmp(d->name, r->type) != 0 && strcasecmp(d->name, r->address) != 0) ||
	    (*d->window && strcmp(r->space, "csr") != 0))
		return 0;
	if (d->found) {
		size_t n = strlen(d->others);

		if (strcmp(r->family, d->family) != 0 && strcmp(r->family, d->last) != 0)
			snprintf(d->others + n, sizeof d->others - n, "%s%s of %s (-f %s)", n ? ", " : "", r->name, r->box, r->family);
		snprintf(d->last, sizeof d->last, "%s", r->family);
		return 0;
	}
	d->reg = *r;
	snprintf(d->box, sizeof d->box, "%s", r->box);
	snprintf(d->type, sizeof d->type, "%s", r->type);
	snprintf(d->full, sizeof d->full, "%s", r->name);
	snprintf(d->family, sizeof d->family, "%s", r->family);
	d->found = 1;
	return 0;
}

/* A field with its value, and what that means where the catalogue says so. */
static void print_field(const struct bxs_field *f, uint64_t bits)
{
	char where[16];

	snprintf(where, sizeof where, f->hi == f->lo ? "%u" : "%u:%u", f->hi, f->lo);
	printf("  %-6s %-14s %#-10" PRIx64 " %s\n", where, f->name, bits,
	       *f->text ? f->text : "reserved");
	for (unsigned i = 0; i < f->values; i++)
		if (f->value[i] == bits)
			printf("  %34s= %s\n", "", f->meaning[i]);
}

static int explain_field(void *ctx, const struct bxs_field *f)
{
	struct decode *d = ctx;
	uint64_t bits;

	if (strcmp(f->box, d->box) != 0 || strcmp(f->reg, d->type) != 0)
		return 0;
	bits = take_bits(d->value, f->hi, f->lo);
	if (*f->layout && strcmp(f->layout, d->layout) != 0) {
		snprintf(d->layout, sizeof d->layout, "%s", f->layout);
		printf("layout %s: %s\n", f->layout, f->when);
	}
	print_field(f, bits);
	if (*f->layout)
		return 0;
	if (strcmp(f->attr, "RV") == 0 && bits)
		d->reserved = true;
	if (strcmp(f->as, "ev_sel") == 0) {
		d->selects = true;
		d->ev_sel = (uint32_t)bits;
		d->ev_sel_bits = f->hi - f->lo + 1;
	} else if (strcmp(f->as, "umask") == 0) {
		d->umask = (uint32_t)bits;
		d->umask_bits = f->hi - f->lo + 1;
	} else if (strcmp(f->as, "ev_sel_ext") == 0) {
		d->ext = (uint32_t)bits;
	} else if (strcmp(f->as, "ev_sel_alt") == 0) {
		d->alternate = true;
		d->alt = (uint32_t)bits;
	}
	return 0;
}

static bool is_selected(const struct decode *d, const struct bxs_event *e)
{
	return strcmp(e->box, d->box) == 0 && e->code == d->ev_sel && e->ext == d->ext;
}

/* Does a list such as "0,2-3" hold n?  A mask in hexadecimal does not tell. */
static bool has_counter(const char *list, unsigned n)
{
	while (*list >= '0' && *list <= '9' && list[1] != 'x') {
		char *end;
		unsigned long lo = strtoul(list, &end, 10), hi = *end == '-' ? strtoul(end + 1, &end, 10) : lo;

		if (n >= lo && n <= hi)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

static int count_event(void *ctx, const struct bxs_event *e)
{
	struct decode *d = ctx;

	d->counted += is_selected(d, e) && has_counter(e->counters, d->reg.element);
	return 0;
}

/* The same code may mean another event on each counter. */
static int explain_event(void *ctx, const struct bxs_event *e)
{
	struct decode *d = ctx;

	if (!is_selected(d, e) || (d->counted && !has_counter(e->counters, d->reg.element)))
		return 0;
	printf("event %s.%s: %s%s\n", e->box, e->name, e->text, e->live ? "" : " (not modelled)");
	snprintf(d->event, sizeof d->event, "%s", e->name);
	d->live = e->live;
	d->found++;
	return 0;
}

static int explain_subevent(void *ctx, const struct bxs_subevent *s)
{
	struct decode *d = ctx;
	bool pick = strcmp(s->kind, "pick") == 0;	/* other registers choose it */
	bool selected = strcmp(s->kind, "exact") == 0 ? s->umask == d->umask :
							!pick && (s->umask & d->umask) == s->umask;

	if (strcmp(s->box, d->box) != 0 || strcmp(s->event, d->event) != 0 || !selected)
		return 0;
	printf("  with %s (0x%02" PRIx32 "): %s%s\n", s->name, s->umask, s->text, s->live || !d->live ? "" : " (not modelled)");
	d->found++;
	return 0;
}

/* A code that does not fit ev_sel goes on in the umask. */
static int is_joined(void *ctx, const struct bxs_event *e)
{
	const struct decode *d = ctx;

	return strcmp(e->box, d->box) == 0 && !e->ext && e->code >> d->ev_sel_bits;
}

static void explain_selection(struct decode *d)
{
	d->found = 0;
	if (d->ext && d->alternate)
		d->ev_sel = d->alt;
	if (bxs_each_event(d->family, is_joined, d) > 0) {
		d->ev_sel = d->ev_sel << d->umask_bits | d->umask;
		d->umask = 0;
	}
	bxs_each_event(d->family, count_event, d);
	bxs_each_event(d->family, explain_event, d);
	if (d->found == 0)
		printf("event code 0x%02" PRIx32 "%s is not in the catalogue of %s\n", d->ev_sel,
		       d->ext ? " with ev_sel_ext" : "", d->box);
	else if (bxs_each_subevent(d->family, explain_subevent, d) == 0 && d->found == 1 && d->umask)
		printf("  no subevent has mask 0x%02" PRIx32 "\n", d->umask);
}

int cmd_explain(const struct cli_command *cmd, int argc, char **argv)
{
	struct decode d = { 0 };
	const char *family = NULL, *words[2] = { NULL, NULL };
	int count = 0;
	char *end;

	for (int i = 1; i < argc; i++) {
		int taken = cli_take_family(cmd, argc, argv, &i, &family);

		if (taken < 0)
			return CLI_USAGE;
		if (taken)
			continue;
		if (count < 2 && argv[i][0] != '-')
			words[count++] = argv[i];
		else
			return cli_unexpected(cmd, argv[i]);
	}
	if (count != 2)
		return cli_fail(cmd, CLI_USAGE, "a register and a value are needed; usage: explain %s",
				cmd->arguments);
	if (family && cli_unknown_family(cmd, family))
		return CLI_DATA;
	errno = 0;
	d.value = strtoull(words[1], &end, 0);
	if (errno || *end || end == words[1])
		return cli_fail(cmd, CLI_DATA, "value %s is no number of 64 bits", words[1]);
	d.name = words[0];
	find_window(&d);
	bxs_each_register(family, find_register, &d);
	if (!d.found)
		return cli_fail(cmd, CLI_DATA, "no register %s; give a name such as C0_MSR_PMON_CTL0 or an "
				"address such as 0xe01 or D18:F1+0xd8", words[0]);
	if (d.reg.width < 64 && d.value >> d.reg.width)
		return cli_fail(cmd, CLI_DATA, "value %s does not fit the %u bits of %s", words[1],
				d.reg.width, d.full);
	printf("%s of %s (%s) = %#" PRIx64 "\n", d.full, d.box, d.family, d.value);
	bxs_each_field(d.family, explain_field, &d);
	if (*d.window)
		printf("note: offset %s in the window of %s\n", d.offset, d.window);
	if (d.others[0])
		printf("note: %s is also %s\n", words[0], d.others);
	if (d.reserved)
		printf("note: reserved bits are set\n");
	if (d.selects)
		explain_selection(&d);
	return cli_flush(cmd);
}
