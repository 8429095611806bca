/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A column of numbers packed into a short text.  Each whole number is stored as its difference from the one before, with the sign in
 * bit 0, as base-32 digits, lowest first.  A digit is one of 64 characters; those of the upper half say that more digits follow.  A
 * difference of 0 is followed by a count of how often it occurs in a row.  src/report/page/unpack.js reads the text.
 */
#ifndef BXS_REPORT_PACK_H
#define BXS_REPORT_PACK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns [decimal places, text].  The values are as exact as a table shows them and have at least seven digits of the largest; a NAN is
 * stored as the value before it.  If that needs numbers above 2^53, returns [-1, [values]].  NULL: no memory.
 */
json_t *pack_values(const double *value, size_t count);
json_t *pack_times(const uint64_t *time, size_t count);
json_t *pack_bytes(const uint8_t *byte, size_t count);

#endif
