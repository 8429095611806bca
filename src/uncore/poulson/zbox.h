/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory controller of one Bbox (manual 5.9): two links to scalable memory buffers in lockstep, each buffer with two
 * buses of DDR3.  A line lies half behind each link, so a bus of one buffer and the same bus of the other are one channel
 * of 128 bits here, with a line in each burst: two channels, peak 17 GB/s at DDR3-1067, as 5.1 has it for a controller.
 *
 * Commands of the Bbox come through a queue of buffer indices (FVID).  A read leaves its line in a fill buffer; what is
 * done with it there are commands of their own (table 5-104).
 */
#ifndef BXS_UNCORE_POULSON_ZBOX_H
#define BXS_UNCORE_POULSON_ZBOX_H

#include "signal/signal.h"
#include "uncore/calendar.h"
#include "uncore/chance.h"
#include "uncore/depth.h"
#include "uncore/entries.h"
#include "uncore/imc/imc.h"

enum zbox_command {
	ZBOX_READ = 0x0, ZBOX_WRITE = 0x1, ZBOX_MERGE = 0x2, ZBOX_F2V = 0x5, ZBOX_F2B = 0x6,
	ZBOX_MEGAOP1 = 0x8,		/* F2B, F2V, then a write */
	ZBOX_MEGAOP2 = 0xc,		/* F2V, then a write */
};

enum {
	ZBOX_CHANNELS = 2,
	ZBOX_LIVE = 32,			/* commands at once (LIVE_OPS_INFLIGHT) */
	ZBOX_ACK = 4,			/* uclk from what a command waits for to its acknowledge */
	ZBOX_F2B_CLOCKS = 4,		/* uclk until a line is out of its fill buffer */
	ZBOX_WDAT = 4,			/* frames of write data for a line */
	ZBOX_RESET = 64,		/* uclk that a fast reset of the link takes */
	ZBOX_SYNC = 42,			/* frames from one sync frame to the next */
};

/* Spells in which modules are hot; see zbox_heat.c. */
struct zbox_heat {
	unsigned modules;			/* of each bus, a bit each */
	uint64_t from, length, period;		/* length 0: none */
	uint64_t since, told, now;		/* known of since; crossings are told up to here; time */
};

/* What goes wrong: frames on the serial link, reads that ECC corrects, reads that come back damaged, lines in buffers. */
enum zbox_fault { ZBOX_FRAMES, ZBOX_ECC, ZBOX_REREAD, ZBOX_BUFFERS, ZBOX_FAULTS };

struct zbox {
	struct signal_port *port;		/* never NULL */
	struct calendar_rate uclk, frame;
	struct calendar fvid;
	struct entries live;
	struct depth full;
	struct zbox_heat heat;
	struct chance chance[ZBOX_FAULTS];
	struct imc *imc[ZBOX_CHANNELS];		/* its own */
	uint64_t frames;			/* to each buffer: with commands or data, and all that are told */
	uint64_t told;
	uint64_t reads, writes;			/* commands */
};

/* config: of each channel.  0 or an error of imc_new(). */
int zbox_init(struct zbox *z, const struct imc_config *config, uint32_t uclk_khz, struct signal_port *silent);
void zbox_free(struct zbox *z);			/* what it owns */
void zbox_port(struct zbox *z, struct signal_port *port);

struct zbox_answer {
	uint64_t accepted;			/* out of the queue of buffer indices */
	uint64_t ack;				/* back at the Bbox; of F2B: the line is there */
};

struct zbox_line {
	unsigned channel, buffer;	/* buffer: index of its fill and victim buffers */
	uint64_t line;			/* number within the channel */
};

struct zbox_answer zbox_command(struct zbox *z, enum zbox_command command, const struct zbox_line *line, uint64_t when);

/* Commands are held back, as imc_throttle(). */
void zbox_throttle(struct zbox *z, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period);
/* Modules of each bus are hot: their temperature crosses its trip points. */
void zbox_heat(struct zbox *z, unsigned modules, uint64_t from, uint64_t length, uint64_t period);
void zbox_tell_heat(struct zbox *z, uint64_t now);

/* Nothing more comes before `now`. */
void zbox_advance(struct zbox *z, uint64_t now);

#endif
