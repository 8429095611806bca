// SPDX-License-Identifier: BSD-2-Clause
/* The message channel: one request at a time, each on its way for a while. */
#include "uncore/ubox.h"

#include "signal_ids.h"

/* To the box and back: what a read of an uncore register costs a core beyond the
 * instruction itself, about 150 ns. */
#define TRIP UINT64_C(150000)

void ubox_request(struct ubox *u, uint64_t when)
{
	static const struct signal_tag no_tag;
	uint64_t from = when > u->busy ? when : u->busy;

	u->busy = from + TRIP;
	if (u->port)
		signal_span(u->port, SIG_UBOX_RACU, from, u->busy, 1, 0, &no_tag);
}
