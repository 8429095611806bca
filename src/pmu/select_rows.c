/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which subevents of its event a control selects: by its mask, or by what the registers of the box hold.
 *
 *   - an exact encoding that is listed selects that subevent;
 *   - else every OR-able bit in it selects its subevent, and each is an alternative;
 *   - exact encodings that are a mask after all may be ORed as well, see cat_shared_bits();
 *   - what selects nothing counts nothing.
 * An event without subevents ignores the mask; so do picks that stand beside masks, which only name
 * values for filters.  What is special stands in columns of the event and its subevents.
 */
#include "catalog/find.h"
#include "pmu/select_private.h"

uint32_t select_implied(const struct cat_event *e, uint32_t umask)
{
	uint32_t all = umask;

	for (unsigned i = 0; i < e->umasks; i++) {
		uint32_t by = select_row(e, i)->implied;

		if (by && (umask & by) == by)
			all |= select_row(e, i)->umask;
	}
	return all;
}

/* Does the mask select a subevent that counts nothing beside others, and others? */
static bool spoilt(const struct cat_event *e, uint32_t umask)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (select_row(e, i)->alone && (umask & select_row(e, i)->umask) && umask != select_row(e, i)->umask)
			return true;
	return false;
}

uint64_t select_rows_of_mask(const struct cat_event *e, uint32_t umask)
{
	uint32_t shared = cat_shared_bits(e);
	uint64_t rows = 0;

	if (e->mask_ignored)
		return bits_low(e->umasks);
	for (unsigned i = 0; i < e->umasks; i++)
		if (select_row(e, i)->kind == CAT_UMASK_EXACT && select_row(e, i)->umask == umask)
			return select_row(e, i)->nothing ? 0 : UINT64_C(1) << i;
	if (spoilt(e, umask))
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
		if (select_row(e, i)->kind == CAT_UMASK_PICK && !select_row(e, i)->nothing &&
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

uint64_t select_rows_parts(const struct cat_event *e, uint64_t rows, uint32_t umask)
{
	bool orable = cat_shared_bits(e) != CAT_ABSENT, alone = false;

	for (unsigned i = 0; i < e->umasks; i++) {
		orable |= select_row(e, i)->kind == CAT_UMASK_BIT;
		alone |= select_row(e, i)->alone;
	}
	if (!orable || e->groups[0] || alone)
		return rows;
	for (unsigned i = 0; i < e->umasks; i++)
		if (!(select_row(e, i)->umask & ~umask) && !select_row(e, i)->qualifies &&
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
