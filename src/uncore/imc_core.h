/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a memory channel, shared by imc*.c.  All times are clocks of DRAM. */
#ifndef BXS_UNCORE_IMC_CORE_H
#define BXS_UNCORE_IMC_CORE_H

#include "signal_ids.h"
#include "uncore/depth.h"
#include "uncore/imc.h"
#include "uncore/imc_bus.h"
#include "uncore/pool.h"
#include "uncore/room.h"

enum {
	IMC_MAX_WPQ = 64,
	IMC_MAX_RPQ = 64,
	IMC_BANKS = DRAM_MAX_RANKS * DRAM_BANKS,
	IMC_PAST = 12,		/* rows remembered of a bank */
	IMC_NIL = 0xff,
	IMC_LATE = 64,		/* clocks behind others that are disorder, not a queue */
};

struct imc_bank {
	bool open;
	uint32_t row;
	uint64_t act;		/* the last ACT */
	uint64_t cas;		/* earliest CAS to the open row */
	uint64_t pre;		/* earliest PRE of the open row */
	uint64_t used;		/* its last CAS */
	uint64_t ready;		/* earliest ACT when closed */
	uint64_t start;		/* what opened the row: PRE of the row before, or ACT */
	uint8_t past;		/* rows before this one that are remembered */
};

/* A row that was open once. */
struct imc_past {
	uint64_t start, act;	/* as of the bank */
	uint64_t hold;		/* could have been closed from here on */
	uint64_t close;		/* was closed; IMC_NEVER: by the PRE for the next row */
	uint32_t row;
};

#define IMC_NEVER UINT64_MAX

struct imc_rank {
	struct imc_bus acts;	/* clocks with an ACT, for tRRD_S and tFAW */
	uint64_t group_act[4];	/* the ACT booked last in each bank group */
	struct imc_bus cas[4];	/* clocks with a CAS in each bank group, for tCCD_L */
	uint64_t busy;		/* end of the last thing it did */
	uint64_t due;		/* the oldest refresh not done */
	uint64_t barred;		/* the last refresh: begins, ends */
	uint64_t fresh;
	uint64_t cke;		/* clock enabled; told up to here */
	unsigned open;		/* rows */
};

/* A posted write. */
struct imc_posted {
	uint64_t line;
	uint64_t from;		/* earliest CAS: the entry is whole */
	uint64_t told;		/* its stay is told up to here */
	struct dram_place place;
	uint8_t next;		/* of the same bank; or free; IMC_NIL */
};

/* Who a command is for: flags of imc.act and imc.pre. */
enum imc_who { IMC_WHO_RD, IMC_WHO_WR, IMC_WHO_BYP };

/* What had to come first: nothing (the row was open), ACT, or PRE and ACT. */
enum imc_first { IMC_HIT, IMC_EMPTY, IMC_MISS };

struct imc {
	struct imc_config cfg;
	struct signal_port *port;
	struct signal_port silent;
	struct signal_watch *nobody[SIG_IMC_COUNT];
	void (*told)(void *ctx, unsigned channel, uint64_t when);
	void *told_ctx;
	unsigned channel;
	uint64_t mult;			/* clocks = time * mult >> 64 */
	uint64_t period;		/* time = clocks * period >> 40 */

	struct imc_bus data, command;
	struct imc_rank rank[DRAM_MAX_RANKS];
	struct imc_bank bank[IMC_BANKS];	/* slot * 16 + bank */
	struct imc_past past[IMC_BANKS][IMC_PAST];	/* oldest first */
	uint64_t burst;			/* start and rank of the last burst booked */
	uint8_t burst_slot;
	uint64_t read_end, write_end;	/* of the data bus, last booked */
	uint64_t busy;			/* end of everything booked */
	uint64_t bursts;		/* CAS commands since reset */
	uint64_t last_read, last_came;	/* latest CAS of a read, and when that read came */
	uint64_t ppd;			/* precharge power-down: told up to here */
	bool settling;			/* other ranks are being brought up to a time */

	struct pool rpq, wpq;
	struct room rpq_room;
	uint64_t newest;		/* the latest arrival of a read */
	struct depth rpq_depth, wpq_depth;

	bool wmm;			/* write major mode, since when */
	uint64_t wmm_since;
	uint64_t mode;			/* mode told up to here */
	/* A block of writes, in either mode.  Nobody reads before the data bus has turned round. */
	uint64_t block;			/* from here to write_end; that 0: there is none */
	uint64_t block_bus;		/* its next data not before */
	uint64_t block_at;		/* CAS issued so far */
	uint8_t posted_of[IMC_BANKS];	/* oldest write of each bank, IMC_NIL */
	uint8_t posted_last[IMC_BANKS];	/* youngest */
	uint64_t posted_banks[IMC_BANKS / 64];	/* which banks have one */
	struct imc_posted posted[IMC_MAX_WPQ];
	uint8_t posted_free;
	unsigned posted_count, posted_turn;
};

static inline uint64_t imc_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
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

