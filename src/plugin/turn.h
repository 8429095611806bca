/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread's side of the turns that threads of a program take (ring.h).  Between two turns a thread stands
 * still inside its core's leave or order function, or in a system call that the emulator makes for it.
 */
#ifndef BXS_PLUGIN_TURN_H
#define BXS_PLUGIN_TURN_H

#include "plugin.h"

/* Does the emulator pass the turn in calls that may block by itself?  Else call_start() of plugin.c does. */
extern bool plugin_makes_calls;

/* Called when a turn has begun, for timers; may end it and begin another one.  NULL: there are none. */
extern void (*plugin_turn_begun)(struct plugin_core *c);

static inline bool plugin_takes_turns(const struct plugin_core *c)
{
	return c && c->turns;
}

/* The core's ring was claimed while there were others, or others have appeared: its thread runs in turns from here on. */
void plugin_turn_join(struct plugin_core *c);

/* Called by leave: is the turn over, or has there not been one yet? */
void plugin_turn_look(struct plugin_core *c);

/* End the turn: all that the core did is told, and with anything but RING_WANTS the core sleeps. */
void plugin_turn_pass(struct plugin_core *c, enum ring_turn next);
/* Wait for the next one, and do what other cores ask. */
void plugin_turn_take(struct plugin_core *c);
/* The turn has been given already. */
void plugin_turn_begin(struct plugin_core *c);
/* One ends, another begins. */
void plugin_turn_yield(struct plugin_core *c);

/* The thread runs in turns from here on, though nobody else is there. */
void plugin_turn_start(struct plugin_core *c);
/* Machine time in ps, `cost` locked instructions after what the core has done; ends its turn.  What any thread was shown before is
 * not later. */
uint64_t plugin_turn_time(struct plugin_core *c, unsigned cost);

/* The thread whose ring has this number can go on. */
void plugin_turn_wake(struct plugin_core *c, unsigned ring);
/* The call just made may let those of other threads succeed: enum ring_event.  They try at once. */
void plugin_turn_event(struct plugin_core *c, unsigned events);

#endif
