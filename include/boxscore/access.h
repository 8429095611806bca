/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of one's own: what a simulator, a tracer or a model of a program lets the cores do.  Part of boxscore.h. */
#ifndef BOXSCORE_ACCESS_H
#define BOXSCORE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "boxscore/machine.h"
#include "boxscore/session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bxs_access_kind {
	BXS_LOAD,		/* of bytes of one line; loads overlap as far as the core can */
	BXS_LOAD_AFTER,		/* a load whose address came out of the core's load before: it waits for that */
	BXS_STORE,
	BXS_LOCKED,		/* a locked instruction reads and writes the line */
	BXS_FETCH,		/* of code */
	BXS_PREFETCH,		/* a prefetch that the program asks for, into all levels */
	BXS_STREAM,		/* streaming stores that write the whole line, past the caches */
	BXS_FLUSH,		/* clflush: write the line back and drop it everywhere */
};

/*
 * One access by a core.  It goes through private caches of that core, as large as its family has them, and what misses
 * there goes to the machine; its registers, read after it, tell what came of that.
 *
 * core:         of the whole machine: core c of socket s is s * bxs_cores() + c.
 * address:      in bytes, below 2^48, in the one address space that all cores share.  Memory is behind each page from the
 *               first access on; which node's says the specification's `mem`.
 * instructions: that the core has retired since its access before, this one's included.
 *
 * Each core has a time of its own, which the access moves on.  The order of calls is the order in which the machine sees
 * the accesses: let the core go on whose bxs_core_time() is least.  A core that slept wakes.
 *
 * Returns 0; BXS_ENOENT: no such core; BXS_EINVAL: no such kind or address; BXS_ENOTSUP: a machine made with BXS_BARE;
 * BXS_ECONFLICT: a session with a program, kernel, trace or scenario has been started and not freed; BXS_ENOMEM, after which
 * what is counted means nothing.
 */
int bxs_access(bxs_machine *m, unsigned core, uint64_t address, enum bxs_access_kind kind, uint32_t instructions);

/*
 * The core tells what it still holds back, and does nothing until `when`, picoseconds since reset; UINT64_MAX: until its
 * next access, as at the end of its work.  To let several cores begin at one moment, let all sleep until then.  The
 * errors of bxs_access().
 */
int bxs_idle(bxs_machine *m, unsigned core, uint64_t when);

/* How far the core is, in picoseconds since reset.  BXS_ENOENT. */
int bxs_core_time(bxs_machine *m, unsigned core, uint64_t *when);

/* With false, the cores' hardware prefetchers stay off.  Before the first access, else BXS_EINVAL; the other errors of
 * bxs_access(). */
int bxs_prefetchers(bxs_machine *m, bool on);

/*
 * What drives the machine in this session are the accesses between bxs_session_start() and bxs_session_stop().  They take
 * care of turns, too.  bxs_session_run() lets time pass in which cores that are behind sleep; it has to be given a time.
 * BXS_EINVAL, BXS_ENOTSUP, BXS_ENOMEM.
 */
int bxs_session_own(bxs_session *s);

#ifdef __cplusplus
}
#endif

#endif
