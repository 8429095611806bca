/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling the caller, in a buffer of his, what was wrong and what would be right. */
#include "base/complain.h"

#include <stdarg.h>
#include <stdio.h>

int complain(const struct complaint *c, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, c->size, format, args);
	va_end(args);
	return err;
}
