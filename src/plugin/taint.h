/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Following values from a missing load through registers into addresses, for as long as the
 * load can hold up others: which misses have to wait for the one before.
 *
 * The followed registers are those in which the load's value has gone on (plugin_core.tainted);
 * the block under way is followed up to the site whose access is to come (plugin_core.at).
 */
#ifndef BXS_PLUGIN_TAINT_H
#define BXS_PLUGIN_TAINT_H

#include <stdbool.h>

#include "plugin.h"

/* Has the last missing load left the reorder buffer?  Then nothing is followed any more. */
bool taint_expired(struct plugin_core *c);

/* The rest of the block under way: accesses of it that are to come have not happened. */
void taint_end_block(struct plugin_core *c);

/* Block b begins, and its known accesses are done, as c->missed and c->dependent say. */
void taint_start_block(struct plugin_core *c, const struct plugin_block *b);

/*
 * The access at s comes.  LEAVE_DEPENDENT if its address is made with a value out of the last
 * missing load, or 0.
 */
unsigned taint_dependence(struct plugin_core *c, const struct plugin_site *s);

/* A load has put its value into s->to. */
void taint_load(struct plugin_core *c, const struct plugin_site *s, bool missed, bool dependent);

#endif
