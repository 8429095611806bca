// SPDX-License-Identifier: BSD-2-Clause
/* The message channel: one request at a time, each on its way for a while. */
#include "uncore/ubox.h"

#include "signal_ids.h"

/* To the box and back: what a read of an uncore register costs a core beyond the
 * instruction itself, about 150 ns. */
#define TRIP UINT64_C(150000)

static const struct signal_tag no_tag;

void ubox_request(struct ubox *u, uint64_t when, unsigned size)
{
	uint64_t from = when > u->busy ? when : u->busy;

	u->busy = from + TRIP;
	if (!u->port)
		return;
	signal_span(u->port, SIG_UBOX_RACU, from, u->busy, 1, 0, &no_tag);
	signal_pulse(u->port, SIG_UBOX_MESSAGE, from, 1,
		     size > 4 ? UBOX_MESSAGE_B8 : UBOX_MESSAGE_B4, &no_tag);
}

void ubox_lock(struct ubox *u, uint64_t when)
{
	if (u->port)
		signal_pulse(u->port, SIG_UBOX_LOCK, when, 1, 0, &no_tag);
}
