/* SPDX-License-Identifier: BSD-2-Clause */
/* Write runs as one HTML page that needs no other file. */
#ifndef BXS_REPORT_PAGE_H
#define BXS_REPORT_PAGE_H

#include <stdio.h>

#include "report/run.h"

/* Write the page of one run, or of two, where the second is compared with the first.  Returns 0, BXS_EIO or BXS_ENOMEM. */
int page_write(const struct run *run, unsigned runs, FILE *to);

#endif
