/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling the caller, in a buffer of his, what was wrong and what would be right. */
#ifndef BXS_COMPLAIN_H
#define BXS_COMPLAIN_H

#include <stddef.h>

/* Where the words for people go; why may be NULL with size 0. */
struct complaint {
	char *why;
	size_t size;
};

/* Write one sentence, cut to fit; returns err. */
int complain(const struct complaint *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
