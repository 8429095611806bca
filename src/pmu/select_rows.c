/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which subevents of its event a control selects: by its mask, or by what the registers of the box hold.
 *
 *   - an exact encoding that is listed selects that subevent;
 *   - else every OR-able bit in it selects its subevent, and each is an alternative;
 *   - exact encodings that are a mask after all may be ORed as well, see cat_shared_bits();
 *   - what selects nothing counts nothing.
 * An event without subevents ignores the mask; so do picks that stand beside masks, which only name
 * values for filters.  What is special stands in struct pmu_masks.
 */
#include <string.h>

#include "catalog/find.h"
#include "pmu/select_private.h"

static const struct pmu_masks plain = { .code = CAT_ABSENT };

const struct pmu_masks *select_masks(const struct pmu_type *t, const struct cat_event *e)
{
	for (const struct pmu_masks *m = t->hooks->masks; m && m->code != CAT_ABSENT; m++)
		if (m->code == e->code && m->ext == e->ext)
			return m;
	return &plain;
}

/* Rows that say that a selection counts nothing. */
static bool is_nothing(const struct cat_umask *u)
{
	return strncmp(cat_str(u->name), "NONE", 4) == 0 ||
	       strncmp(cat_str(u->name), "ILLEGAL", 7) == 0;
}

uint64_t select_rows_of_mask(const struct cat_event *e, const struct pmu_masks *m, uint32_t umask)
{
	uint32_t shared = cat_shared_bits(e);
	uint64_t rows = 0;

	if (strstr(cat_str(e->keys), "mask=ignored"))
		return bits_low(e->umasks);
	for (unsigned i = 0; i < e->umasks; i++)
		if (select_row(e, i)->kind == CAT_UMASK_EXACT && select_row(e, i)->umask == umask)
			return is_nothing(select_row(e, i)) ? 0 : UINT64_C(1) << i;
	if ((umask & m->alone) && umask != m->alone)
		return 0;
	if (shared != CAT_ABSENT && (umask & shared) != shared)
		return 0;
	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = select_row(e, i);
		uint32_t rest = shared == CAT_ABSENT ? u->umask : u->umask & ~shared;
		bool single = (rest & (rest - 1)) == 0;

		if ((umask & u->umask) != u->umask || u->kind == CAT_UMASK_PICK)
			continue;
		if (u->kind == CAT_UMASK_EXACT ? shared != CAT_ABSENT && single :
						 !(umask & u->zero))
			rows |= UINT64_C(1) << i;
	}
	return rows;
}

uint64_t select_rows_held(const struct box *b, const struct counter *c, const struct cat_event *e)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < e->umasks; i++)
		if (select_row(e, i)->kind == CAT_UMASK_PICK && !is_nothing(select_row(e, i)) &&
		    pmu_needs_hold(b, c, select_row(e, i)->need0, select_row(e, i)->needs))
			rows |= UINT64_C(1) << i;
	return rows;
}

uint64_t select_rows_within(const struct cat_event *e, uint64_t rows, uint32_t mask)
{
	uint64_t got = 0;

	for (unsigned i = 0; i < e->umasks; i++)
		if ((rows >> i & 1) && (select_row(e, i)->umask & mask) == select_row(e, i)->umask)
			got |= UINT64_C(1) << i;
	return got;
}

uint64_t select_rows_parts(const struct cat_event *e, const struct pmu_masks *m, uint64_t rows,
		      uint32_t umask)
{
	bool orable = cat_shared_bits(e) != CAT_ABSENT;

	for (unsigned i = 0; i < e->umasks; i++)
		orable |= select_row(e, i)->kind == CAT_UMASK_BIT;
	if (!orable || m->groups[0] || m->alone)
		return rows;
	for (unsigned i = 0; i < e->umasks; i++)
		if (!(select_row(e, i)->umask & ~umask) && !(select_row(e, i)->umask & m->qualifiers) &&
		    (select_row(e, i)->kind == CAT_UMASK_BIT || select_row(e, i)->kind == CAT_UMASK_EXACT))
			rows |= UINT64_C(1) << i;
	return rows;
}

unsigned select_pick_sets(const struct cat_event *e, uint64_t rows, uint64_t *set)
{
	uint16_t field[2] = { 0 };
	unsigned sets = 0;

	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = select_row(e, i);
		unsigned s = 0;

		if (u->kind != CAT_UMASK_PICK || u->needs == 0)
			continue;
		while (s < sets && field[s] != cat_needs[u->need0].field)
			s++;
		if (s == LEN(field))
			continue;
		if (s == sets) {
			field[sets] = cat_needs[u->need0].field;
			set[sets++] = 0;
		}
		if (rows >> i & 1)
			set[s] |= UINT64_C(1) << i;
	}
	return sets;
}
