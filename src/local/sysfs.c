/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of Linux. */
#include <stdlib.h>
#include <string.h>

#include "local/local_private.h"

bool local_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	bool read = f && fgets(out, (int)size, f);

	if (f)
		fclose(f);
	if (read)
		out[strcspn(out, "\n")] = '\0';
	return read;
}

bool local_number(const char *path, unsigned *out)
{
	char line[32], *end;
	unsigned long value;

	if (!local_line(path, line, sizeof line))
		return false;
	value = strtoul(line, &end, 0);
	*out = (unsigned)value;
	return end != line;
}
