/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a memory channel, shared by its files.  All times are clocks of DRAM. */
#ifndef BXS_UNCORE_IMC_INSIDE_H
#define BXS_UNCORE_IMC_INSIDE_H

#include "signal_ids.h"
#include "uncore/depth.h"
#include "uncore/imc/imc.h"
#include "uncore/imc/bus.h"
#include "uncore/entries.h"
#include "uncore/stays.h"

enum {
	IMC_MAX_WPQ = 64,	/* a bit each in a word */
	IMC_MAX_RPQ = 64,
	IMC_BANKS = DRAM_MAX_RANKS * DRAM_BANKS,
	IMC_GROUPS = IMC_BANKS / DRAM_GROUP_BANKS,
	IMC_PAST = 12,		/* rows remembered of a bank, in a ring of ... */
	IMC_PAST_ROOM = 16,
	IMC_CELLS = 1024,	/* of the data bus, four clocks each */
	IMC_MAP_BITS = 10,
	IMC_MAP = 1 << IMC_MAP_BITS,
	IMC_WINDOW = 1024,	/* clocks in which a throttled rank has ... */
	IMC_WINDOW_LINES = 32,	/* ... so many lines */
	IMC_CELL_WRITE = 0x80,
	IMC_NIL = 0xff,
	IMC_NOBODY = IMC_MAX_WPQ,	/* an entry of imc.posted that is never looked at */
	IMC_SLEEPS = 1 + DRAM_MAX_RANKS,	/* sets: all ranks; those of each number in imc.cke_low */
	IMC_LATE = 64,		/* clocks behind others that are disorder, not a queue */
};

/* What a request looks at of its bank, in one line of the host's cache. */
struct imc_bank {
	_Alignas(64) uint64_t act;	/* the last ACT */
	uint64_t pre;		/* earliest PRE of the open row */
	uint64_t used;		/* its last CAS */
	uint64_t ready;		/* earliest ACT when closed */
	uint64_t start;		/* what opened the row: PRE of the row before, or ACT */
	uint32_t row;		/* IMC_CLOSED: none */
	uint8_t past0, past;	/* rows before this one that are remembered: from which on, how many */
	uint8_t posted, posted_last;	/* writes that wait: the oldest and the youngest; or IMC_NIL and IMC_NOBODY */
};

/* A row that was open once.  Two of them in a line of the host's cache. */
struct imc_past {
	_Alignas(32) uint64_t start;	/* as of the bank ... */
	uint64_t hold;		/* could have been closed from here on */
	uint64_t close;		/* was closed; IMC_NEVER: by the PRE for the next row */
	uint32_t row;
	uint32_t act;		/* ... so many clocks after its start */
};

#define IMC_NEVER UINT64_MAX
#define IMC_CLOSED UINT32_MAX

/* What is counted instead of told when nobody asks for more: CAS by what they are. */
enum imc_lump { IMC_LUMP_RD, IMC_LUMP_UNDERFILL, IMC_LUMP_WR, IMC_LUMPS };

struct imc_rank {
	_Alignas(64) uint64_t calm;	/* nothing happens by itself before, nothing is in the way ... */
	uint64_t fresh;		/* ... from the last refresh's end on */
	uint64_t busy;		/* end of the last thing it did but for bursts */
	uint64_t due;		/* the oldest refresh not done */
	uint64_t barred;	/* the last refresh begins */
	uint64_t cke;		/* clock enabled; told up to here */
	uint16_t noted;		/* that it sleeps, in sets of imc.sleep: a bit each */
	unsigned open;		/* rows, a bit for each bank */
	uint64_t window;	/* while it is throttled: the last window with a line in it, and how many */
	unsigned lines;
	/* The next ACT behind all others, as tRRD_S and as tFAW have it; from act_run to there is no place for one. */
	uint64_t act_next, act_faw, act_run;
	struct imc_bus acts;	/* clocks with an ACT, for tRRD_S and tFAW */
};

/* How many more ranks sleep from a time on. */
struct imc_edge {
	uint64_t at;
	int n;
};

/* When all ranks of a set sleep, for who listens: what each does, in whatever order, until time is closed. */
struct imc_sleep {
	struct imc_edge *edge;
	unsigned edges, room;
	unsigned asleep;	/* ranks, at `since`; told up to there */
	uint64_t begun, since;	/* somebody has listened from then on */
	bool on;
};

/* When something holds, in clocks. */
struct imc_spell {
	uint64_t from, length, period;
};

