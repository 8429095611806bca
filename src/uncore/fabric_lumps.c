/* SPDX-License-Identifier: BSD-2-Clause */
/* Which signals the plain walk counts, when that is enough, and telling them. */
#include <string.h>

#include "signal/lump.h"
#include "signal_ids.h"
#include "uncore/fabric_core.h"

/* What requests find is counted only in the walk with messages. */
static bool cbo_lumps_do(const struct fabric *f, const struct signal_port *p)
{
	static const uint16_t told[] = { SIG_CBO_LOOKUP, SIG_CBO_TOR_INSERT, SIG_CBO_VICTIM, SIG_CBO_FOUND };
	bool found = f->config.message && signal_lumps(p, SIG_CBO_FOUND, UINT64_MAX, 0);

	return signal_quiet(p, told, LEN(told) - !found) && signal_lumps(p, SIG_CBO_LOOKUP, UINT64_MAX, 1 << SIGNAL_TAG_STATE) &&
	       signal_lumps(p, SIG_CBO_TOR_INSERT, UINT64_MAX, 0) && signal_lumps(p, SIG_CBO_VICTIM, UINT64_MAX, 0);
}

bool fabric_lumps_do(const struct fabric *f)
{
	for (unsigned s = 0; s < f->config.sockets; s++) {
		for (unsigned kind = 0; kind < RING_KINDS; kind++)
			if (f->socket[s].ring.slow[kind])
				return false;
		for (unsigned i = 0; i < f->config.has; i++)
			if (signal_watched(f->socket[s].ring.port[RING_HA + i], SIG_HA_IGR_NO_CREDIT))
				return false;
		for (unsigned i = 0; i < f->config.cores; i++)
			if (!cbo_lumps_do(f, f->socket[s].cbo[i].port))
				return false;
	}
	for (unsigned i = 0; i < f->config.sockets * f->config.sockets * f->parallel; i++)
		if (f->lane[i].from && f->lane[i].tell != QPI_TELL_LUMPS)
			return false;
	return true;
}

enum { TOGETHER = 8 };		/* lumps that are looked at together, for most flags do not occur */

static bool nothing(const uint32_t *n)
{
	uint64_t two[TOGETHER / 2];

	memcpy(two, n, sizeof two);
	return !(two[0] | two[1] | two[2] | two[3]);
}

static void lumps(struct signal_port *p, unsigned sig, uint32_t *n, unsigned flags, const struct signal_tag *tag)
{
	for (unsigned i = 0; i < flags; i += TOGETHER) {
		if (nothing(n + i))
			continue;
		for (unsigned k = i; k < i + TOGETHER; k++)
			if (n[k])
				signal_lump(p, sig, n[k], k, tag);
		memset(n + i, 0, TOGETHER * sizeof *n);
	}
}

_Static_assert((int)CBO_STATES == (int)TOGETHER, "look-ups of the same flags are looked at together");

static void lookups(struct signal_port *p, uint32_t *n, unsigned flags)
{
	if (nothing(n))
		return;
	for (unsigned state = 0; state < CBO_STATES; state++) {
		struct signal_tag tag = { .state = (uint8_t)state };

		if (n[state])
			signal_lump(p, SIG_CBO_LOOKUP, n[state], flags, &tag);
	}
	memset(n, 0, CBO_STATES * sizeof *n);
}

static void cbo_tell(struct cbo *c)
{
	uint32_t *strange = c->lumps.strange;

	c->lumps.lookup[CBO_LOOKUP_ANY | CBO_LOOKUP_REMOTE_SNOOP][LLC_I] += strange[0] + strange[1];
	c->lumps.tor_insert[CBO_TOR_REMOTE] += strange[0];
	c->lumps.tor_insert[CBO_TOR_LOCAL] += strange[1];
	strange[0] = strange[1] = 0;
	for (unsigned flags = 0; flags < LEN(c->lumps.lookup); flags++)
		lookups(c->port, c->lumps.lookup[flags], flags);
	lumps(c->port, SIG_CBO_TOR_INSERT, c->lumps.tor_insert, LEN(c->lumps.tor_insert), NULL);
	lumps(c->port, SIG_CBO_VICTIM, c->lumps.victim, LEN(c->lumps.victim), NULL);
	lumps(c->port, SIG_CBO_FOUND, c->lumps.found, LEN(c->lumps.found), NULL);
}

void fabric_tell(struct fabric *f)
{
	for (unsigned i = 0; i < f->config.sockets * f->config.has; i++)
		ha_tell(f->ha[i]);
	if (!f->lumped)
		return;
	f->lumped = false;
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < f->config.cores; i++)
			cbo_tell(&f->socket[s].cbo[i]);
	for (unsigned i = 0; i < f->config.sockets * f->config.sockets * f->parallel; i++)
		if (f->lane[i].from)
			qpi_tell_lumps(&f->lane[i]);
}
