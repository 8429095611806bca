/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers names from registers, fields and events for cat_nearest() to choose from. */
#include "measure/near.h"

#include <stdio.h>
#include <string.h>

#include "catalog/find.h"

void near_offer(struct near *n, const char *name)
{
	for (unsigned i = 0; i < n->names; i++)
		if (strcmp(n->name[i], name) == 0)
			return;
	if (n->names < NEAR_NAMES)
		n->name[n->names++] = name;
}

static const char *name_of(const void *ctx, unsigned i)
{
	return ((const struct near *)ctx)->name[i];
}

const char *near_words(const struct near *n, struct span word, char *out, size_t size)
{
	int best = cat_nearest(word.s, word.n, n->names, name_of, n);

	*out = '\0';
	if (best >= 0)
		snprintf(out, size, "; did you mean %s?", n->name[best]);
	return out;
}

void near_list(const struct near *n, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (unsigned i = 0; i < n->names; i++) {
		if (used + strlen(n->name[i]) + 8 > size) {
			snprintf(out + used, size - used, "%s...", i ? ", " : "");
			return;
		}
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", n->name[i]);
	}
}

const char *near_or_all(const struct near *n, struct span word, const char *intro, char *out, size_t size)
{
	int used;

	if (*near_words(n, word, out, size) || n->names == 0)
		return out;
	used = snprintf(out, size, "; %s ", intro);
	near_list(n, out + used, size - (size_t)used);
	return out;
}
