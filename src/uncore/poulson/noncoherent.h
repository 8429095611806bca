/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that are about no cached line (classes NCS and NCB): reads and writes of devices behind the I/O hub of a socket,
 * and the stop and start requests of a bus lock to all Uboxes.  I/O hub and Ubox share the router's port of Bbox 0.
 */
#ifndef BXS_UNCORE_POULSON_NONCOHERENT_H
#define BXS_UNCORE_POULSON_NONCOHERENT_H

#include "uncore/poulson/p9500.h"

/* kind: LEAVE_UC_READ, LEAVE_UC_WRITE or LEAVE_LOCK. */
struct p9500_reply noncoherent_request(struct p9500 *p, const struct p9500_request *rq);

#endif
