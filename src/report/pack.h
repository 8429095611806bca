/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A column of numbers as a short text.  Each whole number becomes its difference from the one before, sign in bit 0, in digits of
 * 32 from the low end: one character a digit, of 64, whose upper half says that more digits follow.  A difference of 0 is followed by
 * how often it comes, at least once.  src/report/page/unpack.js reads it.
 */
#ifndef BXS_REPORT_PACK_H
#define BXS_REPORT_PACK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/*
 * [digits behind the point, text]: as exact as a table shows the values and to seven digits of the largest; NAN becomes the
 * value before.  Where that needs more than 2^53, [-1, [values]].  NULL: no memory.
 */
json_t *pack_values(const double *value, size_t count);
json_t *pack_times(const uint64_t *time, size_t count);
json_t *pack_bytes(const uint8_t *byte, size_t count);

#endif
