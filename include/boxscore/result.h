/* SPDX-License-Identifier: BSD-2-Clause */
/* What calls return when they fail, how far readings can be trusted, the version.  Part of boxscore.h. */
#ifndef BOXSCORE_RESULT_H
#define BOXSCORE_RESULT_H

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
	BXS_ETURNS = -9,	/* each is possible, together only in turns */
};

/* How far a reading can be trusted; from best to worst. */
enum bxs_validity {
	BXS_EXACT,		/* counted all the time */
	BXS_SCALED,		/* counted a part of the time and scaled; has an error */
	BXS_PARTIAL,		/* of a part of what ran: the rest was not traced, or came to an early end */
	BXS_SATURATED,		/* stuck at the counter's greatest value: at least this */
	BXS_WRAPPED,		/* the counter went round more often than can be known: at least this */
	BXS_NOT_MODELLED,	/* the simulated machine does not drive this event: no value */
	BXS_NOT_THERE,		/* no such box here, or not counted at all: no value */
};

/* The version of the library, as "1.2.3". */
#define BXS_VERSION "0.1.0"

/* One plain sentence for an enum bxs_err, in constant memory; never NULL. */
const char *bxs_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif
