/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event looks at beside its control: by its needs and parameters, its messages, the keys that narrow it. */
#include <stdio.h>
#include <string.h>

#include "measure/field_private.h"

const char *need_owner(const struct apply *a, unsigned i, uint32_t *keys, unsigned *need0, unsigned *needs)
{
	if (i == 0) {
		*keys = a->e->keys;
		*need0 = a->e->need0;
		*needs = a->e->needs;
		return cat_str(a->e->name);
	}

	const struct cat_umask *u = cat_umasks + a->umasks[i - 1];

	*keys = u->keys;
	*need0 = u->need0;
	*needs = u->needs;
	return cat_str(u->name);
}

bool need_has_message(const struct cat_event *e)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (names_key(cat_umasks[e->umask0 + i].keys, "message").s)
			return true;
	return false;
}

static bool has_key(const struct apply *a, struct span keys)
{
	struct span word;

	while (names_next(&keys, &word)) {
		char key[32];
		int len = snprintf(key, sizeof key, "%.*s", (int)word.n, word.s);
		struct span value = len < (int)sizeof key ? names_key(a->e->keys, key)
							  : (struct span){ NULL, 0 };

		if (value.s && (names_same(value, "yes") || names_same(value, "some")))
			return true;
	}
	return false;
}

bool need_narrows(const struct apply *a, const struct cat_field *f)
{
	const char *keys = cat_str(f->narrows);

	return *keys && has_key(a, (struct span){ keys, strlen(keys) });
}

const struct cat_field *need_param_of(const struct apply *a, struct span word, unsigned *reg, bool *valued,
				      uint64_t *value)
{
	const char *colon = memchr(word.s, ':', word.n);
	struct span name = { word.s, colon ? (size_t)(colon - word.s) : word.n };

	*valued = colon && event_number((struct span){ colon + 1, word.n - name.n - 1 }, value);
	return names_any_field(a->e->type, name, reg);
}

static bool is_param(const struct apply *a, const struct cat_field *f)
{
	for (unsigned i = 0; i <= a->count; i++) {
		uint32_t keys;
		unsigned need0, needs, reg;
		uint64_t value;
		bool valued;

		need_owner(a, i, &keys, &need0, &needs);

		struct span list = names_key(keys, "param"), word;

		while (names_next(&list, &word))
			if (need_param_of(a, word, &reg, &valued, &value) == f)
				return true;
		for (unsigned k = need0; k < need0 + needs; k++)
			if (f == cat_fields + cat_needs[k].field || f == cat_fields + cat_needs[k].field1)
				return true;
	}
	return false;
}

bool need_looks(const struct apply *a, unsigned reg, const struct cat_field *f)
{
	if (!a->e)
		return false;
	return is_param(a, f) || need_is_sub(a->e, reg) || need_narrows(a, f) ||
	       (cat_regs[reg].holds && need_has_message(a->e));
}

const struct cat_field *need_field(const struct apply *a, struct span name, unsigned *reg)
{
	const struct cat_type *t = cat_types + a->spec->type;
	const struct cat_field *found = NULL;

	for (unsigned i = t->reg0; a->e && i < (unsigned)t->reg0 + t->regs; i++)
		for (unsigned k = 0; k < cat_regs[i].fields; k++) {
			const struct cat_field *f = cat_fields + cat_regs[i].field0 + k;

			if (!names_same(name, cat_str(f->name)) || f->attr == CAT_RV ||
			    cat_regs[i].role == CAT_CTL || !need_looks(a, i, f))
				continue;
			if (found)
				return NULL;
			found = f;
			*reg = i;
		}
	return found;
}
