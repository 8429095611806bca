/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing pages, and what is said on the way. */
#include "page.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/page.h"

int page_tell(const struct cli_command *cmd, const struct run *r)
{
	for (size_t i = 0; i < r->problems.count; i++)
		cli_fail(cmd, 0, "%s", r->problems.text[i]);
	if (r->left_out > r->problems.count)
		cli_fail(cmd, 0, "%s: %zu lines were left out in all", r->file, r->left_out);
	return r->problems.count ? CLI_DATA : 0;
}

/* A page without its end shows nothing. */
static void remove_part(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

void page_remove_empty(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		unlink(path);
}

int page_save(const struct cli_command *cmd, const struct run *run, unsigned runs, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *to = standard ? stdout : fopen(path, "we");
	int err, number;

	if (!to)
		return cli_fail(cmd, CLI_DATA, "%s cannot be written: %s", path, strerror(errno));
	err = page_write(run, runs, to);
	number = errno;
	if (!standard && fclose(to) != 0 && err == 0) {
		err = BXS_EIO;
		number = errno;
	}
	if (err == 0)
		return CLI_OK;
	if (!standard)
		remove_part(path);
	if (err == BXS_EIO)
		return cli_fail(cmd, CLI_DATA, "%s cannot be written: %s", standard ? "standard output" : path, strerror(number));
	return cli_fail(cmd, CLI_BUG, "%s", bxs_strerror(err));
}
