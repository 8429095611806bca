/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory, as open_memstream() makes them. */
#ifndef BXS_MEMORY_FILE_H
#define BXS_MEMORY_FILE_H

#include <stdio.h>

/*
 * Close f, whose bytes then are in *text, for the caller to free.  0, or BXS_ENOMEM with *text NULL: also where fclose()
 * lacked memory for the last of them, which the C library does not tell.
 */
int memory_file_close(FILE *f, char **text);

#endif
