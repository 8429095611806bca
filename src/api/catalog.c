/* SPDX-License-Identifier: BSD-2-Clause */
/* The public view of the catalogue: its tables row by row, with addresses and lists as text. */
#include "boxscore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "catalog/catalog.h"
#include "catalog/find.h"

static const char *const spaces[] = { "msr", "pci", "csr", "pmc", "pmd", "msr" };
static const char *const attrs[] = { "RW", "RW-V", "RO", "RO-V", "WO", "RW1C", "RV" };
static const char *const kinds[] = { "bit", "exact", "mixed", "pick" };

/* The families that a walk covers: one, or all. */
struct range {
	unsigned first, end;
};

static int families_of(const char *name, struct range *out)
{
	*out = (struct range){ 0, cat_family_count };
	if (!name)
		return 0;
	const struct cat_family *f = cat_find_family(name, strlen(name));

	if (!f)
		return BXS_ENOENT;
	out->first = (unsigned)(f - cat_families);
	out->end = out->first + 1;
	return 0;
}

int bxs_each_family(int (*fn)(void *ctx, const struct bxs_family *row), void *ctx)
{
	int ret = 0;

	for (unsigned i = 0; i < cat_family_count && ret == 0; i++) {
		const struct cat_family *f = &cat_families[i];
		struct bxs_family row = { cat_str(f->name), cat_str(f->text), cat_str(f->source) };

		ret = fn(ctx, &row);
	}
	return ret;
}

enum { PARAMS_MAX = 64 };

static int part_row(const struct cat_family *f, const struct cat_part *p,
		    int (*fn)(void *ctx, const struct bxs_part *row), void *ctx)
{
	const char *keys[PARAMS_MAX];
	uint64_t values[PARAMS_MAX];
	unsigned n = p->params < PARAMS_MAX ? p->params : PARAMS_MAX;

	for (unsigned i = 0; i < n; i++) {
		keys[i] = cat_str(cat_params[p->param0 + i].key);
		values[i] = cat_params[p->param0 + i].value;
	}
	struct bxs_part row = { .family = cat_str(f->name), .name = cat_str(p->name),
				.is_default = p->is_default, .params = n, .keys = keys,
				.values = values };

	return fn(ctx, &row);
}

int bxs_each_part(const char *family, int (*fn)(void *ctx, const struct bxs_part *row), void *ctx)
{
	struct range r;
	int ret = families_of(family, &r);

	for (; ret == 0 && r.first < r.end; r.first++) {
		const struct cat_family *f = &cat_families[r.first];

		for (unsigned i = 0; i < f->parts && ret == 0; i++)
			ret = part_row(f, &cat_parts[f->part0 + i], fn, ctx);
	}
	return ret;
}

/* Calls fn(ctx, type) for each box type of the families named. */
static int each_type(const char *family, int (*fn)(void *ctx, const struct cat_type *t), void *ctx)
{
	struct range r;
	int ret = families_of(family, &r);

	for (; ret == 0 && r.first < r.end; r.first++) {
		const struct cat_family *f = &cat_families[r.first];

		for (unsigned i = 0; i < f->types && ret == 0; i++)
			ret = fn(ctx, &cat_types[f->type0 + i]);
	}
	return ret;
}

/* A caller's callback and what it is called with: one shape for all row kinds. */
struct walk {
	union {
		int (*box_type)(void *ctx, const struct bxs_box_type *row);
		int (*reg)(void *ctx, const struct bxs_register *row);
		int (*field)(void *ctx, const struct bxs_field *row);
		int (*event)(void *ctx, const struct bxs_event *row);
		int (*subevent)(void *ctx, const struct bxs_subevent *row);
	} fn;
	void *ctx;
};

static const char *family_name(const struct cat_type *t)
{
	return cat_str(cat_families[t->family].name);
}

static int type_row(void *ctx, const struct cat_type *t)
{
	struct walk *w = ctx;
	struct bxs_box_type row = {
		.family = family_name(t), .name = cat_str(t->name), .text = cat_str(t->text),
		.clock = cat_str(cat_clocks[t->clock].name), .boxes = t->boxes,
		.counters = t->counters, .events = t->events,
	};

	for (unsigned i = 0; i < t->regs; i++)
		row.registers += cat_regs[t->reg0 + i].count;
	return w->fn.box_type(w->ctx, &row);
}

int bxs_each_box_type(const char *family, int (*fn)(void *ctx, const struct bxs_box_type *row),
		      void *ctx)
{
	struct walk w = { .fn.box_type = fn, .ctx = ctx };

	return each_type(family, type_row, &w);
}

static void format_address(struct cat_where at, char *buf, size_t size)
{
	switch (at.space) {
	case CAT_PCI:
		snprintf(buf, size, "D%" PRIu32 ":F%" PRIu32 "+%#" PRIx32, at.base >> 3, at.base & 7,
			 at.offset);
		break;
	case CAT_PMC:
		snprintf(buf, size, "PMC%" PRIu32, at.offset);
		break;
	case CAT_PMD:
		snprintf(buf, size, "PMD%" PRIu32, at.offset);
		break;
	default:
		snprintf(buf, size, "%#" PRIx32, at.offset);
	}
}

