/* SPDX-License-Identifier: BSD-2-Clause */
/* What the catalogue says of an event or metric that readings name. */
#ifndef BXS_REPORT_DESCRIBE_H
#define BXS_REPORT_DESCRIBE_H

#include <jansson.h>
#include <stdbool.h>

/* An object: `text`, a sentence, and `more`, [[what, text], ...]; empty where the catalogue knows no such name.  NULL: no memory. */
json_t *describe(const char *family, const char *name, bool metric);

#endif
