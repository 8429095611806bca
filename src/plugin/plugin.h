/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin inside the emulator, between its parts: plugin.c lives through the life of
 * threads and processes, site.c looks at code when it is translated; block.c runs with every
 * block, access.c with single accesses, string.c with repeated instructions, on core.c's cores.
 *
 * A block is a piece of translated code that is run from its start to its end (signals and
 * faults apart); a site is one instruction of it with an access.  Where an address is made of registers as
 * they are at the start of the block, the access is known then (struct plugin_known), and
 * all of these are done in one call at the start.  Each other site has a call of its own.  If no access is
 * known, one of the sites leads: its call counts the instructions and fetches the code.
 */
#ifndef BXS_PLUGIN_H
#define BXS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "feed/ring.h"
#include "xcore/xcore.h"

#define PLUGIN_THREADS 4096
#define PLUGIN_KNOWN_MAX 64	/* known accesses of a block: a bit each */
#define PLUGIN_MAPPED 256	/* pages of which a core remembers that they are mapped */

/* How values move between registers: what is in `from` has gone into `to`. */
struct plugin_move {
	uint16_t from, to;
};

struct plugin_moves {
	const struct plugin_move *move;
	unsigned n;
	uint16_t from, to;		/* of all of them */
};

enum {
	BLOCK_REPEAT_LAST = 1,	/* ends with a repeated string instruction */
	BLOCK_REPEAT_ONLY = 2,	/* is that instruction: one round of it */
};

enum {
	SITE_LOAD = 1, SITE_STORE = 2,
	SITE_STREAM = 4,
	SITE_LOCKED = 8,
	SITE_MIX = 16,		/* the loaded value joins what the register held */
	SITE_FIRST = 32,	/* the first call that comes of a block */
	SITE_COPY = 64,		/* repeated stores of what is loaded at rsi */
	SITE_FLUSH = 128,	/* no access: a line is written back and dropped, */
	SITE_AHEAD_L1 = 256,	/* ... or asked for, into L1D, L2 or both */
	SITE_AHEAD_L2 = 512,
	SITE_AHEAD = SITE_AHEAD_L1 | SITE_AHEAD_L2,
};

#define SITE_UNKNOWN UINT16_MAX

struct plugin_site {
	const struct plugin_site *next;	/* in the block */
	const struct plugin_block *block;
	uint16_t known;			/* number of the known access, or SITE_UNKNOWN */
	uint16_t address, to;		/* registers: of the address, of a loaded value */
	uint16_t flags;			/* SITE_* */
	uint8_t ip;			/* low bits of the instruction's address */
	uint8_t parts;			/* calls in a row for one access; of a leader */
	struct plugin_moves after;	/* up to the next site or the end of the block */
};

/*
 * An access at (reg[base] & keep) + reg[index] * scale + disp.  See xcore_again().
 */
struct plugin_known {
	uint64_t disp, keep;
	uint8_t base, index, scale;
	uint8_t room;			/* the last offset in a line from which it does not cross */
	uint8_t state;			/* CACHE_MODIFIED for a store, or 0 */
	uint16_t registers;		/* that make the address */
	const struct plugin_site *site;
};

struct plugin_block {
	uint64_t code, code2;		/* its first two lines */
	uint16_t instructions;
	uint16_t lines;			/* that it touches */
	bool plain;			/* at most two lines, nothing repeated */
	bool loops;			/* jumps to its own start, and all its accesses are known */
	uint8_t flags;			/* BLOCK_* */
	uint16_t touched;		/* registers that it reads or writes */
	uint16_t n;			/* known accesses */
	const struct plugin_known *known;	/* in the order of the code */
	uint64_t loads;			/* of these into general registers, a bit each */
	const struct plugin_site *first;	/* NULL: no access */
	struct plugin_moves before;	/* up to the first site */
	uint64_t repeat;		/* address of the repeated instruction */
};

