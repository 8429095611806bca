/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers names from registers, fields and events for cat_nearest() to choose from. */
#include "measure/near.h"

#include <stdio.h>

#include "catalog/find.h"

void near_offer(struct near *n, const char *name)
{
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
