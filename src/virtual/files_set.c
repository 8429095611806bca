/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of CPUs and nodes, written as the kernel writes them. */
#include <stdio.h>

#include "virtual/files.h"

static bool has(const struct files_set *s, unsigned i)
{
	return i < s->n && s->word[i / 64] >> i % 64 & 1;
}

void files_set_add(struct files_set *s, unsigned i)
{
	if (i < s->n)
		s->word[i / 64] |= UINT64_C(1) << i % 64;
}

const char *files_list(const struct files_set *s, char buf[FILES_LIST])
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < s->n; i++) {
		unsigned first = i;

		if (!has(s, i))
			continue;
		while (has(s, i + 1))
			i++;
		used += (size_t)snprintf(buf + used, FILES_LIST - used, i > first ? "%s%u-%u" : "%s%u",
					 used ? "," : "", first, i);
	}
	return buf;
}

/* Groups of 32 bits, the highest first; the first group is as long as its bits need. */
const char *files_mask(const struct files_set *s, char buf[FILES_LIST])
{
	unsigned groups = (s->n + 31) / 32;
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned g = groups; g-- > 0;) {
		unsigned bits = g + 1 == groups && s->n % 32 ? s->n % 32 : 32;
		uint32_t word = (uint32_t)(s->word[g / 2] >> (g % 2 ? 32 : 0));

		used += (size_t)snprintf(buf + used, FILES_LIST - used, "%s%0*x", used ? "," : "",
					 (int)(bits + 3) / 4, word);
	}
	return buf;
}
