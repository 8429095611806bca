/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals of slices: raised at their times in observed runs, counted in batched ones. */
#ifndef BXS_UNCORE_CBO_SIGNALS_H
#define BXS_UNCORE_CBO_SIGNALS_H

#include "signal_ids.h"
#include "uncore/fabric_core.h"
#include "uncore/observed.h"

/* As signal_pulse() and signal_span(), for ports of CBos: most signals are watched by nobody
 * anywhere, and then the port is not even looked at. */
UNCORE_INLINE void cbo_pulse(const struct fabric *f, struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
				uint64_t flags, const struct signal_tag *tag, const bool observed)
{
	if (observed && fabric_tells(f, sig))
		signal_pulse(p, sig, when, n, flags, tag);
}

UNCORE_INLINE void cbo_span(const struct fabric *f, struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			       uint64_t n, uint64_t flags, const struct signal_tag *tag, const bool observed)
{
	if (observed && fabric_tells(f, sig))
		signal_span(p, sig, from, to, n, flags, tag);
}

/* Those that can be told in lumps. */
UNCORE_INLINE void cbo_lookup(const struct fabric *f, struct cbo *c, uint64_t when, uint64_t flags, unsigned state,
				 const struct signal_tag *tag, const bool observed)
{
	cbo_pulse(f, c->port, SIG_CBO_LOOKUP, when, 1, flags, tag, observed);
	if (!observed)
		c->lumps.lookup[flags][state]++;
}

UNCORE_INLINE void cbo_tor(const struct fabric *f, struct cbo *c, uint64_t from, uint64_t to, uint64_t flags,
			      const struct signal_tag *tag, const bool observed)
{
	cbo_pulse(f, c->port, SIG_CBO_TOR_INSERT, from, 1, flags, tag, observed);
	cbo_span(f, c->port, SIG_CBO_TOR, from, to, 1, flags | (tag->opc == CBO_DRD ? CBO_TOR_DRD : 0), tag,
		    observed);
	if (!observed)
		c->lumps.tor_insert[flags]++;
}

UNCORE_INLINE void cbo_victim(const struct fabric *f, struct cbo *c, uint64_t when, uint64_t flags,
				 const struct signal_tag *tag, const bool observed)
{
	cbo_pulse(f, c->port, SIG_CBO_VICTIM, when, 1, flags, tag, observed);
	if (!observed)
		c->lumps.victim[flags]++;
}

/* The record of stays, by who sees them come and leave. */
UNCORE_INLINE void fabric_residency_from(const struct fabric *f, enum stays_where at, const struct signal_port *p, uint64_t when,
			       const bool observed)
{
	if (observed)
		stays_come(f->stays, at, p, when, 1);
}

UNCORE_INLINE void fabric_residency_to(const struct fabric *f, enum stays_where at, const struct signal_port *p, uint64_t when,
			       const bool observed)
{
	if (observed)
		stays_leave(f->stays, at, p, when, 1);
}

#endif
