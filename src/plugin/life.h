/* SPDX-License-Identifier: BSD-2-Clause */
/* Between plugin.c, which lives through the life of threads and processes, and exec.c: what becomes of one that executes. */
#ifndef BXS_PLUGIN_LIFE_H
#define BXS_PLUGIN_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed/ring.h"

/* The emulator calls by fixed names and without a context: this is the plugin's. */
struct plugin_life {
	struct ring_segment *segment;
	char path[256];			/* of the segment, for who has the rights */
	char processor[128];		/* that the program sees, see struct target_emulator */
	bool machine_clock;		/* the program's clocks are the machine's: as the segment said before the program could write to it */
	uint8_t space;
};

extern struct plugin_life plugin_life;

/* The cores of all threads of this process end; the calling one gets another. */
void plugin_end_cores(void);
void plugin_begin_core(void);

/* Copy n bytes of the program's memory; false: they are not all there. */
bool plugin_peek(uint64_t at, void *to, size_t n);

/*
 * The program makes the system call: when it executes another one, that is done here, in its place, under the emulator again.
 * Comes back when it is not: then the emulator makes the call itself.  What comes of that is the answer, which is noted
 * by the other function, or the new program runs untraced.
 */
void plugin_execute(int64_t num, const uint64_t arg[5]);
void plugin_not_executed(void);

#endif
