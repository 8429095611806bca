/* SPDX-License-Identifier: BSD-2-Clause */
/* "key=value,key=value": what describes a device or a fault. */
#ifndef BXS_MACHINE_OPTIONS_H
#define BXS_MACHINE_OPTIONS_H

#include <stdint.h>

#include "base/complain.h"
#include "machine/spec.h"

/* A piece of the text: not ended by a 0. */
struct options_word {
	const char *s;
	size_t len;
};

/* What is being read. */
struct options {
	const char *what;			/* has these keys, for messages */
	const struct spec_key_info *keys;	/* at most 64 */
	unsigned n;
	uint64_t seen;				/* keys that had their value */
};

/*
 * Cut the next key and its value off *text.  Returns the number of the key, -1 at the end, or below that -2 + a negative
 * enum bxs_err, with a sentence in c.
 */
int options_next(struct options *o, const char **text, struct options_word *value, const struct complaint *c);

/* A key has one value: 0, or BXS_EINVAL with a sentence when key n has been seen. */
int options_once(uint64_t *seen, unsigned n, const char *name, const struct complaint *c);

/* The error in a return value of options_next() below -1. */
static inline int options_error(int key)
{
	return key + 2;
}

/* A word or number as key says.  0 or BXS_EINVAL with a sentence. */
int options_value(const struct spec_key_info *key, const struct options_word *value, uint64_t *out,
		  const struct complaint *c);

/* A time such as 10us or 1500ns, in picoseconds, cut off *text; false: it is none. */
bool options_time(const char **text, const char *end, uint64_t *ps);

#endif
