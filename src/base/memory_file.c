/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory. */
#include "base/memory_file.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

int memory_file_close(FILE *f, char **text)
{
	bool failed = ferror(f);

	if (fclose(f) == 0 && !failed && *text)
		return 0;
	free(*text);
	*text = NULL;
	return BXS_ENOMEM;
}
