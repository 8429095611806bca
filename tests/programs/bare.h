/* SPDX-License-Identifier: BSD-2-Clause */
/* For programs without a C library, whose every access a test knows. */
#ifndef BXS_TEST_BARE_H
#define BXS_TEST_BARE_H

#include <stdint.h>

/* An argument. */
static uint64_t number(const char *s)
{
	uint64_t n = 0;

	for (; *s; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	return n;
}

#endif
