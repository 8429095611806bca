/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxscore: performance-monitoring hardware as software.
 *
 * Easiest first: the catalogue (what there is), the machine (registers and
 * signals), the session (measuring).  Calls return 0 or a count, or a negative
 * enum bxs_err; what they hand out through pointers is untouched on error.  The
 * library never prints and never exits.
 */
#ifndef BOXSCORE_H
#define BOXSCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bxs_err {
	BXS_ENOMEM = -1,	/* out of memory */
	BXS_ENOENT = -2,	/* no such family, box, event, register, file */
	BXS_EINVAL = -3,	/* cannot be understood */
	BXS_ECONFLICT = -4,	/* each is possible, but not together */
	BXS_EFAULT = -5,	/* the modelled hardware faulted (#GP) */
	BXS_EIO = -6,		/* the system failed to read or write */
	BXS_ENOTSUP = -7,	/* not available here */
	BXS_EBUG = -8,		/* a fault of ours */
};

/* One plain sentence for an enum bxs_err; never NULL. */
const char *bxs_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif
