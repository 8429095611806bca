/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device's transaction does for its line: from the IRP onto the ring, into a slice, home, and back.  Always observed. */
#ifndef BXS_UNCORE_IO_LINE_H
#define BXS_UNCORE_IO_LINE_H

#include "uncore/transaction.h"

void io_start(struct transaction *w, struct fabric *f, unsigned socket, uint64_t line, const struct fabric_op *op);

/* The request is ready in the IRP at `when`: over the ring into the slice; returns when its tags
 * are read. */
uint64_t io_enter(struct transaction *w, bool data, uint64_t when);

/* The slice's answer without data; returns when the IRP has it. */
uint64_t io_acknowledge(struct transaction *w, uint64_t when);

/* Returns when the data is in the IRP; *device: at the device. */
uint64_t io_read_line(struct transaction *w, uint64_t when, uint64_t *device);

/* The line belongs to this IRP alone; returns when it knows. */
uint64_t io_own_line(struct transaction *w, uint64_t when);

/* Does the IRP still have the line?  If not, tell who took it. */
bool io_still_owned(struct transaction *w, uint64_t when);

/* The write puts its data into the slice. */
uint64_t io_put_line(struct transaction *w, uint64_t when);

#endif