/* Self-refresh. */
struct imc_self {
	enum imc_power rest;
	bool in;
	uint64_t from;		/* not before */
	uint64_t told;		/* up to here */
};

/* A posted write. */
struct imc_posted {
	_Alignas(32) uint64_t line;
	uint64_t from;		/* earliest CAS: the entry is whole */
	uint64_t since;		/* has its entry */
	uint32_t row;
	uint8_t next;		/* of the same bank, or IMC_NIL */
	uint8_t buffer;		/* as imc.buffer */
	bool put_off;		/* was so on its way into the queue */
};

/* Who a command is for: flags of imc.act and imc.pre. */
enum imc_who { IMC_WHO_RD, IMC_WHO_WR, IMC_WHO_BYP };

/* What had to come first: nothing (the row was open), ACT, or PRE and ACT. */
enum imc_first { IMC_HIT, IMC_EMPTY, IMC_MISS };

/* How a request found its bank, kept only for who listens; woken: its rank had to wake up or to be refreshed. */
struct imc_found {
	enum imc_first first;
	bool woken;
};

/* No place for a burst is left between these clocks of the data bus. */
struct imc_tried {
	uint64_t from, to;
};

/* The data bus and the command bus: what is booked, and what may follow. */
struct imc_buses {
	/*
	 * From when on the data bus is free for the rank of the latest burst, and for others.
	 * Between `run` and there it has no gap for a burst.
	 */
	uint64_t run, from[2];
	uint64_t busy;			/* end of the latest burst */
	uint8_t busy_who;
	uint64_t command_last;		/* the latest ACT or PRE */
	uint8_t spread[4];	/* shifts that make of a bit 2 * tRRD_S - 1 */
	unsigned near;		/* how near bursts can be in each other's way, made from the timings */
	/* From the start of one burst to that of another, by the exclusive or of their bank groups. */
	uint8_t apart[IMC_CELL_WRITE];
	bool faw;		/* does tFAW forbid more than tRRD_S */
	uint64_t group_data[IMC_GROUPS];	/* the next burst of each bank group, behind all others */
	struct imc_tried tried[2][IMC_GROUPS];	/* for writes and reads of this group */
	uint64_t group_act[IMC_GROUPS];		/* tRRD_L behind the ACT booked last in each bank group */
	struct imc_bus command;		/* clocks with a command */
	struct imc_bus starts;		/* clocks in which bursts start, or none may */
	/* Of each burst its start << 8, its bank group, and whether it is written, in the cell of its start. */
	uint64_t cell[IMC_CELLS];
};

struct imc_reads {
	uint64_t newest;		/* the latest arrival */
	/* Entries of the queue, taken in turn: when that which the read of this number took is free again. */
	uint64_t rpq[IMC_MAX_RPQ];
	uint32_t count;
	uint64_t last, last_came;	/* latest CAS, and when that read came: told of */
};

/* Writes are posted, and go out in blocks.  Nobody reads before the data bus has turned round. */
struct imc_writes {
	bool major;			/* write major mode, since when */
	uint64_t major_since;
	uint64_t calm;			/* no write goes out, and no block ends, before */
	uint64_t end;			/* of the data bus, last booked */
	/* A block of writes, in either mode. */
	uint64_t block;			/* from here to `end`; that 0: there is none */
	uint64_t block_bus;		/* its next data not before */
	uint64_t block_at;		/* CAS issued so far */
	uint64_t banks[IMC_BANKS / 64];	/* which banks have a posted one, by their turns */
	struct imc_posted posted[IMC_MAX_WPQ + 1];
	uint64_t free;			/* entries of posted */
	uint64_t told;			/* up to here the residencies of some are told */
	uint64_t known;			/* of these: in those entries then; who comes later may have come before */
	unsigned count, turn;
	uint64_t wpq[IMC_MAX_WPQ];	/* when an entry came free, with the write of this number */
	uint32_t issued;
	uint8_t like[256];		/* posted writes by what their banks give; see imc_posted_like() */
};

/* For who listens to the dispatch queue: reads of a bank are in it until; the command that is walked has the buffer of
 * this number, and has been put off, since when; commands that the controller has, of so many. */
struct imc_dispatch {
	uint64_t until[IMC_BANKS];
	uint8_t buffer;
	bool put_off;
	uint64_t put_off_since;
	const struct entries *live;
	unsigned live_most;
};

