/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of an Itanium 9500 socket (manual 5.1.1): pairs of counter-rotating rings for addresses (AD), acknowledges (AK),
 * blocks of 32 bytes (BL) and snoops of cores (IV), with a stop for each core and its Cbox and for each Sbox.
 *
 *	 C0 - C1 - S0 - C2 - C3
 *	 |                    |		clockwise: to the right above, to the left below
 *	 C7 - C6 - S1 - C5 - C4
 *
 * A message goes the shorter way, a stop a clock, and keeps its slot until it is there.  It gets onto the ring when
 * a free slot comes by; those on the ring go first.  A line is two messages, one behind the other.
 */
#ifndef BXS_UNCORE_POULSON_PRING_H
#define BXS_UNCORE_POULSON_PRING_H

#include "signal/signal.h"
#include "uncore/calendar.h"

enum pring_kind { PRING_AD, PRING_AK, PRING_BL, PRING_IV, PRING_KINDS };

enum {
	PRING_CORES = 8, PRING_SBOXES = 2, PRING_STOPS = PRING_CORES + PRING_SBOXES,
	PRING_LAP = PRING_STOPS,	/* clocks once round */
	PRING_STARVES = 16,		/* clocks of waiting from which on a message starves */
};

/* Whose message it is, where core and Cbox share a stop. */
enum pring_sender { PRING_CORE, PRING_CBOX, PRING_SBOX };

struct pring {
	struct calendar_rate uclk;
	struct signal_port *port[PRING_STOPS];	/* of the stop's Cbox or Sbox; never NULL */
	/* Clocks in which a message passes from a stop to the next, each way; from where a stop's messages come out. */
	struct calendar segment[PRING_KINDS][2][PRING_STOPS];
	uint64_t sent;				/* messages, of all kinds */
};

void pring_init(struct pring *r, uint32_t uclk_khz, struct signal_port *silent);
void pring_uclk(struct pring *r, uint32_t uclk_khz);

/* The stops of a core with its Cbox, and of an Sbox. */
unsigned pring_stop_of_core(unsigned core);
unsigned pring_stop_of_sbox(unsigned sbox);
/* The Sbox of a Cbox's half. */
static inline unsigned pring_half(unsigned cbox)
{
	return cbox * PRING_SBOXES / PRING_CORES;
}

/* How many stops apart, the shorter way. */
unsigned pring_hops(unsigned from, unsigned to);

struct pring_message {
	uint64_t when;			/* at the stop's egress */
	uint8_t kind;			/* enum pring_kind */
	uint8_t from, to;		/* stops */
	uint8_t sender;			/* enum pring_sender */
	uint8_t slots;			/* messages in a row: 2 for a line */
	bool to_core;			/* from an Sbox past the Cbox of the stop */
};

/* Sends it; returns when the last of it leaves the ring. */
uint64_t pring_send(struct pring *r, const struct pring_message *m);

#endif
