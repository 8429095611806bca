/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index of a family's names: one open-addressed table whose keys are a scope
 * (which list the name belongs to) and the name with its case folded away.
 */
#include "measure/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/error.h"

/* Scopes: the list of types; then for each type its events and its registers; then for
 * each event its subevents; and all fields that an event string can set. */
enum scope_kind { SCOPE_TYPE, SCOPE_EVENT, SCOPE_REG, SCOPE_UMASK, SCOPE_FIELD };

struct entry {
	uint32_t hash, scope, name;	/* name 0: empty */
	uint16_t index, length;		/* the catalogue's own tables hold indices of 16 bits */
};

struct names {
	const struct cat_family *family;
	uint32_t mask;
	struct entry *entries;
	uint16_t *boxes;		/* of each type */
	struct names_type types[];
};

static inline uint32_t scope_of(enum scope_kind kind, uint32_t owner)
{
	return (uint32_t)kind << 24 | owner;
}

static inline unsigned char fold(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 'a' && u <= 'z' ? u - ('a' - 'A') : u;
}

/* Eight characters at a time.  Setting bit 5 folds the case of letters; what else it makes equal
 * is told apart when names are compared. */
static inline uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ (word | UINT64_C(0x2020202020202020))) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static inline uint64_t letter(struct span name, size_t i)
{
	return (unsigned char)name.s[i];
}

static inline uint32_t hash_of(uint32_t scope, struct span name)
{
	uint64_t h = scope + name.n * UINT64_C(0x100000001b3), word;
	size_t i = 0;

	for (; i + 8 <= name.n; i += 8) {
		memcpy(&word, name.s + i, 8);
		h = mix(h, word);
	}
	/* What is left: the last eight; a short name as two halves that may overlap, or as three letters. */
	if (name.n >= 8) {
		memcpy(&word, name.s + name.n - 8, 8);
	} else if (name.n >= 4) {
		uint32_t half[2];

		memcpy(half, name.s, 4);
		memcpy(half + 1, name.s + name.n - 4, 4);
		word = (uint64_t)half[1] << 32 | half[0];
	} else {
		word = name.n ? letter(name, 0) << 16 | letter(name, name.n / 2) << 8 | letter(name, name.n - 1) : 0;
	}
	h = mix(h, word);
	return (uint32_t)(h >> 32);
}

bool names_same(struct span a, const char *b)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if (fold(a.s[i]) != fold(b[i]) || !b[i])
			return false;
	return b[i] == '\0';
}

bool names_glob(struct span pattern, const char *name)
{
	size_t p = 0, star = SIZE_MAX;
	const char *resume = NULL;

	while (*name) {
		if (p < pattern.n && pattern.s[p] == '*') {
			star = p++;
			resume = name;
		} else if (p < pattern.n &&
			   (pattern.s[p] == '?' || fold(pattern.s[p]) == fold(*name))) {
			p++;
			name++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.s[p] == '*')
		p++;
	return p == pattern.n;
}

static void add(struct names *n, uint32_t scope, uint32_t name, uint32_t index)
{
	const char *s = cat_str(name);
	size_t length = strlen(s);
	uint32_t hash = hash_of(scope, (struct span){ s, length });
	uint32_t at = hash & n->mask;

	while (n->entries[at].name)
		at = (at + 1) & n->mask;
	n->entries[at] = (struct entry){ hash, scope, name, (uint16_t)index, (uint16_t)length };
}

static inline bool may_be(const struct entry *e, uint32_t hash, uint32_t scope, struct span name)
{
	return e->hash == hash && e->scope == scope && e->length == name.n;
}

/* The one name that differs in case only. */
static uint32_t find_folded(const struct names *n, uint32_t hash, uint32_t scope, struct span name)
{
	uint32_t found = NAMES_NONE;
	unsigned matches = 0;

	for (uint32_t at = hash & n->mask; n->entries[at].name; at = (at + 1) & n->mask)
		if (may_be(n->entries + at, hash, scope, name) && names_same(name, cat_str(n->entries[at].name))) {
			found = n->entries[at].index;
			matches++;
		}
	return matches == 1 ? found : NAMES_NONE;
}

static uint32_t find(const struct names *n, uint32_t scope, struct span name)
{
	uint32_t hash = hash_of(scope, name);

	for (uint32_t at = hash & n->mask; n->entries[at].name; at = (at + 1) & n->mask)
		if (may_be(n->entries + at, hash, scope, name) &&
		    memcmp(cat_str(n->entries[at].name), name.s, name.n) == 0)
			return n->entries[at].index;
	return find_folded(n, hash, scope, name);
}

static uint32_t count_names(const struct cat_family *f)
{
	uint32_t count = f->types;

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		count += cat_types[t].regs + (uint32_t)cat_types[t].events;
		for (unsigned i = 0; i < cat_types[t].regs; i++)
			count += 4u * cat_regs[cat_types[t].reg0 + i].fields;
		for (unsigned e = 0; e < cat_types[t].events; e++)
			count += cat_events[cat_types[t].event0 + e].umasks;
	}
	return count;
}

bool names_is_filter(const struct cat_reg *reg, const struct cat_field *f)
{
	return (reg->role == CAT_FILTER && f->attr != CAT_RV) || f->match != CAT_MATCH_NONE;
}

static bool is_known(const struct names *n, uint32_t scope, uint32_t name)
{
	return find(n, scope, (struct span){ cat_str(name), strlen(cat_str(name)) }) != NAMES_NONE;
}

