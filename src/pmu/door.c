/* SPDX-License-Identifier: BSD-2-Clause */
/* Occurrences by name: kinds, attributes and their values as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/door.h"
#include "pmu/engine.h"

static const char *const kinds[] = {
#define X(id, name) name,
	DOOR_KINDS(X)
#undef X
};

static const struct attribute {
	const char *name, *words;
	uint64_t def, most;
} attributes[] = {
#define X(id, name_, def_, most_, words_) \
	{ .name = name_, .words = words_, .def = def_, .most = most_ },
	DOOR_ATTRIBUTES(X)
#undef X
};

bool door_start(struct door *d, const char *kind)
{
	unsigned k = 0;

	while (k < LEN(kinds) && strcmp(kinds[k], kind) != 0)
		k++;
	if (k == LEN(kinds))
		return false;
	*d = (struct door){ .kind = (enum door_kind)k };
	for (unsigned i = 0; i < DOOR_ATTRIBUTE_COUNT; i++)
		d->v[i] = attributes[i].def;
	return true;
}

void door_put(struct door *d, enum door_attribute a, uint64_t value)
{
	d->v[a] = value;
	d->given[a / 64] |= UINT64_C(1) << a % 64;
}

static unsigned find(const char *name)
{
	unsigned a = 0;

	while (a < LEN(attributes) && strcmp(attributes[a].name, name) != 0)
		a++;
	return a;
}

static bool word_number(const char *words, const char *text, uint64_t *value)
{
	size_t len = strlen(text);

	for (*value = 0; *words; ++*value) {
		size_t n = strcspn(words, " ");

		if (n == len && memcmp(words, text, n) == 0)
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

static bool number(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (n == 0 || digits[n] || n > (hex ? 16 : 19))
		return false;
	*value = strtoull(digits, NULL, hex ? 16 : 10);
	return true;
}

int door_set(struct door *d, const char *name, const char *value)
{
	unsigned a = find(name);
	uint64_t v;

	if (a == LEN(attributes))
		return BXS_ENOENT;
	if (attributes[a].words ? !word_number(attributes[a].words, value, &v) :
				  !number(value, &v) || v > attributes[a].most)
		return BXS_EINVAL;
	door_put(d, (enum door_attribute)a, v);
	return 0;
}

void door_values(const char *name, char *buf, size_t size)
{
	const struct attribute *a = &attributes[find(name)];

	if (a == attributes + LEN(attributes))
		snprintf(buf, size, "nothing");
	else if (a->words)
		snprintf(buf, size, "one of: %s", a->words);
	else
		snprintf(buf, size, "a number up to %#jx", (uintmax_t)a->most);
}

int pmu_tell(struct pmu *p, const struct door *d, char *why, size_t size)
{
	for (unsigned t = 0; t < p->family->types; t++)
		if (p->type[t].count->door)
			return d->socket < p->sockets ? p->type[t].count->door(p, d, why, size) : BXS_ENOENT;
	return BXS_ENOTSUP;
}
