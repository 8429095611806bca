/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

#define FIRST_BITS 14			/* lines that the table has room for at first */
#define KEY_BITS 56			/* line and space */

/* Whose caches have asked for a line and not lost it since; they may have dropped it in silence. */
struct line {
	uint64_t key : KEY_BITS;
	uint64_t used : 1;
	uint64_t modified : 1;		/* by its only holder */
	uint64_t holders;		/* a bit each */
};

struct lost_lines {
	unsigned n, room;
	uint64_t *key;			/* with the kind of snoop above */
};

struct witness {
	unsigned together;		/* cores that share a last-level cache */
	unsigned bits, lines;		/* of the table, which is open */
	struct line *line;
	struct lost_lines lost[WITNESS_THREADS];
	unsigned core[WITNESS_THREADS];
	struct witness_totals totals;
};

/* What a record does to its line. */
enum effect {
	EFFECT_NONE, EFFECT_READ, EFFECT_OWN, EFFECT_WRITE, EFFECT_FIRST_WRITE, EFFECT_FLUSH, EFFECT_STREAM, EFFECT_GIVE_UP, EFFECT_ASK,
};

static const uint8_t effects[LEAVE_KINDS] = {
	[LEAVE_DRD] = EFFECT_READ, [LEAVE_CRD] = EFFECT_READ, [LEAVE_PF_DRD] = EFFECT_READ, [LEAVE_PF_CRD] = EFFECT_READ,
	[LEAVE_AHEAD] = EFFECT_READ, [LEAVE_RFO] = EFFECT_WRITE, [LEAVE_ITOM] = EFFECT_WRITE, [LEAVE_PF_RFO] = EFFECT_OWN,
	[LEAVE_PF_LLC_DRD] = EFFECT_ASK, [LEAVE_PF_LLC_RFO] = EFFECT_ASK, [LEAVE_PF_LLC_CRD] = EFFECT_ASK,
	[LEAVE_DIRTY] = EFFECT_FIRST_WRITE, [LEAVE_WB_M] = EFFECT_GIVE_UP, [LEAVE_WB_E] = EFFECT_GIVE_UP,
	[LEAVE_WCIL] = EFFECT_STREAM, [LEAVE_WCILF] = EFFECT_STREAM, [LEAVE_CLFLUSH] = EFFECT_FLUSH,
};

struct witness *witness_new(unsigned together)
{
	struct witness *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->together = together;
	w->bits = FIRST_BITS;
	w->line = calloc((size_t)1 << w->bits, sizeof *w->line);
	if (!w->line) {
		free(w);
		return NULL;
	}
	return w;
}

void witness_free(struct witness *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < WITNESS_THREADS; i++)
		free(w->lost[i].key);
	free(w->line);
	free(w);
}

static uint64_t key_of(uint64_t line, uint64_t space)
{
	return line | space << 48;
}

/* The place of a line in the table: its own, or the free one where it belongs. */
static struct line *place_of(const struct witness *w, uint64_t key)
{
	uint64_t mask = ((uint64_t)1 << w->bits) - 1, at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - w->bits);

	while (w->line[at].used && w->line[at].key != key)
		at = (at + 1) & mask;
	return w->line + at;
}

/* Twice the table; false: out of memory, it stays as it is. */
static bool grow(struct witness *w)
{
	struct witness more = *w;

	more.bits++;
	more.line = calloc((size_t)1 << more.bits, sizeof *more.line);
	if (!more.line)
		return false;
	for (size_t i = 0; i < (size_t)1 << w->bits; i++) {
		if (w->line[i].holders)
			*place_of(&more, w->line[i].key) = w->line[i];
		else
			more.lines -= w->line[i].used;
	}
	free(w->line);
	w->line = more.line;
	w->bits = more.bits;
	w->lines = more.lines;
	return true;
}

/* NULL: out of memory; what happens to this line is not seen. */
static struct line *line_of(struct witness *w, uint64_t key)
{
	struct line *l = place_of(w, key);

	if (l->used)
		return l;
	if (w->lines >= ((unsigned)1 << w->bits) / 4 * 3) {
		if (!grow(w)) {
			w->totals.blind = true;
			return NULL;
		}
		l = place_of(w, key);
	}
	*l = (struct line){ .key = key, .used = 1 };
	w->lines++;
	return l;
}

static void lose(struct witness *w, uint64_t holders, uint64_t key, enum leave_snoop_kind kind)
{
	for (; holders; holders &= holders - 1) {
		struct lost_lines *lost = w->lost + __builtin_ctzll(holders);
		uint64_t *more = lost->n < WITNESS_LOST ? array_grow(lost->key, lost->n, &lost->room, sizeof *more) : NULL;

		if (!more) {
			w->totals.blind |= lost->n < WITNESS_LOST;
			continue;
		}
		lost->key = more;
		lost->key[lost->n++] = key | (uint64_t)kind << KEY_BITS;
	}
}

