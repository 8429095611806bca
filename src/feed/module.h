/* SPDX-License-Identifier: BSD-2-Clause */
/* Where our loadable parts and our data are. */
#ifndef BXS_MODULE_H
#define BXS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The file of a loadable part (boxscore-plugin.so): beside the executable, in the build directory above it, or
 * where it is installed.  false: in none of these.
 */
bool module_find(const char *name, char *out, size_t size);

/* The sentence for it when it is in none of them: where it was looked for. */
void module_missing(const char *name, char *out, size_t size);

/* Can it not be known where the executable lies, since /proc is not there?  Then a sentence says so. */
bool module_lost(char *out, size_t size);

/* A file or folder of data (scenarios): in share above the executable, or where it is installed. */
bool module_data(const char *name, char *out, size_t size);

#endif
