/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system configuration controller of a socket, as far as it is simulated: register
 * requests travel over its message channel one after the other.
 */
#ifndef BXS_UNCORE_UBOX_H
#define BXS_UNCORE_UBOX_H

#include <stdint.h>

#include "signal/signal.h"

struct ubox {
	struct signal_port *port;	/* NULL: nobody measures */
	uint64_t busy;			/* the channel is taken until */
};

/* A register of the socket is read or written at `when`, in bytes. */
void ubox_request(struct ubox *u, uint64_t when, unsigned size);
/* A core of the socket stops the system for a locked access across two lines. */
void ubox_lock(struct ubox *u, uint64_t when);

#endif
