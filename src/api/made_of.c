/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine is made of: its keys and its boxes. */
#include <stdio.h>
#include <string.h>

#include "api/machine.h"
#include "local/local.h"
#include "pmu/pmu.h"

/* The word number `value` of "a b c". */
static void copy_word(const char *words, uint64_t value, char *out, size_t size)
{
	if (!words)
		words = "";
	for (; value > 0 && *words; value--)
		words += strcspn(words, " ") + (words[strcspn(words, " ")] == ' ');
	snprintf(out, size, "%.*s", (int)strcspn(words, " "), words);
}

int bxs_each_key(const bxs_machine *m, int (*fn)(void *ctx, const char *key, uint64_t value, const char *word), void *ctx)
{
	const struct spec *spec = machine_spec(m->machine);
	int end = 0;

	for (unsigned i = 0; i < SPEC_KEY_COUNT && end == 0; i++) {
		const struct spec_key_info *key = spec_key_info((enum spec_key)i);
		char word[32];

		if (spec->value[i] == SPEC_NONE)
			continue;
		copy_word(key->words, spec->value[i], word, sizeof word);
		end = fn(ctx, key->name, spec->value[i], word);
	}
	return end;
}

static bool is_used(const bxs_machine *m, unsigned type, unsigned box)
{
	return m->local ? !local_is_fused(m->local, type, box) : machine_uses(m->machine, type, box);
}

int bxs_each_used_box(const bxs_machine *m, int (*fn)(void *ctx, const char *type, unsigned number), void *ctx)
{
	struct pmu *p = machine_pmu(m->machine);
	const struct cat_family *f = pmu_family(p);

	for (unsigned t = 0; t < f->types; t++) {
		const char *name = cat_str(cat_types[f->type0 + t].name);

		for (unsigned box = 0; box < pmu_boxes(p, t); box++) {
			int end = is_used(m, f->type0 + t, box) ? fn(ctx, name, box) : 0;

			if (end)
				return end;
		}
	}
	return 0;
}

const char *bxs_family_of(const bxs_machine *m)
{
	return cat_str(machine_spec(m->machine)->family->name);
}
