/* SPDX-License-Identifier: BSD-2-Clause */
/* The private caches of a core whose accesses are made in this process, and the machine around it. */
#ifndef BXS_FEED_CACHES_H
#define BXS_FEED_CACHES_H

#include "machine/machine.h"
#include "xcore/xcore.h"

/* What leaves the caches x of core `core` goes to m; what m asks of them meanwhile is done. */
void caches_leave(struct machine *m, unsigned core, struct xcore *x, const struct leave_record *rec, unsigned n);
/* What m has asked of them since the last time is done: before the core's next access. */
void caches_snoop(struct machine *m, unsigned core, struct xcore *x);
/* What is left in them leaves, the core goes idle. */
void caches_halt(struct machine *m, unsigned core, struct xcore *x);

#endif
