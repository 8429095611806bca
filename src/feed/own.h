/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A feed of the caller's own accesses: it runs nothing by itself, each access is a call.  Cores get their private caches
 * with their first access.
 */
#ifndef BXS_FEED_OWN_H
#define BXS_FEED_OWN_H

#include "feed/feed.h"

enum own_kind {
	OWN_LOAD, OWN_LOAD_AFTER, OWN_STORE, OWN_LOCKED, OWN_FETCH, OWN_PREFETCH, OWN_STREAM, OWN_FLUSH, OWN_KINDS,
};

/* Byte addresses end here. */
#define OWN_ADDRESSES (UINT64_C(1) << 48)

/* One user of it, who ends it by feed_close().  0 or BXS_ENOMEM. */
int own_open(struct machine *m, struct feed **out);
/* One more. */
struct feed *own_share(struct feed *own);

/* Has any core had an access? */
bool own_used(const struct feed *own);
/* Hardware prefetchers of all cores that have had no access yet; they are on at first. */
void own_prefetch(struct feed *own, bool on);

/*
 * Core `core` has retired `instructions` since its last access, and accesses the line of addr, below OWN_ADDRESSES.  0,
 * BXS_ENOMEM.
 */
int own_access(struct feed *own, unsigned core, uint64_t addr, enum own_kind kind, uint32_t instructions);
/* The core tells what is left, and sleeps until `when`, UINT64_MAX: until its next access.  The same errors. */
int own_idle(struct feed *own, unsigned core, uint64_t when);
/* All cores go idle, their caches forget all: others will drive the machine. */
void own_forget(struct feed *own);

#endif
