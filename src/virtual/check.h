/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explaining, as a tool runs, each access that the manual forbids or warns of.  A finding is told once for each kind of
 * register, so that a tool that does it to all boxes a thousand times is told once.
 */
#ifndef BXS_CHECK_ACCESS_H
#define BXS_CHECK_ACCESS_H

#include "virtual/virtual.h"

struct check;

/*
 * Watch v and tell say(ctx, line) what is found, while the access's client waits.  0 or BXS_ENOMEM.
 */
int check_open(struct virtual *v, void (*say)(void *ctx, const char *line), void *ctx, struct check **out);

/* After v has ended.  Returns how many mistakes there were, those not told again included; NULL is allowed. */
uint64_t check_close(struct check *c);

#endif