/* Another core has modified it, and is asked.  What is only for the last-level cache asks no core beside that cache. */
static bool is_forwarded(const struct witness *w, const struct line *l, unsigned ring, enum effect effect)
{
	unsigned there, here = w->core[ring];

	if (!l->modified)
		return false;
	there = w->core[__builtin_ctzll(l->holders)];
	return effect == EFFECT_ASK ? there / w->together != here / w->together : there != here;
}

static void read_line(struct witness *w, struct line *l, uint64_t me)
{
	uint64_t others = l->holders & ~me;

	if (others && !(others & (others - 1)) && !(l->holders & me))
		lose(w, others, l->key, LEAVE_SNOOP_SHARE);
	l->modified = l->modified && !others;
	l->holders |= me;
}

static void take_line(struct witness *w, struct line *l, uint64_t me, bool modified)
{
	lose(w, l->holders & ~me, l->key, LEAVE_SNOOP_INVALIDATE);
	l->holders = me;
	l->modified = modified;
}

static void give_up(struct line *l, uint64_t who)
{
	l->holders &= ~who;
	l->modified = l->modified && l->holders;
}

static void apply(struct witness *w, struct line *l, unsigned ring, enum effect effect)
{
	uint64_t me = (uint64_t)1 << ring;
	/* A line that others have is asked for before it is written, though the core has not heard of them yet. */
	bool fetches = effect <= EFFECT_WRITE || effect == EFFECT_ASK || (effect == EFFECT_FIRST_WRITE && (l->holders & ~me));

	w->totals.requests += fetches || effect == EFFECT_FLUSH;
	w->totals.forwards += fetches && is_forwarded(w, l, ring, effect);
	switch (effect) {
	case EFFECT_READ:
		read_line(w, l, me);
		break;
	case EFFECT_OWN:
		take_line(w, l, me, false);
		break;
	case EFFECT_WRITE:
	case EFFECT_FIRST_WRITE:
		take_line(w, l, me, true);
		break;
	case EFFECT_GIVE_UP:
		give_up(l, me);
		break;
	case EFFECT_FLUSH:
	case EFFECT_STREAM:
		take_line(w, l, 0, false);
		break;
	case EFFECT_ASK:	/* who has modified the line shares it from now on */
		l->modified = l->modified && !is_forwarded(w, l, ring, effect);
		break;
	case EFFECT_NONE:
		break;
	}
}

void witness_record(struct witness *w, unsigned ring, unsigned core, const struct leave_record *rec)
{
	enum effect effect = (enum effect)effects[rec->kind];
	struct line *l;

	if (effect == EFFECT_NONE)
		return;
	if (ring >= WITNESS_THREADS) {
		w->totals.blind = true;
		return;
	}
	w->core[ring] = core;
	l = line_of(w, key_of(rec->line, rec->space));
	if (l)
		apply(w, l, ring, effect);
}

void witness_evicted(struct witness *w, unsigned core, const struct leave_snoop *snoop)
{
	struct line *l = place_of(w, key_of(snoop->line, snoop->space));

	for (uint64_t holders = l->holders; holders; holders &= holders - 1) {
		if (w->core[__builtin_ctzll(holders)] == core)
			give_up(l, holders & -holders);
	}
}

void witness_forget(struct witness *w, unsigned ring)
{
	if (ring < WITNESS_THREADS)
		w->lost[ring].n = 0;
}

unsigned witness_lost(struct witness *w, unsigned ring, struct leave_snoop *out, unsigned n)
{
	struct lost_lines *lost = w->lost + ring;
	unsigned found = 0;

	if (ring >= WITNESS_THREADS)
		return 0;
	while (lost->n && found < n) {
		uint64_t key = lost->key[--lost->n], me = (uint64_t)1 << ring;
		enum leave_snoop_kind kind = (enum leave_snoop_kind)(key >> KEY_BITS);
		const struct line *l = place_of(w, key & bits_low(KEY_BITS));
		bool again = l->used && (kind == LEAVE_SNOOP_SHARE ? l->holders == me : l->holders & me);

		if (!again)
			out[found++] = (struct leave_snoop){ .line = key & bits_low(48), .space = key >> 48 & 0xff, .kind = kind };
	}
	w->totals.lost += found;
	return found;
}

struct witness_totals witness_totals(const struct witness *w)
{
	return w->totals;
}
