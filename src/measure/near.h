/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean": names gathered from several lists, and the nearest of them. */
#ifndef BXS_MEASURE_NEAR_H
#define BXS_MEASURE_NEAR_H

#include "measure/names.h"

enum { NEAR_NAMES = 512 };

struct near {
	const char *name[NEAR_NAMES];
	unsigned names;
};

/* A name to choose from; it lives as long as n.  Past NEAR_NAMES names are left out, and what has been offered before. */
void near_offer(struct near *n, const char *name);

/* "; did you mean NAME?", or nothing, written to out (size bytes); returns out. */
const char *near_words(const struct near *n, struct span word, char *out, size_t size);

/* The same; where nothing is near, what there is: "; INTRO A, B, ...".  Nothing offered: nothing. */
const char *near_or_all(const struct near *n, struct span word, const char *intro, char *out, size_t size);

/* "A, B, ...", as many names as there is room for. */
void near_list(const struct near *n, char *out, size_t size);

#endif
