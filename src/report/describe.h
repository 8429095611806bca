/* SPDX-License-Identifier: BSD-2-Clause */
/* What the catalogue says about an event or metric that readings name. */
#ifndef BXS_REPORT_DESCRIBE_H
#define BXS_REPORT_DESCRIBE_H

#include <jansson.h>
#include <stdbool.h>

/* Returns an object with `text`, a sentence, and `more`, [[what, text], ...]; an empty object if the catalogue has no such name.  NULL: no
 * memory. */
json_t *describe(const char *family, const char *name, bool metric);

#endif
