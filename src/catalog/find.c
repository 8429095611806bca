/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding things in the catalogue by name, and where instances of registers lie. */
#include "catalog/find.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"

static bool same(uint32_t offset, const char *name, size_t len)
{
	const char *s = cat_str(offset);

	return strncasecmp(s, name, len) == 0 && s[len] == '\0';
}

const struct cat_family *cat_find_family(const char *name, size_t len)
{
	for (unsigned i = 0; i < cat_family_count; i++)
		if (same(cat_families[i].name, name, len))
			return &cat_families[i];
	return NULL;
}

const struct cat_type *cat_find_type(const struct cat_family *f, const char *name, size_t len)
{
	for (unsigned i = 0; i < f->types; i++)
		if (same(cat_types[f->type0 + i].name, name, len))
			return &cat_types[f->type0 + i];
	return NULL;
}

const struct cat_part *cat_find_part(const struct cat_family *f, const char *name, size_t len)
{
	for (unsigned i = 0; i < f->parts; i++)
		if (same(cat_parts[f->part0 + i].name, name, len))
			return &cat_parts[f->part0 + i];
	return NULL;
}

const struct cat_event *cat_find_event(const struct cat_type *t, const char *name, size_t len)
{
	for (unsigned i = 0; i < t->events; i++)
		if (same(cat_events[t->event0 + i].name, name, len))
			return &cat_events[t->event0 + i];
	return NULL;
}

const struct cat_umask *cat_find_umask(const struct cat_event *e, const char *name, size_t len)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (same(cat_umasks[e->umask0 + i].name, name, len))
			return &cat_umasks[e->umask0 + i];
	return NULL;
}

const char *cat_unit_name(enum cat_unit unit)
{
	static const char *const names[] = { "events", "clocks", "entry-clocks" };

	return names[unit];
}

const struct cat_event *cat_event_of_code(const struct cat_type *t, uint32_t code, unsigned ext,
					  uint32_t counters)
{
	for (unsigned i = 0; i < t->events; i++) {
		const struct cat_event *e = &cat_events[t->event0 + i];

		if (e->code == code && e->ext == ext && (e->counters & counters))
			return e;
	}
	return NULL;
}

/* Is the rest of some subevent exactly `bit`? */
static bool umask_is(const struct cat_event *e, uint32_t shared, uint32_t bit)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if ((cat_umasks[e->umask0 + i].umask & ~shared) == bit)
			return true;
	return false;
}

uint32_t cat_shared_bits(const struct cat_event *e)
{
	uint32_t shared = UINT32_MAX, all = 0;

	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = &cat_umasks[e->umask0 + i];

		shared &= u->umask;
		all |= u->umask;
		if (u->kind != CAT_UMASK_EXACT)
			return CAT_ABSENT;
	}
	if (e->umasks < 2 || umask_is(e, shared, 0))
		return CAT_ABSENT;
	for (uint32_t left = all & ~shared; left; left &= left - 1)
		if (!umask_is(e, shared, left & -left))
			return CAT_ABSENT;
	return shared;
}

const struct cat_part *cat_default_part(const struct cat_family *f)
{
	for (unsigned i = 0; i < f->parts; i++)
		if (cat_parts[f->part0 + i].is_default)
			return &cat_parts[f->part0 + i];
	return f->parts ? &cat_parts[f->part0] : NULL;
}

bool cat_param(const struct cat_part *p, const char *key, uint64_t *value)
{
	for (unsigned i = 0; i < p->params; i++) {
		const struct cat_param *row = &cat_params[p->param0 + i];

		if (strcmp(cat_str(row->key), key) == 0) {
			*value = row->value;
			return true;
		}
	}
	return false;
}

struct cat_where cat_reg_where(const struct cat_reg *r, unsigned box, unsigned i)
{
	const struct cat_window *w = &cat_windows[r->window];
	uint32_t offset = cat_numbers[r->offset0 + i];
	struct cat_where where = { .space = w->space, .bus = w->bus, .offset = offset };

