/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power control: the frequency of the uncore, of all sockets alike.  It works or rests; a change counts as one of each socket's
 * clocks and costs no time.
 */
#include "uncore/power/inside.h"

/* The frequency counts as told, or (delta -1) no more. */
static void tell_frequency(const struct pcu *p, const struct pcu_socket *s, uint64_t when, int delta)
{
	struct signal_tag tag = { .freq = (uint8_t)(p->khz / PCU_STEP_KHZ) };

	if (s->port)
		signal_level(s->port, SIG_PCU_FREQUENCY, when, delta, 0, &tag);
}

void pcu_uncore_port(const struct pcu *p, struct pcu_socket *s)
{
	tell_frequency(p, s, 0, 1);
}

/* Some clock of the socket changes from `when` on. */
void pcu_lock(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	if (!s->locking) {
		pcu_level(s, SIG_PCU_FREQ_CHANGE, when, 1, 0);
		tell_frequency(p, s, when, -1);
	}
	s->locking = true;
	s->timer[PCU_AT_LOCKED] = when + PCU_RELOCK;
}

void pcu_locked(struct pcu *p, struct pcu_socket *s, uint64_t when)
{
	s->timer[PCU_AT_LOCKED] = UINT64_MAX;
	s->locking = false;
	pcu_level(s, SIG_PCU_FREQ_CHANGE, when, -1, 0);
	tell_frequency(p, s, when, 1);
}

static void change_uncore(struct pcu *p, uint64_t when, uint32_t khz)
{
	if (khz == p->khz)
		return;
	for (unsigned i = 0; i < p->sockets; i++)
		pcu_lock(p, &p->socket[i], when);
	p->khz = khz;
	if (p->config.uclk)
		p->config.uclk(p->config.ctx, when, khz);
}

static bool all_deep(const struct pcu *p)
{
	for (unsigned i = 0; i < p->sockets; i++)
		if (!pcu_deep(p, &p->socket[i]))
			return false;
	return true;
}

/* What the uncore works at: with the cores, those of sockets that sleep count only when all do. */
static uint32_t work_khz(const struct pcu *p)
{
	bool all = all_deep(p);
	uint32_t khz = 0;

	if (!p->config.uncore_with_cores)
		return p->config.work_khz;
	for (unsigned i = 0; i < p->sockets; i++)
		if ((all || !pcu_deep(p, &p->socket[i])) && p->socket[i].khz > khz)
			khz = p->socket[i].khz;
	return khz;
}

static void set_uncore(struct pcu *p, uint64_t when, bool works)
{
	p->works = works;
	change_uncore(p, when, works ? work_khz(p) : p->config.rest_khz);
}

/* Is it devices alone that keep the uncore at work? */
static void update_io(struct pcu *p, uint64_t when)
{
	bool holds = p->io_until && all_deep(p);

	if (holds == p->io_holds)
		return;
	p->io_holds = holds;
	for (unsigned i = 0; i < p->sockets; i++)
		pcu_level(&p->socket[i], SIG_PCU_IO_LIMIT, when, holds ? 1 : -1, 0);
}

void pcu_uncore_follow(struct pcu *p, uint64_t when)
{
	if (p->works)
		change_uncore(p, when, work_khz(p));
}

/* Work when a core starts to run; rest when the last one has gone to sleep. */
void pcu_uncore_after(struct pcu *p, uint64_t when, bool runs)
{
	update_io(p, when);
	if (runs)
		set_uncore(p, when, true);
	else if (all_deep(p) && !p->io_until && !p->waking)
		set_uncore(p, when, false);
	else
		pcu_uncore_follow(p, when);
}

void pcu_io(struct pcu *p, uint64_t when)
{
	bool began = !p->io_until;

	if (when + PCU_IO_LINGERS > p->io_until)
		p->io_until = when + PCU_IO_LINGERS;
	if (!began)
		return;
	if (when < p->now)
		when = p->now;
	p->now = when;
	set_uncore(p, when, true);
	update_io(p, when);
	pcu_packages(p, when);
}

void pcu_io_ends(struct pcu *p)
{
	uint64_t when = p->io_until > p->now ? p->io_until : p->now;

	p->io_until = 0;
	p->now = when;
	update_io(p, when);
	pcu_packages(p, when);
	if (all_deep(p) && !p->waking)
		set_uncore(p, when, false);
}
