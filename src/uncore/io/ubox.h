/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system configuration controller of a socket: register requests that travel over
 * its message channel one after the other, doorbells, messages to cores, locks.
 */
#ifndef BXS_UNCORE_IO_UBOX_H
#define BXS_UNCORE_IO_UBOX_H

#include <stdint.h>

#include "signal/signal.h"

struct ubox {
	struct signal_port *port;	/* never NULL */
	uint64_t busy;			/* the channel is taken until */
	uint64_t locked;		/* somebody holds the lock until; socket 0's is everybody's */
};

/* Messages to a core, flags of the signal ubox.u2c. */
enum ubox_message { UBOX_MONITOR, UBOX_MACHINE_CHECK, UBOX_OTHER };

/* A register of the socket is read or written at `when`, in bytes. */
void ubox_request(struct ubox *u, uint64_t when, unsigned size);

/* A doorbell or an interrupt comes in for a core. */
void ubox_doorbell(struct ubox *u, uint64_t when);
/* A core is told something. */
void ubox_tell_core(struct ubox *u, enum ubox_message message, uint64_t when);

/* A core that slept is woken up. */
void ubox_wake(struct ubox *u, uint64_t when);

/* A core of the socket stops the system for a locked access across two lines: the lock is asked
 * for, granted later, and given back. */
void ubox_hold(struct ubox *u, uint64_t asked, uint64_t granted, uint64_t released);

#endif
