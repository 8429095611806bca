/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses to devices: by cores, by devices of other sockets; and locks of the whole machine. */
#ifndef BXS_UNCORE_IO_MMIO_H
#define BXS_UNCORE_IO_MMIO_H

#include "uncore/transaction.h"

/* The slice hands a read or write of a device on at `when`; returns when it has the answer; *data
 * (of a read): when what was read is on this socket's ring at stop *data_stop. */
uint64_t io_to_device(struct transaction *w, bool read, bool whole, uint64_t when, uint64_t *data,
			  unsigned *data_stop, const bool observed);

/* A core reads or writes a device of the socket that the address belongs to: no look-up, but a TOR
 * entry. */
struct fabric_reply io_access(struct transaction *w, const struct fabric_request *r, const bool observed);

/*
 * A lock that no cache line can give: the core asks its UBox, that of socket 0 is everybody's
 * master, lets all sockets drain what is under way, and grants it; one at a time.  The core
 * gives it back after its two accesses, and the sockets go on.
 */
struct fabric_reply io_lock(struct transaction *w, const struct fabric_request *r, const bool observed);

#endif
