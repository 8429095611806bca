/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed/files.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_AT_ONCE = 8 };

void files_place(pid_t machine, char out[FILES_PLACE_SIZE])
{
	snprintf(out, FILES_PLACE_SIZE, FILES_PLACE "%d", (int)machine);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	remove(path);
	return 0;
}

void files_remove(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}
