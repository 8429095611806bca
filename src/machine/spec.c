/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine specifications: text to numbers, with messages that name the culprit. */
#include "machine/spec.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/complain.h"
#include "catalog/find.h"
#include "machine/families.h"
#include "machine/map.h"
#include "machine/options.h"

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

static bool word_is(struct word w, const char *s)
{
	return strlen(s) == (size_t)w.n && memcmp(w.s, s, (size_t)w.n) == 0;
}

static const char *family_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return cat_str(cat_families[n].name);
}

static const char *part_name(const void *family, unsigned n)
{
	const struct cat_family *f = family;

	return cat_str(cat_parts[f->part0 + n].name);
}

static const char *key_name(const void *ctx, unsigned n)
{
	(void)ctx;
	return keys[n].name;
}

/* "no WHAT "w"; did you mean a?", or if nothing is near "...; there are: a, b, c" */
static int unknown(const struct complaint *c, const char *what, struct word w, unsigned count,
		   const char *(*name_of)(const void *ctx, unsigned n), const void *ctx)
{
	int near = cat_nearest(w.s, (size_t)w.n, count, name_of, ctx);
	char list[400] = "";
	size_t len = 0;

	if (near >= 0)
		return complain(c, BXS_ENOENT, "no %s \"%.*s\"; did you mean %s?", what, w.n, w.s,
				name_of(ctx, (unsigned)near));
	for (unsigned n = 0; n < count && len < sizeof list; n++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", n ? ", " : "",
					name_of(ctx, n));
	return complain(c, BXS_ENOENT, "no %s \"%.*s\"; there are: %s", what, w.n, w.s,
			count ? list : "none");
}

/* Cut the next word, up to one of `ends` or the end of the text. */
static struct word cut(const char **text, const char *ends)
{
	struct word w = { .s = *text, .n = (int)strcspn(*text, ends) };

	*text += w.n;
	return w;
}

bool spec_number(const char *text, size_t len, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	uint64_t v = 0;
	size_t i = 0;

	while (i < len && text[i] >= '0' && text[i] <= '9') {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(text[i++] - '0');
	}
	if (i == 0)
		return false;
	if (i + 1 == len && text[i]) {
		const char *s = strchr(suffixes, text[i]);
		unsigned shift = s ? 10 * (unsigned)(s - suffixes + 1) : 0;

		if (!s || v > UINT64_MAX >> shift)
			return false;
		v <<= shift;
		i++;
	}
	*value = v;
	return i == len;
}

bool spec_choice(const char *words, const char *text, size_t len, uint64_t *value)
{
	for (uint64_t n = 0; *words; n++) {
		struct word one = cut(&words, " ");

		if ((size_t)one.n == len && memcmp(one.s, text, len) == 0) {
			*value = n;
			return true;
		}
		words += *words == ' ';
	}
	return false;
}

static int set_key(struct spec *spec, uint64_t *seen, struct word name, struct word value, const struct complaint *c)
{
	const struct options_word text = { value.s, (size_t)value.n };
	const struct spec_key_info *key = keys;
	int err;

	while (key < keys + SPEC_KEY_COUNT && !word_is(name, key->name))
		key++;
	if (key == keys + SPEC_KEY_COUNT)
		return unknown(c, "machine key", name, SPEC_KEY_COUNT, key_name, NULL);
	err = options_once(seen, (unsigned)(key - keys), key->name, c);
	return err < 0 ? err : options_value(key, &text, &spec->value[key - keys], c);
}

/*
 * What the catalogue says of a part for people to read: a machine has them from its die
 * (slices come with cores, controllers with home agents) or never uses them.
 */
static bool is_fact(const char *key)
{
	static const char *const facts[] = { "turbo_mhz", "turbo_all_mhz", "tdp_watts", "llc_slices", "llc_slice_kb", "sbos",
					     "imcs" };

	for (size_t i = 0; i < LEN(facts); i++)
		if (strcmp(facts[i], key) == 0)
			return true;
	return false;
}

/* The part's parameters become the specification's defaults. */
static int apply_part(struct spec *spec, const struct complaint *c)
{
	const struct cat_part *part = spec->part;

	for (unsigned i = 0; part && i < part->params; i++) {
		const struct cat_param *p = &cat_params[part->param0 + i];
		const struct spec_key_info *key = keys;

		if (is_fact(cat_str(p->key)))
			continue;
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

	spec->part = name ? cat_find_part(f, name->s, (size_t)name->n) : cat_default_part(f);
	if (name && !spec->part)
		return unknown(c, "part", *name, f->parts, part_name, f);
	return 0;
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
	uint64_t seen = 0;
	int err;

	spec.family = cat_find_family(family.s, (size_t)family.n);
	if (!spec.family)
		return unknown(&c, "family", family, cat_family_count, family_name, NULL);
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
		err = set_key(&spec, &seen, key, value, &c);
	}
	if (spec.value[SPEC_CORE_MHZ] == 0)
		spec.value[SPEC_CORE_MHZ] = spec.value[SPEC_BASE_MHZ];
	if (err == 0)
		err = check_whole(&spec, &c);
	if (err == 0)
		*out = spec;
	return err;
}