static int reg_row(const struct cat_type *t, const struct cat_reg *r, unsigned box, unsigned i,
		   const struct walk *w)
{
	const struct cat_window *window = &cat_windows[r->window];
	char name[64], address[32];

	cat_reg_instance(r, box, i, name, sizeof name);
	format_address(cat_reg_where(r, box, i), address, sizeof address);
	struct bxs_register row = {
		.family = family_name(t), .box = cat_str(t->name), .name = name,
		.type = cat_str(r->name), .space = spaces[window->space], .address = address,
		.source = cat_str(r->src), .instance = box, .element = i, .width = r->width, .reset = r->reset,
		.device = window->device0 == CAT_ABSENT ? BXS_ABSENT : cat_numbers[window->device0 + box],
	};

	return w->fn.reg(w->ctx, &row);
}

static int type_registers(void *ctx, const struct cat_type *t)
{
	int ret = 0;

	for (unsigned box = 0; box < t->boxes; box++)
		for (unsigned n = 0; n < t->regs; n++) {
			const struct cat_reg *r = &cat_regs[t->reg0 + n];

			for (unsigned i = 0; i < r->count && ret == 0; i++)
				ret = reg_row(t, r, box, i, ctx);
		}
	return ret;
}

int bxs_each_register(const char *family, int (*fn)(void *ctx, const struct bxs_register *row),
		      void *ctx)
{
	struct walk w = { .fn.reg = fn, .ctx = ctx };

	return each_type(family, type_registers, &w);
}

enum { VALUES_MAX = 64 };

static int field_row(const struct walk *w, const struct cat_type *t, const struct cat_reg *r, const struct cat_field *f,
		     const struct cat_layout *l)
{
	uint64_t value[VALUES_MAX];
	const char *meaning[VALUES_MAX];
	unsigned n = f->values < VALUES_MAX ? f->values : VALUES_MAX;
	struct bxs_field row = {
		.family = family_name(t), .box = cat_str(t->name), .reg = cat_str(r->name),
		.name = cat_str(f->name), .as = cat_str(f->as), .attr = attrs[f->attr], .text = cat_str(f->text),
		.hi = f->hi, .lo = f->lo, .reset = f->reset, .layout = l ? cat_str(l->name) : "",
		.when = l ? cat_str(l->text) : "", .values = n, .value = value, .meaning = meaning,
	};

	for (unsigned i = 0; i < n; i++) {
		value[i] = cat_values[f->value0 + i].value;
		meaning[i] = cat_str(cat_values[f->value0 + i].text);
	}
	return w->fn.field(w->ctx, &row);
}

/* The fields that a register always has, then those of its other layouts. */
static int reg_fields(const struct walk *w, const struct cat_type *t, const struct cat_reg *r)
{
	int ret = 0;

	for (unsigned i = 0; i < r->fields && ret == 0; i++)
		ret = field_row(w, t, r, &cat_fields[r->field0 + i], NULL);
	for (unsigned k = 0; k < r->layouts && ret == 0; k++) {
		const struct cat_layout *l = &cat_layouts[r->layout0 + k];

		for (unsigned i = 0; i < l->fields && ret == 0; i++)
			ret = field_row(w, t, r, &cat_fields[l->field0 + i], l);
	}
	return ret;
}

static int type_fields(void *ctx, const struct cat_type *t)
{
	int ret = 0;

	for (unsigned n = 0; n < t->regs && ret == 0; n++)
		ret = reg_fields(ctx, t, &cat_regs[t->reg0 + n]);
	return ret;
}

int bxs_each_field(const char *family, int (*fn)(void *ctx, const struct bxs_field *row), void *ctx)
{
	struct walk w = { .fn.field = fn, .ctx = ctx };

	return each_type(family, type_fields, &w);
}

/* "0-1,3" from a mask, numbered within a set; a mask of the poulson core's counters stays a mask. */
static void format_counters(const struct cat_type *t, uint32_t mask, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	if (t->windows && cat_windows[t->window0].space == CAT_PMC) {
		snprintf(buf, size, "%#" PRIx32, mask);
		return;
	}
	if (t->sets > 1)
		mask &= (uint32_t)bits_low(t->counters / t->sets);
	for (unsigned i = 0; i < 32 && at < size; i++) {
		unsigned first = i;

		if (!(mask >> i & 1))
			continue;
		while (i < 31 && mask >> (i + 1) & 1)
			i++;
		at += (size_t)snprintf(buf + at, size - at, first == i ? "%s%u" : "%s%u-%u",
				       at ? "," : "", first, i);
	}
}

