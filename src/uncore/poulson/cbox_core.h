/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of Cboxes, shared by cbox*.c. */
#ifndef BXS_UNCORE_POULSON_CBOX_CORE_H
#define BXS_UNCORE_POULSON_CBOX_CORE_H

#include "signal_ids.h"
#include "uncore/poulson/inside.h"

/* What a slice asks of cores about a line, from `when` on. */
struct cbox_asking {
	uint64_t line, when;
	unsigned socket, slice;
	bool invalidate;		/* else: share it */
	bool code, evicts;		/* as struct p9500_snoop has them */
	bool written;			/* answered: a core had written it */
};

/* Asks these cores, a bit each; word: the line's in the tags.  Returns when the last answer is back. */
uint64_t cbox_ask_cores(struct p9500 *p, struct cbox_asking *a, unsigned cores, uint64_t word);

/* A message between two stops of a socket's ring, a line if it is on BL; returns when it is there. */
uint64_t cbox_ring(struct p9500_socket *s, enum pring_kind kind, unsigned from, unsigned to, enum pring_sender sender,
		   uint64_t when);

/* A message that went through its queue without waiting, or waited for one clock, has gone past it; queue: CBOX_INGRESS_*. */
void cbox_tell_bypass(struct cbox *c, uint64_t queue, uint64_t came, uint64_t went);

/* The state of a line for other caches: what its owner has written makes it modified. */
static inline enum tags_state cbox_state(const uint64_t *word)
{
	return word && *word & TAGS_DIRTY ? TAGS_M : tags_state(word);
}

#endif