	if (w->space == CAT_PMC || w->space == CAT_PMD || w->space == CAT_CPU)
		where.base = box;
	else if (w->space == CAT_PCI)
		where.base = cat_numbers[w->base0 + box];
	else
		where.offset += cat_numbers[w->base0 + box];
	return where;
}

/* Where an instance name grows; text past the end is counted, not stored. */
struct sink {
	char *buf;
	size_t size, len;
};

static void sink_put(struct sink *s, char c)
{
	if (s->len + 1 < s->size)
		s->buf[s->len] = c;
	s->len++;
}

static void sink_number(struct sink *s, unsigned n)
{
	if (n >= 10)
		sink_number(s, n / 10);
	sink_put(s, (char)('0' + n % 10));
}

static unsigned atom(const char **p, unsigned box, unsigned i)
{
	char *end;
	unsigned n;

	if (**p == 'b' || **p == 'i')
		return *(*p)++ == 'b' ? box : i;
	n = (unsigned)strtoul(*p, &end, 10);
	*p = end;
	return n;
}

static unsigned term(const char **p, unsigned box, unsigned i)
{
	unsigned n = atom(p, box, i);

	while (**p == '*' || **p == '/' || **p == '%') {
		char op = *(*p)++;
		unsigned by = atom(p, box, i);

		if (op == '*')
			n *= by;
		else if (by)	/* no pattern of a catalogue divides by 0 */
			n = op == '/' ? n / by : n % by;
	}
	return n;
}

/* `{b}`, `{b/4}`, `{b*8+i}`, `{i%2+1}`: p points behind the brace; returns behind the closing one. */
static const char *expand(struct sink *s, const char *p, unsigned box, unsigned i)
{
	unsigned n = term(&p, box, i);

	while (*p == '+') {
		p++;
		n += term(&p, box, i);
	}
	sink_number(s, n);
	return p + 1;
}

size_t cat_reg_instance(const struct cat_reg *r, unsigned box, unsigned i, char *buf, size_t size)
{
	struct sink s = { .buf = buf, .size = size };
	const char *p = cat_str(r->pattern);

	if (strchr(p, ','))
		for (unsigned skip = i; skip > 0; skip--)
			p = strchr(p, ',') + 1;
	while (*p && *p != ',') {
		if (*p == '{')
			p = expand(&s, p + 1, box, i);
		else
			sink_put(&s, *p++);
	}
	if (size)
		buf[s.len < size ? s.len : size - 1] = '\0';
	return s.len;
}

const struct cat_field *cat_reg_field(const struct cat_reg *r, const char *as)
{
	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = &cat_fields[r->field0 + i];

		if (f->attr != CAT_RV && strcmp(cat_str(f->as), as) == 0)
			return f;
	}
	return NULL;
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + 'a' - 'A');
	return c;
}

enum { NEAREST_MAX = 64 };

/* Letters to change, add or leave out to make b of a, at most NEAREST_MAX long each. */
static unsigned distance(const char *a, size_t alen, const char *b, size_t blen)
{
	unsigned row[NEAREST_MAX + 1];

	for (size_t j = 0; j <= blen; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= alen; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= blen; j++) {
			unsigned best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[blen];
}

int cat_nearest(const char *name, size_t len, unsigned count,
		const char *(*name_of)(const void *ctx, unsigned i), const void *ctx)
{
	unsigned best = NEAREST_MAX;
	int found = -1;

	if (len == 0 || len > NEAREST_MAX)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		const char *other = name_of(ctx, i);
		size_t other_len = strlen(other);

		if (other_len > NEAREST_MAX)
			continue;
		unsigned d = distance(name, len, other, other_len);

		if (d < best && (size_t)d * 3 <= len + 2) {
			best = d;
			found = (int)i;
		}
	}
	return found;
}

uint64_t cat_wanted_ones(const struct cat_reg *r)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = cat_fields + r->field0 + i;

		if (f->attr == CAT_RV && f->keep)
			mask |= bits_mask(f->hi, f->lo);
	}
	return mask;
}

uint64_t cat_presets(const struct cat_reg *r)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct cat_field *f = cat_fields + r->field0 + i;

		if (f->has_preset)
			value = bits_put(value, f->hi, f->lo, f->preset);
	}
	return value;
}
