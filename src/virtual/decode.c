/* SPDX-License-Identifier: BSD-2-Clause */
/* All registers of a family, sorted by where they lie. */
#include "virtual/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "machine/machine.h"

struct decode {
	struct decode_register *reg;
	unsigned regs, room;
};

static uint64_t key_of(enum cat_space space, enum cat_bus bus, uint32_t base, uint32_t offset)
{
	if (space == CAT_MSR)
		base = 0;
	return (uint64_t)space << 60 | (uint64_t)bus << 56 | (uint64_t)base << 32 | offset;
}

static int add(struct decode *d, const struct decode_register *r)
{
	struct decode_register *more = array_grow(d->reg, d->regs, &d->room, sizeof *more);

	if (!more)
		return BXS_ENOMEM;
	d->reg = more;
	d->reg[d->regs++] = *r;
	return 0;
}

static int add_type(struct decode *d, const struct cat_type *t)
{
	int err = 0;

	for (unsigned n = 0; n < t->regs; n++) {
		const struct cat_reg *reg = &cat_regs[t->reg0 + n];

		for (unsigned i = 0; err == 0 && i < (unsigned)t->boxes * reg->count; i++) {
			struct decode_register r = { .type = t, .reg = reg,
						     .box = (uint16_t)(i / reg->count),
						     .element = (uint16_t)(i % reg->count) };
			struct cat_where at = cat_reg_where(reg, r.box, r.element);

			r.key = key_of(at.space, at.bus, at.base, at.offset);
			err = add(d, &r);
		}
	}
	return err;
}

static int by_key(const void *a, const void *b)
{
	const struct decode_register *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int decode_new(const struct machine *m, struct decode **out)
{
	const struct cat_family *f = machine_spec(m)->family;
	struct decode *d = calloc(1, sizeof *d);
	int err = d ? 0 : BXS_ENOMEM;

	for (unsigned i = 0; err == 0 && i < f->types; i++)
		err = add_type(d, &cat_types[f->type0 + i]);
	if (err < 0) {
		decode_free(d);
		return err;
	}
	qsort(d->reg, d->regs, sizeof *d->reg, by_key);
	*out = d;
	return 0;
}

void decode_free(struct decode *d)
{
	if (d)
		free(d->reg);
	free(d);
}

const struct decode_register *decode_find(const struct decode *d, const struct access_address *at)
{
	uint64_t key = key_of(at->space, at->space == CAT_PCI ? at->bus : 0, at->base, at->offset);
	const struct decode_register *found = NULL;
	size_t lo = 0, hi = d->regs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->reg[mid].key <= key) {
			found = &d->reg[mid];
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	if (!found || key - found->key >= (at->space == CAT_PCI ? found->reg->width / 8u : 1u))
		return NULL;
	return found;
}

unsigned decode_shift(const struct decode_register *r, const struct access_address *at)
{
	return at->space == CAT_PCI ? 8 * (at->offset - (uint32_t)r->key) : 0;
}

const char *decode_name(const struct decode_register *r, unsigned socket, char *buf, size_t size)
{
	char name[64];

	cat_reg_instance(r->reg, r->box, r->element, name, sizeof name);
	if (r->type->boxes > 1)
		snprintf(buf, size, "s%u.%s%u %s", socket, cat_str(r->type->name), r->box, name);
	else
		snprintf(buf, size, "s%u.%s %s", socket, cat_str(r->type->name), name);
	return buf;
}

const struct cat_event *decode_event(const struct decode_register *r, uint64_t value)
{
	const struct cat_field *select = cat_reg_field(r->reg, "ev_sel");
	const struct cat_field *ext = cat_reg_field(r->reg, "ev_sel_ext");
	const struct cat_event *e;
	unsigned extra;
	uint32_t code;

	if (r->reg->role != CAT_CTL || !select)
		return NULL;
	code = (uint32_t)bits_get(value, select->hi, select->lo);
	extra = ext ? (unsigned)bits_get(value, ext->hi, ext->lo) : 0;
	e = cat_event_of_code(r->type, code, extra, UINT32_C(1) << r->element % 32);
	return e ? e : cat_event_of_code(r->type, code, extra, UINT32_MAX);
}

/* The event's name, with the subevent of that umask if there is one. */
static void append_event(const struct decode_register *r, uint64_t value, char *buf, size_t size)
{
	const struct cat_field *mask = cat_reg_field(r->reg, "umask");
	const struct cat_event *e = decode_event(r, value);
	uint64_t umask = mask ? bits_get(value, mask->hi, mask->lo) : 0;
	const char *sub = "";

	if (!e)
		return;
	for (unsigned i = e->umask0; i < e->umask0 + (unsigned)e->umasks; i++)
		if (cat_umasks[i].umask == umask && cat_umasks[i].kind != CAT_UMASK_PICK)
			sub = cat_str(cat_umasks[i].name);
	snprintf(buf, size, " (%s%s%s)", cat_str(e->name), *sub ? "." : "", sub);
}

const char *decode_fields(const struct decode_register *r, const struct access_address *at, uint64_t value,
			  char *buf, size_t size)
{
	unsigned shift = decode_shift(r, at);
	uint64_t whole = value << shift;
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = r->reg->fields; i-- > 0 && used < size;) {
		const struct cat_field *f = &cat_fields[r->reg->field0 + i];
		uint64_t bits = bits_get(whole, f->hi, f->lo);

		if (f->hi < shift || f->lo >= shift + at->width || bits == 0)
			continue;
		used += (size_t)snprintf(buf + used, size - used, bits < 10 ? "%s%s=%" PRIu64 : "%s%s=%#" PRIx64,
					 used ? " " : "", cat_str(f->name), bits);
	}
	if (used < size && shift == 0 && at->width >= 32)
		append_event(r, whole, buf + used, size - used);
	return buf;
}