static inline void imc_pulse(struct imc *c, unsigned sig, uint64_t k, uint64_t flags)
{
	if (signal_watched(c->port, sig))
		signal_deliver_pulse(c->port, sig, imc_time(c, k), 1, flags, NULL);
}

/* A command to DRAM. */
static inline void imc_tell_command(struct imc *c, uint64_t k, uint64_t which)
{
	imc_pulse(c, SIG_IMC_COMMAND, k, which | (c->wmm ? IMC_COMMAND_WRITE : IMC_COMMAND_READ));
}

static inline void imc_span(struct imc *c, unsigned sig, uint64_t from, uint64_t to,
			    uint64_t flags)
{
	if (signal_watched(c->port, sig) && from < to)
		signal_deliver_span(c->port, sig, imc_time(c, from), imc_time(c, to), 1, flags,
				    NULL);
}

/* A request of the home agent for a line, or the answer to it. */
static inline void imc_tell_request(struct imc *c, uint64_t k, uint64_t which, uint64_t line)
{
	struct signal_tag tag = { .addr = line << 6 };

	signal_pulse(c->port, SIG_IMC_REQUEST, imc_time(c, k), 1, which, &tag);
}

/* What a line found in its bank. */
static inline void imc_tell_page(struct imc *c, uint64_t k, enum imc_first first)
{
	static const uint64_t flag[] = {
		[IMC_HIT] = IMC_PAGE_HIT, [IMC_EMPTY] = IMC_PAGE_EMPTY, [IMC_MISS] = IMC_PAGE_MISS,
	};

	imc_pulse(c, SIG_IMC_PAGE, k, flag[first]);
}

/* A request that came at `from` finds a queue full, until `to`. */
static inline void imc_tell_full(struct imc *c, uint64_t from, uint64_t to, bool write)
{
	if (to <= from)
		return;
	imc_pulse(c, SIG_IMC_FULL, from, write ? IMC_FULL_WRITE : IMC_FULL_READ);
	imc_span(c, SIG_IMC_FILL, from, to, write ? IMC_FILL_WRITE : IMC_FILL_READ);
}

/* The queue, which held `level` entries, holds n more from clock k on. */
static inline void imc_depth(struct imc *c, struct depth *d, uint64_t k, unsigned level, int n)
{
	if (depth_listen(d, c->port, k, (int)level))
		depth_change(d, c->port, k, n);
}

/* imc_bank.c: rows and ranks. */

/* What rank `slot` must do before it can take a command at `at`: wake up, refresh.
 * Returns when it can. */
uint64_t imc_rank_ready(struct imc *c, unsigned slot, uint64_t at);
/* Refreshes, idle pages and power of all ranks, done and told until `now`. */
void imc_rank_advance(struct imc *c, uint64_t now);
/* Open p's row at `at` or later.  Returns the earliest CAS; *first is what it took. */
uint64_t imc_row_open(struct imc *c, const struct dram_place *p, uint64_t at, enum imc_who who,
		      enum imc_first *first);

/* The earliest ACT of p's rank at or after `at`: tRRD, tFAW, command bus. */
uint64_t imc_act_slot(const struct imc *c, const struct dram_place *p, uint64_t at);
uint64_t imc_activate(struct imc *c, const struct dram_place *p, uint64_t at, enum imc_who who);
uint64_t imc_precharge(struct imc *c, uint64_t at, uint64_t flags);

/* imc_past.c: rows that were open once, for who comes late or can go first. */

/* The bank's open row is to be closed: remember it.  close: when, or IMC_NEVER. */
void imc_past_keep(struct imc *c, unsigned bank, uint64_t close);
/* p's bank has booked another row for after `at`: is there a place for p before that, a
 * row that was open or time to open it?  Returns the earliest CAS there, 0: no place. */
uint64_t imc_past_find(struct imc *c, const struct dram_place *p, uint64_t at, enum imc_who who,
		       enum imc_first *first);

/* imc_cas.c: column commands. */

/* The CAS that the functions below would book, a write's as one of the present block. */
uint64_t imc_cas_slot(const struct imc *c, const struct dram_place *p, uint64_t at, bool write);

/* Book the command, CAS at `at` or later, data at `bus` or later.  Returns the CAS. */
uint64_t imc_cas_read(struct imc *c, const struct dram_place *p, uint64_t at, uint64_t bus,
		      uint64_t flags);
uint64_t imc_cas_write(struct imc *c, const struct dram_place *p, uint64_t at, uint64_t bus,
		       uint64_t flags);

/* imc_write.c: posted writes and major modes. */

void imc_write_init(struct imc *c);
/* Is a write of this line pending? */
bool imc_posted(const struct imc *c, const struct dram_place *p, uint64_t line);
/* Idle writes and write major mode, until `at`. */
void imc_writes_until(struct imc *c, uint64_t at);
/* A read wants the channel at `at`: when may it?  *starved: it had to end write major
 * mode. */
uint64_t imc_read_mode(struct imc *c, uint64_t at, bool *starved);
/* Tell of modes and of writes that wait, until `now`. */
void imc_write_advance(struct imc *c, uint64_t now);

#endif