/* What ranks do by themselves: refresh, power down, self refresh, throttling. */
struct imc_rest {
	uint64_t at;			/* told up to here */
	bool lumps;			/* and may be told in lumps */
	struct imc_sleep sleep[IMC_SLEEPS];
	struct imc_spell spell[IMC_CAUSES];
	bool spells;			/* there is one */
	uint64_t hot_ranks;		/* that IMC_TOO_HOT is about */
	uint64_t throttle_at;		/* throttling is told up to here */
	struct imc_self self;
};

/* Errors in what is read. */
struct imc_ecc {
	struct chance chance;
	void (*told)(void *ctx, unsigned socket, uint64_t when);
	void *ctx;
	unsigned socket;
};

struct imc {
	struct imc_config cfg;
	struct signal_port *port;
	struct stays *stays;	/* NULL: nobody wants to know */
	struct signal_port silent;
	struct signal_watch *nobody[SIG_IMC_COUNT];
	void (*told)(void *ctx, unsigned channel, uint64_t when);
	void *told_ctx;
	unsigned channel;
	uint64_t mult;			/* clocks = time * mult >> 64 */
	uint64_t period;		/* time = clocks * period >> 40 */

	/* The bank of a line is the exclusive or of what parts of its number give, if `mapped`; see imc_place(). */
	bool mapped;
	uint8_t row_shift, pair;
	uint8_t bank_of[3][IMC_MAP];

	bool plain;			/* nobody listens to more than lumps */
	uint64_t lumps[IMC_LUMPS];	/* CAS since reset, and those that are told */
	uint64_t lumps_told[IMC_LUMPS];
	uint64_t advanced;		/* nothing comes before */
	uint64_t mode;			/* mode told up to here */
	struct imc_reads read;
	struct imc_writes write;
	struct imc_buses bus;
	struct imc_rank rank[DRAM_MAX_RANKS];
	struct imc_bank bank[IMC_BANKS];	/* slot * 16 + bank */
	struct imc_past past[IMC_BANKS][IMC_PAST_ROOM];	/* oldest first; see imc_past_of() */
	struct imc_rest rest;
	struct depth rpq_depth, wpq_depth;
	struct imc_dispatch dispatch;
	struct chance frames;		/* of an error on the link to a memory buffer */
	struct imc_ecc ecc;
};

static inline uint64_t imc_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t imc_past_act(const struct imc_past *row)
{
	return row->start + row->act;
}

/* Row i of those remembered of a bank, 0 the oldest. */
static inline struct imc_past *imc_past_of(struct imc *c, unsigned bank, int i)
{
	return &c->past[bank][(c->bank[bank].past0 + (unsigned)i) % IMC_PAST_ROOM];
}

/* dram_place(), from tables where ranks are a power of two. */
static inline struct dram_place imc_place(const struct imc *c, uint64_t line)
{
	uint64_t part = line >> DRAM_COLUMNS;
	unsigned bank;

	if (__builtin_expect(!c->mapped, 0))
		return dram_place(&c->cfg.dram, line);
	bank = c->bank_of[0][part % IMC_MAP] ^ c->bank_of[1][(part >> IMC_MAP_BITS) % IMC_MAP] ^
	       c->bank_of[2][(part >> 2 * IMC_MAP_BITS) % IMC_MAP];
	return (struct dram_place){ .row = (uint32_t)(line >> c->row_shift),
				    .bank = (uint8_t)(bank ^ (line << 2 & c->pair)) };
}

/* The first edge after `when`. */
static inline uint64_t imc_clock(const struct imc *c, uint64_t when)
{
	return (uint64_t)(((bits_u128)when * c->mult) >> 64) + 1;
}

/* A time within clock k, near its start. */
static inline uint64_t imc_time(const struct imc *c, uint64_t k)
{
	return (uint64_t)(((bits_u128)k * c->period) >> 40) + 1;
}

/* imc/read.c, imc/write.c: the same work, with all signals raised or with CAS commands counted only. */
struct imc_read imc_read_observed(struct imc *c, uint64_t line, uint64_t when);
uint64_t imc_read_batched(struct imc *c, uint64_t line, uint64_t when);
struct imc_write imc_write_observed(struct imc *c, uint64_t line, uint64_t when, bool partial);
struct imc_write imc_write_batched(struct imc *c, uint64_t line, uint64_t when, bool partial);

/* Somebody will listen: bring up to c->advanced what was left undone as long as nobody did. */
void imc_settle(struct imc *c);

#endif
