/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event files: what cores and boxes do, as text, a line an occurrence or a run of cycles (docs/reference/events.md
 * has the grammar).
 */
#ifndef BXS_API_EVENT_FILE_H
#define BXS_API_EVENT_FILE_H

#include "api/machine.h"
#include "feed/feed.h"

/* Is this an event file, as far as its first line tells?  A file that cannot be read is none. */
bool event_file_is(const char *path);

/* The machine that the file names, cut to size; default: the family's.  Errors as event_file_open(). */
int event_file_machine(const char *path, char *spec, size_t size, char *why, size_t why_size);

/*
 * As a feed of m, from m's time on.  BXS_ENOENT, BXS_EIO, BXS_EINVAL, BXS_ENOMEM with a sentence in why, which
 * names file and line.
 */
int event_file_open(bxs_machine *m, const char *path, struct feed **out, char *why, size_t size);

/* One line of the file that m is being recorded to, if it is; see bxs_record(). */
void event_file_put(bxs_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
