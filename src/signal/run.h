/* SPDX-License-Identifier: BSD-2-Clause */
/* How a watch keeps what it accepted; inside the signal layer. */
#ifndef BXS_SIGNAL_RUN_H
#define BXS_SIGNAL_RUN_H

#include "signal/watch.h"

/* How often w accepts an occurrence; tag may be NULL. */
unsigned signal_hits(const struct signal_watch *w, uint64_t flags, const struct signal_tag *tag);

/* Make room for one more run; false: out of memory. */
bool signal_run_grow(struct signal_watch *w);

static inline bool signal_run_add(struct signal_watch *w, uint64_t from, uint64_t to, int64_t n)
{
	if (w->runs) {
		struct signal_run *last = &w->run[w->runs - 1];

		if (last->from == from && last->to == to && !w->once) {
			last->n += n;
			return true;
		}
	}
	if (w->runs == w->room && !signal_run_grow(w))
		return false;
	w->run[w->runs++] = (struct signal_run){ from, to, n };
	return true;
}

#endif
