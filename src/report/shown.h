/* SPDX-License-Identifier: BSD-2-Clause */
/* Format values for people to read, in the same way in tables and in the page. */
#ifndef BXS_REPORT_SHOWN_H
#define BXS_REPORT_SHOWN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Is the value a whole number?  Counts are; scaled and computed values need not be. */
static inline bool shown_whole(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value);
}

/* Format 12345678 as 12,345,678, and small computed values with three or four decimal places. */
void shown_value(double value, char *out, size_t size);

#endif
