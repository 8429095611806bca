/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work of a memory channel, made twice: IMC_TOLD is 1 where all signals are raised, 0 where
 * CAS commands are counted and no other signals are listened to.
 */
#ifndef IMC_TOLD
#error "to be included by imc_told.c and imc_plain.c"
#endif

#include "uncore/imc/inside.h"

#define IMC_HOT static inline __attribute__((always_inline))

IMC_HOT void imc_pulse(struct imc *c, unsigned sig, uint64_t k, uint64_t flags)
{
	if (IMC_TOLD && signal_watched(c->port, sig))
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
	if (IMC_TOLD && signal_watched(c->port, sig) && from < to)
		signal_deliver_span(c->port, sig, imc_time(c, from), imc_time(c, to), 1, flags,
				    NULL);
}

static inline void imc_state(struct imc *c, unsigned sig, uint64_t from, uint64_t to,
			     uint64_t flags)
{
	if (IMC_TOLD && signal_watched(c->port, sig) && from < to)
		signal_deliver_state(c->port, sig, imc_time(c, from), imc_time(c, to), flags, NULL);
}

/* A request of the home agent for a line, or the answer to it. */
static inline void imc_tell_request(struct imc *c, uint64_t k, uint64_t which, uint64_t line)
{
	struct signal_tag tag = { .addr = line << 6 };

	if (IMC_TOLD)
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

static inline void imc_note_first(struct imc_found *found, enum imc_first first)
{
	if (IMC_TOLD)
		found->first = first;
}

/* A request that came at `from` finds a queue full, until `to`. */
static inline void imc_tell_full(struct imc *c, uint64_t from, uint64_t to, bool write)
{
	if (!IMC_TOLD || to <= from)
		return;
	imc_pulse(c, SIG_IMC_FULL, from, write ? IMC_FULL_WRITE : IMC_FULL_READ);
	imc_span(c, SIG_IMC_FILL, from, to, write ? IMC_FILL_WRITE : IMC_FILL_READ);
}

/* The queue, which held `level` entries, holds n more from clock k on. */
static inline void imc_depth(struct imc *c, struct depth *d, uint64_t k, unsigned level, int n)
{
	if (IMC_TOLD && depth_listen(d, c->port, k, (int)level))
		depth_change(d, c->port, k, n);
}

/* imc_act.h: activates and precharges. */

/* The earliest ACT of p's rank at or after `at`: tRRD, tFAW, command bus. */
static uint64_t imc_act_slot(const struct imc *c, struct dram_place p, uint64_t at);
IMC_HOT uint64_t imc_activate(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who);
IMC_HOT uint64_t imc_precharge(struct imc *c, uint64_t at, uint64_t flags);

/* imc_bank.h: rows and ranks. */

/* What rank `slot` must do before it can take a command at `at`: wake up, refresh.
 * Returns when it can. */
IMC_HOT uint64_t imc_rank_ready(struct imc *c, unsigned slot, uint64_t at);
/* Open p's row at `at` or later.  Returns the earliest CAS. */
IMC_HOT uint64_t imc_row_open(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who, struct imc_found *found);

/* imc_hold.h: what holds commands back. */

/* When a line that wants the rank at `at` may go out; *edge: until when nothing about that changes. */
static uint64_t imc_allowed(struct imc *c, unsigned slot, uint64_t at, uint64_t *edge);
/* From when on modules refresh themselves, if nothing comes. */
static uint64_t imc_self_from(const struct imc *c);
/* A request comes at `at`: what happened by itself before that, and ends with it. */
static __attribute__((noinline)) void imc_prepare(struct imc *c, uint64_t at);

/* imc_rest.h: ranks that nobody uses. */

/* Refreshes, idle pages and power of all ranks are told until `now`. */
static void imc_rank_advance(struct imc *c, uint64_t now);
/* The rank has slept from `from` on; it wakes at `to`, or sleeps on (IMC_NEVER). */
static void imc_slept(struct imc *c, struct imc_rank *r, uint64_t from, uint64_t to);

/* imc_past.h: rows that were open once, for who comes late or can go first. */

/* The bank's open row is to be closed: remember it.  close: when, or IMC_NEVER. */
IMC_HOT void imc_past_keep(struct imc *c, struct imc_bank *b, uint64_t close);
/* p's bank has booked another row for after `at`: is there a place for p before that, a
 * row that was open or time to open it?  Returns the earliest CAS there, 0: no place. */
static __attribute__((noinline)) uint64_t imc_past_find(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
							struct imc_found *found);

/* imc_cas.h: column commands. */

/* The CAS that the functions below would book, a write's as one of the present block. */
static uint64_t imc_cas_slot(struct imc *c, struct dram_place p, uint64_t at, bool write);

/* Book the command, CAS at `at` or later, data at `bus` or later.  Returns the CAS. */
IMC_HOT uint64_t imc_cas_read(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus,
				    enum imc_lump kind, uint64_t flags);
static inline uint64_t imc_cas_write(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus,
		       uint64_t flags);

/* imc_write.h: posted writes and major modes. */

/* Is a write of this line pending? */
static inline bool imc_posted(struct imc *c, struct dram_place p, uint64_t line);
/* Idle writes and write major mode, until `at`. */
static inline void imc_writes_until(struct imc *c, uint64_t at);
/* A read wants the channel at `at`: when may it?  *starved: it had to end write major
 * mode. */
static __attribute__((noinline)) uint64_t imc_read_mode(struct imc *c, uint64_t at, bool *starved);
/* Tell of modes and of writes that wait, until `now`. */
static void imc_write_advance(struct imc *c, uint64_t now);

#include "uncore/imc_cas.h"
#include "uncore/imc_act.h"
#include "uncore/imc_bank.h"
#include "uncore/imc_rest.h"
#include "uncore/imc_past.h"
#include "uncore/imc_write.h"
#include "uncore/imc_hold.h"
#include "uncore/imc_read.h"
