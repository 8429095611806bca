/* SPDX-License-Identifier: BSD-2-Clause */
/* A value as people read it: the same in tables and in the page. */
#ifndef BXS_REPORT_SHOWN_H
#define BXS_REPORT_SHOWN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Counts are whole; what was scaled or computed need not be. */
static inline bool shown_whole(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value);
}

/* 12345678 as 12,345,678; small computed values with three or four digits behind the point. */
void shown_value(double value, char *out, size_t size);

#endif