/* A thread of the program, as one simulated core. */
struct plugin_core {
	struct xcore x;
	uint16_t tainted;		/* registers with a value out of the last missing load: x is held while any is */
	unsigned pieces_left;		/* of the leading access under way, at piece_of */
	const struct plugin_site *piece_of;
	uint64_t tainted_until;		/* taint ends when so many instructions are retired */
	const struct plugin_site *at;	/* the taint is as of this site, before what follows it */
	uint64_t at_retired;		/* when its call came */
	uint64_t missed, dependent;	/* of known accesses of the block under way, a bit each */
	/* The block that ran last, if that changed nothing but which lines were used last; NULL: it did, or
	 * other things happened since.  And the lines of its groups, if it loops (stub.c). */
	const struct plugin_block *latest;
	uint64_t noted[PLUGIN_KNOWN_MAX];
	uint64_t repeating, repeated_at;	/* the string instruction under way */
	uint64_t mapped[PLUGIN_MAPPED];	/* pages that the program has; 0: free */
	int process;			/* whose thread it is: another one may share all memory */
	bool alone;			/* no second thread or process has been seen */
	/* Of turns (turn.c). */
	bool turns, has_turn, alone_now;
	bool quiet;			/* records leave, but no turn ends */
	bool waits;			/* a call waits for the next turn, and asks then why it was given */
	uint32_t moves;			/* as ring.moves was when the turn began */
	uint32_t locks, locks_told;	/* locked instructions; as the machine has been told */
	uint32_t locks_began;		/* ... when the turn began */
	const struct plugin_site *locked;	/* the locked instruction whose load was told last: its store follows at once */
	bool completes;			/* that store is under way */
	bool ordered, transferred;	/* in this turn a contended line has been used, and something has left the core since */
	unsigned private_turns;		/* in a row, in which it has shared no memory with other cores; no more than matter */
	uint64_t began, first, ahead;	/* instructions and records when it began; see ring.ahead */
	uint64_t look_within;		/* ns of machine time: alone, too, it looks at its timers by then; UINT64_MAX: none runs */
	uint64_t spin_line, spin_from, spin_head;
	struct ring_writer writer;
};

/* Instructions since the thread's start. */
static inline uint64_t plugin_retired(const struct plugin_core *c)
{
	return c->x.told + xcore_retired(&c->x);
}

/* Cores by the emulator's thread number; NULL: not traced. */
extern struct plugin_core *plugin_cores[PLUGIN_THREADS];

/*
 * The calling thread's, once generated code has asked for it; before that one that is held for ever, so
 * that the code asks (stub.c).
 */
extern _Thread_local struct plugin_core *plugin_here __attribute__((tls_model("initial-exec")));

/* Does the emulator call for the instructions that only say something about a line, too?  Set before it starts. */
extern bool plugin_hears_hints;

/* What threads and programs inherit of the calling thread.  What counts for itself is in its ring. */
extern _Thread_local struct ring_wishes plugin_wishes;

struct qemu_plugin_tb;
struct plugin_registers;
struct plugin_watch;
struct target;

/*
 * Around a child in the same memory.  Before: the segment, open for it, or -1; then in the child, with a watch for its process.
 */
int plugin_before_vfork(void);
void plugin_vforked(struct plugin_watch *w, int file);

/* For who reads the rings: something of the program is not as it would be alone (enum ring_note). */
void plugin_note(unsigned what);

/* Make the sites of a block that is being translated and hang callbacks on them. */
void plugin_site_translate(struct qemu_plugin_tb *tb);
/* All translated code is gone, and nothing runs. */
void plugin_site_flush(void);

/* Memory for a core, and for what is known of code; who gives it is part of the emulator. */
void *plugin_memory_core(size_t size);
void plugin_memory_core_free(struct plugin_core *c);
void *plugin_memory_sites(size_t size);
void plugin_memory_sites_free(void *p);
/* The plugin's file, for the emulator that a process goes on under; NULL: it is out of reach. */
const char *plugin_file(void);
/* The program's whole name, "" if it is not known.  Asked for first before the program can have gone elsewhere. */
const char *plugin_program(void);
/* Does that name stand for it, where to the kernel it is the emulator? */
bool plugin_is_self(const char *name);
/*
 * What the calling thread's emulator tells the one that its process goes on under for target t: options, NULL at the end.
 * file: t->path, open, which closes on exec unless this says otherwise; 0: not.  May change t->path to a name that leads there.
 */
