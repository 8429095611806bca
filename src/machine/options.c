/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads "key=value,key=value", with messages that name the culprit. */
#include "machine/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"

static const char *key_name(const void *keys, unsigned n)
{
	return ((const struct spec_key_info *)keys)[n].name;
}

static int unknown(const struct complaint *c, const char *what, const struct spec_key_info *keys, unsigned n,
		   const char *word, size_t len)
{
	int near = cat_nearest(word, len, n, key_name, keys);
	char list[300] = "";
	size_t used = 0;

	if (near >= 0)
		return complain(c, BXS_EINVAL, "no key \"%.*s\" of %s; did you mean %s?", (int)len, word, what,
				keys[near].name);
	for (unsigned i = 0; i < n && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", keys[i].name);
	return complain(c, BXS_EINVAL, "no key \"%.*s\" of %s; there are: %s", (int)len, word, what, list);
}

int options_once(uint64_t *seen, unsigned n, const char *name, const struct complaint *c)
{
	if (*seen >> n & 1)
		return complain(c, BXS_EINVAL, "%s is given twice", name);
	*seen |= UINT64_C(1) << n;
	return 0;
}

int options_next(struct options *o, const char **text, struct options_word *value, const struct complaint *c)
{
	const char *s = *text;
	size_t len = strcspn(s, ","), name = strcspn(s, "=,");

	if (!*s)
		return -1;
	*text = s + len + (s[len] == ',');
	for (unsigned i = 0; i < o->n; i++) {
		const char *key = o->keys[i].name;

		if (strlen(key) != name || memcmp(key, s, name) != 0)
			continue;
		if (name == len)
			return complain(c, BXS_EINVAL, "%s: a key needs a value: %s=value", key, key) - 2;
		if (options_once(&o->seen, i, key, c) < 0)
			return BXS_EINVAL - 2;
		*value = (struct options_word){ s + name + 1, len - name - 1 };
		return (int)i;
	}
	return unknown(c, o->what, o->keys, o->n, s, name) - 2;
}

/* Of large round numbers it is said how they may be written. */
static int out_of_range(const struct spec_key_info *key, const struct options_word *value, const struct complaint *c)
{
	static const char suffixes[] = "; K, M, G after it stand for 2^10, 2^20, 2^30";

	return complain(c, BXS_EINVAL, "%s=%.*s: has to be a number from %" PRIu64 " to %" PRIu64 "%s", key->name, (int)value->len,
			value->s, key->least, key->most, key->most >> 20 && key->most % 1024 == 0 ? suffixes : "");
}

int options_value(const struct spec_key_info *key, const struct options_word *value, uint64_t *out,
		  const struct complaint *c)
{
	uint64_t v = 0;

	if (key->words) {
		if (spec_choice(key->words, value->s, value->len, out))
			return 0;
		return complain(c, BXS_EINVAL, "%s=%.*s: has to be one of: %s", key->name, (int)value->len, value->s,
				key->words);
	}
	if (!spec_number(value->s, value->len, &v) || v < key->least || v > key->most)
		return out_of_range(key, value, c);
	*out = v;
	return 0;
}

bool options_time(const char **text, const char *end, uint64_t *ps)
{
	static const struct { const char *unit; uint64_t ps; } units[] = {
		{ "ns", 1000 }, { "us", 1000000 }, { "ms", 1000000000 }, { "s", 1000000000000 },
	};
	const char *s = *text;
	uint64_t v = 0;

	if (s == end || *s < '0' || *s > '9')
		return false;
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		if (v > 1000000000000)
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	for (size_t i = 0; i < LEN(units); i++) {
		size_t len = strlen(units[i].unit);

		if ((size_t)(end - s) < len || memcmp(s, units[i].unit, len) != 0)
			continue;
		if (v > UINT64_MAX / 4 / units[i].ps)
			return false;
		*ps = v * units[i].ps;
		*text = s + len;
		return true;
	}
	return false;
}
