/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#ifndef BXS_ARRAY_H
#define BXS_ARRAY_H

#include <stdlib.h>

/*
 * Room for one element of `size` bytes behind the `used` first of an array that has *room: twice as much, 16 at
 * least, where there is none left.  Returns the array, which may have moved; NULL: out of memory, the old one
 * and *room stand.
 */
static inline void *array_grow(void *array, unsigned used, unsigned *room, size_t size)
{
	unsigned more = *room ? 2 * *room : 16;

	if (used < *room)
		return array;
	array = realloc(array, more * size);
	if (array)
		*room = more;
	return array;
}

#endif