/* Under the register's own scope, and once under that of the family. */
static void add_fields(struct names *n, uint32_t index)
{
	const struct cat_reg *reg = cat_regs + index;
	const uint32_t scopes[] = { scope_of(SCOPE_FIELD, 0), scope_of(SCOPE_FIELD, index + 1) };

	for (unsigned i = reg->field0; i < (unsigned)reg->field0 + reg->fields; i++) {
		const struct cat_field *f = cat_fields + i;

		if (f->attr == CAT_RV || (reg->role != CAT_CTL && !names_is_filter(reg, f)))
			continue;
		for (unsigned k = 0; k < LEN(scopes); k++) {
			if (!is_known(n, scopes[k], f->name))
				add(n, scopes[k], f->name, i);
			if (!is_known(n, scopes[k], f->as))
				add(n, scopes[k], f->as, i);
		}
	}
}

static void add_type(struct names *n, unsigned type)
{
	const struct cat_type *t = cat_types + type;

	add(n, scope_of(SCOPE_TYPE, 0), t->name, type);
	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs; i++) {
		add(n, scope_of(SCOPE_REG, type), cat_regs[i].name, i);
		add_fields(n, i);
	}
	for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events; i++) {
		const struct cat_event *e = cat_events + i;

		add(n, scope_of(SCOPE_EVENT, type), e->name, i);
		for (unsigned u = e->umask0; u < (unsigned)e->umask0 + e->umasks; u++)
			add(n, scope_of(SCOPE_UMASK, i), cat_umasks[u].name, u);
	}
}

int names_new(unsigned family, struct names **out)
{
	const struct cat_family *f = cat_families + family;
	struct names *n = calloc(1, sizeof *n + f->types * (sizeof *n->types + sizeof *n->boxes));
	uint32_t size = 64;

	if (!n)
		return BXS_ENOMEM;
	while (size < 2 * count_names(f))
		size *= 2;
	n->family = f;
	n->mask = size - 1;
	n->boxes = (uint16_t *)(n->types + f->types);
	n->entries = calloc(size, sizeof *n->entries);
	if (!n->entries) {
		free(n);
		return BXS_ENOMEM;
	}
	for (unsigned t = 0; t < f->types; t++) {
		add_type(n, f->type0 + t);
		names_fill_layout(n->types + t, f->type0 + t);
		n->boxes[t] = cat_types[f->type0 + t].boxes;
	}
	*out = n;
	return 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	free(n->entries);
	free(n);
}

const struct cat_family *names_family(const struct names *n)
{
	return n->family;
}

const struct names_type *names_layout(const struct names *n, unsigned type)
{
	return n->types + (type - n->family->type0);
}

uint32_t names_find_type(const struct names *n, struct span name)
{
	return find(n, scope_of(SCOPE_TYPE, 0), name);
}

uint32_t names_find_event(const struct names *n, unsigned type, struct span name)
{
	return find(n, scope_of(SCOPE_EVENT, type), name);
}

uint32_t names_find_umask(const struct names *n, unsigned event, struct span name)
{
	return find(n, scope_of(SCOPE_UMASK, event), name);
}

bool names_is_field(const struct names *n, struct span name)
{
	return find(n, scope_of(SCOPE_FIELD, 0), name) != NAMES_NONE;
}

const struct cat_field *names_find_field(const struct names *n, uint32_t reg, struct span name)
{
	uint32_t field = find(n, scope_of(SCOPE_FIELD, reg + 1), name);

	return field == NAMES_NONE ? NULL : cat_fields + field;
}

uint32_t names_find_reg(const struct names *n, unsigned type, struct span name)
{
	return find(n, scope_of(SCOPE_REG, type), name);
}

/* name = before{A,B}after with one of the words in the place of the braces: which one? */
static bool match_braces(const char *pattern, struct span name, unsigned *element)
{
	const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;

	if (!close || !strchr(open, ','))
		return false;

	size_t before = (size_t)(open - pattern), after = strlen(close + 1);

	if (name.n < before + after || strncasecmp(name.s, pattern, before) != 0 ||
	    !names_same((struct span){ name.s + name.n - after, after }, close + 1))
		return false;

	struct span middle = { name.s + before, name.n - before - after };
	const char *word = open + 1;

	for (*element = 0; word <= close; ++*element) {
		size_t len = strcspn(word, ",}");

		if (len == middle.n && strncasecmp(word, middle.s, len) == 0)
			return true;
		word += len + 1;
	}
	return false;
}

uint32_t names_find_element(const struct names *n, unsigned type, struct span name,
			    unsigned *element)
{
	const struct cat_type *t = cat_types + type;
	uint32_t reg = names_find_reg(n, type, name);

	*element = 0;
	for (unsigned i = t->reg0; reg == NAMES_NONE && i < (unsigned)t->reg0 + t->regs; i++)
		if (match_braces(cat_str(cat_regs[i].name), name, element) &&
		    *element < cat_regs[i].count)
			return i;
	return reg;
}

uint32_t names_find_code(const struct names *n, unsigned type, uint32_t code, unsigned ext)
{
	const struct cat_type *t = cat_types + type;

	(void)n;
	for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events; i++)
		if (cat_events[i].code == code && cat_events[i].ext == ext)
			return i;
	return NAMES_NONE;
}

unsigned names_boxes(const struct names *n, unsigned type)
{
	return n->boxes[type - n->family->type0];
}

void names_set_counters(struct names *n, unsigned type, unsigned counters)
{
	n->types[type - n->family->type0].counters = (uint32_t)bits_low(counters);
}

void names_set_boxes(struct names *n, unsigned type, unsigned boxes)
{
	n->boxes[type - n->family->type0] = (uint16_t)boxes;
}
