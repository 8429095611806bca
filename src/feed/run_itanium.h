/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running an IA-64 program on an Itanium machine: the executor (src/ia64) and the core's pipeline (src/icore) are in our
 * process, and the program's system calls are ours.
 */
#ifndef BXS_RUN_ITANIUM_H
#define BXS_RUN_ITANIUM_H

#include <stdbool.h>

#include "feed/run.h"

/* As run_open(), for machines whose cores are Itaniums'. */
int run_itanium_open(struct machine *m, const struct run_config *cfg, struct feed **out, char *why, size_t size);

/* Is this feed one of these? */
bool run_itanium_is(const struct feed *f);
/* See run_status() and run_ending(). */
int run_itanium_status(const struct feed *f);
const char *run_itanium_ending(const struct feed *f);
/* See run_note(). */
const char *run_itanium_note(const struct feed *f);

#endif
