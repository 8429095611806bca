/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin inside the emulator, between its parts: plugin.c lives through the life of
 * threads and processes, plugin_site.c looks at code when it is translated, plugin_core.c
 * runs with every memory access.
 *
 * A site is one instruction of translated code as its callback needs it.  The
 * first site of a translation block is its leader: it counts all instructions of the
 * block and fetches its code lines, which is exact because a block that has been entered is run to
 * its end (signals and faults apart).
 */
#ifndef BXS_PLUGIN_H
#define BXS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "feed/ring.h"
#include "xcore/xcore.h"

#define PLUGIN_THREADS 4096

/* How values move between registers: what is in `from` has gone into `to`. */
struct plugin_move {
	uint16_t from, to;
};

struct plugin_moves {
	const struct plugin_move *move;
	unsigned n;
};

enum {
	SITE_REPEAT_LAST = 1,	/* the block ends with a repeated string instruction */
	SITE_REPEAT_ONLY = 2,	/* the block is that instruction: one round of it */
	SITE_STREAM = 4,
	SITE_LOCKED = 8,
	SITE_MIX = 16,		/* the loaded value joins what the register held */
};

struct plugin_site {
	uint64_t code, code2;		/* first two code lines of the block; leaders only */
	uint16_t lines;			/* code lines the block touches; leaders only */
	bool plain_lead;		/* at most two lines, nothing repeated; leaders only */
	uint16_t instructions;		/* of the block; leaders only */
	uint16_t address, to;		/* registers: of the address, of a loaded value */
	uint8_t ip;			/* low bits of the instruction's address */
	uint8_t flags;			/* SITE_* */
	uint8_t parts;			/* callbacks in a row for one access; leaders only */
	uint64_t repeat;		/* address of the repeated instruction */
	struct plugin_moves before;	/* since the start of the block; its first site only */
	struct plugin_moves after;	/* up to the next site or the end of the block */
};

/* A thread of the program, as one simulated core. */
struct plugin_core {
	struct xcore x;
	uint16_t tainted;		/* registers with a value out of the last missing load */
	unsigned pieces_left;		/* of the leading access under way, at piece_of */
	const struct plugin_site *piece_of;
	uint64_t told;			/* instructions in all records so far */
	uint64_t tainted_until;		/* taint ends when so many instructions are retired */
	const struct plugin_moves *pending;	/* moves of the last site, not yet followed */
	uint64_t repeating, repeated_at;	/* the string instruction under way */
	struct ring_writer writer;
};

/* Cores by the emulator's thread number; NULL: not traced. */
extern struct plugin_core *plugin_cores[PLUGIN_THREADS];

struct qemu_plugin_tb;

/* Make the sites of a block that is being translated and hang callbacks on them. */
void plugin_site_translate(struct qemu_plugin_tb *tb);
/* All translated code is gone, and nothing runs. */
void plugin_site_flush(void);

/* Start or stop simulating a core for the calling thread.  NULL: out of memory. */
struct plugin_core *plugin_core_new(struct ring_segment *s, uint8_t space);
void plugin_core_free(struct plugin_core *c);
/* Write what the core has not told yet, and a record of this kind unless LEAVE_TICK. */
void plugin_core_flush(struct plugin_core *c, unsigned kind);

/* All sites go. */
static inline void plugin_core_forget_sites(struct plugin_core *c)
{
	c->tainted = 0;
	c->pending = NULL;
	c->piece_of = NULL;
	c->pieces_left = 0;
}

/* Callbacks of sites: data is the struct plugin_site. */
void plugin_core_block(unsigned vcpu, void *data);
void plugin_core_load(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_load_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_store(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_store_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_other(unsigned vcpu, uint32_t info, uint64_t addr, void *data);

#endif
