/* SPDX-License-Identifier: BSD-2-Clause */
/* The port of boxes that nobody measures: an outlet of as many signals as any box has, and no listener. */
#ifndef BXS_UNCORE_POULSON_SILENT_H
#define BXS_UNCORE_POULSON_SILENT_H

#include "signal/signal.h"

enum { SILENT_SIGNALS = 64 };

struct silent {
	struct signal_port port;
	struct signal_watch *nobody[SILENT_SIGNALS];
};

static inline void silent_init(struct silent *s)
{
	*s = (struct silent){ .port = { .watch = s->nobody } };
}

#endif
