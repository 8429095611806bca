/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of `report` and `stat --html`: for the commands that write them. */
#ifndef BXS_CLI_PAGE_H
#define BXS_CLI_PAGE_H

#include "cli.h"
#include "report/head.h"
#include "report/run.h"

/* Print what is wrong with the lines of a run; 0: nothing is, or CLI_DATA. */
int page_tell(const struct cli_command *cmd, const struct run *r);
/* Write the page to a file, "-": standard output.  The exit code; an incomplete file is removed. */
int page_save(const struct cli_command *cmd, const struct run *run, unsigned runs, const char *path);
/* The file is gone if it is empty: nothing came to be written to it. */
void page_remove_empty(const char *path);

#endif
