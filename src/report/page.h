/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs as one page of HTML that needs nothing else. */
#ifndef BXS_REPORT_PAGE_H
#define BXS_REPORT_PAGE_H

#include <stdio.h>

#include "report/run.h"

/* One run, or two of which the second is compared with the first.  0, BXS_EIO or BXS_ENOMEM. */
int page_write(const struct run *run, unsigned runs, FILE *to);

#endif
