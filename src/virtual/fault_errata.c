/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errata and quirks that some hardware has and our machine has not by itself: each can be switched on.  Which families have
 * them, and in which boxes, stands in catalog/FAMILY/errata.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "catalog/find.h"
#include "catalog/product.h"
#include "machine/machine.h"
#include "virtual/decode.h"
#include "virtual/fault.h"
#include "virtual/fault_private.h"

static bool is_of(const struct cat_erratum *erratum, const struct cat_type *type)
{
	for (unsigned i = 0; i < erratum->types; i++)
		if (type == &cat_types[cat_numbers[erratum->type0 + i]])
			return true;
	return false;
}

/* Does the access go to a register of this role in a box that has the erratum? */
static bool is_role(const struct fault *f, const struct virtual_event *e, enum cat_role role)
{
	const struct decode_register *r = decode_find(f->decode, e->at);

	return r && r->reg->role == role && is_of(f->erratum, r->type);
}

static bool same_place(const struct access_address *a, const struct access_address *b)
{
	return a->space == b->space && a->socket == b->socket && a->bus == b->bus && a->base == b->base &&
	       a->offset == b->offset;
}

/* A box control faults when a write sets more than one bit that was not set: Linux sets them one by one. */
static bool one_bit_at_a_time(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome, uint64_t *value)
{
	uint64_t fresh = same_place(&f->last, e->at) ? *value & ~f->held : *value;

	(void)m;
	if (!e->write || !is_role(f, e, CAT_BOX_CTL))
		return false;
	if (fresh & (fresh - 1)) {
		*outcome = BXS_EFAULT;
		return true;
	}
	f->last = *e->at;
	f->held = *value;
	return false;
}

/* Controls take a new event only when they are written twice in a row. */
static bool second_write(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome, uint64_t *value)
{
	const struct decode_register *r = e->write && is_role(f, e, CAT_CTL) ? decode_find(f->decode, e->at) : NULL;
	const struct cat_field *select = r ? cat_reg_field(r->reg, "ev_sel") : NULL;
	uint64_t old;

	if (!select || access_read(machine_registers(m), e->at, &old) < 0)
		return false;
	if (f->waits && same_place(&f->last, e->at) &&
	    bits_get(f->last_value, select->hi, select->lo) == bits_get(*value, select->hi, select->lo)) {
		f->waits = false;
		return false;
	}
	f->waits = true;
	f->last = *e->at;
	f->last_value = *value;
	old = bits_get(old, select->hi, select->lo);
	*outcome = access_write(machine_registers(m), e->at, bits_put(*value, select->hi, select->lo, old));
	return true;
}

/* A counter read with its low 24 bits 0 or 1 is 0x1000000 too great. */
static bool low_bits(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome, uint64_t *value)
{
	if (e->write || (!is_role(f, e, CAT_CTR) && !is_role(f, e, CAT_FIXED_CTR)))
		return false;
	*outcome = access_read(machine_registers(m), e->at, value);
	if (*outcome == 0 && (*value & bits_low(24)) <= 1)
		*value = (*value + (UINT64_C(1) << 24)) & bits_low(48);
	return true;
}

static bool (*const misbehave[])(struct fault *f, struct machine *m, const struct virtual_event *e, int *outcome, uint64_t *value) = {
	[CAT_ERRATUM_ONE_BIT_AT_A_TIME] = one_bit_at_a_time,
	[CAT_ERRATUM_SECOND_WRITE] = second_write,
	[CAT_ERRATUM_LOW_BITS] = low_bits,
};

const char *fault_erratum(unsigned n, const char **family, const char **text)
{
	if (n >= cat_erratum_count)
		return NULL;
	*family = cat_str(cat_families[cat_errata[n].family].name);
	*text = cat_str(cat_errata[n].text);
	return cat_str(cat_errata[n].name);
}

bool fault_second_write(const struct machine *m, const struct cat_type *type)
{
	for (const struct cat_erratum *e = cat_errata; e < cat_errata + cat_erratum_count; e++)
		if (e->act == CAT_ERRATUM_SECOND_WRITE && &cat_families[e->family] == machine_spec(m)->family && is_of(e, type))
			return true;
	return false;
}

static const char *erratum_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return cat_str(cat_errata[n].name);
}

/* All errata, each with its family in parentheses. */
static void list_errata(char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < cat_erratum_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s (%s)", i ? ", " : "", erratum_name(NULL, i),
					 cat_str(cat_families[cat_errata[i].family].name));
}

int fault_parse_erratum(struct fault *f, struct machine *m, const char *text, const struct complaint *c)
{
	const struct cat_family *family = machine_spec(m)->family;
	int near = cat_nearest(text, strlen(text), cat_erratum_count, erratum_name, NULL);
	const char *of = NULL;
	char all[160];

	for (const struct cat_erratum *e = cat_errata; e < cat_errata + cat_erratum_count; e++) {
		if (strcmp(cat_str(e->name), text) != 0)
			continue;
		of = cat_str(cat_families[e->family].name);
		if (&cat_families[e->family] != family)
			continue;
		f->act = misbehave[e->act];
		f->erratum = e;
		return 0;
	}
	if (of)
		return complain(c, BXS_ENOENT, "erratum=%s: it is one of %s, not of %s", text, of, cat_str(family->name));
	list_errata(all, sizeof all);
	return complain(c, BXS_ENOENT, "erratum=%s: there are %s%s%s%s", text, all, near >= 0 ? "; did you mean " : "",
			near >= 0 ? cat_str(cat_errata[near].name) : "", near >= 0 ? "?" : "");
}