const char *const *plugin_options(struct target *t, int file);

/* Start or stop simulating a core for the calling thread.  NULL: out of memory. */
struct plugin_core *plugin_core_new(struct ring_segment *s, uint8_t space);
void plugin_core_free(struct plugin_core *c);
/* Of another thread: it runs on, but nothing leaves it any more. */
void plugin_core_cut_off(struct plugin_core *c);
/* Write what the core has not told yet, and a record of this kind unless LEAVE_TICK. */
void plugin_core_flush(struct plugin_core *c, unsigned kind);

/* Tell of the locked instructions since the last of these calls; no turn ends. */
void plugin_core_tell_locked(struct plugin_core *c);
/* Tell what the core has done since its last record; flags as of a LEAVE_TICK. */
void plugin_core_tell(struct plugin_core *c, unsigned flags);
/* Tell of all before, but for what is still gathered in buffers, then that the measured region begins or ends here. */
void plugin_core_region(struct plugin_core *c, bool begins);
/* Tell what the core has not told yet, partly filled buffers included, then this record. */
void plugin_core_mark(struct plugin_core *c, unsigned kind, uint64_t line);

/* All sites go. */
static inline void plugin_core_forget_sites(struct plugin_core *c)
{
	c->tainted = 0;
	xcore_hold(&c->x, false);
	c->at = NULL;
	c->latest = NULL;
	c->piece_of = NULL;
	c->pieces_left = 0;
}

/* Calls of sites: data is the struct plugin_site. */
void plugin_core_load(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_load_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_store(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_store_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
void plugin_core_other(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
/* Of a flush or prefetch: its line. */
void plugin_core_hint(unsigned vcpu, uint32_t info, uint64_t addr, void *data);
/* mfence, sfence; no data. */
void plugin_core_fence(unsigned vcpu, void *data);
/* plugin_core_other() with the registers, for a repeated instruction that stores. */
void plugin_core_fill(unsigned vcpu, uint32_t info, uint64_t addr, void *data, const struct plugin_registers *reg);

/* A prefetch of the program's; flags as of a load. */
void plugin_ahead(struct plugin_core *c, const struct plugin_site *s, uint64_t addr, unsigned flags);
/* Mappings have gone. */
void plugin_ahead_unmapped(struct plugin_core *c);

/* Where a known access lies. */
static inline uint64_t plugin_known_at(const struct plugin_known *k, const uint64_t *reg)
{
	return (reg[k->base] & k->keep) + reg[k->index] * k->scale + k->disp;
}

/* Calls at the start of a block: data is the struct plugin_block. */
void plugin_core_block(unsigned vcpu, void *data);
void plugin_core_due(unsigned vcpu, void *data, const uint64_t *reg);
void plugin_core_known(unsigned vcpu, void *data, const uint64_t *reg);
/* The block is counted; its known accesses from number `from` on are left to do.  c->missed: loads before
 * that whose values are to be followed. */
void plugin_core_rest(struct plugin_core *c, const struct plugin_block *b, unsigned from,
		      const uint64_t *reg);

/* For stubs: the block under way is counted; a line of its code, or a known access at addr, is not among the
 * lines used last (_miss: or may be, or lies across two).  True: a load's value is to be followed. */
void plugin_core_fetch(struct plugin_core *c, uint64_t line);
bool plugin_core_miss(struct plugin_core *c, const struct plugin_known *k, uint64_t addr);
bool plugin_core_miss_load(struct plugin_core *c, const struct plugin_known *k, uint64_t addr);
bool plugin_core_miss_store(struct plugin_core *c, const struct plugin_known *k, uint64_t addr);

#endif