static void format_filters(unsigned first, unsigned count, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? "," : "",
				       cat_str(cat_fields[cat_filters[first + i].field].name));
}

static bool event_driven(const struct cat_event *e)
{
	return (e->binding != CAT_BIND_NONE && !e->undriven) || e->fixed;
}

static int type_events(void *ctx, const struct cat_type *t)
{
	struct walk *w = ctx;
	int ret = 0;

	for (unsigned n = 0; n < t->events && ret == 0; n++) {
		const struct cat_event *e = &cat_events[t->event0 + n];
		char counters[96], filter[96];

		format_counters(t, e->counters, counters, sizeof counters);
		format_filters(e->filter0, e->filters, filter, sizeof filter);
		struct bxs_event row = {
			.family = family_name(t), .box = cat_str(t->name), .name = cat_str(e->name),
			.counters = counters, .filter = filter, .keys = cat_str(e->keys),
			.text = cat_str(e->text), .code = e->code, .max_inc = e->max_inc,
			.ext = e->ext, .live = event_driven(e),
			.unit = cat_unit_name(e->unit),
		};

		ret = w->fn.event(w->ctx, &row);
	}
	return ret;
}

int bxs_each_event(const char *family, int (*fn)(void *ctx, const struct bxs_event *row), void *ctx)
{
	struct walk w = { .fn.event = fn, .ctx = ctx };

	return each_type(family, type_events, &w);
}

static int event_subevents(const struct walk *w, const struct cat_type *t, const struct cat_event *e)
{
	int ret = 0;

	for (unsigned i = 0; i < e->umasks && ret == 0; i++) {
		const struct cat_umask *u = &cat_umasks[e->umask0 + i];
		char filter[96];

		format_filters(u->filter0, u->filters, filter, sizeof filter);
		struct bxs_subevent row = {
			.family = family_name(t), .box = cat_str(t->name), .event = cat_str(e->name),
			.name = cat_str(u->name), .filter = filter, .keys = cat_str(u->keys),
			.text = cat_str(u->text), .kind = kinds[u->kind], .umask = u->umask,
			.unit = cat_unit_name(u->unit), .live = event_driven(e) && !u->undriven,
		};

		ret = w->fn.subevent(w->ctx, &row);
	}
	return ret;
}

static int type_subevents(void *ctx, const struct cat_type *t)
{
	int ret = 0;

	for (unsigned n = 0; n < t->events && ret == 0; n++)
		ret = event_subevents(ctx, t, &cat_events[t->event0 + n]);
	return ret;
}

int bxs_each_subevent(const char *family, int (*fn)(void *ctx, const struct bxs_subevent *row),
		      void *ctx)
{
	struct walk w = { .fn.subevent = fn, .ctx = ctx };

	return each_type(family, type_subevents, &w);
}

int bxs_each_metric(const char *family, int (*fn)(void *ctx, const struct bxs_metric *row), void *ctx)
{
	struct range r;
	int ret = families_of(family, &r);

	for (; ret == 0 && r.first < r.end; r.first++) {
		const struct cat_family *f = &cat_families[r.first];

		for (unsigned i = 0; i < f->metrics && ret == 0; i++) {
			const struct cat_metric *m = &cat_metrics[f->metric0 + i];
			struct bxs_metric row = {
				.family = cat_str(f->name), .box = cat_str(cat_types[m->type].name),
				.name = cat_str(m->name), .unit = cat_str(m->unit),
				.equation = cat_str(m->equation), .text = cat_str(m->text),
			};

			ret = fn(ctx, &row);
		}
	}
	return ret;
}

int bxs_each_packet(const char *family, int (*fn)(void *ctx, const struct bxs_packet *row), void *ctx)
{
	struct range r;
	int ret = families_of(family, &r);

	for (; ret == 0 && r.first < r.end; r.first++) {
		const struct cat_family *f = &cat_families[r.first];

		for (unsigned i = 0; i < f->packets && ret == 0; i++) {
			const struct cat_packet *p = &cat_packets[f->packet0 + i];
			struct bxs_packet row = { cat_str(f->name), cat_str(p->cls), cat_str(p->name),
						  cat_str(p->text), p->opcode };

			ret = fn(ctx, &row);
		}
	}
	return ret;
}

int bxs_each_message(const char *family, int (*fn)(void *ctx, const struct bxs_message *row),
		     void *ctx)
{
	struct range r;
	int ret = families_of(family, &r);

	for (; ret == 0 && r.first < r.end; r.first++) {
		const struct cat_family *f = &cat_families[r.first];

		for (unsigned i = 0; i < f->messages && ret == 0; i++) {
			const struct cat_message *m = &cat_messages[f->message0 + i];
			struct bxs_message row = { cat_str(f->name), cat_str(m->name),
						   cat_str(m->text), { m->match0, m->match1 },
						   { m->mask0, m->mask1 } };

			ret = fn(ctx, &row);
		}
	}
	return ret;
}
