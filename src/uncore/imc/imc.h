/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One channel of the memory controller (iMC) with its DRAM: pending queues, page
 * policy, major modes, refresh, power-down.  Raises the signals of catalog/signals/imc.sig.
 *
 * A request is walked in one call: the call takes the time at which the request
 * reaches the channel, books command bus, bank and data bus, and returns times.
 * Calls should come in ascending order of time; one that comes late takes what
 * bookings left free, so that nobody waits for the future of another.
 *
 * Time is machine time in picoseconds; inside, whole clocks of DRAM (dclk).
 */
#ifndef BXS_UNCORE_IMC_IMC_H
#define BXS_UNCORE_IMC_IMC_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/chance.h"
#include "uncore/imc/dram.h"

struct entries;
struct imc;
struct stays;

/* All times in dclk.  imc_config_ddr4 fills in what an E5 v3 board has, imc_config_ddr3 an E5's. */
struct imc_config {
	struct dram_config dram;
	uint16_t rpq, wpq;		/* entries of the read and write pending queues */
	uint16_t wmm_high, wmm_low;	/* WPQ depth that starts and ends write major mode */
	uint16_t starve;		/* a read waits at most so long for write major mode, ... */
	uint16_t starve_low;		/* ... an underfill for other reads */
	uint16_t front, back;		/* request to first command; last data to home agent */
	uint16_t bypass;		/* clocks of `front` that an idle channel saves */
	uint16_t credit;		/* an entry is free to its credit being back */
	uint32_t idle_write;		/* idle so long: writes go out in read major mode */
	uint32_t idle_close;		/* a page unused so long is closed */
	uint32_t idle_cke;		/* a rank unused so long powers down */
	uint32_t idle_self;		/* modules refresh themselves when nothing has come for so long, if they may */
	bool slow_exit;			/* powered down with the DLL off: waking takes longer */
	uint16_t link;			/* over the link to a memory buffer (VMSE); 0: there is none */
	uint16_t retry;			/* until what was damaged on that link has come again */
	uint8_t buses, bus;		/* if it is one of two that raise signals on one port: 2, which; else 0 */
};

/* mts: million transfers a second (2133); ranks: of the channel, 1..8. */
void imc_config_ddr4(struct imc_config *config, unsigned mts, unsigned ranks);
void imc_config_ddr3(struct imc_config *config, unsigned mts, unsigned ranks);

/* Put the memory behind a buffer that keeps the writes (E7). */
void imc_config_buffered(struct imc_config *config);

struct imc_read {
	uint64_t issued;	/* the request got its RPQ entry */
	uint64_t cas;		/* its CAS: the entry is free again */
	uint64_t credit;	/* the credit for the entry is back */
	uint64_t data;		/* the line is at the home agent */
	bool bypass;		/* past the scheduler of an idle channel */
	bool wpq;		/* answered out of the write queue: no CAS */
};

struct imc_write {
	uint64_t issued;	/* the request got its WPQ entry: it is posted */
	bool merged;		/* into a pending write of the same line */
};

/* 0; BXS_EINVAL (a number out of range) or BXS_ENOMEM. */
int imc_new(const struct imc_config *config, struct imc **out);
void imc_free(struct imc *c);		/* NULL is allowed */

/* Where signals go; its clock runs at dram.dclk_khz.  NULL: nobody measures. */
void imc_port(struct imc *c, struct signal_port *port);

/* Told when the credit for an entry of the write queue is back; such calls do not come in
 * order of time.  NULL: nobody wants to know. */
void imc_on_credit(struct imc *c, void (*told)(void *ctx, unsigned channel, uint64_t when),
		   void *ctx, unsigned channel);

/* Call after watches of the port were hung or taken off, or it has become exact or ceased to be; tell before
 * that, and before anybody looks at what watches have added (see signal/lump.h).  Without
 * these calls everything is told at once.  brief: of the answer to a read only data is
 * looked at; the rest may be 0 then. */
void imc_rewatch(struct imc *c, bool brief);
void imc_tell(struct imc *c);

/* The controller's commands hold `most` entries of live while they are in it; of them is told what is said of retries. */
void imc_share(struct imc *c, const struct entries *live, unsigned most);
/* The next request is of the buffer of this number. */
void imc_buffer(struct imc *c, unsigned buffer);

/* Reads of DRAM have errors that ECC corrects, as chance has it; told(ctx, socket, when) hears of each. */
void imc_errors(struct imc *c, struct chance chance, void (*told)(void *ctx, unsigned socket, uint64_t when),
		void *ctx, unsigned socket);

/* Pushes of writes into a memory buffer are damaged on the link, as chance has it. */
void imc_link_errors(struct imc *c, struct chance chance);

/* What leaves commands fewer chances than the timings would: a module is too hot, or far too hot; power control asks. */
enum imc_cause { IMC_TOO_HOT, IMC_CRITICAL, IMC_PCU, IMC_CAUSES };

/* It does so from `from` on for `length`, and again every `period`, if that is not 0; for IMC_TOO_HOT the ranks, counted
 * without gaps, whose bits are set.  Before `from` has come. */
void imc_throttle(struct imc *c, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period);

/* How deep the package sleeps: not enough for self-refresh; enough if nobody comes; so deep that the clock stands. */
enum imc_power { IMC_AWAKE, IMC_DROWSY, IMC_ASLEEP };

void imc_power(struct imc *c, uint64_t when, enum imc_power depth);

/* line: number of the line within the channel. */
struct imc_read imc_read(struct imc *c, uint64_t line, uint64_t when);
/* For who wants to know no more than when the line is at the home agent. */
uint64_t imc_read_data(struct imc *c, uint64_t line, uint64_t when);
struct imc_write imc_write(struct imc *c, uint64_t line, uint64_t when, bool partial);

/*
 * Nothing more will come before `now`: do and tell what happens by itself until then
 * (idle writes, refresh, page timers, power-down).  Call it before counters are read.
 */
void imc_advance(struct imc *c, uint64_t now);

/* As fabric_stays(). */
void imc_stays(struct imc *c, struct stays *stays);

/* Entries of the write or the read queue. */
unsigned imc_entries(const struct imc *c, bool writes);

/* CAS commands issued since reset, reads and writes. */
uint64_t imc_bursts(const struct imc *c);

/* Posted writes that are not in DRAM yet, and rows that are open. */
unsigned imc_pending_writes(const struct imc *c);
unsigned imc_open_rows(const struct imc *c);

#endif
