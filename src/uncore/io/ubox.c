/* SPDX-License-Identifier: BSD-2-Clause */
/* The message channel, one request at a time, each on its way for a while; messages; locks. */
#include "uncore/io/ubox.h"

#include "signal_ids.h"

/* To the box and back: what a read of an uncore register costs a core beyond the
 * instruction itself, about 150 ns. */
#define TRIP UINT64_C(150000)

static const struct signal_tag no_tag;

void ubox_request(struct ubox *u, uint64_t when, unsigned size)
{
	uint64_t from = when > u->busy ? when : u->busy;

	u->busy = from + TRIP;
	signal_span(u->port, SIG_UBOX_RACU, from, u->busy, 1, 0, &no_tag);
	signal_pulse(u->port, SIG_UBOX_MESSAGE, from, 1, size > 4 ? UBOX_MESSAGE_B8 : UBOX_MESSAGE_B4, &no_tag);
}

void ubox_doorbell(struct ubox *u, uint64_t when)
{
	signal_pulse(u->port, SIG_UBOX_EVENT, when, 1, UBOX_EVENT_DOORBELL, &no_tag);
	signal_pulse(u->port, SIG_UBOX_MATCH, when, 1, UBOX_MATCH_DISABLE, &no_tag);
}

void ubox_tell_core(struct ubox *u, enum ubox_message message, uint64_t when)
{
	static const uint64_t flags[] = {
		[UBOX_MONITOR] = UBOX_U2C_MONITOR_T0, [UBOX_MACHINE_CHECK] = UBOX_U2C_CMC,
		[UBOX_OTHER] = UBOX_U2C_OTHER,
	};

	signal_pulse(u->port, SIG_UBOX_U2C, when, 1, flags[message], &no_tag);
	signal_pulse(u->port, SIG_UBOX_MATCH, when, 1, UBOX_MATCH_U2C_DISABLE, &no_tag);
}

void ubox_hold(struct ubox *u, uint64_t asked, uint64_t granted, uint64_t released)
{
	signal_pulse(u->port, SIG_UBOX_LOCK, asked, 1, 0, &no_tag);
	signal_span(u->port, SIG_UBOX_PHOLD, asked, granted, 1, UBOX_PHOLD_ASKED, &no_tag);
	signal_span(u->port, SIG_UBOX_PHOLD, granted, released, 1, UBOX_PHOLD_HELD, &no_tag);
}

void ubox_wake(struct ubox *u, uint64_t when)
{
	signal_pulse(u->port, SIG_UBOX_WOKEN, when, 1, 0, NULL);
}
