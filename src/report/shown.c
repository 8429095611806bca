/* SPDX-License-Identifier: BSD-2-Clause */
/* Format values for people to read. */
#include "report/shown.h"

#include <stdio.h>

void shown_value(double value, char *out, size_t size)
{
	char digits[48];
	size_t used = 0, len;

	if (!shown_whole(value) && fabs(value) < 1e5) {
		snprintf(out, size, fabs(value) < 1 ? "%.4f" : "%.3f", value);
		return;
	}
	len = (size_t)snprintf(digits, sizeof digits, "%.0f", value);
	for (size_t i = 0; i < len && i < sizeof digits - 1 && used + 2 < size; i++) {
		if (i && digits[i - 1] != '-' && (len - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
}
