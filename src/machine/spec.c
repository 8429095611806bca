// SPDX-License-Identifier: BSD-2-Clause
/* Machine specifications: text to numbers, with messages that name the culprit. */
#include "machine/spec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "machine/families.h"
#include "machine/map.h"

static const struct spec_key_info keys[SPEC_KEY_COUNT] = {
#define X(id, name_, def_, least_, most_, words_, text_) \
	[SPEC_##id] = { .name = name_, .def = def_, .least = least_, .most = most_, \
			.words = words_, .text = text_ },
	SPEC_KEYS(X)
#undef X
};

const struct spec_key_info *spec_key_info(enum spec_key key)
{
	return &keys[key];
}

/* A piece of the specification: not ended by a 0. */
struct word {
	const char *s;
	int n;
};

struct complaint {
	char *why;
	size_t size;
};

__attribute__((format(printf, 3, 4)))
static int complain(const struct complaint *c, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, c->size, format, args);
	va_end(args);
	return err;
}

static bool word_is(struct word w, const char *s)
{
	return strlen(s) == (size_t)w.n && memcmp(w.s, s, (size_t)w.n) == 0;
}

/* How many letters to change, add or drop to get from w to s; words of at most 31 letters. */
static unsigned distance(struct word w, const char *s)
{
	unsigned row[32], n = (unsigned)strlen(s);

	if (w.n > 31 || n > 31)
		return 99;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; i <= (unsigned)w.n; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			unsigned best = diagonal + (w.s[i - 1] != s[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

/* The name among names(ctx, 0), names(ctx, 1), ... nearest to w, if it is near enough. */
static const char *nearest(struct word w, const char *(*names)(const void *ctx, unsigned n),
			   const void *ctx)
{
	const char *best = NULL, *name;
	unsigned least = w.n > 3 ? 3 : 2;

	for (unsigned n = 0; (name = names(ctx, n)) != NULL; n++) {
		unsigned d = distance(w, name);

		if (d < least) {
			least = d;
			best = name;
		}
	}
	return best;
}

static const char *family_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return n < cat_family_count ? cat_str(cat_families[n].name) : NULL;
}

static const char *part_name(const void *family, unsigned n)
{
	const struct cat_family *f = family;

	return n < f->parts ? cat_str(cat_parts[f->part0 + n].name) : NULL;
}

static const char *key_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return n < SPEC_KEY_COUNT ? keys[n].name : NULL;
}

/* "what `w` is not known: one of a, b, c" or "...; did you mean a?" */
static int unknown(const struct complaint *c, const char *what, struct word w,
		   const char *(*names)(const void *ctx, unsigned n), const void *ctx)
{
	const char *near = nearest(w, names, ctx), *name;
	char list[320] = "";
	size_t len = 0;

	if (near)
		return complain(c, BXS_ENOENT, "no %s \"%.*s\"; did you mean %s?", what, w.n, w.s,
				near);
	for (unsigned n = 0; (name = names(ctx, n)) != NULL && len < sizeof list; n++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", n ? ", " : "", name);
	return complain(c, BXS_ENOENT, "no %s \"%.*s\"; there are: %s", what, w.n, w.s, list);
}

/* Cut the next word, up to one of `ends` or the end of the text. */
static struct word cut(const char **text, const char *ends)
{
	struct word w = { .s = *text, .n = (int)strcspn(*text, ends) };

	*text += w.n;
	return w;
}

/* A whole number with an optional K, M or G (powers of 1024). */
static bool number(struct word w, uint64_t *value)
{
	uint64_t v = 0;
	int i = 0;

	while (i < w.n && w.s[i] >= '0' && w.s[i] <= '9') {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(w.s[i++] - '0');
	}
	if (i == 0)
		return false;
	if (i == w.n - 1) {
		static const char suffixes[] = "KMG";
		const char *s = w.s[i] ? strchr(suffixes, w.s[i]) : NULL;
		unsigned shift = s ? 10 * (unsigned)(s - suffixes + 1) : 0;

		if (!s || v > UINT64_MAX >> shift)
			return false;
		v <<= shift;
		i++;
	}
	*value = v;
	return i == w.n;
}

/* Which of the words of the key `w` is. */
static bool choice(const struct spec_key_info *key, struct word w, uint64_t *value)
{
	const char *words = key->words;

	for (uint64_t n = 0; *words; n++) {
		struct word one = cut(&words, " ");

		if (one.n == w.n && memcmp(one.s, w.s, (size_t)w.n) == 0) {
			*value = n;
			return true;
		}
		words += *words == ' ';
	}
	return false;
}

static int set_key(struct spec *spec, struct word name, struct word value,
		   const struct complaint *c)
{
	const struct spec_key_info *key = keys;
	uint64_t v;

	while (key < keys + SPEC_KEY_COUNT && !word_is(name, key->name))
		key++;
	if (key == keys + SPEC_KEY_COUNT)
		return unknown(c, "machine key", name, key_name, NULL);
	if (key->words && !choice(key, value, &v))
		return complain(c, BXS_EINVAL, "%s=%.*s: has to be one of: %s", key->name, value.n,
				value.s, key->words);
	if (!key->words && (!number(value, &v) || v < key->least || v > key->most))
		return complain(c, BXS_EINVAL, "%s=%.*s: has to be a number from %ju to %ju",
				key->name, value.n, value.s, (uintmax_t)key->least,
				(uintmax_t)key->most);
	spec->value[key - keys] = v;
	return 0;
}

/* The part's parameters; the catalogue may say nothing about a part that has no key here. */
static int apply_part(struct spec *spec, const struct complaint *c)
{
	const struct cat_part *part = spec->part;

	for (unsigned i = 0; part && i < part->params; i++) {
		const struct cat_param *p = &cat_params[part->param0 + i];
		const struct spec_key_info *key = keys;

		while (key < keys + SPEC_KEY_COUNT && strcmp(key->name, cat_str(p->key)) != 0)
			key++;
		if (key == keys + SPEC_KEY_COUNT)
			return complain(c, BXS_EBUG, "part %s: the catalogue sets %s, which no "
					"machine has", cat_str(part->name), cat_str(p->key));
		spec->value[key - keys] = p->value;
	}
	return 0;
}

static int find_part(struct spec *spec, const struct word *name, const struct complaint *c)
{
	const struct cat_family *f = spec->family;

	for (unsigned i = 0; i < f->parts; i++) {
		const struct cat_part *part = &cat_parts[f->part0 + i];

		if (name ? word_is(*name, cat_str(part->name)) : part->is_default) {
			spec->part = part;
			return 0;
		}
	}
	return name ? unknown(c, "part", *name, part_name, f) : 0;
}

/* What only several keys together can get wrong. */
static int check_whole(const struct spec *spec, const struct complaint *c)
{
	const uint64_t *v = spec->value;

	if (v[SPEC_BIND] != SPEC_NONE && v[SPEC_BIND] >= v[SPEC_SOCKETS])
		return complain(c, BXS_EINVAL, "bind=%ju: there are nodes 0 to %ju",
				(uintmax_t)v[SPEC_BIND], (uintmax_t)(v[SPEC_SOCKETS] - 1));
	if (v[SPEC_MEMORY] % MAP_BLOCK_BYTES != 0)
		return complain(c, BXS_EINVAL, "memory=%ju: has to be a multiple of 4M",
				(uintmax_t)v[SPEC_MEMORY]);
	return families_check(spec, c->why, c->size);
}

int spec_parse(const char *text, struct spec *out, char *why, size_t size)
{
	struct complaint c = { .why = why, .size = size };
	struct spec spec = { .family = NULL };
	struct word family = cut(&text, ":,");
	struct word part = { .s = NULL };
	int err;

	for (unsigned i = 0; i < cat_family_count; i++)
		if (word_is(family, cat_str(cat_families[i].name)))
			spec.family = &cat_families[i];
	if (!spec.family)
		return unknown(&c, "family", family, family_name, NULL);
	if (*text == ':') {
		text++;
		part = cut(&text, ",");
	}
	for (unsigned i = 0; i < SPEC_KEY_COUNT; i++)
		spec.value[i] = keys[i].def;
	err = find_part(&spec, part.s ? &part : NULL, &c);
	if (err == 0)
		err = apply_part(&spec, &c);
	while (err == 0 && *text == ',') {
		struct word key, value;

		text++;
		key = cut(&text, "=,");
		if (*text != '=')
			return complain(&c, BXS_EINVAL, "\"%.*s\": a key needs a value: key=value",
					key.n, key.s);
		text++;
		value = cut(&text, ",");
		err = set_key(&spec, key, value, &c);
	}
	if (err == 0)
		err = check_whole(&spec, &c);
	if (err == 0)
		*out = spec;
	return err;
}
