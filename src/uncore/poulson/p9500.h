/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The uncores of an Itanium 9500 machine: up to eight sockets, each of
 *
 *	cores 0-3   Cboxes 0-3   Sbox 0 --.
 *	    ring ------------------       Rbox -- Bbox 0 -- Zbox 0 -- memory buffers
 *	cores 4-7   Cboxes 4-7   Sbox 1 --'  '--- Bbox 1 -- Zbox 1 -- memory buffers
 *
 * A request of a core is walked in one call, box by box; each box is a folder's file of its own name.  Time is machine
 * time in picoseconds; everything is integer and deterministic.
 */
#ifndef BXS_UNCORE_POULSON_P9500_H
#define BXS_UNCORE_POULSON_P9500_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/fabric.h"
#include "uncore/poulson/zbox.h"

struct p9500;

enum { P9500_SOCKETS = 8, P9500_CORES = 8, P9500_HOMES = 2 };

/* A core's private caches must give up or share a line, which they look up until `when`, for some clocks of the uncore. */
struct p9500_snoop {
	uint64_t line, when;
	unsigned socket, core, clocks;
	enum leave_snoop_kind kind;
	bool code, evicts;		/* another core reads code; the line leaves the slice */
};

struct p9500_config {
	unsigned sockets;		/* 1, 2, 4, 8 */
	unsigned cores;			/* of a socket, at most P9500_CORES */
	unsigned slices;		/* of its last-level cache, likewise */
	unsigned links;			/* two sockets: between them, 1 or 2 */
	uint32_t uclk_khz, core_khz, qpi_mts;
	uint32_t ddr_mts;		/* 800 or 1066 */
	unsigned ranks, dimms;		/* of a channel of 128 bits; dimms: modules, 1 or 2 */
	uint64_t memory;		/* bytes of a socket, at addresses from socket * memory on */
	bool (*snoop_core)(void *ctx, const struct p9500_snoop *snoop);	/* true: the core had written the line */
	void *ctx;
};

/* 0; BXS_EINVAL (a number out of range) or BXS_ENOMEM. */
int p9500_new(const struct p9500_config *config, struct p9500 **out);
void p9500_free(struct p9500 *p);		/* NULL is allowed */

/* Binds the port of a box: "cbox", "sbox", "bbox", "zbox", "rbox".  NULL: nobody measures it.  false: no such box. */
bool p9500_port(struct p9500 *p, unsigned socket, const char *type, unsigned box, struct signal_port *port);

/* The cores of a socket run at khz from now on. */
void p9500_core_clock(struct p9500 *p, unsigned socket, uint32_t khz);

/* Memory of all sockets is throttled, as zbox_throttle(); or its modules are hot (a bit each of a bus), as zbox_heat(). */
void p9500_throttle(struct p9500 *p, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period);
void p9500_heat(struct p9500 *p, unsigned modules, uint64_t from, uint64_t length, uint64_t period);
/* What goes wrong at memory controllers from now on; rate: hits of 2^64 tries. */
void p9500_memory_fault(struct p9500 *p, enum zbox_fault fault, uint64_t rate, uint64_t seed);

/* Flits between sockets are damaged; as p9500_memory_fault(). */
void p9500_link_errors(struct p9500 *p, uint64_t rate, uint64_t seed);

struct p9500_request {
	uint64_t line;			/* physical address / 64 */
	uint64_t when;			/* the core's private caches have missed */
	uint8_t socket, core;		/* core within the socket */
	uint8_t kind;			/* enum leave_kind; not LEAVE_TICK, LEAVE_HALT */
};

struct p9500_reply {
	uint64_t when;			/* the core may use it, or is rid of it */
	uint8_t grant;			/* enum fabric_grant */
	uint8_t source;			/* enum fabric_source */
	uint8_t found;			/* enum fabric_found */
};

/* Walks one request. */
struct p9500_reply p9500_request(struct p9500 *p, const struct p9500_request *rq);

/* The host should load what a request of the line will look at: some requests ahead. */
void p9500_prefetch(const struct p9500 *p, unsigned socket, uint64_t line);

/* Nothing more will come before `now`.  Call it before counters are read. */
void p9500_advance(struct p9500 *p, uint64_t now);

/* Out of memory: directory words were lost, what comes means nothing. */
bool p9500_broken(const struct p9500 *p);

#endif
