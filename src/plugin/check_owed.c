/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BXS_CHECKED

void plugin_check_owed(const struct plugin_core *c)
{
	unsigned modified = xcore_modified(&c->x);

	if (c->x.owed == modified)
		return;
	fprintf(stderr, "boxscore-plugin: %u lines are modified, %" PRId64 " should be\n", modified, c->x.owed);
	abort();
}

#endif
